"""Past one machine: sweeps over many settings, and attention over keys that do not fit in memory.

Both run here by default, and on a scheduler of Dask where one is named. Dask, Zarr and pyarrow are
imported when they are needed and never before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.cluster.failures import ClusterError, Interrupted
    from regard.cluster.key_stores.arguments import attention
    from regard.cluster.key_stores.result import StoreAttention
    from regard.cluster.sweeps.arguments import sweep
    from regard.cluster.sweeps.result import Sweep
    from regard.cluster.workers import describe_cluster
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "failures": "ClusterError Interrupted",
            "key_stores.arguments": "attention",
            "key_stores.result": "StoreAttention",
            "sweeps.arguments": "sweep",
            "sweeps.result": "Sweep",
            "workers": "describe_cluster",
        },
    )

__all__ = [
    "ClusterError",
    "Interrupted",
    "StoreAttention",
    "Sweep",
    "attention",
    "describe_cluster",
    "sweep",
]
