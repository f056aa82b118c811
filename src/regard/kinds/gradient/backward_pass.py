"""The backward pass as formulas: what the names of gradients stand for, each in those above it."""

from __future__ import annotations

from collections.abc import Collection

from regard.errors import FormulaError
from regard.kinds.gradient.forward import scale_factor, sized
from regard.kinds.gradient.spec import TO_TARGETS, GradientGiven
from regard.language import Formula, parse


def backward_formulas(given: GradientGiven) -> dict[str, str]:
    """Return every step of the backward pass, each in those above it."""
    if given.forward == "softmax":
        found = {
            "J": "diag(a) - a a'",
            "ds": {
                "G": "hadamard(a, g - (a' g) ones(n))",
                "squared": "hadamard(a, a - y - (a' (a - y)) ones(n))",
                "cross-entropy": "a - y",
            }[given.loss],
        }
        factor = scale_factor(given)
        return {name: f"{factor}({text})" if factor else text for name, text in found.items()}
    found = _to_heads(given)
    heads = range(given.heads)

    def over(one: str, term: str) -> None:
        """Add what reaches an array from every head of the query that has to do with it."""
        for part in given.parts(one):
            users = [head for head in heads if given.of_head(one, head) == part]
            found[f"d{part}"] = " + ".join(_named(given, term, head) for head in users)

    keys = sized(given)[given.parts("A")[0]][1]
    factor = scale_factor(given)
    over("V", "{A}' {dY}")
    over("A", "{dY} {V}'")
    over("S", f"hadamard({{A}}, {{dA}} - rowsum(hadamard({{A}}, {{dA}})) ones({keys})')")
    over("Q", f"{factor}{{dS}} {{K}}")
    over("K", f"{factor}{{dS}}' {{Q}}")
    if given.forward == "projections":
        for letter in "QKV":
            for part, matrix in zip(given.parts(letter), given.parts(f"W_{letter}"), strict=True):
                found[f"d{matrix}"] = f"X' d{part}"
        if given.biases:
            # One shift of all keys changes no weight, and weights of a row sum to 1.
            over("b_Q", "{dQ}' ones(n)")
            found |= {f"d{part}": "zeros(d_k)" for part in given.parts("b_K")}
            over("b_V", "{dY}' ones(n)")
        found["dX"] = " + ".join(
            f"d{part} {matrix}'"
            for letter in "QKV"
            for part, matrix in zip(given.parts(letter), given.parts(f"W_{letter}"), strict=True)
        )
    return found


def _to_heads(given: GradientGiven) -> dict[str, str]:
    """Return what comes back to the output and to each head."""
    found: dict[str, str] = {}
    last = "Z" if given.output else given.parts("Y")[0]
    if given.loss in TO_TARGETS:
        found[f"d{last}"] = f"{last} - T" if given.loss == "squared" else f"softmax({last}) - T"
    for head in range(given.heads):
        Y, W_O, G = (given.of_head(name, head) for name in ("Y", "W_O", "G"))
        back = f"ones(n) ones({'d' if given.output else 'd_v'})'" if given.loss == "sum" else G
        back = f"d{last}" if given.loss in TO_TARGETS else back
        if given.output:
            found[f"d{Y}"] = f"{back} {W_O}'"
            found[f"d{W_O}"] = f"{Y}' {back}"
        else:
            found.setdefault(f"d{Y}", back)
    return found


def _named(given: GradientGiven, term: str, head: int) -> str:
    """Return a term of one head, with the names that arrays have there."""
    names = {name: given.of_head(name, head) for name in ("Q", "K", "V", "S", "A", "Y")}
    return term.format(**names, **{f"d{name}": f"d{one}" for name, one in names.items()})


def put_in(chain: dict[str, str], keep: Collection[str] = ()) -> dict[str, str]:
    """Return every formula with the others put into it, but for some that keep their names.

    What would be longer than a formula may be keeps the names, too.
    """
    found: dict[str, Formula] = {}
    for name, text in chain.items():
        known = {one: formula for one, formula in found.items() if one not in keep}
        try:
            found[name] = parse(text).substitute(known)
        except FormulaError:
            found[name] = parse(text)
    return {name: str(formula) for name, formula in found.items()}
