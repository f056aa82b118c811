"""Every unknown that makes an equation true: one of them, plus all that the equation leaves free.

An equation that is linear in the unknown has solutions that differ by the null space of a matrix.
Families with arbitrary numbers, columns and matrices are tried, and the first that is proved to
solve the equation for all inputs and has as many directions as the null space is taken. That there
are no others is claimed for some sizes (all there are, where sizes are numbers): at the numbers of
a witness, the rank of the matrix is so large that no further direction is left, and the family has
that many. Row j of the matrix is what the equation makes of the j-th unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.claims.algebra import rank_bounds
from regard.checking.sampling import generator
from regard.kinds.symmetry import families
from regard.kinds.symmetry.equation_matrix import EquationMatrix
from regard.kinds.symmetry.spec import SymmetryProblem
from regard.problems.assertions import Assertion
from regard.problems.symbols import SymbolsGiven
from regard.solving.assertions import Settled, settle

MOST_UNKNOWN = 12  # entries of an unknown whose null space is counted
DRAWS = (1, 2, 4, 8, 16)
OWN = ("c", "b", "B", "A", "g", "h", "G", "H", "u", "v")  # names for what is arbitrary


@dataclass(frozen=True, eq=False)
class Every:
    """All solutions.

    Attributes:
        text: the family.
        settled: that it solves the equation.
        claims: that nothing else does.
        sizes: for which sizes; where none has a name, one set of none.
        directions: how many the family has for each of these.
    """

    text: str
    settled: Settled
    claims: tuple[Claim, ...]
    sizes: tuple[dict[str, int], ...]
    directions: tuple[int, ...]

    @property
    def everywhere(self) -> bool:
        """Whether there are no other sizes."""
        return self.settled.scope == "all" and self.sizes == ({},)


def every_solution(problem: SymmetryProblem, one: str) -> Every | None:
    """Return all solutions; None where that is not settled.

    Args:
        problem: with an equation that is linear in its unknown.
        one: a solution; "" where none is known.
    """
    one = "" if families.holds_for_zero(problem) else one
    for text, own in _families(problem, one):
        given = with_own(problem.given, own)
        if families.missing(problem, text, given) != 0:
            continue
        settled = settle(_stated(problem, text), given)
        if settled.truth and settled.scope in ("all", "sizes"):
            return _complete(problem, text, given, settled)
    return None


def with_own(given: SymbolsGiven, own: Mapping[str, Any]) -> SymbolsGiven:
    """Return the symbols of a problem with some more."""
    data = given.model_dump()
    return SymbolsGiven.model_validate({**data, "shapes": {**data["shapes"], **own}})


def _stated(problem: SymmetryProblem, text: str) -> list[Assertion]:
    return [
        Assertion(part.relation, part.left, part.right, {problem.unknown: text, **part.where})
        for part in problem.condition()
    ]


# ------------------------------------------------------------ families


def _families(problem: SymmetryProblem, one: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return formulas with the shapes of the names that they bring in, the simplest first."""
    shape = problem.goal.unknown[problem.unknown]
    taken = {*problem.given.free_shapes(), *problem.given.define, problem.unknown}
    c, b, *_ = names = [name for name in OWN if name not in taken]
    B = next(name for name in names if name.isupper())
    alone = "" if len(shape) != 2 else f"zeros({shape[0]}, {shape[1]})"
    zero = ("0", f"zeros({shape[0]})" if shape else "", alone)[len(shape)]
    found: list[tuple[str, dict[str, Any]]] = [("", {})]
    if not shape:
        found.append((c, {c: []}))
    if len(shape) == 1:
        (n,) = shape
        found += [(f"{c} ones({n})", {c: []})]
        found += [(f"({b} - ones({n})' {b} ones({n}) / {n})", {b: [n]})]
    if len(shape) == 2:
        m, n = shape
        rows, columns = f"{c} ones({n})'", f"ones({m}) {b}'"
        found += [(f"{c} ones({m}) ones({n})'", {c: []})]
        found += [(rows, {c: [m]}), (columns, {b: [n]})]
        found += [(f"{rows} + {columns}", {c: [m], b: [n]})]
        if m == n:
            found += [(f"{c} I({n})", {c: []}), (f"diag({b})", {b: [n]})]
            found += [(f"{c} I({n}) + {b} ones({n}) ones({n})'", {c: [], b: []})]
            found += [(f"({B} - {B}')", {B: [n, n]}), (f"({B} + {B}')", {B: [n, n]})]
    found += _by_numbers(problem, names, one)
    found.append((b, {b: list(shape)}))  # anything at all
    for text, own in found:
        if one:
            yield (f"{one} + {text}" if text else one), own
        else:
            yield (text or zero), own


