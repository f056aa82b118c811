"""What a query does, in plain NumPy: drawn keys, softmax, the error, and for noise many samples.

Only the formula language is shared with the checker, which is what these results are held against.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from regard.language import parse

SAMPLES = 40_000


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def target(data: Mapping[str, Any], n: int) -> np.ndarray:
    """The weights wanted of n keys."""
    wanted = np.zeros(n)
    for name, weight in data["goal"]["weights"].items():
        wanted[data["given"]["names"][name]] = weight
    return wanted


def law_of(data: Mapping[str, Any]) -> Any:
    """The law of the keys, or of their means."""
    keys = data["given"]["keys"]
    return keys["mean"] if isinstance(keys, dict) and keys["law"] == "gaussian" else keys


def draw_keys(data: Mapping[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Keys, or means of keys, of the problem's law."""
    law = law_of(data)
    if isinstance(law, list):
        return np.array(law, float)
    if law["law"] == "fixed":
        return np.array(law["rows"], float)
    n = data["given"]["n"]
    d = data["given"].get("d") or n
    if law["law"] == "arbitrary":
        return rng.standard_normal((n, d))
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0][:n]
    if law["law"] == "orthogonal":
        norms = law.get("norms") or np.exp(rng.uniform(-1, 1, n))
        axes = np.array(norms)[:, None] * axes
    return axes


def values_of(data: Mapping[str, Any], n: int) -> np.ndarray | None:
    """The values where the output counts; None where each weight does."""
    law = data["given"].get("values", {"law": "arbitrary"})
    if isinstance(law, list):
        return np.array(law, float)
    if law["law"] == "fixed":
        return np.array(law["rows"], float)
    if law["law"] == "orthonormal":
        return np.eye(n)
    if law["law"] == "orthogonal" and law.get("norms"):
        return np.diag(np.array(law["norms"], float))
    return None


def names_of(
    data: Mapping[str, Any], keys: np.ndarray, values: np.ndarray | None
) -> dict[str, Any]:
    """What formulas may use."""
    given = data["given"]
    gaussian = isinstance(given["keys"], dict) and given["keys"]["law"] == "gaussian"
    letter, whole = ("mu", "M") if gaussian else ("k", "K")
    names: dict[str, Any] = {"n": float(len(keys)), "d": float(keys.shape[1]), whole: keys}
    names["epsilon"] = data["goal"].get("tolerance", 1e-3)
    names |= {f"{letter}_{i + 1}": row for i, row in enumerate(keys)}
    names |= {f"{letter}_{name}": keys[i] for name, i in given["names"].items()}
    if values is not None:
        names |= {f"v_{name}": values[i] for name, i in given["names"].items()}
    return names | given.get("parameters", {})


def covariances(data: Mapping[str, Any], names: dict[str, Any], keys: np.ndarray) -> Any:
    """The covariances of the keys, at the limits of the problem; None where there is no noise."""
    law = data["given"]["keys"]
    if not isinstance(law, dict) or law["law"] != "gaussian":
        return None
    n, d = keys.shape
    gone = {text.partition("->")[0].strip(): 0.0 for text in data["given"].get("limits", [])}
    texts = law["covariance"]
    texts = texts if isinstance(texts, dict) else {"others": texts}
    rows = {i: name for name, i in data["given"]["names"].items()}
    found = [
        parse(f"({texts.get(rows.get(i, ''), texts['others'])}) + 0 I({d})").evaluate(names | gone)
        for i in range(n)
    ]
    return None if not np.any(found) else np.array(found)


