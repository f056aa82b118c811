"""Heads out of real models, and designed heads into them.

load(path) → Model          safetensors, torch, ONNX, GGUF, folders, archives
inspect(model) → Inspection  what each head does, from weights and on tokens
export(heads, path)          designed heads for torch, safetensors, ONNX, NumPy
graft(model, …)              a designed head in the place of one of a model's
"""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
