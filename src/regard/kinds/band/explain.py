"""Tell which blocks are zeroed to look back T ± B/2, what that leaves, and what would be better."""

from __future__ import annotations

import math

import numpy as np

from regard.design.positions.result import PositionalDesign
from regard.kinds.band.instance import Window
from regard.kinds.band.solve import Best, Rule, Zeroing, best_weights, rule_of, zeroed_head
from regard.kinds.band.spec import BandProblem
from regard.kinds.band.width_slider import width_slider
from regard.language.bounds import upper_bound
from regard.language.writing import angle as plain_angle
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.assumptions import ONLY_POSITIONS
from regard.solving.finding import Explanation, Status, Steps
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.latex_numbers import angle, equal, percent, tex

PHASES = (math.pi / 4, math.pi / 3, math.pi / 2, math.pi)  # that are compared
MOST_POINTS = 400  # of a line
SMALL = Window(d_model=16, n=41, T=0, base=10000.0, B=8.0)  # two or three blocks are best there


def explain(problem: BandProblem, found: Zeroing) -> Explanation:
    """Return the rule in words, with what it leaves and what the best weights would."""
    phase = angle(found.rule.phase)
    headline = rf"A_{{ii}} = 0 \quad \text{{for}} \quad \frac{{\omega_i B}}{{2}} > {phase}"
    gone = len(found.window.omega) - len(found.rule.kept)
    if gone:
        headline += rf", \quad \text{{that is}} \quad i < {gone}"
    if found.status is Status.IMPOSSIBLE:
        headline += (
            r", \quad \text{but no block weights keep the window above all else by more than } "
            + tex(found.signed.bound, 2)
        )
    fast = marked("fast blocks", "target")
    result = (
        f"Without its {fast}, those with $\\omega_i B / 2 > {phase}$, the head looks back roughly."
    )
    return Explanation(
        headline,
        _steps(found, phase),
        _details(found),
        _beliefs(found),
        ONLY_POSITIONS,
        result="" if found.status is Status.IMPOSSIBLE else result,
    )


def _steps(found: Zeroing, phase: str) -> Steps:
    rule = found.rule
    steps = [
        (
            r"**Scores.** The head of exactly $T$ steps scores shift $T + u$ with a sum of "
            r"cosines.",
            r"f(T + u) = \sum_i \cos \omega_i u",
        ),
        (
            r"**Edge.** Towards the edge of the window, $u = B/2$, the cosine of block $i$ has "
            r"turned by "
            r"$\omega_i B / 2$. A fast block (small $i$) turns far: it pulls the score down within "
            r"the window and is what made the head exact.",
            r"\omega_0 = 1 > \omega_1 > \ldots > \omega_{d_{model}/2 - 1}",
        ),
        (
            "**Rule.** So the fast blocks are zeroed, all four entries of each, and a block "
            "stays while its "
            f"cosine has turned by at most ${phase}$ at the edge.",
            rf"\text{{keep}} \quad \frac{{\omega_i B}}{{2}} \le {phase} \quad \iff \quad i \ge "
            r"\frac{d_{model}}{2} \cdot \frac{1}{\ln b} \ln \frac{B}{2 \phi} "
            rf"{equal(rule.border)}, \quad \phi = {phase}, \quad b {equal(found.window.base)}",
        ),
    ]
    if rule.kept:
        steps += [
            (
                f"**Blocks.** The first block kept is {rule.kept[0]}, and {len(rule.kept)} of "
                f"{len(found.window.omega)} {'stays' if len(rule.kept) == 1 else 'stay'}. "
                f"{_edge(rule)}",
                r"\text{droop} = \sum_{\text{kept}} (1 - \cos \frac{\omega_i B}{2}) "
                rf"{equal(rule.droop)}, \qquad \frac{{\alpha_{{edge}}}}{{\alpha_{{middle}}}} = "
                r"e^{-C\, \text{droop}}",
            ),
            (
                r"**Droop.** It is never quite flat: shift $T$ scores highest, and those beside "
                r"it less, if "
                r"only by the droop. A smaller $C$ widens the window as well.",
                r"f(T) - f(T + u) = 2 \sum_{\text{kept}} \sin^2 \frac{\omega_i u}{2} \ge 0",
            ),
        ]
    return (*steps, _what_is_left(found))


def _edge(rule: Rule) -> str:
    if rule.edge > 0:
        return f"At the edge the score is still {percent(rule.edge)} of that in the middle."
    return (
        f"At the edge the score has fallen to {percent(rule.edge)} of that in the middle: it is "
        "not above zero any more."
    )


def _what_is_left(found: Zeroing) -> tuple[str, str]:
    head, best = found.head, found.signed.bound
    if head is None:
        return (
            "**Rule.** Here no block is slow enough: the rule zeroes all of them, and the head "
            "attends to "
            "everything alike.",
            "",
        )
    if head.missed is not None:
        reached = (
            "No other weights of the blocks lift the window above all else"
            if found.signed.design is None
            else f"Other weights of the blocks do, by up to {upper_bound(best, 3)} of their sum"
        )
        return (
            f"**Gap.** Here zeroing is not enough: shift {head.missed}, outside the window, "
            f"scores at "
            f"least as high as the edge. {reached}.",
            "",
        )
    return (
        "**Gap.** Outside the window the score stays lower: divided by the number of blocks "
        "kept, the edge "
        f"is above the strongest shift outside, {head.rival}, by the gap. The best weights "
        "instead of zeros and ones make it larger.",
        rf"\text{{gap}} {equal(head.gap)}, \qquad \text{{best}} {equal(found.best.bound)}, "
        rf"\qquad \text{{with signs}} {equal(best)}",
    )


