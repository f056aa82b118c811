"""Do these blocks make every query look at the key T steps before it?

The matrix A is put together from the blocks, and the score of key τ for query t is e^τ A (e^t)'.
What counts is which key has the largest score: blocks may be multiplied by any positive numbers,
since the weight on that key comes as near to 1 as one likes with a large enough factor.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.matrices import matrix, shape_words, with_own_names
from regard.checking.offset.positions import Float64, Place, least_factor, missed
from regard.checking.sampling import TRIALS, Trial, compare, goal, sampled
from regard.checking.verdict import Verdict
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems.kinds.positions import OffsetProblem
from regard.report import number

FACTOR = "C"  # the name that may stay without a number
LARGE = (1e4, 1e6)  # what it is tried with
FIELDS = ("block", "off_block")
MOST_BLOCKS, SOME = 1024, 32  # off the diagonal


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and the blocks that an answer gives.

    Attributes:
        problem: what is asked.
        answer: what was answered.
        own: the names that the answer declares beside its blocks.
        used: the names that its formulas use.
        known: matrices that were put together before.
    """

    problem: OffsetProblem
    answer: Answer
    own: tuple[str, ...]
    used: frozenset[str]
    known: dict[tuple[Place, float, bool], Float64] = field(default_factory=dict, repr=False)

    @property
    def here(self) -> Place:
        """The positions of the problem."""
        given = self.problem.given
        return Place(given.d_model, given.n, given.T, given.base)

    @property
    def factors(self) -> tuple[float, ...]:
        """What a factor C that stays open is tried with."""
        return LARGE if FACTOR in self.used and FACTOR not in self.own else (1.0,)

    @property
    def listed(self) -> bool:
        """Whether the blocks are listed one by one, and so belong to one d_model."""
        block = self.answer.fields["block"]
        return isinstance(block, np.ndarray) and block.ndim == 3

    @property
    def any_width(self) -> bool:
        """Whether the answer is about any d_model."""
        return not self.listed and ("i" not in self.used or "d_model" in self.used)

    @property
    def any_shift(self) -> bool:
        """Whether the answer is about any T."""
        return "T" in self.used

    def matrix(self, place: Place, factor: float = 1.0, *, off: bool = True) -> Float64:
        """Return A (d_model, d_model), with or without the blocks off the diagonal."""
        about = place if "n" in self.used else replace(place, n=0)
        key = (about, factor, off)
        if key not in self.known:
            self.known[key] = self._assembled(place, factor, off)
        return self.known[key]

    def _assembled(self, place: Place, factor: float, off: bool) -> Float64:
        count = place.d_model // 2
        blocks = np.zeros((count, count, 2, 2))
        if off:
            blocks[:] = self._off(place, factor)
        for i, one in enumerate(self._diagonal(place, factor)):
            blocks[i, i] = one
        return blocks.transpose(0, 2, 1, 3).reshape(place.d_model, place.d_model)

    def _diagonal(self, place: Place, factor: float) -> list[Float64]:
        count = place.d_model // 2
        if not self.listed:
            return [self._block("block", place, factor, i, i) for i in range(count)]
        blocks = self.answer.fields["block"]
        if blocks.shape != (count, 2, 2):
            raise InvalidAnswer(
                f"answer: block must be one 2 × 2 matrix, or {count} of them. It is "
                f"{' × '.join(map(str, blocks.shape))}."
            )
        return list(blocks)

    def _off(self, place: Place, factor: float) -> Float64:
        """Return what stands off the diagonal, (1 or count, 1 or count, 2, 2)."""
        count = place.d_model // 2
        names = self._behind("off_block")
        rows = count if names & {"i", "w_i", "omega_i"} else 1
        columns = count if names & {"j", "w_j", "omega_j"} else 1
        many = rows * columns > MOST_BLOCKS
        # Of very many blocks some are evaluated, and each stands for its neighbours.
        near = np.linspace(0, count - 1, SOME).round().astype(int) if many else np.arange(count)
        found = np.array(
            [
                [self._block("off_block", place, factor, i, j) for j in near[:columns].tolist()]
                for i in near[:rows].tolist()
            ]
        )
        if many:
            nearest = np.argmin(np.abs(np.arange(count)[:, None] - near), axis=1)
            found = found[nearest][:, nearest]
        return found

    def _behind(self, name: str) -> set[str]:
        """Return the names that a field is made of, also through names that the answer declares."""
        found: set[str] = set()
        left = [name]
        while left:
            field = self.answer.fields.get(left.pop())
            new = field.names - found if isinstance(field, Formula) else frozenset()
            found |= new
            left += new
        return found

    def _block(self, name: str, place: Place, factor: float, i: int, j: int) -> Float64:
        speeds = place.speeds
        symbols: dict[str, float | Float64] = {
            "w_i": float(speeds[i]),
            "T": float(place.T),
            "i": float(i),
            "d_model": float(place.d_model),
            "n": float(place.n),
            "base": place.base,
        }
        symbols["omega_i"] = symbols["w_i"]
        if name == "off_block":
            symbols |= {"w_j": float(speeds[j]), "omega_j": float(speeds[j]), "j": float(j)}
        if len(self.factors) > 1:
            symbols[FACTOR] = factor
        names = with_own_names(self.answer, self.own, symbols)
        found = matrix(name, self.answer.fields[name], names, 2)
        if name == "off_block" and found.shape == () and found == 0:
            return np.zeros((2, 2))
        if found.shape != (2, 2):
            raise InvalidAnswer(
                f"answer: {name} must be a 2 × 2 matrix. It is {shape_words(found)}."
            )
        return found

    def error(self, place: Place) -> float:
        """Return the weight that misses its key, for the worst query and factor."""
        found = [missed(self.matrix(place, factor), place) for factor in self.factors]
        return float("nan") if np.any(np.isnan(found)) else max(found)


