r"""Tell of a worked example: each stage in numbers, and what is printed beside what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.notation import LATEX, TEXT, Style, decimals, is_long, number
from regard.analysis.exact_trace.numbers import Exact
from regard.analysis.exact_trace.report import stages
from regard.analysis.exact_trace.trace import Trace
from regard.kinds.compute.instance import FIELDS, LETTERS, exact_row
from regard.kinds.compute.solve import Numbers, Place, PrintedRow, Rows
from regard.kinds.compute.spec import ComputeProblem
from regard.report import Block, Heading, Plot, Series, Table, Text
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import typeset

NOUNS = {"q": "query", "k": "key", "v": "value", "z": "scores", "a": "weights", "c": "output"}
DIGITS = 8
MOST = 10  # rows and columns of a matrix that is written out
MOST_TERMS = 4  # entries that a step computes
MOST_ROWS = 18  # of a table of consequences


def explain(problem: ComputeProblem, found: Numbers) -> Explanation:
    """Return the numbers that are asked for, with the computation of one token."""
    return Explanation(
        _headline(found.found, found.places),
        _steps(found),
        (*_printed(found), *_tables(found), _plot(found)),
        _beliefs(found),
    )


def written(value: Exact, digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write a number: a rational exactly, any other in so many digits."""
    if isinstance(value, Fraction) and not is_long(value):
        return number(value, style)
    return decimals(value, digits, style)


def _tuple(shown: list[str], dots: str) -> str:
    """Write a vector, (2, 3, -5); of a long one the first and the last entries."""
    short = [*shown[: MOST - 2], dots, shown[-1]] if len(shown) > MOST else shown
    return f"({', '.join(short)})"


