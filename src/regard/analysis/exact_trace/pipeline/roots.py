"""Rationals over a root, and constants with roots, in exact numbers where these can hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from regard.analysis.exact_trace.numbers import Exact, ExponentialQuotient, Surd, quotient, rational
from regard.language import parse

MOST_DIVISOR = 1000  # squares of numbers up to it are taken out of a root


def over_root(number: Fraction, square: Fraction) -> Fraction | Surd:
    """Return number / √square, square > 0, with the root as small as can be.

    >>> print(over_root(Fraction(3), Fraction(4, 9)), over_root(Fraction(1), Fraction(1, 2)))
    9/2 2/√2
    """
    root = square.numerator * square.denominator
    number *= square.denominator
    side = math.isqrt(root)
    if side * side == root:
        return number / side
    for divisor in range(2, MOST_DIVISOR):
        if divisor * divisor > root:
            break
        while root % (divisor * divisor) == 0:
            root //= divisor * divisor
            number /= divisor
    return Surd(number, root) if number else Fraction(0)


def dot(left: Sequence[Exact | None], right: Sequence[Exact | None]) -> Exact | None:
    """Return Σ left · right in exact numbers, or None where these cannot hold it."""
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != 0 and b != 0]
    if all(isinstance(a, Fraction) and isinstance(b, Fraction) for a, b in pairs):
        return sum((a * b for a, b in pairs), Fraction(0))  # type: ignore[operator]
    rational_part, roots = Fraction(0), dict[int, Fraction]()
    row, coefficients = None, list[Fraction]()
    for a, b in pairs:
        if isinstance(b, ExponentialQuotient):
            a, b = b, a
        if isinstance(a, ExponentialQuotient) and isinstance(b, Fraction):
            if row is not None and a.row is not row:
                return None
            row = a.row
            coefficients = coefficients or [Fraction(0)] * len(a.coefficients)
            coefficients = [c + b * x for c, x in zip(coefficients, a.coefficients, strict=True)]
            continue
        product = multiplied(a, b)
        if product is None:
            return None
        if isinstance(product, Surd):
            roots[product.root] = roots.get(product.root, Fraction(0)) + product.numerator
        else:
            rational_part += product
    roots = {root: number for root, number in roots.items() if number}
    if row is not None:
        return None if roots else quotient([c + rational_part for c in coefficients], row)
    if not roots:
        return rational_part
    if len(roots) > 1 or rational_part:
        return None
    ((root, number),) = roots.items()
    return Surd(number, root)


def multiplied(a: Exact | None, b: Exact | None) -> Fraction | Surd | None:
    """Return a product of rationals and rationals over a root."""
    if isinstance(a, Surd) and isinstance(b, Surd):
        return over_root(a.numerator * b.numerator, Fraction(a.root * b.root))
    if isinstance(b, Surd):
        a, b = b, a
    if isinstance(a, Surd) and isinstance(b, Fraction):
        return Surd(a.numerator * b, a.root) if b else Fraction(0)
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else None


def constant(text: str) -> Fraction | Surd | None:
    """Return a constant such as "sqrt(2)/2" exactly, or None where it is of another kind."""
    stack: list[Fraction | Surd | None] = []
    for node in parse(text).tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(_exact_node(node.op, node.value, parts))
    return stack[-1]


def _exact_node(
    op: str, value: object, parts: list[Fraction | Surd | None]
) -> Fraction | Surd | None:
    if op == "number":
        return Fraction(repr(value))
    if op == "constant" or any(part is None for part in parts):
        return None
    first, second = (*parts, None, None)[:2]
    if op == "neg":
        return multiplied(first, Fraction(-1))
    if op in ("*", "·"):
        return multiplied(first, second)
    if op == "/":
        if isinstance(second, Surd):  # a / (n/√r) = a √r / n = a r / (n √r)
            return multiplied(first, Surd(second.root / second.numerator, second.root))
        return multiplied(first, 1 / second) if isinstance(second, Fraction) and second else None
    if op in ("+", "-"):
        found = dot([first, second], [Fraction(1), Fraction(1 if op == "+" else -1)])
        return found if isinstance(found, Fraction | Surd) else None
    if op == "^" and isinstance(first, Fraction) and isinstance(second, Fraction):
        whole = second.denominator == 1 and abs(second) <= 64 and (first or second > 0)
        return first ** int(second) if whole else None
    if op == "call" and value == "sqrt" and isinstance(first, Fraction) and first >= 0:
        return over_root(first, first) if first else Fraction(0)
    return None


def constant_ball(text: str) -> arb:
    """Return a constant in balls of the working precision."""
    stack: list[arb] = []
    calls: dict[str, Callable[[arb], arb]] = {
        "sqrt": arb.sqrt, "exp": arb.exp, "log": arb.log, "sin": arb.sin, "cos": arb.cos,
    }  # fmt: skip
    for node in parse(text).tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        match node.op:
            case "number":
                found = arb(rational(Fraction(repr(node.value))))
            case "constant":
                found = arb.pi()
            case "neg":
                found = -parts[0]
            case "+":
                found = parts[0] + parts[1]
            case "-":
                found = parts[0] - parts[1]
            case "*" | "·":
                found = parts[0] * parts[1]
            case "/":
                found = parts[0] / parts[1]
            case "^":
                found = parts[0] ** parts[1]
            case _:
                found = calls[str(node.value)](parts[0])
        stack.append(found)
    return stack[-1]
