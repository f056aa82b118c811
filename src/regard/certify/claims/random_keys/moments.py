"""The claim that the inner product of random vectors has a mean and a variance.

    dot_product_moments   q·k/s has this mean and this variance, for vectors of `size` components
                          that are independent and have the means and deviations given

A sum of D independent terms q_i k_i has D times the mean and the variance of one, and
these depend on the first two moments of q_i and k_i only. So laws with two values serve for all:
a + x with probability y/(x + y) and a - y otherwise has mean a and variance xy. If k = q, four
moments count: for normal components a + s z serves, with z = 0, ±1, ±2 and probabilities 1/2, 1/6,
1/12, which has the moments 0, 1, 0, 3 of a normal number. For 1, 2 and 3 components all values of
both vectors are enumerated.

The stated formulas are compared with that as rational functions of all symbols, which is a proof.
Where roots stand in the way they are compared for symbols that are drawn from a hash of the claim,
from 2⁶¹ numbers, with roots squared away: then the claim is tested, and says on how many instances.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from flint import fmpq

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.evaluation import read
from regard.certify.formulas.functions import rational_value, square
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.certify.lemmas.stated_moments import PROVED, Stated
from regard.language import Formula

Law = list[tuple[fmpq, fmpq]]  # values with their probabilities
MOST_SIGNS = 4  # symbols of which both signs are tried
# The moments 0, 1, 0, 3 of a standard normal number.
NORMAL: Law = [
    (fmpq(z), probability)
    for z, probability in (
        (0, fmpq(1, 2)),
        (1, fmpq(1, 6)),
        (-1, fmpq(1, 6)),
        (2, fmpq(1, 12)),
        (-2, fmpq(1, 12)),
    )
]


def claim(
    size: str,
    q: Mapping[str, str],
    k: Mapping[str, str],
    *,
    mean: str | None = None,
    variance: str | None = None,
    divided_by: str = "1",
    same: bool = False,
) -> Claim:
    """Return the claim that q·k/divided_by has this mean and variance.

    Args:
        size: the name of the number of components.
        q, k: formulas for the "mean" and the "deviation" (or "variance") of a component.
        mean, variance: formulas; one may be left out.
        divided_by: a formula.
        same: k is q, and its components are normal.
    """
    fields = {
        "size": size,
        "q": dict(q),
        "k": dict(k),
        "mean": mean,
        "variance": variance,
        "divided_by": divided_by,
        "same": same,
    }
    return Claim("dot_product_moments", fields)


def moments_of(law: Law) -> tuple[fmpq, fmpq]:
    """Return mean and variance of a law with finitely many values, exactly."""
    mean = sum((p * x for x, p in law), fmpq(0))
    return mean, sum((p * x * x for x, p in law), fmpq(0)) - mean**2


def _two_values(mean: fmpq, variance: fmpq, x: fmpq) -> Law:
    """Return a law with two values: mean + x, and mean - variance/x."""
    y = variance / x
    return [(mean + x, y / (x + y)), (mean - y, x / (x + y))]


def _times(first: Law, second: Law) -> Law:
    return [(a * b, p * r) for (a, p), (b, r) in itertools.product(first, second)]


def _added(first: Law, second: Law) -> Law:
    total: dict[fmpq, fmpq] = {}
    for (a, p), (b, r) in itertools.product(first, second):
        total[a + b] = total.get(a + b, fmpq(0)) + p * r
    return list(total.items())


def _say_dot_product_moments(claim: Claim) -> str:
    fields = claim.fields
    divided = "" if fields["divided_by"] in (None, "1") else f" / ({fields['divided_by']})"
    stated = " and ".join(
        f"{name} {fields[name]}" for name in ("mean", "variance") if fields[name] is not None
    )
    if fields["same"]:
        vectors, product = f"q with {fields['size']} independent normal components", "q·q"
        laws = _law_in_words(fields["q"])
    else:
        vectors, product = (
            f"independent q and k with {fields['size']} independent components",
            "q·k",
        )
        laws = _law_in_words(fields["q"])
        if fields["k"] != fields["q"]:
            laws = f"{laws} (those of k: {_law_in_words(fields['k'])})"
    return f"for {vectors} of {laws}, {product}{divided} has {stated}"


def _law_in_words(law: Mapping[str, Any]) -> str:
    return " and ".join(f"{name} {text}" for name, text in law.items())


def dot_product_moments(claim: Claim, certificate: Certificate) -> Decision:
    """Compare the stated formulas with the moments of laws that serve for all."""
    stated = Stated(claim, ["mean", "variance", "divided_by"])
    same = claim.stated.part("same")
    if not isinstance(same, bool):
        raise Unusable("same must be true or false.")
    if same and claim.stated.part("q") != claim.stated.part("k"):
        raise Unusable("k is q, so that its law must be that of q.")
    laws = {name: _law_formulas(claim.stated.part(name), name) for name in ("q", "k")}
    if _proved(stated, laws, same):
        return Decision("holds", PROVED)
    symbols = {name for formula in stated.stated.values() for name in formula.names}
    symbols |= {name for law in laws.values() for formula in law.values() for name in formula.names}
    signed = {name for law in laws.values() for name in law["mean"].names}
    signed -= {
        name for law in laws.values() for key in law if key != "mean" for name in law[key].names
    }
    signed -= {stated.size}
    if len(signed) > MOST_SIGNS:
        raise Unusable(f"the means have more than {MOST_SIGNS} symbols.")
    reason, tested = "", 0
    for values, count in _instances(stated, symbols, signed):
        tested += 1
        numbers = [_law_numbers(laws[name], values) for name in ("q", "k")]
        for x in (fmpq(1), fmpq(2)):
            term = _term(numbers, same, x)
            mean, variance = moments_of(term)
            if count <= 3:
                total = [(fmpq(0), fmpq(1))]
                for _ in range(count):
                    total = _added(total, term)
                mean, variance = moments_of(total)
            else:
                mean, variance = count * mean, count * variance
            agrees, reason = stated.agrees(values, mean, variance)
            if not agrees:
                return Decision("fails", reason)
    return Decision("holds", reason, tested)


def _proved(stated: Stated, laws: Mapping[str, Mapping[str, Formula]], same: bool) -> bool:
    """Compare the stated formulas with the moments as rational functions of all symbols.

    The variance of a product of independent numbers is (v + a²)(w + b²) - a²b²; of the square of a
    normal number, with the fourth moment a⁴ + 6 a²v + 3 v², it is 2 v² + 4 a²v.
    """
    formulas = [*stated.stated.values(), *(f for law in laws.values() for f in law.values())]
    field = Field((formula.tree for formula in formulas), (stated.size,))
    try:
        (a, v), (b, w) = (_law_ratio(laws[name], field) for name in ("q", "k"))
        D = field.symbol(stated.size)
        if same:
            return stated.proved(field, D * (a * a + v), D * (2 * v * v + 4 * a * a * v))
        return stated.proved(field, D * a * b, D * ((v + a * a) * (w + b * b) - a * a * b * b))
    except Unusable:
        return False


def _law_ratio(law: Mapping[str, Formula], field: Field) -> tuple[Ratio, Ratio]:
    """Return mean and variance of a component."""
    if "variance" in law:
        return field.value(law["mean"].tree), field.value(law["variance"].tree)
    return field.value(law["mean"].tree), field.square(law["deviation"].tree)


def _law_formulas(value: Any, name: str) -> dict[str, Formula]:
    if not isinstance(value, Mapping) or set(value) not in (
        {"mean", "deviation"},
        {"mean", "variance"},
    ):
        raise Unusable(f"{name} must have a mean, and a deviation or a variance.")
    return {key: read(text, f"{key} of {name}") for key, text in value.items()}


def _law_numbers(law: Mapping[str, Formula], values: Mapping[str, Table]) -> tuple[fmpq, fmpq]:
    """Return mean and variance of a component."""
    mean = rational_value(law["mean"].tree, values)
    if "variance" in law:
        variance = rational_value(law["variance"].tree, values)
    else:
        variance = square(law["deviation"].tree, values)
    if variance < 0:
        raise Unusable("a variance is negative.")
    return mean, variance


def _term(numbers: list[tuple[fmpq, fmpq]], same: bool, x: fmpq) -> Law:
    """Return the law of q_i k_i."""
    (mean, variance), other = numbers
    if not same:
        return _times(_two_values(mean, variance, x), _two_values(*other, x))
    root = _root(variance)
    return [((mean + root * z) ** 2, probability) for z, probability in NORMAL]


def _root(variance: fmpq) -> fmpq:
    root = fmpq(math.isqrt(int(variance.p)), math.isqrt(int(variance.q)))
    if root**2 != variance:
        raise Unusable("a deviation is not rational.")
    return root


def _instances(
    stated: Stated, symbols: set[str], signed: set[str]
) -> Iterator[tuple[dict[str, Table], int]]:
    """Return values of the symbols with the number of components: small and large ones."""
    signs = [
        dict(zip(sorted(signed), s, strict=True))
        for s in itertools.product((1, -1), repeat=len(signed))
    ]
    for round_, bits in (("1", 3), ("2", 3), ("3", 3), ("large", 61)):
        count = int(round_) if bits == 3 else stated.draw(stated.size, round_, bits) + 3
        for sign in signs:
            values = {}
            for name in symbols:
                above, below = (stated.draw(name, f"{round_}{x}", bits) for x in ("above", "below"))
                values[name] = fmpq(sign.get(name, 1) * above, below)
            values[stated.size] = fmpq(count)
            yield {name: Table((), (value,)) for name, value in values.items()}, count


CLAIM_TYPES = {
    "dot_product_moments": ClaimType(dot_product_moments, _say_dot_product_moments),
}
