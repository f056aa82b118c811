"""How many unknowns make an equation true, and how many an answer describes: in numbers.

An equation that is linear in the unknown has, for fixed sizes, solutions that differ by the null
space of a matrix. Every draw of the other symbols gives rows of it; once further draws bring no
more, its null space is the space of differences. A family of answers is complete if the answers
for drawn numbers of its own names differ by as many directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import generator
from regard.kinds.symmetry.spec import SymmetryProblem
from regard.language import parse
from regard.problems.symbols import SymbolsGiven, Values

Float64 = NDArray[np.float64]
DRAWS = 12  # at least, and more while they bring more
STEADY = 4
SIZES = (1, 2, 3)  # turns of sizes that are tried: all 2, and then all different
RANK = 1e-8  # relative: what counts as 0 among singular values


def equations(problem: SymmetryProblem, turn: int = 1) -> Float64 | None:
    """Return rows that every difference of two solutions makes 0; None where it is not linear."""
    found = system(problem, turn)
    return None if found is None else found[0]


def system(problem: SymmetryProblem, turn: int = 1) -> tuple[Float64, Float64] | None:
    """Return rows and what solutions make of them; None where the equation is not linear."""
    given, name = problem.given, problem.unknown
    sizes = given.sizes(turn)
    shape = tuple(
        sizes[size] if isinstance(size, str) else size for size in problem.goal.unknown[name]
    )
    count = int(np.prod(shape, dtype=int))
    rows, wanted, ranks = np.zeros((0, count)), np.zeros(0), list[int]()
    for seed in range(DRAWS + count):
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
        rows, wanted = np.vstack([rows, columns]), np.concatenate([wanted, -zero])
        ranks.append(_rank(rows))
        if len(ranks) >= DRAWS and ranks[-1] == ranks[-STEADY]:
            break
    return rows, wanted


def missing(problem: SymmetryProblem, formula: str, wide: SymbolsGiven) -> int:
    """Return by how many directions the solutions are more than the answers of a family."""
    most = 0
    for turn in SIZES:
        rows = equations(problem, turn)
        if rows is None:
            return 0
        free = rows.shape[1] - _rank(rows)
        most = max(most, free - _rank(_differences(problem, formula, wide, turn, rows.shape[1])))
    return most


def _differences(
    problem: SymmetryProblem, formula: str, wide: SymbolsGiven, turn: int, count: int
) -> Float64:
    """Return by how much answers for drawn numbers of a family's own names differ."""
    rng = generator(turn)
    values = wide.draw(rng, wide.sizes(turn), parts=2)
    new = {name: shape for name, shape in wide.shapes.items() if name not in problem.given.shapes}
    said = []
    for _ in range(count + 2):
        own = {name: _normal(rng, shape, values) for name, shape in new.items()}
        found = parse(formula).evaluate(
            {**_with_definitions(wide, {**values, **own})}, _shape(problem, values)
        )
        said.append(np.asarray(found, float).reshape(-1))
    return np.array(said) - said[0]


def left_out(
    problem: SymmetryProblem, formula: str, wide: SymbolsGiven
) -> tuple[dict[str, int], Float64] | None:
    """Return sizes and a solution there that a family does not have; None where none is found.

    It is simple numbers, and solves the equation at drawn inputs as nearly as floats tell.
    """
    for turn in SIZES:
        found = system(problem, turn)
        if found is None:
            return None
        rows, wanted = found
        said = _differences(problem, formula, wide, turn, rows.shape[1])
        basis = null_space(rows)
        if not len(basis) > _rank(said):
            continue
        some = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        for direction in basis:
            some = some - some[int(np.argmax(np.abs(direction) > RANK))] * direction
        for direction in basis:
            if _rank(np.vstack([said, direction])) == _rank(said):
                continue
            # Not both are of the family: their difference is none of its directions.
            for one in (some + direction, some):
                plain = np.array([float(Fraction(x).limit_denominator(64)) for x in one])
                solves = np.allclose(rows @ plain, wanted, atol=1e-9)
                if solves and not _of_family(problem, formula, wide, turn, plain, said):
                    sizes = problem.given.sizes(turn)
                    values = {name: float(size) for name, size in sizes.items()}
                    return sizes, plain.reshape(_shape(problem, values))
    return None


def _of_family(
    problem: SymmetryProblem,
    formula: str,
    wide: SymbolsGiven,
    turn: int,
    one: Float64,
    said: Float64,
) -> bool:
    """Whether an array may be of a family: it differs from a member by directions of it."""
    values = wide.draw(generator(turn), wide.sizes(turn), parts=2)
    member = parse(formula).evaluate(_with_definitions(wide, values), _shape(problem, values))
    apart = one - np.asarray(member, float).reshape(-1)
    return _rank(np.vstack([said, apart])) == _rank(said)


def null_space(rows: Float64) -> Float64:
    """Return directions that rows make 0, in reduced form: each has a 1 where the others have 0."""
    rank = _rank(rows)
    basis = np.linalg.svd(rows)[2][rank:].copy()
    at = 0
    for column in range(basis.shape[1]):
        if at == len(basis):
            break
        best = at + int(np.argmax(np.abs(basis[at:, column])))
        if abs(basis[best, column]) < RANK:
            continue
        basis[[at, best]] = basis[[best, at]]
        basis[at] /= basis[at, column]
        for other in range(len(basis)):
            if other != at:
                basis[other] -= basis[other, column] * basis[at]
        at += 1
    return basis


def holds_for_zero(problem: SymmetryProblem) -> bool:
    """Whether an unknown of zeros makes the equation true, at drawn numbers."""
    given, name = problem.given, problem.unknown
    sizes = given.sizes(2)
    shape = [sizes.get(str(size), size) for size in problem.goal.unknown[name]]
    zero = np.zeros([int(size) for size in shape]) if shape else 0.0
    for seed in range(3):
        off = _off(problem, {**given.draw(generator(seed), sizes, parts=2), name: zero})
        if off is None or not np.allclose(off, 0, atol=1e-9):
            return False
    return True


def _normal(rng: np.random.Generator, shape: Sequence[int | str], values: Values) -> Float64:
    """Draw an array of a shape in which sizes have names."""
    drawn = rng.normal(size=[int(values[n]) if isinstance(n, str) else n for n in shape])
    return np.asarray(drawn)


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
