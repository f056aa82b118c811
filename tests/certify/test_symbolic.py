"""Normal forms: values modulo a prime, exponents, and what must and must not be the same."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from certify.damage import result
from regard.certify.claims.algebra import always_above
from regard.certify.claims.algebra.identities import claim, counterexample_claim
from regard.certify.formulas import elementary as e
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.counterexamples import find_counterexample
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.monomials import Index
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.certify.formulas.symbolic import evaluate
from regard.certify.formulas.tensors import free
from regard.language import parse

PRIME = 2**61 - 1


class Gauss:
    """a + b i modulo the prime, which leaves 3 when divided by 4: i is no root in the field."""

    def __init__(self, a: int, b: int = 0) -> None:
        self.a, self.b = a % PRIME, b % PRIME

    def __mul__(self, other: Gauss) -> Gauss:
        return Gauss(self.a * other.a - self.b * other.b, self.a * other.b + self.b * other.a)

    def __add__(self, other: Gauss) -> Gauss:
        return Gauss(self.a + other.a, self.b + other.b)

    def __pow__(self, exponent: int) -> Gauss:
        base = self if exponent >= 0 else self.inverse()
        found = Gauss(1)
        for _ in range(abs(exponent)):
            found = found * base
        return found

    def inverse(self) -> Gauss:
        below = pow(self.a * self.a + self.b * self.b, -1, PRIME)
        return Gauss(self.a * below, -self.b * below)


def residue(poly: Poly, names: dict[str, Gauss], powers: dict[str, Gauss]) -> Gauss:
    """Return a polynomial modulo the prime; e^x (and e^(i x)) has the value given for x."""
    total = Gauss(0)
    for monomial, c in poly.terms.items():
        product = Gauss(int(c.p) * pow(int(c.q), -1, PRIME))
        for factor, exponent in monomial:
            kind = factor[0]
            if kind == "x":
                base = names[factor[1] + "".join(str(place) for place in factor[2:])]
            elif kind == "i":
                base = Gauss(0, 1)
            elif kind in ("exp", "cis"):
                ((inner, times),) = factor[1]
                assert times == 1
                base = powers[inner[1]]
            else:
                assert kind == "poly"
                base = residue(factor[1], names, powers)
            product = product * base ** int(exponent)
        total = total + product
    return total


def entries(text: str, shapes: dict[str, Any], count: int) -> list[Poly]:
    tensor = evaluate(parse(text), {name: free(name, shape) for name, shape in shapes.items()}, {})
    return [tensor(place) for place in range(count)] if tensor.shape else [tensor()]


def test_a_combination_of_powers_of_e_that_is_almost_0_is_not_0() -> None:
    parts = [10987, -14490, 6976, 19302, 12904, -6042, -542]
    text = " + ".join(f"({part}) exp({k})" for k, part in enumerate(parts))
    assert abs(sum(part * math.exp(k) for k, part in enumerate(parts))) < 1e-9  # nothing to see
    found = result(claim(text, "0", {}), {})
    assert found.status == "fails"
    stated = StatedIdentity(claim(text, "0", {}))
    known = find_counterexample(stated)
    assert known is not None
    assert float(known.difference.left) == pytest.approx(-9.052361994593091e-27, rel=1e-5)
    again = result(claim(text, text.replace("exp(6)", "exp(2)^3"), {}), {})
    assert again.status == "holds"


def test_softmax_weights_modulo_a_prime_are_those_of_independent_powers() -> None:
    shapes: dict[str, Any] = {"a": (), "b": (), "c": ()}
    y = {"a": Gauss(123456789), "b": Gauss(987654321), "c": Gauss(555555555)}
    weights = entries("softmax([a, b, c])", shapes, 3)
    assert [residue(one, {}, y).a for one in weights] == [
        1547447524783646470,
        1527009820834612132,
        1537228672809129301,
    ]
    assert p.is_zero(weights[0] + weights[1] + weights[2] - p.number(1))
    (jacobian,) = entries(
        "-(softmax([a, b, c])' [1, 0, 0]) (softmax([a, b, c])' [0, 1, 0])", shapes, 1
    )
    assert residue(jacobian, {}, y).a == 1428982179579032256


def test_two_weights_are_sigmoids_modulo_a_prime() -> None:
    shapes: dict[str, Any] = {"a": (), "b": ()}
    y = {"a": Gauss(123456789), "b": Gauss(987654321)}
    first = entries("softmax([a, b])", shapes, 2)[0]
    (sigmoid,) = entries("1 / (1 + exp(b - a))", shapes, 1)
    assert residue(first, {}, y).a == residue(sigmoid, {}, y).a == 15328277961775754
    assert p.is_zero(first - sigmoid)


def test_a_rotary_score_modulo_a_prime() -> None:
    def on_circle(u: int) -> Gauss:
        below = pow(1 + u * u, -1, PRIME)
        return Gauss((1 - u * u) * below, 2 * u * below)

    turns = {"m": on_circle(1234567), "n": on_circle(7654321)}
    numbers = {"q0": Gauss(11), "q1": Gauss(22), "k0": Gauss(33), "k1": Gauss(44)}
    shapes: dict[str, Any] = {"m": (), "n": (), "q": (2,), "k": (2,)}

    def turn(angle: str) -> str:
        return f"[[cos({angle}), -sin({angle})], [sin({angle}), cos({angle})]]"

    (both,) = entries(f"({turn('m')} q)' ({turn('n')} k)", shapes, 1)
    (relative,) = entries(f"q' {turn('n - m')} k", shapes, 1)
    assert p.is_zero(both - relative)
    for one in (both, relative):
        found = residue(one, numbers, turns)
        assert (found.a, found.b) == (2156771174515597958, 0)
    cosine, sine = (entries(f"{name}(n - m)", shapes, 1)[0] for name in ("cos", "sin"))
    assert residue(cosine, numbers, turns).a == 1941853564115294155
    assert residue(sine, numbers, turns).a == 867460997912572117


def test_the_exponents_of_a_squared_sum_at_rational_scores() -> None:
    (found,) = entries("(exp(0) + exp(1/2) + exp(-1/3))^2", {}, 1)
    exponents = {
        Fraction(sum((Fraction(exponent) for _, exponent in monomial), Fraction(0))): int(c.p)
        for monomial, c in found.terms.items()
    }
    assert exponents == {
        Fraction(-2, 3): 1,
        Fraction(-1, 3): 2,
        Fraction(0): 1,
        Fraction(1, 6): 2,
        Fraction(1, 2): 2,
        Fraction(1): 1,
    }
    assert sorted(6 * one for one in exponents) == [-4, -2, 0, 1, 3, 6]


@pytest.mark.parametrize(
    ("left", "right", "shapes"),
    [
        ("norm(q - k)^2", "norm(q)^2 - 2 q' k + norm(k)^2", {"q": ["d"], "k": ["d"]}),
        ("tr(I(n))", "n", {"A": ["n", "n"], "n": []}),
        ("sum(softmax(S))", "m", {"S": ["m", "n"], "m": []}),
        ("A I(n) B", "A B", {"A": ["m", "n"], "B": ["n", "m"], "n": []}),
        ("(I + A)^3", "A^3 + 3 A A + 3 A + I", {"A": ["n", "n"]}),
        ("sqrt(12) x", "2 sqrt(3) x", {"x": []}),
        ("1 / sqrt(n)", "sqrt(n) / n", {"u": ["n"], "n": []}),
        ("log(softmax(s))", "s - log(sum(exp(s))) exp(0 s)", {"s": ["n"]}),
        ("max(s + c exp(0 s))", "c + max(s)", {"s": ["n"], "c": []}),
        ("min(s)", "-max(-s)", {"s": ["n"]}),
        ("softmax(S) [1, 1, 1]", "[1, 1]", {"S": [2, 3]}),
        ("max(a, b)", "(a + b + abs(a - b)) / 2", {"a": [], "b": []}),
        ("max(x, 0) - max(-x, 0)", "x", {"x": []}),
        ("max(v - v + 2 exp(0 v))", "2", {"v": ["n"]}),
        ("max(u' v, u' v)", "v' u", {"u": ["n"], "v": ["n"]}),
        ("abs(x)^2 + abs(-x)", "x^2 + abs(x)", {"x": []}),
        ("2^(x + 3)", "8 * 2^x", {"x": []}),
        ("sin(x + pi / 2)", "cos(x - 2 pi)", {"x": []}),
        ("x / (1 + 1 / (1 + x^2))", "x (1 + x^2) / (2 + x^2)", {"x": []}),
        ("outer(u, v) u", "dot(v, u) u", {"u": ["n"], "v": ["n"]}),
        (
            "softmax(K q + (u' q) exp(0 K q))",
            "softmax(K q)",
            {"K": ["n", "d"], "q": ["d"], "u": ["d"]},
        ),
    ],
)
def test_equations_for_all_sizes_are_proved(left: str, right: str, shapes: dict[str, Any]) -> None:
    found = result(claim(left, right, shapes), {})
    assert found.status == "holds", found.reason
    assert "for matrices of all sizes" in found.statement
    assert "tested" not in found.statement


@pytest.mark.parametrize(
    ("left", "right", "shapes"),
    [
        ("sum(u)^2", "u' u", {"u": ["n"]}),  # equal for one entry only
        ("tr(A)", "sum(A)", {"A": ["n", "n"]}),
        ("A + I", "A", {"A": ["n", "n"]}),  # equal but for the diagonal
        ("sum(softmax(S))", "n", {"S": ["m", "n"], "n": []}),
        ("norm(u + v)", "norm(u) + norm(v)", {"u": ["n"], "v": ["n"]}),
        ("abs(x)", "x", {"x": []}),
        ("softmax(S)'", "softmax(S')", {"S": ["n", "n"]}),
        ("exp(A B)", "exp(A) exp(B)", {"A": ["n", "n"], "B": ["n", "n"]}),
        ("cos(2 x)", "2 cos(x)", {"x": []}),
        ("max(s + t)", "max(s) + max(t)", {"s": ["n"], "t": ["n"]}),
        ("x", "x + 1/1000000000000000000000000000000", {"x": []}),
    ],
)
def test_equations_that_are_wrong_are_refuted_with_numbers(
    left: str, right: str, shapes: dict[str, Any]
) -> None:
    stated = claim(left, right, shapes)
    assert result(stated, {}).status == "fails"
    found = find_counterexample(StatedIdentity(stated))
    assert found is not None
    refuted = result(counterexample_claim(stated, found), {})
    assert refuted.status == "holds"
    assert refuted.statement.startswith("it is not so that ")


def test_a_counterexample_that_is_none_is_not_accepted() -> None:
    shapes: dict[str, Any] = {"u": ["n"], "v": ["n"]}
    wrong = claim("u' v", "u' u", shapes)
    found = find_counterexample(StatedIdentity(wrong))
    assert found is not None
    true = claim("u' v", "v' u", shapes)
    assert result(counterexample_claim(true, found), {}).status == "undecided"


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        ("softmax(s)", "0", True),
        ("1 + exp(s' s)", "1", True),
        ("s' s + 1", "0", True),
        ("exp(s) - exp(s) / 2", "0", True),
        ("exp(s)", "-softmax(s)", True),
        ("s' s", "0", False),  # 0 at 0
        ("-exp(s)", "0", False),
        ("s", "0", False),
        ("exp(s)", "1", False),
        ("1 - softmax(s)' s", "0", False),
    ],
)
def test_what_is_above_another_by_its_signs(left: str, right: str, holds: bool) -> None:
    found = result(always_above.claim(left, right, {"s": ["n"]}), {})
    assert found.status == ("holds" if holds else "undecided")


def test_an_index_of_a_sum_is_not_caught_by_another_sum() -> None:
    # Σ_i x_i / Σ_j x_j e^(x_i): the inner sum is a factor with an index of the outer one.
    i, j = Index(101, "n"), Index(102, "n")
    from regard.certify.formulas.index_sums import total

    x_i, x_j = p.factor("x", "x", i), p.factor("x", "x", j)
    inner = total(x_j * e.exp(x_i * x_j), j)
    whole = total(x_i * p.inverse(inner), i)
    other = total(x_j * p.inverse(total(x_i * e.exp(x_i * x_j), i)), j)
    assert whole == other
    swapped = total(x_j * p.inverse(total(x_j * e.exp(x_i * x_j), j)), i)
    assert swapped != whole


def test_what_is_too_long_is_not_written_out() -> None:
    shapes: dict[str, Any] = {name: [] for name in "abcdefgh"}
    total = "(a + b + c + d + e_1 + f + g + h)"  # of 6435 terms, to the 8th
    shapes["e_1"] = shapes.pop("e")
    found = result(claim(f"{total}^8", f"{total}^4 {total}^4", shapes), {})
    assert found.status == "undecided"
    assert "too many terms" in found.reason
    tested = result(claim(f"{total}^8", f"{total}^4 {total}^4", shapes, chance=1e-30), {})
    assert tested.status == "holds"
    assert "tested at drawn numbers" in tested.statement


def test_expansion_says_what_is_left_over() -> None:
    found = expand(StatedIdentity(claim("x + 1", "x", {"x": []})), {})
    assert found.left_over == p.number(1)
