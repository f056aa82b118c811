"""regard: a workbench for the attention mechanism."""

from __future__ import annotations

import importlib as _importlib
from typing import Any as _Any

from regard.core.attention import (
    attention,
    attention_scores,
    attention_with_lse,
    attention_with_weights,
)
from regard.core.heads import Head
from regard.core.multi_head import MultiHead
from regard.core.positions import rotary, sinusoidal
from regard.core.statistics import AttentionStatistics, attention_statistics
from regard.core.streaming import AttentionState
from regard.errors import (
    FormulaError,
    InfeasibleDesign,
    InvalidAnswer,
    InvalidModel,
    InvalidProblem,
    ParameterError,
    RegardError,
    ShapeError,
    UndecidedDesign,
)

__version__ = "0.1.0"

# Loaded when first used, because they bring SciPy, Arb and others with them.
_PARTS = (
    "analysis",
    "certify",
    "checking",
    "cluster",
    "design",
    "lab",
    "grading",
    "language",
    "models",
    "problems",
    "report",
    "solving",
    "torch",
)
_FUNCTIONS = {"check": "regard.checking", "solve": "regard.solving", "trace": "regard.analysis"}

__all__ = [
    "AttentionState",
    "AttentionStatistics",
    "FormulaError",
    "Head",
    "InfeasibleDesign",
    "InvalidAnswer",
    "InvalidModel",
    "InvalidProblem",
    "MultiHead",
    "ParameterError",
    "RegardError",
    "ShapeError",
    "UndecidedDesign",
    "attention",
    "attention_scores",
    "attention_statistics",
    "attention_with_lse",
    "attention_with_weights",
    "rotary",
    "sinusoidal",
]


def __getattr__(name: str) -> _Any:
    """Load a part of regard such as `regard.design` the first time it is used."""
    if name in _PARTS:
        return _importlib.import_module(f"regard.{name}")
    if name in _FUNCTIONS:
        return getattr(_importlib.import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'regard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PARTS, *_FUNCTIONS])
