"""Conditions judged once more: scores and keys of known effect, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = {
    "exp": np.exp,
    "log": np.log,
    "sum": np.sum,
    "min": min,
    "abs": abs,
    "norm": np.linalg.norm,
}


def _holds(text: str, names: dict[str, Any]) -> bool:
    with np.errstate(all="ignore"):
        return bool(eval(text, {}, {**WORDS, **names}))


def _score_draws(n: int, threshold: float, rng: np.random.Generator) -> list[np.ndarray]:
    """Return score vectors (the key in question first): ties of all others, one rival, and any."""
    draws = []
    gaps = [0.0, 0.5, 1, 2, 3, 5, 8, 12, 20, 60, 200, -1, -30]
    gaps += [threshold + step for step in (-1, -0.1, -0.01, -0.002, 0.002, 0.01, 0.1, 1)]
    gaps += [
        threshold + np.log(n - 1) + step for step in (-1, -0.1, -0.01, -0.002, 0.002, 0.01, 0.1, 1)
    ]
    for gap in gaps:
        for shift in (0.0, -40.0, 3.0, 0.001):
            draws.append(np.full(n, shift - gap))
            draws[-1][0] = shift
            draws.append(np.full(n, shift - gap - 90))
            draws[-1][0], draws[-1][1] = shift, shift - gap
    for size in (0.001, 0.1, 1, 10, 100):
        for _ in range(20):
            draws.append(np.full(n, size * rng.normal()))
            draws[-1][0], draws[-1][1] = size * rng.normal(), size * rng.normal()
    return draws


def scores(problem: dict[str, Any], text: str) -> tuple[bool, bool, bool]:
    """Return whether a condition on scores is sufficient, necessary, and can be met."""
    given, goal = problem["given"], problem["goal"]
    n, epsilon = given["n"], goal.get("epsilon", 0.01)
    pairwise = goal["effect"] == "pairwise"
    ratio = goal.get("ratio", 100.0)
    of, other = goal["of"], goal.get("other", "i")
    threshold = np.log(ratio) if pairwise else np.log((1 - epsilon) / epsilon)
    sufficient = necessary = True
    met = False
    for s in _score_draws(n, threshold, np.random.default_rng(0)):
        names = {"s": s, "n": float(n), "epsilon": epsilon, "R": ratio, f"s_{of}": s[0]}
        holds = all(_holds(text, {**names, f"s_{other}": value}) for value in np.unique(s[1:]))
        if pairwise:
            happens = bool(s[0] - s[1:].max() >= np.log(ratio))
        else:
            happens = bool(np.sum(np.exp(np.minimum(s[1:] - s[0], 700))) <= epsilon / (1 - epsilon))
        met |= holds
        sufficient &= happens or not holds
        necessary &= holds or not happens
    return sufficient, necessary, met


def _key_draws(rng: np.random.Generator) -> list[tuple[np.ndarray, bool]]:
    """Return keys (the one in question first), and whether it is a corner of their hull."""
    draws: list[tuple[np.ndarray, bool]] = []
    for _ in range(40):
        others = rng.normal(size=(4, 3)) * 10 ** rng.uniform(-1, 1)
        draws.append((np.vstack([rng.dirichlet(np.ones(4)) @ others, others]), False))
        draws.append((np.vstack([others[0], others]), False))
        direction = rng.normal(size=3)
        ahead = (others @ direction).max() + rng.uniform(0.1, 3)
        draws.append((np.vstack([direction * ahead / (direction @ direction), others]), True))
    return [
        *draws,
        (np.array([[0.0, 0], [1, 0], [-1, 0]]), False),
        (np.array([[0.2, 0], [1, 0], [-1, 0], [0, 2]]), False),
        (np.array([[1.0, 0], [2, 0], [0, 1]]), True),
        (np.array([[1.0, 0], [-1, 0], [-1, 1]]), True),
        (np.array([[2.0, 0], [0, 0], [0, 1], [1, 3]]), True),
    ]


def keys(problem: dict[str, Any], text: str) -> tuple[bool, bool, bool]:
    """Return whether a condition on keys is sufficient, necessary, and can be met."""
    rng = np.random.default_rng(3)
    goal = problem["goal"]
    of, other = goal["of"], goal.get("other", "i")
    sufficient = necessary = True
    met = False
    for rows, corner in _key_draws(rng):
        for unit in (False, True):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            if unit and (goal["effect"] == "dominable" or lengths.min() == 0):
                continue
            drawn = rows / lengths if unit else rows
            first, rest = drawn[0], drawn[1:]
            if goal["effect"] == "aligned":
                happens = bool((first @ first > rest @ first + 1e-12).all())
            else:
                happens = corner
            names = {f"k_{of}": first}
            if text.startswith("exists "):
                queries = [np.zeros(drawn.shape[1]), *rng.normal(size=(60, drawn.shape[1])) * 50]
                holds = any(
                    all(_holds(text[7:], {**names, f"k_{other}": row, "q": q}) for row in rest)
                    for q in queries
                )
            else:
                holds = all(_holds(text, {**names, f"k_{other}": row}) for row in rest)
            met |= holds
            sufficient &= happens or not holds
            necessary &= holds or not happens
    return sufficient, necessary, met
