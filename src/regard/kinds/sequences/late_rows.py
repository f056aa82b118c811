"""Rows that grow later than others: each is tried with a factor C as far as its own scores go.

What a row brings depends on its own scores alone, and C may be far beyond what those of other rows
are followed to.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from regard.checking.factors.open_factor import largest
from regard.kinds.sequences.instance import Row, rows
from regard.kinds.sequences.reading import RESOLVED, Asked, bound, size

COUNT = 4
STILL = 1e-3  # a bound that falls by such a share from one factor to the next is not at its end


def right_apart(asked: Asked, factors: tuple[float, ...]) -> tuple[bool | None, float]:
    """Return whether every row is right with factors of its own, and the largest bound there.

    None where a row is not right as far as it can be followed, and its bound still falls.
    """
    problem, length = asked.problem, asked.problem.given.length
    setting, most, known = asked.setting(length), 0.0, True
    allowed = problem.goal.tolerance * (1 + 1e-9)

    def bounds(row: Row, those: tuple[float, ...]) -> list[float]:
        return [bound(problem, setting, asked.heads(length, C), row) for C in those]

    for row in rows(problem):
        found = max(bounds(row, factors))
        if found > allowed:
            each = bounds(row, largest(partial(size, asked, row=row), RESOLVED, COUNT))
            if len(each) < COUNT:
                return False, found
            found = max(each[-2:])
            if found > allowed:
                if not all(b < a * (1 - STILL) for a, b in pairwise(each)):
                    return False, found
                known = False
        most = max(most, found)
    return (True if known else None), most
