"""Attention over a store on a cluster: workers attend to parts, and a tree of tasks joins them."""

from __future__ import annotations

import queue
import warnings
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError as FutureCancelled
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.cluster.connection import Watch, begin_task
from regard.cluster.failures import ClusterError
from regard.cluster.key_stores.block_stream import attend_stores
from regard.cluster.key_stores.partial_attention import Partial, Pass, join
from regard.cluster.key_stores.stores import ArrayStore, DaskStore, Store

__all__ = ["attend_on_cluster"]

Array = NDArray[Any]
FAN_IN = 8  # parts that one task joins
BLOCKS = 8  # blocks of a part, at most: a lost worker loses no more
PARTS = 4  # parts for each thread of the cluster, so that fast ones get more
_NAME = "cluster.attention"


def attend_on_cluster(
    client: Any,
    query: Array,
    stores: tuple[Store, Store],
    span: tuple[int, int],
    wanted: Pass,
    tick: Callable[[int], None],
) -> Partial:
    """Return the attention to the keys of a span, which is not empty."""
    watch = Watch(_NAME, client, "Run it again: attention keeps nothing between runs.")
    parts = _parts(client, stores, span, wanted.rows)
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A task and not scattered data: where the worker that holds it is lost, it is made again.
    held = client.submit(_same, query, pure=False)
    leaves: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    level = []
    for start, stop in parts:
        sent = _sent(client, stores, start, stop)
        with warnings.catch_warnings():  # rows of arrays in memory travel with their task
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            leaf = client.submit(_leaf, held, *sent, (start, stop), wanted, pure=False)
        leaves[leaf.key], sizes[leaf.key] = leaf, stop - start
        level.append(leaf)
    root = _joined(client, level)
    for leaf in leaves.values():
        leaf.add_done_callback(done.put)
    if root.key not in leaves:
        root.add_done_callback(done.put)
    del level, leaf
    keys = 0
    try:
        while True:
            try:
                future = done.get(timeout=0.5)
            except queue.Empty:
                watch.check()
                continue
            if future.status == "cancelled":
                raise watch.lost()
            if future.key in sizes and future.status == "finished":
                keys += sizes.pop(future.key)
                tick(keys)
            if future.key == root.key or future.status == "error":
                found = _result(future, watch)
                if found is not None:
                    if sizes:  # of parts that were computed again, and are in the result
                        tick(span[1] - span[0])
                    return found
                future.add_done_callback(done.put)
                continue
            leaves.pop(future.key, None)  # the task that joins it holds it now
    finally:
        # Not cancelled: that ends the client's connection where a task is left that others need,
        # and that nobody else wants. What nobody wants is not computed.
        for future in (*leaves.values(), root, held):
            future.release()


def _result(future: Any, watch: Watch) -> Partial | None:
    """Return what a future holds, or None where it was lost and is computed again."""
    error: BaseException | None = None
    try:
        if future.status == "finished":
            found: Partial = future.result(timeout=30)
            return found
        if future.status == "error":
            error = future.exception(timeout=30)
    except (TimeoutError, CancelledError, FutureCancelled):
        if watch.client.status != "running":
            raise watch.lost() from None
        return None
    except Exception as failure:  # it was lost with its worker, and failed on the next
        error = failure
    if error is not None:
        raise _failure(error)
    return None


def _failure(error: BaseException | None) -> BaseException:
    if isinstance(error, FileNotFoundError | PermissionError):
        return ClusterError(
            f"{_NAME}: a worker cannot read {error.filename}: {(error.strerror or '').lower()}. "
            "Stores must be at the same path on every worker, on a file system that they share."
        )
    if type(error).__name__ == "KilledWorker":
        return ClusterError(
            f"{_NAME}: a part of the store ended several workers one after the other, perhaps for "
            "want of memory. Allow less memory, or start workers with more: --memory-limit."
        )
    return error or ClusterError(f"{_NAME}: a task failed without saying why.")


def _parts(
    client: Any, stores: tuple[Store, Store], span: tuple[int, int], rows: int
) -> list[tuple[int, int]]:
    """Cut a span into parts of some blocks each; those of Dask arrays and of memory into blocks."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    threads = max(1, sum(worker["nthreads"] for worker in workers))
    blocks = -(-(span[1] - span[0]) // rows)
    each = max(1, min(BLOCKS, -(-blocks // (PARTS * threads))))
    if any(isinstance(store, DaskStore | ArrayStore) for store in stores):
        each = 1
    step = each * rows
    return [(start, min(start + step, span[1])) for start in range(*span, step)]


def _sent(client: Any, stores: tuple[Store, Store], start: int, stop: int) -> list[Any]:
    """Return what a task gets of each store: the store, or its rows where the cluster has them."""
    sent: list[Any] = []
    for store in stores:
        if isinstance(store, DaskStore):
            sent.append(client.compute(store.array[..., start:stop, :]))
        elif isinstance(store, ArrayStore):
            sent.append(np.ascontiguousarray(store.array[..., start:stop, :]))
        else:
            sent.append(store)
    return sent


def _joined(client: Any, level: Sequence[Any]) -> Any:
    while len(level) > 1:
        groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        level = [
            group[0] if len(group) == 1 else client.submit(_join, *group, pure=False)
            for group in groups
        ]
    return level[0]


def _same(query: Array) -> Array:
    return query


def _leaf(
    query: Array,
    key: Store | Array,
    value: Store | Array,
    span: tuple[int, int],
    wanted: Pass,
) -> Partial:
    begin_task()
    first, second = (_Shifted(x, span[0]) if isinstance(x, np.ndarray) else x for x in (key, value))
    found = attend_stores(query, (first, second), span, wanted)
    assert found is not None
    return found


class _Shifted:
    """Rows that begin at some position of a longer array."""

    chunk = 1

    def __init__(self, array: Array, start: int) -> None:
        self.array, self.start = array, start
        self.shape, self.dtype = array.shape, array.dtype

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Return a view of the rows."""
        return self.array[..., start - self.start : stop - self.start, :]


def _join(*parts: Partial) -> Partial:
    found = parts[0]
    for part in parts[1:]:
        found = join(found, part)
    return found
