"""What is got wrong about a key that is replaced, recognised by what a change of it would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.key.instance import Replacement, plain
from regard.kinds.key.reading import Tried
from regard.kinds.key.spec import KeyProblem


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer: the key on each instance, or that there is none, or an error."""

    problem: KeyProblem
    plain: Replacement
    tried: tuple[Tried, ...]
    denied: bool
    stated: float | None = None

    def right_with(self, change: Callable[[Tried], float]) -> bool:
        """Whether all keys would be right with other scores, at their length or any."""
        tolerance = self.problem.goal.tolerance * (1 + 1e-9)
        return bool(self.tried) and all(
            one.error_at(change(one)) <= tolerance for one in self.tried
        )

    @property
    def wrong_error(self) -> bool:
        """Whether the key is finite and gives other weights than wanted."""
        tolerance = self.problem.goal.tolerance * (1 + 1e-9)
        return any(one.error > tolerance for one in self.tried)

    @property
    def possible(self) -> bool:
        """Whether some key is within the tolerance."""
        return self.plain.least <= self.problem.goal.tolerance


def _length(case: Case) -> bool:
    return (
        bool(case.tried)
        and not case.wrong_error
        and any(not one.length_is_right for one in case.tried)
    )


def _query_length(power: int) -> Callable[[Tried], float]:
    def change(one: Tried) -> float:
        length = float(np.linalg.norm(one.case.query))
        return one.score * length**power if length else math.nan

    return change


def _forgot_length(case: Case) -> bool:
    """Whether dividing by the length of the query, once or twice, mends it."""
    lengths = [float(np.linalg.norm(one.case.query)) for one in case.tried]
    if not case.wrong_error or any(abs(x - 1) < 1e-9 for x in lengths):
        return False
    return case.right_with(_query_length(-1)) or case.right_with(_query_length(-2))


def _side(case: Case, sign: int) -> bool:
    """Whether the new key has too much weight (1) or too little (-1), and other keys are right."""
    if not case.wrong_error or not case.possible:
        return False
    tolerance = case.problem.goal.tolerance
    for one in case.tried:
        allowed = one.case.within(tolerance)
        weight = one.case.weight(one.score) if math.isfinite(one.score) else math.nan
        if allowed is None or not (weight > allowed[1] if sign > 0 else weight < allowed[0]):
            return False
    return True


def _like_the_query(problem: KeyProblem) -> dict[str, str] | None:
    return {"k": "q"} if "key" in problem.goal.find else None


def _minus(problem: KeyProblem, right: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**right, "k": f"-({right['k']})"}] if isinstance(right.get("k"), str) else []


def _denial(problem: KeyProblem) -> dict[str, Any] | None:
    if "error" in problem.goal.find or plain(problem).least > problem.goal.tolerance:
        return None
    return {"possible": False}


MISTAKES: tuple[Mistake[KeyProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: any(not np.all(np.isfinite(one.key)) for one in case.tried),
    ),
    Mistake(
        "key-said-to-be-impossible",
        "There is a key that does it:\n"
        "with the query fixed, only the score of the new key counts, and the one that is "
        "needed can be had.",
        lambda case: case.denied and case.possible,
        _denial,
        "There is no such key",
    ),
    Mistake(
        "nearer-than-any-key",
        "No key comes that near:\n"
        "the query stays, so the other keys keep their ratios whatever the new key is.",
        lambda case: case.stated is not None and case.stated < case.plain.least * (1 - 1e-3),
        lambda problem: (
            {"error": 0} if problem.goal.find == ["error"] and plain(problem).least > 1e-6 else None
        ),
        "As if all weights could be chosen",
    ),
    Mistake(
        "a-key-comes-nearer",
        "A key comes nearer than that.",
        lambda case: case.stated is not None and case.stated > case.plain.least * (1 + 1e-3),
    ),
    Mistake(
        "other-weights-keep-their-ratio",
        "No key does it:\n"
        "the query stays, so the other keys keep their scores and share what is left as "
        "before, and the weight of the new key alone can be chosen.",
        lambda case: bool(case.tried) and not case.possible,
        lambda problem: (
            _like_the_query(problem) if plain(problem).least > problem.goal.tolerance else None
        ),
        "A key for it",
    ),
    Mistake(
        "key-of-another-length",
        "The key does not have the length that is asked for.\nIts score is right.",
        _length,
        lambda problem: {"k": "30 q"} if problem.goal.radius is not None else None,
        "As long as one likes",
    ),
    Mistake(
        "one-instance-only",
        SHARED["one-instance-only"],
        lambda case: bool(case.tried) and case.tried[0].right,
    ),
    Mistake(
        "sign-of-the-key",
        "It points the wrong way:\nminus this key would do it.",
        lambda case: case.wrong_error and case.right_with(lambda one: -one.score),
        None,
        "The other sign",
        _minus,
    ),
    Mistake(
        "length-of-the-query-forgotten",
        "The length of the query is not taken into account.\n"
        "The score of a new key c q is c times the squared length of the query: divided by "
        "that length, once or twice, it would be right.",
        _forgot_length,
    ),
    Mistake(
        "scale-of-scores-forgotten",
        "The scale of the scores is not taken into account.\n"
        "Scores are multiplied by it: a key that makes up for it would be right.",
        lambda case: (
            case.plain.scale != 1
            and case.wrong_error
            and case.right_with(lambda one: one.score / one.case.scale)
        ),
    ),
    Mistake(
        "new-key-too-strong",
        "The new key gets too much of the weight:\nits score has to be smaller.",
        lambda case: _side(case, 1),
        _like_the_query,
        "The query itself",
    ),
    Mistake(
        "new-key-too-weak",
        "The new key gets too little of the weight:\nits score has to be larger.",
        lambda case: _side(case, -1),
        lambda problem: {"k": "0 q"} if "key" in problem.goal.find else None,
        "No score at all",
    ),
)
OFTEN = (
    "new-key-too-strong",
    "new-key-too-weak",
    "key-of-another-length",
    "sign-of-the-key",
    "other-weights-keep-their-ratio",
    "nearer-than-any-key",
)