def error(
    data: Mapping[str, Any],
    keys: np.ndarray,
    queries: np.ndarray,
    noise: np.ndarray | None,
    samples: int = SAMPLES,
) -> float:
    """How far off queries (heads, d) are, as the goal measures it."""
    n, wanted = len(keys), target(data, len(keys))
    scale, values = data["given"].get("scale", 1.0), values_of(data, len(keys))
    drawn = keys[None]
    if noise is not None:
        rng = np.random.default_rng(5)
        roots = []
        for one in noise:
            squares, axes = np.linalg.eigh(one)
            squares[squares < 1e-12 * squares.max(initial=0.0)] = 0.0
            roots.append(axes * np.sqrt(squares))
        normal = rng.standard_normal((samples, n, keys.shape[1]))
        drawn = keys + np.einsum("nij,snj->sni", np.array(roots), normal)
    weights = np.mean([softmax(scale * (drawn @ q)) for q in queries], axis=0)
    off = weights - wanted
    if values is None:
        return float(np.max(np.sqrt(np.mean(off**2, axis=0))))
    return float(np.sqrt(np.mean(np.sum((off @ values) ** 2, axis=-1))))


def labels(data: Mapping[str, Any]) -> list[str]:
    """What the queries of an answer are called."""
    if data["kind"] == "query":
        return ["q"]
    return [f"q_{h + 1}" for h in range(data["goal"].get("heads", 2))]


def evaluated(
    data: Mapping[str, Any], answer: Mapping[str, Any], names: dict[str, Any]
) -> np.ndarray:
    """The queries (heads, d) of an answer."""
    names = dict(names)
    for name, field in answer.items():
        if name not in labels(data) and not isinstance(field, bool):
            names.setdefault(
                name, parse(field).evaluate(names) if isinstance(field, str) else field
            )
    rows = []
    for label in labels(data):
        field = answer[label]
        rows.append(np.asarray(parse(field).evaluate(names) if isinstance(field, str) else field))
    return np.array(rows, float)


def factors(answer: Mapping[str, Any], factor: str, names: dict[str, Any]) -> list[float] | None:
    """The factors that an answer speaks of; None where it leaves the factor open."""
    said = answer.get(factor)
    if not isinstance(said, str):
        return None if said is None else [float(said)]
    if "->" in said:
        return None
    formula = parse(said)
    if not formula.is_condition:
        return [float(formula.evaluate(names))]
    low, high = 1e-3, math.inf
    sides, relations = formula.sides, formula.relations
    for left, relation, right in zip(sides, relations, sides[1:], strict=False):
        small, large = (left, right) if "<" in relation else (right, left)
        if str(small) == factor:
            high = min(high, float(large.evaluate(names)))
        else:
            low = max(low, float(small.evaluate(names)))
    return list(np.geomspace(low, min(high, 1e6), 400))


def is_right(
    data: Mapping[str, Any], answer: Mapping[str, Any], factor: str = "C", largest: float = 1e8
) -> bool:
    """Whether the queries of an answer are right for five draws of the keys.

    An open factor is tried as long as scores are below `largest`.
    """
    for seed in range(5):
        keys = draw_keys(data, np.random.default_rng(seed))
        names = names_of(data, keys, values_of(data, len(keys)))
        noise = covariances(data, names, keys)
        used = any(
            isinstance(f, str) and factor in parse(f).names
            for f in answer.values()
            if isinstance(f, str) and "->" not in f
        )
        tried = factors(answer, factor, names) if used else [1.0]
        if tried is None:
            ladder = np.concatenate([np.geomspace(3, 1e15, 100), np.geomspace(1e16, 1e300, 60)])
            usable = []
            for c in ladder:
                with np.errstate(all="ignore"):
                    q = evaluated(data, without(answer, factor), names | {factor: c})
                    if np.all(np.isfinite(q)) and np.max(np.abs(keys @ q.T)) < largest:
                        usable.append(c)
            tried = usable[-8:]
        if noise is not None and len(tried) > 12:
            tried = [tried[i] for i in np.linspace(0, len(tried) - 1, 12).astype(int)]
        for c in tried:
            q = evaluated(data, without(answer, factor), names | {factor: c})
            if not error(data, keys, q, noise) <= data["goal"]["tolerance"]:
                return False
    return True


def without(answer: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: field for key, field in answer.items() if key not in (name, "possible")}
