"""regard: a workbench for the attention mechanism."""

from __future__ import annotations

from regard.core.attention import (
    attention,
    attention_scores,
    attention_with_lse,
    attention_with_weights,
)
from regard.core.heads import Head, MultiHead
from regard.core.positions import rotary, sinusoidal
from regard.core.streaming import AttentionState
from regard.errors import ParameterError, RegardError, ShapeError

__version__ = "0.1.0"

__all__ = [
    "AttentionState",
    "Head",
    "MultiHead",
    "ParameterError",
    "RegardError",
    "ShapeError",
    "attention",
    "attention_scores",
    "attention_with_lse",
    "attention_with_weights",
    "rotary",
    "sinusoidal",
]
