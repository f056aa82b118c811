"""Do these blocks make every query look at the key T steps before it?

The matrix A is put together from the blocks, and the score of key τ for query t is e^τ A (e^t)'.
What counts is which key has the largest score: blocks may be multiplied by any positive numbers,
since the weight on that key comes as near to 1 as one likes with a large enough factor. A T or
d_model that the statement does not tell is a symbol, and blocks have to do for others too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from regard.checking.answers import Answer
from regard.checking.factors.open_factor import written
from regard.checking.merged_goals import tried
from regard.checking.sampling import Trial, compare
from regard.checking.verdict import Counterexample, SideBySide, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.offset.instance import Place, least_factor, missed
from regard.kinds.offset.misconceptions import recognised
from regard.kinds.offset.reading import Asked, is_linear, read
from regard.kinds.offset.spec import OffsetProblem
from regard.problems.positions import Float64
from regard.report import number, vector
from regard.report.numbers import listing


def judge(problem: OffsetProblem, answer: Answer) -> Verdict:
    """Judge the blocks of an answer."""
    with np.errstate(all="ignore"):  # what is not finite is told as such
        return _judged(read(problem, answer))


def _judged(asked: Asked) -> Verdict:
    varies = not asked.listed or asked.any_shift or asked.any_width
    name = "every query looks T steps back"
    if varies:
        names = ["d_model"] * asked.any_width + ["n"] + ["T"] * asked.any_shift
        name += f", for any {listing(names)}"
    draw = partial(_draw, asked) if varies else None
    tries = tried(asked.here, asked.error, asked.problem.goal.tolerance, draw, _hard(asked))
    failing = tries.failing
    return Verdict(
        asked.problem,
        (tries.goal(name, partial(_where, asked)),),
        _counterexample(asked, failing) if failing else None,
        recognised(asked, tries.all) if failing else None,
        _remarks(asked, not failing),
    )


def _draw(asked: Asked, rng: np.random.Generator) -> Place:
    """Return other positions; a T or d_model that is told stays where the answer is about it."""
    here = asked.here
    d_model = 2 * int(rng.integers(1, 7)) if asked.any_width else here.d_model
    if asked.listed:
        d_model = here.d_model
    n = int(rng.integers(5, 60)) + (0 if asked.any_shift else abs(here.T))
    T = int(rng.integers(1 - n, n)) if asked.any_shift else here.T
    if asked.any_shift and not asked.any_width:
        shifts = [1, here.T] if here.d_model > 128 else [-4, -1, 1, 2, 3, here.T]
        T = int(rng.choice(shifts))  # many blocks, so few matrices
        n += abs(T)
    return Place(d_model, n, T, here.base)


def _hard(asked: Asked) -> list[Place]:
    """Return long sequences, where far keys have scores that are nearly as large."""
    here = asked.here
    wide = Place(16 if asked.any_width else here.d_model, 400, here.T, here.base)
    places = [wide, replace(wide, d_model=8 if asked.any_width else here.d_model)]
    if asked.any_shift and places[1].d_model <= 128:
        places = [wide, *(replace(places[1], T=T) for T in (-7, 1, 399, -399))]
    return [replace(place, n=max(place.n, abs(place.T) + 1)) for place in places]


def _where(asked: Asked, trial: Trial[Place]) -> str:
    """Say where the queries look instead."""
    place = trial.instance
    if not np.isfinite(trial.error):
        return compare(trial.error, trial.tolerance)
    if not asked.fits(place):
        return f"d_model = {place.d_model} needs {place.d_model // 2} blocks, and others are listed"
    scores = place.scores(asked.matrix(place))
    middle = len(place.wanted) // 2
    wanted = int(place.wanted[middle])
    t, tau = wanted + place.T, int(np.argmax(scores[:, middle]))
    if np.ptp(scores[:, middle]) <= 1e-12 * np.max(np.abs(scores), initial=1e-300):
        return f"all keys have the same score for the query at t = {t}"
    if tau == wanted:
        wrong = int(np.sum(np.argmax(scores, axis=0) != place.wanted))
        return f"{wrong} of {len(place.wanted)} queries look elsewhere"
    return f"the query at t = {t} looks at τ = {tau}, {_steps(t - tau)}, and not {_steps(place.T)}"


def _steps(shift: int) -> str:
    """Say how far back a shift is."""
    if shift == 0:
        return "its own position"
    size = abs(shift)
    return f"{size} step{'s' * (size > 1)} {'back' if shift > 0 else 'ahead'}"


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    if not right:
        return ()
    said = []
    here, given = asked.here, asked.problem.given
    fixed = [f"T = {here.T}"] * (not asked.any_shift)
    fixed += [f"d_model = {here.d_model}"] * (not asked.any_width)
    if fixed:
        said.append(f"The answer is about {listing(fixed)} only, and was judged so.")
    if is_linear(asked, here):
        least = least_factor(asked.matrix(here, 1.0), here, asked.problem.goal.tolerance)
        what = "C" if asked.factors else "the factor of A"
        share = number(1 - asked.problem.goal.tolerance)
        said.append(
            f"Here every query gives {share} of its weight to its key once {what} is at least "
            f"{number(least, 7)}."
        )
    rank = int(np.linalg.matrix_rank(asked.matrix(here)))
    if given.d_k is not None and given.d_k < rank:
        said.append(
            f"This A has rank {rank}, and W_K W_Q' at most d_k = {given.d_k}: keep "
            f"{given.d_k // 2} of the blocks."
        )
    return tuple(said)


def _counterexample(asked: Asked, failing: Sequence[Trial[Place]]) -> Counterexample:
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
    with_factor = f" (with C = {written(factor)})" if asked.factors else ""
    blur = 1e-12 * float(np.sum(np.abs(A)))
    if np.all(np.isfinite(column)) and np.isfinite(blur):
        top = np.flatnonzero(column >= np.max(column) - blur)
        there = " and ".join(map(str, top[:3]))
        end = f"the largest is at τ = {there}, and not at t − T = {worst} alone"
        shows = f"The query at t = {t} has to look at τ = {worst}, and looks at τ = {there}."
    else:
        end = "numbers that are not finite, or too large to be added"
        shows = f"The scores of the query at t = {t} are {end}."
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
    seed = trial.seed if place == trial.instance else None
    keys = tuple(f"τ = {tau}" for tau in range(place.n))
    return Counterexample(
        arrays, sentence, seed, steps, shows, f"{place}{with_factor}",
        table=SideBySide(keys, tuple(column.tolist()), (), "scores"),
    )  # fmt: skip


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
