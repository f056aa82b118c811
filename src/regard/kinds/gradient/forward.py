"""The forward pass as formulas: what is free, what follows, and the loss."""

from __future__ import annotations

from regard.certify import Claim
from regard.certify.claims.algebra import gradients
from regard.kinds.gradient.spec import ROOT, GradientGiven


def shapes(given: GradientGiven) -> dict[str, tuple[str, ...]]:
    """Return the shapes of what is free, with the scale where it is a symbol."""
    found = dict(given.inputs())
    if given.symbol:
        found[given.symbol] = ()
    return found


def scale_text(given: GradientGiven) -> str:
    """Return the scale as a formula."""
    if given.symbol:
        return given.symbol
    return f"({ROOT})" if given.scale == ROOT else f"({given.scale})"


def definitions(given: GradientGiven) -> dict[str, str]:
    """Return the forward pass, each step in what is above it."""
    if given.forward == "softmax":
        return {"a": "softmax(s)"}
    found: dict[str, str] = {}
    if given.forward == "projections":
        for letter in "QKV":
            bias = f" + ones(n) b_{letter}'" if given.biases else ""
            found[letter] = f"X W_{letter}{bias}"
    found["S"] = f"{scale_text(given)} Q K'"
    found["A"] = "softmax(S, causal(n))" if given.causal else "softmax(S)"
    found["Y"] = "A V"
    if given.output:
        found["Z"] = "Y W_O"
    return found


def loss(given: GradientGiven) -> str:
    """Return the loss as a formula."""
    if given.forward == "softmax":
        return "g' a"
    last = "Z" if given.output else "Y"
    return f"sum({last})" if given.loss == "sum" else f"sum(hadamard(G, {last}))"


def sized(given: GradientGiven) -> dict[str, tuple[str, ...]]:
    """Return the shapes of everything, in named sizes."""
    found = shapes(given)
    if given.forward == "softmax":
        return {**found, "a": ("n",)}
    keys = "n" if given.causal or given.forward == "projections" else "m"
    found |= {"S": ("n", keys), "A": ("n", keys), "Y": ("n", "d_v")}
    if given.forward == "projections":
        found |= {"Q": ("n", "d_k"), "K": (keys, "d_k"), "V": (keys, "d_v")}
    return {**found, "Z": ("n", "d")} if given.output else found


def statement(given: GradientGiven, name: str, formula: str) -> Claim:
    """Return the claim that a formula is the gradient called dX, for all inputs.

    Of something that is computed on the way, such as A, the loss is taken as a function of it.
    """
    of = "s" if given.forward == "softmax" else name.removeprefix("d")
    where, free = definitions(given), shapes(given)
    if of in where:
        del where[of]
        free[of] = sized(given)[of]
    text = f"({formula}) g" if name == "J" else formula
    return gradients.gradient_claim(loss(given), of, text, free, where)


def size_names(given: GradientGiven) -> set[str]:
    """Return the names of the sizes."""
    return {size for shape in given.inputs().values() for size in shape}
