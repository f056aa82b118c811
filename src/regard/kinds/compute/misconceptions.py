"""What wrong numbers come from: each mistake is made on purpose, and the results compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake, recognise
from regard.checking.verdict import Misconception
from regard.checking.weighings import WEIGHINGS
from regard.kinds.compute.instance import Example, Float64, Rows, forward, pick
from regard.kinds.compute.reading import Work
from regard.kinds.compute.spec import ComputeProblem, quantity


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong numbers of an answer that one mistake has to explain.

    Attributes:
        work: the answer beside what comes out.
        names: of the wrong numbers.
        carried: where the names are none: which wrong number follows from which earlier field.
    """

    work: Work
    names: Sequence[str]
    carried: Mapping[str, str] = field(default_factory=dict)

    def every(self, explains: Callable[[str], bool]) -> bool:
        """Whether something explains every wrong number."""
        return bool(self.names) and all(map(explains, self.names))

    def has(self, rows: Rows) -> bool:
        """Whether the wrong numbers are these."""
        return self.every(lambda name: self.work.same(name, pick(rows, name)))


def recognised(work: Work, roots: list[str], carried: dict[str, str]) -> Misconception | None:
    """Name the mistake that explains all wrong numbers, or else the first, or else why they follow.

    Args:
        work: the answer.
        roots: the wrong numbers that follow from no other.
        carried: the others, each with what it follows from.
    """
    cases = (Case(work, roots), Case(work, roots[:1]), Case(work, (), carried))
    return next(filter(None, (recognise(MISTAKES, case) for case in cases)), None)


Imitate = Callable[[Example], Iterator[Rows]]


def _imitated(
    tag: str, imitate: Imitate, idea: str = "", sentence: str = ""
) -> Mistake[ComputeProblem, Case]:
    """A mistake that is recognised by what comes out of it, which is also the wrong answer."""

    def wrong(problem: ComputeProblem) -> dict[str, Any] | None:
        rows = next(imitate(Example(problem.given)), None)
        return None if rows is None else _answer(problem, rows)

    def shows(case: Case) -> bool:
        return any(case.has(rows) for rows in imitate(case.work.example))

    return Mistake(tag, sentence or SHARED[tag], shows, wrong, idea)


def _answer(problem: ComputeProblem, rows: Rows) -> dict[str, Any] | None:
    """Return what is asked for out of these numbers, rounded; None where that is right."""
    tolerance, right = problem.goal.tolerance, Example(problem.given).right
    found = {name: pick(rows, name) for name in problem.goal.find}
    if not all(np.all(np.isfinite(row)) for row in found.values()):
        return None
    if all(_near(row, pick(right, name), tolerance) for name, row in found.items()):
        return None
    places = max(4, math.ceil(-math.log10(tolerance)) + 1)
    return {name: np.round(row, places).tolist() for name, row in found.items()}


def _near(found: Float64, right: Float64, tolerance: float) -> bool:
    return found.shape == right.shape and np.allclose(found, right, rtol=0, atol=2 * tolerance)


def _scaled_otherwise(example: Example, scale: float) -> Iterator[Rows]:
    """Scores with another factor than they have."""
    if scale != example.scale:
        Q, K, V = (example.right[letter] for letter in "qkv")
        yield forward(Q, K, V, scale)


def _with_root(example: Example) -> Iterator[Rows]:
    if example.scale == 1:
        yield from _scaled_otherwise(example, 1 / math.sqrt(example.found.d_k))


def _exchanged(one: str, other: str) -> Imitate:
    """Two of queries, keys and values for each other: in all that follows, or in outputs alone."""

    def imitate(example: Example) -> Iterator[Rows]:
        right = example.right
        rows = {**right, one: right[other], other: right[one]}
        if rows["q"].shape == rows["k"].shape:
            yield forward(rows["q"], rows["k"], rows["v"], example.scale)
        if "v" in (one, other):
            yield {**rows, "c": right["a"] @ rows["v"]}

    return imitate


