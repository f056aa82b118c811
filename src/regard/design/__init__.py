"""Design: from a goal to the query or the matrices that reach it, with a proof either way."""

from __future__ import annotations

from regard.design.query import query
from regard.design.results import HeadDesign, QueryDesign, SeparatorDesign
from regard.design.self_attention import self_attention
from regard.design.separator import separator

__all__ = [
    "HeadDesign",
    "QueryDesign",
    "SeparatorDesign",
    "query",
    "self_attention",
    "separator",
]
