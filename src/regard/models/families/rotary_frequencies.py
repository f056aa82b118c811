"""How fast the pairs of rotary heads turn, also where a model was stretched to longer contexts.

Unscaled, pair c of r/2 turns by base^(−2c/r) radians a position. The stretched kinds:

    linear   every frequency divided by the factor
    llama3   long waves divided by the factor, short ones kept, a line between
    yarn     the same by pairs, a line between two pairs; queries and keys also grow a little
    dynamic  unscaled up to the length that the model was trained for, which is where heads are read
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from regard.errors import InvalidModel
from regard.models.architecture import Array, Rotary

KNOWN = ("default", "linear", "llama3", "yarn", "dynamic")


def rotary_of(
    source: str,
    base: float,
    width: int,
    layout: str,
    scaling: Mapping[str, Any] | None,
    length: int,
) -> Rotary:
    """Return how queries and keys turn.

    Args:
        source: the file, for messages.
        base: of the frequencies.
        width: how many entries of a head are turned.
        layout: "interleaved" or "halves".
        scaling: what a config says under rope_scaling, or None.
        length: the longest context of the model, for yarn without its own.
    """
    if width < 2 or width % 2:
        raise InvalidModel(f"{source}: rotary heads need an even width. Got {width}.")
    plain = base ** (-np.arange(0, width, 2, dtype=np.float64) / width)
    said = dict(scaling or {})
    kind = said.get("rope_type", said.get("type", "default"))
    if kind not in KNOWN:
        raise InvalidModel(
            f"{source}: rotary positions of the kind {str(kind)[:40]!r} are not read. "
            f"Those that are: {', '.join(KNOWN)}."
        )
    if kind in ("default", "dynamic"):
        return Rotary(plain, layout)

    def asked(key: str, default: float | None = None) -> float:
        value = said.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise InvalidModel(f"{source}: rope_scaling needs a positive {key} for {kind}.")
        return float(value)

    factor = asked("factor")
    if kind == "linear":
        return Rotary(plain / factor, layout)
    original = asked("original_max_position_embeddings", length)
    if kind == "llama3":
        return Rotary(
            _llama3(plain, factor, asked("low_freq_factor"), asked("high_freq_factor"), original),
            layout,
        )
    slow, fast = asked("beta_slow", 1.0), asked("beta_fast", 32.0)
    grown = asked("attention_factor", 0.1 * math.log(factor) + 1.0 if factor > 1 else 1.0)
    return Rotary(_yarn(plain, factor, slow, fast, original, base, width), layout, grown)


def _llama3(plain: Array, factor: float, low: float, high: float, original: float) -> Array:
    """Keep waves shorter than original/high, stretch those longer than original/low."""
    turns = original * plain / (2 * math.pi)  # of each pair within the original context
    share = np.clip((turns - low) / (high - low), 0, 1)
    return np.asarray(share * plain + (1 - share) * plain / factor)


def _yarn(
    plain: Array, factor: float, slow: float, fast: float, original: float, base: float, width: int
) -> Array:
    """Keep pairs that turn `fast` times or more within the original context, stretch slow ones."""

    def pair(turns: float) -> float:
        return width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))

    first = max(math.floor(pair(fast)), 0)
    last = min(math.ceil(pair(slow)), width - 1)
    span = last - first if last > first else 0.001
    stretched = np.clip((np.arange(len(plain)) - first) / span, 0, 1)
    return np.asarray(stretched * plain / factor + (1 - stretched) * plain)
