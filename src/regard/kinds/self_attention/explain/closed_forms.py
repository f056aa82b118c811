"""LaTeX for a head of outer products: values, queries, scores and errors in the names."""

from __future__ import annotations

from regard.kinds.self_attention.solve.closed_errors import ClosedError
from regard.kinds.self_attention.solve.findings import OfFormulas
from regard.kinds.self_attention.solve.sparse import Array
from regard.language import parse
from regard.solving.latex_numbers import factor, ratio, root, tex
from regard.solving.token_names import length_symbol, token_symbol

__all__ = ["combination", "error", "length", "queries", "score_rows", "typeset", "values"]

NOTHING = 1e-12  # coordinates below this are rounding


def length(found: OfFormulas) -> str:
    """Return the length of the basis vectors."""
    return length_symbol(found.head.at.problem.given)


def combination(names: list[str], coordinates: Array) -> str:
    """Return Σ coordinates_p u_p in the formula language."""
    text = ""
    # Positive terms first, so that a sum does not begin with a minus sign.
    pairs = sorted(zip(names, coordinates.tolist(), strict=True), key=lambda pair: pair[1] < 0)
    for name, value in pairs:
        if abs(value) < NOTHING:
            continue
        size = ratio(abs(value))
        sign = "-" if value < 0 else "+" if text else ""
        text += f" {sign} {name}" if size == "1" else f" {sign} {size} {name}"
    return text.strip().replace("- ", "-", 1) if text.startswith(" -") else text.strip() or "0"


def typeset(found: OfFormulas, coordinates: Array) -> str:
    """Return Σ coordinates_p u_p in the names of the basis, as LaTeX."""
    text = combination(found.head.at.names, coordinates)
    return "0" if text == "0" else parse(text).to_latex()


def values(found: OfFormulas) -> str:
    """Return V x_j for every token."""
    rows = found.head.at.coordinates @ found.head.plan.V.T
    return r", \quad ".join(
        f"{token_symbol(j, 'v')} = {typeset(found, row)}" for j, row in enumerate(rows)
    )


def queries(found: OfFormulas) -> str:
    """Return the queries of the rows that are asked for."""
    head, said = found.head, []
    for row in head.plan.pattern:
        one = typeset(found, head.plan.Q @ head.at.coordinates[row])
        shown = f"{factor(head.C)}({one})" if head.C != 1 else one
        said.append(f"{token_symbol(row, 'q')} = {shown}")
    return r", \quad ".join(said) or "Q = 0"


def score_rows(found: OfFormulas, most: int) -> str:
    """Return the scores of the rows that are asked for; "" where they are not simple."""
    if found.scores is None:
        return ""
    size = factor(found.head.C * found.head.at.scale)
    name = length(found)
    unit = (size + (f"{name}^2" if name != "1" else "")).strip() or "1"
    said = []
    for row in list(found.head.plan.pattern)[:most]:
        scores = ", ".join(tex(float(round(s, 12))) for s in found.scores[row])
        said.append(rf"k_j^\top {token_symbol(row, 'q')} = ({scores}) \cdot {unit}")
    return r", \qquad ".join(said)


def error(found: OfFormulas, one: ClosedError) -> str:
    """Return an error in its closed form."""
    head, name = found.head, length(found)
    power = factor(float(round(one.gap, 12)) * head.C * head.at.scale) + f"{name}^2"
    below = f"e^{{{power}}} + {one.others}"
    wanted, label = typeset(found, one.wanted), token_symbol(one.row, "c")
    size = round(float(one.missed @ one.missed), 9)
    return (
        rf"\lVert {label} - {wanted if wanted.isidentifier() else f'({wanted})'} \rVert = "
        rf"\left\lVert \frac{{{typeset(found, one.missed)}}}{{{below}}} \right\rVert = "
        rf"\frac{{{root(size)} \, {name}}}{{{below}}} \approx "
        rf"{tex(head.errors[f'c_{one.row + 1}'])}"
    )