def vector(values: Sequence[Exact], digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write the numbers of a row."""
    return _tuple([written(value, digits, style) for value in values], style.dots)


def rounded(values: Sequence[Exact]) -> str:
    """Write a vector with four decimals, and what they cannot show with two digits."""

    def short(value: Exact) -> str:
        near = float(value)
        if isinstance(value, Fraction) and value.denominator <= 12:
            return number(value, TEXT)
        return decimal(value, 2) if 0 < abs(near) < 5e-5 else f"{near:.4f}"

    return f"({', '.join(map(short, values[:MOST]))}{', …' if len(values) > MOST else ''})"


def _matrix(rows: Sequence[Sequence[Exact]], digits: int = 6) -> str:
    """Write a matrix; one that is too large by its size."""
    if len(rows) > MOST or len(rows[0]) > MOST:
        return rf"\left[ {len(rows)} \times {len(rows[0])} \right]"
    lines = r" \\ ".join(" & ".join(written(value, digits) for value in row) for row in rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def _column(values: Sequence[Exact]) -> str:
    """Write a column; a long one as a row."""
    return vector(values) if len(values) > MOST else _matrix([[value] for value in values])


def _headline(found: Trace, places: Sequence[Place]) -> str:
    """Write everything that was asked for: whole matrices where every row of one was."""
    parts: list[tuple[str, str]] = []  # a name, and what it is
    for letter, field in FIELDS.items():
        tokens = [token for one, token in places if one == letter]
        if len(tokens) == found.n > 1:
            rows = getattr(found, field)
            parts.append((letter.upper(), f"{_equals(rows.flat)} {_matrix(rows)}"))
            continue
        for token in tokens:
            values = exact_row(found, letter, token)
            parts.append((f"{letter}_{{{token}}}", f"{_equals(values)} {vector(values)}"))
    text = r",\quad ".join(f"{name} {value}" for name, value in parts)
    return text if typeset(text) else r",\quad ".join(name for name, _ in parts[:MOST])


def _equals(values: Iterable[Exact]) -> str:
    """= for fractions, and ≈ where there is a decimal among them."""
    return "=" if all(isinstance(value, Fraction) for value in values) else r"\approx"


def _steps(found: Numbers) -> Steps:
    """Explain each stage up to the last that was asked for, in the numbers of one token.

    Of the first row that was printed wrongly, its own computation is among them.
    """
    trace, letters = found.found, {letter for letter, _ in found.places}
    marked = found.wrong[0] if found.wrong else None
    token = marked.token if marked else found.places[0][1]
    last = max(map(LETTERS.index, letters))
    result = []
    for letter in "qkv":
        if letter in letters or last > (4 if letter == "v" else 2):
            result.append(_projection(trace, letter, token))
    if marked and marked.letter in "qkvz":
        width = len(marked.values)
        sentence = f"Entry by entry, for ${marked.letter}_{{{token}}}$:"
        lines = _entries(trace, marked.letter, token, width)
        result.append((sentence, r",\quad ".join(lines)))
    if last > 2:
        times = "" if trace.scale == 1 else f", times ${number(trace.scale, LATEX)}$"
        sentence = f"Its score of token $j$ is $q_{{{token}}}^\\top k_j${times}."
        result.append((sentence, _aligned(_entries(trace, "z", token, trace.n))))
    if last > 3:
        sentence = "The softmax makes the scores weights: powers of $e$, divided by their sum."
        result.append((sentence, _aligned(_entries(trace, "a", token, trace.n))))
    if last > 4:
        result.append(_output(trace, token))
    if last < 3:
        sentence = "With tokens as the rows of $X$ the same numbers come out all at once."
        result.append((sentence, r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V"))
    return tuple((sentence, latex if typeset(latex) else "") for sentence, latex in result)


def _projection(found: Trace, letter: str, token: int) -> tuple[str, str]:
    name = f"W_{letter.upper()}"
    sentence = (
        f"Token {token} times ${name}^\\top$ is its {NOUNS[letter]}: entry $m$ is "
        f"$x_{{{token}}}$ times column $m$ of ${name}$."
    )
    x, result = _column(found.x[token - 1]), _column(exact_row(found, letter, token))
    transposed = _matrix(getattr(found, name).T.tolist())
    return sentence, (
        rf"{letter}_{{{token}}} = {name}^\top x_{{{token}}} = {transposed} {x} = {result}"
    )


def _entries(found: Trace, letter: str, token: int, width: int) -> list[str]:
    """Write the computation of the first entries of a row."""
    return [found.entry(letter, token, m + 1).latex for m in range(min(width, MOST_TERMS))]


def _aligned(lines: list[str]) -> str:
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _output(found: Trace, token: int) -> tuple[str, str]:
    count = min(found.n, 6)
    terms = [
        f"{written(found.weights[token - 1][j], 4)} {_column(found.values[j])}"
        for j in range(count)
    ]
    more = r" + \dots" if found.n > count else ""
    values = _matrix([[value] for value in found.averages[token - 1]])
    return "The output is the average of the values with these weights.", (
        rf"c_{{{token}}} = \sum_j a_{{{token},j}} v_j \approx {' + '.join(terms)}{more}"
        rf" \approx {values}"
    )


def _printed(found: Numbers) -> list[Block]:
    """Compare with what is printed, and follow what is wrong to the end."""
    if not found.printed:
        return []
    lines = tuple(
        (f"${row.name}$", _as_printed(row), vector(row.values, DIGITS, TEXT), _verdict(row))
        for row in found.printed
    )
    heading = Heading("The numbers printed in the problem", 3)
    blocks: list[Block] = [heading, Table(("", "printed", "computed", ""), lines)]
    if not found.wrong:
        blocks.append(Text("Every printed number agrees with what comes out, in its digits."))
    elif len(found.wrong) < len(found.printed):
        blocks.append(Text("The other printed rows agree with what comes out, in their digits."))
    for row in found.wrong:
        blocks += _consequences(row, found.found)
    return blocks


def _as_printed(row: PrintedRow) -> str:
    return _tuple([str(number) for number in row.printed], "…")


def _verdict(row: PrintedRow) -> str:
    if row.carried:
        return f"wrong: it follows from the printed ${row.carried}$"
    if row.wrong:
        return "wrong"
    return "agrees (cut off, not rounded)" if row.cut else "agrees"


def _consequences(row: PrintedRow, found: Trace) -> list[Block]:
    places = [place + 1 for place in row.wrong]
    one = len(places) == 1
    where = f"entry {places[0]} has" if one else f"entries {', '.join(map(str, places))} have"
    fault = "the wrong sign" if row.only_signs else "another value"
    sentence = (
        f"The printed ${row.name}$ = {_as_printed(row)} is wrong: {where} {fault}. "
        f"It is {rounded(row.values)}."
    )
    if row.letter in "qkvz":
        sentence += f" ${found.entry(row.letter, row.token, places[0]).latex}$."
    if row.carried:
        return [Text(f"{sentence} It is what follows from the printed ${row.carried}$.")]
    right = {place: exact_row(found, *place) for place in row.follows}
    changed = {place: values for place, values in row.follows.items() if values != right[place]}
    if not changed:
        return [Text(sentence), Text("Nothing else that is computed here comes from it.")]
    blocks: list[Block] = [Text(sentence)]
    first = _most_changed(changed, found)
    parts = [
        f"{NOUNS[letter]} {rounded(changed[letter, first])} instead of "
        f"{rounded(right[letter, first])}"
        for letter in "zac"
        if (letter, first) in changed
    ]
    if parts:
        blocks.append(Text(f"With it, token {first} would have the {', the '.join(parts)}."))
    lines = tuple(
        (f"${letter}_{{{token}}}$", *(vector(v, 6, TEXT) for v in (right[letter, token], values)))
        for (letter, token), values in list(changed.items())[:MOST_ROWS]
    )
    columns = ("", "as it is", f"with the printed ${row.name}$")
    blocks.append(Table(columns, lines, f"What the printed ${row.name}$ would change"))
    return blocks


def _most_changed(changed: Rows, found: Trace) -> int:
    """Return the token whose output a wrong number changes most."""
    far = {
        token: max(
            abs(float(new) - float(old))
            for new, old in zip(values, found.averages[token - 1], strict=True)
        )
        for (letter, token), values in changed.items()
        if letter == "c"
    }
    return max(far, key=far.__getitem__) if far else next(iter(changed))[1]


def _tables(found: Numbers) -> list[Block]:
    """Return the written-out computation up to the last stage that is asked for."""
    # Stages: what is given, then queries, keys and values together, scores, weights, outputs.
    last = max(2, *(LETTERS.index(letter) for letter, _ in found.places))
    tokens = tuple(sorted({token for _, token in found.places}))
    blocks = [block for stage in stages(found.found, DIGITS, tokens)[:last] for block in stage]
    return [
        replace(block, level=3) if isinstance(block, Heading) else block
        for block in blocks
        if not isinstance(block, Plot)
    ]


def _plot(found: Numbers) -> Plot:
    """Draw the weights, and those that a wrong number would lead to."""
    labels = tuple(f"x_{j}" for j in range(1, found.found.n + 1))
    floats = found.found.weights_float

    def bars(caption: str, *series: tuple[str, Iterable[Exact]]) -> Plot:
        lines = (Series(name, labels, tuple(map(float, values))) for name, values in series)
        return Plot("bars", caption, "token attended to", "weight", tuple(lines))

    for row in found.wrong:
        for (letter, token), values in row.follows.items():
            if letter == "a":
                caption = f"Weights of token {token}, and those from the printed ${row.name}$"
                computed = ("computed", floats[token - 1])
                return bars(caption, computed, (f"printed {row.name}", values))
    tokens = sorted({token for letter, token in found.places if letter in "zac"})
    if len(tokens) == 1:
        (token,) = tokens
        return bars(f"Where token {token} looks", (f"token {token}", floats[token - 1]))
    return Plot(
        "heatmap",
        "Weights: where each token looks",
        "token attended to",
        "token",
        rows=tuple(tuple(row) for row in floats.tolist()),
        row_labels=labels,
        column_labels=labels,
    )


def _beliefs(found: Numbers) -> tuple[str, ...]:
    """Say of a matrix that is not square that the other product does not exist."""
    for letter, token in found.places:
        if letter in "qkv":
            name = f"W_{letter.upper()}"
            rows, width = getattr(found.found, name).shape
            said = (
                f"${name} x_{{{token}}}$ instead of ${name}^\\top x_{{{token}}}$: ${name}$ is "
                f"{rows} × {width} and $x_{{{token}}}$ is {rows} × 1, so there is no such product. "
                f"${letter}_{{{token}}}$ is {width} × 1."
            )
            return () if rows == width else (said,)
    return ()
