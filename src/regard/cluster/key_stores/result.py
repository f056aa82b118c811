"""What attention over a store returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.arrays import computing, give
from regard.cluster.byte_sizes import written
from regard.cluster.key_stores.partial_attention import Described, Partial
from regard.core.statistics import AttentionStatistics
from regard.report import Facts, Report
from regard.report.reported import Reported

__all__ = ["StoreAttention", "finish"]


@dataclass(frozen=True, eq=False, repr=False)
class StoreAttention(Reported):
    """Attention over a store of keys and values.

    Attributes:
        output: (..., n_q, d_v), as `regard.attention` returns it.
        lse: (..., n_q).
        statistics: what `regard.attention_statistics` returns, without `received`; or None.
        n_k: how many keys the store has.
        keys_read: how many of them were read: those that some query may attend to.
        bytes_read: of keys and values together.
        rows: how many keys were read at a time.
    """

    output: Any
    lse: Any
    statistics: AttentionStatistics | None
    n_k: int
    keys_read: int
    bytes_read: int
    rows: int

    def report(self) -> Report:
        """Return what was read, and what came out."""
        pairs = [
            ("output", str(tuple(self.output.shape))),
            ("keys read", f"{self.keys_read} of {self.n_k}, {self.rows} at a time"),
            ("read", written(self.bytes_read)),
        ]
        if self.statistics is not None:
            pairs += [(name, span) for name, _, span in self.statistics._summary()]
        return Report("Attention over a store", (Facts(tuple(pairs)),))


def finish(
    partial: Partial, library: str, dtype: str, top: int
) -> tuple[Any, Any, AttentionStatistics | None]:
    """Return output, lse and statistics of a partial that has seen all keys."""
    wide = np.dtype(computing(dtype))
    output = give(np.asarray(partial.state.output).astype(wide), library, dtype)
    lse = np.asarray(partial.state.lse).astype(wide)
    given = give(lse, library, wide.name)
    if partial.described is None:
        return output, given, None
    with np.errstate(all="ignore"):
        return output, given, _statistics(partial.described, library, wide, top)


def _statistics(
    found: Described, library: str, wide: np.dtype[Any], top: int
) -> AttentionStatistics:
    lost = np.isnan(found.lse)
    weights = np.exp(found.top_scores - found.lse[..., None])
    weights = np.minimum(np.where(found.top_keys < 0, 0.0, weights), 1.0)
    weights[lost] = np.nan
    keys = np.where(lost[..., None], -1, found.top_keys)
    peak = weights[..., 0]
    entropy = np.where(lost, np.nan, found.entropy)
    floats = (found.lse, entropy, peak, weights[..., :top], found.offset_mass, found.column_mass)
    lse, entropy, peak, top_weights, offset_mass, column_mass = (
        give(x.astype(wide), library, wide.name) for x in floats
    )
    whole = [
        give(np.ascontiguousarray(k), library, "int64") for k in (keys[..., 0], keys[..., :top])
    ]
    return AttentionStatistics(
        lse, entropy, peak, whole[0], top_weights, whole[1], offset_mass, column_mass
    )
