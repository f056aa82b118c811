"""What to see in a counterexample of queries: one sentence, and one table."""

from __future__ import annotations

import numpy as np

from regard.checking.counterexample_report import key_names
from regard.checking.factors.open_factor import written
from regard.checking.sampling import softmax
from regard.checking.verdict import SideBySide
from regard.kinds.heads.reading import Candidate
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Orthogonal, Orthonormal
from regard.report.headline import marked
from regard.report.numbers import seen_apart, share, spelled

_WHOLE = 5e-4  # a share this near to 0 or to 1 is told in words


def shown_in(candidate: Candidate, weights: Float64, error: float, *, noisy: bool) -> str:
    """Say which weight is furthest off: that of the other keys together, or that of one wanted.

    Nothing where that is not what is wrong: a score that is no number, or which head does what.
    """
    if not np.all(np.isfinite(weights)) or not np.isfinite(error) or candidate.of_heads:
        return ""
    rows, wanted = candidate.problem.wanted_rows, candidate.wanted(len(weights))
    others = np.delete(weights, rows)
    off = weights - wanted
    furthest = rows[int(np.argmax(np.abs(off[rows])))]
    begin = "With this draw of the noise " if noisy else ""
    if np.sum(others) >= abs(off[furthest]) and np.sum(others) > _WHOLE:
        amount = marked(_share(float(np.sum(others))), "bad")
        if len(others) > 1:
            said = f"the {spelled(len(others))} other keys keep {amount} of the weight."
        elif begin:
            said = f"the other key keeps {amount} of the weight."
        else:
            return f"With only one other key, it already keeps {amount} of the weight."
    else:
        name = key_names(candidate.problem, len(weights))[furthest].strip("$")
        name = name.replace("{", "").replace("}", "")
        mine, right = seen_apart(float(weights[furthest]), float(wanted[furthest]), 3, _share)
        said = f"{name} gets {marked(mine, 'bad')} of the weight, and {right} is wanted."
        return begin + said
    return begin + said if begin else said[:1].upper() + said[1:]


def _share(x: float, digits: int = 3) -> str:
    if x < _WHOLE:
        return "nothing" if x == 0 else "next to nothing"
    if x > 1 - _WHOLE:
        return "all" if x == 1 else "nearly all"
    return share(x, digits)


def about(candidate: Candidate, at: KeyInstance, factor: float | None, *, noisy: bool) -> str:
    """Say which instance it is, in a few words."""
    count = f"{spelled(len(at.keys))} keys"
    angles = " at right angles" if isinstance(candidate.law, Orthonormal | Orthogonal) else ""
    drawn = ", with noise" if noisy else ""
    shown = "" if factor is None else f", {candidate.factor} = {written(factor, 4)}"
    return f"{count}{angles if not noisy else ''}{drawn}{shown}"


def side_by_side(
    candidate: Candidate, at: KeyInstance, queries: Float64, weights: Float64
) -> SideBySide | None:
    """Return scores and weights, key by key; None where a number is not finite."""
    scores = candidate.scores(at, queries)
    wanted = candidate.wanted(len(weights))
    if not all(np.all(np.isfinite(x)) for x in (scores, weights, queries)):
        return None
    before: list[tuple[str, tuple[float | str, ...]]] = []
    if len(queries) == 1:
        if at.keys.shape == (len(weights),) * 2 and np.array_equal(at.keys, np.eye(len(weights))):
            before.append(
                (f"query ${candidate.problem.query_names[0]}$", tuple(queries[0].tolist()))
            )
        before.append(("scores", tuple(scores[0].tolist())))
    else:
        for name, row in zip(candidate.problem.query_names, scores, strict=True):
            before.append((f"weights by ${name}$", tuple(softmax(row).tolist())))
    names = key_names(candidate.problem, len(weights))
    return SideBySide(names, tuple(weights.tolist()), tuple(wanted.tolist()), before=tuple(before))
