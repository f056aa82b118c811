"""Tables of every quantity on the way, cut where there are many tokens, and a plot of weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from regard.analysis.exact_trace.notation import TEXT
from regard.analysis.exact_trace.pipeline import Traced, floats
from regard.kinds.compute.explain.steps import _on_the_way, entry_text
from regard.kinds.compute.explain.told import is_given, tells
from regard.kinds.compute.explain.writing import symbol, title, written
from regard.kinds.compute.solve import Numbers
from regard.kinds.compute.spec import ComputeProblem, Quantity, sizes
from regard.report import Block, Heading, Plot, Series, Table, Text

SHOWN = 12  # rows and columns of a table
MOST_LINES = 24  # computations that are written out


def tables(problem: ComputeProblem, found: Numbers) -> list[Block]:
    """Return every quantity on the way as a table, after what is given and not told above."""
    given, digits = problem.given, problem.goal.digits
    blocks: list[Block] = [Heading("Every number on the way", role="folded")]
    for name, rows in given.arrays().items():
        if name in ("scale", "temperature") or tells(problem, name):
            continue
        blocks += [] if len(blocks) > 1 else [Heading("What is given", 3)]
        shape = f"({len(rows)} × {len(rows[0])})"
        blocks.append(_table([[str(x) for x in row] for row in rows], [], f"{name} {shape}"))
    asked: dict[str, list[int]] = {}
    for name, row in found.places:
        asked.setdefault(name, []).append(row)
    for name in _on_the_way(problem, found):
        if is_given(name, given) and tells(problem, name):
            continue
        whole = found.pipeline.matrix(name)
        blocks.append(Heading(title(name, given), 3))
        rows_shown = sorted(set(asked.get(name, [])) | set(range(1, min(len(whole), SHOWN) + 1)))
        rows_shown = rows_shown[: SHOWN + 4]
        body = [[written(value, digits, TEXT) for value in whole[row - 1]] for row in rows_shown]
        labels = [f"${symbol(name, row)}$" for row in rows_shown]
        caption = f"${symbol(name)}$ ({len(whole)} × {len(whole[0])})"
        blocks.append(_table(body, labels, caption))
        if len(rows_shown) < len(whole) or whole.shape[1] > SHOWN:
            blocks.append(Text("Only some rows and columns are shown; the JSON output has all."))
        blocks += _computations(found, name, asked.get(name, []), digits)
    return blocks


def _table(body: Sequence[Sequence[str]], labels: Sequence[str], caption: str) -> Table:
    """Lay a matrix out; of many columns the first and the last."""
    wide = len(body[0])
    kept = list(range(wide)) if wide <= SHOWN else [*range(SHOWN - 1), wide - 1]
    names = labels or [f"row {i}" for i in range(1, len(body) + 1)]
    shown = list(zip(names, body, strict=True))[: 2 * SHOWN]

    def cells(row: Iterable[str]) -> list[str]:
        listed = list(row)
        picked = [listed[j] for j in kept]
        return picked if wide <= SHOWN else [*picked[:-1], "…", picked[-1]]

    columns = ("", *cells([str(j) for j in range(1, wide + 1)]))
    return Table(columns, tuple((name, *cells(row)) for name, row in shown), caption)


def _computations(found: Numbers, name: str, rows: Sequence[int], digits: int) -> list[Block]:
    """Every entry of these rows written out, as far as there is room."""
    whole = found.pipeline.matrix(name)
    lines: list[tuple[str, ...]] = []
    places = [(i, j) for i in rows for j in range(1, whole.shape[1] + 1)]
    for i, j in places[:MOST_LINES]:
        text = entry_text(found.pipeline, name, i, j)
        if text:
            label = symbol(name, i).replace(f"_{{{i}}}", f"_{{{i},{j}}}")
            value = written(whole[i - 1, j - 1], digits, TEXT)
            lines.append((f"${label}$", f"${text}$", value))
    return [Table(("entry", "computation", "value"), tuple(lines))] if lines else []


def plot(problem: ComputeProblem, found: Numbers) -> Plot | None:
    """Draw the weights, and those that a wrong number would lead to."""
    name = next((n for n in sizes(problem.given) if Quantity(n).symbol == "A"), None)
    if name is None:
        return None
    weights = floats(found.pipeline.matrix(name))
    labels = tuple(f"x_{j}" for j in range(1, weights.shape[1] + 1))

    def bars(caption: str, *series: tuple[str, Iterable[Any]]) -> Plot:
        lines = (Series(one, labels, tuple(map(float, values))) for one, values in series)
        return Plot("bars", caption, "key attended to", "weight", tuple(lines))

    for row in found.wrong:
        for (other, token), values in row.follows.items():
            if other == "A":
                caption = f"Weights of token {token}, and those from the printed ${row.name}$"
                computed: tuple[str, Iterable[Traced | float]] = ("computed", weights[token - 1])
                return bars(caption, computed, (f"printed {row.name}", values))
    after = ("Z", "A", "H", "C", "O", "R", "Y")
    tokens = sorted({row for one, row in found.places if Quantity(one).symbol in after})
    if len(tokens) == 1:
        (token,) = tokens
        return bars(f"Where query {token} looks", (f"query {token}", weights[token - 1]))
    return Plot(
        "heatmap",
        "Weights: where each query looks",
        "key attended to",
        "query",
        rows=tuple(tuple(row) for row in weights.tolist()),
        row_labels=tuple(f"x_{i}" for i in range(1, len(weights) + 1)),
        column_labels=labels,
    )
