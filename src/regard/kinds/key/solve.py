"""Find a new key, or the least error: the weight of the key first, then its score, then the key."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.kinds.key.instance import Replacement, plain
from regard.kinds.key.spec import KeyProblem
from regard.language import parse
from regard.problems.instances import Float64
from regard.solving.finding import Finding, Status

FAR = 40.0  # beyond half of the weight: as near to an end as digits show
CLOSE = 1e-9  # relative: how far apart the two sides of a least error are proved
DECIMALS = 16
NEAR = 1e-12  # an error this small is nothing but rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyFound(Finding):
    """A new key, or the proof that there is none, or the least error.

    Attributes:
        case: the plain instance.
        weight: of the new key; where there is none within the tolerance, of the best.
        score: that goes with it.
        key: the key in numbers.
    """

    case: Replacement
    weight: float
    score: float
    key: Float64


def solve(problem: KeyProblem) -> KeyFound:
    """Return a key within the tolerance, why there is none, or the least error of all keys."""
    case, goal = plain(problem), problem.goal
    answer: dict[str, Any] = {}
    claims: list[Claim] = []
    status = Status.PROVED
    allowed = case.within(goal.tolerance) if "key" in goal.find else (case.best, case.best)
    if "error" in goal.find:
        answer["error"] = 0.0 if case.least < NEAR else float(f"{case.least:.12g}")
        best = _clipped(case, case.score(case.best))
        claims += [_bound_below(case, case.least * (1 - CLOSE))] if case.least >= NEAR else []
        claims.append(_claim(case, _key(case, best)[1], case.least * (1 + CLOSE) + NEAR))
    if allowed is None:
        score = _clipped(case, case.score(case.best))
        key = _key(case, score)[1]
        claims.append(_bound_below(case, _provable(case)))
        answer["possible"] = False
        status = Status.IMPOSSIBLE
    else:
        score = (
            _short(case, *allowed) if "key" in goal.find else _clipped(case, case.score(case.best))
        )
        text, key = _key(case, score)
        if "key" in goal.find:
            answer |= text
            claims.append(_claim(case, key, goal.tolerance))
    certificate = Certificate(_arrays(case), tuple(claims), case.scale)
    if not verify(certificate).holds:
        status = Status.UNDECIDED
    return KeyFound(
        status, answer, certificate, reaches=tuple(range(len(claims))),
        case=case, weight=case.weight(score), score=score, key=key,
    )  # fmt: skip


def _arrays(case: Replacement) -> dict[str, Float64]:
    found = {"keys": case.instance.keys, "query": case.query[None]}
    if case.problem.goal.weights is None:
        found["values"] = case.instance.values
    return found


def _wanted(case: Replacement) -> dict[str, Any]:
    goal = case.problem.goal
    if goal.weights is None:
        return {"target": None, "output": case.wanted.tolist()}
    rows = [case.problem.given.names[name] for name in goal.weights]
    return {"target": {"indices": rows, "weights": [float(w) for w in goal.weights.values()]}}


def _claim(case: Replacement, key: Float64, bound: float) -> Claim:
    goal = case.problem.goal
    length = goal.norm
    if goal.longest is not None:  # the claim says how long its key is
        length = min(goal.longest, float(np.linalg.norm(key))) or None
    fields = {"row": case.row, **_wanted(case), "radius": length, "bound": bound}
    return Claim("replaced_key", fields, {"key": key})


def _bound_below(case: Replacement, bound: float) -> Claim:
    fields = {"row": case.row, **_wanted(case), "radius": case.problem.goal.radius, "bound": bound}
    return Claim("no_key", fields)


def _provable(case: Replacement) -> float:
    """Return a bound below the least error that is above the tolerance."""
    tolerance = case.problem.goal.tolerance
    return max(case.least * (1 - CLOSE), (tolerance + case.least) / 2)


def _clipped(case: Replacement, score: float) -> float:
    """Return a score that is not infinite, as near to it as digits show."""
    return min(max(score, case.level - FAR), case.level + FAR)


def _short(case: Replacement, low: float, high: float) -> float:
    """Return the score with the fewest decimals that serves, near the best one.

    A longest key serves best where all the weight is wanted: then the score is the largest.
    """
    least, most = case.score(low), case.score(high)
    if math.isfinite(case.highest):
        for end, weight in zip((-case.highest, case.highest), case.span, strict=True):
            if case.error(weight) <= case.least * (1 + CLOSE):
                return end
    best = _clipped(case, case.score(case.best))
    for decimals in range(DECIMALS):
        # Towards the best one first, then as far as the tolerance goes.
        for direction in (round, math.ceil, math.floor):
            found = direction(best * 10**decimals) / 10**decimals
            if (
                least <= found <= most
                and case.error(case.weight(found)) <= case.problem.goal.tolerance
            ):
                return float(found)
        inside = _clipped(case, (max(least, -1e300) + min(most, 1e300)) / 2)
        found = round(inside * 10**decimals) / 10**decimals
        if math.isfinite(least + most) and least <= found <= most:
            return float(found)
    return best


def _key(case: Replacement, score: float) -> tuple[dict[str, str], Float64]:
    """Return a key of this score as a formula in q, and in numbers."""
    goal = case.problem.goal
    length = float(np.linalg.norm(case.query))
    along = score / case.scale
    if length == 0:
        return {"k": f"{_first(case)} - {_first(case)}"}, np.zeros(len(case.query))
    longest = goal.radius
    if longest is not None and abs(abs(score) - case.highest) <= 1e-12 * case.highest:
        sign = "" if score > 0 else "-"
        text = f"{sign}q / norm(q)" if longest == 1 else f"{sign}{longest!r} q / norm(q)"
        return {"k": text}, math.copysign(longest, score) * case.query / length
    fields = {"k": f"{along!r} q / norm(q)^2"}
    if goal.norm is not None:
        aside = _aside(case)
        fields["k"] = (
            f"{along!r} q / norm(q)^2 + "
            f"sqrt({goal.norm!r}^2 - {abs(along)!r}^2 / norm(q)^2) w / norm(w)"
        )
        fields["w"] = aside
    known: dict[str, Any] = {**case.instance.symbols, "q": case.query}
    if "w" in fields:
        known["w"] = parse(fields["w"]).evaluate(known)
    return fields, np.asarray(parse(fields["k"]).evaluate(known), float)


def _aside(case: Replacement) -> str:
    """Return a formula of a vector at right angles to the query."""
    d = len(case.query)
    for name, row in case.problem.given.names.items():
        key = case.instance.keys[row]
        left = key - (key @ case.query) / (case.query @ case.query) * case.query
        if np.linalg.norm(left) > 1e-6 * max(1.0, float(np.linalg.norm(key))):
            return f"k_{name} - dot(k_{name}, q) / norm(q)^2 q"
    at = int(np.argmin(np.abs(case.query)))
    axis = "[" + ", ".join("1" if i == at else "0" for i in range(d)) + "]"
    return f"{axis} - dot({axis}, q) / norm(q)^2 q"


def _first(case: Replacement) -> str:
    return f"k_{next(iter(case.problem.given.names))}"
