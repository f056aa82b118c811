"""How much of a head's scores is position and how much is content; computed with the window."""

from __future__ import annotations

__all__ = ["FORMULAS"]

FORMULAS = {
    "position_share": "of the variance of q·k over keys (all positions τ of the window, tokens w "
    "drawn evenly), the share of the mean over w; a mean over queries",
    "content_share": "the share of the mean over τ; what is left is neither alone",
    "spread": "the square root of that variance, in units of scores: below about 1/2 weights are "
    "nearly even",
}
