"""How many unknowns make an equation true, and how many an answer describes: in numbers.

An equation that is linear in the unknown has, for fixed sizes, solutions that differ by the null
space of a matrix. Every draw of the other symbols gives rows of it; once further draws bring no
more, its null space is the space of differences. A family of answers is complete if the answers
for drawn numbers of its own names differ by as many directions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import generator
from regard.kinds.symmetry.spec import SymmetryProblem
from regard.language import parse
from regard.problems.symbols import SymbolsGiven, Values

Float64 = NDArray[np.float64]
DRAWS = 12
SIZES = (1, 2, 3)  # turns of sizes that are tried: all 2, and then all different
RANK = 1e-8  # relative: what counts as 0 among singular values


def equations(problem: SymmetryProblem, turn: int = 1) -> Float64 | None:
    """Return rows that every difference of two solutions makes 0; None where it is not linear."""
    given, name = problem.given, problem.unknown
    sizes = given.sizes(turn)
    shape = tuple(
        sizes[size] if isinstance(size, str) else size for size in problem.goal.unknown[name]
    )
    count = int(np.prod(shape, dtype=int))
    rows: list[Float64] = []
    for seed in range(DRAWS):
        rng = generator(seed)
        values = given.draw(rng, sizes, parts=2)

        def off(unknown: Float64, values: Values = values) -> Float64 | None:
            return _off(problem, {**values, name: unknown.reshape(shape) if shape else unknown[0]})

        zero = off(np.zeros(count))
        found = [off(unit) for unit in np.eye(count)]
        probe = rng.normal(size=count)
        both = off(probe)
        if zero is None or both is None or any(one is None for one in found):
            return None
        columns = np.array([one - zero for one in found if one is not None]).T
        if not np.allclose(columns @ probe, both - zero, atol=1e-7 * (1 + np.abs(both).max())):
            return None
        rows.append(columns)
    return np.vstack(rows)


def missing(problem: SymmetryProblem, formula: str, wide: SymbolsGiven) -> int:
    """Return by how many directions the solutions are more than the answers of a family."""
    most = 0
    new = [name for name in wide.shapes if name not in problem.given.shapes]
    for turn in SIZES:
        rows = equations(problem, turn)
        if rows is None:
            return 0
        free = rows.shape[1] - _rank(rows)
        rng = generator(turn)
        values = wide.draw(rng, wide.sizes(turn), parts=2)
        said = []
        for _ in range(rows.shape[1] + 2):
            own = {name: float(rng.normal()) for name in new}
            found = parse(formula).evaluate(
                {**_with_definitions(wide, {**values, **own})}, _shape(problem, values)
            )
            said.append(np.asarray(found, float).reshape(-1))
        most = max(most, free - _rank(np.array(said) - said[0]))
    return most


def _shape(problem: SymmetryProblem, values: Values) -> tuple[int, ...]:
    wanted = problem.goal.unknown[problem.unknown]
    return tuple(int(values[size]) if isinstance(size, str) else size for size in wanted)


def _with_definitions(given: SymbolsGiven, values: Values) -> Values:
    known = dict(values)
    for name, text in given.written("1")[1].items():
        known[name] = parse(text).evaluate(known)
    return known


def _off(problem: SymmetryProblem, values: Mapping[str, object]) -> Float64 | None:
    """Return left minus right of the equation, all parts behind each other."""
    found = []
    for part in problem.condition():
        if part.relation != "=":
            return None
        known = dict(values)
        for name, text in part.where.items():
            known[name] = parse(text).evaluate(known)
        left, right = (
            np.asarray(parse(text).evaluate(known), float) for text in (part.left, part.right)
        )
        found.append((left - right).reshape(-1))
    return np.concatenate(found)


def _rank(rows: Float64) -> int:
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int(np.sum(sizes > RANK * max(1.0, float(sizes.max(initial=0.0)))))
