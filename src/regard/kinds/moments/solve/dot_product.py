"""Mean and variance of q'k for random vectors with independent entries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.analysis import dot_product_moments
from regard.certify import Certificate, verify
from regard.certify.certificate import Claim
from regard.certify.claims.random_keys import moments as claims
from regard.kinds.moments.instance.closed_forms import INDEPENDENT, SAME, formulas_of
from regard.kinds.moments.instance.laws import DotProduct
from regard.kinds.moments.solve.scores import DotProductMoments
from regard.kinds.moments.spec import DotProductGiven, MomentsGoal
from regard.language import parse
from regard.language.polynomials import exact, polynomial, written
from regard.solving.finding import Status

ROWS = 16  # entries of the vectors that formulas are compared on


def solve(law: DotProduct, goal: MomentsGoal) -> DotProductMoments:
    """Build the formulas from those of the laws, and claim them."""
    formulas = law.formulas()
    found = DotProductMoments(
        Status.PROVED,
        formulas.answer(goal.find),
        Certificate({}, ()),
        given=law.given,
        formulas=formulas,
    )
    certificate, whole = _certificate(found, "s" in goal.find)
    status = Status.PROVED if whole else Status.NUMERIC
    if not _agrees(found):
        status = Status.UNDECIDED  # a variance that is negative for the instance, say
    elif goal.find == ["s"] and not formulas.varies:
        status = Status.IMPOSSIBLE
    reaches = tuple(range(len(certificate.claims))) if whole else ()
    return replace(found, status=status, certificate=certificate, reaches=reaches)


def _agrees(found: DotProductMoments) -> bool:
    """Whether the formulas give what the moments of vectors are, for the instance."""
    a, v, b, w = found.entries
    if v < 0 or w < 0:
        return False
    total = found.numbers[found.given.dimension]
    rows = min(int(total), ROWS)
    eye = np.eye(rows)
    cross = v * eye if found.given.same else None
    moments = dot_product_moments(np.full(rows, a), v * eye, np.full(rows, b), w * eye, cross)
    pairs = [
        (found.at(found.formulas.mean_text), float(moments.mean) * total / rows),
        (found.at(found.formulas.variance_text), float(moments.variance) * total / rows),
    ]
    return all(abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y)) for x, y in pairs)


def _certificate(found: DotProductMoments, scaled: bool) -> tuple[Certificate, bool]:
    """Return the claims about these formulas, and whether all of them are verified.

    Where none is, there is a claim about symbols in place of the formulas of the laws.
    """
    formulas, same = found.formulas, found.given.same
    a, v, b, w = found.laws
    q, k = {"mean": a, "variance": v}, {"mean": b, "variance": w}
    mean, variance = formulas.mean_text, formulas.variance_text
    wanted = [claims.claim(formulas.size, q, k, mean=mean, variance=variance, same=same)]
    if scaled and formulas.varies:
        goal, s = written(exact(formulas.wanted)), formulas.s_text
        wanted.append(claims.claim(formulas.size, q, k, variance=goal, divided_by=s, same=same))
    kept = tuple(claim for claim in wanted if verify(Certificate({}, (claim,))).holds)
    return Certificate({}, kept or (_general(found.given),)), len(kept) == len(wanted)


def _general(given: DotProductGiven) -> Claim:
    """Claim the closed forms for symbols in place of the formulas of the laws."""
    q, k = ({"mean": f"m_{x}", "deviation": f"r_{x}"} for x in ("q", "q" if given.same else "k"))
    names = {f"v_{x}": polynomial(parse(f"r_{x}^2")) for x in ("q", "k")}
    closed = SAME if given.same else INDEPENDENT
    found = formulas_of(given.dimension, closed, 1.0, names)
    mean, variance = found.mean_text, found.variance_text
    return claims.claim(given.dimension, q, k, mean=mean, variance=variance, same=given.same)
