"""True identities are proved and false ones refuted: none is undecided, and none comes out wrong.

Whether an identity is true is known by how it was made, and confirmed in 60 digits.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from audits.formulas.formulas_in_mpmath import DIGITS, exact, largest_difference, value
from audits.formulas.identity_cases import FAMILIES, Case, cases
from regard.certify import Certificate, verify
from regard.certify.claims.algebra import identities
from regard.checking import check
from regard.problems import from_dict
from regard.solving import Status, solve

POINTS = 4


def differs(case: Case, seed: int = 0) -> bool:
    """Say whether the sides differ at drawn numbers, in 60 digits."""
    rng = np.random.default_rng(seed)
    worst = mpmath.mpf(0)
    with mpmath.workdps(DIGITS):
        for point in range(POINTS):
            symbols = sorted(
                {s for shape in case.shapes.values() for s in shape if s not in (2, 3, 4)}
            )
            sizes = {str(one): 2 + (at + point) % 3 for at, one in enumerate(symbols)}
            names: dict[str, Any] = {}
            for name, shape in case.shapes.items():
                counts = [sizes.get(str(size), size) for size in shape]
                names[name] = exact(rng.normal(size=counts))
            names |= {one: mpmath.mpf(size) for one, size in sizes.items() if one in case.shapes}
            for name, text in case.define.items():
                names[name] = value(text, names)
            worst = max(
                worst, largest_difference(value(case.left, names), value(case.right, names))
            )
        if case.true:
            assert worst < mpmath.mpf(10) ** -50
        return bool(worst > mpmath.mpf(10) ** -40)


def outcome(case: Case) -> str:
    claim = identities.claim(case.left, case.right, case.shapes, where=case.define)
    (found,) = verify(Certificate({}, (claim,))).claims
    return found.status


def problem(case: Case) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "identity", "statement": "p"}
    sizes = {size for shape in case.shapes.values() for size in shape}
    shapes = {name: shape for name, shape in case.shapes.items() if name not in sizes}
    goal = {"claims": [{"name": "F", "formula": case.left, "equals": case.right}]}
    return from_dict({**head, "given": {"shapes": shapes, "define": case.define}, "goal": goal})


@pytest.mark.parametrize("name", FAMILIES)
def test_identities_come_out_as_they_were_made(name: str) -> None:
    for family, case in cases(5, 7):
        if family == name:
            assert differs(case) is not case.true, case
            assert outcome(case) == ("holds" if case.true else "fails"), case


@pytest.mark.parametrize("name", FAMILIES)
def test_the_solver_proves_and_refutes_and_says_why(name: str) -> None:
    for family, case in cases(6, 1):
        if family != name:
            continue
        solution = solve(problem(case))
        assert solution.verdict is (Status.PROVED if case.true else Status.IMPOSSIBLE), case
        assert solution.steps
        assert all(sentence for sentence, _ in solution.steps)


@pytest.mark.slow
def test_many_identities_come_out_as_they_were_made_for_solver_and_judge() -> None:
    for number, (_, case) in enumerate(cases(7, 12)):
        assert differs(case, number) is not case.true, case
        stated = problem(case)
        solution = solve(stated)
        assert solution.verdict is (Status.PROVED if case.true else Status.IMPOSSIBLE), case
        assert solution.steps
        asked = problem(Case(case.shapes, case.right, case.right, True, case.define))
        assert check(asked, {"F": case.left}).right is case.true, case
