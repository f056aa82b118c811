"""The solution in words: steps, numbers and mistakes for K, Q and V."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regard.design.results import HeadDesign
from regard.errors import InfeasibleDesign
from regard.kinds.self_attention.solve import closed as closed
from regard.kinds.self_attention.solve import head as heads
from regard.kinds.self_attention.solve.plan import RankOne
from regard.kinds.self_attention.solve.sparse import Array
from regard.language import parse
from regard.report import Block, Facts, Plot, Table, matrix_rows, number
from regard.solving.latex_numbers import tex
from regard.solving.refusals import in_words

if TYPE_CHECKING:
    from regard.kinds.self_attention.solve.solver import Made

SHARES = (0.5, 2 / 3, 1.0, 4 / 3)  # of the instance's length: the trend towards the limit
MOST_ROWS = 8


def headline(made: Made) -> str:
    """Return the matrices in one line."""
    Q, V = parse(made.Q_text or "").to_latex(), parse(made.V_text or "").to_latex()
    V = V if made.at.outputs else "I"
    return rf"K = I, \qquad Q = {Q}, \qquad V = {V}"


def steps(
    made: Made, design: HeadDesign | None, small: RankOne | None
) -> tuple[tuple[str, str], ...]:
    """Return why."""
    at, one = made.at, made.plan
    said = [
        (
            "An outer product of basis vectors reads one direction and writes another; all other "
            "basis vectors, being at right angles, it takes to zero. Sums of these are enough.",
            rf"\frac{{u v^\top}}{{{closed.length(made)}^2}} v = u, \qquad "
            rf"\frac{{u v^\top}}{{{closed.length(made)}^2}} w = 0 \quad (w \perp v)",
        )
    ]
    targets = [
        f"row {row + 1} attends to {_tokens(weights)}" for row, weights in one.pattern.items()
    ]
    said.append(
        (
            "Decide first where each row looks: "
            + "; ".join(targets)
            + ". Of all choices this one needs the fewest terms.",
            "",
        )
    )
    if at.outputs:
        values = closed.values(made)
        lines = ", \\quad ".join(f"v_{{{j + 1}}} = {text}" for j, text in enumerate(values))
        said.append(
            ("Then $V$ has to turn these tokens into what is wanted.", rf"V x_j: \quad {lines}")
        )
    said.append(
        (
            "With $K = I$ keys are the tokens. The query of a row is a direction that its token "
            "has and the others do not, and $Q$ makes it from what is particular to the row.",
            ", \\quad ".join(closed.queries(made)) or "Q = 0",
        )
    )
    rows = [
        rf"k_j^\top q_{{{row + 1}}} = ({scores}) \cdot {closed.unit(made)}"
        for row, scores in closed.score_rows(made)[:4]
    ]
    if rows:
        said.append(
            (
                "That gives these scores. The larger they are, the more of its weight a row gives "
                "to the largest.",
                r", \qquad ".join(rows),
            )
        )
    exact = closed.errors(made)
    if exact:
        said.append(
            (
                "What the others still get is the error, exactly:",
                ", \\qquad ".join(exact),
            )
        )
    said.append(_enough(made))
    if small is not None and design is not None and design.d_k == 1:
        said.append(closed.rank_one_step(made, small))
    return tuple(said)


def _tokens(weights: dict[int, float]) -> str:
    if len(weights) == 1:
        return f"$x_{{{next(iter(weights)) + 1}}}$"
    return " and ".join(f"$x_{{{j + 1}}}$ ({number(w)})" for j, w in weights.items())


def _enough(made: Made) -> tuple[str, str]:
    norm = made.least_norm
    parts = []
    if norm:
        parts.append(rf"{closed.length(made)} \ge {tex(norm, 7)}")
    if made.least_C:
        parts.append(rf"C \ge {tex(made.least_C, 7)}")
    either = r" \quad \text{or} \quad ".join(parts)
    size = tex(made.at.norm)
    if norm and made.C == 1 and made.at.norm < norm and made.error(1.0) <= made.tolerance:
        return (
            "The vectors are so short that this is within the tolerance of "
            f"{number(made.tolerance)} although the weights are not near those wanted. For longer "
            "ones it is so from this length on.",
            parts[0],
        )
    if not parts:
        return (f"That is within the tolerance of {number(made.tolerance)}.", "")
    return (
        f"An error of at most {number(made.tolerance)} needs vectors of some length, or at "
        f"length {number(made.at.norm)} a multiple $C$ of $Q$.",
        rf"{either} \quad ({closed.length(made)} = {size})",
    )


def details(made: Made, design: HeadDesign | None, small: RankOne | None) -> tuple[Block, ...]:
    """Return the numbers of the instance."""
    at = made.at
    weights = heads.softmax(at.scale * (at.tokens @ made.Q.T) @ (at.tokens @ made.K.T).T)
    facts = [(f"error of {name}", number(error, 10)) for name, error in made.errors().items()]
    facts.append(("allowed", number(made.tolerance)))
    if made.least_norm is not None:
        facts.append(("smallest length with C = 1", number(made.least_norm, 10)))
    if made.least_C is not None:
        facts.append((f"smallest C at length {number(at.norm)}", number(made.least_C, 10)))
    if design is not None:
        least = (
            "the smallest possible"
            if design.d_k == design.d_k_lower_bound
            else (f"at least {design.d_k_lower_bound} is needed")
        )
        facts.append(("fewest columns of W_Q and W_K found", f"{design.d_k} ({least})"))
    blocks: list[Block] = [Facts(tuple(facts)), _weight_table(weights)]
    if at.outputs:
        outputs = at.in_basis(weights @ at.tokens @ made.V.T)
        names = [f"c_{i + 1}" for i in range(len(outputs))]
        blocks.append(
            Table(
                ("", *at.names),
                matrix_rows(outputs, digits=8, names=names)[:MOST_ROWS],
                "outputs in the basis",
            )
        )
    blocks += _trend(made)
    if small is not None:
        blocks += closed.rank_one_block(made, small)
    labels = tuple(f"x_{j + 1}" for j in range(len(weights)))
    blocks.append(
        Plot(
            "heatmap",
            "attention weights",
            "attended to",
            "row",
            rows=tuple(tuple(row) for row in weights.tolist()),
            row_labels=labels,
            column_labels=labels,
        )
    )
    return tuple(blocks)


def _weight_table(weights: Array) -> Table:
    few = weights[:MOST_ROWS, :MOST_ROWS]
    columns = ("", *(f"x_{j + 1}" for j in range(few.shape[1])))
    names = [f"row {i + 1}" for i in range(len(few))]
    more = " (the first rows and tokens)" if few.size < weights.size else ""
    return Table(columns, matrix_rows(few, digits=8, names=names), f"attention weights{more}")


def _trend(made: Made) -> list[Block]:
    """Return a table of the errors for other lengths, if the length is a parameter."""
    norm = made.problem.given.basis.norm
    if not isinstance(norm, str):
        return []
    rows, names = [], list(made.errors())
    for share in SHARES:
        at = made.at.resized(made.problem, share * made.at.norm)
        errors = made.errors(at)
        rows.append((number(at.norm), *(number(errors[name], 10) for name in names)))
    return [Table((norm, *(f"error of {name}" for name in names)), tuple(rows), "other lengths")]


def mistakes(made: Made) -> tuple[str, ...]:
    """Return what is often got wrong, in numbers."""
    at, said = made.at, []
    worst = max(made.errors().values())

    def error(K: Array, Q: Array, V: Array) -> float:
        return max(heads.row_errors(at, K, Q, V).values())

    length = closed.length(made)
    if at.outputs and at.norm != 1:
        longer = error(made.K, made.Q, made.V * at.norm**2)
        if longer > made.tolerance:
            said.append(
                f"Forgetting $1/{length}^2$ in $V$: the outputs come out ${length}^2 = "
                f"{tex(at.norm**2)}$ times as long, an error of {number(longer, 4)} instead of "
                f"{number(worst, 3)}."
            )
    plain = error(np.eye(at.d), np.eye(at.d), np.eye(at.d))
    if plain > made.tolerance:
        said.append(
            f"Leaving the matrices out ($K = Q = V = I$): the error is {number(plain, 4)}, because "
            "each token attends to itself or to a longer one."
        )
    turned = error(made.K, made.Q.T, made.V)
    if turned > 10 * worst:
        said.append(
            "Writing the outer products of $Q$ in the wrong order, $v u^\\top$ for $u v^\\top$: "
            f"queries are then read from directions that the rows do not have; error "
            f"{number(turned, 4)}."
        )
    small = error(made.K, made.Q / at.norm**2, made.V)
    if small > 10 * worst:
        said.append(
            f"Dividing $Q$ by ${length}^4$ instead of ${length}^2$: scores are then of order 1 "
            f"however long the vectors are, and the weights stay spread; error {number(small, 4)}."
        )
    return tuple(said)


def number_headline(design: HeadDesign) -> str:
    """Return what is known of a head that has no simple formula."""
    return rf"d_k = {design.d_k}, \qquad \text{{error}} \le {tex(design.error)}"


def number_steps(at: heads.Scene, design: HeadDesign) -> tuple[tuple[str, str], ...]:
    """Return how a head of numbers is found."""
    return (
        (
            "Scores are linear in $A = K^\\top Q$: the rows that are asked for are inequalities "
            "for its entries.",
            r"s_{ij} = x_j^\top A x_i",
        ),
        (
            "The matrix with the widest margin is the nearest point of a hull; it is then made as "
            "large as the tolerance needs.",
            rf"\text{{error}} \le {tex(design.error)} \le {tex(design.tolerance)}",
        ),
        (
            f"Its rank is the number of columns of W_Q and W_K: {design.d_k}, and at least "
            f"{design.d_k_lower_bound} is needed.",
            r"A = W_K W_Q^\top",
        ),
    )


def number_details(design: HeadDesign) -> tuple[Block, ...]:
    """Return the weights of a head of numbers."""
    labels = tuple(f"x_{j + 1}" for j in range(len(design.weights)))
    return (
        Facts(
            (
                ("error", f"at most {number(design.error)}"),
                ("d_k", str(design.d_k)),
            )
        ),
        _weight_table(design.weights),
        Plot(
            "heatmap",
            "attention weights",
            "attended to",
            "row",
            rows=tuple(tuple(row) for row in design.weights.tolist()),
            row_labels=labels,
            column_labels=labels,
        ),
    )


def impossible_steps(error: InfeasibleDesign) -> tuple[tuple[str, str], ...]:
    """Return why no head does it."""
    claim = error.certificate.claims[0]
    reasons = {
        "outputs_out_of_reach": "Outputs are averages of $V x_j$: rows with the same token have "
        "the same output, and all outputs together have no more dimensions than the tokens.",
        "pattern_ceiling": "Scores $x_j^\\top A x_i$ are linear in $A$. Some of the inequalities "
        "that the pattern needs add up to $0 > 0$.",
        "pattern_apart": "Two sets of weights have the same moments, so that no matrix tells them "
        "apart, and the one that is wanted has less entropy.",
        "pattern_beyond": "Weights of heads satisfy equations; those that are asked for do not.",
        "outputs_beyond": "No weights of a head have these outputs.",
        "apart_from_hull": "Outputs are averages of $V x_j$, and one that is asked for is none.",
        "d_k_at_least": "The scores that are wanted need a matrix of higher rank.",
    }
    bound = claim.fields.get("bound", claim.fields.get("tolerance"))
    shown = "" if not isinstance(bound, float) else rf"\text{{bound}} = {tex(bound)}"
    return (
        (reasons.get(claim.kind, "No head does it."), ""),
        (in_words(error), shown),
    )
