"""What is got wrong about tokens without matrices, and how an answer shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.checking.sampling import Float64
from regard.errors import InvalidAnswer
from regard.kinds.feasibility.instance import (
    Instance,
    farthest,
    instance,
    nearer_instance,
    nearest,
    steps_to_limit,
)
from regard.kinds.feasibility.reading import Asked, labels
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.problems.tokens import token_label

DRAWN = 5  # frames, beside the axes, on which a misconception has to show
Idea = Callable[[Instance], Float64]  # a wrong idea of what comes out


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer.

    Attributes:
        asked: the problem and what the answer says.
        possible: whether the goal can be reached; None where that is not decided.
        output_wrong: whether what it says about the output is wrong.
    """

    asked: Asked
    possible: bool | None
    output_wrong: bool

    @property
    def claim_wrong(self) -> bool:
        """Whether the answer says that it can be done and it cannot, or the other way round."""
        return self.possible is not None and self.asked.possible != self.possible

    @cached_property
    def said(self) -> list[tuple[Float64, Instance]]:
        """What the answer says comes out, on the instance and in frames that are drawn."""
        asked = self.asked
        instances = [instance(asked.problem)]
        if not asked.in_coordinates:
            times = farthest(asked.problem)
            instances += [nearer_instance(asked.problem, times, seed) for seed in range(DRAWN)]
        found = []
        for at in instances:
            try:
                found.append((asked.vector(asked.label, at), at))
            except InvalidAnswer:  # it is about one frame only
                continue
        return found

    def says(self, ideas: Callable[[Instance], Iterable[Idea]]) -> bool:
        """Whether the output that the answer names is that of one of these ideas everywhere."""
        if not self.output_wrong:
            return False
        first = self.said[0][1]
        return any(all(self._same(v, idea(at), at) for v, at in self.said) for idea in ideas(first))

    def _same(self, said: Float64, idea: Float64, at: Instance) -> bool:
        size = max(at.size, float(np.linalg.norm(idea)))
        return bool(np.linalg.norm(said - idea) <= self.asked.tolerance * size)


def _right_at_one_length(case: Case) -> bool:
    """It is right for the number in the problem, and not near to the limit."""
    asked = case.asked
    here, there = instance(asked.problem), nearer_instance(asked.problem, farthest(asked.problem))
    return case.output_wrong and asked.error(here) <= asked.tolerance < asked.error(there)


def _others(at: Instance) -> list[int]:
    return [j for j in range(len(at.tokens)) if j != at.row]


def _mean(rows: list[int]) -> Idea:
    return lambda at: np.mean(at.tokens[rows], axis=0)


def _sum(rows: list[int]) -> Idea:
    return lambda at: np.sum(at.tokens[rows], axis=0)


def _after(name: str) -> Idea:
    """The output once the vector of this name is added."""
    return lambda at: at.changed_outputs(np.ones(1), at.added[name])[1][0]


def _one_of_the_largest(at: Instance) -> list[Idea]:
    scores = at.scores()
    return [_mean([j]) for j in np.flatnonzero(scores >= np.max(scores) - 1e-9).tolist()]


def _all_or_others(at: Instance) -> list[list[int]]:
    """All tokens, and all but the one that is asked about."""
    return [rows for rows in (list(range(len(at.tokens))), _others(at)) if rows]


def _averages(at: Instance) -> list[Idea]:
    """Even averages: of all tokens, of all others, of the token and one other."""
    return [_mean(rows) for rows in (*_all_or_others(at), *([at.row, j] for j in _others(at)))]


def _scores_over_their_sum(at: Instance) -> Float64:
    total = float(np.sum(at.scores()))
    if abs(total) < 1e-12:
        return np.full(at.tokens.shape[1], np.inf)
    return np.asarray(at.scores() @ at.tokens / total)


def _answer(problem: FeasibilityProblem, output: str) -> dict[str, Any]:
    """The fields of an answer with this output, and the right word about whether it can be done."""
    at = nearer_instance(problem, steps_to_limit(problem)[-1])
    return {
        "possible": nearest(at).error <= problem.goal.tolerance,
        labels(problem)[0]: output,
    }


def _tokens(problem: FeasibilityProblem) -> list[str]:
    return [token_label(j) for j in range(len(problem.given.tokens))]


