"""Worked examples: every number exactly, and what is printed elsewhere compared with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.notation import TEXT
from regard.analysis.exact_trace.numbers import Exact, Surd
from regard.analysis.exact_trace.trace import Trace, trace
from regard.certify import Certificate, Claim
from regard.certify.claims import computed
from regard.kinds.compute.solve.mistakes import mistakes
from regard.kinds.compute.solve.printed import FIELDS, PrintedRow, Rows, compare
from regard.kinds.compute.solve.words import DIGITS, MOST, Place, headline, rounded, steps, vector
from regard.kinds.compute.spec import MATRICES, ComputeProblem, fraction
from regard.report import Block, Heading, Plot, Series, Table, Text
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

ROOT = "1/sqrt(d_k)"
STAGES = {"q": 2, "k": 2, "v": 2, "z": 3, "a": 4, "c": 5}  # headings of the trace's report
MOST_ROWS = 6  # of a table of consequences


def solve(problem: ComputeProblem) -> Solution:
    """Compute what is asked for in exact numbers."""
    given, goal = problem.given, problem.goal
    inputs = {name: _fractions(getattr(given, name)) for name in ("tokens", "W_Q", "W_K", "W_V")}
    scale = ROOT if given.scale == ROOT else fraction(given.scale)
    found = trace(*inputs.values(), scale=scale)
    places = _places(goal.find, found.n)
    compared = compare(found, goal.printed)
    wrong = [row for row in compared if row.wrong]
    marked = (wrong[0].letter, wrong[0].token) if wrong else None
    certificate = _certificate(found, inputs, places)
    return solved(
        problem=problem,
        status=Status.COMPUTED,
        headline=headline(found, places),
        answer={name: _answer(found, name) for name in goal.find},
        certificate=certificate,
        reaches=tuple(range(len(certificate.claims))),  # one for each place that is asked for
        steps=steps(found, places, marked),
        details=(*_printed(compared, found), *_tables(found, places), _plot(found, places, wrong)),
        mistakes=mistakes(found, places),
    )


def _fractions(rows: Sequence[Sequence[Any]]) -> list[list[Fraction]]:
    return [[fraction(entry) for entry in row] for row in rows]


def _places(names: Sequence[str], count: int) -> list[Place]:
    """Return what is asked for, row by row, each once and in the order of the computation."""
    places: set[Place] = set()
    for name in names:
        tokens = range(1, count + 1) if name in MATRICES else [int(name[2:])]
        places |= {(name[0].lower(), token) for token in tokens}
    return sorted(places, key=lambda place: (list(FIELDS).index(place[0]), place[1]))


def _answer(found: Trace, name: str) -> list[Any]:
    matrix = getattr(found, FIELDS[name[0].lower()])
    if name in MATRICES:
        return [[_plain(value) for value in row] for row in matrix]
    return [_plain(value) for value in matrix[int(name[2:]) - 1]]


def _plain(value: Exact) -> int | float | str:
    """Write a number as an answer file does: exactly if it is rational."""
    if not isinstance(value, Fraction):
        return float(value)
    return value.numerator if value.denominator == 1 else str(value)


def _certificate(
    found: Trace, inputs: dict[str, list[list[Fraction]]], places: Sequence[Place]
) -> Certificate:
    """Claim every row that is asked for: rationals exactly, others to the last bit of a float."""
    over: dict[str, int] = {}
    arrays = {}
    for name, rows in inputs.items():
        over[name] = math.lcm(*(entry.denominator for row in rows for entry in row))
        arrays[name] = np.array([[float(entry * over[name]) for entry in row] for row in rows])
    surd = isinstance(found.scale, Surd)
    above = Fraction(1) if surd else Fraction(found.scale.numerator)
    root = found.scale.root if isinstance(found.scale, Surd) else found.scale.denominator**2
    claims: list[Claim] = []
    for letter, field in FIELDS.items():
        matrix = getattr(found, field)
        quantity = "outputs" if letter == "c" else field
        tokens = [token for one, token in places if one == letter]
        options: dict[str, Any] = {"over": over, "root": root}
        if len(tokens) == found.n:
            entries, bound = _stated(letter, matrix)
            claims.append(computed.claim(quantity, entries, bound=bound, **options))
            continue
        for token in tokens:
            (entries,), bound = _stated(letter, matrix[token - 1 : token])
            claims.append(computed.claim(quantity, entries, row=token - 1, bound=bound, **options))
    return Certificate(arrays, tuple(claims), float(above))


def _stated(letter: str, rows: Any) -> tuple[list[list[Any]], float]:
    """Return entries for a claim, and how near they are."""
    if all(isinstance(value, Fraction) for row in rows for value in row):
        # Balls around exponentials shrink to a rational weight, and never are that number.
        bound = 1e-50 if letter in "ac" else 0
        return [[_plain(value) for value in row] for row in rows], bound
    floats = [[float(value) for value in row] for row in rows]
    return floats, 2.0**-52 * max(1.0, max(abs(value) for row in floats for value in row))


def _printed(compared: Sequence[PrintedRow], found: Trace) -> list[Block]:
    """Compare with what is printed, and follow what is wrong to the end."""
    if not compared:
        return []
    lines = tuple(
        (f"${row.name}$", _as_printed(row), vector(row.values, DIGITS, TEXT), _verdict(row))
        for row in compared
    )
    columns = ("", "printed", "computed", "")
    blocks: list[Block] = [Heading("The numbers printed in the problem", 3), Table(columns, lines)]
    wrong = [row for row in compared if row.wrong]
    if not wrong:
        blocks.append(Text("Every printed number agrees with what comes out, in its digits."))
    elif len(wrong) < len(compared):
        blocks.append(Text("The other printed rows agree with what comes out, in their digits."))
    for row in wrong:
        blocks += _consequences(row, found)
    return blocks


def _as_printed(row: PrintedRow) -> str:
    shown = [str(number) for number in row.printed]
    if len(shown) > MOST:
        shown = [*shown[: MOST - 2], "…", shown[-1]]
    return f"({', '.join(shown)})"


def _verdict(row: PrintedRow) -> str:
    if row.carried:
        return f"wrong: it follows from the printed ${row.carried}$"
    if row.wrong:
        return "wrong"
    return "agrees (cut off, not rounded)" if row.cut else "agrees"


def _consequences(row: PrintedRow, found: Trace) -> list[Block]:
    places = [place + 1 for place in row.wrong]
    signs = all(fraction(row.printed[p]) == -_value(row.values[p]) for p in row.wrong)
    where = f"entry {places[0]}" if len(places) == 1 else f"entries {', '.join(map(str, places))}"
    verb = "has" if len(places) == 1 else "have"
    fault = f"{where} {verb} the wrong sign" if signs else f"{where} {verb} another value"
    sentence = (
        f"The printed ${row.name}$ = {_as_printed(row)} is wrong: {fault}. "
        f"It is {rounded(row.values)}."
    )
    if row.letter in "qkvz":
        sentence += f" ${found.entry(row.letter, row.token, places[0]).latex}$."
    if row.carried:
        sentence += f" It is what follows from the printed ${row.carried}$."
    blocks: list[Block] = [Text(sentence)]
    if row.carried:
        return blocks
    changed = {
        place: values
        for place, values in row.follows.items()
        if list(values) != list(getattr(found, FIELDS[place[0]])[place[1] - 1])
    }
    if not changed:
        return [*blocks, Text("Nothing else that is computed here comes from it.")]
    first = _most_changed(changed, found)
    parts = []
    for letter, noun in (("z", "scores"), ("a", "weights"), ("c", "output")):
        values = changed.get((letter, first))
        if values:
            right = getattr(found, FIELDS[letter])[first - 1]
            parts.append(f"{noun} {rounded(values)} instead of {rounded(right)}")
    if parts:
        blocks.append(Text(f"With it, token {first} would have the {', the '.join(parts)}."))
    lines = tuple(
        (
            f"${letter}_{{{token}}}$",
            vector(getattr(found, FIELDS[letter])[token - 1], 6, TEXT),
            vector(values, 6, TEXT),
        )
        for (letter, token), values in list(changed.items())[: 3 * MOST_ROWS]
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


def _value(value: Exact) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(decimal(value, 30))


def _tables(found: Trace, places: Sequence[Place]) -> list[Block]:
    """Return the written-out computation up to the last stage that is asked for."""
    last = max(STAGES[letter] for letter, _ in places)
    tokens = sorted({token for _, token in places})
    headings = 0
    blocks: list[Block] = []
    for block in found.report(digits=DIGITS, tokens=tokens).blocks:
        if isinstance(block, Heading):
            headings += 1
            block = replace(block, level=3)
        if headings <= last and not isinstance(block, Plot):
            blocks.append(block)
    return blocks


def _plot(found: Trace, places: Sequence[Place], wrong: Sequence[PrintedRow]) -> Plot:
    """Draw the weights, and those that a wrong number would lead to."""
    labels = tuple(f"x_{j}" for j in range(1, found.n + 1))
    floats = found.weights_float
    for row in wrong:
        for (letter, token), values in row.follows.items():
            if letter == "a":
                series = (
                    Series("computed", labels, tuple(floats[token - 1].tolist())),
                    Series(f"printed {row.name}", labels, tuple(float(value) for value in values)),
                )
                caption = f"Weights of token {token}, and those from the printed ${row.name}$"
                return Plot("bars", caption, "token attended to", "weight", series)
    tokens = sorted({token for letter, token in places if letter in "zac"})
    if len(tokens) == 1:
        weights = tuple(floats[tokens[0] - 1].tolist())
        alone = (Series(f"token {tokens[0]}", labels, weights),)
        caption = f"Where token {tokens[0]} looks"
        return Plot("bars", caption, "token attended to", "weight", alone)
    rows = tuple(tuple(row) for row in floats.tolist())
    return Plot(
        "heatmap",
        "Weights: where each token looks",
        "token attended to",
        "token",
        rows=rows,
        row_labels=labels,
        column_labels=labels,
    )
