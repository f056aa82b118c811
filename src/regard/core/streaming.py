"""Attention over keys that arrive in parts, in any order and from anywhere.

What a set of keys contributes to a query is summed up by

    total = Σ exp(s_j)   and   sums = Σ exp(s_j) · value_j,

and two sets are joined by adding these. To stay in range both are kept as
multiples of 2**exponent. Rescaling by powers of two is exact, the term of a key
does not depend on the keys beside it (scores come from exact products), and the
additions are done in double-double: so a result depends on the set of keys, and
not on how it was cut or in which order the parts were joined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from regard.arrays import common_dtype, computing, give, numbers
from regard.core.call import Call, Rules, RuleWords, with_rules
from regard.core.double_double import DoubleDouble, add, quick_two_sum, two_product, two_sum
from regard.core.eager import eager
from regard.core.exact_product import product
from regard.core.kernels.careful import near_one
from regard.core.kernels.non_finite import cleaned, restore
from regard.core.kernels.problem import Problem
from regard.errors import ParameterError, ShapeError
from regard.shapes import allocatable, at_least, integer, show, sizes

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

LOG2 = (0.6931471805599453, 2.3190468138462996e-17)  # log 2 as a double-double
PAIRS = 2**20  # pairs of query and key that `update` works on at a time
KEYS = 1024  # keys that it works on at a time: more would make exact products slower


@dataclass(frozen=True, eq=False, repr=False)
class AttentionState:
    """The attention of some queries to the keys seen so far.

    States of the same queries form a commutative monoid: `merge` joins two of
    them and `empty()` changes nothing. A state is never modified.

    Guarantee: `output` and `lse` agree to 4 ulp for any split of the keys and any
    order of joining, unless the terms of an average cancel by more than a factor of
    2^40. They are computed as if in twice the precision of float64, which takes
    tens of times as long as `regard.attention`; `from_lse` joins parts that were
    computed at full speed.

    Example:
        >>> import numpy as np, regard
        >>> q, k, v = np.ones((1, 1)), np.log([[1], [3]]), np.array([[10.0], [20.0]])
        >>> first = regard.AttentionState.empty().update(q, k[:1], v[:1], scale=1)
        >>> second = regard.AttentionState.empty().update(q, k[1:], v[1:], scale=1)
        >>> first.merge(second).output
        array([[17.5]])
    """

    _exponent: Float64  # (..., n_q), whole numbers; -inf where nothing was attended to
    _sums: DoubleDouble  # (..., n_q, d_v + 1): sums and, in the last column, total
    _library: str
    _dtype: str | None  # None: nothing was seen that has a dtype
    _fits_all: bool = False  # the state of no keys that goes with queries of every shape

    @classmethod
    def empty(cls, rows: tuple[int, ...] | None = None, d_v: int = 1) -> AttentionState:
        """Return the state of having seen no keys.

        Args:
            rows: the axes of the queries, (..., n_q). None fits any: such a state has
                an output of shape (1, 1) until it is joined with another.
            d_v: the width of the values, if rows are given.
        """
        name = "AttentionState.empty"
        axes = [1] if rows is None else sizes(name, "rows", rows, "(..., n_q)")
        width = integer(name, "d_v", d_v, minimum=0)
        allocatable(name, *axes, width)
        zeros = np.zeros((*axes, width + 1))
        return cls(np.full(axes, -np.inf), (zeros, zeros), "numpy", None, rows is None)

    @classmethod
    @eager
    def from_lse(cls, output: Any, lse: Any) -> AttentionState:
        """Return the state behind a result of `regard.attention_with_lse`.

        Args:
            output: (..., n_q, d_v).
            lse: (..., n_q).
        """
        name = "AttentionState.from_lse"
        taken, logs = numbers(name, "output", output), numbers(name, "lse", lse).array
        rows = logs.shape[0] if logs.ndim == 1 else -1
        at_least(name, "output", taken.array, "(..., n_q, d_v)", rows=rows)
        if taken.array.shape[:-1] != logs.shape:
            raise ShapeError(
                f"{name}: output does not match lse. Need output (..., n_q, d_v), lse (..., n_q). "
                f"Got output {show(taken.array.shape)}, lse {show(logs.shape)}."
            )
        logs = logs.astype(np.float64)
        with np.errstate(all="ignore"):
            exponent, total = _powers(logs, np.zeros_like(logs))
            columns = np.concatenate([taken.array, np.ones_like(logs)[..., None]], axis=-1)
            sums = two_product(np.asarray(columns, dtype=np.float64), total[..., None])
            hi = np.where(total[..., None] == 0, 0, sums[0])
        return cls(exponent, _finite(hi, sums[1]), taken.library, common_dtype(taken.dtype))

    @eager
    @with_rules
    def update(
        self,
        query: Any,
        key: Any,
        value: Any,
        mask: Any = None,
        **rules: Unpack[RuleWords],
    ) -> AttentionState:
        """Return the state after these queries have seen these keys as well.

        The arguments are those of `regard.attention`, for these keys alone: where
        they begin at position p of all keys, causal_offset is smaller by p.
        """
        call = Call(
            "AttentionState.update",
            {"query": query, "key": key, "value": value},
            mask,
            Rules.named("AttentionState.update", rules, "mask"),
        )
        problem = call.problem
        rows = (*call.layout.outer, problem.n_q)
        empty = AttentionState.empty(rows, call.layout.d_v)
        seen = AttentionState(empty._exponent, empty._sums, call.library, call.dtype)
        step = min(KEYS, max(64, PAIRS // max(1, math.prod(rows))))
        with np.errstate(all="ignore"):
            for start in range(0, problem.n_k, step):
                exponent, (hi, lo) = _sum_up(problem, start, min(start + step, problem.n_k))
                width = (*rows, hi.shape[-1])
                sums = hi.reshape(width), lo.reshape(width)
                seen = seen.merge(
                    AttentionState(exponent.reshape(rows), sums, call.library, call.dtype)
                )
        return self._join(seen, "AttentionState.update")

    @eager
    def merge(self, other: AttentionState) -> AttentionState:
        """Return the state of having seen the keys of both."""
        if not isinstance(other, AttentionState):
            raise ParameterError(
                f"AttentionState.merge: other must be an AttentionState. Got {other!r}."
            )
        return self._join(other, "AttentionState.merge")

    def _join(self, other: AttentionState, function: str) -> AttentionState:
        if self._fits_all:
            return other
        if other._fits_all:
            return self
        if self._sums[0].shape != other._sums[0].shape:
            shapes = [show((*s._exponent.shape, s._sums[0].shape[-1] - 1)) for s in (self, other)]
            raise ShapeError(
                f"{function}: the states are of different queries or values. "
                f"Got output {shapes[0]} and {shapes[1]}."
            )
        exponent = np.maximum(self._exponent, other._exponent)
        with np.errstate(all="ignore"):
            mine, others = self._scaled_to(exponent), other._scaled_to(exponent)
            hi, lo = add(*mine, *others)
            plain = mine[0] + others[0]  # where this is infinite, hi is NaN
            sums = _finite(np.where(np.isfinite(plain), hi, plain), lo)
        dtypes = [state._dtype for state in (self, other) if state._dtype is not None]
        library = other._library if self._dtype is None else self._library
        return AttentionState(exponent, sums, library, common_dtype(*dtypes) if dtypes else None)

    def _scaled_to(self, exponent: Float64) -> DoubleDouble:
        by = _shift(self._exponent, exponent)[..., None]
        return np.ldexp(self._sums[0], by), np.ldexp(self._sums[1], by)

    @property
    @eager
    def output(self) -> Any:
        """The average of the values, (..., n_q, d_v); 0 where nothing was attended to."""
        hi, lo = self._sums[0][..., :-1], self._sums[1][..., :-1]
        total, total_lo = self._sums[0][..., -1:], self._sums[1][..., -1:]
        with np.errstate(all="ignore"):
            near = hi / total
            back, back_lo = two_product(near, total)
            exact = near + (((hi - back) - back_lo) + lo - near * total_lo) / total
            result = np.where(np.isfinite(exact), exact, near)
        result = np.where(total == 0, 0, result)
        dtype = self._dtype or "float64"
        return give(result.astype(computing(dtype), copy=False), self._library, dtype)

    @property
    @eager
    def lse(self) -> Any:
        """The log-sum-exp of the scores, (..., n_q); -inf where nothing was attended to."""
        total, total_lo = self._sums[0][..., -1], self._sums[1][..., -1]
        with np.errstate(all="ignore"):
            whole, whole_lo = two_product(self._exponent, np.array(LOG2[0]))
            hi, lo = two_sum(whole, np.log(total))
            lo = lo + (whole_lo + self._exponent * LOG2[1] + total_lo / total)
            result = np.where(total == 0, -np.inf, np.add(*_finite(hi, lo)))
        wide = np.dtype(computing(self._dtype or "float64")).name
        return give(result, self._library, wide)

    def __repr__(self) -> str:
        if self._fits_all:
            return "AttentionState(of no keys)"
        *rows, n_q = self._exponent.shape
        axes = "".join(f"{n}, " for n in rows)
        dtype = self._dtype or "of no keys"
        return f"AttentionState(output=({axes}{n_q}, {self._sums[0].shape[-1] - 1}), {dtype})"


def _sum_up(problem: Problem, start: int, stop: int) -> tuple[Float64, DoubleDouble]:
    """Return the exponents (..., n_q) and sums (..., n_q, d_v + 1) of the keys start ≤ j < stop."""
    exponents, terms = _powers(*_scores(problem, start, stop))
    value = problem.value[..., start:stop, :].astype(np.float64)
    # Sums of values near the end of the range would overflow; a larger exponent makes room.
    room = 128 if np.abs(cleaned(value)).max(initial=0) > 2.0**900 else 0
    exponent = exponents.max(axis=-1) + room
    weights = np.ldexp(terms, _shift(exponents, exponent[..., None]))
    columns = np.concatenate([value, np.ones((*value.shape[:-1], 1))], axis=-1)
    hi, lo = product(cleaned(weights), cleaned(columns))
    restore(hi, ~np.isneginf(exponents), weights, columns)
    hi[np.isnan(weights).any(axis=-1)] = np.nan
    return exponent, _finite(hi, lo)


def _scores(problem: Problem, start: int, stop: int) -> DoubleDouble:
    """Return the masked scores of the keys start ≤ j < stop, each independent of the others."""
    query = problem.query.astype(np.float64)
    key = problem.key[..., start:stop, :].astype(np.float64)
    hi, lo = _raw_scores(query, key, problem.scale)
    if problem.softcap is not None:
        hi, lo = problem.softcap * np.tanh(hi / problem.softcap), np.zeros_like(hi)
    bias, barred = problem.bias(start, stop), problem.barred(start, stop)
    if bias is not None:
        hi, rounded_off = two_sum(hi, bias.astype(np.float64))
        lo = lo + rounded_off
    if barred is not None:
        hi = np.where(barred, -np.inf, hi)
    return _finite(hi, lo)


def _raw_scores(query: Float64, key: Float64, scale: float) -> DoubleDouble:
    """Return scale · q·k; where q·k overflows before it is scaled, by way of smaller numbers."""
    (hi, lo), lost = _scaled_products(query, key, scale)
    if lost.any():
        (query, query_power), (key, key_power) = near_one(query), near_one(key)
        fraction, power = math.frexp(scale)
        powers = query_power[..., :, None] + key_power[..., None, :] + power
        near, _ = _scaled_products(query, key, fraction)
        hi = np.where(lost, np.ldexp(near[0], powers), hi)
        lo = np.where(lost, np.ldexp(near[1], powers), lo)
    return hi, lo


def _scaled_products(query: Float64, key: Float64, scale: float) -> tuple[DoubleDouble, Bool]:
    """Return scale · q·k, and for which pairs q·k is not finite before it is scaled."""
    key = key.swapaxes(-1, -2)
    hi, lo = product(cleaned(query), cleaned(key))
    plain = np.matmul(query, key)
    lost = ~np.isfinite(plain)
    scaled, scaled_lo = two_product(np.where(lost, plain, hi), np.array(scale))
    return quick_two_sum(*_finite(scaled, scaled_lo + lo * scale)), lost


def _powers(hi: Float64, lo: Float64) -> tuple[Float64, Float64]:
    """Write exp(hi + lo) as term · 2**exponent with a term near 1; exp(-inf) as 0 · 2**-inf."""
    exponent = np.where(np.isfinite(hi), np.rint(hi / LOG2[0]), 0)
    whole, whole_lo = two_product(exponent, np.array(LOG2[0]))
    rest, rest_lo = add(hi, lo, -whole, -whole_lo)
    term = np.exp(rest) * (1 + (rest_lo - exponent * LOG2[1]))
    term = np.where(np.abs(hi) > 1e30, 1, term)  # steps of such a score are larger than any rest
    term = np.where(np.isfinite(hi), term, np.nan)
    nothing = np.isneginf(hi)
    return np.where(nothing, -np.inf, exponent), np.where(nothing, 0, term)


def _shift(exponent: Float64, to: Float64) -> NDArray[np.int32]:
    """Return by which power of two a multiple of 2**exponent is one of 2**to, at most 1."""
    difference = np.where(np.isneginf(exponent), 0, exponent - to)
    return np.clip(difference, -2200, 0).astype(np.int32)


def _finite(hi: Float64, lo: Float64) -> DoubleDouble:
    """Drop the lower part where something is infinity or NaN: the upper one says it all."""
    return hi, np.where(np.isfinite(hi) & np.isfinite(lo), lo, 0)
