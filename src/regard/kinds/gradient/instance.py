"""Numbers to try an answer on, and every gradient there by the chain rule, row by row.

A mistake is a backward pass with one step done wrongly: `backward` takes what to do in its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import generator, softmax
from regard.kinds.gradient.spec import LOSS, ROOT, TO_TARGETS, GradientGiven
from regard.language import parse
from regard.problems.exact_numbers import value

Float64 = NDArray[np.float64]
Values = dict[str, Float64]
SIZES = ({"n": 3, "m": 2, "d": 5, "d_k": 7, "d_v": 4}, {"n": 2, "m": 5, "d": 3, "d_k": 4, "d_v": 7})
Step = Callable[[Values], Float64]


@dataclass(frozen=True, eq=False)
class Instance:
    """One example: inputs, everything of the forward pass, and every gradient.

    Attributes:
        inputs: what is free, and sizes.
        forward: what follows from it: Q, K, V, S, A, Y, Z, or a; of several heads Q_1 and so on.
        gradients: by name.
    """

    inputs: Values
    forward: Values
    gradients: Values

    @property
    def names(self) -> Values:
        """Everything but gradients."""
        return {**self.inputs, **self.forward}


def example(given: GradientGiven) -> Instance:
    """Return the example of a problem."""
    inputs: Values = {}
    for name, rows in given.numbers.items():
        array = np.array(rows, dtype=object)
        whole = np.array([value(x) for x in array.reshape(-1)]).reshape(array.shape)
        parts = given.parts(name)
        axis = 0 if name == "W_O" else -1
        inputs |= dict(zip(parts, np.split(whole, len(parts), axis=axis), strict=True))
    if given.forward == "softmax":
        if "a" in inputs:
            inputs = {"s": np.log(inputs.pop("a")) / scale_of(given, {}), **inputs}
        if given.loss == "G":
            inputs.setdefault("g", np.zeros_like(inputs["s"]))
    return _completed(given, inputs, None)


def drawn(given: GradientGiven, seed: int, square: bool = False) -> Instance:
    """Return an example with drawn numbers, of other sizes each time; or with all sizes 3."""
    rng = generator(seed)
    sizes = dict.fromkeys(SIZES[0], 3) if square else SIZES[seed % 2]
    inputs: Values = {
        name: rng.normal(size=[sizes[size] for size in shape]) * (0.5 if name[0] != "G" else 1)
        for name, shape in given.inputs().items()
    }
    if given.loss == "cross-entropy":
        targets = "y" if given.forward == "softmax" else "T"
        inputs[targets] = softmax(inputs[targets])
    return _completed(given, inputs, rng)


def _completed(given: GradientGiven, inputs: Values, rng: np.random.Generator | None) -> Instance:
    sizes: Values = {}
    for name, shape in given.inputs().items():
        for size, count in zip(shape, inputs[name].shape, strict=True):
            sizes[size] = np.array(float(count))
    if given.symbol:
        assert rng is not None
        inputs[given.symbol] = np.array(float(rng.uniform(0.4, 1.6)))
    forward = run(given, {**inputs, **sizes})
    at = {**inputs, **sizes, **forward}
    gradients = backward(given, at)
    if given.loss != "G":
        gradients[LOSS] = np.array(loss_of(given, at))
    return Instance({**inputs, **sizes}, forward, gradients)


def scale_of(given: GradientGiven, values: Mapping[str, Float64]) -> float:
    """Return what scores are multiplied by."""
    if given.symbol:
        scale = parse(str(given.scale)).evaluate({given.symbol: float(values[given.symbol])})
        return float(np.asarray(scale, float))
    if given.forward == "softmax" and given.scale == ROOT:
        return 1.0
    return 1 / math.sqrt(float(values["d_k"])) if given.scale == ROOT else value(given.scale)


def run(given: GradientGiven, at: Values) -> Values:
    """Return the forward pass."""
    if given.forward == "softmax":
        return {"a": softmax(scale_of(given, at) * at["s"]), "scale": np.array(scale_of(given, at))}
    found: Values = {}
    if given.forward == "projections":
        for letter in "QKV":
            for name, part in zip(given.parts(letter), given.parts(f"W_{letter}"), strict=True):
                found[name] = at["X"] @ at[part]
                if given.biases:
                    found[name] = found[name] + at[part.replace("W_", "b_")]
    for head in range(given.heads):
        Q, K, V = ({**at, **found}[given.of_head(letter, head)] for letter in "QKV")
        scores = scale_of(given, at) * Q @ K.T
        weights = _weights(given, scores)
        each = {"S": scores, "A": weights, "Y": weights @ V}
        found |= {given.of_head(name, head): array for name, array in each.items()}
    if given.output:
        pairs = zip(given.parts("Y"), given.parts("W_O"), strict=True)
        found["Z"] = np.asarray(sum(found[Y] @ at[W_O] for Y, W_O in pairs))
    found["scale"] = np.array(scale_of(given, at))
    if given.loss == "sum":
        last = ["Z"] if given.output else given.parts("Y")
        found |= {
            G: np.ones(found[name].shape) for G, name in zip(given.parts("G"), last, strict=True)
        }
    return found


def _weights(given: GradientGiven, scores: Float64) -> Float64:
    allowed = np.ones(scores.shape, bool)
    if given.causal:
        allowed &= np.tri(*scores.shape) > 0
    if given.mask is not None and scores.shape == np.shape(given.mask):
        allowed &= np.array(given.mask, bool)
    lowest = np.where(allowed, scores, -1e300)
    powers = np.where(allowed, np.exp(lowest - np.max(lowest, axis=1, keepdims=True)), 0.0)
    return np.asarray(powers / np.sum(powers, axis=1, keepdims=True))


def loss_of(given: GradientGiven, at: Values) -> float:
    """Return what the loss comes to."""
    if given.forward == "softmax":
        rows, targets = at["a"], at["y"]
    elif given.loss == "sum":
        last = ["Z"] if given.output else given.parts("Y")
        return float(sum(np.sum(at[name]) for name in last))
    else:
        rows, targets = at["Z" if given.output else "Y"], at["T"]
    if given.loss == "squared":
        return float(np.sum((rows - targets) ** 2) / 2)
    shares = rows if given.forward == "softmax" else np.array([softmax(row) for row in rows])
    return float(-np.sum(targets * np.log(shares)))


def what_comes_back(given: GradientGiven, at: Values) -> Float64:
    """Return the gradient of the loss in the output: dL/da, dL/dZ, or dL/dY of one head."""
    if given.forward == "softmax":
        if given.loss == "G":
            return at["g"]
        return at["a"] - at["y"] if given.loss == "squared" else -at["y"] / at["a"]
    if given.loss not in TO_TARGETS:
        return at["G"]
    last = at["Z" if given.output else "Y"]
    if given.loss == "squared":
        return last - at["T"]
    return np.array([softmax(row) for row in last]) - at["T"]


def backward(given: GradientGiven, at: Values, wrongly: Mapping[str, Step] | None = None) -> Values:
    """Return every gradient; `wrongly` has other steps in place of some."""
    if given.forward == "softmax":
        return _one_head(given, {**at, "g": what_comes_back(given, at)}, wrongly)
    found: Values = {}
    for head in range(given.heads):
        own = _as_in_one_head(given, at, head)
        for name, array in _one_head(given, own, wrongly).items():
            part = f"d{given.of_head(name.removeprefix('d'), head)}"
            shared = part in found and name not in ("dZ", "dY", "dW_O")
            found[part] = found[part] + array if shared else array
    if given.heads > 1:
        for name, parts in given.joined().items():
            axis = 0 if name == "dW_O" else -1
            found[name] = np.concatenate([found[part] for part in parts], axis=axis)
    return found


def _as_in_one_head(given: GradientGiven, at: Values, head: int) -> Values:
    """Return arrays under the names that they have where there is one head only."""
    names = [f"{kind}{letter}" for kind in ("", "W_", "b_") for letter in "QKV"]
    found = dict(at)
    for name in (*names, "S", "A", "Y", "W_O", "G"):
        part = given.of_head(name, head)
        if part in at:
            found[name] = at[part]
    return {**found, "G": what_comes_back(given, found)}


def _one_head(given: GradientGiven, at: Values, wrongly: Mapping[str, Step] | None) -> Values:
    found: Values = {}
    for name, step in {**_steps(given), **(wrongly or {})}.items():
        found[name] = np.asarray(step({**at, **found}))
    return found


def _steps(given: GradientGiven) -> dict[str, Step]:
    if given.forward == "softmax":
        return {
            "J": lambda at: at["scale"] * (np.diag(at["a"]) - np.outer(at["a"], at["a"])),
            "ds": lambda at: (
                at["scale"] * (np.diag(at["a"]) - np.outer(at["a"], at["a"])) @ at["g"]
            ),
        }
    steps: dict[str, Step] = {"dY": lambda at: at["G"]}
    if given.output:
        steps = {
            "dZ": lambda at: at["G"],
            "dY": lambda at: at["G"] @ at["W_O"].T,
            "dW_O": lambda at: at["Y"].T @ at["G"],
        }
    steps |= {
        "dV": lambda at: np.einsum("ij,ic->jc", at["A"], at["dY"]),
        "dA": lambda at: np.einsum("ic,jc->ij", at["dY"], at["V"]),
        "dS": lambda at: np.array(
            [
                (np.diag(row) - np.outer(row, row)) @ back
                for row, back in zip(at["A"], at["dA"], strict=True)
            ]
        ),
        "dQ": lambda at: at["scale"] * np.einsum("ij,jc->ic", at["dS"], at["K"]),
        "dK": lambda at: at["scale"] * np.einsum("ij,ic->jc", at["dS"], at["Q"]),
    }
    if given.forward == "projections":
        for letter in "QKV":
            steps[f"dW_{letter}"] = _through_matrix(letter)
            if given.biases:
                steps[f"db_{letter}"] = _through_bias(letter)
        steps["dX"] = lambda at: (
            at["dQ"] @ at["W_Q"].T + at["dK"] @ at["W_K"].T + at["dV"] @ at["W_V"].T
        )
    return steps


def _through_matrix(letter: str) -> Step:
    return lambda at: np.einsum("ta,tb->ab", at["X"], at[f"d{letter}"])


def _through_bias(letter: str) -> Step:
    return lambda at: np.sum(at[f"d{letter}"], axis=0)
