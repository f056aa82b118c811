"""Two softmaxes are the same exactly where their scores differ by one number in each row.

So an equation of two softmaxes is one of their scores, which may be linear in what is sought.
"""

from __future__ import annotations

from dataclasses import replace

from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, operands
from regard.problems.assertions import Assertion
from regard.problems.symbols import SymbolsGiven


def of_scores(part: Assertion, given: SymbolsGiven) -> Assertion:
    """Return an equation of two softmaxes as one of their scores; any other as it is."""
    sides = [_scores(part, text) for text in (part.left, part.right)]
    if part.relation != "=" or None in sides:
        return part
    apart = f"({sides[0]} - ({sides[1]}))"
    shapes = given.free_shapes()
    for name, text in part.where.items():
        shapes[name] = parse(text).shape(shapes)
    shape = parse(apart).shape(shapes)
    if len(shape) == 1:
        mean = f"sum({apart}) ones({shape[0]})"
    else:
        mean = f"rowsum({apart}) ones({shape[-1]})'"
    zeros = f"zeros({', '.join(map(str, shape))})"
    return replace(part, left=f"{apart} - {mean} / {shape[-1]}", right=zeros)


def _scores(part: Assertion, text: str) -> str | None:
    """Return what a softmax is of; None where a formula is none."""
    tree: Tree = parse(text).tree
    if len(tree) == 1 and tree[0].value in part.where:
        tree = parse(part.where[tree[0].value]).tree
    if (tree[-1].op, tree[-1].value, tree[-1].arity) != ("call", "softmax", 1):
        return None
    return to_text(operands(tree)[0])
