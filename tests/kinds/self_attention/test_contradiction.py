"""Weights and outputs that contradict each other: impossible for all values up to a distance."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal
from itertools import product
from typing import Any

import cvxpy
import numpy as np
import pytest
from numpy.typing import NDArray

from kinds.self_attention.test_solve import HALVES, problem
from regard.certify import Certificate, Claim, verify
from regard.kinds.self_attention.judge.existence import existence
from regard.problems import token_instance
from regard.solving import Status, solve

Array = NDArray[np.float64]
BOTH_AT_THE_THIRD = {
    "attend": {"x_1": "x_3", "x_2": "x_3"},
    "outputs": {"c_1": "u_a", "c_2": "u_b"},
}
BETA = 3.0  # the length of the basis vectors


@pytest.mark.parametrize(
    ("goal", "apart", "most"),
    [
        # √2 β between the outputs, of which each may take 0.001; each row may give 0.001 of its
        # weight to another token: 0.001 |V x_1 − V x_2| is what that makes at most.
        (BOTH_AT_THE_THIRD, math.sqrt(2) / 2, (math.sqrt(2) * BETA - 0.002) / 0.001),
        # c_3 = (c_1 + c_2)/2, and wanted are u_a, u_b and u_c: |u_c − (u_a + u_b)/2| / 2. Row 3
        # may take 0.001 from each of three tokens, rows 1 and 2 half of that and no more.
        (
            {"attend": HALVES, "outputs": {"c_1": "u_a", "c_2": "u_b", "c_3": "u_c"}},
            math.sqrt(1.5) / 2,
            (math.sqrt(1.5) * BETA - 0.002) / 0.003,
        ),
    ],
)
def test_the_answer_says_for_which_values_it_is_impossible(
    goal: dict[str, Any], apart: float, most: float
) -> None:
    solution = solve(problem(["u_a", "u_b", "u_c"], goal))
    assert solution.verdict is Status.IMPOSSIBLE
    assert solution.answer == {"possible": False}
    (claim,) = solution.certificate.claims
    spread = claim.fields["spread"]
    assert 0.99 * most <= spread <= most
    assert claim.fields["within"] == 0.001 < claim.fields["bound"]
    assert solution.headline.endswith(rf"\lVert V x_j - V x_k \rVert \le {spread:.0f}")
    report = str(solution.report())
    assert f"Assumed: the values V x_j are at most {spread:.0f} apart" in report
    least = Decimal(apart * BETA).quantize(Decimal("0.001"), rounding=ROUND_FLOOR)
    assert f"max_i ‖c_i − o_i‖ ≥ {least}" in report
    assert f"at most {spread:.0f} apart, one of" in " ".join(report.split())


def test_values_that_are_further_apart_do_it() -> None:
    """What is assumed is needed: 0.001 of the weight and values 4241 apart make the outputs."""
    asked = problem(["u_a", "u_b", "u_c"], BOTH_AT_THE_THIRD)
    tokens, symbols = token_instance(asked.given)
    basis = np.array([symbols[name] for name in ("u_a", "u_b", "u_c")])
    scores = np.array([[0.0, -40.0, math.log(999)], [-40.0, 0.0, math.log(999)]])
    A = np.linalg.pinv(tokens) @ np.vstack([scores, [0.0] * 3]).T @ np.linalg.pinv(tokens).T
    weights = np.exp(tokens[:2] @ A.T @ tokens.T)
    weights /= np.sum(weights, axis=1, keepdims=True)
    assert np.max(np.abs(weights - [0, 0, 1])) <= 0.001 * (1 + 1e-9)
    # V x_3 is the middle of both outputs; V x_1 and V x_2 are 4241 apart, on either side of it.
    half, middle = (basis[0] - basis[1]) / 2, (basis[0] + basis[1]) / 2
    aside = half * (4241 / 2 / np.linalg.norm(half))
    values = np.array([middle + aside, middle - aside, middle])
    wanted = basis[:2]
    assert np.max(np.linalg.norm(weights @ values - wanted, axis=1)) <= 0.001
    apart = np.linalg.norm(values[:, None] - values[None], axis=-1)
    (claim,) = solve(asked).certificate.claims
    assert claim.fields["spread"] < np.max(apart) < 1.001 * claim.fields["spread"]


def test_a_wide_tolerance_is_not_called_impossible() -> None:
    """Within 0.2, values 11 apart do it, which is little more than the outputs are long."""
    asked = problem(["u_a", "u_b", "u_c"], {**BOTH_AT_THE_THIRD, "tolerance": 0.2}, norm=1.0)
    assert solve(asked).verdict is not Status.IMPOSSIBLE
    assert existence(asked).possible is not False
    narrow = problem(["u_a", "u_b", "u_c"], BOTH_AT_THE_THIRD, norm=1.0)
    assert existence(narrow).possible is False


def least_error(weights: Array, outputs: Array, spread: float) -> float:
    """The smallest error of outputs with values at most `spread` apart, for these weights."""
    values = cvxpy.Variable((weights.shape[1], outputs.shape[1]))
    error = cvxpy.max(cvxpy.norm(weights @ values - outputs, axis=1))
    near = [
        cvxpy.norm(values[j] - values[k]) <= spread
        for j in range(weights.shape[1])
        for k in range(j)
    ]
    return float(cvxpy.Problem(cvxpy.Minimize(error), near).solve(solver=cvxpy.CLARABEL))


def vertices(row: Array, within: float) -> list[Array]:
    """Weights near those of a row, with all but one entry at an end: the corners of them all."""
    found = []
    for free in range(len(row)):
        for ends in product((-within, within), repeat=len(row)):
            moved = np.clip(row + ends, 0, 1)
            moved[free] += 1 - np.sum(moved)
            if moved[free] >= 0 and abs(moved[free] - row[free]) <= within * (1 + 1e-12):
                found.append(moved)
    return found


def drawn(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Weights of three rows of which the last is the average of the others, outputs, and u."""
    weights = np.zeros((3, 3))
    for row in weights[:2]:  # halves and quarters, so that the average is one exactly
        row[:] = rng.permutation(
            [(1.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.25, 0.25)][rng.integers(3)]
        )
    share = rng.choice([0.25, 0.5, 1.0])
    weights[2] = share * weights[0] + (1 - share) * weights[1]
    return weights, rng.standard_normal((3, 2)), np.array([share, 1 - share, -1.0])


