"""Other keys, values and weights of the same form, for variants of problems about keys."""

from __future__ import annotations

from typing import Any

import numpy as np


def draw_keys(n: int, given: dict[str, Any], rng: np.random.Generator) -> None:
    """Another number of keys, and other rows for the names; fixed keys are turned and moved."""
    law = given["keys"]
    mean = law.get("mean", law) if isinstance(law, dict) else law
    rows = mean if isinstance(mean, list) else mean.get("rows")
    if rows is not None:
        moved = _moved(rows, rng)
        if isinstance(law, list):
            given["keys"] = moved
        elif "mean" in law:
            given["keys"] = {**law, "mean": moved}
        else:
            given["keys"] = {**law, "rows": moved}
        return
    fixed = isinstance(given.get("values"), list) or given.get("values", {}).get("law") == "fixed"
    names = given.get("names", {})
    if not fixed:
        low = max(len(names) + 1, 3)
        given["n"] = int(rng.integers(low, max(low + 1, min(2 * n, n + 8))))
    if isinstance(mean, dict) and mean.get("norms") is not None:
        norms = rng.choice([0.5, 1.0, 1.5, 2.0, 3.0], given["n"]).tolist()
        changed = {**mean, "norms": norms}
        given["keys"] = {**law, "mean": changed} if "mean" in law else changed
    given.pop("d", None)
    places = rng.permutation(given["n"])[: len(names)].tolist()
    given["names"] = dict(zip(names, places, strict=True))


def _moved(rows: list[list[float]], rng: np.random.Generator) -> list[list[float]]:
    """Axes exchanged and flipped, and all keys moved alike: what can be reached stays the same."""
    keys = np.array(rows, float)
    order, signs = rng.permutation(keys.shape[1]), rng.choice([-1.0, 1.0], keys.shape[1])
    shift = rng.integers(-2, 3, keys.shape[1])
    moved = keys[:, order] * signs + shift
    return [[float(entry) for entry in row] for row in moved]


def draw_values(given: dict[str, Any], rng: np.random.Generator) -> None:
    """Other small whole numbers for fixed values."""
    law = given.get("values")
    rows = law if isinstance(law, list) else (law or {}).get("rows")
    if rows is None:
        if isinstance(law, dict) and law.get("norms") is not None:
            given["values"] = {**law, "norms": rng.integers(1, 5, given["n"]).tolist()}
        return
    width = len(rows[0])
    drawn = rng.integers(-4, 5, (len(rows), width)).tolist()
    given["values"] = {"law": "fixed", "rows": drawn}


def draw_weights(goal: dict[str, Any], rng: np.random.Generator) -> None:
    """Uneven weights are dealt anew; even ones stay even."""
    weights = goal["weights"]
    if len(set(weights.values())) > 1:
        dealt = rng.permutation(list(weights.values())).tolist()
        goal["weights"] = dict(zip(weights, dealt, strict=True))


def redraw_output(given: dict[str, Any], goal: dict[str, Any]) -> None:
    """Wanted numbers are those of the same weights over the new values; a formula stays."""
    shares, law = goal.pop("weights"), given.get("values")
    rows = law if isinstance(law, list) else (law or {}).get("rows")
    if isinstance(goal["output"], list) and rows is not None:
        mixed = sum(share * np.array(rows[given["names"][n]]) for n, share in shares.items())
        goal["output"] = np.round(mixed, 9).tolist()
