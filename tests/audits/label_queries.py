"""Queries and heads judged once more, in plain NumPy: draw keys, take the softmax, compare."""

from __future__ import annotations

from typing import Any

import numpy as np

# Where a factor C is open, it is tried from here on; scores stay below 1e15.
LADDER = [21.0, 24.0, 27.0] + [
    10.0**power * 1.37 for power in (3, 5, 8, 11, 14, 20, 30, 60, 100, 150)
]
COVARIANCES = {
    "alpha I": lambda one, mu, at: at["alpha"] * one,
    "epsilon I": lambda one, mu, at: at["epsilon"] * one,
    "alpha I + 1/2 mu_a mu_a'": lambda one, mu, at: at["alpha"] * one + np.outer(mu[0], mu[0]) / 2,
    "1/100 (mu_a - mu_b) (mu_a - mu_b)'": lambda one, mu, at: (
        np.outer(mu[0] - mu[1], mu[0] - mu[1]) / 100
    ),
}


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def drawn(law: dict[str, Any], n: int, rng: np.random.Generator) -> np.ndarray:
    if law["law"] == "fixed":
        return np.array(law["rows"], dtype=float)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    if law["law"] == "orthogonal":
        lengths = law.get("norms") or rng.uniform(0.5, 3, n)
        return basis * np.array(lengths)[:, None]
    return basis


def _names(problem: dict[str, Any], rows: np.ndarray, letter: str) -> dict[str, np.ndarray]:
    names = {f"{letter}_{row + 1}": value for row, value in enumerate(rows)}
    names |= {f"{letter}_{name}": rows[row] for name, row in problem["given"]["names"].items()}
    return names


def _formula(text: str, names: dict[str, Any]) -> np.ndarray:
    words = {"log": np.log, "exp": np.exp, "sqrt": np.sqrt, "cos": np.cos, "max": max}
    words |= {"array": np.array, "norm": np.linalg.norm}
    with np.errstate(all="ignore"):
        return np.asarray(eval(text, {}, {**words, **names}), dtype=float)


def error(problem: dict[str, Any], queries: list[np.ndarray], rows: np.ndarray, rng: Any) -> float:
    """Return how far the output is from the wanted one, in the measure of the goal."""
    given, goal = problem["given"], problem["goal"]
    n = len(rows)
    wanted = np.zeros(n)
    for name, weight in goal["weights"].items():
        wanted[given["names"][name]] = weight
    scale = given.get("scale", 1.0)
    random = given["keys"]["law"] == "gaussian"
    if random:
        covariance = given["keys"]["covariance"]
        per_key = covariance if isinstance(covariance, dict) else {"others": covariance}
        by_row = {given["names"][name]: text for name, text in per_key.items() if name != "others"}
        identity = np.eye(rows.shape[1])
        roots = []
        for row in range(n):
            matrix = COVARIANCES[by_row.get(row, per_key["others"])](
                identity, rows, given["parameters"]
            )
            values, vectors = np.linalg.eigh(matrix)
            roots.append(vectors * np.sqrt(np.maximum(values, 0)))
        noise = np.stack([rng.normal(size=(1500, rows.shape[1])) @ root.T for root in roots], 1)
        keys = rows + noise
    else:
        keys = rows
    with np.errstate(all="ignore"):
        weights = np.mean([softmax(scale * (keys @ query)) for query in queries], axis=0)
    if not np.isfinite(weights).all():
        return np.inf
    values = given.get("values", {"law": "arbitrary"})
    missed = weights - wanted
    if values["law"] == "fixed":
        missed = missed @ np.array(values["rows"], dtype=float)
    elif values["law"] == "arbitrary" and not random:
        return float(np.abs(missed).max())
    return float(np.sqrt(np.mean(np.sum(missed**2, -1))))


def passes(problem: dict[str, Any], answer: dict[str, str]) -> bool:
    """Say whether the answer reaches the goal on every instance, for every large enough C."""
    rng = np.random.default_rng(5)
    given = problem["given"]
    law = given["keys"]
    law = law["mean"] if law["law"] == "gaussian" else law
    letter = "mu" if given["keys"]["law"] == "gaussian" else "k"
    for _ in range(1 if law["law"] == "fixed" else 4):
        rows = drawn(law, given.get("n", len(law.get("rows", []))), rng)
        names = {"n": float(len(rows)), "K": rows, **_names(problem, rows, letter)}
        is_open = any("C" in text.replace("C*", "C") for text in answer.values())
        tried = []
        for C in LADDER if is_open else [1.0]:
            queries = [_formula(text, {**names, "C": C}) for text in answer.values()]
            if not all(np.isfinite(query).all() for query in queries):
                continue
            if is_open and max(np.abs(rows @ query).max() for query in queries) > 1e13:
                continue
            tried.append(error(problem, queries, rows, rng) <= problem["goal"]["tolerance"])
        if not tried or not all(tried[-3:]):
            return False
    return True


def best_found(problem: dict[str, Any], heads: int) -> float:
    """Return the smallest error of many queries: a search that begins everywhere and refines."""
    rng = np.random.default_rng(1)
    law = problem["given"]["keys"]
    law = law["mean"] if law["law"] == "gaussian" else law
    rows = drawn(law, problem["given"].get("n", 0), rng)
    best, found = np.inf, [np.zeros(rows.shape[1])] * heads
    for step in range(600):
        size = 10 ** rng.uniform(-2, 2)
        centre = found if step % 2 else [np.zeros(rows.shape[1])] * heads
        tried = [query + size * rng.normal(size=rows.shape[1]) for query in centre]
        now = error(problem, tried, rows, np.random.default_rng(2))
        if now < best:
            best, found = now, tried
    return best
