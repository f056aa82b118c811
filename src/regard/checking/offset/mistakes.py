"""What wrong blocks of a positional head look like, and the smallest case that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from regard.checking.misconceptions import misconception
from regard.checking.offset.asked import Asked
from regard.checking.offset.positions import Float64, Place, missed
from regard.checking.sampling import Trial
from regard.checking.verdict import Counterexample, Misconception
from regard.errors import InvalidAnswer
from regard.report import number, vector

SIGNS = [np.array(signs).reshape(2, 2) for signs in product((1.0, -1.0), repeat=4)]
SWAPS = [np.array([[0.0, a], [b, 0.0]]) for a, b in product((1.0, -1.0), repeat=2)]

Case = tuple[Float64, Place]  # A, and where


def recognise(asked: Asked, trials: Sequence[Trial[Place]]) -> Misconception | None:
    """Name the first misconception whose repair makes the blocks right wherever they were tried."""
    places = [trial.instance for trial in trials if asked.fits(trial.instance)]
    wrong = [trial.instance for trial in trials if not trial.right and asked.fits(trial.instance)]
    places.sort(key=lambda place: place.d_model * place.n)  # small ones rule most repairs out
    cases = [(asked.matrix(place), place) for place in places]
    if not all(np.all(np.isfinite(place.scores(A))) for A, place in cases):
        return misconception("not-finite")
    tests: list[tuple[str, Callable[[], bool]]] = [
        ("numbers-instead-of-formula", lambda: trials[0].right and _is_fixed(asked)),
        ("off-diagonal-not-zero", lambda: all(_right(_with(A, _same), p) for A, p in cases)),
        ("sign-of-scores", lambda: all(_right(-A, place) for A, place in cases)),
        ("transposed-A", lambda: all(_right(A.T, place) for A, place in cases)),
        ("identity-block", lambda: _looks_at_itself(cases)),
        ("frequency-missing", lambda: _one_frequency(asked, places)),
        ("sin-cos-exchanged", lambda: _exchanged(cases)),
        ("sign-in-block", lambda: _signs(cases)),
        ("half-of-the-block", lambda: _half(cases)),
        ("other-offset", lambda: _other_offset([(asked.matrix(p), p) for p in wrong])),
    ]
    return next((misconception(tag) for tag, shows in tests if shows()), None)


def _is_fixed(asked: Asked) -> bool:
    """The blocks do not change with T, or are made for one d_model."""
    here = asked.here
    other = replace(here, T=here.T + 1, n=here.n + 1)
    return asked.one_width or np.array_equal(asked.matrix(here), asked.matrix(other))


def _right(A: Float64, place: Place) -> bool:
    return missed(A, place) == 0


def _looks_at_itself(cases: list[Case]) -> bool:
    turned = any(np.any(A != A.T) for A, _ in cases)
    return not turned and all(_right(A, replace(place, T=0)) for A, place in cases)


def _one_frequency(asked: Asked, places: list[Place]) -> bool:
    """The formula would be right if all frequencies were 1."""
    equal = [replace(place, base=1.0) for place in places]
    return all(_right(asked.matrix(place), place) for place in equal)


def _same(block: Float64) -> Float64:
    return block


def _with(A: Float64, change: Callable[[Float64], Float64]) -> Float64:
    """Return A with each diagonal block changed, and without the blocks off the diagonal."""
    result = np.zeros_like(A)
    for i in range(0, len(A), 2):
        result[i : i + 2, i : i + 2] = change(A[i : i + 2, i : i + 2])
    return result


def _all_with(cases: list[Case], change: Callable[[Float64], Float64]) -> bool:
    if not all(np.array_equal(A, _with(A, _same)) for A, _ in cases):
        return False  # the blocks off the diagonal would have to be changed as well
    return all(_right(_with(A, change), place) for A, place in cases)


def _signs(cases: list[Case]) -> bool:
    """The blocks are right with other signs of their entries."""
    return any(_all_with(cases, partial(np.multiply, signs)) for signs in SIGNS)


def _exchanged(cases: list[Case]) -> bool:
    """The blocks are right once their columns or rows change places, perhaps with signs."""
    return any(
        _all_with(cases, partial(change, swap))
        for swap in SWAPS
        for change in (_columns, _rows, _columns_turned, _rows_turned)
    )


def _columns(swap: Float64, block: Float64) -> Float64:
    return block @ swap


def _rows(swap: Float64, block: Float64) -> Float64:
    return swap @ block


def _columns_turned(swap: Float64, block: Float64) -> Float64:
    return (block @ swap).T


def _rows_turned(swap: Float64, block: Float64) -> Float64:
    return (swap @ block).T


def _half(cases: list[Case]) -> bool:
    """Either the sines or the cosines of every block are zero, and the others are right."""
    for missing in (np.eye(2), 1 - np.eye(2)):
        shown = []
        for A, place in cases:
            speeds = np.repeat(place.speeds, 2) * place.T
            turn = np.diag(np.cos(speeds))
            for i in range(0, len(A), 2):
                turn[i + 1, i] = np.sin(speeds[i])
                turn[i, i + 1] = -np.sin(speeds[i])
            hidden = np.tile(missing, (len(A) // 2,) * 2).astype(bool)
            visible = float(np.sum(np.abs(turn[~hidden])))  # no sines at T = 0
            size = float(np.sum(np.abs(A))) / visible if visible else 1.0
            filled = A + size * np.where(hidden, turn, 0.0)
            apart = np.array_equal(A, _with(A, _same))
            shown.append(apart and not np.any(A[hidden]) and _right(filled, place))
        if all(shown):
            return True
    return False


def _other_offset(cases: list[Case]) -> bool:
    """Every query looks the same number of steps back, and it is another one than T."""
    for A, place in cases:
        long = replace(place, n=max(place.n, 8 * abs(place.T) + 20), T=0)
        middle = len(long.wanted) // 2
        steps = int(long.wanted[middle]) - int(np.argmax(long.scores(A)[:, middle]))
        if steps == place.T or abs(steps) > long.n // 2 - 2:
            return False
        if not _right(A, replace(long, T=steps)):
            return False
    return bool(cases)


def counterexample(asked: Asked, failing: Sequence[Trial[Place]]) -> Counterexample:
    """Look for the fewest positions on which a query looks elsewhere."""
    fitting = [trial for trial in failing if asked.fits(trial.instance)]
    if not fitting:
        place = failing[0].instance
        sentence = (
            f"With d_model = {place.d_model} there are {place.d_model // 2} blocks, and the answer "
            f"lists {asked.here.d_model // 2}."
        )
        return Counterexample({"d_model": place.d_model}, sentence, failing[0].seed)
    trial = fitting[0]
    place = next((p for p in _smaller(asked) if _fails(asked, p)), trial.instance)
    factor = _failing_factor(asked, place)
    A = asked.matrix(place, factor)
    scores = place.scores(A)
    at = _query(scores, place)
    worst = int(place.wanted[at])
    column, t = scores[:, at], worst + place.T
    arrays = {
        "A": A.tolist(),
        "T": place.T,
        "t": t,
        "keys": place.embedded(np.arange(place.n, dtype=float)).tolist(),
        "query": place.embedded(np.array([float(t)]))[0].tolist(),
        "scores": column.tolist(),
    }
    with_factor = f" (with C = {number(factor)})" if asked.factors else ""
    blur = 1e-12 * float(np.sum(np.abs(A)))
    if np.all(np.isfinite(column)) and np.isfinite(blur):
        top = np.flatnonzero(column >= np.max(column) - blur)
        there = " and ".join(map(str, top[:3]))
        end = f"the largest is at τ = {there}, and not at t − T = {worst} alone"
    else:
        end = "numbers that are not finite, or too large to be added"
    sentence = (
        f"With {place} the query at t = {t} has the scores {vector(column)}{with_factor} for the "
        f"keys 0 … {place.n - 1}: {end}."
    )
    steps = (
        (f"The query is e^t = {vector(arrays['query'])}.", ""),
        (f"A (e^t)' is {vector(A @ np.array(arrays['query']))}.", ""),
        (f"The key at t − T = {worst} is {vector(arrays['keys'][worst])}.", ""),
        (f"Its score is {number(float(column[worst]))}.", ""),
    )
    return Counterexample(arrays, sentence, trial.seed if place == trial.instance else None, steps)


def _query(scores: Float64, place: Place) -> int:
    """The first query that looks elsewhere."""
    if not np.all(np.isfinite(scores)):
        return 0
    behind = np.max(scores, axis=0) - place.own(scores)
    return int(np.argmax(behind > 1e-9 * np.max(behind))) if np.max(behind) > 0 else 0


def _failing_factor(asked: Asked, place: Place) -> float:
    """A factor that shows it, the largest if all do."""
    factors = asked.factors[::-1] or (1.0,)
    return next((f for f in factors if missed(asked.matrix(place, f), place) != 0), factors[0])


def _smaller(asked: Asked) -> list[Place]:
    """Plain cases, the smallest first."""
    here = asked.here
    widths = [2, 4, 6] if asked.any_width and not asked.listed else [here.d_model]
    shifts = [1, -1, 2] if asked.any_shift else [here.T]
    found = [
        Place(d, n, T, here.base)
        for d, T, more in product(widths, shifts, (1, 2, 3, 6, 12, 24))
        for n in (abs(T) + more,)
        if n > 1
    ]
    return [*found, here]


def _fails(asked: Asked, place: Place) -> bool:
    try:
        return not asked.error(place) <= asked.problem.goal.tolerance
    except InvalidAnswer:  # it names things that are not there so far down
        return False