def _details(found: Zeroing) -> tuple[Block, ...]:
    rule, head, count = found.rule, found.head, len(found.window.omega)
    gone = [i for i in range(count) if i not in rule.kept]
    stays = rule.kept[:1] + rule.kept[1:][-1:]
    facts = [
        ("zeroed blocks", ", ".join(map(str, gone)) or "none"),
        ("zeroed entries", f"rows and columns 0 to {2 * gone[-1] + 1} of A" if gone else "none"),
        ("kept blocks", " to ".join(map(str, stays)) or "none"),
    ]
    if head is not None:
        facts += [
            ("droop at the edge", f"{short(rule.droop, 4)} of {len(rule.kept)}"),
            ("strongest shift outside", str(head.rival)),
            ("gap per unit of weight", number(head.gap)),
        ]
    phases = sorted({*PHASES, rule.phase})
    return (
        *width_slider(found),
        Facts(tuple(facts)),
        Table(
            ("phase at the edge", "border", "first kept", "kept", "edge / middle", "droop"),
            tuple(_phase_row(rule_of(found.window, phase)) for phase in phases),
            "how the choice of the phase matters; π/2 keeps every cosine above zero on the window",
        ),
        *_comparison(
            found.window,
            (head, found.best, found.signed),
            "the lowest score in the window minus the highest outside, for block weights of sum 1 "
            "in size: a linear program finds the best, and its dual proves it",
        ),
        _plot(found),
        *GENERAL_REMARKS,
        *_comparison(
            SMALL,
            (
                zeroed_head(SMALL, math.pi / 2),
                best_weights(SMALL, signed=False),
                best_weights(SMALL, signed=True),
            ),
            "the same in a small case",
        ),
    )


def _phase_row(rule: Rule) -> tuple[str, ...]:
    shown, border = plain_angle(rule.phase).replace("pi", "π"), number(rule.border, 10)
    if not rule.kept:
        return (shown, border, "none", "0", "", "")
    first, count = str(rule.kept[0]), str(len(rule.kept))
    return (shown, border, first, count, number(rule.edge, 10), number(rule.droop))


def _comparison(
    window: Window, heads: tuple[PositionalDesign | None, Best, Best], caption: str
) -> tuple[Block, ...]:
    """Set the gap of zeroing beside the largest, and tell the weights that have it."""
    zeroed, *bests = heads
    name = f"d_model = {window.d_model}, B = {short(window.B, 4)}, n = {window.n}"
    gaps = ("none" if one.design is None else number(one.bound, 8) for one in bests)
    row = (name, "0" if zeroed is None else number(zeroed.gap, 8), *gaps)
    columns = ("", "zeroing", "best weights ≥ 0", "best weights")
    names = ("best weights ≥ 0, by block", "best weights, by block")
    pairs = zip(names, map(_weights, bests), strict=True)
    return Table(columns, (row,), caption), Facts(tuple(pairs))


def _weights(one: Best) -> str:
    sizes = one.sizes
    if one.design is None or sizes is None:
        return "none lifts the window above all else, by the proof below"
    return ", ".join(f"{i}: {short(float(sizes[i]), 4)}" for i in one.design.kept)


def _plot(found: Zeroing) -> Plot:
    window = found.window
    farthest = min(window.n - 1 + abs(window.T), 3 * math.ceil(window.B) + 10)
    step = max(1, math.ceil((2 * farthest + 1) / MOST_POINTS))
    u = np.arange(-farthest, farthest + 1, step, dtype=float)
    u = u[np.abs(u + window.T) < window.n]
    names = ("all blocks", "fast blocks zeroed", "best weights ≥ 0", "best weights")
    there = (True, found.kept, found.best.design, found.signed.design)
    drawn = (name for name, one in zip(names, there, strict=True) if one)
    series = tuple(
        Series(name, tuple((u + window.T).tolist()), tuple(scores.tolist()))
        for name, scores in zip(drawn, found.scores_at(u), strict=True)
    )
    caption = (
        f"score against t − τ; the window is {short(window.T - window.B / 2)} to "
        f"{short(window.T + window.B / 2)}"
    )
    return Plot("lines", caption, "t − τ", "score, weights of sum 1", series)


def _beliefs(found: Zeroing) -> tuple[str, ...]:
    """Tell what comes of zeroing parts of blocks, and that the window has no flat top."""
    window, rule, head = found.window, found.rule, found.head
    said = []
    if rule.kept and window.T:
        peak = found.peak_of_cosines
        if peak != window.T:
            said.append(
                "Zeroing single entries, such as the sines of each block, and not whole blocks: "
                "what is left does not turn by $\\omega_i T$, and the highest score moves from "
                f"shift {window.T} to {peak}."
            )
    if head is not None and head.missed is None:
        said.append(
            f"Expecting a flat top, or a sharp edge: with $C = 1$ the edge has "
            f"{short(math.exp(-rule.droop))} times the weight of the middle, and shift "
            f"{head.rival}, just outside or farther, is only "
            f"{number(head.gap * len(rule.kept), 3)} below the edge."
        )
    return tuple(said)
