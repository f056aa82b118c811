"""The forward pass as formulas: what is free, what follows, and the loss."""

from __future__ import annotations

from collections.abc import Mapping

from regard.certify import Claim
from regard.certify.claims.algebra import gradients
from regard.kinds.gradient.spec import ROOT, GradientGiven
from regard.language import parse

SHARES = "logits_of_targets"  # free, where targets are any rows that sum to 1: their softmax


def shapes(given: GradientGiven) -> dict[str, tuple[str, ...]]:
    """Return the shapes of what is free, with the scale where it is a symbol."""
    found = dict(given.inputs())
    if given.symbol:
        found[given.symbol] = ()
    return found


def scale_text(given: GradientGiven) -> str:
    """Return the scale as a formula."""
    if given.forward == "softmax" and given.scale == ROOT:
        return "(1)"
    return str(given.scale) if given.scale == given.symbol else f"({given.scale})"


def scale_factor(given: GradientGiven) -> str:
    """Return the scale with a blank behind it; nothing where it is 1."""
    return "" if scale_text(given) == "(1)" else f"{scale_text(given)} "


def definitions(given: GradientGiven) -> dict[str, str]:
    """Return the forward pass, each step in what is above it."""
    if given.forward == "softmax":
        return {"a": f"softmax({scale_factor(given)}s)"}
    found: dict[str, str] = {}
    if given.forward == "projections":
        for letter in "QKV":
            matrices, biases = given.parts(f"W_{letter}"), given.parts(f"b_{letter}")
            for name, W, b in zip(given.parts(letter), matrices, biases, strict=True):
                found[name] = f"X {W} + ones(n) {b}'" if given.biases else f"X {W}"
    outputs = []
    for head in range(given.heads):
        Q, K, V, S, A, Y, W_O = (
            given.of_head(name, head) for name in ("Q", "K", "V", "S", "A", "Y", "W_O")
        )
        found[S] = f"{scale_text(given)} {Q} {K}'"
        found[A] = f"softmax({S}, causal(n))" if given.causal else f"softmax({S})"
        found[Y] = f"{A} {V}"
        outputs.append(f"{Y} {W_O}")
    if given.output:
        found["Z"] = " + ".join(outputs)
    return found


def loss(given: GradientGiven) -> str:
    """Return the loss as a formula."""
    if given.forward == "softmax":
        return {
            "G": "g' a",
            "squared": "1/2 (a - y)' (a - y)",
            "cross-entropy": "-y' log(a)",
        }[given.loss]
    last = ["Z"] if given.output else list(given.parts("Y"))
    if given.loss == "sum":
        return " + ".join(f"sum({name})" for name in last)
    if given.loss == "squared":
        return f"1/2 sum(hadamard({last[0]} - T, {last[0]} - T))"
    if given.loss == "cross-entropy":
        return f"-sum(hadamard(T, log(softmax({last[0]}))))"
    pairs = zip(given.parts("G"), last, strict=True)
    return " + ".join(f"sum(hadamard({G}, {name}))" for G, name in pairs)


def sized(given: GradientGiven) -> dict[str, tuple[str, ...]]:
    """Return the shapes of everything, in named sizes."""
    found = shapes(given)
    if given.forward == "softmax":
        return {**found, "a": ("n",)}
    keys = "n" if given.causal or given.forward == "projections" else "m"
    one = {"S": ("n", keys), "A": ("n", keys), "Y": ("n", "d_v")}
    if given.forward == "projections":
        one |= {"Q": ("n", "d_k"), "K": (keys, "d_k"), "V": (keys, "d_v")}
    for name, shape in one.items():
        found |= dict.fromkeys(given.parts(name), shape)
    return {**found, "Z": ("n", "d")} if given.output else found


def statement(
    given: GradientGiven, name: str, formula: str, steps: Mapping[str, str] | None = None
) -> Claim:
    """Return the claim that a formula is the gradient called dX, for all inputs.

    Of something that is computed on the way, such as A, the loss is taken as a function of it.
    `steps` has names that the formula is written in, each a formula in those above it.
    """
    of = "s" if given.forward == "softmax" else name.removeprefix("d")
    where, free = definitions(given), shapes(given)
    if of in where:
        del where[of]
        free[of] = sized(given)[of]
    if given.loss == "cross-entropy":  # both sides are linear in targets: these are enough
        targets = "y" if given.forward == "softmax" else "T"
        free[SHARES] = free.pop(targets)
        where = {targets: f"softmax({SHARES})", **where}
    where |= needed(formula, steps or {})
    if name == "J":
        free.setdefault("g", ("n",))
        return gradients.gradient_claim("g' a", of, f"({formula}) g", free, where)
    return gradients.gradient_claim(loss(given), of, formula, free, where)


def needed(formula: str, steps: Mapping[str, str]) -> dict[str, str]:
    """Return the steps that a formula is made of."""
    found, waiting = set[str](), [formula]
    while waiting:
        for name in parse(waiting.pop()).names & set(steps) - found:
            found.add(name)
            waiting.append(steps[name])
    return {name: text for name, text in steps.items() if name in found}
