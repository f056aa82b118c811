"""The matrix of an equation that is linear in its unknown, as formulas for a claim about its rank.

Column j is what the equation makes of the j-th unit of the unknown, at one or more draws of the
inputs, one below the other; that of a family is what each of its arbitrary numbers adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from regard.kinds.symmetry.spec import SymmetryProblem
from regard.language import parse
from regard.problems.symbols import SymbolsGiven


class EquationMatrix:
    """Formulas for what an equation makes of each unit of the unknown, at drawn inputs."""

    def __init__(self, problem: SymmetryProblem, sizes: Mapping[str, int]) -> None:
        self.problem, self.sizes = problem, dict(sizes)
        self.shape = [self.sizes.get(str(s), s) for s in problem.goal.unknown[problem.unknown]]

    def units(self) -> list[str]:
        """Return each unit of the unknown as a formula."""
        return _units(self.shape)

    def inputs(
        self, given: SymbolsGiven, rng: np.random.Generator, draws: int
    ) -> tuple[dict[str, list[int]], dict[str, Any]]:
        """Return shapes and numbers of everything free, once for each draw."""
        shapes: dict[str, list[int]] = {}
        values: dict[str, Any] = {}
        for draw in range(draws):
            drawn = given.draw(rng, self.sizes, parts=2)
            for name, shape in given.shapes.items():
                shapes[_copy(name, draw)] = [int(self.sizes.get(str(s), s)) for s in shape]
                values[_copy(name, draw)] = np.asarray(drawn[name], float).tolist()
        return shapes, values

    def permutations(self, draws: int) -> list[str]:
        """Return what is a permutation in each draw."""
        return self.copies(self.problem.given.permutations, draws)

    def copies(self, names: list[str], draws: int) -> list[str]:
        """Return the names of each draw."""
        return [_copy(name, draw) for draw in range(draws) for name in names]

    def of_equation(self, draws: int) -> tuple[dict[str, str], str]:
        """Return names for every column, and the matrix that has them."""
        where = {f"unit_{i}": text for i, text in enumerate(self.units(), 1)}
        where["unit_0"] = "0 unit_1"
        columns = []
        for unit in range(len(self.units()) + 1):
            parts = [
                self._residual(where, unit, draw, at)
                for draw in range(draws)
                for at in range(len(self.problem.condition()))
            ]
            where[f"column_{unit}"] = _stacked([one for some in parts for one in some])
            if unit:
                where[f"made_{unit}"] = f"column_{unit} - column_0"
                columns.append(f"made_{unit}")
        return where, f"hstack({', '.join(columns)})" if len(columns) > 1 else f"[[{columns[0]}]]"

    def _residual(self, where: dict[str, str], unit: int, draw: int, at: int) -> list[str]:
        """Name what a part of the equation makes of a unit; return its columns."""
        part = self.problem.condition()[at]
        mark = f"{unit}_{draw}_{at}"
        put = {name: parse(_copy(name, draw)) for name in self.problem.given.shapes}
        put |= {self.problem.unknown: parse(f"unit_{unit}")}
        put |= {name: parse(str(count)) for name, count in self.sizes.items()}
        shapes = {name: tuple(shape) for name, shape in self.problem.given.shapes.items()}
        shapes = {
            **{n: tuple(self.sizes.get(str(s), s) for s in shape) for n, shape in shapes.items()},
            self.problem.unknown: tuple(self.shape),
            **dict.fromkeys(self.sizes, ()),
        }
        for name, text in part.where.items():
            where[f"{name}_{mark}"] = str(parse(text).substitute(put))
            shapes[name] = parse(text).shape(shapes)
            put[name] = parse(f"{name}_{mark}")
        left, right = (str(parse(text).substitute(put)) for text in (part.left, part.right))
        where[f"off_{mark}"] = f"{left} - ({right})"
        fixed = {name: parse(str(count)) for name, count in self.sizes.items()}
        shape = parse(part.left).substitute(fixed).shape(shapes)
        if len(shape) < 2:
            return [f"off_{mark}"]
        return [f"off_{mark} row(I({shape[1]}), {j})" for j in range(1, int(shape[1]) + 1)]

    def of_family(
        self, text: str, given: SymbolsGiven, own: list[str]
    ) -> tuple[dict[str, str], str]:
        """Return names for what each arbitrary number of a family does, and the matrix of it."""
        where: dict[str, str] = {}
        fixed = {name: parse(str(count)) for name, count in self.sizes.items()}
        zeros = {
            name: parse(f"0 ({_units([self.sizes.get(str(s), s) for s in given.shapes[name]])[0]})")
            for name in own
        }
        columns: list[str] = []
        for name in own:
            shape = [self.sizes.get(str(s), s) for s in given.shapes[name]]
            for unit in _units(shape):
                put = {**fixed, **zeros, name: parse(unit)}
                moved = parse(text).substitute(put)
                still = parse(text).substitute({**fixed, **zeros})
                where[f"moved_{len(columns) + 1}"] = f"{moved} - ({still})"
                columns.append(self._column(f"moved_{len(columns) + 1}"))
        return where, f"hstack({', '.join(columns)})" if len(columns) > 1 else _tall(columns)

    def _column(self, name: str) -> str:
        if len(self.shape) < 2:
            return name
        parts = [f"{name} row(I({self.shape[1]}), {j})" for j in range(1, int(self.shape[1]) + 1)]
        return _stacked(parts)


def _units(shape: list[Any]) -> list[str]:
    """Return each array of a shape that has a single 1, as a formula."""
    if not shape:
        return ["1"]
    rows = [[f"row(I({size}), {i})" for i in range(1, size + 1)] for size in shape]
    if len(shape) == 1:
        return rows[0]
    return [f"{a} {b}'" for a, b in product(*rows)]


def _stacked(columns: list[str]) -> str:
    return columns[0] if len(columns) == 1 else f"vstack({', '.join(columns)})"


def _tall(columns: list[str]) -> str:
    """Return a matrix of one column."""
    return f"hstack({columns[0]}, {columns[0]})" if columns else "0"


def _copy(name: str, draw: int) -> str:
    return name if draw == 0 else f"{name}_draw{draw}"