def judge(problem: OffsetProblem, answer: Answer) -> Verdict:
    """Judge the blocks of an answer."""
    with np.errstate(all="ignore"):  # what is not finite is told as such
        return _judged(read(problem, answer))


def _judged(asked: Asked) -> Verdict:
    from regard.checking.offset.mistakes import counterexample, recognise

    problem, here = asked.problem, asked.here
    allowed = problem.goal.tolerance
    this = [Trial(here, asked.error(here), allowed)]
    goals = [goal("every query looks T steps back", "this", this, say=lambda t: _where(asked, t))]
    trials = list(this)
    if not asked.listed:
        drawn = sampled(lambda rng: draw(asked, rng), asked.error, allowed, TRIALS)
        goals.append(goal(f"the same for any {_varied(asked)}", "sampled", drawn))
        hard = [Trial(place, asked.error(place), allowed) for place in _hard(asked)]
        name = "the same for many positions" + (", and ahead" if asked.any_shift else "")
        goals.append(goal(name, "adversarial", hard))
        trials += drawn + hard
    failing = [trial for trial in trials if not trial.right]
    return Verdict(
        problem,
        tuple(goals),
        counterexample(asked, failing[0]) if failing else None,
        recognise(asked) if failing else None,
        _remarks(asked, not failing),
    )


def read(problem: OffsetProblem, answer: Answer) -> Asked:
    """Return the blocks of an answer; InvalidAnswer where some are missing."""
    for name in FIELDS:
        answer.need(name)
    own = tuple(name for name in answer.fields if name not in FIELDS)
    fields: list[Any] = [answer.fields[name] for name in (*FIELDS, *own)]
    used = {name for field in fields if isinstance(field, Formula) for name in field.names}
    return Asked(problem, answer, own, frozenset(used))


def draw(asked: Asked, rng: np.random.Generator) -> Place:
    """Return other positions; T stays where the answer is about one T, and so does d_model."""
    here = asked.here
    d_model = 2 * int(rng.integers(1, 7)) if asked.any_width else here.d_model
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


def _varied(asked: Asked) -> str:
    names = ["d_model"] * asked.any_width + ["n"] + ["T"] * asked.any_shift
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _where(asked: Asked, trial: Trial[Place]) -> str:
    """Say where the queries look instead."""
    place = trial.instance
    if not np.isfinite(trial.error):
        return compare(trial.error, trial.tolerance)
    scores = place.scores(asked.matrix(place, asked.factors[-1]))
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
    said = []
    here, given = asked.here, asked.problem.given
    if asked.listed:
        said.append("The blocks are numbers, so they were tried on this instance only.")
    elif right and not (asked.any_shift and asked.any_width):
        fixed = " and ".join(
            [f"T = {here.T}"] * (not asked.any_shift)
            + [f"d_model = {here.d_model}"] * (not asked.any_width)
        )
        said.append(f"The answer is about {fixed} only, and was judged so.")
    if not right:
        return tuple(said)
    factor = asked.factors[0]
    A = asked.matrix(here, factor)
    least = factor * least_factor(A, here, asked.problem.goal.tolerance)
    what = "C" if len(asked.factors) > 1 else "the factor of A"
    share = number(1 - asked.problem.goal.tolerance)
    said.append(
        f"Here every query gives {share} of its weight to its key once {what} is at least "
        f"{number(least, 7)}."
    )
    rank = int(np.linalg.matrix_rank(A))
    if given.d_k is not None and given.d_k < rank:
        said.append(
            f"This A has rank {rank}, and W_K W_Q' at most d_k = {given.d_k}: keep "
            f"{given.d_k // 2} of the blocks."
        )
    return tuple(said)
