"""Claims about derivatives of formulas.

    gradient   a formula is the gradient of a loss in a matrix, for all inputs and sizes
    evaluated  a formula has these entries at the arrays of the certificate, each within a bound

The gradient G_X of a loss L(X) is what makes dL = Σ G_X ∘ D for every direction D. The left side is
worked out from the formula of the loss by the rules of differentiation,

    d(U V) = dU V + U dV,   d(U ∘ V) = dU ∘ V + U ∘ dV,   d Uᵀ = (dU)ᵀ,   d Σ U = Σ dU,
    d softmax(S) = A ∘ (dS - (A ∘ dS) 1 1ᵀ) with A = softmax(S), by rows (the quotient rule),
    d log softmax(S) = dS - (A ∘ dS) 1 1ᵀ,

and both are written out in symbols: they are the same for all X and D, or they are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flint import arb

from regard.certify.balls import BALLS, Decision
from regard.certify.certificate import Certificate, Claim, Unusable, exactly, number, part
from regard.certify.claims.algebra import identities
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.derivatives import DIRECTION, Derivatives
from regard.certify.formulas.evaluation import evaluate, read, shape_of
from regard.certify.formulas.functions import in_balls
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.stated_identity import named
from regard.language import Formula
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import name


def gradient_claim(
    loss: str,
    of: str,
    gradient: str,
    shapes: Mapping[str, Sequence[int | str]],
    where: Mapping[str, str] | None = None,
    sizes: Sequence[Mapping[str, int]] | None = None,
) -> Claim:
    """Return the claim that a formula is the gradient of a loss.

    Args:
        loss: a formula of one number.
        of: the name of a matrix, vector or number in `shapes`.
        gradient: a formula of the shape of `of`.
        shapes: of the names, as in an identity.
        where: further names, each a formula in those above it.
        sizes: numbers for the named sizes; None: all sizes.
    """
    fields = {
        "loss": loss,
        "of": of,
        "gradient": gradient,
        "shapes": {one: list(shape) for one, shape in shapes.items()},
        "where": dict(where or {}),
        "sizes": None if sizes is None else [dict(some) for some in sizes],
    }
    return Claim("gradient", fields)


def _say_gradient(claim: Claim) -> str:
    fields = claim.fields
    where = ", ".join(f"{one} = {text}" for one, text in fields["where"].items())
    reach = (
        "for all inputs of all sizes"
        if fields["sizes"] is None
        else "for all inputs of "
        + ("; ".join(", ".join(f"{n} = {s}" for n, s in some.items()) for some in fields["sizes"]))
    )
    said = f", where {where}," if where else ""
    return (
        f"the gradient of {fields['loss']} in {fields['of']} is {fields['gradient']}{said} {reach}"
    )


def gradient(claim: Claim, certificate: Certificate) -> Decision:
    """Differentiate the loss along every direction, and compare with the gradient."""
    stated = as_identity(claim)
    return identities.identity(stated, certificate)


def as_identity(claim: Claim) -> Claim:
    """Return the identity that a gradient is: dL along D is the sum of gradient ∘ D."""
    fields = claim.fields
    shapes = {one: tuple(shape) for one, shape in named(part(fields, "shapes")).items()}
    of = part(fields, "of")
    if of not in shapes or DIRECTION in shapes:
        raise Unusable("a gradient is with respect to a name in shapes.")
    where = {one: read(text, one) for one, text in named(part(fields, "where")).items()}
    known = dict(shapes)
    for size in sorted({s for shape in shapes.values() for s in shape if isinstance(s, str)}):
        known.setdefault(size, ())
        shapes.setdefault(size, ())  # a number with the name of a size is that size
    for one, formula in where.items():
        known[one] = shape_of(formula, known)
    known[DIRECTION] = shapes[of]
    loss = read(part(fields, "loss"), "loss")
    rules = Derivatives(of, known)
    moved: dict[str, str] = {}  # `where`, with the derivatives of what the loss is made of
    for one, formula in where.items():
        moved[one] = str(formula)
        rules.where[one] = formula.tree
        if one in _made_of(loss.names, where):
            along = rules.tangent(formula.tree)
            if along is not None:
                rules.tangents[one] = name(f"{DIRECTION}_{one}")
                moved[f"{DIRECTION}_{one}"] = to_text(along)
    along = rules.tangent(loss.tree)
    stated = read(part(fields, "gradient"), "gradient")
    inner = "hadamard" if shapes[of] else ""
    both = f"sum(hadamard({stated}, {DIRECTION}))" if inner else f"({stated}) {DIRECTION}"
    if shapes[of] and shape_of(stated, known, shapes[of]) != shapes[of]:
        raise Unusable("the gradient has another shape than what it is a gradient in.")
    return identities.claim(
        "0" if along is None else to_text(along),
        both,
        {**shapes, DIRECTION: shapes[of]},
        where=moved,
        sizes=part(fields, "sizes"),
    )


def _made_of(names: Iterable[str], where: Mapping[str, Formula]) -> set[str]:
    """Return the names of `where` that these are made of, and they themselves."""
    found, waiting = set[str](), list(names)
    while waiting:
        one = waiting.pop()
        if one in where and one not in found:
            found.add(one)
            waiting += where[one].names
    return found


def evaluated_claim(
    what: str, formula: str, entries: Any, bound: float, where: Mapping[str, str]
) -> Claim:
    """Return the claim that a formula has these entries at the arrays of the certificate."""
    return Claim(
        "evaluated",
        {
            "what": what,
            "formula": formula,
            "entries": entries,
            "bound": bound,
            "where": dict(where),
        },
    )


def _say_evaluated(claim: Claim) -> str:
    fields = claim.fields
    where = ", ".join(f"{one} = {text}" for one, text in fields["where"].items())
    said = f", where {where}," if where else ""
    return (
        f"{fields['what']} = {fields['formula']}{said} has the entries given, each to within "
        f"{exactly(fields['bound'])}"
    )


def evaluated(claim: Claim, certificate: Certificate) -> Decision:
    """Compute a formula in balls at the arrays of the certificate, and compare."""
    bound = claim.stated.number("bound")
    where = {one: read(text, one) for one, text in named(claim.stated.part("where")).items()}
    formula = read(claim.stated.part("formula"), "formula")
    wanted = _flat(claim.stated.part("entries"))

    def attempt() -> Any:
        values: dict[str, Table] = {}
        for one, array in certificate.arrays.items():
            flat = [arb(float(x)) for x in array.reshape(-1)]
            values[one] = Table(array.shape, tuple(flat))
        for one, text in where.items():
            values[one] = _table(evaluate(text.tree, values, BALLS, in_balls))
        found = _table(evaluate(formula.tree, values, BALLS, in_balls))
        if len(found.entries) != len(wanted):
            raise Unusable("there are as many entries as the formula has.")
        return [abs(x - arb(y)) for x, y in zip(found.entries, wanted, strict=True)]

    import flint

    for precision in (106, 212, 424):
        with flint.ctx.workprec(precision):
            apart = attempt()
            if all(one <= bound for one in apart):
                return Decision("holds", "Computed in balls, every entry is that near.")
            if any(one > bound for one in apart):
                return Decision("fails", "Computed in balls, an entry is further off.")
    return Decision("undecided", "The balls are too wide.")


def _table(found: Any) -> Table:
    if not isinstance(found, Table):
        raise Unusable("a formula must not be a comparison.")
    return found


def _flat(value: Any) -> list[float]:
    if isinstance(value, list | tuple):
        return [x for one in value for x in _flat(one)]
    if hasattr(value, "reshape"):
        return [float(x) for x in value.reshape(-1)]
    return [float(number(value, "an entry"))]


CLAIM_TYPES = {
    "gradient": ClaimType(gradient, _say_gradient),
    "evaluated": ClaimType(evaluated, _say_evaluated),
}
