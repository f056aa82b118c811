"""The numbers of a head: errors, weights, outputs, other lengths."""

from __future__ import annotations

from regard.design.results import HeadDesign
from regard.kinds.self_attention.explain.closed_forms import combination
from regard.kinds.self_attention.solve.findings import OfFormulas
from regard.kinds.self_attention.solve.one_column import OneColumn
from regard.kinds.self_attention.solve.outer_products import divisor
from regard.kinds.self_attention.solve.sparse import Array
from regard.language.bounds import upper_bound
from regard.report import Block, Facts, Plot, Table, matrix_rows, number
from regard.report.numbers import rounded_up, short

__all__ = ["formula_details", "number_details"]

MOST_ROWS = 8


def formula_details(found: OfFormulas) -> tuple[Block, ...]:
    """Return the numbers of a head of outer products."""
    blocks: list[Block] = [_facts(found), _weight_table(found.weights)]
    if found.head.at.outputs:
        names = [f"c_{i + 1}" for i in range(len(found.outputs))]
        rows = matrix_rows(found.outputs, digits=4, names=names)[:MOST_ROWS]
        blocks.append(Table(("", *found.head.at.names), rows, "outputs in the basis"))
    if found.other_lengths:
        blocks.append(_trend(found))
    if found.column is not None:
        blocks.append(_one_column(found, found.column))
    return (*blocks, _weight_plot(found.weights))


def number_details(design: HeadDesign) -> tuple[Block, ...]:
    """Return the weights of a head of numbers."""
    facts = (("error", f"at most {upper_bound(design.error, 4)}"), ("d_k", str(design.d_k)))
    return Facts(facts), _weight_table(design.weights), _weight_plot(design.weights)


def _facts(found: OfFormulas) -> Facts:
    head, design = found.head, found.design
    facts = [(f"error of {name}", number(error, 10)) for name, error in head.errors.items()]
    facts.append(("allowed", number(head.at.tolerance)))
    if head.least_norm is not None:
        facts.append(("smallest length with C = 1", rounded_up(head.least_norm, 4)))
    if head.least_C is not None:
        facts.append((f"smallest C at length {short(head.at.norm)}", rounded_up(head.least_C, 4)))
    if design is not None:
        least = (
            "the smallest possible"
            if design.d_k == design.d_k_lower_bound
            else f"at least {design.d_k_lower_bound} is needed"
        )
        facts.append(("fewest columns of W_Q and W_K found", f"{design.d_k} ({least})"))
    return Facts(tuple(facts))


def _weight_table(weights: Array) -> Table:
    few = weights[:MOST_ROWS, :MOST_ROWS]
    columns = ("", *(f"x_{j + 1}" for j in range(few.shape[1])))
    names = [f"row {i + 1}" for i in range(len(few))]
    more = " (the first rows and tokens)" if few.size < weights.size else ""
    return Table(columns, matrix_rows(few, digits=4, names=names), f"attention weights{more}")


def _weight_plot(weights: Array) -> Plot:
    labels = tuple(f"x_{j + 1}" for j in range(len(weights)))
    return Plot(
        "heatmap",
        "attention weights",
        "attended to",
        "row",
        rows=tuple(tuple(row) for row in weights.tolist()),
        row_labels=labels,
        column_labels=labels,
    )


def _trend(found: OfFormulas) -> Table:
    """Return a table of the errors for other lengths."""
    names = list(found.head.errors)
    rows = tuple(
        (number(norm), *(number(errors[name], 10) for name in names))
        for norm, errors in found.other_lengths
    )
    symbol = str(found.head.at.problem.given.basis.norm)
    return Table((symbol, *(f"error of {name}" for name in names)), rows, "other lengths")


def _one_column(found: OfFormulas, column: OneColumn) -> Facts:
    """Return the head with one column, in the formula language, and how large C has to be."""
    names, below = found.head.at.names, divisor(found.head.at.problem.given.basis.norm, 2)
    over = "" if below == "1" else f" / {below}"
    K, Q = (f"({combination(names, one)})'{over}" for one in (column.key, column.query))
    facts = [("with one column: K", K), ("Q", f"C {Q}")]
    if found.column_C is not None:
        facts.append(("smallest C for it", rounded_up(found.column_C, 4)))
    return Facts(tuple(facts))
