"""Scores of heads on tokens, from sums over rows: no head's matrix of weights is ever built.

What a row has on a set of keys is exp(lse of these keys − lse of all), two passes of
`attention_statistics`, the second with a mask that a block of rows shares over all heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.statistics import attention_statistics
from regard.models.forward import Pass
from regard.models.scores.sinks import same_key

__all__ = ["FORMULAS", "ActivationScores", "activation_scores", "period_of"]

Array = NDArray[Any]

ROWS = 256  # of a mask at a time
CORNER = 48  # tokens of a small map
NEAR = 16  # offsets looked at on either side

_MATCH = "the mean over rows i whose token occurred before of Σ A(i, j) over keys j ≤ i with "
FORMULAS = {
    "previous_token": "the mean of A(i, i − 1), i ≥ 1",
    "prefix_matching": _MATCH + "x(j − 1) = x(i), j − 1 < i: offset +1, the key after an earlier "
    "occurrence",
    "duplicate_token": _MATCH + "x(j) = x(i), j < i: offset 0",
    "before_duplicate": _MATCH + "x(j + 1) = x(i), j + 1 < i: offset −1; a row without such a key "
    "counts as 0",
    "induction": "tokens that repeat with period L: the mean of A(i, i − (L − 1)) along the whole "
    "diagonal, i ≥ L − 1, which has one row that is no repetition",
    "entropy": "the mean over rows of −Σ_j A log A, in nats; entropy_share divides by log of the "
    "keys seen, rows that see one key left out",
    "offset": "the shift within ±16 that most rows have their largest weight at; offset_mass is "
    "the mean weight there, offset_rows the share of rows",
}


@dataclass(frozen=True, eq=False)
class ActivationScores:
    """The scores of one layer, arrays (n_heads,); see `FORMULAS`.

    `prefix_rows` and `duplicate_rows` are the shares of repeated rows whose largest weight is on
    such a key; `sink_mass` is the mean weight of rows on the column that they share, at least.
    For pictures: `by_shift` (n_heads, shifts) is the mean weight at each of `shifts`, and `corner`
    (n_heads, 48, 48) holds the weights among the first tokens.
    """

    previous_token: Array
    prefix_matching: Array
    duplicate_token: Array
    before_duplicate: Array
    induction: Array | None
    sink: Array
    sink_share: Array
    sink_column: Array
    sink_mass: Array
    entropy: Array
    entropy_share: Array
    offset: Array
    offset_mass: Array
    offset_rows: Array
    prefix_rows: Array
    duplicate_rows: Array
    shifts: Array
    by_shift: Array
    corner: Array


def period_of(tokens: Array) -> int | None:
    """Return the shortest period of tokens that repeat at least once over, or None."""
    n = len(tokens)
    return next((L for L in range(1, n // 2 + 1) if (tokens[L:] == tokens[:-L]).all()), None)


def activation_scores(layer: Pass, tokens: Array, causal: bool) -> ActivationScores:
    """Return the scores of the heads of a layer on tokens (n,)."""
    n = len(tokens)
    period = period_of(tokens)
    near = list(range(0 if causal else -min(NEAR, n - 1), min(NEAR, n - 1) + 1))
    diagonal = [] if period is None else [period - 1]
    found = attention_statistics(
        layer.query,
        layer.key,
        layer.bias,
        offsets=[*near, *diagonal],
        columns=[0],
        scale=layer.scale,
        is_causal=causal,
    )
    mass, argmax = found.offset_mass.astype(np.float64), found.argmax
    rows = np.arange(n)
    by_offset = np.stack([mass[:, max(T, 0) : n + min(T, 0), i].mean(axis=1)
                          for i, T in enumerate(near)], axis=1)  # fmt: skip
    hits = np.stack(
        [(argmax == rows - T)[:, max(T, 0) : n + min(T, 0)].mean(axis=1) for T in near], axis=1
    )
    if causal and n > 1:  # row 0 sees one key: it says nothing
        hits[:, near.index(0)] = (argmax == rows)[:, 1:].mean(axis=1)
    best = hits.argmax(axis=1)
    h = np.arange(len(argmax))
    sinks = [same_key(one, causal) for one in argmax]
    columns = np.array([column for _, column in sinks])
    at_sink = np.where(argmax == columns[:, None], found.peak, 0.0)[:, 1 if causal else 0 :]
    visible = rows + 1 if causal else np.full(n, n)
    several = visible > 1
    matches = _matches(layer, tokens, causal, found.lse, argmax)
    return ActivationScores(
        previous_token=by_offset[:, near.index(1)] if n > 1 else np.zeros(len(argmax)),
        prefix_matching=matches[1][0],
        duplicate_token=matches[0][0],
        before_duplicate=matches[-1][0],
        induction=mass[:, period - 1 :, -1].mean(axis=1) if period is not None else None,
        sink=found.column_mass[..., 0].mean(axis=1, dtype=np.float64),
        sink_share=np.array([share for share, _ in sinks]),
        sink_column=columns,
        sink_mass=at_sink.mean(axis=1),
        entropy=found.entropy.mean(axis=1, dtype=np.float64),
        entropy_share=(found.entropy[:, several] / np.log(visible[several])).mean(axis=1)
        if several.any()
        else np.zeros(len(argmax)),
        offset=np.array(near)[best],
        offset_mass=by_offset[h, best],
        offset_rows=hits[h, best],
        prefix_rows=matches[1][1],
        duplicate_rows=matches[0][1],
        shifts=np.array(near),
        by_shift=by_offset,
        corner=_corner(layer, causal, found.lse),
    )


def _corner(layer: Pass, causal: bool, lse: Array) -> Array:
    """Return the weights of the first queries on the first keys, (n_heads, 48, 48) or fewer."""
    q, k = layer.query[:, :CORNER], layer.key[:, :CORNER]
    scores = layer.scale * q @ np.repeat(k, len(q) // len(k), axis=0).swapaxes(-1, -2)
    scores = scores if layer.bias is None else scores + layer.bias[:, :CORNER, :CORNER]
    weights = np.exp(np.minimum(scores - lse[:, :CORNER, None], 0)).astype(np.float32)
    return np.tril(weights) if causal else weights


def _matches(
    layer: Pass, tokens: Array, causal: bool, lse: Array, argmax: Array
) -> dict[int, tuple[Array, Array]]:
    """Return for each offset the mean weight on matching keys, and the share of rows at one."""
    n, n_heads = len(tokens), len(layer.query)
    first = {int(token): i for i, token in reversed(list(enumerate(tokens)))}
    repeated = np.array([first[int(token)] < i for i, token in enumerate(tokens)], dtype=bool)
    sums = {offset: (np.zeros(n_heads), np.zeros(n_heads)) for offset in (1, 0, -1)}
    count = int(repeated.sum())
    for start in range(0, n, ROWS):
        rows = np.arange(start, min(n, start + ROWS))
        rows = rows[repeated[rows]]
        if not len(rows):
            continue
        for offset, (weight, hits) in sums.items():
            wanted = _wanted(tokens, rows, offset)
            score_mask = wanted
            if layer.bias is not None:
                score_mask = np.where(wanted, layer.bias[:, rows], -np.inf)
            part = attention_statistics(
                layer.query[:, rows], layer.key, score_mask, scale=layer.scale
            )
            weight += np.exp((part.lse - lse[:, rows]).astype(np.float64)).sum(axis=1)
            hits += wanted[np.arange(len(rows)), argmax[:, rows]].sum(axis=1)
    return {
        offset: (weight / max(count, 1), hits / max(count, 1))
        for offset, (weight, hits) in sums.items()
    }


def _wanted(tokens: Array, rows: Array, offset: int) -> Array:
    """Return which keys j match, (rows, n): j ≤ i, j − offset < i and x(j − offset) = x(i)."""
    n = len(tokens)
    j = np.arange(n)
    source = j - offset
    inside = (source >= 0) & (source < n)
    token_at = tokens[np.clip(source, 0, n - 1)]
    i = rows[:, None]
    return np.asarray(inside & (j <= i) & (source < i) & (token_at == tokens[i]))
