"""Moments, laws of outputs and worked numbers judged once more, in plain NumPy."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from audits.label_matrices import value
from audits.label_queries import softmax


def moments(problem: dict[str, Any], answer: dict[str, str]) -> bool:
    """Say whether the formulas are the moments, from those of one entry."""
    rng = np.random.default_rng(6)
    given, goal = problem["given"], problem["goal"]
    for _ in range(4):
        names = {name: rng.uniform(0.3, 3) for name in ("mu", "sigma", "a", "m")}
        names |= given.get("assume", {})
        names |= {"D_k": 37.0, "D": 23.0, "d_model": 58.0}
        size = names[given["dimension"]]
        if "k + e_tau" in given["of"]:
            angles = 2 * np.pi * (np.arange(64) + 0.5) / 64
            cross = np.mean(np.sin(angles) ** 2)  # an entry of variance 1 times a sine
            pair = np.mean(np.outer(np.sin(angles), np.sin(angles)) ** 2)
            right = {"mean": 1.0, "variance": size * (2 * cross + pair)}
        elif given.get("same"):
            nodes, shares = np.polynomial.hermite_e.hermegauss(12)
            x, shares = names["mu"] + names["sigma"] * nodes, shares / shares.sum()
            mean = shares @ x**2
            right = {"mean": size * mean, "variance": size * (shares @ x**4 - mean**2)}
        else:
            laws = [
                (
                    float(value(_python(given[v]["mean"]), names)),
                    float(value(_python(given[v]["variance"]), names)),
                )
                for v in "qk"
            ]
            mean = laws[0][0] * laws[1][0]
            square = np.prod([m**2 + variance for m, variance in laws])
            right = {"mean": size * mean, "variance": size * (square - mean**2)}
        right["s"] = np.sqrt(right["variance"] / goal.get("variance", 1.0))
        for name, text in answer.items():
            if abs(value(text, names) - right[name]) > 1e-9 * max(1, abs(right[name])):
                return False
    return True


def _python(text: str) -> str:
    return text.replace("^", "**")


def noise(problem: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether a law is that of the output where alpha is 0 and C is infinite.

    The one number z that varies, a normal one, decides who wins. Its line is cut finely and each
    piece counted with its probability, so that nothing is left to chance.
    """
    given = problem["given"]
    n, names = given["n"], given["names"]
    covariance = given["keys"]["covariance"]
    edges = np.linspace(-7, 7, 7001)
    share = np.diff([0.5 * (1 + erf(edge / 2**0.5)) for edge in edges])
    z = (edges[1:] + edges[:-1]) / 2
    (noisy,) = [name for name in covariance if name != "others"][:1]
    text = covariance[noisy].split(" I + ")[-1]
    size, _, direction = text.partition(" ")
    top, _, bottom = size.partition("/")
    root = (float(top) / float(bottom or 1)) ** 0.5
    along = np.eye(n)[names[noisy]]
    if direction.startswith("("):
        along = along + np.eye(n)[names["b"]]
    if {"a", "b"} <= set(covariance):  # two keys that vary alike: the longer wins
        root, along = root * 2**0.5, np.eye(n)[names["a"]]
    keys = np.repeat(np.eye(n)[None], len(z), 0)
    keys[:, names[noisy]] += root * z[:, None] * along
    V = np.random.default_rng(12).normal(size=(n, 4))
    heads, kept = [], np.ones(len(z), dtype=bool)
    for query in given["queries"]:
        q = sum(
            float(term.split(" ")[0] if " " in term else 1) * np.eye(n)[names[term.split("mu_")[1]]]
            for term in query.removeprefix("C ").strip("()").split(" + ")
        )
        scores = keys @ q
        if given.get("ignore_negative"):
            kept &= scores[:, names[noisy]] >= 0
        best = scores >= scores.max(1, keepdims=True) - 1e-9
        heads.append(best / best.sum(1, keepdims=True))
    share = np.where(kept, share, 0) / share[kept].sum()
    outputs = np.mean(heads, 0) @ V
    mean = share @ outputs
    variance = share @ np.sum((outputs - mean) ** 2, 1)
    a = names.get("a", names.get("i"))
    words = {"V": V, "notA": np.delete(V, a, 0).mean(0)}
    words |= {f"v_{name}": V[row] for name, row in names.items()}
    if "mean" in answer and np.abs(value(answer["mean"], words) - mean).max() > 2e-3:
        return False
    if "variance" in answer and abs(float(value(answer["variance"], words)) - variance) > 5e-4:
        return False
    if "atoms" in answer:
        left = share.copy()
        for text, chance in answer["atoms"]:
            near = np.abs(outputs - value(text, words)).max(1) < 1e-6
            if abs(share[near].sum() - chance) > 2.5e-3:
                return False
            left[near] = 0
        if left.sum() > 1e-3:
            return False
    if "independent" in answer:
        first, second = (np.unique(head, axis=0, return_inverse=True)[1].ravel() for head in heads)
        joint = np.zeros((first.max() + 1, second.max() + 1))
        np.add.at(joint, (first, second), share)
        apart = np.outer(joint.sum(1), joint.sum(0))
        if (np.abs(joint - apart).max() < 1e-6) != answer["independent"]:
            return False
    return True


def compute(given: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return every number of a worked example."""

    def numbers(rows: Any) -> np.ndarray:
        return np.array([[eval(str(x), {}) for x in row] for row in rows], dtype=float)

    tokens = numbers(given["tokens"])
    Q, K, V = (tokens @ numbers(given[name]) for name in ("W_Q", "W_K", "W_V"))
    Z = Q @ K.T * (1 / np.sqrt(K.shape[1]) if given.get("scale") == "1/sqrt(d_k)" else 1.0)
    A = softmax(Z)
    found = {"Q": Q, "K": K, "V": V, "Z": Z, "A": A, "C": A @ V}
    lower = {"Q": "q", "K": "k", "V": "v", "Z": "z", "A": "a", "C": "c"}
    for name, rows in list(found.items()):
        found |= {f"{lower[name]}_{number}": row for number, row in enumerate(rows, 1)}
    return found
