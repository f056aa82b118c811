"""Which shape functions of whole arrays give: masks, diagonals, rows, blocks, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from regard.language.formula.printing.text import to_text
from regard.language.formula.shapes.sizes import ROW, Inference, Size, Sizes, Unknown, plain
from regard.language.formula.tree import Node, Tree, operands


def _extreme(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    """Of one array its largest entry; of several entry by entry, where numbers fit anything."""
    if len(arguments) == 1:
        return ()
    found: Sizes = ()
    for part, shape in zip(at.bare_parts(), arguments, strict=True):
        if shape and found and not _alike(at, found, shape):
            at.fail(
                f"{node.value} takes one array, or several of one shape and scalars, and {part} "
                f"is {at.words(shape)}."
            )
        found = found or shape
    return found


def _softmax(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    part, *_ = at.bare_parts()
    if not arguments[0]:
        at.fail(f"softmax takes a vector or a matrix, and {part} is a scalar.")
    if len(arguments) > 2:
        at.fail("softmax takes scores, and perhaps a mask of zeros and ones: softmax(S, M).")
    if len(arguments) == 2 and not _alike(at, *arguments):
        at.fail(
            f"The mask of softmax must be as large as the scores: it is {at.words(arguments[1])}, "
            f"and they are {at.words(arguments[0])}."
        )
    return arguments[0]


def _alike(at: Inference, left: Sizes, right: Sizes) -> bool:
    return len(left) == len(right) and all(map(at.same, left, right))


def _hadamard(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    left, right = arguments
    if not left or not right or not _alike(at, left, right):
        at.fail(
            f"{at.words(left, True)} cannot be multiplied entry by entry with {at.words(right)}: "
            "both need one shape."
        )
    return left


def sizes_of(at: Inference, node: Node, arguments: list[Sizes], most: int) -> list[Size]:
    """Return the sizes that are the arguments of I, ones, zeros or causal."""
    found: list[Size] = []
    parts = operands(at.tree, at.at)
    if len(parts) > most:
        at.fail(f"{node.value} takes {'one size' if most == 1 else 'one or two sizes'}.")
    for part, shape in zip(parts, arguments, strict=True):
        if shape:
            at.fail(f"In {node.value}(…) stands a size, and {to_text(part)} is {at.words(shape)}.")
        size = literal(part)
        if size == 0 or (size is None and len(part) == 1 and part[0].op == "number"):
            at.fail(
                f"The size of {node.value} must be a whole number from 1, and it is "
                f"{to_text(part)}."
            )
        found.append(Unknown(to_text(part)) if size is None else size)
    return found


def literal(part: Tree) -> int | None:
    """Return a whole number that is written out."""
    if len(part) == 1 and part[0].op == "number" and part[0].value % 1 == 0:
        return int(part[0].value)
    return None


def _ones(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    return tuple(sizes_of(at, node, arguments, 2))


def _causal(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (size,) = sizes_of(at, node, arguments, 1)
    return (size, size)


def _diag(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (shape,) = arguments
    if len(shape) == 2 and shape[0] is not ROW:
        if not at.same(*shape):
            at.fail(
                f"diag takes a vector or a square matrix, and {_only(at)} is {at.words(shape)}."
            )
        return (shape[0],)
    if not shape:
        at.fail(f"diag takes a vector or a square matrix, and {_only(at)} is a scalar.")
    return (shape[-1], shape[-1])


def _only(at: Inference) -> str:
    return at.bare_parts()[0]


def _by_row(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    """One number for each row of a matrix, one for a vector."""
    (shape,) = arguments
    if not shape:
        at.fail(f"{node.value} takes a vector or a matrix, and {_only(at)} is a scalar.")
    return (shape[0],) if len(shape) == 2 and shape[0] is not ROW else ()


def _layernorm(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    if not arguments[0]:
        at.fail(f"layernorm takes a vector or a matrix, and {_only(at)} is a scalar.")
    return arguments[0]


def _rows(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    """Pick a row, as a column, or some rows; of a vector an entry, or some."""
    shape, *_ = arguments
    of, *places = operands(at.tree, at.at)
    if not shape or shape[0] is ROW:
        at.fail(f"{node.value} picks out of a matrix or a column, and {to_text(of)} is neither.")
    height = plain(at.size(shape[0]))
    if not isinstance(height, int):
        at.fail(f"{node.value} needs rows that can be counted: {to_text(of)} has {_named(height)}.")
    numbers = [literal(place) for place in places]
    chosen = [number for number in numbers if number is not None and 1 <= number <= height]
    if len(chosen) < len(numbers) or chosen != sorted(chosen):
        at.fail(f"The rows of {to_text(of)} are counted from 1 to {height}.")
    if node.value == "row":
        return shape[1:]
    return (chosen[1] - chosen[0] + 1, *shape[1:])


def _named(size: Size) -> str:
    return size if isinstance(size, str) else "one that is not known"


def _stack(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    wide = node.value == "hstack"
    count = len(arguments)
    return block_shape(at, (1, count) if wide else (count, 1), arguments)


def block_shape(at: Inference, grid: tuple[int, int], arguments: list[Sizes]) -> Sizes:
    """Return the shape of blocks in rows; columns on each other are one long column."""
    height, width = grid
    if width == 1 and all(len(shape) == 1 for shape in arguments):
        return (_joined(at, [shape[0] for shape in arguments]),)
    blocks = [
        _block(at, shape, part) for shape, part in zip(arguments, at.bare_parts(), strict=True)
    ]
    rows = [blocks[i * width : (i + 1) * width] for i in range(height)]
    for row in rows:
        for block in row:
            if not at.same(block[0], row[0][0]):
                sizes = _two(at, row[0][0], block[0])
                product = ""
                if at.tree[at.at].op == "matrix" and grid == (1, 2):
                    meant = " ".join(at.parts())
                    product = f" A blank in brackets parts entries: a product is ({meant})."
                at.fail(f"Blocks side by side need the same number of rows: {sizes}.{product}")
        for block, above in zip(row, rows[0], strict=True):
            if not at.same(block[1], above[1]):
                sizes = _two(at, above[1], block[1])
                at.fail(f"Blocks on each other need the same number of columns: {sizes}.")
    return (
        _joined(at, [row[0][0] for row in rows]),
        _joined(at, [block[1] for block in rows[0]]),
    )


def _block(at: Inference, shape: Sizes, part: str) -> tuple[Size, Size]:
    """Return a block as a matrix: a column is one of one column, a number one of one entry."""
    if not shape:
        return (1, 1)
    if len(shape) == 1:
        return (shape[0], 1)
    return (plain(shape[0]), shape[1])


def _two(at: Inference, one: Size, other: Size) -> str:
    return f"{plain(at.size(one))} is not {plain(at.size(other))}"


def _joined(at: Inference, sizes: list[Size]) -> Size:
    if len(sizes) == 1:
        return sizes[0]
    known = [plain(at.size(size)) for size in sizes]
    for size in known:
        if not isinstance(size, int):
            at.fail(f"Blocks are joined along sizes that are numbers, and one has {_named(size)}.")
    return sum(known)


def _scalar(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    if not arguments[0]:
        at.fail(f"{node.value} takes a vector or a matrix, and {_only(at)} is a scalar.")
    return ()


ARRAY_RULES: Final[Mapping[str, Callable[[Inference, Node, list[Sizes]], Sizes]]] = {
    "max": _extreme, "min": _extreme, "softmax": _softmax, "hadamard": _hadamard, "ones": _ones,
    "zeros": _ones, "causal": _causal, "diag": _diag, "rowsum": _by_row, "rowmax": _by_row,
    "layernorm": _layernorm, "row": _rows, "rows": _rows, "hstack": _stack, "vstack": _stack,
    "entries": _scalar, "rank": _scalar,
}  # fmt: skip
