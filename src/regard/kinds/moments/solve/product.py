"""Mean and variance of q'k for random vectors with independent entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from regard.analysis import dot_product_moments
from regard.certify import Certificate, verify
from regard.certify.certificate import Claim
from regard.certify.claims import moments as claims
from regard.kinds.moments.solve.formulas import (
    Polynomial,
    exact,
    factored,
    polynomial,
    root,
    unexpanded,
    written,
)
from regard.kinds.moments.spec import DotProductGiven, MomentsGoal
from regard.language import Formula, parse

ROWS = 16  # entries of the vectors that formulas are compared on
LONG = 400  # characters of a formula


@dataclass(frozen=True, eq=False)
class Product:
    """Formulas for q'k.

    Attributes:
        given, goal: what the problem says.
        laws: mean and variance of the entries of q and of k, with assumptions put in.
        mean, variance: of q'k, as sums of terms.
        numbers: all symbols of the instance.
    """

    given: DotProductGiven
    goal: MomentsGoal
    laws: tuple[tuple[Polynomial, Polynomial], tuple[Polynomial, Polynomial]]
    mean: Polynomial
    variance: Polynomial
    numbers: dict[str, float]

    @property
    def size(self) -> str:
        """The name of the number of entries."""
        return self.given.dimension

    @property
    def mean_text(self) -> str:
        """The mean as a formula."""
        return factored(self.mean, self.size)

    @property
    def variance_text(self) -> str:
        """The variance as a formula."""
        return factored(self.variance, self.size)

    @property
    def s_text(self) -> str:
        """What to divide by, as a formula."""
        return root(self.variance * Polynomial.number(1 / exact(self.goal.variance)), self.size)

    def at(self, text: str, **other: float) -> float:
        """The number that a formula is for the instance."""
        found = parse(text).evaluate({**self.numbers, **other})
        return float(np.asarray(found))


def product(given: DotProductGiven, goal: MomentsGoal) -> Product:
    """Build the formulas from those of the laws.

    A sum of D independent terms has D times the mean and D times the variance of one. For
    independent q_i and k_i with means a, b and variances v, w these are ab and
    (v + a²)(w + b²) - a²b² = vw + a²w + b²v; for k_i = q_i normal, a² + v and 2v² + 4a²v.
    """
    found = _built(given, goal, polynomial)
    if max(len(found.mean_text), len(found.s_text)) > LONG:
        # Multiplied out it would fill a page: the laws' own formulas stay as they are.
        found = _built(given, goal, unexpanded)
    return found


def _built(
    given: DotProductGiven,
    goal: MomentsGoal,
    read: Callable[[Formula, Mapping[str, float]], Polynomial],
) -> Product:
    laws = tuple(
        (read(parse(law.mean), given.assume), read(parse(law.variance), given.assume))
        for law in (given.q, given.q if given.k is None else given.k)
    )
    (a, v), (b, w) = laws
    if given.same:
        mean, variance = a * a + v, v * v * Polynomial.number(2) + a * a * v * Polynomial.number(4)
    else:
        mean, variance = a * b, v * w + a * a * w + b * b * v
    D = Polynomial.symbol(given.dimension)
    numbers = {**given.parameters, **given.assume}
    return Product(given, goal, (laws[0], laws[1]), D * mean, D * variance, numbers)


def checked(found: Product) -> bool:
    """Whether the formulas give what the moments of vectors are, for the instance."""
    laws = [(found.at(str(m)), found.at(str(v))) for m, v in found.laws]
    total = found.numbers[found.size]
    rows = min(int(total), ROWS)
    (a, v), (b, w) = laws
    if v < 0 or w < 0:
        return False
    eye = np.eye(rows)
    cross = v * eye if found.given.same else None
    moments = dot_product_moments(np.full(rows, a), v * eye, np.full(rows, b), w * eye, cross)
    pairs = [
        (found.at(found.mean_text), float(moments.mean) * total / rows),
        (found.at(found.variance_text), float(moments.variance) * total / rows),
    ]
    return all(abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y)) for x, y in pairs)


def certificate(found: Product, find: list[str]) -> tuple[Certificate, bool]:
    """The claims about these formulas, and whether all of them are verified.

    Where none is, there is a claim about symbols in place of the formulas of the laws.
    """
    q, k = ({"mean": str(m), "variance": str(v)} for m, v in found.laws)
    same = found.given.same
    wanted = [
        claims.claim(
            found.size, q, k, mean=found.mean_text, variance=found.variance_text, same=same
        )
    ]
    if "s" in find and found.variance.terms:
        goal = written(exact(found.goal.variance))
        wanted.append(
            claims.claim(found.size, q, k, variance=goal, divided_by=found.s_text, same=same)
        )
    kept: list[Claim] = [c for c in wanted if verify(Certificate({}, (c,))).holds]
    return Certificate({}, tuple(kept) or (_general(found.size, same),)), len(kept) == len(wanted)


def _general(size: str, same: bool) -> Claim:
    """The same for symbols in place of the formulas of the laws."""
    q, k = {"mean": "m_q", "deviation": "r_q"}, {"mean": "m_k", "deviation": "r_k"}
    if same:
        return claims.claim(
            size,
            q,
            q,
            mean=f"{size} (m_q^2 + r_q^2)",
            variance=f"{size} (2 r_q^4 + 4 m_q^2 r_q^2)",
            same=True,
        )
    return claims.claim(
        size,
        q,
        k,
        mean=f"{size} m_q m_k",
        variance=f"{size} (r_q^2 r_k^2 + m_q^2 r_k^2 + m_k^2 r_q^2)",
    )
