"""Identities that are true by construction, and the same with one thing changed.

Every family draws its coefficients, sizes and names, and returns a true equation and a false one:
a coefficient, a sign, an index, an order or a transpose is other than it must be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True)
class Case:
    """left = right for names of these shapes, or not."""

    shapes: dict[str, list[int | str]]
    left: str
    right: str
    true: bool
    define: dict[str, str] = field(default_factory=dict)


Pair = tuple[str, str, str]  # left, right, and a right side that is wrong


def _number(rng: Rng) -> int:
    return int(rng.choice([-5, -3, -2, 2, 3, 4, 7]))


def _distance(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    a, b = _number(rng), _number(rng)
    right = f"{a * a} q' q + ({2 * a * b}) q' k + {b * b} norm(k)^2"
    wrong = [
        f"{a * a} q' q + ({2 * a * b + 1}) q' k + {b * b} norm(k)^2",
        f"{a * a} q' q - ({2 * a * b}) q' k + {b * b} norm(k)^2",
        f"{a * a} q' q + ({2 * a * b}) q' k + {b * b}.0000000001 norm(k)^2",
    ][rng.integers(3)]
    return {"q": ["d"], "k": ["d"]}, (f"norm(({a}) q + ({b}) k)^2", right, wrong), {}


def _transposes(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = _number(rng)
    square = {name: ["n", "n"] for name in "ABC"}
    wrong = ["A' B' C'", "C' B A'", "C' A' B'"][rng.integers(3)]
    return square, (f"({c} A B C)'", f"C' ({c} B') A'", f"{c} {wrong}"), {}


def _trace(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    wrong = ["tr(B A C)", "tr(A C B)", "tr(A B C')"][rng.integers(3)]
    shapes = {name: ["n", "n"] for name in "ABC"}
    return shapes, ("tr(A B C)", ["tr(B C A)", "tr(C' B' A')"][rng.integers(2)], wrong), {}


def _binomial(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    a, b = _number(rng), _number(rng)
    right = f"{a * a} A^2 + ({a * b}) (A B + B A) + {b * b} B B"
    wrong = f"{a * a} A^2 + ({2 * a * b}) A B + {b * b} B B"
    return {"A": ["n", "n"], "B": ["n", "n"]}, (f"(({a}) A + ({b}) B)^2", right, wrong), {}


def _shift_of_scores(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = _number(rng)
    wrong = ["softmax(2 K q)", "softmax(K q - K q / 3)", "softmax(-K q)"][rng.integers(3)]
    return (
        {"K": ["n", "d"], "q": ["d"]},
        (f"softmax(K q + ({c}) exp(0 (K q)))", "softmax(K q)", wrong),
        {},
    )


def _shift_of_keys(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    n = int(rng.integers(2, 5))
    c = _number(rng)
    keys = [f"k_{i}" for i in range(1, n + 1)]
    moved = ", ".join(f"q' ({key} + ({c}) u)" for key in keys)
    plain = [f"q' {key}" for key in keys]
    wrong = [*plain]
    wrong[rng.integers(n)] += " + q' u"
    shapes: dict[str, Any] = {name: ["d"] for name in (*keys, "q", "u")}
    sides = (
        f"softmax([{moved}])",
        f"softmax([{', '.join(plain)}])",
        f"softmax([{', '.join(wrong)}])",
    )
    return shapes, sides, {}


def _sigmoid(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    right = f"[1 / (1 + exp({c} (b - a))), 1 / (1 + exp({c} a - {c} b))]"
    wrong = [
        f"[1 / (1 + exp({c} (a - b))), 1 / (1 + exp({c} a - {c} b))]",
        f"[1 / (1 + exp({c} (b - a))), 1 / (1 - exp({c} a - {c} b))]",
        f"[1 / (1 + exp({c}.00000001 (b - a))), 1 / (1 + exp({c} a - {c} b))]",
    ][rng.integers(3)]
    return {"a": [], "b": []}, (f"softmax({c} [a, b])", right, wrong), {}


def _tangent(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    left = f"(exp({c} x) - exp(-{c} x)) / (exp({c} x) + exp(-{c} x))"
    right = f"2 / (1 + exp(-{2 * c} x)) - 1"
    wrong = [f"2 / (1 + exp(-{c} x)) - 1", f"1 - 2 / (1 + exp(-{2 * c} x))"][rng.integers(2)]
    return {"x": []}, (left, right, wrong), {}


def _rotation(angle: str) -> str:
    return f"[[cos({angle}), -sin({angle})], [sin({angle}), cos({angle})]]"


def _rotary(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    a, b = _number(rng), _number(rng)
    define = {
        "R": _rotation(f"({a}) m w"),
        "S": _rotation(f"({b}) n w"),
        "T": _rotation(f"({b}) n w - ({a}) m w"),
    }
    wrong = ["q' T' k", "k' T q", "q' R S k"][rng.integers(3)]
    shapes: dict[str, Any] = {"q": [2], "k": [2], "m": [], "n": [], "w": []}
    return shapes, ("(R q)' (S k)", "q' T k", wrong), define


def _composition(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    define = {"R": _rotation("a"), "S": _rotation("b")}
    wrong = _rotation(["a - b", "2 a + b", "-a - b"][rng.integers(3)])
    return {"a": [], "b": []}, ("R S", _rotation("a + b"), wrong), define


def _sinusoid(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    left = f"[sin({c} w (t + T)), cos({c} w (t + T))]"
    turn = f"[[cos({c} w T), sin({c} w T)], [-sin({c} w T), cos({c} w T)]]"
    wrong = turn.replace("-sin", "sin") if rng.integers(2) else f"({turn})'"
    old = f"[sin({c} w t), cos({c} w t)]"
    return {"t": [], "T": [], "w": []}, (left, f"{turn} {old}", f"{wrong} {old}"), {}


def _kernel(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    """The product of sinusoidal positions depends on their distance alone, for all frequencies."""
    a, b = rng.permutation([1, 2, 3, 5])[:2].tolist()
    left = f"cos({a} t w)' cos({b} t w) + sin({a} t w)' sin({b} t w)"
    wrong = f"sum(cos({a + b} t w))" if rng.integers(2) else f"sum(sin({a - b} t w))"
    return {"w": ["f"], "t": []}, (left, f"sum(cos({b - a} t w))", wrong), {}


def _permutation(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    n = int(rng.integers(3, 5))
    order = np.roll(np.arange(n), 1 + rng.integers(2)) if n == 3 else np.array([1, 2, 0, 3])
    matrix = np.eye(n, dtype=int)[order].tolist()
    shapes: dict[str, Any] = {"q": ["d"], "K": [n, "d"], "V": [n, "w"]}
    wrong = ["(P V)' softmax(K q)", "V' P softmax(K q)"][rng.integers(2)]
    return shapes, ("(P V)' softmax(P K q)", "V' softmax(K q)", wrong), {"P": str(matrix)}


def _equivariance(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    matrix = np.eye(3, dtype=int)[np.roll(np.arange(3), 1)].tolist()
    return {"s": [3]}, ("softmax(P s)", "P softmax(s)", "P' softmax(s)"), {"P": str(matrix)}


def _scaling(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    left = f"softmax({c} Q K' / sqrt(d)) V"
    right = f"softmax((Q / sqrt(d)) ({c} K)') V"
    wrong = f"softmax((Q / sqrt(d)) ({c} K)' / sqrt(d)) V"
    shapes: dict[str, Any] = {"Q": ["n", "d"], "K": ["m", "d"], "V": ["m", "w"], "d": []}
    return shapes, (left, right, wrong), {}


def _logarithm(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    right = f"{c} s - log(sum(exp({c} s))) exp(0 s)"
    wrong = [f"{c} s - log(sum(exp(s))) exp(0 s)", f"{c} s + log(sum(exp({c} s))) exp(0 s)"]
    return {"s": ["n"]}, (f"log(softmax({c} s))", right, wrong[rng.integers(2)]), {}


def _stable(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    left = "exp(s - max(s) exp(0 s)) / sum(exp(s - max(s) exp(0 s)))"
    wrong = ["softmax(s) / 2", "softmax(s - min(s) s)"][rng.integers(2)]
    return {"s": ["n"]}, (left, "softmax(s)", wrong), {}


def _length(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    wrong = f"-({c}) u / norm({c} u)" if rng.integers(2) else f"{c} u / norm(u)"
    return {"u": ["d"]}, (f"{c} u / norm({c} u)", "u / norm(-u)", wrong), {}


def _sum_of_weights(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = abs(_number(rng))
    wrong = [f"{c}.000000001", f"n / n + {c}", "n"][rng.integers(3)]
    shapes: dict[str, Any] = {"K": ["n", "d"], "q": ["d"], "n": []}
    return shapes, (f"{c} sum(softmax(K q))", f"{c}", wrong), {}


def _linear_attention(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    shapes: dict[str, Any] = {"Q": ["n", "d"], "K": ["n", "d"], "V": ["n", "d"]}
    wrong = ["Q (V' K)", "Q K V'", "K Q' V"]
    fits = [one for one in wrong if one != "Q K V'"]
    return shapes, ("(Q K') V", "Q (K' V)", fits[rng.integers(2)]), {}


def _inverse(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = _number(rng)
    wrong = ["A^-1 B^-1", f"({c}) B^-1 A^-1"][rng.integers(2)]
    return {"A": [2, 2], "B": [2, 2]}, (f"({c} A B)^-1", f"B^-1 A^-1 / ({c})", wrong), {}


def _two_layers(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    c = _number(rng)
    left = f"softmax(W softmax(s + ({c}) exp(0 s)))"
    wrong = "softmax(W softmax(s) / 2)" if rng.integers(2) else "softmax(softmax(W s))"
    return {"s": ["n"], "W": ["n", "n"]}, (left, "softmax(W softmax(s))", wrong), {}


def _near_miss(rng: Rng) -> tuple[dict[str, Any], Pair, dict[str, str]]:
    """A combination of 1, e, …, e⁶ of size 9e-27 (times a number) is not 0."""
    c = _number(rng)
    parts = [10987, -14490, 6976, 19302, 12904, -6042, -542]
    total = " + ".join(f"({part}) exp({k})" for k, part in enumerate(parts))
    halves = " + ".join(f"({part}) exp({k} / 2)^2" for k, part in enumerate(parts))
    return {"x": []}, (f"({c}) x ({total})", f"x ({halves}) ({c})", "0 x"), {}


FAMILIES: dict[str, Callable[[Rng], tuple[dict[str, Any], Pair, dict[str, str]]]] = {
    one.__name__.lstrip("_"): one
    for one in (
        _distance, _transposes, _trace, _binomial, _shift_of_scores, _shift_of_keys, _sigmoid,
        _tangent, _rotary, _composition, _sinusoid, _kernel, _permutation, _equivariance, _scaling,
        _logarithm, _stable, _length, _sum_of_weights, _linear_attention, _inverse, _two_layers,
        _near_miss,
    )
}  # fmt: skip


def cases(seed: int, each: int) -> list[tuple[str, Case]]:
    """Return so many true and so many false identities of each family."""
    rng = np.random.default_rng(seed)
    found = []
    for name, family in FAMILIES.items():
        for _ in range(each):
            shapes, (left, right, wrong), define = family(rng)
            found.append((name, Case(shapes, left, right, True, define)))
            found.append((name, Case(shapes, left, wrong, False, define)))
    return found
