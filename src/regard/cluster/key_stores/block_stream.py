"""One pass over a part of the keys: threads read blocks and attend to them, the caller joins them.

There is a thread more than may compute at a time, so that one reads meanwhile. A thread attends to
the block that it has read itself, which is then still in its cache, and into whose memory it reads
again. Parts are joined in the order of the keys: results do not depend on who was first.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.cluster.key_stores.partial_attention import Partial, Pass, attend, join
from regard.cluster.key_stores.stores import NpyFile, Store

__all__ = ["attend_stores"]

Array = NDArray[Any]
Result = tuple[int, Partial] | BaseException  # which block, and what was seen of it


def attend_stores(
    query: Array,
    stores: tuple[Store, Store],
    span: tuple[int, int],
    wanted: Pass,
    tick: Callable[[int], None] = lambda done: None,
    threads: int = 1,
) -> Partial | None:
    """Return the attention to the keys of a span; None if it is empty.

    `tick` is told how many keys are done; so many `threads` compute at a time.
    """
    rows = wanted.rows
    starts = range(*span, rows)
    computing = threading.Semaphore(threads)

    def attend_to(start: int, memory: list[Array | None]) -> Partial:
        stop = min(start + rows, span[1])
        key, value = (s.read(start, stop, m) for s, m in zip(stores, memory, strict=True))
        with computing:
            # Converted here, so that parts are joined before they are rounded to 16 bits.
            key, value = (x.astype(query.dtype, copy=False) for x in (key, value))
            return attend(query, key, value, start, wanted)

    memory = [[_memory(s, rows) for s in stores] for _ in range(min(threads + 1, len(starts)))]
    found: Partial | None = None
    early: dict[int, Partial] = {}
    turn = 0
    with _threads(starts, attend_to, memory) as results:
        while turn < len(starts):
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            early[result[0]] = result[1]
            while turn in early:
                part = early.pop(turn)
                found = part if found is None else join(found, part)
                turn += 1
                tick(min(starts[turn - 1] + rows, span[1]) - span[0])
    return found


@contextmanager
def _threads(
    starts: range,
    attend_to: Callable[[int, list[Array | None]], Partial],
    memory: list[list[Array | None]],
) -> Iterator[queue.SimpleQueue[Result]]:
    """Attend to blocks in a thread for each memory; all end where the context does."""
    results: queue.SimpleQueue[Result] = queue.SimpleQueue()
    waiting, turn, ended = iter(enumerate(starts)), threading.Lock(), threading.Event()

    def work(own: list[Array | None]) -> None:
        try:
            while not ended.is_set():
                with turn:
                    block = next(waiting, None)
                if block is None:
                    return
                results.put((block[0], attend_to(block[1], own)))
        except BaseException as failure:
            results.put(failure)

    started = [threading.Thread(target=work, args=(own,), daemon=True) for own in memory]
    for thread in started:
        thread.start()
    try:
        yield results
    finally:
        ended.set()
        for thread in started:
            thread.join()


def _memory(store: Store, rows: int) -> Array | None:
    if not isinstance(store, NpyFile):
        return None
    *outer, _, width = store.shape
    return np.empty(int(np.prod(outer, dtype=int)) * rows * width * store.dtype.itemsize, np.uint8)
