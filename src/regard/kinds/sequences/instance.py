"""Tokens and positions as arrays, and the rows that a goal is about.

Over all sequences, the tokens at different positions are chosen independently. So the worst
sequence for a row is found position by position: O(N M) numbers instead of M^N sequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.kinds.sequences.spec import SequencesGiven, SequencesProblem

Float64 = NDArray[np.float64]


_ALL = "(P ones(N))'"  # times any input is 1
QUERIES = {
    "own token": "C U U'",
    "first token": f"C p_1 {_ALL}",
    "previous token": "C P S P'",
    "written after": "C P S P'",
    "last place": f"C (N u_of + P J ones(N)) {_ALL}",
}


def example(problem: SequencesProblem) -> dict[str, str]:
    """Return matrices that do it with a large enough C, where there are positions to look at."""
    task, of = problem.goal.copy_what, problem.goal.of
    value = "P P'" if task == "last place" else "U U'"
    if task == "written after":
        value = f"u_{problem.goal.write} u_{of}'"
    return {"K": "I", "Q": QUERIES[task].replace("u_of", f"u_{of}"), "V": value}


@dataclass(frozen=True, eq=False)
class Setting:
    """A vocabulary of M tokens and N positions, in d = M + N (or M) dimensions."""

    given: SequencesGiven

    @property
    def M(self) -> int:
        """How many tokens there are."""
        return len(self.given.vocabulary)

    @property
    def N(self) -> int:
        """The largest length."""
        return self.given.length

    @property
    def has_positions(self) -> bool:
        """Whether the input tells the position."""
        return self.given.positions == "one-hot"

    @cached_property
    def U(self) -> Float64:
        """The tokens as columns, (d, M)."""
        return np.eye(self.M + self.N * self.has_positions)[:, : self.M]

    @cached_property
    def P(self) -> Float64:
        """The positions as columns, (d, N); zeros where there are none."""
        if not self.has_positions:
            return np.zeros((self.M, self.N))
        return np.eye(self.M + self.N)[:, self.M :]

    @cached_property
    def inputs(self) -> Float64:
        """What stands at position j with token y, (M, N, d)."""
        return self.U.T[:, None, :] + self.P.T[None, :, :]

    def symbols(self) -> dict[str, Float64 | float]:
        """Return what an answer may name."""
        names: dict[str, Float64 | float] = {"U": self.U, "N": float(self.N), "M": float(self.M)}
        names |= {f"u_{x}": self.U[:, i] for i, x in enumerate(self.given.vocabulary)}
        if self.has_positions:
            names |= {f"p_{t + 1}": self.P[:, t] for t in range(self.N)}
            names |= {
                "P": self.P,
                "S": np.eye(self.N, k=1),  # S e_t = e_(t-1)
                "J": np.diag(np.arange(1.0, self.N + 1)),
            }
        return names


@dataclass(frozen=True)
class Row:
    """Sequences that differ only where the goal does not look.

    Attributes:
        t: the row, from 0 on.
        seen: how many positions it sees.
        target: the position that it should bring something of.
        fixed: the tokens that are known, by position.
        barred: the token that may not stand after the target; -1: any may.
    """

    t: int
    seen: int
    target: int
    fixed: tuple[tuple[int, int], ...]
    barred: int = -1

    def allowed(self, j: int, M: int) -> list[int]:
        """Return the tokens that may stand at a position."""
        known = dict(self.fixed)
        if j in known:
            return [known[j]]
        return [y for y in range(M) if not (j > self.target and y == self.barred)]


def rows(problem: SequencesProblem, length: int | None = None) -> Iterator[Row]:
    """Yield all rows of sequences of a length, N by default, that the goal says something about."""
    given, task = problem.given, problem.goal.copy_what
    N, M = length or given.length, len(given.vocabulary)
    for t in range(N):
        seen = t + 1 if given.is_causal else N
        if task == "own token":
            for x in range(M):
                yield Row(t, seen, t, ((t, x),))
        elif task == "last place":
            of = given.vocabulary.index(problem.goal.of or "")
            yield from _last(t, seen, of, M)
        elif task == "first token" or t > 0:
            target = 0 if task == "first token" else t - 1
            for z in range(M):
                for x in [z] if target == t else range(M):
                    yield Row(t, seen, target, tuple(sorted({(target, z), (t, x)})))


def _last(t: int, seen: int, of: int, M: int) -> Iterator[Row]:
    for target in range(seen):
        for x in [of] if target == t else range(M):
            if t > target and x == of:
                continue
            yield Row(t, seen, target, tuple(sorted({(target, of), (t, x)})), of)


def wanted(problem: SequencesProblem, setting: Setting, row: Row) -> Float64:
    """Return what a row should bring, (d,)."""
    if problem.goal.copy_what == "last place":
        return setting.P[:, row.target]
    if problem.goal.copy_what == "written after":
        names = problem.given.vocabulary
        at = dict(row.fixed)[row.target]
        written = setting.U[:, names.index(problem.goal.write or "")]
        return written if names[at] == problem.goal.of else np.zeros_like(written)
    return setting.U[:, dict(row.fixed)[row.target]]
