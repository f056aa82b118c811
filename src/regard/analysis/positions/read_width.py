"""How wide a head looks: the width B of its window T ± B/2, and every width that fits as well.

There are three ways to make a window, and each leaves its mark on the block weights: zero the
fast blocks, take the weights with the largest gap, or neither.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.analysis.positions.kernel_shape import Centre, Sinusoids, turns_of, window_of
from regard.analysis.positions.read_band import LONGEST, SAME, match, within_chance

__all__ = ["NEAR", "Width", "width_from_gap", "width_of"]

Complex = NDArray[np.complex128]
Indices = NDArray[np.intp]

NEAR = 2**12  # how far from T the outside of a window is looked at
SURE = 30.0  # times its noise: where the gap of a window is as wide, its corners can be counted
POSITIONAL = 0.9  # the least share of energy at which weights are compared with designed ones


class Width(NamedTuple):
    """A width B, the first and last width that fit as well, and how they were read."""

    B: int
    widths: tuple[float, float]
    how: str


def width_of(
    blocks: Complex,
    kept: Indices,
    centre: Centre,
    positions: Sinusoids,
    *,
    noise: float,
    share: float,
) -> Width:
    """Read B off the blocks, largest 1, of which those kept rise above the noise."""
    T, symmetric, _ = centre
    base, reach, phase = positions
    if len(kept) == 0:
        return Width(0, (0.0, 0.0), "there is no positional part")
    d = 2 * len(blocks)
    turned = blocks * np.conj(turns_of(np.array([float(T)]), d, base)[0])
    u = turned.real[kept]
    slow = int(kept[0]) + len(kept) == len(blocks)
    equal = None
    if symmetric and float(np.ptp(u)) <= max(1e-9, 7 * noise):
        equal = _equal(kept, slow, d, base, phase, noise)
        # Some best weights are nearly equal too, but hardly ever down to the slowest block. One
        # block alone is the best for many windows: nothing is left to compare.
        freedom = len(u) - 1
        chance = within_chance(freedom) if slow else freedom + 2 * math.sqrt(2 * freedom)
        if float(np.sum((u - np.mean(u)) ** 2)) <= max(1e-18, chance * noise**2 / 2):
            return equal
    used = np.zeros_like(turned)
    used[kept] = turned[kept]
    r, gap, blur = _counted(used, T, noise, base, reach)
    if symmetric and share >= POSITIONAL:
        clear = gap > SURE * blur
        # A design for T has n > |T|, and shifts below n are less than n + |T| from T.
        found = match(turned.real, noise, base, reach + abs(T), 2 * abs(T) + 1, r, clear)
        if found is not None:
            how = "the weights are the best for T ± B/2"
            if reach + abs(T) > LONGEST:
                how += " up to some length"
            if found.free:
                steps = "1 step" if found.free == 1 else f"{found.free} steps"
                how += f" with {steps} past either edge left free"
            if found.others:
                widths = ", ".join(str(2 * r) for r in found.others)
                how += f", and so they are for B = {widths}"
            return Width(2 * found.r, (2.0 * found.first, 2.0 * found.last + 1), how)
    if equal is not None:
        return equal
    return width_from_gap(r, gap)


def width_from_gap(r: int, gap: float) -> Width:
    """The reading of a kernel that falls off by `gap` at T ± r, if it does."""
    how = "f falls off most clearly at T ± B/2" if gap > 0 else "no window stands out"
    return Width(2 * r, (2.0 * r, 2.0 * r + 1), how)


def _equal(kept: Indices, slow: bool, d: int, base: float, phase: float, noise: float) -> Width:
    """The reading of blocks of equal weight; slow: they reach down to the slowest.

    All widths from bottom to top zero the same blocks. Without noise it is the widest. With noise
    it is one that few of the others are far from, relative to their size: the harmonic mean of
    bottom and top, whose largest distance is least, or 3/4 of the top if that is wider.
    """
    first = int(kept[0])
    omega = base ** (-2.0 * np.arange(d // 2) / d)
    top = 2 * phase / float(omega[first])
    if slow and first > 0:
        how = f"the {first} fastest blocks are zeroed and the others are equal"
        bottom = 2 * phase / float(omega[first - 1])
        widest = math.floor(top * (1 + 1e-12))
        near = math.ceil(max(2 * bottom * top / (bottom + top), 0.75 * top))
        return Width(widest if noise <= SAME else min(near, widest), (bottom, top), how)
    used = "one block is used," if len(kept) == 1 else "the blocks used are equal and"
    return Width(0, (0.0, top), "no block is zeroed" if slow else f"{used} not the slowest")


def _counted(
    turned: Complex, T: int, noise: float, base: float, reach: int
) -> tuple[int, float, float]:
    """The r where f(T ± x) falls off most clearly, the gap there and the noise of f."""
    d = 2 * len(turned)
    kept = np.flatnonzero(turned)
    half_turn = math.ceil(math.pi / float(np.min(base ** (-2.0 * kept / d))))
    side = np.arange(min(half_turn, NEAR, reach - 1 + abs(T)) + 1)
    e = turns_of(side.astype(np.float64), d, base)
    ahead, back = e.real @ turned.real, e.imag @ turned.imag
    blur = noise * math.sqrt(len(kept) / 2)
    same = max(SAME * float(np.sum(np.abs(turned))), 3 * blur)
    r, gap = window_of(ahead - np.abs(back), ahead + np.abs(back), same)
    return r, gap, blur
