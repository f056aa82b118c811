"""Find which blocks are zeroed to look back T ± B/2, what that leaves, and what would be better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import regard.design
from regard.certify import Certificate, Claim
from regard.certify.claim_subjects import told_apart
from regard.design.positions.result import PositionalDesign
from regard.errors import InfeasibleDesign, ParameterError
from regard.kinds.band.instance import Window, window_of
from regard.kinds.band.spec import BandProblem
from regard.language.writing import angle
from regard.problems.positions import Float64, frequencies
from regard.solving.finding import Finding, Status

NEGLIGIBLE = 1e-12  # a gap per unit of weight that no scores of 64-bit numbers would show


@dataclass(frozen=True, eq=False)
class Rule:
    """What keeping a block while w_i B/2 is at most a phase leaves.

    Attributes:
        phase: how far a block may turn from the middle of the window to its edge.
        border: the i, not rounded, at which w_i B/2 is the phase.
        kept: the blocks that stay.
        cosines: those of the blocks kept, at the edge of the window.
    """

    phase: float
    border: float
    kept: tuple[int, ...]
    cosines: Float64

    @property
    def edge(self) -> float:
        """The score at the edge of the window, as a share of that in its middle."""
        return float(np.mean(self.cosines))

    @property
    def droop(self) -> float:
        """By how much it is lower there, for blocks of size 1."""
        return float(np.sum(1 - self.cosines))


@dataclass(frozen=True)
class Best:
    """The block weights with the largest gap, or None with what proves that there are none."""

    design: PositionalDesign | None
    bound: float
    certificate: Certificate

    @property
    def sizes(self) -> Float64 | None:
        """The weight of each block: its size, below zero where it is turned half a turn more."""
        if self.design is None:
            return None
        kernel = self.design.kernel
        turn = frequencies(2 * len(kernel.a), kernel.base) * self.design.T
        along = kernel.a * np.cos(turn) + kernel.b * np.sin(turn)
        return np.asarray(np.copysign(np.hypot(kernel.a, kernel.b), along))


@dataclass(frozen=True, eq=False, kw_only=True)
class Zeroing(Finding):
    """What the rule of the problem zeroes, the head that is left, and the best there is.

    Attributes:
        window: the window of the problem.
        rule: which blocks stay.
        head: the head that they make; None where all blocks are zeroed.
        best: the best weights that are not negative.
        signed: the best weights of either sign.
    """

    window: Window
    rule: Rule
    head: PositionalDesign | None
    best: Best
    signed: Best

    def scores_at(self, shifts: Float64) -> tuple[Float64, ...]:
        """Return scores u from the middle of the window, for weights whose sizes sum to 1.

        With all blocks alike; the kept ones alike; the best weights, and the best of either sign.
        Heads that there are none of are left out.
        """
        count, kept = len(self.window.omega), np.isin(np.arange(len(self.window.omega)), self.kept)
        weights = (
            np.full(count, 1 / count),
            kept / np.sum(kept) if self.kept else None,
            self.best.sizes,
            self.signed.sizes,
        )
        table = np.cos(np.outer(shifts, self.window.omega))
        return tuple(table @ one for one in weights if one is not None)

    @property
    def kept(self) -> tuple[int, ...]:
        """The blocks that stay."""
        return self.rule.kept

    @property
    def peak_of_cosines(self) -> int:
        """The shift with the highest score where the sines of the kept blocks are zeroed too."""
        omega = self.window.omega[list(self.kept)]
        shifts = np.arange(1 - self.window.n, self.window.n, dtype=float)
        scores = np.cos(np.outer(shifts, omega)) @ np.cos(omega * self.window.T)
        return int(shifts[int(np.argmax(scores))])


def solve(problem: BandProblem) -> Zeroing:
    """Return the rule for zeroing, the blocks it zeroes, and what is proved of the rest."""
    window, phase = window_of(problem.given), problem.goal.phase
    head = zeroed_head(window, phase)
    best, signed = (best_weights(window, signed=sign) for sign in (False, True))
    first = head.certificate.claims if head else (_nothing_left(window),)
    claims = (*first, *best.certificate.claims, *signed.certificate.claims)
    reaches: tuple[int, ...] = (0,)
    status = Status.COMPUTED
    if head is not None and head.missed is None:
        status = Status.PROVED
    elif signed.design is None:
        status, reaches = Status.IMPOSSIBLE, _excluding(claims, signed)
    return Zeroing(
        status,
        {"zeroed": f"w_i B/2 > {angle(phase)}"},
        told_apart({}, claims, 1.0),
        reaches,
        window=window,
        rule=rule_of(window, phase),
        head=head,
        best=best,
        signed=signed,
    )


def rule_of(window: Window, phase: float) -> Rule:
    """Return what the rule w_i B/2 ≤ phase leaves."""
    turn = window.omega * (window.B / 2)
    kept = np.flatnonzero(turn <= phase)
    border = window.d_model / 2 * math.log(window.B / (2 * phase)) / math.log(window.base)
    return Rule(phase, border, tuple(kept.tolist()), np.cos(turn[kept]))


def zeroed_head(window: Window, phase: float) -> PositionalDesign | None:
    """Return the head that zeroing leaves; None where all blocks are zeroed."""
    w = window
    try:
        return regard.design.band(w.T, w.B, w.d_model, n=w.n, phase=phase, base=w.base)
    except ParameterError:
        return None


def best_weights(window: Window, *, signed: bool) -> Best:
    """Return the block weights with the largest gap, proved to be so."""
    w = window
    try:
        design = regard.design.band(
            w.T, w.B, w.d_model, n=w.n, method="optimal", signed=signed, base=w.base
        )
    except InfeasibleDesign as error:
        bound = float(error.certificate.claims[0].fields["bound"])
        return Best(None, bound, error.certificate)
    return Best(design, design.gap, design.certificate)


def _nothing_left(window: Window) -> Claim:
    """Claim the gap 0 of a head without blocks."""
    w = window
    about = {"T": w.T, "B": w.B, "n": w.n, "transition": 0.0, "base": w.base}
    zeros = np.zeros((w.d_model, w.d_model))
    return Claim("band_gap", {**about, "ripple": None, "bound": 0.0}, {"A": zeros})


def _excluding(claims: tuple[Claim, ...], signed: Best) -> tuple[int, ...]:
    """Return where the claims stand by which no block weights lift the window above all else."""
    first = len(claims) - len(signed.certificate.claims)
    return tuple(
        place
        for place, claim in enumerate(claims)
        if place >= first and claim.kind == "band_optimal" and claim.fields["bound"] <= NEGLIGIBLE
    )
