"""What zeroing blocks does to the kernel of a head, for each phase, and what would be better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import regard.design
from regard.design.positions.result import PositionalDesign
from regard.errors import InfeasibleDesign, ParameterError

Array = NDArray[np.float64]

PHASES = (math.pi / 4, math.pi / 3, math.pi / 2, math.pi)


def speeds(d_model: int, base: float) -> Array:
    """Return w_i = base^(-2i/d_model)."""
    m = d_model // 2
    return np.asarray(float(base) ** (-np.arange(m) / m))


@dataclass(frozen=True)
class Zeroing:
    """What one phase leaves.

    Attributes:
        phase: a block is kept while w_i B/2 is at most this.
        border: the i, not rounded, at which w_i B/2 is the phase.
        kept: the blocks that stay.
        edge: the score at the edge of the window, as a share of that in its middle.
        droop: by how much it is lower there, for blocks of size 1.
    """

    phase: float
    border: float
    kept: tuple[int, ...]
    edge: float
    droop: float


def zeroing(d_model: int, base: float, B: float, phase: float) -> Zeroing:
    """Return what the rule w_i B/2 ≤ phase leaves."""
    turn = speeds(d_model, base) * (B / 2)
    kept = np.flatnonzero(turn <= phase)
    border = d_model / 2 * math.log(B / (2 * phase)) / math.log(base)
    cosines = np.cos(turn[kept])
    edge = float(np.mean(cosines)) if len(kept) else math.nan
    return Zeroing(phase, border, tuple(kept.tolist()), edge, float(np.sum(1 - cosines)))


@dataclass(frozen=True)
class Best:
    """The weights with the largest gap, or what proves that there are none."""

    design: PositionalDesign | None
    bound: float
    certificate: regard.certify.Certificate


def zeroed(
    d_model: int, base: float, T: int, B: float, n: int, phase: float
) -> PositionalDesign | None:
    """Return the head that zeroing leaves; None where all blocks are zeroed."""
    try:
        return regard.design.band(T, B, d_model, n=n, phase=phase, base=base)
    except ParameterError:
        return None


def best(d_model: int, base: float, T: int, B: float, n: int, signed: bool) -> Best:
    """Return the block weights with the largest gap, proved to be so."""
    try:
        design = regard.design.band(T, B, d_model, n=n, method="optimal", signed=signed, base=base)
    except InfeasibleDesign as error:
        bound = float(error.certificate.claims[0].fields["bound"])
        return Best(None, bound, error.certificate)
    return Best(design, design.gap, design.certificate)
