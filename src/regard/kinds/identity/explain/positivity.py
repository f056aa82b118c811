r"""Why a formula is positive, and why weights sum to one: rules that leave steps.

positive   e^x, softmax(x), numbers above 0, sums, products and quotients of such, roots of
           them; something positive plus something that is never negative (a square, a length)
sum to 1   sum(softmax(x)), and the same written with e^x
"""

from __future__ import annotations

from collections.abc import Mapping

from regard.kinds.identity.instance import softmax_argument
from regard.language import Shape, parse
from regard.language.formula.printing.latex import to_latex
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply, operands

Step = tuple[str, str]


ALONE = {  # what is positive by itself
    "exp": "**Numerators.** A power of $e$ is above 0, whatever the exponent.",
    "Phi": "**Probability.** A probability of the normal law is above 0.",
}
TOGETHER = {  # what is positive if its parts are
    "+": "A sum of positive numbers",
    "*": "A product of positive numbers",
    "/": "A quotient of positive numbers",
    "sum": "A sum of positive numbers",
    "tr": "A sum of positive numbers",
    "sqrt": "The root of a positive number",
    "max": "One of several positive numbers",
    "min": "One of several positive numbers",
}


def positive(tree: Tree, shapes: Mapping[str, Shape]) -> list[Step] | None:
    """Return why every entry of a formula is above 0, or None if no rule says so."""
    node, parts = tree[-1], operands(tree)
    latex = f"{to_latex(tree)} > 0"
    weights_of = softmax_argument(tree)
    if weights_of is not None and (
        node.op == "call" or len(parse(to_text(weights_of)).shape(shapes)) == 1
    ):
        return _softmax(weights_of, shapes)
    if (node.op == "number" and node.value > 0) or (node.op, node.value) == ("constant", "pi"):
        return []
    rule = node.value if node.op == "call" else node.op
    if rule in ALONE:
        return [(ALONE[rule], latex)]
    if rule not in TOGETHER:
        return None
    sides = [positive(part, shapes) for part in parts]
    steps = [step for some in sides if some for step in some]
    if None not in sides:
        return [*steps, (f"**Positive.** {TOGETHER[rule]} is positive.", latex)]
    rest = [part for part, some in zip(parts, sides, strict=True) if some is None]
    if rule != "+" or len(rest) == 2 or not never_negative(rest[0], shapes):
        return None
    together = "**Sum.** Something positive plus something that is never negative is positive."
    return [*steps, (together, latex)]


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
            "**Sum.** All weights have the same denominator, and their numerators add up to it.",
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
            "**Numerators.** A power of $e$ is above 0, whatever the exponent: keys with low "
            "scores too.",
            rf"{named}e^{{{s}_{i}}} > 0",
        ),
        (
            "**Denominator.** A sum of positive numbers is positive, so nothing is divided by 0.",
            rf"\sum_{under} e^{{{s}_{j}}} > 0",
        ),
        (
            "**Weights.** A quotient of positive numbers is positive: every weight is.",
            rf"\alpha_{i} = \frac{{e^{{{s}_{i}}}}}{{\sum_{under} e^{{{s}_{j}}}}} > 0",
        ),
    ]
