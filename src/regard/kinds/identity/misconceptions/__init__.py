"""What is got wrong about formulas, and how a wrong one shows it.

Most are found by a repair: a symbol transposed, two symbols exchanged, one product turned round.
If the formula is right then, on all numbers tried, that was the mistake. Mistakes about softmax
are found by imitation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.checking.tags.softmax_substitutes import SOFTMAX_SUBSTITUTES
from regard.kinds.identity.instance import find_softmax
from regard.kinds.identity.misconceptions.behaviour import (
    columns,
    exchanged,
    imitates,
    multiple,
    not_finite,
    powers_for_weights,
    proportional,
    right_in_example,
    softmax_of_it,
    transposing,
)
from regard.kinds.identity.misconceptions.case import Case, repairs
from regard.kinds.identity.spec import IdentityProblem
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply

__all__ = ["MISTAKES", "OFTEN"]

Fields = Mapping[str, Any]
Spoil = Callable[[Tree], Iterable[Tree]]


def _spoiled(spoil: Spoil) -> Callable[[IdentityProblem, Fields], Iterator[Fields]]:
    """Make wrong answers out of the right one, by one change in one formula."""

    def answers(problem: IdentityProblem, answer: Fields) -> Iterator[Fields]:
        for claim in problem.goal.claims:
            if claim.name in answer:
                for tree in spoil(parse(answer[claim.name]).tree):
                    yield {**answer, claim.name: to_text(tree)}

    return answers


def _repairing(tag: str) -> Spoil:
    """A repair makes a right formula wrong."""
    return lambda tree: (changed for one, changed in repairs(tree) if one == tag)


def _weighing(weights: Callable[[Tree], Tree]) -> Spoil:
    """Something else out of the scores than their softmax."""

    def spoil(tree: Tree) -> Iterator[Tree]:
        place = find_softmax(tree)
        if place is not None:
            begin, end, scores = place
            yield tree[:begin] + weights(scores) + tree[end + 1 :]

    return spoil


def _formula(
    tag: str, shows: Callable[[Case], bool], sentence: str = "", idea: str = "", spoil: Any = None
) -> Mistake[IdentityProblem, Case]:
    """A mistake in a formula for the whole, which its behaviour on drawn numbers shows."""
    return Mistake(
        tag,
        sentence or SHARED[tag],
        lambda case: case.whole and shows(case),
        idea=idea,
        spoiled=None if spoil is None else _spoiled(spoil),
    )


def _imitation(
    tag: str, idea: str = "", weights: Callable[[Tree], Tree] | None = None
) -> Mistake[IdentityProblem, Case]:
    """Something else in place of softmax: in numbers, and as a formula of the scores."""
    spoil = None if weights is None else _weighing(weights)
    return _formula(
        tag, lambda case: imitates(case, SOFTMAX_SUBSTITUTES[tag]), idea=idea, spoil=spoil
    )


_TRANSPOSE = "A factor is transposed that must not be, or is not and must be."
_COLUMNS = (
    "The formula is right for vectors that are the columns of their matrices.\n"
    "Here they are the rows."
)
MISTAKES: tuple[Mistake[IdentityProblem, Case], ...] = (
    Mistake(
        "shape-swapped",
        "The sizes are right, but rows and columns are exchanged:\nrows come first.",
        lambda case: bool(case.stated) and case.names_sizes((case.claim.shape or [])[::-1]),
    ),
    Mistake(
        "other-shape",
        "The formula is right, and its sizes are others:\ninner ones vanish, outer ones stay.",
        lambda case: bool(case.stated) and not case.numbers_of_example(),
    ),
    Mistake(
        "numbers-instead-of-formula",
        SHARED["numbers-instead-of-formula"],
        lambda case: (
            case.numbers_of_example()
            or (isinstance(case.field, np.ndarray) and right_in_example(case))
        ),
    ),
    Mistake(
        "part-instead-of-whole",
        "This is one row or one entry.\nThe whole matrix is asked for, without an index.",
        lambda case: bool(case.indices),
    ),
    _formula("not-finite", not_finite),
    _formula("queries-and-keys-swapped", lambda case: exchanged(case, "QK")),
    _formula("queries-and-values-swapped", lambda case: exchanged(case, "QV")),
    _formula("keys-and-values-swapped", lambda case: exchanged(case, "KV")),
    _formula("transposed-result", lambda case: case.right(turned=True)),
    _formula(
        "transpose-forgotten",
        lambda case: any(case.right(transposing([name])) for name in case.matrices),
        _TRANSPOSE,
    ),
    _formula("tokens-as-columns", lambda case: case.right(columns(case)), _COLUMNS),
    _formula(
        "matrix-on-the-wrong-side",
        lambda case: (
            case.right(transposing(case.matrices), turned=True)
            or case.repaired("matrix-on-the-wrong-side")
        ),
        "The factors stand in the wrong order:\n"
        "with tokens as rows, a matrix that acts on them stands on the right.",
        "The factors the other way round",
        _repairing("matrix-on-the-wrong-side"),
    ),
    _formula(
        "transpose-forgotten",
        lambda case: case.repaired("transpose-forgotten"),
        _TRANSPOSE,
        "A transpose too many, or one too few",
        _repairing("transpose-forgotten"),
    ),
    _formula(
        "sum-instead-of-product",
        lambda case: case.repaired("sum-instead-of-product"),
        "A product is needed where the formula has a sum.",
    ),
    _formula(
        "tokens-as-columns",
        lambda case: case.claim.part == "row i" and case.right(columns(case), turned=True),
        _COLUMNS,
    ),
    _formula(
        "transpose-forgotten", lambda case: case.right(transposing(case.matrices)), _TRANSPOSE
    ),
    _formula("symbols-exchanged", exchanged, "Two symbols have changed places."),
    _formula("weights-instead-of-scores", softmax_of_it),
    _imitation(
        "unnormalised-weights",
        "Powers without dividing by their sum",
        lambda scores: apply("call", scores, value="exp"),
    ),
    _imitation(
        "scores-divided-by-their-sum",
        "The scores themselves divided by their sum",
        lambda scores: apply("/", scores, apply("call", scores, value="sum")),
    ),
    _imitation("scores-instead-of-weights"),
    _imitation("softmax-over-columns"),
    _imitation("softmax-over-all"),
    _imitation("sign-error"),
    _formula(
        "values-not-weighted",
        lambda case: (
            not case.asks_for_weights and imitates(case, SOFTMAX_SUBSTITUTES["values-not-weighted"])
        ),
    ),
    _formula("scaled-although-not-asked", lambda case: multiple(case, -0.5)),
    _formula(
        "size-as-factor",
        lambda case: multiple(case, -1.0, 1.0),
        "The result is right but for a factor that is one of the sizes.\n"
        "Divide what comes out by what is wanted: the ratio is that size.",
    ),
    _formula("extra-factor", lambda case: proportional(case, constant=True)),
    _formula("unnormalised-weights", powers_for_weights),
)
OFTEN = (
    "scores-divided-by-their-sum",
    "unnormalised-weights",
    "matrix-on-the-wrong-side",
    "transpose-forgotten",
)
