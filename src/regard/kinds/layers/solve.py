"""Find two layers for every sequence: which matrices, how large a factor, and the proof.

Layer 1 copies the token before into a second room. Layer 2 then has keys that say what came before
them, and finds what followed; or it copies that room from the place before: two steps back. The
factor C is found by halving an interval, on all sequences; what is claimed is that it is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.certify import Certificate, Claim
from regard.kinds.layers.instance import Float64, Stream, example
from regard.kinds.layers.spec import LayersProblem
from regard.language import parse
from regard.solving.finding import Finding, Status, within

DECIMALS = 1e5  # of a factor, rounded up: what is printed is enough


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoLayers(Finding):
    """Matrices that do it.

    Attributes:
        stream: the sequences.
        C: a factor that is enough; a little less is not.
        error: the largest, over all sequences.
        worst: the shortest sequence that has it, as tokens.
        row: which row of it, counted from 1.
    """

    stream: Stream
    C: float
    error: float
    worst: tuple[int, ...]
    row: int


def solve(problem: LayersProblem) -> TwoLayers:
    """Return the matrices with the smallest factor."""
    stream = Stream(problem)
    tolerance = problem.goal.tolerance
    C = least_factor(stream, tolerance)
    found = matrices(stream, C)
    errors = stream.errors(found)
    t = int(np.argmax(np.max(errors, axis=0)))
    at = int(np.argmax(errors[:, t]))
    first = int(problem.given.start)
    witness = {f"W_{name[0]}{name[2]}": array.T for name, array in found.items()}
    fields = {
        "task": problem.goal.bring,
        "start": problem.given.start,
        "bound": tolerance,
    }
    arrays = {"tokens": stream.U.T, "positions": stream.P.T}
    certificate = Certificate(arrays, (Claim("two_layers", fields, witness),))
    return TwoLayers(
        Status.PROVED, {**example(problem), "C": C}, certificate,
        reaches=within(certificate, ("two_layers",), tolerance),
        stream=stream, C=C, error=float(np.max(errors)), row=t + 1 - first,
        worst=tuple(int(y) for y in stream.sequences[at, first : t + 1]),
    )  # fmt: skip


def matrices(stream: Stream, C: float) -> dict[str, Float64]:
    """Return the matrices of the answer, on columns."""
    known = {**stream.symbols(), "C": C}
    texts = example(stream.problem)
    return {name: np.asarray(parse(text).evaluate(known), float) for name, text in texts.items()}


def least_factor(stream: Stream, tolerance: float) -> float:
    """Return a factor within the tolerance, rounded up: a little less is not enough."""

    def enough(C: float) -> bool:
        return bool(np.max(stream.errors(matrices(stream, C))) <= tolerance * (1 - 1e-12))

    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return math.ceil(DECIMALS * high) / DECIMALS
