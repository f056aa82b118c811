"""A trace as a person would write it on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.entries import MATRICES, computation, label
from regard.analysis.exact_trace.notation import LATEX, TEXT, number
from regard.analysis.exact_trace.numbers import ExponentialQuotient, Surd
from regard.analysis.exact_trace.steps import ExactArray
from regard.report import Block, Heading, Math, Plot, Report, Table, Text
from regard.report.headline import marked

if TYPE_CHECKING:
    from regard.analysis.exact_trace.result import Trace

__all__ = ["full_report", "summary"]

MOST_LINES = 64  # computations of one kind that are written out
MOST_TERMS = 8  # of a sum in them
SHOWN = 8  # rows and columns in a summary
MOST_TOLD = 5  # tokens in a headline
MOST_SET = 6  # rows and columns of a matrix in brackets
_PROJECTED = (("q", "Q"), ("k", "K"), ("v", "V"))


def full_report(trace: Trace, title: str, digits: int, tokens: tuple[int, ...]) -> Report:
    """Return what `Trace.report` returns: matrix by matrix, then every entry by itself."""
    stages = (
        _given(trace),
        _projections(trace),
        _scores(trace),
        _weights(trace, digits),
        _outputs(trace, digits),
        _entries(trace, tokens, digits),
    )
    blocks = [block for stage in stages for block in stage]
    found = _most_attended(trace)
    if found:
        blocks = [Text(f"Exact trace / {title}", "eyebrow"), Text(found, "headline"), *blocks]
    return Report(title, tuple(blocks))


def _most_attended(trace: Trace) -> str:
    """Return where each token looks most, as a sentence; "" where that is a tie or long."""
    if not 1 < trace.n <= MOST_TOLD:
        return ""
    told = []
    for i, seen in enumerate(trace.visible):
        # The scores of a row have one root, if any, so that they compare as their numerators.
        row = {j: z.numerator if isinstance(z := trace.scores[i, j], Surd) else z for j in seen}
        best = [j for j in seen if row[j] == max(row.values())]
        if len(best) != 1:
            return ""
        at = marked("itself" if best[0] == i else f"token {best[0] + 1}", "target")
        told.append(f"token {i + 1} {'looks most at' if i == 0 else 'at'} {at}")
    return f"T{', '.join(told)[1:]}."


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
    names = (("x", "X"), ("W_Q", "W_Q"), ("W_K", "W_K"), ("W_V", "W_V"), ("W_O", "W_O"))
    given = [(name, m) for field, name in names if (m := getattr(trace, field)) is not None]
    if all(map(_small, (matrix for _, matrix in given))):
        blocks.append(Math(r", \quad ".join(f"{name} = {_set(matrix)}" for name, matrix in given)))
    else:
        for name, matrix in given:
            rows = [f"$x_{{{i}}}$" if name == "X" else f"row {i}" for i in _counted(matrix)]
            blocks.append(_table(matrix, rows, f"${name}$ {_shape(matrix)}"))
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


def _projections(trace: Trace) -> list[Block]:
    return [
        Heading("Queries, keys and values"),
        Text(
            r"Token $i$ has the query $q_i = W_Q^\top x_i$, the key $k_i = W_K^\top x_i$ and the "
            r"value $v_i = W_V^\top x_i$. Stacked as rows, these are three matrices."
        ),
        *(_product(trace, letter, f"X W_{name}", name) for letter, name in _PROJECTED),
    ]


def _scores(trace: Trace) -> list[Block]:
    by = "" if trace.scale == 1 else rf"{number(trace.scale, LATEX)} \, "
    also = f", times ${number(trace.scale, LATEX)}$" if by else ""
    return [
        Heading("Scores"),
        Text(
            rf"Token $i$ scores token $j$ by $z_{{ij}} = {by}q_i^\top k_j$: row $i$ of $Q$ times "
            f"row $j$ of $K${also}."
        ),
        _product(trace, "z", rf"{by}Q K^\top", "Z"),
    ]


def _weights(trace: Trace, digits: int) -> list[Block]:
    over = {"all": "l", "causal": r"l \le i", "masked": r"l \in S_i"}[trace.masking]
    rule = rf"a_{{ij}} = \frac{{e^{{z_{{ij}}}}}}{{\sum_{{{over}}} e^{{z_{{il}}}}}}"
    later = {"all": "", "causal": " (and 0 for later tokens)", "masked": " over $S_i$ (else 0)"}[
        trace.masking
    ]
    return [
        Heading("Weights"),
        Text(f"The weights of a token are the softmax of its scores{later}; they sum to 1:"),
        Math(rule),
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


def _outputs(trace: Trace, digits: int) -> list[Block]:
    over = {"all": "j", "causal": r"j \le i", "masked": r"j \in S_i"}[trace.masking]
    head = "Outputs" if trace.W_O is None else "Weighted averages"
    blocks: list[Block] = [
        Heading(head),
        Text(
            rf"Token $i$ gets the average $c_i = \sum_{{{over}}} a_{{ij}} v_j$, row $i$ of $A V$."
        ),
        _matrix(trace, "c", f"$A V$ {_shape(trace.averages)}", digits),
    ]
    if trace.W_O is not None:
        blocks += [
            Heading("Outputs"),
            Text(r"The output of token $i$ is $o_i = W_O^\top c_i$, row $i$ of $A V W_O$."),
            _matrix(trace, "o", f"$A V W_O$ {_shape(trace.outputs)}", digits),
        ]
    return blocks


def _entries(trace: Trace, tokens: tuple[int, ...], digits: int) -> list[Block]:
    """Every entry of every matrix, with what it is computed from."""
    everyone = tuple(range(1, trace.n + 1))
    sums = ("entry", "weighted sum", "exactly", "decimal")
    asked = [
        ("Queries", "q", tokens, ("entry", "computation", "value"), 0),
        ("Keys", "k", everyone, ("entry", "computation", "value"), 0),
        ("Values", "v", everyone, ("entry", "computation", "value"), 0),
        ("Scores", "z", tokens, ("score", "computation", "value"), 0),
        ("Weights", "a", tokens, ("weight", "exactly", "decimal"), digits),
        ("Weighted averages", "c", tokens, sums, digits),
        *([("Outputs", "o", tokens, sums, digits)] if trace.W_O is not None else []),
    ]
    blocks: list[Block] = [Heading("Every entry, one by one", role="folded")]
    for title, letter, rows, columns, places in asked:
        blocks += [Heading(title, 3), *_computations(trace, letter, rows, columns, places)]
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


def _product(trace: Trace, letter: str, product: str, name: str) -> Block:
    """A matrix as what it is the product of: a formula, or a table where it is large."""
    matrix = getattr(trace, MATRICES[letter])
    if _small(matrix):
        return Math(f"{name} = {product} = {_set(matrix)}")
    return _matrix(trace, letter, f"${name} = {product}$ {_shape(matrix)}")


def _small(matrix: ExactArray) -> bool:
    return len(matrix) <= MOST_SET and len(matrix[0]) <= MOST_SET


def _set(matrix: ExactArray) -> str:
    """A matrix in brackets, as LaTeX."""
    rows = r" \\ ".join(" & ".join(number(entry, LATEX) for entry in row) for row in matrix)
    return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"


def _counted(matrix: ExactArray) -> range:
    return range(1, len(matrix) + 1)


def _shape(matrix: ExactArray) -> str:
    return f"({len(matrix)} × {len(matrix[0])})"
