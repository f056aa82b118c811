"""Does this matrix take one of two values out of their sum or average?

With orthonormal bases P and R of the two subspaces, M does so if share M P = P and share M R = 0:
the error is the length of what is wrong for the worst vectors of length 1. What M does outside of
the two subspaces does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.matrices import (
    Float64,
    half_a_digit,
    in_coordinates,
    matrix,
    shape_words,
    with_own_names,
)
from regard.checking.sampling import TRIALS, Trial, compare, goal, sampled
from regard.checking.verdict import GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.separator.spec import SeparatorProblem, Vectors
from regard.language import Formula
from regard.problems import separator_instance
from regard.problems.instances import frame
from regard.report import number

EXACT = 1e-6  # of a formula, for vectors of length 1
ROUNDED = 1e-3  # of numbers, which people round, when a misconception is looked for
ROOM = 3  # dimensions beyond those that the problem needs


@dataclass(frozen=True, eq=False)
class Bases:
    """Two bases, as columns: of the value that is wanted, and of the other.

    Attributes:
        S: as the problem calls it.
        T: as the problem calls it.
        recover: which of the two holds the value that is wanted.
    """

    S: Float64
    T: Float64
    recover: str = "S"

    @property
    def kept(self) -> Float64:
        """The basis of the value that is wanted."""
        return self.S if self.recover == "S" else self.T

    @property
    def dropped(self) -> Float64:
        """The basis of the other value."""
        return self.T if self.recover == "S" else self.S

    @property
    def symbols(self) -> dict[str, float | Float64]:
        """What formulas may use."""
        columns = {f"s_{i + 1}": column for i, column in enumerate(self.S.T)}
        columns |= {f"t_{i + 1}": column for i, column in enumerate(self.T.T)}
        sizes = {"d": float(len(self.S)), "p": float(self.S.shape[1]), "r": float(self.T.shape[1])}
        return {"S": self.S, "T": self.T, **columns, **sizes}


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and the matrix of an answer.

    Attributes:
        problem: what is wanted.
        answer: what was answered.
        side: "M c" or "c M": where the matrix stands.
        own: the names that the answer declares beside M and side.
        tolerance: how far off M c may be, for vectors of length 1.
    """

    problem: SeparatorProblem
    answer: Answer
    side: str
    own: tuple[str, ...] = ()
    tolerance: float = field(default=EXACT)

    @property
    def share(self) -> float:
        """What the sum of the two values is multiplied by."""
        return self.problem.given.share

    @property
    def in_numbers(self) -> bool:
        """Whether the answer is numbers alone, of arrays that are shown or can be placed.

        Fixed bases are shown. Subspaces at right angles may be put along the axes, S along the
        first of them and T along the next: numbers are coordinates there.
        """
        fields = [self.answer.fields[name] for name in ("M", *self.own)]
        placed = not _varies(self.problem) or (self.drawn and self.problem.given.orthogonal)
        return placed and in_coordinates(fields, self.bases().symbols)

    @property
    def drawn(self) -> bool:
        """Whether both bases are drawn, and not fixed."""
        given = self.problem.given
        return not isinstance(given.S, Vectors) and not isinstance(given.T, Vectors)

    def bases(self, rng: np.random.Generator | None = None) -> Bases:
        """Return the plain bases, or drawn ones."""
        return Bases(*separator_instance(self.problem.given, rng), self.problem.goal.recover)

    def raw(self, bases: Bases) -> Float64:
        """Return what the answer calls M, whatever its shape."""
        symbols = with_own_names(self.answer, self.own, bases.symbols)
        return matrix("M", self.answer.need("M"), symbols, len(bases.S))

    def acting(self, bases: Bases) -> Float64:
        """Return the matrix that acts on the column c; InvalidAnswer where it is of no use."""
        found, d = self.raw(bases), len(bases.S)
        if found.shape != (d, d):
            raise InvalidAnswer(
                f"answer: M must be {d} × {d}, so that it takes a vector of {d} entries to one. "
                f"It is {shape_words(found)}."
            )
        return found if self.side == "M c" else found.T

    def error(self, bases: Bases) -> float:
        """Return how far off M c is for the worst two values of length 1.

        Numbers are judged to the digits written: by how much an entry has to be changed at most.
        """
        if self.in_numbers:
            return entries_off(self.acting(bases), bases, self.share)
        return error_of(self.acting(bases), bases, self.share)

    @property
    def allowed(self) -> float:
        """How large the error may be."""
        if not self.in_numbers:
            return self.tolerance
        return half_a_digit(self.answer.fields[name] for name in ("M", *self.own))


def error_of(M: Float64, bases: Bases, share: float) -> float:
    """Return the largest error over values of length 1, one at a time; NaN if M is not finite."""
    with np.errstate(all="ignore"):
        P, R = np.linalg.qr(bases.kept)[0], np.linalg.qr(bases.dropped)[0]
        wrong, left = share * (M @ P) - P, share * (M @ R)
        if not (np.all(np.isfinite(wrong)) and np.all(np.isfinite(left))):
            return float("nan")
        return float(max(np.linalg.norm(wrong, 2), np.linalg.norm(left, 2) if left.size else 0))


def entries_off(M: Float64, bases: Bases, share: float) -> float:
    """Return how far an entry of M is off at most from the nearest right matrix."""
    with np.errstate(all="ignore"):
        P, R = np.linalg.qr(bases.kept)[0], np.linalg.qr(bases.dropped)[0]
        both = np.hstack([P, R])
        left = np.hstack([P / share, 0 * R]) - M @ both
        if not np.all(np.isfinite(left)):
            return float("nan")
        change = left @ np.linalg.pinv(both)
        if np.max(np.abs(change @ both - left)) > EXACT * max(1.0, float(np.max(np.abs(left)))):
            return float(np.linalg.norm(left))  # no matrix will do
        return float(np.max(np.abs(change)))


