"""Statements and changes that nobody would choose."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzzing.strange_formulas import Parts

GIVEN: dict[str, Any] = {
    "shapes": {
        "X": ["N", "D"], "P": ["N", "N"], "W": ["D", "D"], "s": ["N"], "t": [], "c": [], "A": [3, 2], "y": [2],
    },
    "permutations": ["P"],
    "positive": ["c"],
    "functions": {"S(X)": "softmax(X W X') X", "F(X, t)": "relu(t X) + S(X)"},
}  # fmt: skip
MATRICES = [
    "X", "P X", "P' X", "S(X)", "S(P X)", "P S(X)", "F(X, t)", "F(P X, c)", "c X", "t X / t", "X W W^-1", "0 X",
    "layernorm(X)", "layernorm(t X)", "X ⊙ X", "relu(X)", "softmax(X W, X)", "diag(s) X", "diag(s)^-1 X",
    "softmax(P X X' P', causal(N)) X", "max(X, 0)", "s ones(D)'", "S(S(P X))", "tanh(X) - elu(X)",
]  # fmt: skip
OTHERS = [
    "t", "c", "sum(s)", "entries(X)", "N D", "1/t", "log(t)", "norm(s)", "rowsum(X)", "row(A, 2)", "y", "s", "D",
    "vstack(A, y')", "rows(A, 1, 2)", "causal(N)", "rank(X)", "S(X", "S(X, X)", "Z", "rowmax(X)", "I",
]  # fmt: skip


def _says(rng: Random) -> str:
    pool = MATRICES if rng.random() < 0.75 else [*MATRICES, *OTHERS]
    one, other = rng.choice(pool), rng.choice([*pool, "0"])
    relation = rng.choice(["=", "=", "=", "!=", ">=", "<", "<="])
    if rng.random() < 0.15:
        return f"rank({one}) <= {rng.choice(['N', 'D', 'min(N, D)', '2', 't', '0 N'])}"
    more = f" and {_says(rng)}" if rng.random() < 0.1 else ""
    return f"{one} {relation} {other}{more}"


def choice(rng: Random) -> Parts:
    """Return statements that may be true."""
    count = rng.choice([1, 1, 2, 3])
    statements: list[dict[str, Any]] = [
        {"label": "abc"[i], "says": _says(rng)} for i in range(count)
    ]
    if rng.random() < 0.2:
        over = rng.choice(["integers", "reals", "primes"])
        shared = {
            "d_model": rng.choice([2, 3, 8, 512]),
            "base": rng.choice([2, 10000, 1]),
            "over": over,
        }
        statements.append({"label": rng.choice(["d", "a", "true"]), "shared_positions": shared})
    reasons = {"reasons": [rng.choice("abcd")]} if rng.random() < 0.3 else {}
    return {"given": GIVEN, "goal": {"statements": statements, **reasons}}


def symmetry(rng: Random) -> Parts:
    """Return a change, or an equation with an unknown."""
    if rng.random() < 0.4:
        unknown = {rng.choice(["w", "B", "X"]): rng.choice([["N"], ["D", "D"], [], ["M"]])}
        name = next(iter(unknown))
        says = rng.choice(
            [f"{name}' S(P X) = {name}' S(X)", f"X {name} = X", f"{name} X = t X", _says(rng)]
        )
        return {"given": GIVEN, "goal": {"unknown": unknown, "such_that": says}}
    symbol = rng.choice(["X", "W", "t", "c", "s"])
    put = rng.choice(["P X", "c X", "X + P X", "W W", "W^-1", "t + c", "c t", "s", "0 X", symbol])
    find = rng.choice([["invariant"], ["becomes"], ["invariant", "becomes"], []])
    output = rng.choice([*MATRICES, *OTHERS])
    return {"given": GIVEN, "goal": {"output": output, "change": {symbol: put}, "find": find}}