@pytest.mark.parametrize("seed", [0, 9, 11, 13])  # attained at 9 and 11
def test_no_weights_and_values_beat_the_claim(seed: int) -> None:
    """For corners of the weights allowed, cvxpy finds the best values; none is below the bound."""
    rng = np.random.default_rng([94, seed])
    weights, outputs, u = drawn(rng)
    within, spread = float(rng.uniform(0.01, 0.03)), float(rng.uniform(5, 10))
    fields = {
        "rows": [
            {"row": i, "indices": [0, 1, 2], "weights": row.tolist()}
            for i, row in enumerate(weights)
        ],
        "outputs": [{"row": i, "vector": row.tolist()} for i, row in enumerate(outputs)],
        "within": within,
        "spread": spread,
    }
    witness = {"combination": [[i, float(x)] for i, x in enumerate(u)]}

    def holds(bound: float) -> bool:
        claim = Claim("outputs_contradict", {**fields, "bound": bound}, witness)
        return verify(Certificate({"tokens": np.eye(3)}, (claim,))).holds

    low, high = 0.0, float(np.linalg.norm(u @ outputs) / np.sum(np.abs(u)))
    assert not holds(high * (1 - 1e-9))  # for exactly these weights it would hold
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    corners = [vertices(row, within) for row in weights]
    # Where Σ u_i c_i moves furthest, the outputs come nearest.
    chosen = sorted(product(*corners), key=lambda rows: -float(np.sum(np.abs(u @ np.array(rows)))))
    least = min(least_error(np.array(rows), outputs, spread) for rows in chosen[:4])
    assert 0 < low <= least + 1e-6
