"""Closed forms for a head of outer products: values, queries, scores and errors in the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regard.kinds.self_attention.solve import head as heads
from regard.kinds.self_attention.solve.plan import RankOne
from regard.kinds.self_attention.solve.sparse import Array
from regard.language import parse
from regard.report import Block, Facts, number
from regard.solving.latex_numbers import factor, ratio, root, tex

if TYPE_CHECKING:
    from regard.kinds.self_attention.solve.solver import Made


def length(made: Made) -> str:
    """Return the length of the basis vectors in LaTeX."""
    norm = made.problem.given.basis.norm
    if isinstance(norm, str):
        return parse(norm).to_latex()
    return f"({tex(norm)})" if "^" in tex(norm) else tex(norm)  # powers of it are written


def unit(made: Made) -> str:
    """Return C · scale · length², the unit of the scores, in LaTeX."""
    size = factor(made.C * made.at.scale)
    name = length(made)
    return (size + (f"{name}^2" if name != "1" else "")).strip() or "1"


def combination(names: list[str], coordinates: Array) -> str:
    """Return Σ coordinates_p u_p in the formula language."""
    text = ""
    # Positive terms first, so that a sum does not begin with a minus sign.
    pairs = sorted(zip(names, coordinates.tolist(), strict=True), key=lambda pair: pair[1] < 0)
    for name, value in pairs:
        if abs(value) < 1e-12:
            continue
        size = ratio(abs(value))
        sign = "-" if value < 0 else "+" if text else ""
        text += f" {sign} {name}" if size == "1" else f" {sign} {size} {name}"
    return text.strip().replace("- ", "-", 1) if text.startswith(" -") else text.strip() or "0"


def _latex(names: list[str], coordinates: Array) -> str:
    text = combination(names, coordinates)
    return "0" if text == "0" else parse(text).to_latex()


def values(made: Made) -> list[str]:
    """Return V x_j for every token, in LaTeX."""
    return [_latex(made.at.names, row) for row in made.at.coordinates @ made.plan.V.T]


def queries(made: Made) -> list[str]:
    """Return the queries of the rows that are asked for, in LaTeX, without C."""
    found = []
    for row in made.plan.pattern:
        one = _latex(made.at.names, made.plan.Q @ made.at.coordinates[row])
        found.append(
            rf"q_{{{row + 1}}} = {factor(made.C)}({one})"
            if made.C != 1
            else rf"q_{{{row + 1}}} = {one}"
        )
    return found


def _scores(made: Made) -> Array:
    """Return the scores of all rows for all tokens in units of C · scale · length²."""
    at = made.at
    return np.asarray((at.coordinates @ made.plan.Q.T) @ at.coordinates.T)


def score_rows(made: Made) -> list[tuple[int, str]]:
    """Return the scores of the rows that are asked for, in LaTeX."""
    if np.any(made.plan.mixed):
        return []
    scores = _scores(made)
    return [
        (row, ", ".join(tex(float(round(s, 12))) for s in scores[row])) for row in made.plan.pattern
    ]


def errors(made: Made) -> list[str]:
    """Return the exact errors of the outputs where all tokens but one have the same score."""
    at, found = made.at, []
    if np.any(made.plan.mixed):
        return []
    scores, mapped = _scores(made), at.coordinates @ made.plan.V.T
    for row in at.outputs:
        weights = made.plan.pattern[row]
        if len(weights) != 1:
            continue
        target = next(iter(weights))
        rest = [j for j in range(len(at.tokens)) if j != target]
        gaps = scores[row, target] - scores[row, rest]
        if not rest or np.ptp(gaps) > 1e-12:
            continue
        missed = np.sum(mapped[rest] - mapped[target], axis=0)
        size = float(round(missed @ missed, 9))
        name = length(made)
        power = factor(float(round(gaps[0], 12)) * made.C * at.scale) + f"{name}^2"
        below = f"e^{{{power}}} + {len(rest)}"
        wanted = _latex(at.names, at.in_basis(at.outputs[row]))
        label = f"c_{{{row + 1}}}"
        found.append(
            rf"\lVert {label} - {wanted if wanted.isidentifier() else f'({wanted})'} \rVert = "
            rf"\left\lVert \frac{{{_latex(at.names, missed)}}}{{{below}}} \right\rVert = "
            rf"\frac{{{root(size)} \, {name}}}{{{below}}} \approx "
            rf"{tex(made.errors()[f'c_{row + 1}'])}"
        )
    return found


def rank_one_texts(made: Made, small: RankOne) -> tuple[str, str]:
    """Return the row K and the row Q of a head with one column, in the formula language."""
    norm = made.problem.given.basis.norm
    below = heads.divisor(norm, 2)
    names = made.at.names
    key, query = combination(names, small.key), combination(names, small.query)
    over = "" if below == "1" else f" / {below}"
    return f"({key})'{over}", f"({query})'{over}"


def _rank_one_error(made: Made, small: RankOne, C: float) -> float:
    at = made.at
    K = (small.key @ at.basis / at.norm**2)[None, :]
    Q = C * (small.query @ at.basis / at.norm**2)[None, :]
    return max(heads.row_errors(at, K, Q, made.V).values())


def rank_one_step(made: Made, small: RankOne) -> tuple[str, str]:
    """Return the step that shows how one column is enough."""
    names, name = made.at.names, length(made)
    key, query = _latex(names, small.key), _latex(names, small.query)
    rows = ", \\quad ".join(
        rf"q_{{{row + 1}}}: \; C ({', '.join(tex(float(s)) for s in scores)})"
        for row, scores in zip(made.plan.pattern, small.scores, strict=True)
    )
    return (
        "One column of $W_Q$ and $W_K$ is enough: along one direction one end is highest for one "
        "row and, with the sign turned, the other end for the other.",
        rf"A = \frac{{C}}{{{name}^4}} ({key}) ({query})^\top: \qquad {rows}",
    )


def rank_one_block(made: Made, small: RankOne) -> list[Block]:
    """Return the head with one column, and how large C has to be."""
    key, query = rank_one_texts(made, small)
    C = heads.least(lambda size: _rank_one_error(made, small, size), made.tolerance)
    facts = [("with one column: K", key), ("Q", f"C {query}")]
    if C is not None:
        facts.append(("smallest C for it", number(C, 10)))
    return [Facts(tuple(facts))]
