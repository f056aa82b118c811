"""The claim that a formula takes one of two vectors out of their mix, for all bases.

    separating_formula   for all S and T (with S'S invertible, and so on): M S = S / share, M T = 0,
                         where M is the formula; if orthogonal, for all with S'T = 0; if
                         orthonormal, for all with S'S = I

Matrices do not commute, so a formula is a sum of words in S, S', T, T' and inverses. It is proved
by rewriting words until none of these rules fits any more, whatever the sizes are:

    S'T → 0, T'S → 0 (orthogonal)        S'S → 1 (orthonormal)
    E⁻¹ w → (1 - E⁻¹ r)/c and w E⁻¹ → (1 - r E⁻¹)/c    for the inverse of E = c w + r

The last says E⁻¹E = 1 and EE⁻¹ = 1, with the first word w of E, times c, on one side. Every rule is
an equation, so what is rewritten to S / share, or to 0, is that.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq

from regard.certify import balls, reading
from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.worked_examples.computed import in_digits
from regard.certify.formulas.evaluation import read
from regard.language.formula.tree import Tree, operands

Word = tuple[str, ...]
Sum = dict[Word, fmpq]  # words with their factors; () is the identity
MOST_WORDS = 500
MOST_STEPS = 5_000


def claim(
    formula: str, share: float | str, *, keep: str, drop: str, orthogonal: bool, orthonormal: bool
) -> Claim:
    """Return the claim that a formula in the names keep and drop separates them.

    Args:
        formula: M, with M c = v.
        share: what the mix c is of the sum of the two, as a number or a fraction "a/b".
        keep: the name of the basis whose vector is wanted.
        drop: the name of the other.
        orthogonal: whether every column of the one is at right angles to all of the other.
        orthonormal: whether the columns of the wanted basis are orthonormal.
    """
    fields = {"formula": formula, "share": share, "keep": keep, "drop": drop}
    return Claim(
        "separating_formula", {**fields, "orthogonal": orthogonal, "orthonormal": orthonormal}
    )


def _say_separating_formula(claim: Claim) -> str:
    fields = claim.fields
    S, T = fields["keep"], fields["drop"]
    which = ["linearly independent columns"]
    which += [f"the columns of {S} orthonormal"] * bool(fields["orthonormal"])
    which += ["the two at right angles"] * bool(fields["orthogonal"])
    return (
        f"for all matrices {S} and {T} with {' and '.join(which)}, {fields['formula']} takes "
        f"{in_digits(fields['share'])} of each vector of {S} to that vector, and each of {T} to 0"
    )


def separating_formula(claim: Claim, certificate: Certificate) -> Decision:
    """Rewrite M S - S/share and M T to 0."""
    fields = claim.fields
    share = balls.rational(reading.exact(reading.part(fields, "share"), "share"))
    S, T = reading.part(fields, "keep"), reading.part(fields, "drop")
    flags = [reading.part(fields, name) for name in ("orthogonal", "orthonormal")]
    if not isinstance(S, str) or not isinstance(T, str) or S == T or share == 0:
        raise Unusable("keep and drop must be two names, and share not 0.")
    if not all(isinstance(flag, bool) for flag in flags):
        raise Unusable("orthogonal and orthonormal must be true or false.")
    words = _Words(S, T, *flags)
    matrix = words.read(read(reading.part(fields, "formula"), "formula").tree)
    kept = words.reduced(_product(matrix, {(S,): fmpq(1)}))
    if kept != {(S,): 1 / share}:
        return Decision("undecided", f"The rules do not make {S} / share of the formula times {S}.")
    if words.reduced(_product(matrix, {(T,): fmpq(1)})):
        return Decision("undecided", f"The rules do not make 0 of the formula times {T}.")
    return Decision("holds", "By the rules for products and inverses, whatever the sizes are.")


class _Words:
    """Formulas as sums of words, and the rules for them."""

    def __init__(self, S: str, T: str, orthogonal: bool, orthonormal: bool) -> None:
        self.names = (S, T)
        self.rules: list[tuple[Word, Sum]] = []
        if orthogonal:
            self.rules += [((f"{S}'", T), {}), ((f"{T}'", S), {})]
        if orthonormal:
            self.rules.append(((f"{S}'", S), {(): fmpq(1)}))
        self.inverses: list[Sum] = []

    def read(self, tree: Tree) -> Sum:
        """Return a formula as a sum of words."""
        node, parts = tree[-1], operands(tree)
        if node.op == "name" and node.value in self.names:
            return {(node.value,): fmpq(1)}
        if node.op == "number":
            written = Fraction(repr(node.value))
            return {(): fmpq(written.numerator, written.denominator)}
        if node.op == "'":
            return _transposed(self.read(parts[0]))
        if node.op == "neg":
            return _scaled(self.read(parts[0]), fmpq(-1))
        if node.op in ("+", "-"):
            right = self.read(parts[1])
            return _added(
                self.read(parts[0]), right if node.op == "+" else _scaled(right, fmpq(-1))
            )
        if node.op in ("*", "·"):
            return _product(self.read(parts[0]), self.read(parts[1]))
        if node.op == "/":
            below = self.read(parts[1])
            if set(below) != {()}:
                raise Unusable("a formula may be divided by numbers only.")
            return _scaled(self.read(parts[0]), 1 / below[()])
        if node.op == "^" and _is_minus_one(parts[1]):
            return {(self._inverse(self.read(parts[0])),): fmpq(1)}
        raise Unusable("the formula holds what no rule is about.")

    def _inverse(self, inside: Sum) -> str:
        """Return the letter of an inverse, and keep its rules. It is its own transpose."""
        inside = self.reduced(dict(inside))
        if inside in self.inverses:
            return f"inverse {self.inverses.index(inside)}"
        if not inside or inside != _transposed(inside):
            raise Unusable("only matrices that are their own transpose are inverted.")
        self.inverses.append(inside)
        letter = f"inverse {len(self.inverses) - 1}"
        (word, factor), *rest = inside.items()
        left = _scaled(_product({(letter,): fmpq(1)}, dict(rest)), -1 / factor)
        right = _scaled(_product(dict(rest), {(letter,): fmpq(1)}), -1 / factor)
        one: Sum = {(): 1 / factor}
        self.rules += [
            ((letter, *word), _added(one, left)),
            ((*word, letter), _added(one, right)),
        ]
        return letter

    def reduced(self, whole: Sum) -> Sum:
        """Rewrite words until no rule fits."""
        for _ in range(MOST_STEPS):
            found = next(
                (
                    (word, at, rule)
                    for word in whole
                    for rule in self.rules
                    for at in range(len(word) - len(rule[0]) + 1)
                    if word[at : at + len(rule[0])] == rule[0]
                ),
                None,
            )
            if found is None:
                return whole
            word, at, (pattern, becomes) = found
            factor = whole.pop(word)
            before, after = {word[:at]: factor}, {word[at + len(pattern) :]: fmpq(1)}
            whole = _added(whole, _product(_product(before, becomes), after))
        raise Unusable("the rules come to no end.")


def _is_minus_one(tree: Tree) -> bool:
    return len(tree) == 2 and tree[1].op == "neg" and tree[0].op == "number" and tree[0].value == 1


def _product(left: Sum, right: Sum) -> Sum:
    found: Sum = {}
    for a, x in left.items():
        for b, y in right.items():
            found[a + b] = found.get(a + b, fmpq(0)) + x * y
    return _kept(found)


def _added(left: Sum, right: Sum) -> Sum:
    found = dict(left)
    for word, factor in right.items():
        found[word] = found.get(word, fmpq(0)) + factor
    return _kept(found)


def _scaled(whole: Sum, factor: fmpq) -> Sum:
    return _kept({word: factor * x for word, x in whole.items()})


def _transposed(whole: Sum) -> Sum:
    return {tuple(_turned(letter) for letter in reversed(word)): x for word, x in whole.items()}


def _turned(letter: str) -> str:
    if letter.startswith("inverse"):
        return letter
    return letter[:-1] if letter.endswith("'") else f"{letter}'"


def _kept(whole: Sum) -> Any:
    if len(whole) > MOST_WORDS:
        raise Unusable("the formula is too long to multiply out.")
    return {word: factor for word, factor in whole.items() if factor != 0}


CLAIM_TYPES = {
    "separating_formula": ClaimType(separating_formula, _say_separating_formula),
}
