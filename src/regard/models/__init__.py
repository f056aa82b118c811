"""Heads out of real models, and designed heads into them.

load(path) → Model          safetensors, torch, ONNX, GGUF, folders, archives
inspect(model) → Inspection  what each head does, from weights and on tokens
export(heads, path)          designed heads for torch, safetensors, ONNX, NumPy
graft(model, …)              a designed head in the place of one of a model's
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.models.exporting import export
    from regard.models.grafting import Grafted, graft
    from regard.models.inspecting import inspect
    from regard.models.inspection import HeadReading, Inspection
    from regard.models.loading import load
    from regard.models.model import Layer, Model, ModelHead
    from regard.models.scores import FORMULAS
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "exporting": "export",
            "grafting": "Grafted graft",
            "inspecting": "inspect",
            "inspection": "HeadReading Inspection",
            "loading": "load",
            "model": "Layer Model ModelHead",
            "scores": "FORMULAS",
        },
    )

__all__ = [
    "FORMULAS",
    "Grafted",
    "HeadReading",
    "Inspection",
    "Layer",
    "Model",
    "ModelHead",
    "export",
    "graft",
    "inspect",
    "load",
]
