"""The numbers of the example: what is given, and the two ways to compute each formula."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.kinds.identity.instance import expected
from regard.kinds.identity.solve.results import Formulas, Result, Undecided
from regard.kinds.identity.spec import IdentityGiven
from regard.language import parse
from regard.report import Block, Plot, Series, Table, number

SHOWN = 6  # rows and columns of a table


def example_tables(found: Formulas, given: IdentityGiven) -> tuple[Block, ...]:
    """Show what is drawn, what is defined from it, and each formula in these numbers."""
    blocks: list[Block] = []
    values = found.values
    used = {name for one in found.results for name in one.formula.names} | {*given.rows.values()}
    for name, text in given.define.items():
        used |= parse(text).names if name in used else set()
    for name in given.shapes:
        if name in used:
            own = name in given.example and np.array_equal(given.example[name], values[name])
            blocks.append(_table(values[name], f"${_tex(name)}${'' if own else ' (drawn)'}"))
    for name, text in given.define.items():
        if name in used:
            blocks.append(_table(np.asarray(values[name], float), f"${_tex(name)} = {_tex(text)}$"))
    plot = None
    for one in found.results:
        if isinstance(one, Undecided) and one.claim.formula is None:
            continue  # there is no formula to compute
        whole = np.asarray(one.formula.evaluate(values), float)
        latex = f"${one.formula.to_latex()}$"
        if one.claim.part != "whole" or one.claim.over:
            parts = np.atleast_2d(expected(one.claim, given, values))
            blocks.append(_both(one, parts, whole))
        else:
            blocks.append(_table(whole, latex))
        plot = plot or _plot(whole, latex)
    return (*blocks, plot) if plot else tuple(blocks)


def _tex(text: str) -> str:
    return parse(text).to_latex()


def _both(result: Result, parts: NDArray[np.float64], whole: NDArray[np.float64]) -> Table:
    rows = tuple(
        (str(i + 1), _vector(parts[i]), _vector(np.atleast_2d(whole)[i]))
        for i in range(min(len(parts), SHOWN))
    )
    latex = result.formula.to_latex()
    columns = ("row", "from its definition", f"in ${latex}$")
    same = "the same" if np.abs(parts - whole).max() < 1e-9 else "not the same"
    return Table(columns, rows, f"${latex}$ in the example: {same} either way")


def _table(array: NDArray[np.float64], caption: str) -> Table:
    rows = np.atleast_2d(array)[:SHOWN, :SHOWN]
    columns = ("", *(str(j + 1) for j in range(rows.shape[1])))
    cells = (
        (str(i + 1) if array.ndim == 2 else "", *(number(entry, 4) for entry in row.tolist()))
        for i, row in enumerate(rows)
    )
    return Table(columns, tuple(cells), caption)


def _vector(row: NDArray[np.float64]) -> str:
    shown = [number(entry, 4) for entry in row[:SHOWN].tolist()]
    return f"({', '.join(shown)}{', …' if len(row) > SHOWN else ''})"


def _plot(whole: NDArray[np.float64], caption: str) -> Plot | None:
    if whole.ndim == 0 or not np.isfinite(whole).all():
        return None
    labels = tuple(str(place + 1) for place in range(whole.shape[-1]))
    if whole.ndim == 1:
        series = (Series("entries", labels, tuple(whole.tolist())),)
        return Plot("bars", f"{caption} in the example", "entry", "value", series)
    return Plot(
        "heatmap",
        f"{caption} in the example",
        "column",
        "row",
        rows=tuple(tuple(row) for row in whole.tolist()),
        row_labels=tuple(str(i + 1) for i in range(len(whole))),
        column_labels=labels,
    )
