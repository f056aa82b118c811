"""Design: from a goal to the query or the matrices that reach it, with a proof either way."""

from __future__ import annotations

from regard.design.band import band
from regard.design.offset import offset
from regard.design.positional_result import PositionalDesign
from regard.design.query import query
from regard.design.results import HeadDesign, QueryDesign, SeparatorDesign
from regard.design.robust import isotropic_scale, robust
from regard.design.robust_result import RobustDesign
from regard.design.self_attention import self_attention
from regard.design.separator import separator

__all__ = [
    "HeadDesign",
    "PositionalDesign",
    "QueryDesign",
    "RobustDesign",
    "SeparatorDesign",
    "band",
    "isotropic_scale",
    "offset",
    "query",
    "robust",
    "self_attention",
    "separator",
]
