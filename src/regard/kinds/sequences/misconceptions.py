"""What is got wrong about matrices for every sequence, recognised by repairing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.sequences.instance import example, rows, wanted
from regard.kinds.sequences.reading import Asked, Heads, error, worst
from regard.kinds.sequences.spec import SequencesProblem

LONGER = 1e4  # times: with a factor like this the largest score has all the weight


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong matrices, with the factor at which they fail."""

    asked: Asked
    factor: float

    @property
    def length(self) -> int:
        """The largest length."""
        return self.asked.problem.given.length

    @property
    def heads(self) -> Heads:
        """The matrices."""
        return self.asked.heads(self.length, self.factor)

    def right_with(self, change: Callable[[Heads], Heads]) -> bool:
        """Whether changed matrices would be right on the worst sequences found."""
        other = replace(self.asked, known={(self.length, self.factor): change(self.heads)})
        found = worst(other, self.length, self.factor)
        return found is not None and found[0] <= self.asked.problem.goal.tolerance

    def right_without_repeats(self) -> bool:
        """Whether sequences in which no token stands twice come out right."""
        problem, M = self.asked.problem, len(self.asked.problem.given.vocabulary)
        setting, heads = self.asked.setting(self.length), self.heads
        offs = [
            error(setting, heads, sequence, row.t, row.seen, wanted(problem, setting, row))
            for sequence in permutations(range(M), min(self.length, M, 4))
            for row in rows(problem, len(sequence))
            if all(sequence[j] == y for j, y in row.fixed)
        ]
        return bool(offs) and max(offs) <= problem.goal.tolerance


def _kept(case: Case) -> Heads:
    setting = case.asked.setting(case.length)
    last = case.asked.problem.goal.copy_what == "last place"
    kept = setting.P @ setting.P.T if last else setting.U @ setting.U.T
    return replace(case.heads, V=kept @ case.heads.V)


def _exchanged(problem: SequencesProblem) -> dict[str, str] | None:
    """Return a step in the other direction, or the first position as the query."""
    if problem.goal.copy_what == "previous token":
        return {"K": "I", "Q": "C P S' P'", "V": "U U'"}
    if problem.goal.copy_what == "written after":
        return {**example(problem), "Q": "C P S' P'"}
    if problem.goal.copy_what == "first token" and problem.given.positions == "one-hot":
        return {"K": "(P ones(N))'", "Q": "C p_1'", "V": "U U'"}
    return None


def _turned(problem: SequencesProblem) -> dict[str, str] | None:
    if problem.goal.copy_what != "written after" or problem.goal.of == problem.goal.write:
        return None
    return {**example(problem), "V": f"u_{problem.goal.of} u_{problem.goal.write}'"}


def _no_slope(problem: SequencesProblem) -> dict[str, str] | None:
    if problem.goal.copy_what != "last place":
        return None
    return {"K": "I", "Q": f"C u_{problem.goal.of} (P ones(N))'", "V": "P P'"}


def _own(Q: str, V: str) -> Callable[[SequencesProblem], dict[str, str] | None]:
    def wrong(problem: SequencesProblem) -> dict[str, str] | None:
        if problem.goal.copy_what != "own token" or problem.given.positions == "none":
            return None
        return {"K": "I", "Q": Q, "V": V}

    return wrong


MISTAKES: tuple[Mistake[SequencesProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: (
            not all(np.all(np.isfinite(x)) for x in (case.heads.K, case.heads.Q, case.heads.V))
        ),
    ),
    Mistake(
        "keys-and-queries-exchanged",
        "Keys and queries have changed places:\nwith K and Q exchanged it would be right.",
        lambda case: case.right_with(lambda h: Heads(h.Q, h.K, h.V)),
        _exchanged,
        "Keys and queries exchanged",
    ),
    Mistake(
        "sign-of-scores",
        SHARED["sign-of-scores"],
        lambda case: case.right_with(lambda h: replace(h, Q=-h.Q)),
    ),
    Mistake(
        "written-the-wrong-way-round",
        "What is written and what it is written for have changed places:\n"
        "V transposed would be right.",
        lambda case: case.right_with(lambda h: replace(h, V=h.V.T)),
        _turned,
        "The two tokens exchanged in V",
    ),
    Mistake(
        "position-in-the-output",
        "The output carries more than what is wanted:\n"
        "V has to keep the one part of the input and drop the other.",
        lambda case: case.right_with(lambda h: _kept(case)),
        _own("C U U'", "I"),
        "The whole input as its value",
    ),
    Mistake(
        "scores-too-close",
        "The right place has the largest score, but not by enough:\n"
        "every other place leaks a little, so the scores have to be further apart.",
        lambda case: case.right_with(lambda h: replace(h, Q=LONGER * h.Q)),
        _own("U U'", "U U'"),
        "Without a large factor",
    ),
    Mistake(
        "fails-where-tokens-repeat",
        "It is right where all tokens differ, and not for every sequence.\n"
        "Try one in which a token stands twice.",
        lambda case: case.right_without_repeats(),
        _no_slope,
        "The token alone, without a slope that prefers later places",
    ),
)
OFTEN = (
    "position-in-the-output",
    "scores-too-close",
    "keys-and-queries-exchanged",
    "written-the-wrong-way-round",
    "fails-where-tokens-repeat",
)
