"""The claim that the inner product of random vectors has a mean and a variance.

    dot_product_moments   q·k/s has this mean and this variance, for vectors of `size` components
                          that are independent and have the means and deviations given

A sum of D independent terms q_i k_i has D times the mean and the variance of one, and
these depend on the first two moments of q_i and k_i only. So laws with two values serve for all:
a + x with probability y/(x + y) and a - y otherwise has mean a and variance xy. If k = q, four
moments count: for normal components a + s z serves, with z = 0, ±1, ±2 and probabilities 1/2, 1/6,
1/12, which has the moments 0, 1, 0, 3 of a normal number. For 1, 2 and 3 components all values of
both vectors are enumerated. The stated formulas are compared with that in rationals, for symbols
that are drawn from a hash of the claim, from 2⁶¹ numbers; roots are squared away.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from flint import arb, fmpq

from regard.certify.balls import BALLS, Decision, Outcome, settle
from regard.certify.certificate import Certificate, Claim, Unusable, part
from regard.certify.formula_functions import in_balls, rational_value, square
from regard.certify.formulas import Table, evaluate, read, scalar
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
    """Return mean and variance."""
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


class Stated:
    """The formulas of a claim and values for their symbols."""

    def __init__(self, claim: Claim, names: list[str]) -> None:
        self.source = json.dumps(_plain(claim.fields), sort_keys=True)
        self.size = part(claim.fields, "size")
        self.stated: dict[str, Formula] = {}
        for name in names:
            text = part(claim.fields, name)
            if text is not None:
                self.stated[name] = read(text, name)
        if not {"mean", "variance"} & set(self.stated):
            raise Unusable("a mean or a variance must be stated.")
        if not isinstance(self.size, str):
            raise Unusable("size must be a name.")

    def draw(self, name: str, salt: str, bits: int) -> int:
        """Return a number from 1 to 2^bits that follows from the claim."""
        digest = hashlib.sha256(f"{self.source}|{name}|{salt}".encode()).digest()
        return (int.from_bytes(digest, "big") >> (256 - bits)) + 1

    def agrees(
        self, values: Mapping[str, Table], mean: fmpq, variance: fmpq
    ) -> tuple[bool | None, str]:
        """Are the stated mean and variance, times s and s², these? Squares are compared."""
        below = square(self.stated["divided_by"].tree, values) if "divided_by" in self.stated else 1
        if below == 0:
            raise Unusable("divided_by is 0.")
        for name, truth, power in (("mean", mean, 1), ("variance", variance, 2)):
            if name not in self.stated:
                continue
            if square(self.stated[name].tree, values) * below**power != truth**2:
                return False, f"The {name} is wrong{_where(values)}."
            if truth != 0:
                right = self._positive(name, values, power) == (truth > 0)
                if not right:
                    return False, f"The {name} has the wrong sign{_where(values)}."
        return True, "They agree wherever they were compared, in rationals."

    def _positive(self, name: str, values: Mapping[str, Table], power: int) -> bool:
        """Is the stated number, times s, above 0? It is not 0."""
        balls = {
            symbol: Table(value.shape, tuple(arb(x) for x in value.entries))
            for symbol, value in values.items()
        }

        def test() -> Outcome:
            value = _ball(self.stated[name], balls)
            if "divided_by" in self.stated:
                value *= _ball(self.stated["divided_by"], balls) ** power
            truth = True if value > 0 else False if value < 0 else None
            return Outcome(truth, "its sign.")

        outcome = settle(test)
        if outcome.truth is None:
            raise Unusable(f"the sign of the {name} is not known.")
        return outcome.truth


def _ball(formula: Formula, values: Mapping[str, Table]) -> arb:
    return scalar(evaluate(formula.tree, values, BALLS, in_balls), "a formula")


def _plain(value: Any) -> Any:
    return json.loads(json.dumps({**value}, default=str))


def _where(values: Mapping[str, Table]) -> str:
    few = [f"{name} = {value.entries[0]}" for name, value in sorted(values.items())]
    text = ", ".join(few)
    return f" for {text}" if len(text) <= 80 else " for drawn values"


def say_dot_product_moments(claim: Claim) -> str:
    """Word the claim."""
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
    same = part(claim.fields, "same")
    if not isinstance(same, bool):
        raise Unusable("same must be true or false.")
    laws = {name: _law_formulas(part(claim.fields, name), name) for name in ("q", "k")}
    symbols = {name for formula in stated.stated.values() for name in formula.names}
    symbols |= {name for law in laws.values() for formula in law.values() for name in formula.names}
    signed = {name for law in laws.values() for name in law["mean"].names}
    signed -= {
        name for law in laws.values() for key in law if key != "mean" for name in law[key].names
    }
    signed -= {stated.size}
    if len(signed) > MOST_SIGNS:
        raise Unusable(f"the means have more than {MOST_SIGNS} symbols.")
    reason = ""
    for values, count in _instances(stated, symbols, signed):
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
    return Decision("holds", reason)


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
