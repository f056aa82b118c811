r"""Why a formula is positive, and why weights sum to one: rules that leave steps.

positive   e^x, softmax(x), numbers above 0, sums, products and quotients of such, roots of
           them; something positive plus something that is never negative (a square, a length)
sum to 1   sum(softmax(x)), and the same written with e^x
"""

from __future__ import annotations

from collections.abc import Mapping

from regard.kinds.identity.instance import softmax_argument
from regard.language import Shape, parse
from regard.language.latex import to_latex
from regard.language.printing import to_text
from regard.language.tree import Tree, apply, operands

Step = tuple[str, str]


def positive(tree: Tree, shapes: Mapping[str, Shape]) -> list[Step] | None:
    """Return why every entry of a formula is above 0, or None if no rule says so."""
    node, parts = tree[-1], operands(tree)
    latex = to_latex(tree)
    weights_of = softmax_argument(tree)
    if weights_of is not None and (
        node.op == "call" or len(parse(to_text(weights_of)).shape(shapes)) == 1
    ):
        return _softmax(weights_of, shapes)
    if node.op == "number" and node.value > 0:
        return []
    if node.op == "constant" and node.value == "pi":
        return []
    if node.op == "call" and node.value == "exp":
        return [("A power of $e$ is above 0, whatever the exponent.", f"{latex} > 0")]
    if node.op == "call" and node.value in ("sum", "max", "min", "tr", "sqrt", "Phi"):
        if node.value == "tr":  # the diagonal of a positive matrix
            return _then(
                positive(parts[0], shapes), "A sum of positive numbers is positive.", latex
            )
        if node.value == "Phi":
            return [("A probability of the normal law is above 0.", f"{latex} > 0")]
        found = [positive(part, shapes) for part in parts]
        steps = None if None in found else [step for some in found if some for step in some]
        words = {"sum": "A sum of positive numbers", "sqrt": "The root of a positive number"}
        subject = words.get(node.value, "One of several positive numbers")
        return _then(steps, f"{subject} is positive.", latex)
    if node.op in ("+", "*", "/"):
        sides = [positive(part, shapes) for part in parts]
        if node.op == "+" and None in sides:
            other = parts[0] if sides[0] is None else parts[1]
            rest = sides[1] if sides[0] is None else sides[0]
            if rest is None or not never_negative(other, shapes):
                return None
            together = "Something positive plus something that is never negative is positive."
            return _then(rest, together, latex)
        if None in sides:
            return None
        noun = {"+": "sum", "*": "product", "/": "quotient"}[node.op]
        steps = [step for some in sides if some for step in some]
        return _then(steps, f"A {noun} of positive numbers is positive.", latex)
    return None


def never_negative(tree: Tree, shapes: Mapping[str, Shape]) -> bool:
    """Say whether all entries are at least 0 by their form: squares, lengths, absolute values."""
    node = tree[-1]
    if node.op == "call":
        return node.value in ("abs", "norm", "modulus", "sqrt", "exp", "softmax")
    if node.op == "^":
        base, exponent = operands(tree)
        if parse(to_text(base)).shape(shapes):  # the square of a matrix may have any sign
            return False
        even = exponent[-1].op == "number" and exponent[-1].value % 2 == 0
        return even or never_negative(base, shapes)
    if node.op == "number":
        return True
    if node.op == "*" and operands(tree)[0] == apply("'", operands(tree)[1]):
        return True  # the square of a length
    return node.op in ("+", "*") and all(never_negative(part, shapes) for part in operands(tree))


def sums_to_one(tree: Tree) -> list[Step] | None:
    """Return why a formula is 1, if it is the sum of weights."""
    argument = _weights_of(tree)
    if argument is None:
        return None
    s = "s" if len(to_latex(argument)) > 1 else to_latex(argument)
    named = "" if s == to_latex(argument) else rf",\quad s = {to_latex(argument)}"
    return [
        (
            "All weights have the same denominator, and their numerators add up to it.",
            rf"\sum_i \frac{{e^{{{s}_i}}}}{{\sum_j e^{{{s}_j}}}} ="
            rf" \frac{{\sum_i e^{{{s}_i}}}}{{\sum_j e^{{{s}_j}}}} = 1{named}",
        )
    ]


def _weights_of(tree: Tree) -> Tree | None:
    node, parts = tree[-1], operands(tree)
    if node.op == "call" and node.value == "sum":
        return softmax_argument(parts[0])
    if node.op == "/" and parts[0] == parts[1] and parts[0][-1].value == "sum":
        inner = operands(parts[0])[0]
        return operands(inner)[0] if inner[-1].value == "exp" else None
    return None


def _softmax(argument: Tree, shapes: Mapping[str, Shape]) -> list[Step]:
    latex = to_latex(argument)
    s = latex if len(latex) == 1 else "s"
    matrix = len(parse(to_text(argument)).shape(shapes)) == 2
    i, j = ("{i,j}", "{i,l}") if matrix else ("i", "j")
    named = "" if s == latex else rf"s = {latex},\quad "
    under = "l" if matrix else "j"
    return [
        (
            "A power of $e$ is above 0, whatever the exponent: keys with low scores too.",
            rf"{named}e^{{{s}_{i}}} > 0",
        ),
        (
            "A sum of positive numbers is positive, so nothing is divided by 0.",
            rf"\sum_{under} e^{{{s}_{j}}} > 0",
        ),
        (
            "A quotient of positive numbers is positive: every weight is.",
            rf"\alpha_{i} = \frac{{e^{{{s}_{i}}}}}{{\sum_{under} e^{{{s}_{j}}}}} > 0",
        ),
    ]


def _then(steps: list[Step] | None, sentence: str, latex: str) -> list[Step] | None:
    return None if steps is None else [*steps, (sentence, f"{latex} > 0")]
