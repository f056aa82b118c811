"""Random calls of the design functions with numbers from the whole range of float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import regard

Rng = np.random.Generator
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

SIZES = (1e-320, 1e-310, 1e-300, 1e-200, 1e-100, 1e-30, 1, 1, 1, 1e30, 1e100, 1e200, 1e300, 1.7e308)


def table(rng: Rng, *shape: int) -> Any:
    """Return numbers of one extreme size, of many, or at the largest float."""
    entries = rng.standard_normal(shape) if rng.random() < 0.6 else rng.integers(-2, 3, shape)
    draw = rng.random()
    with np.errstate(all="ignore"):
        if draw < 0.6:
            entries = entries * rng.choice(SIZES)
        elif draw < 0.8:
            entries = entries * rng.choice(SIZES, shape)
        elif draw < 0.9:
            entries = np.clip(entries, -1, 1) * 1.7e308
    return np.nan_to_num(entries.astype(float), posinf=1.7e308, neginf=-1.7e308)


def number(rng: Rng) -> float:
    return float(rng.choice(SIZES)) if rng.random() < 0.5 else float(10 ** rng.uniform(-3, 3))


def some(rng: Rng, **makers: Callable[[], Any]) -> dict[str, Any]:
    """Return some of the options."""
    return {name: make() for name, make in makers.items() if rng.random() < 0.4}


def target(rng: Rng, n: int) -> Any:
    if n == 1 or rng.random() < 0.5:
        return int(rng.integers(n))
    if rng.random() < 0.5:
        return {int(i): 0.5 for i in rng.permutation(n)[:2]}
    weights = rng.random(n)
    return weights / weights.sum()


def query(rng: Rng) -> Call:
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    options = some(
        rng,
        values=lambda: table(rng, n, 2),
        scale=lambda: number(rng),
        tolerance=lambda: number(rng),
    )
    return regard.design.query, (table(rng, n, d), target(rng, n)), options


def self_attention(rng: Rng) -> Call:
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    tokens = table(rng, n, d) if rng.random() < 0.4 else rng.standard_normal((n, d))
    options = some(
        rng,
        outputs=lambda: {int(rng.integers(n)): table(rng, 2)},
        W_V=lambda: table(rng, d, 2),
        scale=lambda: number(rng),
        tolerance=lambda: number(rng),
    )
    if "outputs" not in options or rng.random() < 0.3:
        options["attend"] = {i: int(rng.integers(n)) for i in range(int(rng.integers(1, n + 1)))}
    return regard.design.self_attention, (tokens,), options


def separator(rng: Rng) -> Call:
    d = int(rng.integers(1, 5))
    spans = table(rng, d, int(rng.integers(1, 3))), table(rng, d, int(rng.integers(1, 3)))
    return regard.design.separator, spans, some(rng, share=lambda: number(rng))


def robust(rng: Rng) -> Call:
    n, d = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    factors = table(rng, n, d, d)
    with np.errstate(all="ignore"):
        noise = np.einsum("nij,nkj->nik", factors, factors)
    if not np.isfinite(noise).all():
        noise = np.broadcast_to(np.eye(d), (n, d, d)) * rng.choice(SIZES)
    options = some(rng, scale=lambda: number(rng), values=lambda: table(rng, n, 2))
    options["objective"] = str(rng.choice(["variance", "quantile", "failure"]))
    if n > 2 or rng.random() < 0.7:  # else the gap is searched for, which takes a while
        options["gap"] = number(rng)
    options |= some(rng, norm=lambda: number(rng))
    return regard.design.robust, (table(rng, n, d), noise, target(rng, n)), options


def offset(rng: Rng) -> Call:
    n = int(rng.integers(1, 9))
    options = some(
        rng,
        base=lambda: number(rng),
        scale=lambda: number(rng),
        tolerance=lambda: float(10 ** rng.uniform(-13, -0.5)),
    )
    place = int(rng.integers(-n, n + 1))
    return regard.design.offset, (place, int(2 * rng.integers(1, 5))), {"n": n, **options}


def band(rng: Rng) -> Call:
    options = some(
        rng,
        base=lambda: number(rng),
        scale=lambda: number(rng),
        transition=lambda: number(rng),
    )
    if rng.random() < 0.5:
        options["method"] = "optimal"
        options |= some(rng, ripple=lambda: number(rng), signed=lambda: True)
    else:
        options |= some(rng, phase=lambda: number(rng))
    width = number(rng) if rng.random() < 0.3 else int(rng.integers(0, 6))
    place, d_model = int(rng.integers(-4, 5)), int(2 * rng.integers(1, 5))
    return regard.design.band, (place, width, d_model), {"n": int(rng.integers(2, 12)), **options}


DESIGNS = (query, self_attention, separator, robust, offset, band)
