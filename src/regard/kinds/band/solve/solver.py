"""Look back T ± B/2: which blocks are zeroed, what that leaves, and what would be better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim
from regard.certify.objects import told_apart
from regard.core.kernels.threads import one_blas_thread
from regard.design.positions.result import PositionalDesign
from regard.kinds.band.solve import numbers as numbers
from regard.kinds.band.solve.mistakes import mistakes
from regard.kinds.band.spec import BandProblem
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.solving.assumptions import ONLY_POSITIONS
from regard.solving.beyond import BEYOND
from regard.solving.finding import Status
from regard.solving.latex_numbers import angle, percent, tex
from regard.solving.solution import Solution, solved

__all__ = ["solve"]

MOST_POINTS = 400  # of a line
NEGLIGIBLE = 1e-12  # a gap per unit of weight that no scores of 64-bit numbers would show
COLUMNS = ("", "zeroing", "best weights ≥ 0", "best weights")
EXAMPLE = (16, 8.0, 41)  # d_model, B and n of a small case to compare with


def solve(problem: BandProblem) -> Solution:
    """Return the rule for zeroing, the blocks it zeroes, and what is proved of the rest."""
    with one_blas_thread():
        found = Found(problem)
        plain, latex = angle(problem.goal.phase)
        answer = {"zeroed": f"w_i B/2 > {plain}"}
        headline = rf"A_{{ii}} = 0 \quad \text{{for}} \quad \frac{{\omega_i B}}{{2}} > {latex}"
        last = len(found.omega) - len(found.rule.kept)
        if last:
            headline += rf", \quad \text{{that is}} \quad i < {last}"
        if found.status is Status.IMPOSSIBLE:
            headline += (
                r", \quad \text{but no block weights keep the window above all else by more than } "
                + tex(found.signed.bound, 2)
            )
        return solved(
            problem,
            found.status,
            headline,
            answer,
            found.certificate,
            _steps(found, latex),
            _details(found),
            mistakes(found),
            reaches=found.reaches,
            assumes=ONLY_POSITIONS,
        )


class Found:
    """The numbers that steps, details and mistakes speak of."""

    def __init__(self, problem: BandProblem) -> None:
        given = problem.given
        self.given, self.goal = given, problem.goal
        place = (given.d_model, given.base, given.T, given.B, given.n)
        self.omega = numbers.speeds(given.d_model, given.base)
        self.rule = numbers.zeroing(given.d_model, given.base, given.B, problem.goal.phase)
        self.zeroed = numbers.zeroed(*place, problem.goal.phase)
        self.best = numbers.best(*place, signed=False)
        self.signed = numbers.best(*place, signed=True)
        self.half = math.floor(given.B / 2)  # whole shifts on either side that the window holds

    @property
    def status(self) -> Status:
        """Proved if zeroing lifts the window above all else, impossible if nothing does."""
        if self.zeroed is not None and self.zeroed.missed is None:
            return Status.PROVED
        return Status.IMPOSSIBLE if self.signed.design is None else Status.COMPUTED

    @property
    def reaches(self) -> tuple[int, ...]:
        """The claim about the head that zeroing leaves; or that no block weights do better."""
        claims = self.certificate.claims
        if self.status is not Status.IMPOSSIBLE:
            return (0,)
        first = len(claims) - len(self.signed.certificate.claims)
        return tuple(
            place
            for place, claim in enumerate(claims)
            if place >= first
            and claim.kind == "band_optimal"
            and claim.fields["bound"] <= NEGLIGIBLE
        )

    @property
    def certificate(self) -> Certificate:
        """The gap that zeroing leaves, and the largest there can be."""
        claims = [*self.best.certificate.claims, *self.signed.certificate.claims]
        if self.zeroed is not None:
            return told_apart({}, (*self.zeroed.certificate.claims, *claims), 1.0)
        given, width = self.given, self.given.d_model
        about = {"T": given.T, "B": given.B, "n": given.n, "transition": 0.0, "base": given.base}
        nothing = Claim(
            "band_gap", {**about, "ripple": None, "bound": 0.0}, {"A": np.zeros((width, width))}
        )
        return told_apart({}, (nothing, *claims), 1.0)


def _steps(found: Found, phase: str) -> tuple[tuple[str, str], ...]:
    rule, given = found.rule, found.given
    steps = [
        (
            r"The head of exactly $T$ steps scores shift $T + u$ with a sum of cosines.",
            r"f(T + u) = \sum_i \cos \omega_i u",
        ),
        (
            r"Towards the edge of the window, $u = B/2$, the cosine of block $i$ has turned by "
            r"$\omega_i B / 2$. A fast block (small $i$) turns far: it pulls the score down within "
            r"the window and is what made the head exact.",
            r"\omega_0 = 1 > \omega_1 > \ldots > \omega_{d_{model}/2 - 1}",
        ),
        (
            "So the fast blocks are zeroed, all four entries of each, and a block stays while its "
            f"cosine has turned by at most ${phase}$ at the edge.",
            rf"\text{{keep}} \quad \frac{{\omega_i B}}{{2}} \le {phase} \quad \iff \quad i \ge "
            r"\frac{d_{model}}{2} \cdot \frac{1}{\ln b} \ln \frac{B}{2 \phi} = "
            rf"{tex(rule.border)}, \quad \phi = {phase}, \quad b = {tex(given.base)}",
        ),
    ]
    if rule.kept:
        steps.append(
            (
                f"The first block kept is {rule.kept[0]}, and {len(rule.kept)} of "
                f"{len(found.omega)} {'stays' if len(rule.kept) == 1 else 'stay'}. {_edge(rule)}",
                r"\text{droop} = \sum_{\text{kept}} (1 - \cos \frac{\omega_i B}{2}) = "
                rf"{tex(rule.droop)}, \qquad \frac{{\alpha_{{edge}}}}{{\alpha_{{middle}}}} = "
                r"e^{-C\, \text{droop}}",
            )
        )
        steps.append(
            (
                r"It is never quite flat: shift $T$ scores highest, and those beside it less, if "
                r"only by the droop. A smaller $C$ widens the window as well.",
                r"f(T) - f(T + u) = 2 \sum_{\text{kept}} \sin^2 \frac{\omega_i u}{2} \ge 0",
            )
        )
    steps.append(_what_is_left(found))
    return tuple(steps)


def _edge(rule: numbers.Zeroing) -> str:
    if rule.edge > 0:
        return f"At the edge the score is still {percent(rule.edge)} of that in the middle."
    return (
        f"At the edge the score has fallen to {percent(rule.edge)} of that in the middle: it is "
        "not above zero any more."
    )


def _what_is_left(found: Found) -> tuple[str, str]:
    zeroed, best = found.zeroed, found.signed.bound
    if zeroed is None:
        return (
            "Here no block is slow enough: the rule zeroes all of them, and the head attends to "
            "everything alike.",
            "",
        )
    if zeroed.missed is not None:
        reached = (
            "No other weights of the blocks lift the window above all else"
            if found.signed.design is None
            else (f"Other weights of the blocks do, by up to {number(best)} of their sum")
        )
        return (
            f"Here zeroing is not enough: shift {zeroed.missed}, outside the window, scores at "
            f"least as high as the edge. {reached}.",
            "",
        )
    return (
        "Outside the window the score stays lower: divided by the number of blocks kept, the edge "
        f"is above the strongest shift outside, {zeroed.rival}, by the gap. The best weights "
        "instead of zeros and ones make it larger.",
        rf"\text{{gap}} = {tex(zeroed.gap, 4)}, \qquad \text{{best}} = {tex(found.best.bound, 4)}, "
        rf"\qquad \text{{with signs}} = {tex(best, 4)}",
    )


def _details(found: Found) -> tuple[Block, ...]:
    given, rule = found.given, found.rule
    kept = set(rule.kept)
    gone = [i for i in range(len(found.omega)) if i not in kept]
    facts = [
        ("zeroed blocks", ", ".join(map(str, gone)) or "none"),
        (
            "zeroed entries",
            "none" if not gone else f"rows and columns 0 to {2 * gone[-1] + 1} of A",
        ),
        ("kept blocks", _from_to(rule.kept)),
    ]
    if found.zeroed is not None:
        facts += [
            ("droop at the edge", f"{number(rule.droop)} of {len(rule.kept)}"),
            ("strongest shift outside", str(found.zeroed.rival)),
            ("gap per unit of weight", number(found.zeroed.gap)),
        ]
    phases = sorted({*numbers.PHASES, found.goal.phase})
    rows = []
    for phase in phases:
        one = numbers.zeroing(given.d_model, given.base, given.B, phase)
        first = str(one.kept[0]) if one.kept else "none"
        edge = number(one.edge, 10) if one.kept else ""
        shown = angle(phase)[0].replace("pi", "π")
        droop = number(one.droop) if one.kept else ""
        cells = (shown, number(one.border, 10), first, str(len(one.kept)), edge, droop)
        rows.append(cells)
    return (
        Facts(tuple(facts)),
        Table(
            ("phase at the edge", "border", "first kept", "kept", "edge / middle", "droop"),
            tuple(rows),
            "how the choice of the phase matters; π/2 keeps every cosine above zero on the window",
        ),
        *_comparison(found),
        _plot(found),
        *BEYOND,
        *_small_case(),
    )


def _from_to(kept: Sequence[int]) -> str:
    if not kept:
        return "none"
    return str(kept[0]) if len(kept) == 1 else f"{kept[0]} to {kept[-1]}"


def _comparison(found: Found) -> tuple[Block, ...]:
    row = _gaps(found.given, found.zeroed, found.best, found.signed)
    caption = (
        "the lowest score in the window minus the highest outside, for block weights of sum 1 in "
        "size: a linear program finds the best, and its dual proves it"
    )
    return Table(COLUMNS, (row,), caption), _best_facts(found.best, found.signed)


def _small_case() -> tuple[Block, ...]:
    """The same for a case so small that two or three blocks are best."""
    d_model, B, n = EXAMPLE
    small = (d_model, 10000.0, 0, B, n)
    positive, signed = (numbers.best(*small, signed=sign) for sign in (False, True))
    name = f"d_model = {d_model}, B = {number(B)}, n = {n}"
    row = (name, *_gap_cells(numbers.zeroed(*small, math.pi / 2), positive, signed))
    return Table(COLUMNS, (row,), "the same in a small case"), _best_facts(positive, signed)


def _best_facts(positive: numbers.Best, signed: numbers.Best) -> Facts:
    return Facts(
        (
            ("best weights ≥ 0, by block", _weights(positive)),
            ("best weights, by block", _weights(signed)),
        )
    )


def _gaps(given: Any, zeroed: PositionalDesign | None, *bests: numbers.Best) -> tuple[str, ...]:
    name = f"d_model = {given.d_model}, B = {number(given.B)}, n = {given.n}"
    return (name, *_gap_cells(zeroed, *bests))


def _gap_cells(zeroed: PositionalDesign | None, *bests: numbers.Best) -> tuple[str, ...]:
    first = "0" if zeroed is None else number(zeroed.gap, 8)
    return (first, *("none" if b.design is None else number(b.bound, 8) for b in bests))


def _weights(one: numbers.Best) -> str:
    if one.design is None:
        return "none lifts the window above all else, by the proof below"
    sizes = _signed_sizes(one.design)
    return ", ".join(f"{i}: {number(float(sizes[i]), 5)}" for i in one.design.kept)


def _signed_sizes(design: PositionalDesign) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the weight of each block: its size, below zero where it is turned half a turn more."""
    kernel = design.kernel
    omega = numbers.speeds(2 * len(kernel.a), kernel.base)
    turned = kernel.a * np.cos(omega * design.T) + kernel.b * np.sin(omega * design.T)
    return np.asarray(np.copysign(np.hypot(kernel.a, kernel.b), turned))


def _plot(found: Found) -> Plot:
    given = found.given
    reach = min(given.n - 1 + abs(given.T), 3 * math.ceil(given.B) + 10)
    step = max(1, math.ceil((2 * reach + 1) / MOST_POINTS))
    u = np.arange(-reach, reach + 1, step, dtype=float)
    u = u[np.abs(u + given.T) < given.n]
    count = len(found.omega)
    kernels = [("all blocks", np.full(count, 1 / count))]
    if found.rule.kept:
        kept = np.isin(np.arange(count), found.rule.kept)
        kernels.append(("fast blocks zeroed", kept / np.sum(kept)))
    for name, one in (("best weights ≥ 0", found.best), ("best weights", found.signed)):
        if one.design is not None:
            kernels.append((name, _signed_sizes(one.design)))
    table = np.cos(np.outer(u, found.omega))
    series = tuple(
        Series(name, tuple((u + given.T).tolist()), tuple((table @ weights).tolist()))
        for name, weights in kernels
    )
    caption = (
        f"score against t − τ; the window is {number(given.T - given.B / 2)} to "
        f"{number(given.T + given.B / 2)}"
    )
    return Plot("lines", caption, "t − τ", "score, weights of sum 1", series)
