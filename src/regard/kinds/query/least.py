"""The least error that a query up to a length can have, from both sides.

With a limit R on the length the least ε is sought for which some q with
‖q‖ ≤ R gives each wanted key its floor p_i − ε; the sets {q : α_i(q) ≥ p_i − ε for all i} are
convex and grow with ε. At the best q multipliers π of the floors exist, and

    Σ π_i ln(p_i − ε) ≤ Σ π_i ln α_i ≤ scale R ‖Σ (π_i − α_i) k_i‖ − H(α)

bounds ε from below for all queries at once (claim `floors_out_of_reach`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.checking.sampling import softmax
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import Float64, key_instance

GAP = 1e-2  # relative: how far apart the two sides may be
FAR = 300.0  # a difference of scores that is as good as infinite
TINY = 1e-9  # an error that every query can get below is called none
ROOM = 1e-9
STARTS = 8  # from which a smaller error is looked for


@dataclass(frozen=True, eq=False)
class Least:
    """The least error of all queries.

    Attributes:
        low: no query has a smaller one.
        high: the query has it.
        query: (d,).
        weights: (n,), of that query.
        certificate: claims of both sides; of the upper one alone where `low` is 0.
        proved: whether the claims hold and the two sides agree.
    """

    low: float
    high: float
    query: Float64
    weights: Float64
    certificate: Certificate
    proved: bool

    @property
    def value(self) -> float:
        """The least error, 0 where one comes as near as one likes."""
        return 0.0 if self.low == 0 and self.high <= TINY else self.high


@lru_cache(maxsize=64)
def _kept(text: str) -> dict[str, Least]:
    return {}


def least_error(problem: QueryProblem) -> Least:
    """Return the least error of all queries up to the longest, or to one that is as good as any."""
    kept = _kept(repr((problem.given, problem.goal)))
    if "found" not in kept:
        kept["found"] = _limited(problem)
    return kept["found"]


def target_rows(problem: QueryProblem) -> dict[int, float]:
    """Return the weights that are wanted by row."""
    return {problem.given.names[name]: w for name, w in problem.goal.weights.items()}


def _limited(problem: QueryProblem) -> Least:
    given, target = problem.given, target_rows(problem)
    keys, scale = key_instance(given).keys, float(given.scale)
    R = float(problem.goal.longest or FAR / (scale * _nearest(keys)))
    rows, shares = list(target), np.array(list(target.values()))
    query = _best(scale * keys, rows, shares, R)
    weights = softmax(scale * (keys @ query))
    wanted = np.zeros(len(keys))
    wanted[rows] = shares
    mixture = _multipliers(keys, weights, rows, query)
    pull = scale * R * float(np.linalg.norm(mixture @ keys[rows] - weights @ keys))
    entropy = -float(np.sum(weights * np.log(np.maximum(weights, 1e-300))))
    low = max(0.0, _root(mixture, shares, pull - entropy) * (1 - 4 * ROOM))
    query = _nearer(scale * keys, wanted, R, query)
    scores = scale * (keys @ query)
    weights_there = softmax(scores)
    rounding = 8 * float(np.finfo(float).eps) * (len(keys) + float(np.max(np.abs(scores))))
    high = float(np.max(np.abs(weights_there - wanted))) * (1 + ROOM) + rounding
    goal = {"indices": rows, "weights": shares.tolist()}
    claims = [Claim("weights_close", {"target": goal, "bound": high}, {"query": query})]
    if low > 0:
        floors = {"indices": rows, "weights": (shares - low).tolist()}
        fields = {"floors": floors, "radius": R}
        witness = {"mixture": mixture.tolist(), "combination": weights.tolist()}
        claims.insert(0, Claim("floors_out_of_reach", fields, witness))
    certificate = Certificate({"keys": keys}, tuple(claims), scale)
    agree = high - low <= GAP * high or high <= TINY
    return Least(low, high, query, weights_there, certificate, agree and verify(certificate).holds)


def _nearest(keys: Float64) -> float:
    """Return the least distance of two keys that differ, or 1."""
    apart = np.linalg.norm(keys[:, None] - keys[None], axis=-1)
    return float(np.min(apart[apart > 1e-9 * np.max(apart, initial=1.0)], initial=1.0))


def _best(keys: Float64, rows: list[int], shares: Float64, R: float) -> Float64:
    """Return the query within the length that lifts all wanted keys to p − ε, for the least ε."""
    from scipy.optimize import minimize  # seldom needed

    d = keys.shape[1]

    def logs(q: Float64) -> tuple[Float64, Float64]:
        s = keys @ q
        top = float(np.max(s))
        lse = top + math.log(float(np.sum(np.exp(s - top))))
        weights = np.exp(s - lse)
        return weights[rows], weights[rows, None] * (keys[rows] - weights @ keys)

    starts = [np.zeros(d), shares @ keys[rows] - np.mean(keys, axis=0)]
    found, least = np.zeros(d), math.inf
    for start in starts:
        length = float(np.linalg.norm(start))
        q = start * (0.5 * R / length) if length else start
        solved = minimize(
            lambda x: x[-1],
            np.append(q, float(np.max(shares - logs(q)[0]))),
            jac=lambda x: np.append(np.zeros(d), 1.0),
            constraints=[
                {
                    "type": "ineq",
                    "fun": lambda x: logs(x[:-1])[0] - shares + x[-1],
                    "jac": lambda x: np.hstack([logs(x[:-1])[1], np.ones((len(rows), 1))]),
                },
                {
                    "type": "ineq",
                    "fun": lambda x: 1 - x[:-1] @ x[:-1] / R**2,
                    "jac": lambda x: np.append(-2 * x[:-1] / R**2, 0.0),
                },
            ],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-15},
        )
        q = np.asarray(solved.x[:-1], float)
        q = q / max(1.0, float(np.linalg.norm(q)) / R)
        error = float(np.max(shares - logs(q)[0]))
        if error < least:
            found, least = q, error
    return found * (1 - 1e-15)


def _nearer(keys: Float64, wanted: Float64, R: float, query: Float64) -> Float64:
    """Return the query with the smallest error that is found from this one and some others."""
    from scipy.optimize import minimize

    d = keys.shape[1]

    def weights(q: Float64) -> Float64:
        return softmax(keys @ q)

    def slopes(x: Float64) -> Float64:
        w = weights(x[:-1])
        inner = w[:, None] * (keys - w @ keys)
        return np.vstack([np.hstack([sign * inner, np.ones((len(w), 1))]) for sign in (1, -1)])

    def room(x: Float64) -> Float64:
        off = weights(x[:-1]) - wanted
        return np.concatenate([x[-1] + off, x[-1] - off])

    rng = np.random.default_rng(0)
    size = R * min(1.0, 3.0 / (R * max(1e-9, float(np.max(np.abs(keys))))))
    starts = [query, *(size * rng.normal(size=(STARTS, d)))]
    found, least = query, float(np.max(np.abs(weights(query) - wanted)))
    for q in starts:
        start = np.append(q, float(np.max(np.abs(weights(q) - wanted))))
        limit = {
            "type": "ineq",
            "fun": lambda x: 1 - x[:-1] @ x[:-1] / R**2,
            "jac": lambda x: np.append(-2 * x[:-1] / R**2, 0.0),
        }
        solved = minimize(
            lambda x: x[-1], start, jac=lambda x: np.append(np.zeros(d), 1.0), method="SLSQP",
            constraints=[{"type": "ineq", "fun": room, "jac": slopes}, limit],
            options={"maxiter": 300, "ftol": 1e-14},
        )  # fmt: skip
        new = np.asarray(solved.x[:-1], float)
        new = new / max(1.0, float(np.linalg.norm(new)) / R)
        error = float(np.max(np.abs(weights(new) - wanted)))
        if error < least * (1 - ROOM):
            found, least = new * (1 - 1e-15), error
    return found


def _multipliers(keys: Float64, weights: Float64, rows: list[int], query: Float64) -> Float64:
    """Return π ≥ 0 of sum 1 with Σ π_i k_i − Σ α_i k_i along the query."""
    from scipy.optimize import nnls

    heavy = 1e3 * max(1.0, float(np.max(np.abs(keys))))
    columns = np.column_stack([keys[rows].T, -query])
    system = np.vstack([columns, [*[heavy] * len(rows), 0.0]])
    found, _ = nnls(system, np.append(weights @ keys, heavy))
    shares = found[: len(rows)]
    return np.asarray(shares / np.sum(shares))


def _root(mixture: Float64, shares: Float64, level: float) -> float:
    """Return the ε with Σ π ln(p − ε) = level; 0 where it is below that already."""
    used = mixture > 0

    def excess(epsilon: float) -> float:
        return float(np.sum(mixture[used] * np.log(shares[used] - epsilon))) - level

    low, high = 0.0, float(np.min(shares[used])) * (1 - 1e-15)
    if excess(low) <= 0:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low
