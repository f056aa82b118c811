"""The claim that something happens exactly where a condition holds, for all scores or keys.

    equivalence   the condition is necessary and sufficient for the effect on key j:
                  "mass"       α_j ≥ 1 - ε
                  "output"     ‖c - v_j‖ ≤ ε max_i ‖v_i - v_j‖ for all values
                  "pairwise"   α_j ≥ R α_i for every other i
                  "aligned"    α_j → 1 for the query C k_j, as C → ∞ (the scale is above 0)
                  "dominable"  for every ε > 0 some query gives α_j ≥ 1 - ε

It is shown by algebra, with nothing tried. With x = exp(s_j), y = exp(s_i), r = Σ_{i≠j} exp(s_i)
and the odds t = (1 - ε)/ε, which may be any numbers above 0, the first effect is x/(x + r) ≥
t/(1 + t), and a condition L ≥ M on scores is exp(L)/exp(M) ≥ 1: both are of the form F ≥ 1 with
rational functions F. They are equivalent if F - 1 of the one is F - 1 of the other times a function
whose terms all have one sign.

The other effects. *Output*: c - v_j = Σ_{i≠j} α_i (v_i - v_j) has at most the length (1 - α_j)
max ‖v_i - v_j‖, and has it if all other values are in one place: for all values at once it is the
first. *Pairwise*: α_j/α_i = x/y. *Aligned*: the score differences are scale C (k_j·k_j - k_i·k_j),
so α_j → 1 iff all of the numbers in brackets are above 0. *Dominable*: where q scores key j above
all others, C q brings its weight to 1; and a weight above 1/2 is above every other, so that its
score is. The condition must be the comparison of those products, times a number above 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.evaluation import read
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.language.formula.tree import Tree, operands

EFFECTS = {
    "mass": "the weight of key {j} is at least 1 - epsilon",
    "output": "for all values the output is within epsilon of v_{j}, in units of the largest "
    "distance from it",
    "pairwise": "the weight of key {j} is at least R times that of every other",
    "aligned": "the weight of key {j} goes to 1 as a query along it grows",
    "dominable": "some query brings the weight of key {j} as near to 1 as one likes",
}
MOST_KEYS = 10**9


def claim(effect: str, condition: str, *, of: str, other: str, n: int) -> Claim:
    """Return the claim that a condition is necessary and sufficient.

    Args:
        effect: one of `EFFECTS`.
        condition: a comparison in s_j, s_i, s (all scores), k_j, k_i, q, n, epsilon and R; where
            it speaks of i, it is meant for every other i (and for some q, where it speaks of q).
        of: what the condition calls the key j.
        other: what it calls every other key.
        n: how many keys there are.
    """
    fields = {"effect": effect, "condition": condition, "of": of, "other": other, "n": n}
    return Claim("equivalence", fields)


def _say_equivalence(claim: Claim) -> str:
    fields = claim.fields
    effect = EFFECTS[fields["effect"]].format(j=fields["of"])
    about = "keys" if fields["effect"] in ("aligned", "dominable") else "scores"
    over = (
        f" for every other {fields['other']}"
        if f"_{fields['other']}" in fields["condition"]
        else ""
    )
    return f"{effect} exactly where {fields['condition']}{over}, whatever the {fields['n']} {about}"


def equivalence(claim: Claim, certificate: Certificate) -> Decision:
    """Compare the condition with the effect, as rational functions."""
    effect, of, other = (claim.stated.part(name) for name in ("effect", "of", "other"))
    if effect not in EFFECTS or not isinstance(of, str) or not isinstance(other, str):
        raise Unusable(f"effect must be one of {', '.join(EFFECTS)}.")
    n = claim.stated.index("n", MOST_KEYS)
    if n < 2 or of == other:
        raise Unusable("there must be two keys at least, with two names.")
    tree = read(claim.stated.part("condition"), "condition").tree
    left, right, strict = _sides(tree)
    if effect in ("aligned", "dominable"):
        same = strict and _Products(of, other, effect).same(left, right)
    else:
        same = not strict and _Scores(of, other, n, effect).same(left, right)
    if same:
        return Decision("holds", "The one is the other times a function that is above 0.")
    return Decision("undecided", "Algebra does not show that they are the same.")


def _sides(tree: Tree) -> tuple[Tree, Tree, bool]:
    """Return the larger side, the smaller side, and whether they must differ."""
    node = tree[-1]
    if node.op != "compare" or len(node.value) != 1 or node.value[0] not in (">", ">=", "<", "<="):
        raise Unusable("a condition must be one comparison.")
    left, right = operands(tree)
    relation = node.value[0]
    return (left, right, relation == ">") if ">" in relation else (right, left, relation == "<")


class _Scores:
    """Conditions on scores, as rational functions of their exponentials."""

    def __init__(self, of: str, other: str, n: int, effect: str) -> None:
        self.own, self.rival, self.n, self.effect = f"s_{of}", f"s_{other}", n, effect
        self.field = Field((), ("x", "y", "r", "t", "R"))

    def same(self, left: Tree, right: Tree) -> bool:
        """Whether left ≥ right is the effect."""
        x, y, r, t = (self.field.symbol(name) for name in "xyrt")
        wanted = x * (1 + t) / ((x + r) * t)
        if self.effect == "pairwise":
            wanted = x / (self.field.symbol("R") * y)
        stated = self.power(left) / self.power(right) - 1
        return stated.above != 0 and (stated / (wanted - 1)).positive()

    def power(self, tree: Tree) -> Ratio:
        """Return e to the power of a formula, as a formula."""
        node, parts = tree[-1], operands(tree)
        if node.op == "name" and node.value == self.own:
            return self.field.symbol("x")
        if node.op == "name" and node.value == self.rival:
            # With more than two keys a single rival says nothing about the sum of all.
            if self.effect != "pairwise" and self.n > 2:
                raise Unusable("a condition on one rival does not decide the sum of all.")
            return self.field.symbol("y" if self.effect == "pairwise" else "r")
        if node.op == "call" and node.value == "log":
            inside = self.value(parts[0])
            if not inside.positive():
                raise Unusable("a logarithm is taken of what may be 0 or less.")
            return inside
        if node.op == "+":
            return self.power(parts[0]) * self.power(parts[1])
        if node.op == "-":
            return self.power(parts[0]) / self.power(parts[1])
        if node.op == "neg":
            return 1 / self.power(parts[0])
        if node.op == "number" and node.value == 0:
            return self.field.number(1)
        raise Unusable("its exponential is not rational.")

    def value(self, tree: Tree) -> Ratio:
        """Return a formula as a rational function."""
        node, parts = tree[-1], operands(tree)
        if node.op == "name" and node.value == "epsilon" and self.effect != "pairwise":
            return 1 / (1 + self.field.symbol("t"))
        if node.op == "name" and node.value == "R" and self.effect == "pairwise":
            return self.field.symbol("R")
        if node.op == "name" and node.value == "n":
            return self.field.number(self.n)
        if node.op == "call" and node.value == "exp":
            return self.power(parts[0])
        if node.op == "call" and node.value == "sum" and self._all_exponentials(parts[0]):
            return self.field.symbol("x") + self.field.symbol("r")
        return _worked_out(tree, self.field, self.value)

    def _all_exponentials(self, tree: Tree) -> bool:
        call = tree[-1].op == "call" and tree[-1].value == "exp" and len(tree) == 2
        return call and tree[0].op == "name" and tree[0].value == "s" and self.effect != "pairwise"


def _worked_out(tree: Tree, field: Field, value: Callable[[Tree], Ratio]) -> Ratio:
    """Return a number, or what an operation gives for the values of its parts."""
    node = tree[-1]
    if node.op == "number":
        return field.value(tree)
    values = [value(part) for part in operands(tree)] if node.op in _OPERATIONS else []
    if not values:
        raise Unusable("a condition holds what is not looked at.")
    return _OPERATIONS[node.op](*values)


class _Products:
    """Conditions on inner products, each an unknown of its own."""

    def __init__(self, of: str, other: str, effect: str) -> None:
        self.keys = {f"k_{of}": "j", f"k_{other}": "i"}
        # What the products that count are taken with: key j itself, or the query.
        self.along = f"k_{of}" if effect == "aligned" else "q"
        self.field = Field((), ("j", "i"))

    def same(self, left: Tree, right: Tree) -> bool:
        """Whether left > right is k_j·w > k_i·w, times a number above 0."""
        stated = self.value(left) - self.value(right)
        ratio = stated / (self.field.symbol("j") - self.field.symbol("i"))
        # A constant: of unknowns that may be negative nothing else has a sign.
        return ratio.positive() and ratio.above.total_degree() == ratio.below.total_degree() == 0

    def value(self, tree: Tree) -> Ratio:
        """Return a formula as a rational function of the products."""
        node, parts = tree[-1], operands(tree)
        product = self._product(node, parts)
        if product is not None:
            return self.field.symbol(product)
        return _worked_out(tree, self.field, self.value)

    def _product(self, node: Any, parts: list[Tree]) -> str | None:
        """Return which key's product with the query this is; None: it is none of them."""
        dot = node.op == "·" or (node.op == "call" and node.value == "dot")
        if node.op == "*" and parts[0][-1].op == "'":
            parts, dot = [operands(parts[0])[0], parts[1]], True
        if not dot or any(len(part) != 1 or part[0].op != "name" for part in parts):
            return None
        for key, along in ((0, 1), (1, 0)):
            if parts[along][0].value == self.along:
                return self.keys.get(parts[key][0].value)
        return None


_OPERATIONS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "·": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
}


CLAIM_TYPES = {
    "equivalence": ClaimType(equivalence, _say_equivalence),
}
