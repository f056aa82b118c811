"""Which constants of an ONNX graph are matrices, and what they were called.

Exporters fold and transpose matrices and drop their names. Biases keep theirs: from a matrix the
graph is followed to the sum with its bias, past nodes that only move numbers about. torch's
"encoder.layer.0.query.bias" then names "encoder.layer.0.query.weight", stored (out, in);
TensorFlow's ".../query/add/ReadVariableOp:0" names ".../query/kernel", (in, out). Without a bias
the node's own name serves: "/encoder/layer.0/query/MatMul". Quantised matrices have a scale and a
zero point, either in a node of their own or after the product:

    DequantizeLinear(W, scale, zero)
    MatMulInteger(x, W, …) → Cast → Mul(…, Mul(scale of x, scale of W))
    Gather(W, ids) → DequantizeLinear(…, scale, zero)
    QLinearMatMul(x, …, W, scale, zero, …) → QLinearAdd(…, bias, scale, zero, …)
    MatMul(x, DequantizeLinear(W, …)) → QuantizeLinear → DequantizeLinear
        → Add(…, DequantizeLinear(bias, …))
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["POSITIONS", "TOKENS", "Weight", "find_weights"]

TOKENS, POSITIONS = "token_embedding", "position_embedding"  # names given to tables without one
MOVES = ("Reshape", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Cast", "Flatten")
QUANTISED = ("QuantizeLinear", "DequantizeLinear")
PRODUCTS = ("MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "Einsum")
SUMS = {"Add": (0, 1), "QLinearAdd": (0, 3)}  # and which of their inputs are added
STEPS = 12  # how far a bias may be from its matrix


@dataclass(frozen=True)
class Weight:
    """Where the numbers of a weight are.

    Attributes:
        constant: the name of the constant.
        shape: what it is read as.
        flipped: the constant holds the transpose of that.
        scale, zero: constants to dequantise with, or None; axis: which they go along.
    """

    constant: str
    shape: tuple[int, ...]
    flipped: bool = False
    scale: str | None = None
    zero: str | None = None
    axis: int = -1


def find_weights(graph: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Weight]:
    """Return the weights of a graph under the names that families know."""
    walk = _Walk(graph, shapes)
    found = {name.removesuffix("_quantized"): weight for name, weight in walk.constants()}
    found |= dict(walk.tables())
    found |= dict(walk.matrices())
    return found


class _Walk:
    """A graph that can be followed along its edges."""

    def __init__(self, graph: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.graph, self.shapes = graph, shapes
        self.inputs = {value.name for value in graph.input}
        self.source = {out: node for node in graph.node for out in node.output}
        self.users: dict[str, list[Any]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self.users[name].append(node)

    def constants(self) -> Iterator[tuple[str, Weight]]:
        """Give every constant as it is, those that are dequantised in the graph as floats."""
        for name, shape in self.shapes.items():
            scale, zero, axis = self.dequantised(name)
            yield name, Weight(name, shape, False, scale, zero, axis)

    def dequantised(self, name: str) -> tuple[str | None, str | None, int]:
        """Return scale, zero point and axis of a constant that is dequantised somewhere."""
        for node in self.users[name]:
            after = self.users[node.output[0]] if node.op_type == "Gather" else [node]
            for one in after:
                if one.op_type == "DequantizeLinear" and one.input[1] in self.shapes:
                    zero = one.input[2] if len(one.input) > 2 and one.input[2] else None
                    return one.input[1], zero, _integer(one, "axis", 1)
        stem = name.removesuffix("_quantized")
        if stem != name and f"{stem}_scale" in self.shapes:  # as onnxruntime names them
            zero = f"{stem}_zero_point"
            return f"{stem}_scale", zero if zero in self.shapes else None, -1
        return None, None, -1

    def tables(self) -> Iterator[tuple[str, Weight]]:
        """Give the table that token ids look up and the table that is added to it."""
        for node in self.graph.node:
            if node.op_type != "Gather" or not self.from_input(node.input[1]):
                continue
            table = self.shapes.get(node.input[0], ())
            if len(table) != 2:
                continue
            scale, zero, axis = self.dequantised(node.input[0])
            yield TOKENS, Weight(node.input[0], table, False, scale, zero, axis)
            for name in self.added(node.output[0]):
                if len(self.shapes[name]) == 2 and self.shapes[name][1] == table[1]:
                    yield POSITIONS, Weight(name, self.shapes[name])
            return

    def matrices(self) -> Iterator[tuple[str, Weight]]:
        """Give every constant that tokens are multiplied with, under the name it had."""
        for node in self.graph.node:
            least = 6 if node.op_type == "QLinearMatMul" else 2
            if node.op_type not in PRODUCTS or len(node.input) < least:
                continue
            integers = node.op_type == "QLinearMatMul"
            constant, turned = self.constant_behind(node.input[3 if integers else 1])
            if constant is None or len(self.shapes[constant]) < 2:
                continue
            scale, zero, axis = self.dequantised(constant)
            if node.op_type == "MatMulInteger":
                scale = self.scale_after(node.output[0])
                zero = node.input[3] if len(node.input) > 3 and node.input[3] else None
                axis = -1
            if integers:
                scale, zero, axis = node.input[4], node.input[5], -1
            bias = node.input[2] if node.op_type == "Gemm" and len(node.input) > 2 else None
            bias = bias or next(iter(self.added(node.output[0])), None)
            rows_out = turned != (node.op_type == "Gemm" and _integer(node, "transB", 0) == 1)
            size = math.prod(self.shapes[constant])
            width = math.prod(self.shapes[bias]) if bias is not None else 0
            if not width or size % width:
                width = self.shapes[constant][0 if rows_out else -1]
            yield from self.named(node, constant, bias, (size // width, width), rows_out,
                                  (scale, zero, axis))  # fmt: skip

    def named(
        self, node: Any, constant: str, bias: str | None, shape: tuple[int, int], rows_out: bool,
        quantised: tuple[str | None, str | None, int],
    ) -> Iterator[tuple[str, Weight]]:  # fmt: skip
        """Give a matrix (in, out) = shape under torch's name or under TensorFlow's."""
        stem = "" if bias is None else bias.removesuffix("_quantized")
        if stem.endswith(".bias"):
            name = stem.removesuffix(".bias") + ".weight"
        elif bias is not None and "/" in stem:
            scope = re.sub(r"/(add|BiasAdd)/ReadVariableOp(:0)?$", "", stem)
            yield f"{scope}/bias", Weight(bias, (shape[1],), False, *self.dequantised(bias))
            yield f"{scope}/kernel", Weight(constant, shape, rows_out, *quantised)
            return
        elif constant.removesuffix("_quantized").endswith(".weight"):
            name = constant.removesuffix("_quantized")
        elif node.name.startswith("/"):
            scope = re.sub(r"/(MatMul|Gemm)(_\d+)?(_quant)?$", "", node.name)
            name = scope.strip("/").replace("/", ".") + ".weight"
        else:
            return
        yield name, Weight(constant, shape[::-1], not rows_out, *quantised)

    def constant_behind(self, name: str) -> tuple[str | None, bool]:
        """Return the constant that an input is, past nodes that move numbers, and if transposed."""
        turned = False
        for _ in range(STEPS):
            if name in self.shapes:
                return name, turned
            node = self.source.get(name)
            if node is None or node.op_type not in (*MOVES, "DequantizeLinear"):
                return None, False
            turned ^= node.op_type == "Transpose"
            name = node.input[0]
        return None, False

    def added(self, name: str) -> Iterator[str]:
        """Give the constant that is added to a value, past nodes that move numbers."""
        for _ in range(STEPS):
            users = [node for node in self.users[name] if node.op_type != "Shape"]
            sums = [node for node in users if node.op_type in SUMS]
            for node in sums:
                operands = [node.input[i] for i in SUMS[node.op_type] if i < len(node.input)]
                behind = [self.constant_behind(one)[0] for one in operands]
                yield from (one for one in behind if one is not None)
            moved = [node for node in users if node.op_type in (*MOVES, *QUANTISED, "Mul")]
            if sums or len(moved) != 1:
                return
            if moved[0].op_type == "Mul" and any(one in self.shapes for one in moved[0].input):
                return  # a gain, or the scale of scores: what follows is another step
            name = moved[0].output[0]

    def scale_after(self, name: str) -> str | None:
        """Return the scale of the matrix of a product of integers: Cast → Mul(…, Mul(…, scale))."""
        for _ in range(STEPS):
            users = self.users[name]
            if len(users) != 1:
                return None
            if users[0].op_type == "Mul":
                for one in users[0].input:
                    node = self.source.get(one)
                    if node is not None and node.op_type == "Mul":
                        # that of the tokens comes first, and may be a constant too
                        return next((x for x in node.input[::-1] if x in self.shapes), None)
                return None
            name = users[0].output[0]
        return None

    def from_input(self, name: str) -> bool:
        """Whether a value is an input of the graph, past nodes that move numbers."""
        for _ in range(STEPS):
            if name in self.inputs and name not in self.shapes:
                return True
            node = self.source.get(name)
            if node is None or node.op_type not in MOVES:
                return False
            name = node.input[0]
        return False


def _integer(node: Any, name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)
