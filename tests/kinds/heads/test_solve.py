"""Problems that ask for several heads: shares, formulas under noise, limits, the theory's numbers."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from regard import problems
from regard.certify import Claim, verify
from regard.errors import InvalidProblem
from regard.kinds.heads.explain.general_facts import hardmax_limit
from regard.kinds.heads.solve.allocation import allocate
from regard.kinds.heads.solve.pattern import Pattern
from regard.kinds.heads.vary import vary
from regard.language import notation, parse
from regard.report import Plot, Slider
from regard.solving import Status, solve
from solving.reading import captioned, gaussian, wanted, words

BUNDLED = ("two-heads-average", "one-head-per-value")
ORTHONORMAL = {"law": "orthonormal"}
PAIR = {"a": 0.5, "b": 0.5}
THIRDS = {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}
DRAWS = 5_000


def problem(given: dict[str, Any], goal: dict[str, Any]) -> Any:
    given = {"names": {"a": 0, "b": 1, "c": 2}, "keys": ORTHONORMAL, **given}
    data = {"schema": 1, "id": "x", "title": "x", "kind": "heads", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": goal})


@cache
def solved(name: str) -> Any:
    return solve(problems.load(name))


def queries(solution: Any, instance: Any) -> np.ndarray:
    answer = solution.answer
    numbers = {k: v for k, v in answer.items() if not k.startswith("q_")}
    found = []
    for h in range(solution.problem.goal.heads):
        q = answer[f"q_{h + 1}"]
        names = {**instance.symbols, **numbers}
        found.append(parse(q).evaluate(names) if isinstance(q, str) else q)
    return np.array(found, float)


def simulated(of: Any, instance: Any, q: np.ndarray) -> float:
    """√E ‖c − c*‖² by drawing keys; of the weights where values are arbitrary."""
    rng = np.random.default_rng(2)
    n, d = instance.keys.shape
    noise = np.zeros((n, d, d)) if instance.covariances is None else instance.covariances
    drawn = [rng.multivariate_normal(np.zeros(d), c, DRAWS) for c in noise]
    keys = instance.keys + np.stack(drawn, axis=1)
    scores = of.given.scale * np.einsum("pnd,hd->phn", keys, q)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = np.mean(powers / np.sum(powers, axis=-1, keepdims=True), axis=1)
    values = np.eye(n) if of.given.values.law == "arbitrary" else instance.values
    return float(np.sqrt(np.mean(np.sum(((weights - wanted(of)) @ values) ** 2, axis=1))))


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_problem_is_solved_and_proved(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert solution.answer["q_1"] == "C mu_a"
    assert solution.answer["q_2"] == "C mu_b"
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot | Slider) for block in solution.details)
    for latex in (solution.headline, *(formula for _, formula in solution.steps if formula)):
        notation.check(latex)
    for seed in range(3):
        of = solution.problem
        instance = problems.key_instance(of.given, np.random.default_rng(seed))
        assert simulated(of, instance, queries(solution, instance)) <= of.goal.tolerance


@pytest.mark.parametrize("name", BUNDLED)
def test_a_larger_factor_does_no_harm(name: str) -> None:
    of, solution = problems.load(name), solved(name)
    instance = problems.key_instance(of.given)
    q = queries(solution, instance)
    for times in (2, 10, 100):
        assert simulated(of, instance, times * q) <= of.goal.tolerance


def test_the_limit_of_a_large_scale_is_the_integral() -> None:
    """G60, with mpmath, and the union bound below it."""
    for n, alpha in ((4, 0.1), (6, 0.05), (11, 0.5)):
        with mpmath.workdps(30):
            shift = 1 / mpmath.sqrt(alpha)
            success = mpmath.quad(
                lambda z, n=n, s=shift: mpmath.npdf(z) * mpmath.ncdf(z + s) ** (n - 1),
                np.linspace(-12, 12, 9).tolist(),
            )
            bound = 1 - (n - 1) * mpmath.ncdf(-1 / mpmath.sqrt(2 * alpha))
        found = hardmax_limit(n, alpha)
        np.testing.assert_allclose(found, [float(success), max(float(bound), 0)], rtol=1e-12)
        assert found[1] <= found[0]


def test_an_unscaled_query_has_the_weights_of_the_theory() -> None:
    """G47: four keys, and 0.0267 of a hundred."""
    for n, weight in ((4, 0.4754), (100, 0.0267)):
        pattern = Pattern(n, 1.0, ("a",), (0,), (1.0,), "k", "orthonormal")
        np.testing.assert_allclose(1 - pattern.leak(1.0), weight, atol=5e-5)
        np.testing.assert_allclose(pattern.all_weights(1.0)[0], weight, atol=5e-5)
    text = solved("one-head-per-value").mistakes[0]
    assert "$q_1 = \\mu_a$, $q_2 = \\mu_b$" in text


@pytest.mark.parametrize("weights", [(1.0,), (0.5, 0.5), (0.2, 0.3, 0.5)], ids=str)
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_closed_forms_of_leak_and_smallest_factor_are_those_of_the_softmax(
    weights: tuple[float, ...], scale: float
) -> None:
    n, m, names = 7, len(weights), tuple("abc"[: len(weights)])
    pattern = Pattern(n, scale, names, tuple(range(m)), weights, "k", "orthonormal")
    even = len(set(weights)) == 1
    for factor in (0.0, 1.3, 11.0):
        scores = np.zeros(n)
        scores[:m] = scale * factor if even else factor + np.log(weights)
        expected = np.exp(scores) / np.sum(np.exp(scores))
        leak = np.sum(expected[m:])
        np.testing.assert_allclose(pattern.leak(factor), leak, rtol=1e-12)
        np.testing.assert_allclose(pattern.all_weights(factor), expected, rtol=1e-12)
        np.testing.assert_allclose(pattern.factor_for(leak), factor, atol=1e-9)
        each = parse(pattern.weight_formula)
        symbols = {"n": float(n), pattern.factor: factor, "p_i": weights[-1]}
        np.testing.assert_allclose(each.evaluate(symbols), expected[m - 1], rtol=1e-12)
        # An error of D per unit of the leak is at most epsilon from the same factor on.
        smallest = parse(pattern.factor_formula("D")).evaluate(
            {"n": float(n), "D": 3.0, "epsilon": 3.0 * leak}
        )
        np.testing.assert_allclose(smallest, factor, atol=1e-9)
    assert pattern.leak(1e6) < 1e-300


def test_targets_are_shared_as_in_the_theory() -> None:
    """G53, and a noisy key that has a head to itself."""
    balanced = [float(row[1]) for row in captioned(solved("two-heads-average"), "balanced").rows]
    np.testing.assert_allclose(balanced, [0.25, 0.375, 0.75], rtol=1e-9)
    noisy = [
        float(row[1]) for row in captioned(solved("two-heads-average"), "only a is noisy").rows
    ]
    np.testing.assert_allclose(noisy, [0.117, 0.403, 0.542], atol=1e-3)


def test_null_steering_has_the_errors_of_the_theory() -> None:
    found = [float(row[1]) for row in captioned(solved("two-heads-average"), "null steering").rows]
    np.testing.assert_allclose(found, [0.570, 0.156, 0.182, 0.0079, 0.173], rtol=6e-3)


@pytest.mark.parametrize(
    ("weights", "count"),
    [(PAIR, 2), (PAIR, 3), (THIRDS, 2), ({"a": 0.3, "b": 0.7}, 2), ({"a": 1.0}, 2)],
)
def test_shares_of_heads_average_to_the_weights(weights: dict[str, float], count: int) -> None:
    rows = dict(enumerate(weights.values()))
    patterns = allocate(rows, count)
    assert len(patterns) == count
    for pattern in patterns:
        np.testing.assert_allclose(sum(pattern.values()), 1)
        assert min(pattern.values()) > 0
    for row, weight in rows.items():
        total = sum(Fraction(pattern.get(row, 0.0)) for pattern in patterns)
        np.testing.assert_allclose(float(total) / count, weight, rtol=1e-9)
    whole = sum(int(weight * count + 1e-9) for weight in weights.values())
    assert sum(len(pattern) == 1 for pattern in patterns) >= whole


@pytest.mark.parametrize(
    ("given", "goal"),
    [
        ({"n": 6}, {"weights": PAIR}),
        ({"n": 2, "names": {"a": 0, "b": 1}}, {"weights": PAIR}),
        ({"n": 5, "scale": 0.25, "alpha": 1e-3}, {"weights": THIRDS, "heads": 3}),
        ({"n": 5, "alpha": 1e-5}, {"weights": {"a": 0.3, "b": 0.7}, "tolerance": 0.05}),
        ({"n": 4, "alpha": 1e-3}, {"weights": {"a": 1.0}}),
        ({"n": 5, "keys": {"law": "arbitrary"}}, {"weights": PAIR}),
        ({"n": 4, "alpha": 1e-4, "also": "+ 1/2 mu_a mu_a'"}, {"weights": PAIR}),
    ],
)
def test_heads_hold_on_all_keys_of_their_law(given: Any, goal: Any) -> None:
    given = dict(given)
    if "alpha" in given:
        covariance = {"a": f"alpha I {given.pop('also', '')}", "others": "alpha I"}
        given |= {"keys": gaussian(covariance), "parameters": {"alpha": given.pop("alpha")}}
    of = problem(given, {"tolerance": 0.02, **goal})
    solution = solve(of)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    for seed in range(2):
        instance = problems.key_instance(of.given, np.random.default_rng(seed))
        assert simulated(of, instance, queries(solution, instance)) <= of.goal.tolerance


def test_opposite_corners_that_no_single_query_averages_are_averaged_by_two_heads() -> None:
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    of = problem({"keys": square, "names": {"a": 0, "b": 2}}, {"weights": PAIR})
    solution = solve(of)
    assert solution.verdict is Status.PROVED
    instance = problems.key_instance(of.given)
    assert simulated(of, instance, queries(solution, instance)) <= of.goal.tolerance


def test_a_key_inside_the_hull_is_out_of_reach_of_all_heads() -> None:
    keys = [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]
    of = problem({"keys": keys}, {"weights": PAIR})
    solution = solve(of)
    assert solution.verdict is Status.IMPOSSIBLE
    assert "0.2" in solution.headline


def test_keys_too_near_to_be_told_apart_by_a_query_are_answered_in_words() -> None:
    of = problem({"keys": [[1e-20], [2e-20], [1.0]]}, {"weights": PAIR})
    solution = solve(of)
    assert solution.verdict is Status.UNDECIDED
    told = " ".join(sentence for sentence, _ in solution.steps)
    assert "two averages of keys are the same point" in told
    for untrue in ("score above all others", "all it takes", "That is proved below"):
        assert untrue not in told


def test_noise_that_is_too_large_vanishes_in_the_limit_only() -> None:
    given = {"n": 4, "keys": gaussian(), "parameters": {"alpha": 0.3}}
    goal = {"weights": PAIR, "tolerance": 0.01}
    assert solve(problem(given, goal)).verdict is Status.UNDECIDED
    solution = solve(problem({**given, "limits": ["alpha -> 0"]}, goal))
    assert solution.verdict is Status.PROVED
    assert "limit of vanishing" in words(solution)


def test_a_smaller_factor_does_not_verify() -> None:
    certificate = solved("one-head-per-value").certificate
    goal = certificate.claims[0]
    queries = {**goal.witness, "queries": 0.99 * np.array(goal.witness["queries"])}
    shorter = Claim(goal.kind, goal.fields, queries)
    assert verify(certificate).holds
    assert not verify(dataclasses.replace(certificate, claims=(shorter,))).holds


def test_too_many_keys_for_several_heads_are_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"300 keys of length 300 are too many for several"):
        problem({"n": 300}, {"weights": PAIR})


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in range(6, 20))]
)
@pytest.mark.parametrize("name", BUNDLED)
def test_twenty_variants_leak_as_one_key_per_head_does(name: str, seed: int) -> None:
    of = problems.load(name)
    data = {**problems.to_dict(of), **vary(of, np.random.default_rng(seed))}
    other = problems.from_dict(data)
    solution = solve(other)
    assert solution.verdict is Status.PROVED
    # Without noise each head leaks r; noise only adds to the error.
    n, C = other.given.n, solution.answer["C"]
    r = (n - 1) / (n - 1 + math.exp(C))
    weights = np.full(n, r / (n - 1))
    weights[wanted(other) > 0] = (1 - r + r / (n - 1)) / 2
    still = np.linalg.norm(weights - wanted(other))
    instance = problems.key_instance(other.given)
    error = simulated(other, instance, queries(solution, instance))
    assert still * 0.99 <= error <= other.goal.tolerance