def judge(problem: SeparatorProblem, answer: Answer) -> Verdict:
    """Judge the matrix of an answer, or its claim that there is none."""
    from regard.kinds.separator.judge import mistakes as mistakes

    if answer.has("possible"):
        return mistakes.judge_claim(problem, answer)
    asked = read(problem, answer)
    plain = asked.bases()
    if asked.raw(plain).shape != (len(plain.S),) * 2:
        idea = mistakes.coordinates(asked)
        if idea is not None:
            return _of_coordinates(asked, idea)
    this = [Trial(plain, asked.error(plain), asked.allowed)]
    wanted = f"{asked.side} is the value in the span of {problem.goal.recover}"
    goals = [goal(wanted, "this", this, say=lambda trial: _margin(asked, trial))]
    trials = list(this)
    if not asked.in_numbers and _varies(problem):
        drawn = sampled(asked.bases, asked.error, asked.tolerance, TRIALS)
        goals.append(goal("the same for any bases of this law", "sampled", drawn))
        hard = [Trial(b, asked.error(b), asked.tolerance) for b in _hard(asked)]
        if hard:
            name = "the same for bases that are nearly dependent, and in more dimensions"
            goals.append(goal(name, "adversarial", hard))
        trials += drawn + hard
    failing = [trial for trial in trials if not trial.right]
    return Verdict(
        problem,
        tuple(goals),
        mistakes.counterexample(asked, failing) if failing else None,
        mistakes.recognise(asked) if failing else None,
        _remarks(asked),
    )


def read(problem: SeparatorProblem, answer: Answer) -> Asked:
    """Return the matrix of an answer and where it stands."""
    answer.need("M")
    side: str = problem.goal.side
    if answer.has("side"):
        side = _side(answer.fields["side"])
    own = tuple(name for name in answer.fields if name not in ("M", "side"))
    asked = Asked(problem, answer, side, own)
    return replace(asked, tolerance=ROUNDED) if asked.in_numbers else asked


def _side(given: Any) -> str:
    """Read `M c` and `c M`; a transpose mark, as in c' M, makes no difference."""
    if isinstance(given, Formula):
        order = [node.value for node in given.tree if node.op == "name"]
        extra = {node.op for node in given.tree} - {"name", "*", "·", "'"}
        if not extra and order in (["M", "c"], ["c", "M"]):
            return " ".join(order)
    raise InvalidAnswer('answer: side must be "M c" or "c M".')


def _varies(problem: SeparatorProblem) -> bool:
    given = problem.given
    return not (isinstance(given.S, Vectors) and isinstance(given.T, Vectors))


def _hard(asked: Asked) -> list[Bases]:
    """Return bases whose vectors are nearly dependent, and bases with more room around them."""
    if not asked.drawn:
        return []
    given = asked.problem.given
    cases = []
    wide = given.model_copy(update={"d": given.d + ROOM})
    rng = np.random.default_rng(4)
    for seed in range(3):
        S, T = separator_instance(wide, np.random.default_rng(seed))
        cases.append(Bases(S, T, asked.problem.goal.recover))
    if given.orthogonal and "unit" in (given.S.law, given.T.law):
        axes = frame(given.d, given.d, rng).T
        room_S, room_T = axes[:, : given.S.count], axes[:, given.S.count :][:, : given.T.count]
        narrow = [
            _narrow(room) if law == "unit" else room
            for room, law in ((room_S, given.S.law), (room_T, given.T.law))
        ]
        cases.append(Bases(narrow[0], narrow[1], asked.problem.goal.recover))
    return [case for case in cases if _fits(asked, case)]


def _narrow(room: Float64) -> Float64:
    """Return unit vectors in the span of `room` that are all close to its first."""
    leaning = 0.05 * room + room[:, :1]
    return np.asarray(leaning / np.linalg.norm(leaning, axis=0))


def _fits(asked: Asked, bases: Bases) -> bool:
    """Whether the answer can be evaluated there: I(3) is about three dimensions only."""
    try:
        asked.acting(bases)
    except InvalidAnswer:
        return False
    return True


def _margin(asked: Asked, trial: Trial[Bases]) -> str:
    from regard.kinds.separator.judge.mistakes import missing_factor

    factor = missing_factor(asked.acting(trial.instance), trial.instance, asked)
    advice = "" if factor is None else f": M must be multiplied by {number(factor)}"
    return compare(trial.error, trial.tolerance) + advice


def _of_coordinates(asked: Asked, idea: Misconception) -> Verdict:
    from regard.kinds.separator.judge import mistakes as mistakes

    found = asked.raw(asked.bases())
    d = asked.problem.given.d
    sentence = (
        f"M is {shape_words(found)}, and {d} × {d} is needed: the result has "
        f"{asked.bases().kept.shape[1]} entries, and the value has {d}"
    )
    wanted = f"{asked.side} is the value in the span of {asked.problem.goal.recover}"
    goals = (GoalResult(wanted, "this", False, sentence),)
    return Verdict(asked.problem, goals, mistakes.coordinates_example(asked), idea, ())


def _remarks(asked: Asked) -> tuple[str, ...]:
    said = []
    if asked.in_numbers and _varies(asked.problem):
        p, r = asked.problem.given.S.count, asked.problem.given.T.count
        said.append(
            f"The numbers were read as coordinates, with S along the first {p} of the axes and T "
            f"along the next {r}."
        )
    if asked.side != asked.problem.goal.side:
        said.append(f"The answer says that M stands as in {asked.side}, and was judged so.")
    return tuple(said)
