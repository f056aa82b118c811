"""What a design function refuses, told to a reader who sees the solution only."""

from __future__ import annotations

from regard.design.queries.reasons import NoQueryFound
from regard.design.reasons import Nearest, Reason
from regard.design.robust_heads.reasons import WeightsOfMeans
from regard.errors import InfeasibleDesign, UndecidedDesign

__all__ = ["in_words"]


def in_words(refusal: InfeasibleDesign | UndecidedDesign, *, proved: bool = True) -> str:
    r"""Return why there is no design, without the names of functions and attributes.

    Args:
        refusal: of a design.
        proved: whether the page has the proof of it, where there is one.

    >>> from regard.design.robust_heads.reasons import NoQueriesFound
    >>> reason = NoQueriesFound(Nearest("queries", "gap", 0.25))
    >>> print(in_words(UndecidedDesign(reason.message, None, None, reason)).replace(". ", ".\n"))
    No queries for this were found, nor a proof that there are none.
    The closest queries found have a gap of at least 0.25.
    """
    reason = refusal.reason
    if not isinstance(reason, Reason):  # of somebody else's design
        return str(refusal)
    said = [_why(reason)]
    if proved and isinstance(refusal, InfeasibleDesign):
        of = ", of keys that are the means" if isinstance(reason, WeightsOfMeans) else ""
        said.append(f"That is proved below{of}.")
    if reason.nearest is not None:
        said.append(_closest(reason.nearest))
    text = " ".join(said)
    return text[:1].upper() + text[1:]


def _why(reason: Reason) -> str:
    """What cannot be or was not found, in the terms of problems."""
    if isinstance(reason, NoQueryFound) and reason.edge:
        return (
            f"{reason.not_found} The wanted weights lie at the edge of what these keys can reach, "
            f"or the tolerance {reason.tolerance:g} is finer than a query of 64-bit numbers can "
            f"meet."
        )
    return reason.sentence


def _closest(nearest: Nearest) -> str:
    """What comes closest, and how close."""
    if nearest.measure is None:
        return "The closest that was found is given as the answer."
    if nearest.measure == "d_k":
        return f"The smallest that was found has d_k = {nearest.digits}."
    found = " found" if nearest.least is None else ""
    have = "have" if nearest.what in ("weights", "queries") else "has"
    measure = "error" if nearest.measure == "error" else "a gap of"
    return f"The closest {nearest.what}{found} {have} {measure} {nearest.digits}."
