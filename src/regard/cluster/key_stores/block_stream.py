"""One pass over a part of the keys: a thread reads blocks while others are attended to."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.cluster.key_stores.partial_attention import Asked, Partial, attend, join
from regard.cluster.key_stores.plan import BUFFERS
from regard.cluster.key_stores.stores import NpyFile, Store

__all__ = ["attend_stores"]

Array = NDArray[Any]
Block = tuple[int, Array, Array, int]  # first key, keys, values, which memory they are in


def attend_stores(
    query: Array,
    stores: tuple[Store, Store],
    span: tuple[int, int],
    rows: int,
    rules: Mapping[str, Any],
    asked: Asked | None,
    tick: Callable[[int], None] = lambda done: None,
) -> Partial | None:
    """Return the attention to the keys of a span, read so many rows at a time; None if it is empty.

    `tick` is told how many keys are done.
    """
    found: Partial | None = None
    with _read_ahead(stores, span, rows) as blocks:
        for start, key, value, _ in blocks:
            # Converted here, so that parts are joined before they are rounded to 16 bits.
            key, value = (x.astype(query.dtype, copy=False) for x in (key, value))
            part = attend(query, key, value, start, rules, asked)
            found = part if found is None else join(found, part)
            tick(start + key.shape[-2] - span[0])
            del key, value, part
    return found


@contextmanager
def _read_ahead(
    stores: tuple[Store, Store], span: tuple[int, int], rows: int
) -> Iterator[Iterator[Block]]:
    """Give the blocks of a span; while one is used, a thread reads the next.

    A block is to be done with when the next one is asked for: its memory is then read into again.
    """
    ready: queue.Queue[Block | BaseException | None] = queue.Queue()
    free: queue.Queue[int | None] = queue.Queue()
    for i in range(BUFFERS - 1):  # one more is in the hands of whoever asks
        free.put(i)
    memory: list[list[Array | None]] = [[_memory(s, rows) for s in stores] for _ in range(BUFFERS)]
    free.put(BUFFERS - 1)

    def read() -> None:
        try:
            for start in range(*span, rows):
                which = free.get()
                if which is None:
                    return
                stop = min(start + rows, span[1])
                key, value = (
                    s.read(start, stop, m) for s, m in zip(stores, memory[which], strict=True)
                )
                ready.put((start, key, value, which))
            ready.put(None)
        except BaseException as failure:
            ready.put(failure)

    def blocks() -> Iterator[Block]:
        while True:
            block = ready.get()
            if block is None:
                return
            if isinstance(block, BaseException):
                raise block
            yield block
            free.put(block[3])

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield blocks()
    finally:
        free.put(None)
        reader.join()


def _memory(store: Store, rows: int) -> Array | None:
    if not isinstance(store, NpyFile):
        return None
    *outer, _, width = store.shape
    return np.empty(int(np.prod(outer, dtype=int)) * rows * width * store.dtype.itemsize, np.uint8)
