"""What a factor C that an answer leaves open is tried with.

One row may grow later than others, with C beyond what those are followed to. What is asked of it
depends on its own scores alone: where it is not right with the factors of all rows, it is tried
with its own, as far as its scores can be told apart, wherever that is.
"""

from __future__ import annotations

from functools import partial

from regard.checking.answers import evaluate
from regard.checking.factors.open_factor import largest, settled
from regard.checking.factors.stated_factor import within
from regard.kinds.self_attention.instance import FAR, Instance, instance_of
from regard.kinds.self_attention.reading.heads import (
    LARGEST_SCORE,
    MOST_SCORE,
    Asked,
    errors,
    largest_score,
    worst,
)
from regard.problems.tokens import token_label


def factors_to_try(asked: Asked) -> tuple[float, ...]:
    """Return some of the largest factors that scores allow, or some within the answer's bounds."""
    at = instance_of(asked.problem, FAR[-1] if asked.problem.given.limits else 1.0)

    def right(factors: tuple[float, ...]) -> bool:
        found = (errors(asked, at, asked.head(at, C)).values() for C in factors)
        return worst(one for each in found for one in each) <= asked.tolerance

    def size(C: float) -> float:
        return largest_score(asked, at, asked.head(at, C))

    if asked.bounds is not None:
        return within(asked.bounds, size, MOST_SCORE, partial(evaluate, symbols=at.symbols))
    return settled(right, size, MOST_SCORE, LARGEST_SCORE) or (10.0, 100.0)


def factors_of_late_rows(asked: Asked) -> dict[str, tuple[float, ...]]:
    """Return factors by label for what is right with them, and not with those of all rows."""
    if not asked.free or asked.bounds is not None or asked.problem.given.limits:
        return {}
    at = instance_of(asked.problem)
    rows = {token_label(row, "c"): row for row in at.outputs}
    rows |= {token_label(row): row for row in at.attend}
    found = {}
    for label, row in rows.items():
        if not _right(asked, at, label, asked.factors):
            own = _own_factors(asked, at, row)
            if own and _right(asked, at, label, own):
                found[label] = own
    return found


def _right(asked: Asked, at: Instance, label: str, factors: tuple[float, ...]) -> bool:
    each = (errors(asked, at, asked.head(at, C))[label] for C in factors)
    return worst(each) <= asked.tolerance


def _own_factors(asked: Asked, at: Instance, row: int) -> tuple[float, ...]:
    def size(C: float) -> float:
        return largest_score(asked, at, asked.head(at, C), row)

    return largest(size, MOST_SCORE, 2)
