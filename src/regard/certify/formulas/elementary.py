"""Functions of polynomials that have a rule, and signs that can be seen.

    exp    e^(a + b) = e^a e^b, e^(c a) = (e^a)^c for rational c, e^(log a) = a for a > 0
    cos    (z + 1/z)/2 and sin (z - 1/z)/2i with z = e^(i a), so that angles add up
    root   of c m p: roots of the primes of c, of the factors of m that are above 0, and of p
    log    of c m p: the sum of the logarithms, where all are above 0; log(e^a) = a

Each rule is an equation between real (or complex) numbers that holds wherever its left side is
defined. So two formulas with one normal form agree wherever both are defined.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpz

from regard.certify.certificate import Unusable
from regard.certify.formulas.monomials import ONE, Exponent, Factor, Monomial, plain
from regard.certify.formulas.polynomials import Poly, factor, number, power, primitive, term


def exp(poly: Poly) -> Poly:
    """Return e to the power of a polynomial."""
    found = number(1)
    for monomial, c in poly.terms.items():
        (only,) = monomial if len(monomial) == 1 else [(("",), 0)]
        if only[0][:2] == ("f", "log") and only[1] == 1 and c.q == 1:
            argument = only[0][2]
            if positive(argument):
                found *= power(argument, int(c.p))
                continue
        found *= Poly({frozenset([(("exp", monomial), _exponent(c))]): fmpq(1)})
    return found


def _exponent(c: fmpq) -> Exponent:
    return plain(Fraction(int(c.p), int(c.q)))


def circle(poly: Poly) -> Poly:
    """Return e to the power of i times a polynomial."""
    found = number(1)
    for monomial, c in poly.terms.items():
        found *= term({("cis", monomial): _exponent(c)}, fmpq(1))
    return found


def cos(poly: Poly) -> Poly:
    """Return the cosine."""
    return (circle(poly) + circle(-poly)).scaled(fmpq(1, 2))


def sin(poly: Poly) -> Poly:
    """Return the sine."""
    return (circle(poly) - circle(-poly)) * factor("i").scaled(fmpq(-1, 2))


def root(poly: Poly) -> Poly:
    """Return the root of what is never negative."""
    if not poly:
        return poly
    leading, common, rest = primitive(poly)
    found = _root_of_number(abs(leading))
    rest = rest if leading > 0 else -rest
    inside: dict[Factor, Exponent] = {}
    for one, exponent in common:
        if one[0] == "exp" and real(one):
            found *= term({one: plain(Fraction(exponent) / 2)}, fmpq(1))
        elif _positive(one) and one[0] != "root":
            base = one[1] if one[0] == "poly" else factor(*one)
            found *= term({("root", base): exponent}, fmpq(1))
        elif exponent % 2 == 0 and real(one) and one[0] != "poly":
            found *= power(_length(one), int(exponent) // 2)
        else:
            inside[one] = exponent
    under = rest * term(inside, fmpq(1))
    return found if under.constant() == 1 else found * factor("root", under)


def _length(one: Factor) -> Poly:
    """Return the absolute value of a factor."""
    if one[0] == "root":
        return factor(*one)
    return factor("root", Poly({frozenset([(one, 2)]): fmpq(1)}))


def _root_of_number(value: fmpq) -> Poly:
    """Write the root of p/q as that of the primes of p q that are left over, divided by q."""
    found = number(fmpq(1, value.q))
    for prime, exponent in fmpz(value.p * value.q).factor():
        found = found.scaled(fmpq(prime) ** (int(exponent) // 2))
        if exponent % 2:
            found *= factor("root", number(prime))
    return found


def absolute(poly: Poly) -> Poly:
    """Return the absolute value."""
    return poly if never_negative(poly) else root(poly * poly)


def log(poly: Poly) -> Poly:
    """Return the logarithm: of a product of what is above 0 the sum of the logarithms."""
    if not poly:
        raise Unusable("a logarithm is taken of 0.")
    leading, common, rest = primitive(poly)
    if not positive(poly):
        return factor("f", "log", poly)
    found = Poly()
    for whole, sign in ((leading.p, 1), (leading.q, -1)):
        for prime, times in fmpz(whole).factor():
            found += factor("f", "log", number(prime)).scaled(fmpq(sign * int(times)))
    for one, exponent in common:
        share = fmpq(Fraction(exponent).numerator, Fraction(exponent).denominator)
        if one[0] == "exp":
            found += Poly({one[1]: share})
        else:
            inside = one[1] if one[0] == "poly" else factor(*one)
            found += factor("f", "log", inside).scaled(share)
    return found if rest.constant() == 1 else found + factor("f", "log", rest)


def function(name: str, *arguments: Poly) -> Poly:
    """Return a value of a function of which nothing is known."""
    return factor("f", name, *arguments)


def real(one: Factor) -> bool:
    """Say whether a factor is surely a real number."""
    if one[0] in ("i", "cis"):
        return False
    inside = one[1] if one[0] in ("exp", "sum") else ONE
    return all(real(other) for other, _ in inside)


def _positive(one: Factor) -> bool:
    kind = one[0]
    if kind == "n" or one == ("x", "pi"):
        return True
    if kind == "exp":
        return real(one)
    if kind == "sum":
        return all(_positive(other) for other, _ in one[1])
    if kind in ("poly", "root"):
        return positive(one[1])
    return kind == "f" and one[1] == "Phi"


def positive(poly: Poly) -> bool:
    """Say whether a polynomial is above 0, by its form."""
    return bool(poly) and all(
        c > 0 and all(_positive(one) for one, _ in monomial) for monomial, c in poly.terms.items()
    )


def never_negative(poly: Poly) -> bool:
    """Say whether a polynomial is at least 0, by its form."""
    return all(c > 0 and _no_sign(monomial) for monomial, c in poly.terms.items())


def above_zero(poly: Poly) -> bool:
    """Say whether no term is negative and one is above 0, by their form."""
    some = any(positive(Poly({monomial: c})) for monomial, c in poly.terms.items())
    return some and never_negative(poly)


def _no_sign(monomial: Monomial) -> bool:
    return all(
        _positive(one)
        or one[0] == "root"
        or (exponent % 2 == 0 and real(one))
        or (one[0] == "sum" and _no_sign(one[1]))
        for one, exponent in monomial
    )