def _largest(at: Instance) -> str:
    """The token with the largest score, by its label."""
    return token_label(int(np.argmax(at.scores())))


def _by_scores(problem: FeasibilityProblem) -> dict[str, Any]:
    at = instance(problem)
    terms = [f"({one}' {token_label(at.row)}) {one}" for one in _tokens(problem)]
    return _answer(problem, f"{problem.given.scale!r} ({' + '.join(terms)})")


def _helped(problem: FeasibilityProblem) -> dict[str, Any]:
    """The first vector that may be added is said to do it."""
    at = nearer_instance(problem, steps_to_limit(problem)[-1])
    output, token = labels(problem)
    changed = f"{token_label(at.changed)} + {next(iter(at.added))}"
    return {"possible": True, output: _largest(at), token: changed}


def _after_the_first(problem: FeasibilityProblem) -> dict[str, Any] | None:
    """The changed token, where it is the one that is asked about: it may look at itself."""
    at = instance(problem)
    changed = f"{token_label(at.row)} + {next(iter(at.added))}"
    return _answer(problem, changed) if at.row == at.changed else None


def _another_token(problem: FeasibilityProblem) -> dict[str, Any] | None:
    others = _others(instance(problem))
    return _answer(problem, token_label(others[0])) if others else None


MISTAKES: tuple[Mistake[FeasibilityProblem, Case], ...] = (
    Mistake(
        "claims-possible",
        SHARED["claims-possible"],
        lambda case: case.claim_wrong and case.asked.possible,
        _helped,
    ),
    Mistake("claims-impossible", SHARED["claims-impossible"], lambda case: case.claim_wrong),
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: case.output_wrong and not np.all(np.isfinite(case.said[0][0])),
    ),
    Mistake("one-length-only", SHARED["one-length-only"], _right_at_one_length),
    Mistake(
        "copy-instead-of-average",
        (
            "The token with the largest score does not get all of the weight:\n"
            "others have the same score, or one that is not far below."
        ),
        lambda case: case.says(_one_of_the_largest),
    ),
    Mistake(
        "average-instead-of-copy",
        (
            "Attention is not a plain average:\n"
            "a token with long vectors gives nearly all weight to the token with the largest "
            "score, which may be itself."
        ),
        lambda case: case.says(_averages),
        lambda problem: _answer(problem, f"({' + '.join(_tokens(problem))}) / n"),
        "An even average of the tokens",
    ),
    Mistake(
        "summed-instead-of-averaged",
        SHARED["summed-instead-of-averaged"],
        lambda case: case.says(lambda at: map(_sum, _all_or_others(at))),
        lambda problem: _answer(problem, " + ".join(_tokens(problem))),
    ),
    Mistake(
        "scores-instead-of-weights",
        SHARED["scores-instead-of-weights"],
        lambda case: case.says(lambda _: [lambda at: at.scores() @ at.tokens]),
        _by_scores,
    ),
    Mistake(
        "scores-divided-by-their-sum",
        SHARED["scores-divided-by-their-sum"],
        lambda case: case.says(lambda _: [_scores_over_their_sum]),
    ),
    Mistake(
        "goal-instead-of-output",
        "This is the output that is wanted, not the one that comes out.\n"
        "What comes out depends on where the token looks.",
        lambda case: case.says(lambda _: [lambda at: at.goal]),
        lambda problem: _answer(problem, next(iter(problem.goal.output.values()))),
    ),
    Mistake(
        "output-after-the-change",
        "This is what comes out after the change.\nAsked was what comes out as things are.",
        lambda case: case.says(lambda at: map(_after, at.added)),
        _after_the_first,
    ),
    Mistake(
        "looks-at-another-token",
        (
            "The token does not look at that one:\n"
            "its score with another token, or with itself, is larger."
        ),
        lambda case: case.says(lambda at: [_mean([j]) for j in _others(at)]),
        _another_token,
    ),
    Mistake(
        "wrong-limit-vector",
        (
            "The output is not close to this vector:\n"
            "compute the scores of the token with all tokens, itself among them, and see "
            "which is the largest."
        ),
        lambda case: case.output_wrong,
    ),
    Mistake(
        "wrong-change",
        (
            "It can be done, but not with this token:\n"
            "the change is not one of those allowed, or not of the right size."
        ),
        lambda case: case.possible is not None,
    ),
)
OFTEN = ("average-instead-of-copy",)
