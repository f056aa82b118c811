"""What the numbers of a wrong query say about it: its scores, and how much longer it has to be."""

from __future__ import annotations

import numpy as np

from regard.kinds.heads.instance import has_noise
from regard.kinds.heads.misconceptions.recognised import Case, Tried, right_when_negated
from regard.kinds.heads.reading.query_length import right_length
from regard.report import number
from regard.report.numbers import rounded_up

LITTLE = 1.1  # a growth below this is told in percent
_EVEN = 1e-9
_MOST = 1e4  # a ratio above this says nothing to a reader


def too_short(case: Case) -> str:
    """Say what weights come of the scores, and how many times as long would be enough."""
    return " ".join(part for part in (_scores(case), _growth(case)) if part)


def _scores(case: Case) -> str:
    """Say what the scores of one head are, where those wanted are alike and the others are too."""
    here = case.tried[0]
    if len(here.scores) != 1 or case.here.covariances is not None or case.candidate.free:
        return ""
    wanted, others = _apart(here)
    if not len(others) or np.ptp(wanted) > _EVEN or np.ptp(others) > _EVEN:
        return ""
    high, low = float(wanted.mean()), float(others.mean())
    ratio = float(np.exp(high - low))
    if not 1 < ratio < _MOST:
        return ""
    keys = "each wanted key gets" if len(wanted) > 1 else "the wanted key gets"
    return (
        f"Here they are {number(high, 3)} and {number(low, 3)}: {keys} {number(ratio, 3)} times "
        "the weight of each other key."
    )


def _apart(here: Tried) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of the keys wanted, and those of the others."""
    return here.scores[0][here.rows], np.delete(here.scores[0], here.rows)


def _growth(case: Case) -> str:
    grow = _times_as_long(case)
    which = _which(case, "The query", "The queries")
    return f"{which} must be about {grow}." if grow else ""


def turned_round(case: Case) -> str:
    """Say how much longer a query of the other sign has to be, where that sign is not enough."""
    if all(map(right_when_negated, case.tried)):
        return ""
    grow = _times_as_long(case, sign=-1.0)
    which = _which(case, "the query", "the queries")
    return f"With it {which} must still be about {grow}." if grow else ""


def _times_as_long(case: Case, sign: float = 1.0) -> str:
    """Say how much longer is enough; nothing of a factor that is open, or has bounds."""
    if case.candidate.free or case.candidate.bounds is not None:
        return ""
    grow = right_length(case.candidate, case.here, longer=True, sign=sign)
    if grow is None:
        return ""
    if grow < LITTLE:
        return f"{rounded_up(100 * (grow - 1), 2)} % longer"
    return f"{rounded_up(grow, 2 if has_noise(case.here) else 3)} times as long"


def _which(case: Case, one: str, several: str) -> str:
    return one if len(case.candidate.problem.query_names) == 1 else several
