"""Design: from a goal to the query or the matrices that reach it, with a proof either way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.design.heads.arguments import self_attention
    from regard.design.oblique_projection import separator
    from regard.design.positions.band import band
    from regard.design.positions.offset import offset
    from regard.design.positions.result import PositionalDesign
    from regard.design.queries.arguments import query
    from regard.design.results import HeadDesign, QueryDesign, SeparatorDesign
    from regard.design.robust_heads.arguments import isotropic_scale, robust
    from regard.design.robust_heads.result import RobustDesign
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "heads.arguments": "self_attention",
            "oblique_projection": "separator",
            "positions.band": "band",
            "positions.offset": "offset",
            "positions.result": "PositionalDesign",
            "queries.arguments": "query",
            "results": "HeadDesign QueryDesign SeparatorDesign",
            "robust_heads.arguments": "isotropic_scale robust",
            "robust_heads.result": "RobustDesign",
        },
    )

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
