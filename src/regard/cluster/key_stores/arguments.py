"""`regard.cluster.attention`: exact attention over keys and values that do not fit in memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Unpack

import numpy as np

from regard.arrays import common_dtype, computing, numbers
from regard.cluster.byte_sizes import read_bytes
from regard.cluster.connection import connected
from regard.cluster.key_stores.block_stream import attend_stores
from regard.cluster.key_stores.partial_attention import Asked, Described, Partial, Pass
from regard.cluster.key_stores.plan import plan, threads_for
from regard.cluster.key_stores.result import StoreAttention, finish
from regard.cluster.key_stores.stores import Store, open_store
from regard.cluster.key_stores.tree import attend_on_cluster
from regard.cluster.progress import Progress, watched
from regard.core import masks
from regard.core.call import Rules, RuleWords, with_rules
from regard.core.streaming import AttentionState
from regard.errors import ParameterError
from regard.shapes import integer, layout, real

__all__ = ["attention"]

_NAME = "cluster.attention"
_WORDS = ("memory", "client", "top", "offsets", "columns", "statistics", "progress")


@with_rules
def attention(
    query: Any,
    key: Any,
    value: Any,
    *,
    memory: int | str = "512MiB",
    client: Any = None,
    top: int = 0,
    offsets: Sequence[int] = (),
    columns: Sequence[int] = (),
    statistics: bool = False,
    progress: Progress = None,
    **given: Unpack[RuleWords],
) -> StoreAttention:
    """Compute the attention of queries in memory to keys and values in a store, in one pass.

    Args:
        query: (..., n_q, d_k), an array.
        key: (..., n_k, d_k): the path of a .npy file or of a Zarr array, an array of Zarr or
            Dask, a memory-mapped array, or any array.
        value: (..., n_k, d_v), likewise.
        memory: how much memory to take beside the query, such as "512MiB"; on a cluster, for each
            worker. The result counts.
        client: None for this process; a `distributed.Client`, or the address of a scheduler.
            Workers read the stores themselves, at the same paths.
        top, offsets, columns: as of :func:`regard.attention_statistics`.
        statistics: whether to describe the weights; top, offsets and columns imply it.
        scale, is_causal, causal_offset, window, key_lengths, softcap: as of
            :func:`regard.attention`. Keys that no query may attend to are not read.
        progress: None: a bar on terminals; True, False, or a function (done, total) of keys.

    Returns:
        A :class:`StoreAttention`.

    Raises:
        ShapeError: the shapes do not fit.
        ParameterError: any other argument that cannot be used, or too little memory.
        ClusterError: a file or the cluster fails.

    Guarantee: the result of `regard.attention` to the rounding of its dtype, whatever the memory
    and the number of workers: parts are joined as `AttentionState` does, in twice the precision.

    Example:
        >>> import numpy as np, regard.cluster
        >>> key, value = np.log([[1.0], [3.0]]), np.array([[10.0], [20.0]])
        >>> regard.cluster.attention(np.ones((1, 1)), key, value, scale=1).output
        array([[17.5]])
    """
    taken = numbers(_NAME, "query", query)
    stores = open_store(_NAME, "key", key), open_store(_NAME, "value", value)
    dtype = common_dtype(taken.dtype, *(str(store.dtype) for store in stores))
    ready = taken.array.astype(computing(dtype), copy=False)
    fitted = layout.fit(_NAME, ready, _stand_in(stores[0]), _stand_in(stores[1]), None)
    rules = dict(vars(Rules.named(_NAME, given, *_WORDS)))
    for name in ("scale", "softcap"):
        if rules[name] is not None:
            rules[name] = real(_NAME, name, rules[name], positive=name == "softcap")
    places = ("is_causal", "causal_offset", "window", "key_lengths")
    allowed = masks.key_range(
        _NAME, fitted.batch, fitted.n_q, fitted.n_k, **{name: rules[name] for name in places}
    )
    span = (0, fitted.n_k) if allowed is None else allowed.span()
    asked = _asked(top, offsets, columns, statistics, fitted.n_k)
    rows = math.prod(fitted.outer) * fitted.n_q
    limit = read_bytes(_NAME, "memory", memory)
    n, empty = span[1] - span[0], _nothing(fitted, asked, dtype)
    with (
        nullcontext() if client is None else connected(_NAME, client, name="client") as found,
        watched(f"attention over {n} keys", 0, n, progress) as tick,
    ):
        share = limit if found is None else limit // _tasks_at_once(found)
        threads = threads_for(rows) if found is None else 1
        planned = plan(_NAME, share, stores, rows, dtype, asked, threads)
        arguments = (ready, stores, span, Pass(planned.rows, rules, asked), tick)
        if n == 0 or rows == 0:
            partial: Partial | None = None
        elif found is None:
            partial = attend_stores(*arguments, threads)
        else:
            partial = attend_on_cluster(found, *arguments)
    done = finish(partial or empty, taken.library, dtype, top)
    size = sum(n * store.dtype.itemsize * _numbers(store) for store in stores)
    return StoreAttention(*done, fitted.n_k, n, size, planned.rows)


def _stand_in(store: Store) -> Any:
    """Return an array of the same shape that takes no memory, for the checks of shapes."""
    return np.broadcast_to(np.float32(0), store.shape)


def _numbers(store: Store) -> int:
    return math.prod(store.shape[:-2]) * store.shape[-1]


def _asked(
    top: object, offsets: Sequence[int], columns: Sequence[int], statistics: bool, n_k: int
) -> Asked | None:
    wanted = integer(_NAME, "top", top, minimum=0)
    if not isinstance(statistics, bool | np.bool_):
        raise ParameterError(f"{_NAME}: statistics must be True or False. Got {statistics!r}.")
    shifts, keys = _several("offsets", offsets), _several("columns", columns)
    for one in keys:
        if not 0 <= one < n_k:
            raise ParameterError(
                f"{_NAME}: columns must lie between 0 and n_k - 1 = {n_k - 1}. Got {one}."
            )
    if not (statistics or wanted or shifts or keys):
        return None
    return Asked(max(wanted, 1), shifts, keys)


def _several(name: str, given: object) -> tuple[int, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(f"{_NAME}: {name} must be a list of whole numbers. Got {given!r}.")
    return tuple(integer(_NAME, f"each of {name}", one) for one in given)


def _nothing(fitted: layout.Layout, asked: Asked | None, dtype: str) -> Partial:
    """Return what queries see of no keys."""
    rows = (*fitted.outer, fitted.n_q)
    state = AttentionState.empty(rows, fitted.d_v)
    if asked is None:
        return Partial(state, None)
    zeros = [np.zeros((*rows, len(x))) for x in (asked.offsets, asked.columns)]
    scores = np.full((*rows, asked.top), -np.inf)
    keys = np.full((*rows, asked.top), -1)
    return Partial(state, Described(np.full(rows, -np.inf), np.zeros(rows), scores, keys, *zeros))


def _tasks_at_once(client: Any) -> int:
    """Return how many tasks the busiest worker runs at a time; they share its memory."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return max((worker["nthreads"] for worker in workers), default=1)
