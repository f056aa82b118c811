"""What is printed elsewhere, compared with what comes out, and what a wrong number would change."""

from __future__ import annotations

from regard.analysis.exact_trace.notation import TEXT
from regard.kinds.compute.explain.steps import entry_text
from regard.kinds.compute.explain.writing import EXACT, cut, rounded, symbol, vector
from regard.kinds.compute.solve import Numbers
from regard.kinds.compute.solve.printed import PrintedRow, Rows
from regard.kinds.compute.spec import ComputeProblem
from regard.report import Block, Heading, Table, Text

MOST_ROWS = 18  # of a table of consequences
NOUNS = {"Z": "scores", "A": "weights", "C": "output", "O": "output", "R": "sum", "Y": "output"}


def printed_blocks(problem: ComputeProblem, found: Numbers) -> list[Block]:
    """Compare with what is printed, and follow what is wrong to the end."""
    if not found.printed:
        return []
    lines = tuple(
        (
            f"${symbol(*row.place)}$",
            _as_printed(row),
            vector(row.values, EXACT, TEXT),
            _verdict(row),
        )
        for row in found.printed
    )
    heading = Heading("The numbers printed in the problem", 3)
    blocks: list[Block] = [heading, Table(("", "printed", "computed", ""), lines)]
    if not found.wrong:
        blocks.append(Text("Every printed number agrees with what comes out, in its digits."))
    elif len(found.wrong) < len(found.printed):
        blocks.append(Text("The other printed rows agree with what comes out, in their digits."))
    for row in found.wrong:
        blocks += _consequences(row, found)
    return blocks


def _as_printed(row: PrintedRow) -> str:
    return f"({', '.join(cut([str(number) for number in row.printed], '…'))})"


def _verdict(row: PrintedRow) -> str:
    if row.carried:
        return f"wrong: it follows from the printed ${row.carried}$"
    if row.wrong:
        return "wrong"
    return "agrees (cut off, not rounded)" if row.cut else "agrees"


def _consequences(row: PrintedRow, found: Numbers) -> list[Block]:
    places = [place + 1 for place in row.wrong]
    one = len(places) == 1
    where = f"entry {places[0]} has" if one else f"entries {', '.join(map(str, places))} have"
    fault = "the wrong sign" if row.only_signs else "another value"
    sentence = (
        f"The printed ${row.name}$ = {_as_printed(row)} is wrong: {where} {fault}. "
        f"It is {rounded(row.values)}."
    )
    if row.place[0] in "QKVGZ":
        text = entry_text(found.pipeline, *row.place, places[0])
        sentence += f" ${text}$." if text else ""
    if row.carried:
        return [Text(f"{sentence} It is what follows from the printed ${row.carried}$.")]
    changed = row.follows
    if not changed:
        return [Text(sentence), Text("Nothing else that is computed here comes from it.")]
    right = {place: found.row(*place) for place in changed}
    blocks: list[Block] = [Text(sentence)]
    first = _most_changed(changed, right)
    parts = [
        f"{NOUNS[name]} {rounded(changed[name, token])} instead of {rounded(right[name, token])}"
        for name, token in changed
        if token == first and name in NOUNS
    ]
    if parts:
        blocks.append(Text(f"With it, token {first} would have the {', the '.join(parts)}."))
    lines = tuple(
        (f"${symbol(*place)}$", *(vector(v, 6, TEXT) for v in (right[place], values)))
        for place, values in list(changed.items())[:MOST_ROWS]
    )
    columns = ("", "as it is", f"with the printed ${row.name}$")
    blocks.append(Table(columns, lines, f"What the printed ${row.name}$ would change"))
    return blocks


def _most_changed(changed: Rows, right: Rows) -> int:
    """Return the token whose output a wrong number changes most."""
    far = {
        token: max(
            abs(float(new) - float(old))
            for new, old in zip(values, right[name, token], strict=True)
        )
        for (name, token), values in changed.items()
        if name == "C"
    }
    return max(far, key=far.__getitem__) if far else next(iter(changed))[1]
