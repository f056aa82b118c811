"""What is got wrong about one query: all that is of several heads, but what needs more than one."""

from __future__ import annotations

from regard.kinds.heads import misconceptions as of_heads

MISTAKES = tuple(m for m in of_heads.MISTAKES if m.tag not in of_heads.OF_SEVERAL_HEADS)
OFTEN = (
    "no-large-scale",
    "not-divided-by-squared-norm",
    "weights-without-log",
    "no-upper-limit-on-scale",
)
