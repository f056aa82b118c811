"""Which shape every part of a formula has.

Shapes are (), (n,) for a column and (m, n) for a matrix, with sizes that are numbers or symbols.
The transpose of a column is a row: a matrix with one row that remembers that its product with a
column is a scalar. The size of I is unknown until something beside it settles it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regard.language.formula.shapes.rules import shape_of
from regard.language.formula.shapes.sizes import TRUTH, Inference, Sizes, Unknown, plain
from regard.language.formula.tree import Tree

Shape = tuple[int | str, ...]


def infer(
    tree: Tree,
    text: str,
    shapes: Mapping[str, Sequence[int | str]],
    expected: Sequence[int | str] | None = None,
    sizes: Mapping[int, tuple[int, ...]] | None = None,
) -> list[Shape]:
    """Return the shape of every node; that of the last is the formula's.

    Args:
        tree: the formula.
        text: its source, for messages.
        shapes: of the names.
        expected: what the formula should be; settles the size of an I that stands alone.
        sizes: of each I(…), ones(…) and so on, by node, where numbers are known.

    Raises:
        FormulaError: the shapes do not fit, a name is not declared, or a size stays unknown.
    """
    inference = Inference(tree, text, shapes)
    stack: list[Sizes] = []
    for inference.at, node in enumerate(tree):
        arguments = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(shape_of(inference, node, arguments))
        inference.found.append(stack[-1])
    for inference.at, numbers in (sizes or {}).items():
        for size, axis in zip(numbers, inference.found[inference.at], strict=False):
            known = inference.size(axis)
            if not inference.same(known, size):
                called = tree[inference.at].value
                inference.fail(f"The size of {called} is {size} here, where {known} would fit.")
    if expected is not None:
        _expect(inference, tuple(expected))
    return [_final(inference, shape) for shape in inference.found]


def _expect(inference: Inference, expected: Shape) -> None:
    """Check the formula's shape against the one that is wanted."""
    shape = inference.found[-1]
    if shape == TRUTH:
        inference.fail(f"This should be {inference.words(expected)}, and it is a comparison.")
    # A number is also a column of 1 and a matrix of 1 × 1.
    if not shape and all(size == 1 for size in expected):
        return
    is_now = inference.words(shape)
    if len(shape) != len(expected) or not all(map(inference.same, shape, expected)):
        inference.fail(
            f"This should be {inference.words(expected)}, and it is {is_now}.",
            min(node.column for node in inference.tree),
        )


def _final(inference: Inference, shape: Sizes) -> Shape:
    """Return a shape with every size settled."""
    if shape == TRUTH:
        return ()
    sizes: list[int | str] = []
    for size in map(inference.size, shape):
        if isinstance(size, Unknown) and not size.label:
            inference.at = next(
                at
                for at, node in enumerate(inference.tree)
                if node.value == "I" and inference.size(inference.found[at][0]) is size
            )
            inference.fail("The size of I does not follow from the formula: write I(d) with it.")
        sizes.append(size.label if isinstance(size, Unknown) else plain(size))
    return tuple(sizes)
