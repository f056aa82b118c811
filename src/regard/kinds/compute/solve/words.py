r"""How the numbers of a worked example are written: vectors, matrices, the headline, the steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.notation import LATEX, TEXT, Style, decimals, is_long, number
from regard.analysis.exact_trace.numbers import Exact
from regard.analysis.exact_trace.trace import Trace
from regard.errors import FormulaError
from regard.kinds.compute.solve.printed import FIELDS
from regard.language import notation

PROJECTIONS = {"q": "W_Q", "k": "W_K", "v": "W_V"}
NOUNS = {"q": "query", "k": "key", "v": "value", "z": "scores", "a": "weights", "c": "output"}
DIGITS = 8
MOST = 10  # rows and columns of a matrix that is written out
MOST_TERMS = 8

Place = tuple[str, int]


def written(value: Exact, digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write a number: a rational exactly, any other in so many digits."""
    if isinstance(value, Fraction) and not is_long(value):
        return number(value, style)
    return decimals(value, digits, style)


def vector(values: Sequence[Exact], digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write a vector, (2, 3, -5); of a long one the first and the last entries."""
    shown = [written(value, digits, style) for value in values]
    if len(shown) > MOST:
        shown = [*shown[: MOST - 2], style.dots, shown[-1]]
    return f"({', '.join(shown)})"


def rounded(values: Sequence[Exact]) -> str:
    """Write a vector with four decimals, and what they cannot show with two digits."""
    shown = []
    for value in values[:MOST]:
        near = float(value)
        small = near != 0 and abs(near) < 5e-5
        whole = isinstance(value, Fraction) and value.denominator <= 12
        shown.append(
            number(value, TEXT) if whole else decimal(value, 2) if small else f"{near:.4f}"
        )
    return f"({', '.join(shown)}{', …' if len(values) > MOST else ''})"


def matrix(rows: Sequence[Sequence[Exact]], digits: int = 6) -> str:
    """Write a matrix; one that is too large by its size."""
    if len(rows) > MOST or len(rows[0]) > MOST:
        return rf"\left[ {len(rows)} \times {len(rows[0])} \right]"
    lines = r" \\ ".join(" & ".join(written(value, digits) for value in row) for row in rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def column(values: Sequence[Exact]) -> str:
    """Write a column; a long one as a row."""
    if len(values) > MOST:
        return vector(values)
    return matrix([[value] for value in values])


def headline(found: Trace, places: Sequence[Place]) -> str:
    """Write everything that was asked for: whole matrices where every row of one was."""
    parts = []
    for letter, field in FIELDS.items():
        tokens = [token for one, token in places if one == letter]
        if len(tokens) == found.n and found.n > 1:
            rows = getattr(found, field)
            entries = [value for row in rows for value in row]
            parts.append(f"{letter.upper()} {_sign(entries)} {matrix(rows)}")
            continue
        for token in tokens:
            values = getattr(found, field)[token - 1]
            parts.append(f"{letter}_{{{token}}} {_sign(values)} {vector(values)}")
    text = r",\quad ".join(parts)
    return text if fits(text) else r",\quad ".join(part.split(" ")[0] for part in parts[:MOST])


def _sign(values: Sequence[Exact]) -> str:
    """= for fractions, and ≈ where there is a decimal among them."""
    return "=" if all(isinstance(value, Fraction) for value in values) else r"\approx"


def fits(latex: str) -> bool:
    """Say whether a formula can be typeset."""
    try:
        notation.check(latex)
    except FormulaError:
        return False
    return True


def steps(
    found: Trace, places: Sequence[Place], marked: Place | None
) -> tuple[tuple[str, str], ...]:
    """Explain each stage up to the last that was asked for, in the numbers of one token.

    Args:
        found: the computation.
        places: what was asked for.
        marked: a row that was printed wrongly: its own computation is among the steps.
    """
    letters = {letter for letter, _ in places}
    token = marked[1] if marked else places[0][1]
    last = max("qkvzac".index(letter) for letter in letters)
    result = []
    for letter in "qkv":
        if letter in letters or last > (4 if letter == "v" else 2):
            result.append(_projection(found, letter, token))
    if marked and marked[0] in "qkvz":
        result.append(_entries(found, *marked))
    if last > 2:
        result.append(_scores(found, token))
    if last > 3:
        result.append(_weights(found, token))
    if last > 4:
        result.append(_output(found, token))
    if last < 3:
        stacked = r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V"
        result.append(
            ("With tokens as the rows of $X$ the same numbers come out all at once.", stacked)
        )
    return tuple((sentence, latex if fits(latex) else "") for sentence, latex in result)


def _projection(found: Trace, letter: str, token: int) -> tuple[str, str]:
    matrix_name = PROJECTIONS[letter]
    sentence = (
        f"Token {token} times ${matrix_name}^\\top$ is its {NOUNS[letter]}: entry $m$ is "
        f"$x_{{{token}}}$ times column $m$ of ${matrix_name}$."
    )
    transposed = getattr(found, matrix_name).T.tolist()
    token_column, result = (
        column(found.x[token - 1]),
        column(getattr(found, FIELDS[letter])[token - 1]),
    )
    return sentence, (
        rf"{letter}_{{{token}}} = {matrix_name}^\top x_{{{token}}} = {matrix(transposed)}"
        rf" {token_column} = {result}"
    )


def _entries(found: Trace, letter: str, token: int) -> tuple[str, str]:
    width = getattr(found, FIELDS[letter]).shape[1]
    lines = [found.entry(letter, token, m).latex for m in range(1, min(width, 4) + 1)]
    return f"Entry by entry, for ${letter}_{{{token}}}$:", r",\quad ".join(lines)


def _scores(found: Trace, token: int) -> tuple[str, str]:
    times = "" if found.scale == 1 else f", times ${number(found.scale, LATEX)}$"
    sentence = f"Its score of token $j$ is $q_{{{token}}}^\\top k_j${times}."
    lines = [found.entry("z", token, j).latex for j in range(1, min(found.n, 4) + 1)]
    return sentence, r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _weights(found: Trace, token: int) -> tuple[str, str]:
    sentence = "The softmax makes the scores weights: powers of $e$, divided by their sum."
    lines = [found.entry("a", token, j).latex for j in range(1, min(found.n, 4) + 1)]
    return sentence, r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _output(found: Trace, token: int) -> tuple[str, str]:
    sentence = "The output is the average of the values with these weights."
    count = min(found.n, 6)
    terms = [
        f"{written(found.weights[token - 1][j], 4)} {column(found.values[j])}" for j in range(count)
    ]
    more = r" + \dots" if found.n > count else ""
    values = found.averages[token - 1]
    return sentence, (
        rf"c_{{{token}}} = \sum_j a_{{{token},j}} v_j \approx {' + '.join(terms)}{more}"
        rf" \approx {matrix([[value] for value in values], 6)}"
    )
