"""How many keys are read at a time, so that all of it stays within the memory allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regard.arrays import computing
from regard.cluster.byte_sizes import written
from regard.cluster.key_stores.partial_attention import Asked
from regard.cluster.key_stores.stores import ArrayStore, NpyFile, Store
from regard.core.kernels.threads import available
from regard.errors import ParameterError

__all__ = ["Plan", "plan", "threads_for"]

MOST_THREADS = 8  # that compute at a time: a file is not read faster than so many attend to it
FEW = 128  # queries; where there are more, the kernel shares them among threads itself
LARGEST = (
    32 * 2**20
)  # bytes of a block: enough that what a block costs beside its keys is no matter
KERNEL = 4 * 2**20  # bytes that a thread of the kernel and what is around it may take
STATE = 20  # numbers of 8 bytes for each number of a result, while two states are joined


@dataclass(frozen=True)
class Plan:
    """What is read at a time.

    Attributes:
        rows: how many keys.
        fixed: bytes that are taken whatever is read.
    """

    rows: int
    fixed: int


def threads_for(rows: int) -> int:
    """Return how many blocks to attend to at a time in this process, for so many queries."""
    return min(available(), MOST_THREADS) if rows <= FEW else 1


def plan(
    function: str,
    memory: int,
    stores: tuple[Store, Store],
    rows: int,
    dtype: str,
    asked: Asked | None,
    threads: int = 1,
) -> Plan:
    """Return a plan.

    Args:
        function: who asks.
        memory: bytes, for all of it.
        stores: keys and values.
        rows: how many queries there are, in all heads together.
        dtype: of the results.
        asked: which statistics, if any.
        threads: how many blocks are attended to at a time.

    Raises:
        ParameterError: nothing can be read within that memory.
    """
    d_k, d_v = stores[0].shape[-1], stores[1].shape[-1]
    fixed = KERNEL * (1 + available()) + rows * (d_v + 1) * 8 * STATE * threads
    if asked is not None:
        columns = 4 + 2 * asked.top + len(asked.offsets) + len(asked.columns)
        # Top keys are gathered once more, to compute their scores.
        fixed += rows * 8 * (columns * 6 + asked.top * d_k * 3) * threads
    each = sum(_bytes_per_row(store, dtype, threads) for store in stores)
    chunk = math.lcm(*(store.chunk for store in stores))
    n = stores[0].shape[-2]
    if chunk >= n:
        chunk = max(store.chunk for store in stores)
    most = min(memory - fixed, max((threads + 1) * LARGEST, each * chunk)) // max(each, 1)
    most = min(most, n) if chunk == 1 else (most // chunk) * chunk
    if most < 1:
        least = fixed + each * min(chunk, max(n, 1))
        why = f" (a chunk of the store has {chunk} rows)" if chunk > 1 else ""
        raise ParameterError(
            f"{function}: memory={written(memory)} is not enough: {rows} queries need "
            f"{written(fixed)}, and the least that can be read {written(least - fixed)}{why}. "
            f"Allow {written(least * 1.01)}, or give fewer queries at a time."
        )
    return Plan(max(1, min(most, max(n, 1))), fixed)


def _bytes_per_row(store: Store, dtype: str, threads: int) -> int:
    """Return what a row of all blocks takes: where it is read to, what decodes it, converted."""
    numbers = math.prod(store.shape[:-2]) * store.shape[-1]
    compute = computing(dtype)(0).dtype
    converted = 0 if store.dtype == compute else threads * numbers * compute.itemsize
    if isinstance(store, ArrayStore):
        return converted
    read = numbers * store.dtype.itemsize
    # What is not a plain file arrives in memory of its own, and is decoded out of more of it.
    return (threads + 1) * read * (1 if isinstance(store, NpyFile) else 3) + converted
