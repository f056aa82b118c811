"""Find gradients: the backward pass as formulas, proved for all inputs, and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.backward import gradients
from regard.certify import Certificate, Claim
from regard.certify.claims.algebra import saturation
from regard.certify.claims.algebra.gradients import evaluated_claim
from regard.kinds.gradient.forward import definitions, scale_text, sized, statement
from regard.kinds.gradient.instance import example, scale_of
from regard.kinds.gradient.spec import FIELDS, GradientGiven, GradientProblem
from regard.language import parse
from regard.solving.finding import Finding, Status

Float64 = NDArray[np.float64]
BOUNDS = {
    "leak": "(n - 1) exp(-gamma) / (1 + (n - 1) exp(-gamma))",
    "jacobian": "2 (n - 1) exp(-gamma)",
    "query": "kappa D_K D_V (n - 1) exp(-gamma)",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Backward(Finding):
    """Gradients.

    Attributes:
        chain: every step of the backward pass, each a formula in those above it.
        whole: what is asked for, in the forward pass alone.
        numbers: every gradient in the example, if there is one.
        forward: the forward pass in the example.
    """

    chain: dict[str, str]
    whole: dict[str, str]
    numbers: dict[str, Float64]
    forward: dict[str, Float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vanishing(Finding):
    """An upper bound that vanishes with the gap.

    Attributes:
        of: what is bounded.
        formula: the bound.
    """

    of: str
    formula: str


def solve(problem: GradientProblem) -> Backward | Vanishing:
    """Return the gradients that are asked for, or the bound."""
    given, goal = problem.given, problem.goal
    if goal.bound is not None:
        formula = BOUNDS[goal.bound]
        certificate = Certificate({}, (saturation.claim(goal.bound, formula),))
        return Vanishing(
            Status.PROVED, {"bound": formula}, certificate, (0,), of=goal.bound, formula=formula
        )
    chain = backward_formulas(given)
    whole = _put_in(chain)
    numbers, forward = _numbers(given) if given.numbers else ({}, {})
    claims: list[Claim] = []
    if given.mask is None:
        claims += [statement(given, name, whole[name]) for name in goal.find]
    reaches = tuple(range(len(claims)))
    arrays: dict[str, Float64] = {}
    if problem.in_numbers:
        arrays = {name: np.asarray(forward[name]) for name in given.inputs()}
        if given.mask is not None:
            arrays["allowed"] = np.array(given.mask, float)
        reaches = tuple(range(len(claims), len(claims) + len(goal.find)))
        claims += [
            _evaluated(given, name, whole[name], _without_noise(numbers[name]), forward)
            for name in goal.find
        ]
    answer: dict[str, Any] = {
        name: _without_noise(numbers[name]).tolist()
        if problem.in_numbers
        else _answered(goal.find, name, chain)
        for name in goal.find
    }
    return Backward(
        Status.COMPUTED if problem.in_numbers else Status.PROVED,
        answer,
        Certificate(arrays, tuple(claims)),
        reaches,
        chain=chain,
        whole=whole,
        numbers=numbers,
        forward=forward,
    )


def backward_formulas(given: GradientGiven) -> dict[str, str]:
    """Return every step of the backward pass, each in those above it."""
    if given.forward == "softmax":
        return {"J": "diag(a) - a a'", "ds": "hadamard(a, g - (a' g) ones(n))"}
    keys = sized(given)["A"][1]
    scale = scale_text(given)
    factor = "" if scale == "(1)" else f"{scale} "
    back = "G" if given.loss == "G" else f"ones(n) ones({'d' if given.output else 'd_v'})'"
    found = {"dY": f"{back} W_O'" if given.output else back}
    if given.output:
        found["dW_O"] = f"Y' {back}"
    found |= {
        "dV": "A' dY",
        "dA": "dY V'",
        "dS": f"hadamard(A, dA - rowsum(hadamard(A, dA)) ones({keys})')",
        "dQ": f"{factor}dS K",
        "dK": f"{factor}dS' Q",
    }
    if given.forward == "projections":
        found |= {f"dW_{letter}": f"X' d{letter}" for letter in "QKV"}
        if given.biases:
            # One shift of all keys changes no weight, and weights of a row sum to 1.
            found |= {"db_Q": "dQ' ones(n)", "db_K": "zeros(d_k)", "db_V": "dY' ones(n)"}
        found["dX"] = "dQ W_Q' + dK W_K' + dV W_V'"
    return found


def _put_in(chain: dict[str, str], keep: tuple[str, ...] = ()) -> dict[str, str]:
    """Return every formula with the others put into it, but for some that keep their names."""
    found: dict[str, Any] = {}
    for name, text in chain.items():
        known = {one: formula for one, formula in found.items() if one not in keep}
        found[name] = parse(text).substitute(known)
    return {name: str(formula) for name, formula in found.items()}


def _answered(find: list[str], name: str, chain: dict[str, str]) -> str:
    """Return a formula in which gradients that are asked for too keep their names."""
    order = list(chain)
    keep = tuple(one for one in order[: order.index(name)] if one in find)
    return _put_in(chain, keep)[name]


def _numbers(given: GradientGiven) -> tuple[dict[str, Float64], dict[str, Float64]]:
    """Return gradients by the closed form for arrays, and the forward pass."""
    at = example(given)
    values = at.names
    if given.forward == "softmax":
        a, g = values["a"], values["g"]
        return {"J": np.diag(a) - np.outer(a, a), "ds": a * (g - a @ g)}, values
    G = values["G"]
    dY = G @ values["W_O"].T if given.output else G
    mask = None if given.mask is None else np.array(given.mask, bool)
    found = gradients(
        values["Q"], values["K"], values["V"], dY, mask,
        scale=scale_of(given, values), is_causal=given.causal,
    )  # fmt: skip
    result = {"dY": dY, "dV": found.value, "dA": found.weights, "dS": found.scores}
    result |= {"dQ": found.query, "dK": found.key}
    if given.output:
        result["dW_O"] = values["Y"].T @ G
    if given.forward == "projections":
        X = values["X"]
        for letter in "QKV":
            result[f"dW_{letter}"] = X.T @ result[f"d{letter}"]
            if given.biases:
                result[f"db_{letter}"] = np.sum(result[f"d{letter}"], axis=0)
        result["dX"] = sum(result[f"d{x}"] @ values[f"W_{x}"].T for x in "QKV")
    order = FIELDS[given.forward]
    return {n: np.asarray(result[n], float) for n in order if n in result} | {"dY": dY}, values


def _without_noise(entries: Float64) -> Float64:
    """Return entries with 0 where they are below what rounding leaves of numbers of their size."""
    least = 1e-15 * max(1.0, float(np.max(np.abs(entries))))
    return np.where(np.abs(entries) < least, 0.0, entries)


def _evaluated(
    given: GradientGiven, name: str, formula: str, entries: Float64, forward: dict[str, Float64]
) -> Claim:
    sizes = {
        size: parse(str(count))
        for one, shape in given.inputs().items()
        for size, count in zip(shape, forward[one].shape, strict=True)
    }
    where = {}
    for one, text in definitions(given).items():
        if one == "A" and given.mask is not None:
            mask = "hadamard(causal(n), allowed)" if given.causal else "allowed"
            text = f"softmax(S, {mask})"
        where[one] = str(parse(text).substitute(sizes))
    bound = 1e-12 * max(1.0, float(np.max(np.abs(entries))))
    whole = str(parse(formula).substitute(sizes))
    return evaluated_claim(name, whole, entries.tolist(), bound, where)
