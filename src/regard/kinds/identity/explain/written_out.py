r"""Why both sides of an equation are the same, in the rules that its formulas need."""

from __future__ import annotations

from collections.abc import Mapping

from regard.certify import Claim
from regard.certify.certificate import Unusable
from regard.certify.formulas.expansion import Expansion, expand
from regard.certify.formulas.monomials import factors_of
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.kinds.identity.explain.entry_notation import to_latex
from regard.kinds.identity.explain.positivity import Step
from regard.kinds.identity.solve.equation import used_definitions
from regard.kinds.identity.spec import IdentityGiven
from regard.language import parse
from regard.language.formula.tree import Tree

# Which rule a function needs: a sentence and an equation.
RULES: dict[str, Step] = {
    "norm": (
        "**Lengths.** The square of a length is the sum of the squares of the entries.",
        r"\|u\|^2 = \sum_a u_a^2",
    ),
    "softmax": (
        "**Softmax.** A weight is a power of $e$, divided by the sum of those in its row.",
        r"\operatorname{softmax}(s)_i = \frac{e^{s_i}}{\sum_a e^{s_a}}",
    ),
    "exp": (
        "**Powers.** A sum in an exponent is a product of powers, and a common factor of the "
        "numerator and the "
        "denominator cancels.",
        r"e^{x + y} = e^x e^y",
    ),
    "cos": (
        "**Angles.** The cosine and the sine of a sum are taken apart, until each angle stands "
        "alone.",
        r"\cos(x + y) = \cos x \cos y - \sin x \sin y,\quad"
        r" \sin(x + y) = \sin x \cos y + \cos x \sin y",
    ),
    "circle": ("**Circle.** Squares of the two add up to 1.", r"\cos^2 x + \sin^2 x = 1"),
    "sqrt": ("**Roots.** A root times itself is what is under it.", r"\sqrt{x} \sqrt{x} = x"),
    "log": (
        "**Logarithms.** The logarithm of a product is the sum of the logarithms, and that of a "
        "power of $e$ is "
        "its exponent.",
        r"\log\left(e^x y\right) = x + \log y",
    ),
    "inverse": (
        "**Inverse.** The inverse is made of minors, divided by the determinant.",
        r"A^{-1} = \frac{\operatorname{adj}(A)}{\det(A)}",
    ),
    "abs": ("**Absolute values.** The square of an absolute value is the square.", r"|x|^2 = x^2"),
    "max": (
        "**Largest.** What all entries have in common is added to the largest.",
        r"\max_i (x_i + y) = y + \max_i x_i",
    ),
    "order": (
        "**Order.** A permutation matrix puts entries in another order, and a sum is the same in "
        "every order.",
        r"\sum_a x_{\pi(a)} = \sum_a x_a",
    ),
    "product": (
        "**Products.** An entry of a product is the sum over the inner index.",
        r"(A B)_{i,j} = \sum_a A_{i,a} B_{a,j}",
    ),
}


def written_out(stated: Claim, given: IdentityGiven, scope: str) -> tuple[Step, ...]:
    """Say how both sides are written out, and what they both come to."""
    identity = StatedIdentity(stated)
    trees = identity.trees()
    steps: list[Step] = []
    defined = used_definitions([identity.left.tree, identity.right.tree], given)
    if defined:
        steps.append(("**Definitions.** What is defined is put in.", _definitions(defined)))
    steps += [RULES[rule] for rule in _needed(trees)]
    sizes: Mapping[str, int] = {} if stated.fields["sizes"] is None else stated.fields["sizes"][-1]
    try:
        found = expand(identity, sizes)
    except Unusable:
        found = None
    steps.append(_same(found, scope))
    return tuple(steps)


def _definitions(defined: Mapping[str, str]) -> str:
    return r",\quad ".join(
        f"{parse(one).to_latex()} = {parse(text).to_latex()}" for one, text in defined.items()
    )


def _needed(trees: list[Tree]) -> list[str]:
    """Return the rules that the functions in formulas need."""
    called = {node.value for tree in trees for node in tree if node.op == "call"}
    found = [rule for rule in ("norm", "softmax", "abs", "sqrt", "log") if rule in called]
    if called & {"softmax", "exp"}:
        found.append("exp")
    if called & {"cos", "sin"}:
        found.append("cos")
        if not all(any(node.value in ("cos", "sin") for node in side) for side in trees[-2:]):
            found.append("circle")  # one side has none of them: they must vanish
    if any(_reorders(tree) for tree in trees):
        found.append("order")
    if called & {"max", "min"}:
        found.append("max")
    powers = [node for tree in trees for node in tree if node.op == "^"]
    if any(
        tree[at - 1].op == "neg" for tree in trees for at, node in enumerate(tree) if node in powers
    ):
        found.append("inverse")
    if not found and any(node.op in ("*", "·") for tree in trees for node in tree):
        found.append("product")
    return found


def _reorders(tree: Tree) -> bool:
    """Say whether a formula holds a permutation matrix that is not I, written in numbers."""
    for at, node in enumerate(tree):
        entries = tree[at - node.arity : at]
        if node.op != "matrix" or any(one.op != "number" for one in entries):
            continue
        rows, columns = node.value
        values = [one.value for one in entries]
        lines = [values[i * columns : (i + 1) * columns] for i in range(rows)]
        lines += [values[i::columns] for i in range(columns)]
        plain = rows == columns and all(sorted(one) == [0] * (rows - 1) + [1] for one in lines)
        if plain and any(lines[i][i] == 0 for i in range(rows)):
            return True
    return False


def _same(found: Expansion | None, scope: str) -> Step:
    """Say what both sides come to."""
    if found is None or not found.proved or scope == "tested":
        return (
            "**Both sides.** Both sides were computed, in fractions, for numbers that were drawn.",
            "",
        )
    latex = to_latex(found.entry)
    if latex and found.cases == 1:
        return "**Both sides.** Written out, both sides are the same:", latex
    if latex:
        return (
            "**Both sides.** Written out, both sides are the same in every entry; the first one "
            "is this.",
            latex,
        )
    if any(one[0] == "cis" for one in factors_of(found.entry)):
        return (
            "**Both sides.** With every angle by itself, both sides are the same: nothing is left.",
            "",
        )
    count = "one term" if found.terms == 1 else f"at most {found.terms} terms"
    return (
        f"**Both sides.** Written out, both sides are the same sum of {count}, and nothing is "
        f"left.",
        "",
    )
