"""Formulas in symbols: every entry as a polynomial, for sizes that are numbers or names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from regard.certify.certificate import Unusable
from regard.certify.formulas import elementary
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.array_functions import ARRAY_FUNCTIONS, blocks
from regard.certify.formulas.indices import Place
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.tensors import (
    Entry,
    Shape,
    Tensor,
    dot,
    flat,
    inverse,
    largest,
    only,
    product,
    summed,
    total_sum,
    transposed,
    unknown,
)
from regard.errors import FormulaError
from regard.language import Formula
from regard.language.formula.shapes.inference import infer
from regard.language.formula.tree import Node, Tree, operands

_EACH: dict[str, Callable[[Poly], Poly]] = {
    "exp": elementary.exp,
    "log": elementary.log,
    "cos": elementary.cos,
    "sin": elementary.sin,
    "abs": elementary.absolute,
    "modulus": elementary.absolute,
}
_NEVER_NEGATIVE = frozenset(
    ["norm", "abs", "modulus", "exp", "sqrt", "Phi", "relu", "sigmoid", "ones", "zeros", "causal"]
)


def evaluate(
    formula: Formula,
    names: Mapping[str, Tensor],
    sizes: Mapping[str, int],
    expected: Shape | None = None,
) -> Tensor:
    """Return what a formula is.

    Args:
        formula: what is to be evaluated.
        names: what the names stand for.
        sizes: numbers for sizes; those that are left out stay names.
        expected: the shape that it should have, which settles the size of an I that stands alone.
    """
    shapes = {name: tensor.shape for name, tensor in names.items()}
    try:
        found = infer(formula.tree, formula.text, shapes, expected)
    except FormulaError as problem:
        raise Unusable(f"the shapes do not fit: {problem.reason}") from None
    stack: list[Tensor] = []
    for at, node in enumerate(formula.tree):
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        shape = tuple(
            sizes.get(size, size) if isinstance(size, str) else size for size in found[at]
        )
        for size in shape:
            if isinstance(size, str) and not size.replace("_", "").isalnum():
                raise Unusable(f"the size {size} of I is not known.")
        found_here = _node(node, parts, shape, names)
        trees = operands(formula.tree, at)
        if _never_negative(node, parts, trees, shape == ()):
            found_here = replace(found_here, safe=True)
        stack.append(found_here)
    return stack[-1]


def _node(node: Node, parts: list[Tensor], shape: Shape, names: Mapping[str, Tensor]) -> Tensor:
    op = node.op
    if op == "number":
        return Tensor((), lambda: p.number(Fraction(repr(node.value))))
    if op == "name":
        return names[node.value]
    if op == "constant" and node.value == "pi":
        return Tensor((), lambda: p.PI)
    if op in ("constant", "call") and node.value == "I":
        return Tensor(shape, p.delta)
    if op in ("+", "-", "neg"):
        return Tensor(shape, _linear(op, parts))
    if op in ("*", "·"):
        return product(parts[0], parts[1], shape)
    if op == "/":
        return Tensor(shape, lambda *at: parts[0](*at) * p.inverse(only(parts[1])))
    if op == "'":
        return transposed(parts[0], shape)
    if op == "^":
        return _power(parts[0], parts[1], shape)
    if op == "column":
        return Tensor(shape, lambda i: only(parts[i]))
    if op == "matrix" and any(part.shape for part in parts):
        return blocks(node.value, parts, shape)
    if op == "matrix":
        return Tensor(shape, lambda i, j: only(parts[i * node.value[1] + j]))
    if op == "call":
        return _call(node.value, parts, shape)
    raise Unusable("a side of an identity must not be a comparison or infinite.")


def _linear(op: str, parts: list[Tensor]) -> Entry:
    if op == "neg":
        return lambda *at: -parts[0](*at)

    def entry(*at: Place) -> Poly:
        # A number may stand for a matrix of one row and one column.
        one, other = (part(*at) if len(part.shape) == len(at) else only(part) for part in parts)
        return one + other if op == "+" else one - other

    return entry


def _power(base: Tensor, exponent: Tensor, shape: Shape) -> Tensor:
    value = only(exponent).constant()
    if not shape:
        return Tensor((), lambda: _scalar_power(only(base), only(exponent)))
    if value is None or value.q != 1:
        raise Unusable("a matrix can only be raised to a whole number.")
    times = int(value.p)
    if abs(times) > p.LARGEST_POWER:
        raise Unusable("an exponent is too large.")
    step = base if times > 0 else inverse(base)
    found = Tensor(shape, p.delta)
    for number in range(abs(times)):
        found = product(found, step, shape) if number else step
    return found


def _scalar_power(base: Poly, exponent: Poly) -> Poly:
    value = exponent.constant()
    if value is not None and value.q == 1:
        return p.power(base, int(value.p))
    if value is not None and value.q == 2 and elementary.never_negative(base):
        return p.power(elementary.root(base), int(value.p))
    if elementary.positive(base):
        return elementary.exp(exponent * elementary.log(base))
    return elementary.function("^", base, exponent)


def _call(name: str, parts: list[Tensor], shape: Shape) -> Tensor:
    part = parts[0]
    if name in _EACH:
        return Tensor(shape, lambda *at: _EACH[name](part(*at)))
    if name in ARRAY_FUNCTIONS:
        return ARRAY_FUNCTIONS[name](parts, shape)
    if name == "dot":
        return Tensor((), lambda: dot(*parts))
    if name == "outer":
        (_, one), (_, other) = (flat(each) for each in parts)
        return Tensor(shape, lambda i, j: one(i) * other(j))
    if name == "sum":
        return Tensor((), lambda: total_sum(part))
    if name == "tr":
        return Tensor((), lambda: summed(part.shape[0], lambda k: part(k, k)))
    if name == "norm":
        return Tensor(
            (),
            lambda: elementary.root(dot(part, part)) if part.shape else elementary.absolute(part()),
        )
    if name == "sqrt":
        return Tensor(shape, lambda *at: _sqrt(part(*at), part.safe))
    if name in ("max", "min"):
        return _extreme(p.number(1 if name == "max" else -1), parts, shape)
    if name in ("erf", "Phi"):
        return Tensor(shape, lambda *at: elementary.function(name, part(*at)))
    if name == "pinv":
        return unknown(name, part, shape)
    raise Unusable(f"{name} cannot be proved anything about.")


def _extreme(sign: Poly, parts: list[Tensor], shape: Shape) -> Tensor:
    """Return the largest (or, with the sign -1, the smallest) entry; of several, place by place."""

    def turned(part: Tensor) -> Tensor:
        return Tensor(part.shape, lambda *at: sign * part(*at))

    def entry(*at: Place) -> Poly:
        here = [part(*at) if part.shape else part() for part in parts]
        return sign * largest([turned(Tensor((), lambda one=one: one)) for one in here])

    if shape:
        return Tensor(shape, entry)
    return Tensor((), lambda: sign * largest([turned(part) for part in parts]))


def _sqrt(poly: Poly, safe: bool) -> Poly:
    """Return the root; of what may be negative nothing is known."""
    return (
        elementary.root(poly)
        if safe or elementary.never_negative(poly)
        else elementary.function("sqrt", poly)
    )


def _never_negative(node: Node, parts: list[Tensor], trees: list[Tree], scalar: bool) -> bool:
    """Say whether all entries are at least 0 by the way they are written, as u' u or norm(u)."""
    if node.op == "number":
        return True
    if node.op == "call" and node.value in _NEVER_NEGATIVE:
        return True
    if node.op == "call" and node.value == "softmax" and len(trees) == 1:
        return True
    if node.op == "call" and node.value == "dot" and trees[0] == trees[1]:
        return True
    if node.op == "^" and scalar:
        exponent = only(parts[1]).constant()
        return parts[0].safe or (exponent is not None and exponent.q == 1 and exponent.p % 2 == 0)
    if node.op in ("*", "·") and scalar and trees[0] in (trees[1], (*trees[1], Node("'", 1))):
        return True
    keeps = node.op in ("+", "*", "/", "'") or node.value in ("sum", "tr", "max", "min")
    return keeps and all(part.safe for part in parts)
