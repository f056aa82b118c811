"""Arithmetic that a proof may rest on, and how a question is settled with it.

A ball (of Arb) is an interval that surely holds the number meant. A comparison of
balls is True or False only if it is so for all numbers in them; else nobody knows
yet (None), and the question is put again with more bits. What needs no exp, log or
root is at last settled in rationals, so that equality is decided too.

The working precision is global to the process, so one thread at a time sets it.
Other code that changes it makes a ball larger or smaller, never wrong.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from regard.certify.certificate import Float64, Number, Unusable
from regard.certify.large_products import applies, large_combination, large_products

PRECISIONS = (64, 128, 256, 512, 1024, 2048, 4096)
RATIONALS_AFTER = 256  # bits: what is not settled by then is probably an equality
LARGEST_EXACT = 20_000  # numbers in a matrix of rationals
LARGEST_POWER = 200_000  # bits
ROWS = 4096  # rows of a large array that are balls at a time
_PRECISION = threading.RLock()


class Outcome(NamedTuple):
    """Is it so (None: nobody knows), and a sentence with the number found."""

    truth: bool | None
    reason: str


class Decision(NamedTuple):
    """The status of a claim (holds, fails or undecided), and why.

    `tested` is on how many instances a claim that holds was tested; 0: it is proved. `there` is
    what the numbers of a counterexample give, as the words that `reason` has for it.
    """

    status: str
    reason: str
    tested: int = 0
    there: str = ""


@dataclass(frozen=True)
class Arithmetic:
    """Numbers, matrices and their largest entry, in balls or in rationals."""

    number: Callable[[Any], Any]
    matrix: Callable[[int, int, list[Any]], Any]
    largest: Callable[[Sequence[Any]], Any]

    def read(self, array: Float64) -> Any:
        """Return a float64 matrix, exactly."""
        rows, columns = array.shape
        return self.matrix(rows, columns, array.ravel().tolist())


def rational(value: Number) -> fmpq:
    """Return a number as a fraction, exactly."""
    if isinstance(value, float):
        return fmpq(*value.as_integer_ratio())
    return value if isinstance(value, fmpq) else fmpq(value)


def _rationals(rows: int, columns: int, entries: list[Any]) -> fmpq_mat:
    _small(rows * columns)
    return fmpq_mat(rows, columns, [rational(entry) for entry in entries])


def _small(size: int) -> None:
    if size > LARGEST_EXACT:
        raise Unusable("it is too large to check in rationals.")


def _largest_ball(values: Sequence[arb]) -> arb:
    largest = values[0]
    for value in values[1:]:
        largest = largest.max(value)
    return largest


BALLS = Arithmetic(arb, arb_mat, _largest_ball)
EXACT = Arithmetic(rational, _rationals, max)


def at_most(left: Any, right: Any) -> bool | None:
    """Is left ≤ right?"""
    return True if left <= right else False if left > right else None


def less(left: Any, right: Any) -> bool | None:
    """Is left < right?"""
    return True if left < right else False if left >= right else None


def every(*truths: bool | None) -> bool | None:
    """Are all of these so?"""
    return False if False in truths else None if None in truths else True


def norm_at_most(entries: Sequence[Any], bound: Number, numbers: Arithmetic) -> bool | None:
    """Is ‖entries‖ ≤ bound? Squares are compared: they need no root."""
    return False if bound < 0 else at_most(squared(entries), numbers.number(bound) ** 2)


def at_least_times_norm(
    left: Any, factor: Number, entries: Sequence[Any], numbers: Arithmetic
) -> bool | None:
    """Is left ≥ factor · ‖entries‖? Squares are compared, after signs."""
    right = numbers.number(factor) ** 2 * squared(entries)
    if factor >= 0:
        return at_most(right, left**2) if left >= 0 else False if left < 0 else None
    return True if left >= 0 else at_most(left**2, right) if left < 0 else None


@contextmanager
def with_bits(bits: int) -> Iterator[None]:
    """Compute with balls of that many bits."""
    with _PRECISION, ctx.workprec(bits):
        yield


def settle(
    test: Callable[[], Outcome], in_rationals: Callable[[], Outcome] | None = None
) -> Outcome:
    """Put a question in balls of more and more bits (and in rationals) until it is answered."""
    outcome = Outcome(None, "nothing was computed.")
    for bits in PRECISIONS:
        with with_bits(bits):
            outcome = test()
        if outcome.truth is None and bits == RATIONALS_AFTER and in_rationals is not None:
            try:
                certain = in_rationals()
            except Unusable:  # too large: more bits may still do
                continue
            outcome = certain if certain.truth is not None else outcome
        if outcome.truth is not None:
            return outcome
    return Outcome(None, f"{outcome.reason} That is too close to tell.")


def settle_algebra(test: Callable[[Arithmetic], Outcome]) -> Outcome:
    """Settle what can be computed both in balls and in rationals."""
    return settle(lambda: test(BALLS), lambda: test(EXACT))


def constructed(outcome: Outcome) -> Decision:
    """Decide a claim about something that the witness holds."""
    status = {True: "holds", False: "fails", None: "undecided"}[outcome.truth]
    return Decision(status, outcome.reason)


def for_all(
    proof: Callable[[], Outcome], refutation: Callable[[], Outcome] | None = None
) -> Decision:
    """Decide a claim about everything of a kind.

    A witness that proves nothing does not make the claim false: only a
    counter-example does.
    """
    try:
        proved = proof()
    except Unusable as problem:
        proved = Outcome(None, str(problem))
    if proved.truth:
        return Decision("holds", proved.reason)
    try:
        refuted = refutation() if refutation else Outcome(None, "")
    except Unusable:  # a damaged counter-example refutes nothing
        refuted = Outcome(None, "")
    if refuted.truth:
        return Decision("fails", refuted.reason)
    return Decision("undecided", f"The witness does not prove it: {proved.reason}")


def _chunks(points: Float64, numbers: Arithmetic) -> Iterator[slice]:
    if numbers is EXACT:
        _small(points.size)
    return (slice(start, start + ROWS) for start in range(0, len(points), ROWS))


def products(points: Float64, direction: Sequence[Any], numbers: Arithmetic) -> list[Any]:
    """Return x · direction for each row x of points."""
    if numbers is BALLS and applies(points):
        large = large_products(points, direction)
        if large is not None:
            return large
    column = numbers.matrix(len(direction), 1, list(direction))
    found: list[Any] = []
    for rows in _chunks(points, numbers):
        found += (numbers.read(points[rows]) * column).entries()
    return found


def combine(weights: Sequence[Any], points: Float64, numbers: Arithmetic) -> list[Any]:
    """Return Σ weight · x over the rows x of points."""
    if numbers is BALLS and applies(points):
        large = large_combination(weights, points)
        if large is not None:
            return large
    total = numbers.matrix(1, points.shape[1], [0] * points.shape[1])
    for rows in _chunks(points, numbers):
        some = list(weights[rows])
        total += numbers.matrix(1, len(some), some) * numbers.read(points[rows])
    return list(total.entries())


def squared(entries: Sequence[Any]) -> Any:
    """Return ‖entries‖²."""
    return sum((entry * entry for entry in entries), fmpq(0))


def norm(entries: Sequence[Any]) -> arb:
    """Return ‖entries‖."""
    return arb(squared(entries)).nonnegative_part().sqrt()  # the ball of a square reaches below 0


def shares(values: Sequence[Number], numbers: Arithmetic) -> list[Any]:
    """Return numbers divided by their sum."""
    read = [numbers.number(value) for value in values]
    total = sum(read, numbers.number(0))
    return [value / total for value in read]


def scores(keys: Float64, query: Float64, scale: Number | arb) -> list[arb]:
    """Return scale · key · query for each key, as balls."""
    return products(keys, [arb(scale) * entry for entry in query.tolist()], BALLS)


def exponentials(values: Sequence[arb]) -> tuple[list[arb], arb]:
    """Return exp(score) for each score and their sum, all divided by one number."""
    highest = max(value.mid() for value in values)
    terms = [(value - highest).exp() for value in values]
    return terms, sum(terms, arb(0))


def entropy(weights: Sequence[arb]) -> arb:
    """Return H = -Σ w ln w of weights > 0."""
    return -sum((weight * weight.log() for weight in weights), arb(0))


def logarithms_reach(terms: Sequence[tuple[fmpq, fmpq]], level: fmpq) -> bool | None:
    """Is Σ c ln x ≥ ln level, over the pairs (c ≥ 0, x > 0), in whole powers?"""
    denominator = math.lcm(*(int(c.q) for c, _ in terms))
    powers = [(int(c * denominator), x) for c, x in [*terms, (fmpq(1), level)]]
    if sum(power * max(int(x.p).bit_length(), int(x.q).bit_length()) for power, x in powers) > (
        LARGEST_POWER
    ):
        return None
    product = fmpq(1)
    for power, x in powers[:-1]:
        product *= x**power
    return bool(product >= level**denominator)


def definite(rows: list[list[Any]], *, semi: bool = False) -> bool | None:
    """Is a symmetric matrix positive definite (semidefinite)? By its LDLᵀ factors."""
    rows = [list(row) for row in rows]
    for k, row in enumerate(rows):
        pivot = row[k]
        if pivot < 0:
            return False
        if pivot == 0:
            # Of balls, both == and != may be untrue.
            if not semi or any(entry != 0 for entry in row[k + 1 :]):
                return False
            if not all(entry == 0 for entry in row[k + 1 :]):
                return None
            continue
        if not pivot > 0:
            return None
        for i in range(k + 1, len(rows)):
            factor = row[i] / pivot
            for j in range(i, len(rows)):
                rows[i][j] -= factor * row[j]
    return True


def show(value: Any) -> str:
    """Write a ball or a fraction in a few digits."""
    ball = arb(value)
    return str(ball.str(6, radius=False)) if ball.is_finite() else "beyond all numbers"
