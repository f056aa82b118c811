"""Does zeroing these blocks make a head look T steps back, give or take B/2?

A block is kept while its cosine has turned by at most a phase φ at the edge of the window:
w_i B/2 ≤ φ. Any φ in the range that the problem accepts is right. Which blocks an answer zeroes is
found block by block, however it says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.matrices import with_own_names
from regard.checking.parts import one_goal
from regard.checking.sampling import TRIALS, Trial, sampled
from regard.checking.verdict import Verdict
from regard.errors import InvalidAnswer
from regard.kinds.band.spec import BandProblem
from regard.language import Formula
from regard.report import number

Float64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

SLACK = 1e-9  # of a phase: a border at π/4 exactly is in the range that begins there


@dataclass(frozen=True)
class Window:
    """What an answer is tried on: the width of positions, the window, and how far back it is."""

    d_model: int
    B: float
    T: int
    n: int
    base: float

    @property
    def speeds(self) -> Float64:
        """The frequencies w_i, the fastest first."""
        i = np.arange(self.d_model // 2)
        return np.asarray(self.base ** (-2.0 * i / self.d_model))

    @property
    def phases(self) -> Float64:
        """How far each block has turned at the edge of the window."""
        return self.speeds * self.B / 2

    def __str__(self) -> str:
        return f"d_model = {self.d_model} and B = {number(self.B)}"


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and what an answer zeroes.

    Attributes:
        problem: what is asked.
        answer: what was answered.
        own: the names that the answer declares beside `zeroed`.
        used: the names that its formulas use.
    """

    problem: BandProblem
    answer: Answer
    own: tuple[str, ...]
    used: frozenset[str]

    @property
    def here(self) -> Window:
        """The window of the problem."""
        given = self.problem.given
        return Window(given.d_model, given.B, given.T, given.n, given.base)

    @property
    def listed(self) -> bool:
        """Whether the answer is a list of blocks, and not a condition."""
        field = self.answer.fields["zeroed"]
        return not (isinstance(field, Formula) and field.is_condition)

    @property
    def any_width(self) -> bool:
        """Whether the answer is about any d_model."""
        return not self.listed and bool(self.used & {"w_i", "omega_i", "d_model"})

    @property
    def any_window(self) -> bool:
        """Whether the answer is about any B."""
        return not self.listed and "B" in self.used

    @property
    def any_shift(self) -> bool:
        """Whether the answer speaks of T."""
        return not self.listed and "T" in self.used

    @property
    def varies(self) -> bool:
        """Whether there is anything else to try the answer on."""
        return self.any_width or self.any_window or self.any_shift

    def zeroed(self, window: Window, changed: Mapping[str, float] | None = None) -> Bools:
        """Return which blocks are zeroed; `changed` gives names other numbers."""
        if self.listed:
            return self._list(window)
        speeds = window.speeds
        result = np.zeros(len(speeds), dtype=bool)
        for i, speed in enumerate(speeds.tolist()):
            symbols: dict[str, Value] = {
                "i": float(i),
                "w_i": speed,
                "omega_i": speed,
                "B": window.B,
                "T": float(window.T),
                "d_model": float(window.d_model),
                "n": float(window.n),
                "base": window.base,
                **(changed or {}),
            }
            names = with_own_names(self.answer, self.own, symbols)
            result[i] = evaluate("zeroed", self.answer.fields["zeroed"], names)
        return result

    def _list(self, window: Window) -> Bools:
        numbers = indices(self.answer)
        count = window.d_model // 2
        for x in numbers.tolist():
            if not (0 <= x < count and x == int(x)):
                raise InvalidAnswer(
                    f"answer: zeroed: {number(x)} is no block. Blocks are numbered from 0 to "
                    f"{count - 1}, each of two rows and two columns of A."
                )
        result = np.zeros(count, dtype=bool)
        result[numbers.astype(int)] = True
        return result

    def borders(self, window: Window) -> tuple[int, int]:
        """Return the fewest and the most blocks, from the fastest on, that may be zeroed."""
        low, high = self.problem.goal.accept
        phases = window.phases
        return int(np.sum(phases > high * (1 + SLACK))), int(np.sum(phases > low * (1 - SLACK)))

    def error(self, window: Window) -> float:
        """Return how many blocks are zeroed or kept and should not be."""
        return wrong(self.zeroed(window), self.borders(window))


def wrong(zeroed: Bools, borders: tuple[int, int]) -> float:
    """Return by how many blocks this is away from the nearest right choice."""
    i = np.arange(len(zeroed))
    return float(min(np.sum(zeroed != (i < m)) for m in range(borders[0], borders[1] + 1)))


def indices(answer: Answer) -> Float64:
    """Return the numbers of a list of blocks; InvalidAnswer where it is none."""
    field = answer.fields["zeroed"]
    if isinstance(field, Formula) and not field.names:
        field = evaluate("zeroed", field, {})
    if isinstance(field, float):
        field = np.array([field])
    if isinstance(field, list) and not field:
        field = np.zeros(0)
    if not isinstance(field, np.ndarray) or field.ndim != 1:
        raise InvalidAnswer(
            "answer: zeroed must be a condition on i such as w_i B/2 > pi/2, or a list of blocks."
        )
    return field