def _rows_of_matrices(example: Example) -> Iterator[Rows]:
    """W x instead of W' x, of all matrices for which there is such a product."""
    tokens, *matrices = example.inputs.values()
    Q, K, V = (tokens @ (W.T if W.shape[0] == W.shape[1] else W) for W in matrices)
    yield forward(Q, K, V, example.scale)


def _weighing(tag: str) -> Imitate:
    """Weights that something else than the softmax makes out of the scores."""

    def imitate(example: Example) -> Iterator[Rows]:
        with np.errstate(all="ignore"):
            weights = WEIGHINGS[tag](example.right["z"])
            outputs = weights @ example.right["v"]
        yield {**example.right, "a": weights, "c": outputs}

    return imitate


def _unweighted(example: Example) -> Iterator[Rows]:
    """The mean of the values, or their sum."""
    yield from _weighing("values-not-weighted")(example)
    total = np.sum(example.right["v"], axis=0)
    yield {**example.right, "c": np.tile(total, (example.found.n, 1))}


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
        lambda name: quantity(name).token is None and work.same(name, work.wanted(name).T)
    )


def _another_token(case: Case) -> bool:
    """It is what another token has; of a matrix, the rows begin with another token."""

    def shifted(name: str) -> bool:
        letter, token = quantity(name)
        rows = case.work.example.right[letter]
        others = rows if token else [np.roll(rows, i, axis=0) for i in range(1, len(rows))]
        return any(case.work.same(name, other) for other in others)

    return case.every(shifted)


def _rounded(case: Case) -> bool:
    return bool(case.carried) and all(map(case.work.passes, case.carried.values()))


MISTAKES: tuple[Mistake[ComputeProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: case.every(lambda name: not np.all(np.isfinite(case.work.given[name]))),
    ),
    _imitated(
        "forgot-scale",
        lambda example: _scaled_otherwise(example, 1.0),
        "The scale left out",
        "The scores were not multiplied by the scale that is asked for.",
    ),
    _imitated(
        "scaled-although-not-asked",
        _with_root,
        "The factor $1/\\sqrt{d_k}$ used although it is not asked for here",
    ),
    _imitated("queries-and-keys-swapped", _exchanged("q", "k"), "Query and key exchanged"),
    _imitated("keys-and-values-swapped", _exchanged("k", "v")),
    _imitated("queries-and-values-swapped", _exchanged("q", "v")),
    _imitated(
        "rows-and-columns",
        _rows_of_matrices,
        "$W x$ instead of $W^\\top x$",
        "The token was multiplied by the rows of a matrix where its columns belong: W' x is not W "
        "x.",
    ),
    _imitated(
        "softmax-over-columns",
        _weighing("softmax-over-columns"),
        "The softmax down the columns of $Z$ instead of along its rows",
    ),
    *(
        _imitated(tag, _weighing(tag))
        for tag in (
            "unnormalised-weights",
            "scores-divided-by-their-sum",
            "scores-instead-of-weights",
            "softmax-over-all",
        )
    ),
    _imitated("values-not-weighted", _unweighted, "The values without the weights"),
    _imitated(
        "largest-score-takes-all",
        _weighing("largest-score-takes-all"),
        sentence="All the weight went to the largest score. Softmax leaves some for every key, and "
        "it counts here.",
    ),
    _imitated(
        "weights-instead-of-scores",
        lambda example: iter([{**example.right, "z": example.right["a"]}]),
    ),
    Mistake("sign-error", SHARED["sign-error"], _only_signs),
    Mistake("transposed-result", SHARED["transposed-result"], _transposed),
    Mistake(
        "another-token",
        "These are the numbers of another token: tokens count from 1.",
        _another_token,
    ),
    Mistake(
        "rounded-too-early",
        "It was computed from numbers that had been rounded too much: keep more digits until the "
        "end.",
        _rounded,
    ),
    Mistake(
        "carried-error",
        "It is consistent with an earlier number of the answer, and that one is wrong: mend it, "
        "and do the rest again.",
        lambda case: bool(case.carried),
    ),
)
OFTEN = (
    "rows-and-columns",
    "queries-and-keys-swapped",
    "forgot-scale",
    "scaled-although-not-asked",
    "softmax-over-columns",
    "values-not-weighted",
)
