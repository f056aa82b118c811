"""A small model to look at, made of designed heads: what each does is known, since it was designed.

The stream has a place for each token (A), the same again for the token before (B), and positions
(P). Head 0.0 looks one step back and writes the token it sees to B; head 1.0 matches its own token
with B, and so looks at what followed the same token before. The other heads only read.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.core.positions import sinusoidal

if TYPE_CHECKING:
    from regard.models import Model

Array = NDArray[Any]

VOCABULARY, P = 24, 32
D = 2 * VOCABULARY + P
LONGEST = 48
A, B, POSITIONS = slice(0, VOCABULARY), slice(VOCABULARY, 2 * VOCABULARY), slice(-P, D)
FAINT = 0.02  # of what the other heads write: nobody downstream is disturbed


@cache
def demonstration_model() -> Model:
    """Return the model: two causal layers of six heads, 24 tokens, 48 positions.

    >>> demonstration_model().head(0, 0).matrices().W_Q.shape
    (80, 32)
    """
    from regard.models.architecture import Architecture
    from regard.models.model import Model
    from regard.models.tensors import Entry, Tensors

    arrays = _arrays()
    tensors = Tensors(
        "demonstration",
        "regard",
        {name: Entry(one.shape, "F64") for name, one in arrays.items()},
        arrays.__getitem__,
    )
    layer = ("query", "key", "value", "output", "mlp_up", "mlp_down")
    parts = {"token_embedding": "token_embedding", "position_embedding": "position_embedding"}
    return Model(
        tensors,
        Architecture(
            family="designed heads", n_heads=6, n_kv_heads=6, d_model=D, d_head=P,
            tensors=parts | {part: f"{{layer}}.{part}" for part in layer}, stored=(0, 1),
            transposed=True, is_causal=True, scale=1.0, norm="none",
        ),
    )  # fmt: skip


def _arrays() -> dict[str, Array]:
    from regard.design import band, offset

    rng = np.random.default_rng(0)
    token = np.eye(VOCABULARY)
    sharp = 12 * token  # scores of 12 where two tokens match, 0 elsewhere
    classes = np.repeat(np.eye(3), VOCABULARY // 3, axis=0)
    always = np.ones((VOCABULARY, 1))  # every token, whichever it is, asks the same
    first = sinusoidal(1, P)
    window = band(8, 4, P, n=LONGEST, method="optimal", scale=6.0)
    copy = _placed(A, token), _placed(B, token).T
    # Each head: where queries come from, where keys come from, and what is written.
    layers: list[list[tuple[Array, Array, tuple[Array, Array] | None]]] = [
        [
            (*_positional(offset(1, P, n=LONGEST)), copy),
            (*_positional(offset(3, P, n=LONGEST)), None),
            (*_positional(window), None),
            (_placed(A, always @ first), _placed(POSITIONS, np.eye(P)), None),
            (_placed(A, 6 * classes @ np.roll(np.eye(3), 1, axis=1)), _placed(A, classes), None),
            (_drawn(rng, FAINT), _drawn(rng, FAINT), None),
        ],
        [
            (_placed(A, sharp), _placed(B, token), None),
            (_placed(A, sharp), _placed(A, token), None),
            (*_positional(offset(2, P, n=LONGEST)), None),
            (*_positional(offset(12, P, n=LONGEST)), None),
            (_drawn(rng, 0.6), _drawn(rng, 0.6), None),
            (_drawn(rng, 0.6), _drawn(rng, 0.6), None),
        ],
    ]
    arrays = {
        "token_embedding": np.hstack([token, np.zeros((VOCABULARY, VOCABULARY + P))]),
        "position_embedding": np.hstack(
            [np.zeros((LONGEST, 2 * VOCABULARY)), sinusoidal(LONGEST, P)]
        ),
    }
    faint = _placed(A, token), FAINT * _placed(A, token).T
    for i, heads in enumerate(layers):
        writes = [written or faint for *_, written in heads]
        arrays |= {
            f"{i}.query": np.hstack([query for query, *_ in heads]),
            f"{i}.key": np.hstack([key for _, key, _ in heads]),
            f"{i}.value": np.hstack([value for value, _ in writes]),
            f"{i}.output": np.vstack([output for _, output in writes]),
            f"{i}.mlp_up": np.zeros((D, 1)),
            f"{i}.mlp_down": np.zeros((1, D)),
        }
    return arrays


def _placed(rows: slice, matrix: Array) -> Array:
    """A matrix that reads some rows of the stream, P wide."""
    out = np.zeros((D, P))
    out[rows, : matrix.shape[1]] = matrix
    return out


def _positional(design: Any) -> tuple[Array, Array]:
    head = design.head()
    return _placed(POSITIONS, design.scale * head.W_Q), _placed(POSITIONS, head.W_K)


def _drawn(rng: np.random.Generator, size: float) -> Array:
    return size * rng.standard_normal((D, P))
