"""What is often got wrong in a worked example, with the numbers that would come out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from regard.analysis.exact_trace.numbers import Exact, Exponentials, Surd, quotient
from regard.analysis.exact_trace.trace import Trace, trace
from regard.kinds.compute.solve.printed import FIELDS
from regard.kinds.compute.solve.words import Place, rounded


def mistakes(found: Trace, places: Sequence[Place]) -> tuple[str, ...]:
    """Return mistakes that change something that was asked for, each with what it would be."""
    letters = [letter for letter, _ in places]
    tokens = dict(reversed(places))  # the first of each letter
    candidates = []
    if any(letter in "qkv" for letter in letters):
        candidates.append(_not_transposed(found, next(x for x in letters if x in "qkv"), tokens))
    if not any(letter in "ac" for letter in letters):
        candidates.append(_roles(found, tokens.get("z", places[0][1])))
    if any(letter in "zac" for letter in letters):
        token = next(tokens[letter] for letter in "acz" if letter in tokens)
        candidates.append(_scale(found, token))
    if "a" in letters or "c" in letters:
        token = tokens.get("a", tokens.get("c", 1))
        candidates += [_columns(found, token), _plain_mean(found, token)]
    return tuple(sentence for sentence in candidates if sentence)


def _not_transposed(found: Trace, letter: str, tokens: dict[str, int]) -> str:
    name = {"q": "W_Q", "k": "W_K", "v": "W_V"}[letter]
    matrix, token = getattr(found, name), tokens[letter]
    rows, width = matrix.shape
    right = getattr(found, FIELDS[letter])[token - 1]
    if rows != width:
        return (
            f"${name} x_{{{token}}}$ instead of ${name}^\\top x_{{{token}}}$: ${name}$ is "
            f"{rows} × {width} and $x_{{{token}}}$ is {rows} × 1, so there is no such product. "
            f"${letter}_{{{token}}}$ is {width} × 1."
        )
    for other in [token, *range(1, found.n + 1)]:
        wrong = [_dot(row, found.x[other - 1]) for row in matrix]
        right = getattr(found, FIELDS[letter])[other - 1]
        if wrong != list(right):
            return (
                f"${name} x_{{{other}}}$ instead of ${name}^\\top x_{{{other}}}$ gives "
                f"{rounded(wrong)} instead of {rounded(right)}."
            )
    return ""


def _roles(found: Trace, token: int) -> str:
    for i in [token, *range(1, found.n + 1)]:
        wrong, right = found.scores[:, i - 1].tolist(), found.scores[i - 1].tolist()
        if wrong != right:
            return (
                f"Query and key exchanged, $k_{{{i}}}^\\top q_j$ instead of $q_{{{i}}}^\\top k_j$: "
                f"the scores of token {i} would be {rounded(wrong)} instead of {rounded(right)}."
            )
    return ""


def _scale(found: Trace, token: int) -> str:
    scaled = isinstance(found.scale, Surd) or found.scale**2 == Fraction(1, found.d_k)
    if found.d_k == 1:
        return ""
    other = trace(found.x, found.W_Q, found.W_K, found.W_V, scale=1 if scaled else "1/sqrt(d_k)")
    words = "left out" if scaled else "used although it is not asked for here"
    wrong, right = other.weights[token - 1], found.weights[token - 1]
    if rounded(wrong) == rounded(right):
        return ""
    return (
        f"The factor $1/\\sqrt{{d_k}}$ {words}: the weights of token {token} would be "
        f"{rounded(wrong)} instead of {rounded(right)}."
    )


def _columns(found: Trace, token: int) -> str:
    wrong = []
    for j in range(found.n):
        scores = found.scores[:, j]
        root = max((z.root for z in scores if isinstance(z, Surd)), default=1)
        row = Exponentials(tuple(z.numerator if isinstance(z, Surd) else z for z in scores), root)
        wrong.append(quotient([Fraction(i == token - 1) for i in range(found.n)], row))
    right = found.weights[token - 1]
    if rounded(wrong) == rounded(right):
        return ""
    total = sum(float(weight) for weight in wrong)
    return (
        f"The softmax down the columns of $Z$ instead of along its rows: row {token} would be "
        f"{rounded(wrong)}, which sums to {total:.4f}, instead of {rounded(right)}."
    )


def _plain_mean(found: Trace, token: int) -> str:
    columns = found.values.T.tolist()
    mean = [sum(entries, Fraction(0)) / found.n for entries in columns]
    right = found.averages[token - 1]
    if rounded(mean) == rounded(right):
        return ""
    return (
        f"The plain mean of the values, without the weights, is {rounded(mean)}; the output of "
        f"token {token} is {rounded(right)}."
    )


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Exact:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
