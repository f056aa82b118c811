"""What wrong numbers come from: each mistake is made on purpose, and the results compared."""

from __future__ import annotations

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake, recognise
from regard.checking.verdict import Misconception
from regard.kinds.compute.misconceptions import changed
from regard.kinds.compute.misconceptions.around import BLOCK, POSITIONS
from regard.kinds.compute.misconceptions.case import Case
from regard.kinds.compute.misconceptions.masks import MASKS
from regard.kinds.compute.misconceptions.scoring import OTHERS, SCALES, WEIGHTS
from regard.kinds.compute.misconceptions.structure import MATRICES
from regard.kinds.compute.reading import Work
from regard.kinds.compute.spec import ComputeProblem


def recognised(work: Work, roots: list[str], carried: dict[str, str]) -> Misconception | None:
    """Name the mistake that explains all wrong numbers, or else the first, or else why they follow.

    Args:
        work: the answer.
        roots: the wrong numbers that follow from no other.
        carried: the others, each with what it follows from.
    """
    cases = (Case(work, roots), Case(work, roots[:1]), Case(work, (), carried))
    return next(filter(None, (recognise(MISTAKES, case) for case in cases)), None)


def _only_signs(case: Case) -> bool:
    """The numbers are right once some of them have the other sign."""

    def mended(name: str) -> bool:
        given, wanted = case.work.given[name], case.work.wanted(name)
        fits = given.shape == wanted.shape
        return fits and case.work.passes(name, np.where(given * wanted < 0, -given, given))

    return case.every(mended)


def _transposed(case: Case) -> bool:
    work = case.work
    return case.every(
        lambda name: work.quantity(name).row is None and work.same(name, work.wanted(name).T)
    )


def _another_token(case: Case) -> bool:
    """It is what another token has; of a matrix, the rows begin with another token."""

    def shifted(name: str) -> bool:
        asked = case.work.quantity(name)
        rows = case.work.example.right[asked.name]
        if asked.column is not None:
            return False
        others = rows if asked.row else [np.roll(rows, i, axis=0) for i in range(1, len(rows))]
        return any(case.work.same(name, np.asarray(other)) for other in others)

    return case.every(shifted)


def _rounded(case: Case) -> bool:
    return bool(case.carried) and all(map(case.work.passes, case.carried.values()))


MISTAKES: tuple[Mistake[ComputeProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: case.every(lambda name: not np.all(np.isfinite(case.work.given[name]))),
    ),
    *SCALES,
    *MATRICES[:4],
    *WEIGHTS,
    *MASKS,
    *MATRICES[4:],
    *POSITIONS,
    *OTHERS,
    *BLOCK,
    Mistake("sign-error", SHARED["sign-error"], _only_signs, spoiled=changed.other_signs),
    Mistake(
        "transposed-result",
        SHARED["transposed-result"],
        _transposed,
        spoiled=changed.transposed,
    ),
    Mistake(
        "another-token",
        "These are the numbers of another token:\ntokens count from 1.",
        _another_token,
        spoiled=changed.another_token,
    ),
    Mistake(
        "rounded-too-early",
        "It was computed from numbers that had been rounded too much:\n"
        "keep more digits until the end.",
        _rounded,
        spoiled=changed.rounded,
    ),
    Mistake(
        "carried-error",
        "It follows from an earlier number of the answer that is wrong:\n"
        "mend that one, and do the rest again.",
        lambda case: bool(case.carried),
        spoiled=changed.carried_on,
    ),
)
OFTEN = (
    "rows-and-columns",
    "queries-and-keys-swapped",
    "forgot-scale",
    "scaled-although-not-asked",
    "scaled-without-root",
    "softmax-over-columns",
    "values-not-weighted",
    "mask-after-softmax",
    "mask-multiplied",
    "mask-forgotten",
    "causal-mask-off-by-one",
    "forgot-output-matrix",
    "heads-mixed",
    "key-heads-in-turn",
    "other-rotary-pairs",
    "positions-one-off",
    "bias-the-other-way",
    "softmax-although-sum",
    "feature-map-forgotten",
    "entropy-in-another-unit",
    "running-sum-not-rescaled",
    "residual-forgotten",
    "norm-over-tokens",
    "pre-and-post-norm-exchanged",
)
