"""`regard.models.inspect`: every head of a model, from weights and, if asked, on tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.heads import Head
from regard.core.kernels.threads import one_blas_thread
from regard.core.multi_head import MultiHead
from regard.errors import ParameterError
from regard.models.forward import passes
from regard.models.inspection import HeadReading, Inspection
from regard.models.labels import Measured, choose
from regard.models.model import Model
from regard.models.scores.activations import ActivationScores, activation_scores, period_of
from regard.models.scores.composition import composition_scores, random_level
from regard.models.scores.copying import copying_score
from regard.models.scores.kernel import read_kernel
from regard.models.scores.rank import effective_rank, singular_values
from regard.models.scores.sinks import same_key
from regard.models.window import Window, sample_stream, window_of_layer
from regard.shapes import integer

__all__ = ["inspect"]

Array = NDArray[Any]

WINDOW = 96
PATTERN = 48  # positions of the weights that a reading keeps
PERIOD = 48  # tokens that are drawn, and then repeated once
MOST_TOKENS = 2**16

EXTRAPOLATED = (
    "Past the first layer, T, B, mass, shares and spread are an extrapolation: the layer is handed "
    "embeddings through its own norm, not what the layers before it write."
)


def inspect(
    model: Model,
    tokens: Any = None,
    *,
    layers: Sequence[int] | None = None,
    n: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Inspection:
    """Read heads: what each looks at and how clearly, with the formula of every number.

    Args:
        model: what `load` returned.
        tokens: None reads weights alone. "repeated" draws 48 tokens and runs them twice over;
            ids (n,) are run as they are.
        layers: which, from 0; None is all. Layers that share their tensors are read once from
            weights, and each by itself on tokens.
        n: the window of positions for what is read from weights; None is 96, or as many as the
            model has.
        seed: of the tokens that are drawn.
        progress: called with the layers done and their number.

    Returns:
        An :class:`Inspection`; `.heads` are :class:`HeadReading`.

    Memory is that of one layer's tensors, of the embeddings while they are read, and of
    n_heads · n² numbers for the window; on tokens, nothing grows with their number squared but one
    block of 256 rows of a mask, and the table of relative positions where a model has one.
    """
    a = model.architecture
    ids = _ids(model, tokens, seed)
    window = _window(model, n)
    wanted = _layers(model, layers, ids is not None)
    stream = sample_stream(model, window, seed)
    running = None if ids is None else passes(model, ids, max(wanted) + 1)
    readings: list[HeadReading] = []
    composition: dict[tuple[int, int], dict[str, Array]] = {}
    before: tuple[int, MultiHead] | None = None
    for i in range(max(wanted) + 1):
        done = None if running is None else next(running)
        if i not in wanted:
            continue
        heads = model.layers[i].multihead()
        if before is not None and before[0] == i - 1:
            with one_blas_thread():  # many small products: threads cost more than they give
                composition[i - 1, i] = composition_scores(before[1], heads)
        seen = window_of_layer(model, i, heads, stream, window)
        scores = None if done is None or ids is None else activation_scores(done, ids, a.is_causal)
        pairs = composition.get((i - 1, i), {})
        with one_blas_thread():
            readings += [
                _reading(model, i, h, one, seen, scores, pairs) for h, one in enumerate(heads.heads)
            ]
        before = (i, heads)
        if progress is not None:
            progress(wanted.index(i) + 1, len(wanted))
    return Inspection(
        model=repr(model).removeprefix("Model(").removesuffix(")"),
        heads=tuple(readings),
        n=window,
        tokens=0 if ids is None else len(ids),
        repeated=(period_of(ids) or 0) if ids is not None else 0,
        composition=composition,
        notes=_notes(model, wanted, ids, window),
        source=model.tensors.source,
    )


def _reading(
    model: Model,
    layer: int,
    h: int,
    one: Head,
    seen: Window,
    scores: ActivationScores | None,
    pairs: dict[str, Array],
) -> HeadReading:
    a = model.architecture
    log_weights = seen.log_weights[h]
    kernel = read_kernel(log_weights, a.is_causal)
    weights = np.exp(log_weights)
    share, column = same_key(log_weights.argmax(axis=1), a.is_causal)
    qk, ov = singular_values(one)
    known = model.vocabulary is not None
    measured: dict[str, Any] = {
        "sink": float(weights[:, 0].mean()),
        "sink_share": share,
        "sink_column": column,
    }
    sink_mass = float(weights[1 if a.is_causal else 0 :, column].mean())
    spread = float(seen.spread[h])
    content = float(seen.content[h]) if known else None
    if scores is None:
        label = choose(
            Measured(
                kernel.T,
                kernel.at_edge,
                kernel.rows_at_T,
                kernel.mass,
                kernel.mean_weight,
                share,
                sink_mass,
                spread,
                content,
            )
        )
    else:
        measured = _activations(scores, h)
        label = choose(
            Measured(
                measured["offset"],
                False,
                measured["offset_rows"],
                measured["offset_mass"],
                measured["offset_mass"],
                measured["sink_share"],
                float(scores.sink_mass[h]),
                spread,
                content,
                prefix=(float(scores.prefix_rows[h]), measured["prefix_matching"]),
                duplicate=(float(scores.duplicate_rows[h]), measured["duplicate_token"]),
                entropy_share=measured["entropy_share"],
            )
        )
    best = {kind: int(np.argmax(matrix[:, h])) for kind, matrix in pairs.items()}
    return HeadReading(
        layer=layer,
        head=h,
        verdict=label,
        **kernel.numbers(),
        position_share=float(seen.position[h]) if known else None,
        content_share=content,
        spread=spread,
        effective_rank=effective_rank(qk),
        copying=copying_score(one),
        qk_singular_values=qk,
        ov_singular_values=ov,
        extrapolated=layer > 0,
        kernel=kernel.values,
        pattern=weights[:PATTERN, :PATTERN].astype(np.float32),
        composition={kind: (g, float(pairs[kind][g, h])) for kind, g in best.items()},
        **measured,
    )


def _activations(scores: ActivationScores, h: int) -> dict[str, Any]:
    """Return the scores of one head by the names that a reading has for them."""
    names = (
        "previous_token", "prefix_matching", "duplicate_token", "before_duplicate", "sink",
        "sink_share", "entropy", "entropy_share", "offset_mass", "offset_rows",
    )  # fmt: skip
    found: dict[str, Any] = {name: float(getattr(scores, name)[h]) for name in names}
    found["induction"] = None if scores.induction is None else float(scores.induction[h])
    return found | {
        "sink_column": int(scores.sink_column[h]),
        "offset": int(scores.offset[h]),
        "seen_pattern": scores.corner[h],
        "seen_shifts": scores.shifts,
        "seen_weight": scores.by_shift[h],
    }


def _ids(model: Model, tokens: Any, seed: int) -> Array | None:
    """Return the ids to run, or None."""
    if tokens is None:
        return None
    a, known = model.architecture, model.vocabulary
    if a.weights_only or known is None:
        reason = a.weights_only or "it has no table of tokens"
        raise ParameterError(f"inspect: tokens cannot be run through this model: {reason}.")
    most = min(MOST_TOKENS, model.longest or MOST_TOKENS)
    if isinstance(tokens, str):
        if tokens != "repeated":
            raise ParameterError(
                f"inspect: tokens must be None, 'repeated' or ids (n,). Got {tokens!r}."
            )
        period = min(PERIOD, most // 2)
        drawn = np.random.default_rng(seed).choice(known, period, replace=known < period)
        return np.tile(drawn, 2)
    ids = np.asarray(tokens)
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or not 2 <= len(ids) <= most:
        raise ParameterError(
            f"inspect: tokens must be 2 to {most} whole numbers in a row. "
            f"Got {ids.dtype} of shape {ids.shape}."
        )
    if ids.min() < 0 or ids.max() >= known:
        raise ParameterError(
            f"inspect: tokens must lie between 0 and {known - 1}, the model's vocabulary. "
            f"Got {ids.min()} to {ids.max()}."
        )
    return ids


def _window(model: Model, n: int | None) -> int:
    longest = model.longest
    if n is None:
        return min(WINDOW, longest or WINDOW)
    asked = integer("inspect", "n", n, minimum=4)
    if longest is not None and asked > longest:
        raise ParameterError(f"inspect: n must be at most {longest}, its positions. Got {asked}.")
    return asked


def _layers(model: Model, layers: Sequence[int] | None, running: bool) -> list[int]:
    a = model.architecture
    if layers is None:
        each = range(a.n_layers)
        return list(each) if running else [i for i in each if a.stored.index(a.stored[i]) == i]
    chosen = sorted({integer("inspect", "each of layers", i, minimum=0) for i in layers})
    if not chosen or chosen[-1] >= a.n_layers:
        raise ParameterError(
            f"inspect: layers must be some of 0 to {a.n_layers - 1}. Got {layers}."
        )
    return chosen


def _notes(model: Model, layers: list[int], ids: Array | None, n: int) -> tuple[str, ...]:
    a = model.architecture
    notes = [
        f"From weights: a window of {n} positions, and tokens drawn evenly from the vocabulary."
    ]
    if max(layers) > 0:
        notes.append(EXTRAPOLATED)
    if a.shares_layers and ids is None:
        notes.append("Layers that share their tensors are read once.")
    if ids is not None:
        period = period_of(ids)
        repeats = "" if period is None else f", which repeat with period {period}"
        notes.append(
            f"Labels are those of activations on {len(ids)} tokens{repeats}. They are run as they "
            f"are, without tokens that begin or end a text."
        )
    if max(layers) > 0:
        level = random_level(a.d_model)
        notes.append(f"Composition scores of random matrices are about {level:.3f}.")
    notes += [f"{note[:1].upper()}{note[1:]}." for note in a.notes]
    return tuple(notes)