def _by_numbers(
    problem: SymmetryProblem, names: list[str], one: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the null space in fractions, where all sizes are numbers."""
    shape = problem.goal.unknown[problem.unknown]
    if not shape or any(isinstance(size, str) for size in shape) or problem.given.size_names:
        return
    found = families.system(problem)
    letters = [name for name in names if name.islower()]
    if found is None:
        return
    rows, wanted = found
    basis = families.null_space(rows)
    if len(basis) > len(letters):
        return
    some = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    for direction in basis:  # another solution, with 0 where the directions have their ones
        some = some - some[int(np.argmax(np.abs(direction) > 1e-9))] * direction
    texts = [_in_fractions(one, shape) for one in (some, *basis)]
    if any(text is None for text in texts):
        return
    terms = [f"{name} {text}" for name, text in zip(letters, texts[1:], strict=False)]
    own: dict[str, Any] = {name: [] for name in letters[: len(basis)]}
    if np.allclose(wanted, 0):
        yield " + ".join(terms), own
    elif not one:
        yield " + ".join([str(texts[0]), *terms]), own


def _in_fractions(numbers: Any, shape: list[Any]) -> str | None:
    """Write an array as a formula; None where its entries are no simple fractions."""
    parts = [Fraction(float(x)).limit_denominator(64) for x in numbers]
    if max(abs(float(part) - x) for part, x in zip(parts, numbers, strict=True)) > 1e-9:
        return None
    if len(shape) == 1:
        return f"row([[{', '.join(map(str, parts))}]], 1)"
    wide = int(shape[1])
    rows = [", ".join(map(str, parts[i : i + wide])) for i in range(0, len(parts), wide)]
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


# ------------------------------------------------------------ no others


def _complete(
    problem: SymmetryProblem, text: str, given: SymbolsGiven, settled: Settled
) -> Every | None:
    """Return the family with claims that there is nothing else, for some sizes."""
    claims: list[Claim] = []
    directions: list[int] = []
    every = _some_sizes(problem)
    for sizes in every:
        found = _claims(problem, text, given, sizes)
        if found is None:
            return None
        claims += found[0]
        directions.append(found[1])
    return Every(text, settled, tuple(claims), tuple(every), tuple(directions)) if every else None


def _some_sizes(problem: SymmetryProblem) -> list[dict[str, int]]:
    """Return numbers for the named sizes, different ones and the same for all, none too large."""
    names = problem.given.size_names
    if not names:
        return [{}]
    found = [dict.fromkeys(names, count) for count in (2, 3)]
    found += [{name: 2 + (i + turn) % 3 for i, name in enumerate(names)} for turn in (0, 1, 2)]
    shape = problem.goal.unknown[problem.unknown]

    def entries(sizes: dict[str, int]) -> int:
        return math.prod(int(sizes.get(str(size), size)) for size in shape)

    different = {tuple(sizes.items()): sizes for sizes in found}
    return [sizes for sizes in different.values() if entries(sizes) <= MOST_UNKNOWN]


def _claims(
    problem: SymmetryProblem, text: str, given: SymbolsGiven, sizes: Mapping[str, int]
) -> tuple[list[Claim], int] | None:
    """Return claims that the family has as many directions as the equation leaves."""
    matrix = EquationMatrix(problem, sizes)
    count = len(matrix.units())
    rng = generator(sum(sizes.values()))
    own = [name for name in given.shapes if name not in problem.given.shapes]
    for draws in DRAWS:
        shapes, witness = matrix.inputs(problem.given, rng, draws)
        where, name = matrix.of_equation(draws)
        fields = {"shapes": shapes, "where": where, "permutations": matrix.permutations(draws)}
        fields["positive"] = matrix.copies(problem.given.positive, draws)
        spread, of_family = matrix.of_family(text, given, own)
        directions = 0
        if own:
            fixed = {**fields, "where": spread}
            while directions < count and _holds(of_family, directions, fixed, witness):
                directions += 1
        whole = [] if directions == count else [
            rank_bounds.refutation(name, str(count - directions - 1), fields, witness)
        ]  # fmt: skip
        if all(verify(Certificate({}, (one,))).holds for one in whole):
            if directions:
                fixed = {**fields, "where": spread}
                bound = str(directions - 1)
                whole.append(rank_bounds.refutation(of_family, bound, fixed, witness))
            return whole, directions
    return None


def _holds(formula: str, bound: int, fields: Mapping[str, Any], witness: Any) -> bool:
    stated = rank_bounds.refutation(formula, str(bound), fields, witness)
    return verify(Certificate({}, (stated,))).holds is True
