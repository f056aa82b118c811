"""Tell how a value is taken out of a mix, or why that cannot be done."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.separator.solve import Inseparable, Mix, Separable
from regard.kinds.separator.spec import SeparatorProblem
from regard.language import parse
from regard.problems.instances import Float64
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import column, equal, factor, tex

MOST = 8  # entries of a vector that are shown


def explain(problem: SeparatorProblem, found: Separable | Inseparable) -> Explanation:
    """Return the matrix in words, with examples; or the vector that both subspaces hold."""
    if isinstance(found, Inseparable):
        return _impossible(problem, found)
    return Explanation(
        rf"M = {_latex(problem, found)}, \qquad {_asked(problem)}",
        _steps(problem, found),
        _details(problem, found),
        _beliefs(problem, found),
        () if any(problem.given.fixed) else ("the two subspaces have no vector but 0 in common.",),
        result=_result(problem, found),
    )


def _result(problem: SeparatorProblem, found: Separable) -> str:
    """Say which matrix does it where its formula is short, else that one does."""
    matrix = "One matrix"
    if problem.given.orthogonal:
        matrix = f"The matrix {marked(f'${_latex(problem, found)}$', 'query')}"
    return f"{matrix} takes {_value(problem)} out of the {_mix(problem)}, whatever the two are."


def _value(problem: SeparatorProblem) -> str:
    return f"$v_{problem.goal.recover.lower()}$"


def _mix(problem: SeparatorProblem) -> str:
    return {1.0: "sum", 0.5: "average"}.get(problem.given.share, "mix")


def _latex(problem: SeparatorProblem, found: Separable) -> str:
    """Return the matrix M as LaTeX, as a person would write it."""
    if problem.given.orthogonal:
        return parse(found.answer["M"]).to_latex()
    S, T = problem.names
    oblique = rf"[{S} \; 0] \, [{S} \; {T}]^{{+}}"
    turned = oblique if problem.on_left else rf"({oblique})^\top"
    return factor(1 / problem.given.share) + turned


def _asked(problem: SeparatorProblem) -> str:
    """Return the equation that the matrix M has to satisfy, as LaTeX."""
    letter = problem.goal.recover.lower()
    return f"M c = v_{letter}" if problem.on_left else rf"c^\top M = v_{letter}^\top"


def _steps(problem: SeparatorProblem, found: Separable) -> Steps:
    design, share = found.design, problem.given.share
    S, T = problem.names
    s, t = S.lower(), T.lower()
    times = factor(share)
    mix = f"c = {times}(v_s + v_t)" if times else "c = v_s + v_t"
    last = factor(1 / share) or "1"
    own_steps = _orthogonal_steps if problem.given.orthogonal else _oblique_steps
    return (
        (
            f"**Bases.** Write the values in the bases: the columns of ${S}$ and ${T}$ are the "
            f"basis vectors.",
            rf"v_{s} = {S} x, \qquad v_{t} = {T} y, \qquad {mix}",
        ),
        *own_steps(problem, found),
        (
            "**Norm.** Its norm says how much errors in $c$ are magnified. With $\\theta$ the "
            "smallest angle "
            "between the subspaces, no matrix that does this has a smaller one.",
            rf"\lVert M \rVert = \frac{{{last}}}{{\sin \theta}} "
            rf"{equal(design.norm)}, \qquad \theta {equal(math.degrees(design.angle))} \; "
            r"\text{degrees}",
        ),
        (
            f"**Not unique.** Other matrices do it too: what $M$ does outside of the span of "
            f"${S}$ and ${T}$ does "
            "not matter.",
            "",
        ),
    )


def _orthogonal_steps(problem: SeparatorProblem, found: Separable) -> Steps:
    S, T = problem.names
    share = problem.given.share
    s, t = S.lower(), T.lower()
    symmetric = (
        "**Side.** The matrix is symmetric, so it may stand on either side.",
        rf"c^\top M = (M^\top c)^\top = (M c)^\top = v_{s}^\top",
    )
    return (
        (
            f"**Right angles.** Every column of ${S}$ is at right angles to every column of "
            f"${T}$, so "
            f"${S}^\\top$ takes $v_{t}$ to zero.",
            rf"{S}^\top {T} = 0, \qquad {S}^\top c = {factor(share)}{S}^\top {S} x",
        ),
        (
            f"**Coordinates.** Solve for the coordinates $x$. The basis vectors may have any "
            f"angles with each "
            f"other, as long as they are independent: then ${S}^\\top {S}$ is invertible. For "
            "an orthonormal basis it is the identity.",
            rf"x = {factor(1 / share)}({S}^\top {S})^{{-1}} {S}^\top c",
        ),
        (
            f"**Value.** Coordinates are not the value: multiply by ${S}$ once more.",
            rf"v_{s} = {S} x = {_latex(problem, found)} c",
        ),
        *(() if problem.on_left else (symmetric,)),
    )


def _oblique_steps(problem: SeparatorProblem, found: Separable) -> Steps:
    S, T = problem.names
    share = problem.given.share
    oblique = rf"[{S} \; 0] \, [{S} \; {T}]^{{+}}"
    transposed = (
        "**Side.** It stands on the right of a row here, so it is transposed.",
        _asked(problem),
    )
    return (
        (
            "**Stacked.** The subspaces are not at right angles, but they share only the zero "
            "vector. So "
            "the basis vectors of both together are independent, and the coordinates of $c$ in "
            "them are unique.",
            rf"[{S} \; {T}]^{{+}} c = {factor(share)}"
            r"\begin{bmatrix} x \\ y \end{bmatrix}",
        ),
        (
            f"**Value.** Keep the first of them, multiply by ${S}$, and divide by the share.",
            rf"v_{S.lower()} = {factor(1 / share)}{oblique} c",
        ),
        (
            f"**Another way.** Without a pseudo-inverse: with "
            f"$N = I - {T} ({T}^\\top {T})^{{-1}} {T}^\\top$, "
            f"which takes ${T}$ to zero, it is the same matrix.",
            rf"{oblique} = {S} ({S}^\top N {S})^{{-1}} {S}^\top N",
        ),
        *(() if problem.on_left else (transposed,)),
    )


def _details(problem: SeparatorProblem, found: Separable) -> tuple[Block, ...]:
    design, bases = found.design, found.bases
    M = design.M if problem.on_left else design.M.T
    few = M[:MOST, :MOST]
    more = " (its first rows and columns)" if few.size < M.size else ""
    keep, drop = problem.names
    mixes = [found.mix(first, other) for first, other in ((1, 5), (2, 7))]
    return (
        Facts(
            (
                ("norm of M", number(design.norm)),
                ("angle between the subspaces", f"{short(math.degrees(design.angle), 4)}°"),
                ("rank of M", str(bases.kept.shape[1])),
            )
        ),
        Table(
            ("",) * few.shape[1],
            tuple(tuple(number(float(x), 5) for x in row) for row in _clean(few)),
            f"M for this instance{more}",
        ),
        Table(
            (f"value in the span of {keep}", f"in the span of {drop}", "c", "M takes c to"),
            tuple(
                tuple(vector(x, most=MOST) for x in (mix.value, mix.other, mix.c, _clean(mix.made)))
                for mix in mixes
            ),
            "two examples",
        ),
        _plot(keep, mixes[0]),
    )


def _plot(name: str, mix: Mix) -> Plot:
    """Draw a value beside what is made of it, rightly and wrongly."""
    named = [("the value", mix.value), ("M c", mix.made), ("c itself", mix.c)]
    if mix.needs_scale:
        named.append((f"{name} {name}' c", mix.unscaled))
    places = tuple(f"entry {i + 1}" for i in range(min(len(mix.c), MOST)))
    series = tuple(Series(label, places, tuple(v[:MOST].tolist())) for label, v in named)
    return Plot("bars", "the value and what is taken for it", "", "", series)


def _clean(x: Float64) -> Float64:
    """Take off what is rounding, so that a zero reads as one."""
    return np.asarray(np.where(np.abs(x) < 1e-12, 0.0, x))


def _beliefs(problem: SeparatorProblem, found: Separable) -> tuple[str, ...]:
    """Tell what is too little to ask of bases, where the subspaces are at right angles."""
    if not problem.given.orthogonal:
        return ()
    said = []
    if found.orthonormal:
        plain, made = found.of_skew_basis()
        said.append(
            f"Using only that the basis vectors have length one: with $(1, 0)$ and $(0.6, 0.8)$ "
            f"the value ${column(plain)}$ would become ${column(made)}$. They "
            "also have to be at right angles to each other."
        )
    letter, other = (name.lower() for name in problem.names)
    said.append(
        f"Asking for right angles between ${letter}_i$ and ${other}_j$ with $i \\ne j$ only: "
        f"if ${other}_1 = {letter}_1$, the matrix takes ${other}_1$ to "
        f"${column(_clean(found.first_basis_vector_made))}$ and not to zero."
    )
    return tuple(said)


def _impossible(problem: SeparatorProblem, found: Inseparable) -> Explanation:
    S, T = problem.names
    letter, times = S.lower(), factor(problem.given.share)
    common = rf"{S} x = {T} y = {column(found.common)} \ne 0"
    limited = "" if found.radius is None else f" of norm up to {short(found.radius)}"
    steps = (
        (
            f"**Common.** The two subspaces have a direction in common: a vector that is a "
            f"combination of the "
            f"columns of ${S}$ and also of the columns of ${T}$.",
            common,
        ),
        (
            f"**First case.** If that vector is $v_{letter}$ and the other value is zero, $M$ "
            f"must take "
            f"{problem.given.share:g} times it to the vector itself.",
            rf"M \cdot {times}{S} x = {S} x",
        ),
        (
            f"**Second case.** If it is the other value and $v_{letter}$ is zero, $M$ must take "
            f"the same "
            "vector to zero. It cannot do both.",
            rf"M \cdot {times}{T} y = 0",
        ),
        (
            f"**None.** There is none{limited}. What is left outside of the common directions "
            f"can still be "
            "taken apart; the best matrix misses by",
            tex(found.missed),
        ),
    )
    result = (
        f"{marked('No matrix', 'bad')} takes {_value(problem)} out of the {_mix(problem)}: the two "
        "subspaces have a direction in common."
    )
    return Explanation(rf"\text{{no}} \; M: \quad {common}", steps, result=result)
