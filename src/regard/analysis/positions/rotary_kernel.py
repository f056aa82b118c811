"""Heads whose queries and keys are turned by their positions, read like the others."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from regard.analysis.positions.kernel_shape import Sinusoids
from regard.analysis.positions.positional_kernel import FAR, PositionalKernel, read_blocks
from regard.errors import ShapeError
from regard.shapes import choice, integer, real
from regard.shapes.goals import read_rows, read_vector

__all__ = ["rotary_kernel"]


def rotary_kernel(
    W_Q: ArrayLike,
    W_K: ArrayLike,
    tokens: ArrayLike,
    *,
    b_Q: ArrayLike | None = None,
    b_K: ArrayLike | None = None,
    base: float = 10000.0,
    layout: str = "interleaved",
    n: int | None = None,
    phase: float = math.pi / 2,
) -> PositionalKernel:
    """Read the kernel of a head whose queries and keys are turned by their positions.

    The score of a query q at t and a key k at τ is Σ_i |q_i k_i| cos(ω_i (t − τ) + angle),
    pair by pair: for each pair of tokens a kernel of the same family. f is the mean over
    pairs of independent tokens. Its share of the energy is taken over tokens and all phases,
    and the residual over the tokens given, at whatever positions.

    Args:
        W_Q, W_K: (d_model, d_k), d_k even.
        tokens: (m, d_model), what the head reads.
        b_Q, b_K: (d_k,), added to queries and keys.
        base: of the frequencies base^(−2i/d_k).
        layout: which entries make a pair, as in `regard.rotary`.
        n, phase: as in `positional_kernel`.
    """
    function = "rotary_kernel"
    queries_by = read_rows(function, "W_Q", W_Q, "(d_model, d_k)")
    d_model, d_k = queries_by.shape
    keys_by = read_rows(function, "W_K", W_K, "(d_model, d_k)", rows=d_model, width=d_k)
    if d_k % 2:
        raise ShapeError(f"{function}: d_k must be even, because entries turn in pairs. Got {d_k}.")
    x = read_rows(function, "tokens", tokens, "(m, d_model)", width=d_model)
    base = real(function, "base", base, positive=True)
    reach = FAR if n is None else integer(function, "n", n, minimum=1)
    halves = choice(function, "layout", layout, ("interleaved", "halves")) == "halves"
    shift_q, shift_k = (
        0.0 if bias is None else read_vector(function, name, bias, d_k)
        for name, bias in (("b_Q", b_Q), ("b_K", b_K))
    )
    q, k = (
        z[:, : d_k // 2] + 1j * z[:, d_k // 2 :] if halves else z[:, 0::2] + 1j * z[:, 1::2]
        for z in (x @ queries_by + shift_q, x @ keys_by + shift_k)
    )
    # Turned pairs score Re(q e^{iωt} conj(k e^{iωτ})), so f has a + ib = conj(q) k.
    blocks = np.conj(np.mean(q, axis=0)) * np.mean(k, axis=0)
    energy = float(np.sum(np.mean(np.abs(q) ** 2, axis=0) * np.mean(np.abs(k) ** 2, axis=0)))
    residual = max(float(np.max(np.sum(np.abs(np.conj(one) * k - blocks), axis=1))) for one in q)
    return read_blocks(
        blocks,
        Sinusoids(base, reach, real(function, "phase", phase, positive=True)),
        noise=0.0,
        share=float(np.sum(np.abs(blocks) ** 2)) / energy if energy > 0 else 0.0,
        residual=residual,
        scheme="rotary",
    )
