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
from regard.kinds.gradient.backward_pass import backward_formulas, put_in
from regard.kinds.gradient.forward import definitions, loss, needed, statement
from regard.kinds.gradient.instance import example, loss_of, scale_of, what_comes_back
from regard.kinds.gradient.spec import LOSS, TO_TARGETS, GradientGiven, GradientProblem
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
        numbers: every gradient in the example, if there is one.
        forward: the forward pass in the example.
    """

    chain: dict[str, str]
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
    numbers, forward = _numbers(given) if given.numbers else ({}, {})
    if LOSS in goal.find:
        chain = {LOSS: loss(given), **chain}
        numbers[LOSS] = np.array(loss_of(given, forward))
    claims: list[Claim] = []
    if given.mask is None:
        joined = given.joined()
        asked = [name for name in goal.find if name != LOSS]
        parts = dict.fromkeys(part for name in asked for part in joined.get(name, (name,)))
        claims += [statement(given, part, chain[part], chain) for part in parts]
    reaches = tuple(range(len(claims)))
    arrays: dict[str, Float64] = {}
    if problem.in_numbers:
        arrays = {name: np.asarray(forward[name]) for name in given.inputs()}
        if given.mask is not None:
            arrays["allowed"] = np.array(given.mask, float)
        reaches = tuple(range(len(claims), len(claims) + len(goal.find)))
        claims += [
            _evaluated(given, name, chain, _without_noise(numbers[name]), forward)
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
        numbers=numbers,
        forward=forward,
    )


def _answered(find: list[str], name: str, chain: dict[str, str]) -> str:
    """Return a formula in which gradients that are asked for too keep their names."""
    order = list(chain)
    keep = tuple(one for one in order[: order.index(name)] if one in find)
    return put_in(chain, keep)[name]


def _joined(given: GradientGiven, name: str, chain: dict[str, str]) -> str:
    """Return a formula of what is asked for, joined out of those of the heads."""
    if name in chain:
        return chain[name]
    parts = given.joined()[name]
    if name.startswith("db_"):
        parts = tuple(f"{part}'" for part in parts)
    return f"{'v' if name == 'dW_O' else 'h'}stack({', '.join(parts)})"


def _numbers(given: GradientGiven) -> tuple[dict[str, Float64], dict[str, Float64]]:
    """Return gradients by the closed form for arrays, and the forward pass."""
    values = example(given).names
    if given.forward == "softmax":
        a, g = values["a"], what_comes_back(given, values)
        scale = scale_of(given, values)
        of_scores = {"J": scale * (np.diag(a) - np.outer(a, a)), "ds": scale * a * (g - a @ g)}
        return of_scores, values
    found: dict[str, Float64] = {}
    for head in range(given.heads):
        for part, array in _of_head(given, values, head).items():
            found[part] = found[part] + array if part in found and part != "dZ" else array
    if given.forward == "projections":
        X = values["X"]
        found["dX"] = np.zeros(X.shape)
        for letter in "QKV":
            for part, W in zip(given.parts(letter), given.parts(f"W_{letter}"), strict=True):
                found[f"d{W}"] = X.T @ found[f"d{part}"]
                if given.biases:
                    found[f"d{W}".replace("W_", "b_")] = np.sum(found[f"d{part}"], axis=0)
                found["dX"] = found["dX"] + found[f"d{part}"] @ values[W].T
    for name, parts in given.joined().items():
        axis = 0 if name == "dW_O" else -1
        found[name] = np.concatenate([found[part] for part in parts], axis=axis)
    return found, values


def _of_head(given: GradientGiven, values: dict[str, Float64], head: int) -> dict[str, Float64]:
    """Return what one head of the query sends back, under the names that its arrays have."""
    names = {name: given.of_head(name, head) for name in ("Q", "K", "V", "S", "A", "Y", "W_O")}
    at = {name: values[one] for name, one in names.items() if one in values}
    if given.loss in TO_TARGETS:
        back = what_comes_back(given, values)
    else:
        back = values[given.of_head("G", head)]
    dY = back @ at["W_O"].T if given.output else back
    mask = None if given.mask is None else np.array(given.mask, bool)
    passed = gradients(
        at["Q"], at["K"], at["V"], dY, mask,
        scale=scale_of(given, values), is_causal=given.causal,
    )  # fmt: skip
    each = {"Y": dY, "V": passed.value, "A": passed.weights, "S": passed.scores}
    each |= {"Q": passed.query, "K": passed.key}
    found = {"dZ": back} if given.output else {}
    if given.output:
        each["W_O"] = at["Y"].T @ back
    return found | {f"d{names[name]}": np.asarray(array, float) for name, array in each.items()}


def _without_noise(entries: Float64) -> Float64:
    """Return entries with 0 where they are below what rounding leaves of numbers of their size."""
    least = 1e-15 * max(1.0, float(np.max(np.abs(entries))))
    return np.where(np.abs(entries) < least, 0.0, entries)


def _evaluated(
    given: GradientGiven,
    name: str,
    chain: dict[str, str],
    entries: Float64,
    forward: dict[str, Float64],
) -> Claim:
    sizes = {
        size: parse(str(count))
        for one, shape in given.inputs().items()
        for size, count in zip(shape, forward[one].shape, strict=True)
    }
    formula = _joined(given, name, chain)
    where = {}
    for one, text in {**definitions(given), **needed(formula, chain)}.items():
        if one in given.parts("A") and given.mask is not None:
            mask = "hadamard(causal(n), allowed)" if given.causal else "allowed"
            text = f"softmax({one.replace('A', 'S')}, {mask})"
        where[one] = str(parse(text).substitute(sizes))
    bound = 1e-12 * max(1.0, float(np.max(np.abs(entries))))
    whole = str(parse(formula).substitute(sizes))
    return evaluated_claim(name, whole, entries.tolist(), bound, where)
