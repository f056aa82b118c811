"""A trace as a person would write it on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.entries import MATRICES, computation, label
from regard.analysis.exact_trace.notation import LATEX, TEXT, number
from regard.analysis.exact_trace.numbers import ExponentialQuotient
from regard.analysis.exact_trace.steps import ExactArray
from regard.report import Block, Heading, Math, Plot, Report, Table, Text

if TYPE_CHECKING:
    from regard.analysis.exact_trace.result import Trace

__all__ = ["full_report", "stages", "summary"]

MOST_LINES = 64  # computations of one kind that are written out
MOST_TERMS = 8  # of a sum in them
SHOWN = 8  # rows and columns in a summary


def full_report(trace: Trace, title: str, digits: int, tokens: tuple[int, ...]) -> Report:
    """Return what `Trace.report` returns."""
    blocks = [block for stage in stages(trace, digits, tokens) for block in stage]
    return Report(title, tuple(blocks))


def stages(trace: Trace, digits: int, tokens: tuple[int, ...]) -> tuple[list[Block], ...]:
    """Return the report in stages: given, projections, scores, weights, outputs."""
    return (
        _given(trace),
        _projections(trace, tokens),
        _scores(trace, tokens),
        _weights(trace, tokens, digits),
        _outputs(trace, tokens, digits),
    )


def summary(trace: Trace) -> Report:
    """Return scores, weights and outputs, a few rows and columns of each."""
    blocks: list[Block] = [
        _matrix(trace, "z", "Scores", most=SHOWN),
        _matrix(trace, "a", "Weights", 6, most=SHOWN),
        _matrix(trace, "c" if trace.W_O is None else "o", "Outputs", 6, most=SHOWN),
    ]
    if max(trace.n, trace.outputs.shape[1]) > SHOWN:
        blocks.append(Text(f"Up to {SHOWN} rows and columns are shown."))
    tokens = "1 token" if trace.n == 1 else f"{trace.n} tokens"
    notes = [Text(note) for note in trace.notes]
    return Report(f"Attention of {tokens} in exact numbers", (*blocks, *notes))


def _given(trace: Trace) -> list[Block]:
    blocks: list[Block] = [Heading("What is given")]
    times = "" if trace.scale == 1 else f" Scores are multiplied by ${number(trace.scale, LATEX)}$."
    order = _order(trace)
    blocks.append(
        Text(f"The tokens $x_i$ are the rows of $X$, the matrices those of one head.{times}{order}")
    )
    names = [("x", "X", "x_"), ("W_Q", "W_Q", ""), ("W_K", "W_K", ""), ("W_V", "W_V", "")]
    for field, name, row in [*names, ("W_O", "W_O", "")]:
        matrix = getattr(trace, field)
        if matrix is not None:
            labels = [f"$x_{{{i}}}$" if row else f"row {i}" for i in range(1, len(matrix) + 1)]
            blocks.append(_table(matrix, labels, f"${name}$ {_shape(matrix)}"))
    if trace.notes:
        blocks += [Text(note) for note in trace.notes]
        blocks.append(Text("Numbers too long to be written whole are rounded to 12 digits."))
    return blocks


def _order(trace: Trace) -> str:
    """Who attends to whom, as a sentence; nothing where all do."""
    if trace.masking == "all":
        return ""
    if trace.masking == "causal":
        return " Token $i$ attends to the tokens $j \\le i$ only."
    sets = [
        f"$S_{{{i}}}$ = {{{', '.join(str(j + 1) for j in seen)}}}" if seen
        else f"$S_{{{i}}}$ is empty"
        for i, seen in enumerate(trace.visible, 1)
    ]  # fmt: skip
    return f" Token $i$ attends to the tokens of $S_i$ only: {', '.join(sets)}."


def _projections(trace: Trace, tokens: tuple[int, ...]) -> list[Block]:
    blocks: list[Block] = [
        Heading("Queries, keys and values"),
        Text(
            r"Token $i$ has the query $q_i = W_Q^\top x_i$, the key $k_i = W_K^\top x_i$ and the "
            r"value $v_i = W_V^\top x_i$: entry $m$ is $x_i$ times column $m$ of the matrix."
        ),
    ]
    everyone = tuple(range(1, trace.n + 1))
    for letter, chosen in (("q", tokens), ("k", everyone), ("v", everyone)):
        blocks += _computations(trace, letter, chosen, ("entry", "computation", "value"))
    blocks.append(
        Text("Stacked as rows, these are the matrices $Q = X W_Q$, $K = X W_K$, $V = X W_V$.")
    )
    for letter, name in (("q", "Q"), ("k", "K"), ("v", "V")):
        caption = f"${name} = X W_{name}$ {_shape(getattr(trace, MATRICES[letter]))}"
        blocks.append(_matrix(trace, letter, caption))
    return blocks


def _scores(trace: Trace, tokens: tuple[int, ...]) -> list[Block]:
    plain = r"q_i^\top k_j"
    rule, product, also = plain, r"Q K^\top", ""
    if trace.scale != 1:
        by = number(trace.scale, LATEX)
        rule, product = rf"{by} \, {plain}", rf"{by} \, {product}"
        also = f", times ${by}$"
    return [
        Heading("Scores"),
        Text(f"Token $i$ scores token $j$ by $z_{{ij}} = {rule}$."),
        *_computations(trace, "z", tokens, ("score", "computation", "value")),
        Text(f"Entry $(i, j)$ of ${product}$ is row $i$ of $Q$ times row $j$ of $K${also}."),
        _matrix(trace, "z", f"$Z = {product}$ {_shape(trace.scores)}"),
    ]


def _weights(trace: Trace, tokens: tuple[int, ...], digits: int) -> list[Block]:
    over = {"all": "l", "causal": r"l \le i", "masked": r"l \in S_i"}[trace.masking]
    rule = rf"a_{{ij}} = \frac{{e^{{z_{{ij}}}}}}{{\sum_{{{over}}} e^{{z_{{il}}}}}}"
    later = {"all": "", "causal": " (and 0 for later tokens)", "masked": " over $S_i$ (else 0)"}[
        trace.masking
    ]
    return [
        Heading("Weights"),
        Text(f"The weights of a token are the softmax of its scores{later}; they sum to 1:"),
        Math(rule),
        *_computations(trace, "a", tokens, ("weight", "exactly", "decimal"), digits),
        _matrix(trace, "a", "$A$, the softmax of each row of $Z$", digits),
        *_picture(trace),
    ]


def _picture(trace: Trace) -> list[Block]:
    if trace.n == 1:
        return []
    tokens = tuple(f"$x_{{{i}}}$" for i in range(1, trace.n + 1))
    return [
        Plot(
            "heatmap",
            "The weights $A$",
            "token that is attended to",
            "token",
            rows=tuple(tuple(row) for row in trace.weights_float.tolist()),
            row_labels=tokens,
            column_labels=tokens,
        )
    ]


def _outputs(trace: Trace, tokens: tuple[int, ...], digits: int) -> list[Block]:
    over = {"all": "j", "causal": r"j \le i", "masked": r"j \in S_i"}[trace.masking]
    head = "Outputs" if trace.W_O is None else "Weighted averages"
    columns = ("entry", "weighted sum", "exactly", "decimal")
    blocks: list[Block] = [
        Heading(head),
        Text(
            rf"Token $i$ gets the average $c_i = \sum_{{{over}}} a_{{ij}} v_j$, row $i$ of $A V$."
        ),
        *_computations(trace, "c", tokens, columns, digits),
        _matrix(trace, "c", f"$A V$ {_shape(trace.averages)}", digits),
    ]
    if trace.W_O is not None:
        blocks += [
            Heading("Outputs"),
            Text(r"The output of token $i$ is $o_i = W_O^\top c_i$, row $i$ of $A V W_O$."),
            *_computations(trace, "o", tokens, columns, digits),
            _matrix(trace, "o", f"$A V W_O$ {_shape(trace.outputs)}", digits),
        ]
    return blocks


def _computations(
    trace: Trace, letter: str, rows: Sequence[int], columns: tuple[str, ...], digits: int = 0
) -> list[Block]:
    """Every entry of these rows written out, as far as there is room."""
    matrix = getattr(trace, MATRICES[letter])
    places = [(i, j) for i in rows for j in range(1, matrix.shape[1] + 1)]
    lines = []
    for i, j in places[:MOST_LINES]:
        value = matrix[i - 1, j - 1]
        written = computation(trace, letter, i, j, LATEX, MOST_TERMS)
        if letter == "a" and not isinstance(value, ExponentialQuotient):
            exactly = number(value, LATEX)
            written = written if written == exactly else f"{written} = {exactly}"
        line = [f"${label(letter, i, j, LATEX, trace.n)}$", f"${written}$"]
        if letter in "co":
            line.append(f"${number(value, LATEX, MOST_TERMS)}$")
        lines.append((*line, decimal(value, digits) if digits else number(value, TEXT)))
    blocks: list[Block] = [Table(columns, tuple(lines))]
    if len(places) > MOST_LINES:
        blocks.append(
            Text(
                f"These are the first {MOST_LINES} of {len(places)}; "
                f'trace.entry("{letter}", i, j) writes any of them.'
            )
        )
    return blocks


def _matrix(
    trace: Trace, letter: str, caption: str, digits: int = 0, most: int | None = None
) -> Table:
    """A matrix of the trace, its first rows and columns, as exact numbers or as decimals."""
    matrix = getattr(trace, MATRICES[letter])[:most, :most]
    names = [f"${label(letter, i, None, LATEX, trace.n)}$" for i in range(1, len(matrix) + 1)]
    return _table(matrix, names, caption, digits)


def _table(matrix: ExactArray, names: Sequence[str], caption: str, digits: int = 0) -> Table:
    columns = ("", *(str(j) for j in range(1, matrix.shape[1] + 1)))
    rows = (
        (name, *(decimal(entry, digits) if digits else number(entry, TEXT) for entry in row))
        for name, row in zip(names, matrix, strict=True)
    )
    return Table(columns, tuple(rows), caption)


def _shape(matrix: ExactArray) -> str:
    return f"({len(matrix)} × {len(matrix[0])})"
