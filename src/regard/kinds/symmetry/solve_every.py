"""That nothing else makes an equation true: the multiples of ones, and no other column.

Where the equation is w' F = w' B for a column w, and F = P B for every permutation P (claimed for
all sizes), w (P - I) B = 0. With P an exchange of tokens i and j this is (w_j - w_i) times row i
less row j of B, so w_i = w_j as soon as these rows can differ: and as B keeps its form under
permutations, as soon as any two can. That not all rows of B are always the same is claimed for
each number of tokens by numbers for which they are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from regard.certify import Claim
from regard.errors import FormulaError
from regard.kinds.symmetry.spec import SymmetryProblem
from regard.language import parse
from regard.problems.assertions import Assertion
from regard.problems.symbols import SymbolsGiven
from regard.solving.assertions import settle

TOKENS = (2, 3, 4, 5)


@dataclass(frozen=True, eq=False)
class NoOther:
    """What shows that there is no other solution.

    Attributes:
        claims: what F is, that both sides are w' times it, and that rows of B differ.
        tokens: for how many tokens.
    """

    claims: tuple[Claim, ...]
    tokens: tuple[int, ...]


def no_other(problem: SymmetryProblem) -> NoOther | None:
    """Return what shows that all solutions are multiples of ones; None where this is not found."""
    shape = problem.goal.unknown[problem.unknown]
    parts = problem.condition()
    if len(shape) != 1 or not isinstance(shape[0], str) or len(parts) != 1:
        return None
    (part,), size, w = parts, shape[0], problem.unknown
    try:
        F, B = (_factor(text, w, size) for text in (part.left, part.right))
        for one, other in ((F, B), (B, F)):
            claims = _permuted(problem, part, one, other)
            if claims is not None:
                differing = _rows_differ(problem, part, other, size)
                return None if differing is None else NoOther((*claims, *differing), TOKENS)
    except FormulaError:
        return None
    return None


def _factor(side: str, w: str, size: str) -> str:
    """Return a side with the identity in place of the unknown."""
    return str(parse(side).substitute({w: parse(f"I({size})")}))


def _permuted(
    problem: SymmetryProblem, part: Assertion, F: str, B: str
) -> tuple[Claim, ...] | None:
    """Return claims that the sides are w' F and w' B, and that F = P B for every P."""
    wide, w = problem.with_unknown(), problem.unknown
    sides = {part.left, part.right}
    found: list[Claim] = []
    for factor in (F, B):
        stated = [Assertion("=", side, f"{w}' ({factor})", part.where) for side in sides]
        settled = next((s for one in stated if (s := settle([one], wide)).reach == "all"), None)
        if settled is None:
            return None
        found += settled.claims
    for P in problem.given.permutations:
        for turned in (P, f"{P}'"):
            settled = settle([Assertion("=", F, f"{turned} ({B})", part.where)], problem.given)
            if settled.truth and settled.reach == "all":
                return (*found, *settled.claims)
    return None


def _rows_differ(
    problem: SymmetryProblem, part: Assertion, B: str, size: str
) -> tuple[Claim, ...] | None:
    """Return claims that the rows of B are not always the same, for each number of tokens."""
    found: list[Claim] = []
    for count in TOKENS:
        fixed = {size: parse(str(count))}
        data = problem.given.model_dump()
        data["shapes"] = {
            name: [count if one == size else one for one in sizes]
            for name, sizes in data["shapes"].items()
        }
        given = SymbolsGiven.model_validate({**data, "functions": {}, "define": {}})
        where = {name: str(parse(text).substitute(fixed)) for name, text in part.where.items()}
        rows = str(parse(B).substitute(fixed))
        mean = f"1/{count} ones({count}) ones({count})' ({rows})"
        settled = settle([Assertion("=", rows, mean, where)], given)
        if settled.truth is not False:
            return None
        found += settled.claims
    return tuple(found)
