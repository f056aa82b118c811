"""Worked examples with other numbers: small ones, and scores that are not far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.errors import RegardError
from regard.kinds.compute.spec import ComputeProblem, Quantity, quantity
from regard.problems import to_dict

TRIES = 200
WIDEST = 8.0  # between the scores of a row: every weight can be seen
SLOPES = ("1/2", "3/4", "1", "5/4", "3/2", "7/4", "2", "9/4")  # of ALiBi, for up to 8 heads
NUMBERS = (
    "tokens", "context", "Q", "K", "V", "scores", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V",
    "b_O", "cached_K", "cached_V", "w_score", "W_score", "bias",
)  # fmt: skip


def vary(problem: ComputeProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other numbers of the same sizes; nothing is printed of them."""
    given = to_dict(problem)["given"]
    goal = {name: part for name, part in to_dict(problem)["goal"].items() if name != "printed"}
    drawn = given
    for attempt in range(TRIES):
        # Long tokens need small numbers, and so do draws that failed.
        most = 3 if attempt < TRIES // 2 else 1
        drawn = _drawn(given, most, rng)
        if _readable(drawn, goal, problem):
            break
    return {"given": drawn, "goal": goal}


def _drawn(given: dict[str, Any], most: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw what is given in numbers anew; how it is used stays."""
    found = dict(given)
    positive = given.get("normaliser") == "sum" and "feature_map" not in given
    same: dict[str, Any] = {}  # what is the same stays the same, and zeros stay zeros
    for name in NUMBERS:
        if name in given and np.any(np.array(given[name], dtype=object) != 0):
            key = str(given[name])
            same.setdefault(key, _draw(np.shape(given[name]), most, rng, positive))
            found[name] = same[key]
    if "weights" in given:
        parts = rng.integers(1, 7, np.shape(given["weights"]))
        found["weights"] = [[f"{x}/{sum(row)}" for x in row] for row in parts.tolist()]
    for name in ("feed_forward", "norm", "norm_2"):
        if name in given:
            part = dict(given[name])
            for key in part:
                if key in ("W_1", "W_2", "b_1", "b_2", "shift", "gain"):
                    part[key] = _draw(np.shape(part[key]), most, rng, key == "gain")
            found[name] = part
    positions = given.get("positions")
    if positions is not None:
        changed = dict(positions)
        if "table" in changed:
            changed["table"] = _draw(np.shape(changed["table"]), most, rng, False)
        elif changed["kind"] in ("sinusoidal", "rotary") and "n" in given:
            changed["start"] = int(rng.integers(0, 12))
        elif len(changed.get("slopes", ())) in range(1, len(SLOPES) + 1):
            slopes = rng.permutation(SLOPES)[: len(changed["slopes"])]
            changed["slopes"] = [str(slope) for slope in slopes]
        found["positions"] = changed
    if "n" in given and "positions" not in given:
        found["n"] = int(rng.integers(3, 9)) if "mask" not in given else given["n"]
    if "temperature" in given:
        found["temperature"] = str(rng.choice(["1/4", "1/3", "1/2", "2", "3", "4", "5"]))
    return found


def _draw(shape: tuple[int, ...], most: int, rng: np.random.Generator, positive: bool) -> Any:
    """Draw whole numbers, about a third of them 0; positive ones where only these make sense."""
    numbers = rng.integers(1 if positive else -most, most + 1, shape)
    return (numbers if positive else np.where(rng.random(shape) < 0.2, 0, numbers)).tolist()


def _readable(given: dict[str, Any], goal: dict[str, Any], problem: ComputeProblem) -> bool:
    """Whether the numbers make a question whose answer can be seen."""
    if "n" in given:
        return True
    tokens = given.get("tokens")
    if tokens is not None:
        array = np.array(tokens)
        if len({tuple(row) for row in tokens}) < len(tokens) or not array.any(axis=1).all():
            return False
    for name in ("W_Q", "W_K", "W_V", "W_O", "Q", "K"):
        if name in given and not np.array(given[name]).any(axis=1).all():
            return False
    from regard.kinds.compute.instance import Example
    from regard.kinds.compute.spec import ComputeGiven

    try:
        example = Example(ComputeGiven(**given))
        found = example.right
    except (ValueError, RegardError):
        return False
    rows = {
        row - 1
        for asked in (quantity(name, problem.given) for name in goal["find"])
        if asked.symbol in ("Z", "A", "C", "O", "R", "Y", "H")
        for row in asked.rows(problem.given.n_q)
    }
    if not all(np.all(np.isfinite(found[name])) for name in found if name[0] in "ZACORY"):
        return False
    for name in found:
        if Quantity(name).symbol == "Z" and not example.given.divides:
            for row in rows:
                seen = found[name][row][example.setup.allowed[row]]
                if len(seen) > 1 and not 0.5 <= np.ptp(seen) <= WIDEST:
                    return False
    return True
