"""Claims that gradients through a softmax vanish with the gap of the scores.

    saturation   a formula in n, gamma, kappa, D_K, D_V is an upper bound, for all n ≥ 2, gaps > 0

One score is at least gamma above the n - 1 others. With x = (n - 1) e^(-gamma) the weight r of all
others is at most x/(1 + x), and for J = diag(a) - a aᵀ, which is positive semidefinite,

    leak       r ≤ x/(1 + x)
    jacobian   |J|₂ ≤ tr J = 1 - |a|² ≤ 1 - (1 - r)² ≤ x (2 + x)/(1 + x)²
               |J|₂ ≤ n e^(-gamma)/(1 + e^(-gamma))²
    query      |dq| ≤ kappa (1 - |a|²)/2 · D_K D_V ≤ kappa x (2 + x)/(2 (1 + x)²) D_K D_V

where D_K is the largest distance of two keys and D_V that of two values along g: the gradient is
kappa Kᵀ J (V g) = kappa/2 Σ_ij a_i a_j (k_i - k_j)(v_i - v_j)·g. The second bound of |J|₂: J is the
sum of a_i a_j (e_i - e_j)(e_i - e_j)ᵀ over pairs. If y ≤ e^(-gamma) is the second largest weight
over the largest, that one is at most 1/(1 + y), and each product at most y/(1 + y)², which grows
with y up to 1; the sum of all (e_i - e_j)(e_i - e_j)ᵀ has the norm n. A formula is a bound if its
difference from one of these has no negative term, written in n - 1 and e^(-gamma). Without a gap
r ≤ 1, |J|₂ ≤ 1/2 (its rows have absolute sums 2 a (1 - a) ≤ 1/2) and |dq| ≤ kappa/4 · D_K D_V:
along any direction it is kappa times the covariance of two numbers with the ranges D_K and D_V.
"""

from __future__ import annotations

from flint import fmpq

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.evaluation import read
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.language import Formula, parse

# The last of each holds for every softmax, whatever the gap.
BOUNDS = {
    "leak": ("x/(1 + x)", "1"),
    "jacobian": ("x (2 + x)/(1 + x)^2", "(m + 1) decay/(1 + decay)^2", "1/2"),
    "query": ("kappa D_K D_V x (2 + x)/(2 (1 + x)^2)", "kappa D_K D_V/4"),
}
WORDS = {
    "leak": "the weight of all other keys",
    "jacobian": "the spectral norm of the softmax Jacobian",
    "query": "the length of the gradient in the query",
}
NAMES = ("m", "decay", "kappa", "D_K", "D_V")


def claim(of: str, bound: str) -> Claim:
    """Return the claim that a formula bounds what is left for gradients."""
    return Claim("saturation", {"of": of, "bound": bound})


def saturation(claim: Claim, certificate: Certificate) -> Decision:
    """Compare a formula with the bound that is proved above, term by term."""
    of = claim.stated.part("of")
    if of not in BOUNDS:
        raise Unusable(f"of must be one of {', '.join(BOUNDS)}.")
    field = Field([], NAMES)
    stated = as_ratio(field, read(claim.stated.part("bound"), "bound"))
    x = field.symbol("m") * field.symbol("decay")
    known = {**{name: field.symbol(name) for name in NAMES}, "x": x}
    for text in BOUNDS[of]:
        proved = field.value(parse(text).tree, known)
        if stated == proved or (stated - proved).positive():
            said = text.replace("decay", "e^(-gamma)").replace("(m + 1)", "n")
            return Decision("holds", f"Less {said}, which is proved, it has no negative term.")
    return Decision(
        "undecided", "The signs of its difference from the proved bound settle nothing."
    )


def as_ratio(field: Field, formula: Formula) -> Ratio:
    """Return a bound as a function of n - 1 and e^(-gamma)."""
    decay = field.symbol("decay")
    known = {
        "n": field.symbol("m") + fmpq(1),
        "kappa": field.symbol("kappa"),
        "D_K": field.symbol("D_K"),
        "D_V": field.symbol("D_V"),
        "down": decay,
        "up": field.number(1) / decay,
    }
    text = str(formula)
    for power, stand_in in (("exp(-gamma)", "down"), ("exp(gamma)", "up")):
        text = text.replace(power, stand_in)
    plain = read(text, "bound")
    if plain.names - set(known):
        raise Unusable("a bound is a formula in n, exp(-gamma), kappa, D_K and D_V.")
    return field.value(plain.tree, known)


CLAIM_TYPES = {
    "saturation": ClaimType(
        saturation,
        "{what} is at most {bound} for all n ≥ 2, where one score is at least gamma > 0"
        " above the n - 1 others",
        words={"what": lambda claim: WORDS.get(claim.fields["of"], claim.fields["of"])},
    ),
}
