"""Gradients: in formulas and numbers, against differences of the loss and golden numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import certify, check, problems, solving
from regard.certify import Certificate
from regard.certify.claims.algebra import saturation
from regard.certify.claims.algebra.gradients import gradient_claim
from regard.solving import Status
from solving.reading import SEEDS

NAMES = [name for name in problems.names() if problems.load(name).kind == "gradient"]


def solved(given: dict[str, Any], **goal: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "gradient", "statement": "x"}
    return solving.solve(problems.from_dict({**data, "given": given, "goal": goal}))


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def slopes(loss: Any, arrays: dict[str, Any], name: str) -> Any:
    """Return the gradient by differences, entry by entry."""
    found = np.zeros(arrays[name].shape)
    for place in np.ndindex(*found.shape):
        ends = []
        for sign in (1, -1):
            moved = {key: array.copy() for key, array in arrays.items()}
            moved[name][place] += sign * 1e-5
            ends.append(loss(moved))
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


@pytest.mark.parametrize("seed", SEEDS)  # even ones without a causal mask, odd ones with it
def test_numbers_are_the_slopes_of_the_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, k, e = 3, 2, 2, 2
    shapes = {"X": (n, d), "W_Q": (d, k), "W_K": (d, k), "W_V": (d, e), "G": (n, e)}
    arrays = {name: rng.integers(-2, 3, shape).astype(float) for name, shape in shapes.items()}
    causal = bool(seed % 2)

    def loss(at: dict[str, Any]) -> float:
        scores = 0.5 * (at["X"] @ at["W_Q"]) @ (at["X"] @ at["W_K"]).T
        if causal:
            scores = np.where(np.tri(n) > 0, scores, -np.inf)
        return float(np.sum(at["G"] * (softmax(scores) @ (at["X"] @ at["W_V"]))))

    given = {
        "forward": "projections", "scale": "1/2", "causal": causal,
        "numbers": {name: array.astype(int).tolist() for name, array in arrays.items()},
    }  # fmt: skip
    names = ["dX", "dW_Q", "dW_K", "dW_V"]
    solution = solved(given, find=names)
    assert solution.verdict is Status.COMPUTED
    for name in names:
        expected = slopes(loss, arrays, name[1:])
        np.testing.assert_allclose(solution.answer[name], expected, rtol=1e-5, atol=1e-8)


def test_projections_have_the_gradients_of_more_digits() -> None:
    numbers = {
        "X": [[1, 0], [0, 1], [1, -1]], "W_Q": [[1, 0], [1, 1]], "W_K": [[0, 1], [1, 0]],
        "W_V": [[1, -1], [2, 0]], "G": [[1, 0], [0, 0], [0, 1]],
    }  # fmt: skip
    solution = solved({"forward": "projections", "numbers": numbers}, find=["dW_Q", "dW_V"])
    dW_Q = [[0.7792399939745407, -0.4635243013226977], [-0.26515212515671877, 0.1767680834378125]]
    dW_V = [[0.424024654784638, 0.49651015651544617], [0.435946100171984, 0.2552347652268308]]
    np.testing.assert_allclose(solution.answer["dW_Q"], dW_Q, rtol=1e-12)
    np.testing.assert_allclose(solution.answer["dW_V"], dW_V, rtol=1e-12)


SHAPES = {"Q": ["n", "d"], "K": ["m", "d"], "V": ["m", "e"], "G": ["n", "e"], "c": []}
WHERE = {"S": "c Q K'", "A": "softmax(S)", "Y": "A V"}
DS = "hadamard(A, G V' - rowsum(hadamard(A, G V')) ones(m)')"
RIGHT = {"V": "A' G", "Q": f"c {DS} K", "K": f"c ({DS})' Q", "c": f"sum(hadamard({DS}, Q K'))"}
WRONG = {"V": "2 A' G", "Q": f"{DS} K", "K": f"-c ({DS})' Q", "c": f"c sum(hadamard({DS}, Q K'))"}


@pytest.mark.parametrize("of", RIGHT)
def test_a_claim_of_a_gradient_holds_and_a_changed_one_fails(of: str) -> None:
    loss = "sum(hadamard(G, Y))"
    for formula, status in ((RIGHT[of], "holds"), (WRONG[of], "fails")):
        claim = gradient_claim(loss, of, formula, SHAPES, WHERE)
        assert certify.verify(Certificate({}, (claim,))).claims[0].status == status


def test_damaged_numbers_fail() -> None:
    data = solving.solve(problems.load("worked-backward-pass")).certificate.to_dict()
    place = next(i for i, claim in enumerate(data["claims"]) if claim["kind"] == "evaluated")
    data["claims"][place]["entries"][0][0] += 1e-6
    found = certify.verify(Certificate.from_dict(data)).claims[place]
    assert found.status == "fails"


def test_bounds_hold_for_drawn_scores_and_false_ones_are_not_proved() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, gap = int(rng.integers(2, 12)), float(rng.uniform(0.01, 6))
        scores = np.concatenate([[0.0], -gap - rng.exponential(1, n - 1) * rng.integers(0, 2)])
        a = softmax(scores)
        J = np.diag(a) - np.outer(a, a)
        assert np.linalg.norm(J, 2) <= 2 * (n - 1) * np.exp(-gap) + 1e-12
        keys, values, g = rng.normal(size=(n, 3)), rng.normal(size=(n, 2)), rng.normal(size=2)
        dq = 0.7 * keys.T @ J @ (values @ g)
        D_K = max(np.linalg.norm(x - y) for x in keys for y in keys)
        D_V = max(abs((x - y) @ g) for x in values for y in values)
        x = (n - 1) * np.exp(-gap)
        assert np.linalg.norm(dq) <= 0.7 * x * (2 + x) / (2 * (1 + x) ** 2) * D_K * D_V + 1e-12
    for of, bound in (("jacobian", "exp(-gamma)"), ("leak", "exp(-gamma)"), ("query", "kappa")):
        claim = saturation.claim(of, bound)
        assert certify.verify(Certificate({}, (claim,))).claims[0].status == "undecided"


SEEDS = [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_twenty_variants_are_solved_and_their_answers_pass(name: str, seeds: range) -> None:
    problem = problems.load(name)
    for seed in seeds:
        other = solving.variant(problem, seed)
        solution = solving.solve(other)
        assert solution.verification.holds
        assert check(other, dict(solution.answer)).right
