"""Attention by the kernel in C, which is there if a compiler was when regard was installed.

The source is in the folder `csrc`. Its threads are its own and know nothing of Python;
the one that calls looks up from its work from time to time, so that Ctrl-C is noticed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import empty
from regard.core.kernels import second_try, threads
from regard.core.kernels.problem import Index, Problem
from regard.core.kernels.roots import Tables
from regard.core.kernels.statistics import Asked, Found

_native: Any
try:
    _native = import_module("regard.core.kernels._native")
except ImportError:
    _native = None

Array = NDArray[Any]
Values = NDArray[np.floating[Any]]  # float32 or float64

MASKS = {None: 0, np.dtype(bool): 1, np.dtype(np.float32): 2, np.dtype(np.float64): 2}
SECONDS = 0.1  # after which the caller looks up from its work


# straight(query, key, value, scale, is_causal, causal_offset, window, key_lengths, extra) computes
# a short call of the usual kind in C from beginning to end (extra: 1 the lse too, 2 the weights
# too). It returns None for any other, which core/call.py takes on. Itself None without the kernel.
straight: Any = None
if _native is not None:
    _native.prepare(np.ndarray, empty, np.dtype(np.float32), np.dtype(np.float64))
    straight = _native.attention


@cache
def instruction_sets() -> tuple[str, ...]:
    """Return what this machine can run of what was compiled, the best first; maybe nothing."""
    return () if _native is None else tuple(_native.kernels())


def attend(
    problem: Problem,
    output: Array,
    lse: Array | None,
    weights: Array | None,
    *,
    instruction_set: str | None = None,
) -> None:
    """Fill `output` (*outer, n_q, d_v) and, if given, `lse` (*outer, n_q) and `weights`."""

    def fast(part: Problem, output: Array, lse: Array | None, weights: Array | None) -> list[Index]:
        return _run(part, output, lse, weights, instruction_set or instruction_sets()[0])

    again = fast(problem, output, lse, weights)
    if again:
        second_try.attend(fast, problem, output, lse, weights, again)


def _run(
    problem: Problem,
    output: Array,
    lse: Array | None,
    weights: Array | None,
    instruction_set: str,
) -> list[Index]:
    """Fill the arrays; return the rows that are not to be relied on, block by block."""
    arrays, rules = _given(problem)
    job = _native.job(instruction_set, *arrays, output, lse, weights, *rules)
    _native.run(job, threads.available(), SECONDS)
    return [
        (*map(int, np.unravel_index(one, problem.outer)), slice(start, stop))
        for one, start, stop in _native.not_finite(job)
    ]


def statistics(
    problem: Problem, asked: Asked, found: Found, *, instruction_set: str | None = None
) -> None:
    """Fill what is asked for. lse is NaN in rows with NaN, infinity or overflow in the scores."""
    arrays, rules = _given(problem)
    places = (*found.per_query, found.received, asked.position)
    job = _native.statistics_job(
        instruction_set or instruction_sets()[0],
        *arrays,
        places,
        asked.offsets,
        asked.columns,
        *rules,
    )
    _native.run_statistics(job, threads.available(), SECONDS)


def _given(problem: Problem) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arrays of a problem and its rules, in the order in which jobs take them."""
    allowed, mask = problem.key_range, problem.mask
    ends = (None, None) if allowed is None else (allowed.first, allowed.end)
    kind = MASKS[None if mask is None else mask.dtype]
    wide = problem.query.dtype == np.float64
    arrays = (problem.query, problem.key, problem.value, mask, *ends)
    return arrays, (problem.scale, problem.softcap or 0.0, kind, wide)


def taps(
    shifts: NDArray[np.int64],
    weights: NDArray[np.float64],
    factor: NDArray[np.float64],
    first: int,
    values: Values,
    output: Values,
    *,
    instruction_set: str | None = None,
) -> None:
    """Fill rows t = first, ... with factor[t - first] · Σ_j weights[j] values[t - shifts[j]].

    Shifts rise, and keys that do not exist are left out. Does not look up from its work.
    """
    name = instruction_set or instruction_sets()[0]
    _native.taps(name, shifts, weights, factor, first, values, output)


def convolve(
    tables: Tables,
    spectrum: NDArray[np.complex128],
    factor: NDArray[np.float64],
    begin: int,
    scratch: NDArray[np.uint8],
    values: Values,
    output: Values,
    *,
    instruction_set: str | None = None,
) -> None:
    """Fill row r with factor[r] times row begin + r of the values convolved with some weights.

    The convolution is a circle of the length of the transforms. `spectrum` is that of the
    weights, sorted by the tables and divided by the length; `scratch` has as many
    bytes as `scratch_for` says, of any value. Does not look up from its work.
    """
    name = instruction_set or instruction_sets()[0]
    roots = tables.roots1, tables.roots2, tables.between
    _native.convolve(
        name, tables.n1, tables.n2, *roots, spectrum, factor, begin, scratch, values, output
    )


def scratch_for(tables: Tables, instruction_set: str | None = None) -> tuple[int, int]:
    """Return how many columns `convolve` takes at once, and how many bytes of scratch."""
    columns, size = _native.scratch(instruction_set or instruction_sets()[0], tables.n1, tables.n2)
    return columns, size