def hint(message: str) -> str:
    """Say what to write where an answer that cannot be read looks like a set of blocks."""
    marks = ("\\in", "∈", "{", "..", ", can only separate")
    if "zeroed" not in message or not any(mark in message for mark in marks):
        return ""
    return "\nWrite a list of blocks as [0, 1, 2], or an inequality such as w_i B/2 > pi/2."


def judge(problem: BandProblem, answer: Answer) -> Verdict:
    """Judge which blocks an answer zeroes."""
    from regard.kinds.band.judge.mistakes import counterexample, recognise

    asked = read(problem, answer)
    this = Trial(asked.here, asked.error(asked.here), 0.0)
    drawn: list[Trial[Window]] = []
    hard: list[Trial[Window]] = []
    name = "the blocks that turn too far within the window are zeroed"
    if asked.varies:
        drawn = sampled(lambda rng: draw(asked, rng), asked.error, 0.0, TRIALS)
        hard = [Trial(window, asked.error(window), 0.0) for window in _hard(asked)]
        name += f", for any {_varied(asked)}"
    goal = one_goal(name, this, drawn, hard, lambda trial: _difference(asked, trial))
    trials = [this, *drawn, *hard]
    failing = [trial for trial in trials if not trial.right]
    return Verdict(
        problem,
        (goal,),
        counterexample(asked, failing[0]) if failing else None,
        recognise(asked, [trial.instance for trial in trials]) if failing else None,
        _remarks(asked, not failing),
    )


def read(problem: BandProblem, answer: Answer) -> Asked:
    """Return what an answer zeroes; InvalidAnswer where it does not say."""
    answer.need("zeroed")
    own = tuple(name for name in answer.fields if name != "zeroed")
    fields: list[Any] = list(answer.fields.values())
    used = {name for field in fields if isinstance(field, Formula) for name in field.names}
    return Asked(problem, answer, own, frozenset(used))


def draw(asked: Asked, rng: np.random.Generator) -> Window:
    """Return another window; what the answer is not about stays."""
    here = asked.here
    d_model = 2 * int(rng.integers(3, 13)) if asked.any_width else here.d_model
    B = float(np.round(np.exp(rng.uniform(0.0, 6.0)), 2)) if asked.any_window else here.B
    T = int(rng.integers(-40, 41)) if asked.any_shift else here.T
    return Window(d_model, B, T, here.n, here.base)


def _hard(asked: Asked) -> list[Window]:
    """Return very narrow and very wide windows, and many blocks close to each other."""
    here = asked.here
    windows = [replace(here, d_model=256)] if asked.any_width else []
    if asked.any_window:
        windows += [replace(here, d_model=min(here.d_model, 64), B=B) for B in (0.5, 3.0, 2000.0)]
    if asked.any_shift:
        windows += [replace(here, T=T) for T in (0, -3)]
    return windows


def _varied(asked: Asked) -> str:
    names = [
        name
        for name, free in (
            ("d_model", asked.any_width),
            ("B", asked.any_window),
            ("T", asked.any_shift),
        )
        if free
    ]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _difference(asked: Asked, trial: Trial[Window]) -> str:
    zeroed, (fewest, most) = asked.zeroed(trial.instance), asked.borders(trial.instance)
    where = "" if trial.instance == asked.here else f" for {trial.instance}"
    return f"zeroed: {blocks(zeroed)}; right: {choices(fewest, most)}{where}"


def choices(fewest: int, most: int) -> str:
    """Say which blocks may be zeroed."""
    names = [blocks(np.arange(most) < m) for m in sorted({fewest, most})]
    return " up to ".join(names)


def blocks(zeroed: Bools) -> str:
    """Write which blocks are zeroed."""
    found = np.flatnonzero(zeroed).tolist()
    if not found:
        return "no block"
    if found == list(range(found[0], found[-1] + 1)):
        return f"block {found[0]}" if len(found) == 1 else f"blocks {found[0]} … {found[-1]}"
    shown = ", ".join(map(str, found[:6]))
    return f"blocks {shown}{', …' if len(found) > 6 else ''}"


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    here = asked.here
    said = []
    if not asked.varies:
        said.append("The answer is made of numbers, so it was tried on this instance only.")
    elif right and not (asked.any_window and asked.any_width):
        fixed = " and ".join(
            [f"B = {number(here.B)}"] * (not asked.any_window)
            + [f"d_model = {here.d_model}"] * (not asked.any_width)
        )
        said.append(f"The answer is about {fixed} only, and was judged so.")
    if right:
        m = int(np.sum(asked.zeroed(here)))
        if m < len(here.phases):
            degrees = number(float(np.degrees(here.phases[m])), 4)
            said.append(f"The fastest block kept, {m}, has turned by {degrees}° at the edge.")
    return tuple(said)
