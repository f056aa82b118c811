"""Why outer products do it, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from regard.kinds.self_attention.explain import closed_forms as closed
from regard.kinds.self_attention.solve.findings import OfFormulas
from regard.kinds.self_attention.solve.one_column import OneColumn
from regard.report.numbers import short
from regard.solving.latex_numbers import equal, tex, tex_enough
from regard.solving.token_names import token_symbol

__all__ = ["formula_steps"]

MOST_ROWS = 4  # of scores that are written out

Step = tuple[str, str]


def formula_steps(found: OfFormulas) -> Iterator[Step]:
    """Yield where each row looks, V, Q, the scores, the errors, and how large they must be."""
    length = closed.length(found)
    yield (
        "**Outer products.** An outer product of basis vectors reads one direction and writes "
        "another; all other "
        "basis vectors, being at right angles, it takes to zero. Sums of these are enough.",
        rf"\frac{{u v^\top}}{{{length}^2}} v = u, \qquad "
        rf"\frac{{u v^\top}}{{{length}^2}} w = 0 \quad (w \perp v)",
    )
    targets = [
        f"row {row + 1} attends to {_tokens(weights)}"
        for row, weights in found.head.plan.pattern.items()
    ]
    yield (
        "**Where to look.** Decide first where each row looks: "
        + "; ".join(targets)
        + ". Of all choices this one needs the fewest terms.",
        "",
    )
    if found.head.at.outputs:
        yield (
            "**Values.** Then $V$ has to turn these tokens into what is wanted.",
            rf"V x_j: \quad {closed.values(found)}",
        )
    yield (
        "**Queries.** With $K = I$ keys are the tokens. The query of a row is a direction that "
        "its token "
        "has and the others do not, and $Q$ makes it from what is particular to the row.",
        closed.queries(found),
    )
    rows = closed.score_rows(found, MOST_ROWS)
    if rows:
        yield (
            "**Scores.** That gives these scores. The larger they are, the more of its weight a "
            "row gives "
            "to the largest.",
            rows,
        )
    if found.closed_errors:
        yield (
            "**Error.** What the others still get is the error, exactly:",
            r", \qquad ".join(closed.error(found, one) for one in found.closed_errors),
        )
    yield _enough(found)
    if found.column is not None and found.design is not None and found.design.d_k == 1:
        yield _one_column(found, found.column)


def _tokens(weights: dict[int, float]) -> str:
    if len(weights) == 1:
        return f"${token_symbol(next(iter(weights)))}$"
    return " and ".join(f"${token_symbol(j)}$ ({short(w, 4)})" for j, w in weights.items())


def _enough(found: OfFormulas) -> Step:
    """Say what length, or what C, the tolerance needs."""
    at, length, parts = found.head.at, closed.length(found), []
    if found.needs_norm is not None:
        parts.append(rf"{length} \ge {tex_enough(found.needs_norm)}")
    if found.needs_C is not None:
        parts.append(rf"C \ge {tex_enough(found.needs_C)}")
    if found.short:
        return (
            "The vectors are so short that this is within the tolerance of "
            f"{short(at.tolerance)} although the weights are not near those wanted. For longer "
            "ones it is so from this length on.",
            parts[0],
        )
    if not parts:
        return (f"That is within the tolerance of {short(at.tolerance)}.", "")
    either = r" \quad \text{or} \quad ".join(parts)
    return (
        f"**Length.** An error of at most {short(at.tolerance)} needs vectors of some length, or "
        f"at "
        f"length {short(at.norm)} a multiple $C$ of $Q$.",
        rf"{either} \quad ({length} {equal(at.norm)})",
    )


def _one_column(found: OfFormulas, column: OneColumn) -> Step:
    key, query = closed.typeset(found, column.key), closed.typeset(found, column.query)
    rows = r", \quad ".join(
        rf"{token_symbol(row, 'q')}: \; C ({', '.join(tex(float(s)) for s in scores)})"
        for row, scores in zip(found.head.plan.pattern, column.scores, strict=True)
    )
    return (
        "**One column.** One column of $W_Q$ and $W_K$ is enough: along one direction one end is "
        "highest for one "
        "row and, with the sign turned, the other end for the other.",
        rf"A = \frac{{C}}{{{closed.length(found)}^4}} ({key}) ({query})^\top: \qquad {rows}",
    )
