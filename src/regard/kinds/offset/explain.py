"""Tell of a head that looks T steps back: why rotations, how large, and who comes near."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.offset.rivals import (
    FAR,
    SOME,
    WidthRival,
    condition_number,
    least_weight,
    of_width,
)
from regard.kinds.offset.size_slider import size_slider
from regard.kinds.offset.solve import NoScale, Rotation
from regard.kinds.offset.spec import OffsetProblem
from regard.report import Block, Facts, Plot, Series, Table, Text, number
from regard.report.headline import marked
from regard.report.numbers import rounded_up, short
from regard.solving.assumptions import ONLY_POSITIONS
from regard.solving.closed_forms import SUFFICIENT_GAP
from regard.solving.finding import Explanation, Steps
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.latex_numbers import equal, percent, tex_enough

_ROTATION = (
    r"\begin{bmatrix} \cos \omega_i T & -\sin \omega_i T \\ "
    r"\sin \omega_i T & \cos \omega_i T \end{bmatrix}"
)
MOST_BLOCKS = 8  # of a table
MOST_POINTS = 400  # of a line
WIDTHS = (2, 8, 16, 64, 128, 512)


def explain(problem: OffsetProblem, found: Rotation | NoScale) -> Explanation:
    """Return the blocks in words, with what the size of C comes from."""
    headline = rf"A_{{ii}} = C {_ROTATION}, \quad A_{{ij}} = 0 \quad (i \ne j)"
    algebra = _algebra(problem.given.T)
    if isinstance(found, NoScale):
        reason = f"No scale is certain to be enough. {found.reason}"
        return Explanation(headline, (*algebra, (reason, "")))
    headline += rf", \quad C \ge {tex_enough(found.size)}"
    if len(found.used) < len(found.omega):
        headline += rf", \quad i \in \{{{', '.join(map(str, found.design.kept))}\}}"
    return Explanation(
        headline,
        (*algebra, *_size_steps(found)),
        _details(found),
        _beliefs(found),
        assumes=ONLY_POSITIONS,
        result=f"Blocks that {marked('turn by', 'target')} $\\omega_i T$ make a head look exactly "
        f"$T$ steps back, from $C$ = {marked(rounded_up(found.size), 'target')} on.",
    )


def _algebra(T: int) -> Steps:
    back = "T steps back" if T > 0 else "T steps back (negative: ahead)" if T < 0 else "its own"
    return (
        (
            r"**Rotation.** A pair $(\sin \omega_i t, \cos \omega_i t)$ is a point on a circle. "
            r"The block turns "
            r"it back by $\omega_i T$, so that $A$ takes position $t$ to position $t - T$.",
            rf"{_ROTATION} \begin{{bmatrix}} \sin \omega_i t \\ \cos \omega_i t \end{{bmatrix}} = "
            r"\begin{bmatrix} \sin \omega_i (t - T) \\ \cos \omega_i (t - T) \end{bmatrix}",
        ),
        (
            r"**Zeros.** A block with $i \ne j$ would join two frequencies, and the score would "
            r"no longer "
            r"depend on $t - \tau$ alone. So these are zero.",
            r"A_{ij} = 0 \quad (i \ne j), \qquad A (e^t)^\top = (e^{t - T})^\top",
        ),
        (
            r"**Scores.** The score of key $\tau$ is then a sum of cosines, each at most 1.",
            r"e^\tau A (e^t)^\top = \sum_i \cos \omega_i (t - \tau - T) \le \frac{d_{model}}{2}",
        ),
        (
            rf"**Maximum.** All cosines are 1 at $\tau = t - T$, {back}, and for whole numbers "
            rf"nowhere else: "
            r"$\omega_i u = 2 \pi k$ with $u \ne 0$ is impossible, as $\omega_i$ is algebraic and "
            r"$\pi$ is not.",
            r"\max_\tau e^\tau A (e^t)^\top \quad \text{at} \quad \tau = t - T",
        ),
    )


def _size_steps(found: Rotation) -> Steps:
    n, tolerance = found.given.n, found.tolerance
    blocks = "" if len(found.used) == len(found.omega) else " over the blocks that are kept"
    return (
        (
            f"**Gap.** How near do others come? Shift $T + u$ is below shift $T$ by the "
            f"gap{blocks}; the "
            f"strongest rival among {n} positions is $u = {found.rival}$.",
            r"\mathrm{gap}(u) = 2 \sum_i \sin^2 \frac{\omega_i u}{2}, \qquad "
            rf"\mathrm{{gap}}({found.rival}) {equal(found.gap)}",
        ),
        (
            "**Size.** With blocks $C$ times as large, all $n - 1$ others together get less than "
            "the "
            f"tolerance of {short(tolerance)} if $C$ times the smallest gap is large enough.",
            rf"C \ge \frac{{1}}{{\mathrm{{gap}}}} {SUFFICIENT_GAP.latex} {equal(found.enough)}",
        ),
        (
            "**Smallest.** That counts every rival as the strongest. Adding up their true "
            "weights, the smallest "
            f"$C$ for which every query gives at least {percent(1 - tolerance, 6)} to its key is",
            rf"\sum_{{u \ne 0}} e^{{-C\, \mathrm{{gap}}(u)}} = \frac{{\varepsilon}}{{1 - "
            rf"\varepsilon}} \quad \Rightarrow \quad C \approx {rounded_up(found.size, 4)}",
        ),
        (
            r"**Rank.** All singular values of $A / C$ are 1, one pair for each block kept. As "
            r"$A = W^K (W^Q)^\top$ has rank at most $d_k$, no more than $\lfloor d_k / 2 \rfloor$ "
            f"frequencies fit; here {len(found.used)} of {len(found.omega)} "
            f"{'is' if len(found.used) == 1 else 'are'} used.",
            r"\mathrm{rank}\, A = 2 \cdot "
            rf"{len(found.used)} = {2 * len(found.used)} \le d_k = {found.d_k}",
        ),
    )


def _up(size: float, least: float) -> str:
    """Write a size; one that is enough rounded up, so that what is written is."""
    return rounded_up(size, 4) if size >= least else number(size, 10)


def _details(found: Rotation) -> tuple[Block, ...]:
    given = found.given
    unit = 1 / math.sqrt(found.d_k)
    sizes = (unit, 1.0, 3.0, found.size, found.enough)
    labels = ("1/√d_k", "1", "3", "smallest", "enough for certain")
    scales = tuple(
        (label, _up(size, found.size), number(least_weight(found.rise, size), 10))
        for label, size in zip(labels, sizes, strict=True)
    )
    blocks = tuple(
        (
            str(i),
            number(float(found.omega[i])),
            number(math.cos(found.omega[i] * given.T), 10),
            number(math.sin(found.omega[i] * given.T), 10),
        )
        for i in found.design.kept[:MOST_BLOCKS]
    )
    near = range(given.T - 3, given.T + 4)
    scores = found.scores_at(np.array(near, dtype=float), given.T)
    shifts = tuple(
        (str(shift), number(float(score), 10)) for shift, score in zip(near, scores, strict=True)
    )
    more = len(found.used) - len(blocks)
    return (
        size_slider(found),
        Facts(
            (
                ("smallest C", rounded_up(found.size, 4)),
                ("C that is enough for certain", rounded_up(found.enough, 4)),
                ("strongest rival", f"shift T ± {found.rival}, lower by {short(found.gap)}"),
                ("rank of A", f"{2 * len(found.used)} (d_k = {found.d_k})"),
                (
                    "blocks kept",
                    f"{len(found.used)} of {len(found.omega)}: {found.design.how}",
                ),
            )
        ),
        Table(("C", "", "least weight on t − T"), scales, "the larger the blocks, the sharper"),
        Table(("t − τ", "score for C = 1"), shifts, "scores around the shift that is wanted"),
        Table(
            ("i", "w_i", "cos w_i T", "sin w_i T"),
            blocks,
            "the blocks" + (f"; {more} more" if more else ""),
        ),
        _plot(found),
        *GENERAL_REMARKS,
        _widths(given.base),
        Text(
            "The scores do not determine the entries of A: as long as n ≤ d_model the positions "
            "are independent, and other matrices give the same scores, though hardly in practice: "
            f"ten positions of width 16 have the condition number "
            f"{number(condition_number(10, 16, given.base), 2)}. "
            "What counts is where the largest score is."
        ),
    )


def _widths(base: float) -> Table:
    return Table(
        ("d_model", "strongest rival", "its gap", "gap(1)", *(f"at {u}" for u in SOME)),
        tuple(_width(of_width(d_model, base)) for d_model in WIDTHS),
        f"all blocks, shifts up to {FAR}: who comes nearest, and by how much the smooth "
        "formula d/(2 ln base) (Cin u − Cin u/base) + (1 − cos u)/2 is off",
    )


def _width(rival: WidthRival) -> tuple[str, ...]:
    gaps = (number(rival.strongest.gap, 10), number(rival.first, 10))
    off = (percent(x, 2) for x in rival.smooth_off)
    return (str(rival.d_model), str(rival.strongest.shift), *gaps, *off)


def _plot(found: Rotation) -> Plot:
    given = found.given
    first, last = max(1 - given.n, -2 * abs(given.T) - 20), min(given.n - 1, 2 * abs(given.T) + 20)
    step = max(1, math.ceil((last - first + 1) / MOST_POINTS))
    shifts = np.arange(first, last + 1, step, dtype=float)
    lines = [("A", given.T)] + ([("A transposed", -given.T)] if given.T else [])
    series = tuple(
        Series(
            name,
            tuple(shifts.tolist()),
            tuple(found.scores_at(shifts, turned).tolist()),
        )
        for name, turned in lines
    )
    return Plot(
        "lines", "score of the key at τ for the query at t", "t − τ", "score, C = 1", series
    )


def _beliefs(found: Rotation) -> tuple[str, ...]:
    given = found.given
    unit = least_weight(found.rise, 1 / math.sqrt(found.d_k))
    said = [
        f"Blocks of size 1 with the usual scale $1/\\sqrt{{{found.d_k}}}$: the right key has the "
        f"highest score but gets only {percent(unit, 2)} of the weight. The maximum is not the "
        f"weight; $C$ has to be {short(found.size * math.sqrt(found.d_k))} there."
    ]
    if len(found.omega) > 1 and given.n > 7:
        alone = found.first_block_alone
        said.append(
            f"One fast block alone, $i = 0$: shift $T + {alone.shift}$ comes within "
            f"{short(alone.gap)} of the top, as {alone.shift} steps are nearly whole "
            f"turns; all blocks together keep the gap at {short(found.gap)}."
        )
    return tuple(said)
