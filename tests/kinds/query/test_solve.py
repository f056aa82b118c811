"""Problems that ask for a query: formulas run on drawn keys, exact constants, obstructions."""

from __future__ import annotations

import dataclasses
import math
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.certify import Claim, verify
from regard.core import reference
from regard.errors import InvalidProblem
from regard.kinds.heads.solve.pattern import rounded_up
from regard.kinds.query.solve.smallest_factor import interior_weights
from regard.kinds.query.vary import vary
from regard.language import notation, parse
from regard.report import Plot, Slider
from regard.solving import Status, solve
from regard.solving.random_keys import RandomKeys, rms_bound, rms_claim
from solving.reading import captioned, gaussian, wanted, words

EXACT = ("average-two-values", "average-two-of-many", "exact-average")
NOISY = ("average-under-small-noise", "query-from-means", "average-with-random-keys")
ORTHONORMAL = {"law": "orthonormal"}
PAIR = {"a": 0.5, "b": 0.5}
DRAWS = 20_000


def problem(given: dict[str, Any], goal: dict[str, Any]) -> Any:
    given = {"names": {"a": 0, "b": 1}, "keys": ORTHONORMAL, **given}
    data = {"schema": 1, "id": "x", "title": "x", "kind": "query", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": goal})


@cache
def solved(name: str) -> Any:
    return solve(problems.load(name))


def evaluated(solution: Any, instance: Any, field: str = "q", **changed: float) -> np.ndarray:
    numbers = {k: v for k, v in solution.answer.items() if not k.startswith("q")}
    answer = solution.answer[field]
    if not isinstance(answer, str):
        return np.array(answer)
    return np.asarray(parse(answer).evaluate({**instance.symbols, **numbers, **changed}))


def weights(of: Any, keys: np.ndarray, q: np.ndarray) -> np.ndarray:
    return reference.attention([q], keys, np.eye(len(keys)), scale=of.given.scale).weights[0]


def simulated(of: Any, instance: Any, q: np.ndarray, values: np.ndarray) -> float:
    """√E ‖c − c*‖² by drawing keys."""
    rng = np.random.default_rng(1)
    noise = [
        rng.multivariate_normal(np.zeros(instance.keys.shape[1]), c, DRAWS)
        for c in instance.covariances
    ]
    scores = of.given.scale * (instance.keys + np.stack(noise, axis=1)) @ q
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    off = (powers / np.sum(powers, axis=1, keepdims=True) - wanted(of)) @ values
    return float(np.sqrt(np.mean(np.sum(off**2, axis=1))))


def outputs(of: Any, instance: Any) -> np.ndarray:
    """The values, or unit vectors where the weights count."""
    return np.eye(of.given.n) if of.given.values.law == "arbitrary" else instance.values


# ------------------------------------------------------------------ all bundled problems


@pytest.mark.parametrize("name", EXACT + NOISY)
def test_a_bundled_problem_is_solved_and_proved(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot | Slider) for block in solution.details)
    for latex in (solution.headline, *(formula for _, formula in solution.steps if formula)):
        notation.check(latex)


@pytest.mark.parametrize("name", ["average-two-values", "query-from-means"])
def test_a_solver_reads_only_what_is_given_and_asked(name: str) -> None:
    data = problems.to_dict(problems.load(name))
    other = {**data, "id": "other", "title": "Other", "statement": "Other.", "source": "none"}
    assert solve(problems.from_dict(other)).answer == solved(name).answer


@pytest.mark.parametrize("name", EXACT)
def test_the_formula_holds_on_keys_of_the_law_and_no_smaller_factor_does(name: str) -> None:
    of, solution = problems.load(name), solved(name)
    for seed in range(5):
        instance = problems.key_instance(of.given, np.random.default_rng(seed))
        for factor, enough in ((1.0, True), (1 - 1e-5, False)):
            q = evaluated(solution, instance, C=factor * solution.answer["C"])
            off = weights(of, instance.keys, q) - wanted(of)
            error = np.max(np.abs(off))
            if of.given.values.law != "arbitrary":
                error = np.linalg.norm(off @ instance.values)
            assert (error <= of.goal.tolerance * (1 + 1e-12)) == enough


@pytest.mark.parametrize("name", NOISY)
def test_the_formula_survives_the_noise_of_the_law(name: str) -> None:
    of, solution = problems.load(name), solved(name)
    for seed in range(2):
        instance = problems.key_instance(of.given, np.random.default_rng(seed))
        q = evaluated(solution, instance)
        error = simulated(of, instance, q, instance.values)
        assert error <= of.goal.tolerance
        plain = problems.key_instance(of.given)
        here = simulated(of, plain, evaluated(solution, plain), plain.values)
        np.testing.assert_allclose(error, here, rtol=0.05)


# ------------------------------------------------------------------ the theory's numbers


def test_the_smallest_factors_are_the_closed_forms() -> None:
    closed = {
        "average-two-values": math.log(4 * (1 - 0.002) / 0.004),
        "average-two-of-many": math.log(38 * (math.sqrt(0.5 + 1 / 38) - 0.01) / 0.02),
        "exact-average": math.log(2 * (2 - 1e-3) / 2e-3),
    }
    for name, smallest in closed.items():
        enough = Decimal(smallest).quantize(Decimal("0.001"), rounding=ROUND_CEILING)
        assert f"that is enough {enough.normalize()}" in words(solved(name))
        assert 0 <= solved(name).answer["C"] - smallest < 2e-5


def test_the_error_at_a_factor_of_3_is_that_of_the_theory() -> None:
    """G01."""
    rows = captioned(solved("exact-average"), "what the factor does").rows
    row = next(row for row in rows if row[0] == "3")
    found = [float(cell) for cell in row[1:]]
    golden = [0.4762870634, 0.02371293659, 0.04742587318, 0.09485174636]
    np.testing.assert_allclose(found, golden, rtol=5e-6)


def test_any_subset_with_any_weights_has_the_coefficients_of_the_theory() -> None:
    """G03."""
    cells = captioned(solved("average-two-values"), "any subset").rows
    found = np.array([[float(cell) for cell in row[1:]] for row in cells])
    q = [5.306852819440055, 0, 4.796027195674064, 4.3905620875658995, 0]
    alpha = [0.49753347563, 0.00246652437, 0.29852008538, 0.19901339025, 0.00246652437]
    np.testing.assert_allclose(found[:, 0], q, rtol=1e-5)
    np.testing.assert_allclose(found[:, 2], alpha, rtol=1e-5)
    assert "0.00493305" in words(solved("average-two-values"))


def test_keys_of_other_lengths_give_the_weights_of_the_theory() -> None:
    """G04."""
    text = words(solved("average-two-values"))
    assert "(0.04661, 0.9362, 0.01715)" in text
    assert "(0.4955, 0.4955, 0.009075)" in text
    assert f"{math.exp(-3):.3g}, which is" in text


def test_the_shortest_query_has_the_mean_of_the_keys_taken_off() -> None:
    """G05: g √(m (n − m)/n)."""
    factor = solved("average-two-values").answer["C"]
    assert rf"\approx {factor * math.sqrt(2 * 4 / 6):.4g}" in words(solved("average-two-values"))
    claims = solved("average-two-values").certificate.claims
    shortest = [c.witness["query"] for c in claims if c.kind == "weights_close"][1]
    np.testing.assert_allclose(np.linalg.norm(shortest), factor * math.sqrt(4 / 3), rtol=1e-5)


def proved_of_a_pair(n: int, alpha: float, C: float) -> float:
    """The bound of the theory for C (mu_a + mu_b), orthonormal means and noise alpha I."""
    s = np.array([C, C] + [0.0] * (n - 2))
    a = np.exp(s) / np.sum(np.exp(s))
    e, root2 = 2 * alpha * C * C, math.sqrt(2)
    U = float(np.sum(a * a * e))
    strong, weak = a * np.exp(e * (1 - 4 * a)), a * np.exp(e * (1 - 4 * a) / 2)
    G = root2 * np.minimum(1 / 4, math.exp(4 * U) * strong * (np.sum(strong) - strong))
    F = root2 * np.minimum(1 / (6 * math.sqrt(3)), math.exp(2 * U) * weak * (np.sum(weak) - weak))
    missed = float(np.linalg.norm(a - np.array([0.5, 0.5] + [0.0] * (n - 2))))
    return math.hypot(missed + e / 2 * float(np.sum(F)), math.sqrt(e * float(np.sum(G**2))))


def test_the_best_factor_under_noise_is_that_of_the_theory() -> None:
    """G25, with the Monte-Carlo optimum 4.7 and its mean square error 1.31e-3."""
    solution = solved("average-under-small-noise")
    assert "4.724653" in words(solution)
    assert "0.00135235" in words(solution)
    assert "0.0013027" in words(solution)
    # The factor is the one with the least that can be proved. For unit vectors as values and
    # e = 2 alpha C^2 the theorem is written out here, key by key.
    tried = np.arange(4.5, 4.9, 0.001)
    proved = [proved_of_a_pair(6, 1e-4, C) for C in tried]
    np.testing.assert_allclose(solution.answer["C"], tried[int(np.argmin(proved))], atol=2e-3)


def test_a_large_factor_at_fixed_noise_is_a_coin_flip() -> None:
    """G13, and the errors for four keys."""
    noise = np.broadcast_to(0.01 * np.eye(4), (4, 4, 4))
    keys = RandomKeys(np.eye(4), noise, np.eye(4), 1.0)
    pair = np.array([1.0, 1.0, 0.0, 0.0])
    errors = keys.off(np.multiply.outer([5.0, 50.0], pair)[:, None, :], pair / 2)
    np.testing.assert_allclose(errors, [0.293, 0.650], atol=1e-3)  # drawn, in the theory
    small = next(text for text in solved("query-from-means").mistakes if "Vanishingly" in text)
    assert "0.0434 at" in small
    assert "0.211 at" in small


def test_the_centred_query_has_less_noise_by_two_keys_in_n() -> None:
    rows = captioned(solved("average-under-small-noise"), "other directions").rows
    noise = [float(row[2]) for row in rows]
    np.testing.assert_allclose(noise[1] / noise[0], 4 / 6, rtol=1e-5)
    factor = solved("average-under-small-noise").answer["C"]
    np.testing.assert_allclose(noise[0], 4 * 1e-4 * factor**2, rtol=1e-5)


# ------------------------------------------------------------------ other problems


@pytest.mark.parametrize(
    ("given", "goal"),
    [
        ({"n": 7, "scale": 0.5}, {"weights": {"a": 0.3, "b": 0.7}, "tolerance": 1e-4}),
        ({"n": 5, "scale": 2.0}, {"weights": {"a": 1.0}}),
        ({"n": 3, "names": {"a": 0, "b": 2}}, {"weights": PAIR, "tolerance": 0.02}),
        ({"n": 5, "keys": {"law": "orthogonal"}}, {"weights": PAIR}),
        (
            {"n": 4, "scale": 3.0, "keys": {"law": "orthogonal", "norms": [1, 2, 3, 0.5]}},
            {"weights": {"a": 0.9, "b": 0.1}, "tolerance": 0.01},
        ),
        ({"n": 5, "keys": {"law": "arbitrary"}}, {"weights": {"a": 0.4, "b": 0.6}}),
        ({"n": 6, "parameters": {"C": 3.0}}, {"weights": PAIR}),
        ({"n": 5, "names": {"first": 4, "b_1": 2}}, {"weights": {"first": 0.5, "b_1": 0.5}}),
        ({"n": 2}, {"weights": {"a": 0.25, "b": 0.75}, "tolerance": 1e-9}),
        ({"n": 2}, {"weights": PAIR, "tolerance": 1e-9}),
        ({"n": 6}, {"weights": PAIR, "tolerance": 0.9}),
        (
            {"keys": [[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]},
            {"weights": PAIR, "tolerance": 1e-5},
        ),
    ],
)
def test_formulas_hold_on_all_keys_of_their_law(given: Any, goal: Any) -> None:
    of = problem(given, goal)
    solution = solve(of)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    for seed in range(4):
        instance = problems.key_instance(of.given, np.random.default_rng(seed))
        found = weights(of, instance.keys, evaluated(solution, instance))
        np.testing.assert_allclose(found, wanted(of), rtol=0, atol=of.goal.tolerance * (1 + 1e-9))


def test_uneven_weights_are_in_exact_proportion() -> None:
    of = problem({"n": 11, "names": {"a": 3, "b": 7}}, {"weights": {"a": 0.2, "b": 0.8}})
    found = weights(of, np.eye(11), evaluated(solve(of), problems.key_instance(of.given)))
    np.testing.assert_allclose(found[7] / found[3], 4, rtol=1e-12)


def test_two_keys_are_averaged_exactly_by_every_factor() -> None:
    solution = solve(problem({"n": 2}, {"weights": PAIR}))
    assert solution.answer == {"q": "C (k_a + k_b)", "C": 0.0}
    assert "any" in solution.headline


def test_more_names_than_a_formula_holds_give_numbers() -> None:
    names = {f"x{i}": i for i in range(30)}
    share = {name: (i + 1) / 465 for i, name in enumerate(names)}
    of = problem({"n": 37, "names": names}, {"weights": share})
    solution = solve(of)
    assert solution.verdict is Status.PROVED
    found = weights(of, np.eye(37), np.array(solution.answer["q"]))
    np.testing.assert_allclose(found, wanted(of), atol=1e-3)


SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def test_an_edge_of_a_square_can_be_averaged() -> None:
    """G11."""
    of = problem({"keys": SQUARE}, {"weights": PAIR})
    solution = solve(of)
    assert solution.verdict is Status.PROVED
    found = weights(of, np.array(SQUARE, float), np.array(solution.answer["q"]))
    np.testing.assert_allclose(found, wanted(of), atol=1e-3 * (1 + 1e-9))


@pytest.mark.parametrize(
    ("keys", "names", "share", "closest", "said"),
    [
        (SQUARE, {"a": 0, "b": 2}, PAIR, [0.25] * 4, f"{math.log(2):.6g}"),
        # H19: closest in the error itself, not in divergence.
        (
            [[-1], [0], [1]],
            {"a": 0, "b": 2},
            PAIR,
            [0.19098300562505258, 0.30901699437494745, 0.5],
            f"{math.log(1.5):.6g}",
        ),
        (
            [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]],
            {"a": 0, "b": 2},
            {"a": 1.0},
            [0.2] * 5,
            "0.2",
        ),
        ([[2, 3]] * 3, {"a": 0, "b": 2}, {"a": 1.0}, [1 / 3] * 3, "0.333333"),
    ],
)
def test_what_no_query_gives_is_proved_impossible(
    keys: Any, names: Any, share: Any, closest: Any, said: str
) -> None:
    """G11, G58, G09."""
    of = problem({"keys": keys, "names": names}, {"weights": share})
    solution = solve(of)
    assert solution.verdict is Status.IMPOSSIBLE
    assert solution.answer == {"possible": False}
    nearest = solution.finding.query  # type: ignore[attr-defined]
    found = weights(of, np.array(keys, float), np.array(nearest))
    np.testing.assert_allclose(np.sort(found), closest, atol=1e-6)
    assert said in words(solution)


def test_a_diagonal_is_the_average_of_the_other() -> None:
    of = problem({"keys": SQUARE, "names": {"a": 0, "b": 2}}, {"weights": PAIR})
    steps = " ".join(formula for _, formula in solve(of).steps)
    assert r"\frac{1}{2} k_a + \frac{1}{2} k_b = \frac{1}{4} k_a" in steps


def test_an_output_inside_the_hull_is_reached_exactly_by_other_weights() -> None:
    values = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [3, 3]], float)
    found = interior_weights(values, np.zeros(2))
    assert found is not None
    np.testing.assert_allclose(found @ values, 0, atol=1e-12)
    np.testing.assert_allclose(np.sum(found), 1)
    assert np.min(found) > 0
    assert (
        interior_weights(np.array([[1, 0], [0, 1], [2, 2], [-1, 3]], float), np.array([0.5, 0.5]))
        is None
    )
    assert "lies on the edge of their hull" in words(solved("exact-average"))


# ------------------------------------------------------------------ noise


@pytest.mark.parametrize(
    ("given", "goal"),
    [
        ({"n": 5, "alpha": 1e-4}, {"weights": {"a": 0.3, "b": 0.7}, "tolerance": 0.1}),
        ({"n": 4, "alpha": 1e-3}, {"weights": {"a": 1.0}, "tolerance": 0.01}),
        ({"n": 5, "alpha": 1e-4, "scale": 0.5}, {"weights": PAIR, "tolerance": 0.1}),
        (
            {"n": 3, "alpha": 1e-4, "mean": [[1, 0], [0, 1], [-1, -1]]},
            {"weights": PAIR, "tolerance": 0.1},
        ),
        (
            {"n": 5, "alpha": 1e-5, "also": "+ 1/2 mu_a mu_a'"},
            {"weights": PAIR, "tolerance": 0.1},
        ),
    ],
)
def test_random_keys_are_proved_and_agree_with_drawn_ones(given: Any, goal: Any) -> None:
    given = dict(given)
    covariance = {"a": f"alpha I {given.pop('also', '')}", "others": "alpha I"}
    keys = gaussian(covariance, given.pop("mean", None))
    noise = {"parameters": {"alpha": given.pop("alpha")}, "keys": keys}
    of = problem({**given, **noise}, goal)
    solution = solve(of)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    instance = problems.key_instance(of.given)
    error = simulated(of, instance, evaluated(solution, instance), outputs(of, instance))
    assert error <= of.goal.tolerance


def test_the_bound_is_above_the_simulated_error() -> None:
    rng = np.random.default_rng(5)
    for m, n in ((1, 4), (2, 5), (3, 5)):
        means = np.eye(n)
        root = rng.normal(size=(n, n, n)) / 20
        noise = root @ root.swapaxes(1, 2)
        share = rng.dirichlet(np.full(m, 4.0))
        q = np.zeros(n)
        q[:m] = 6 + np.log(share)
        values = rng.normal(size=(n, 2))
        keys, target = RandomKeys(means, noise, values, 1.0), dict(enumerate(share.tolist()))
        bound = rms_bound(keys, q[None], target).value
        names = {f"x{i}": i for i in range(m)}
        goal = {"weights": dict(zip(names, share.tolist(), strict=True))}
        of = problem({"n": n, "names": names}, goal)
        instance = dataclasses.replace(problems.key_instance(of.given), covariances=noise)
        assert simulated(of, instance, q, values) <= bound
        for slack, proved in ((1 + 1e-9, True), (1 - 1e-6, False)):  # as the claim proves it
            claim = rms_claim(keys, q[None], target, bound * slack)
            assert verify(keys.certificate(claim)).holds == proved


def test_noise_along_a_key_is_looked_away_from() -> None:
    """Null steering: the query has next to nothing along the noisy mean."""
    covariance = {"a": "alpha I + 1/2 mu_a mu_a'", "others": "alpha I"}
    given = {"n": 5, "keys": gaussian(covariance), "parameters": {"alpha": 1e-5}}
    solution = solve(problem(given, {"weights": PAIR, "tolerance": 0.1}))
    assert solution.verdict is Status.PROVED
    instance = problems.key_instance(solution.problem.given)
    q = evaluated(solution, instance)
    assert abs(q[0]) < 0.01
    np.testing.assert_array_less(q[2:], -3)


def test_noise_that_is_too_large_vanishes_in_the_limit_only() -> None:
    given = {"n": 6, "keys": gaussian(), "parameters": {"alpha": 0.01}}
    goal = {"weights": PAIR, "tolerance": 0.01}
    assert solve(problem(given, goal)).verdict is Status.UNDECIDED
    of = problem({**given, "limits": ["alpha -> 0"]}, goal)
    solution = solve(of)
    assert solution.verdict is Status.PROVED
    instance = problems.key_instance(of.given, np.random.default_rng(0))
    off = weights(of, instance.keys, evaluated(solution, instance)) - wanted(of)
    assert np.max(np.abs(off)) <= 0.01 * (1 + 1e-9)  # each weight: the values are arbitrary
    assert "limit of vanishing noise" in words(solution)


def test_means_that_cannot_be_told_apart_are_impossible() -> None:
    given = {"n": 3, "names": {"a": 0, "b": 2}, "keys": gaussian(mean=[[-1], [0], [1]])}
    of = problem({**given, "parameters": {"alpha": 1e-4}}, {"weights": PAIR})
    assert solve(of).verdict is Status.IMPOSSIBLE


def test_covariances_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"n: 500 keys of length 500 are too many for random"):
        problem({"n": 500, "keys": gaussian("1/100 I")}, {"weights": PAIR})


# ------------------------------------------------------------------ certificates


def test_a_shorter_query_does_not_verify() -> None:
    certificate = solved("average-two-values").certificate
    first = certificate.claims[0]
    shorter = Claim(first.kind, first.fields, {"query": 0.99 * np.array(first.witness["query"])})
    assert verify(dataclasses.replace(certificate, claims=(first,))).holds
    assert not verify(dataclasses.replace(certificate, claims=(shorter,))).holds


def test_the_smallest_factor_is_claimed_from_both_sides() -> None:
    for name in EXACT:
        certificate = solved(name).certificate
        claim = next(c for c in certificate.claims if c.kind == "condition")
        assert claim.fields["says"] == "equivalent"
        sides = [dict(instance) for instance in claim.witness["instances"]]
        for side in sides:
            side["C"] += 1  # now both are large enough
        moved = Claim(claim.kind, claim.fields, {"instances": sides})
        assert not verify(dataclasses.replace(certificate, claims=(moved,))).holds


def test_numbers_are_rounded_up() -> None:
    for x in (6.905753276, 1e-7, 12345.678901, 2.0, 0.1 + 0.2):
        assert x <= rounded_up(x) <= x * (1 + 2e-5)
    assert rounded_up(0.0) == 0


# ------------------------------------------------------------------ variants


def varied(name: str, seed: int) -> Any:
    of = problems.load(name)
    return problems.from_dict({**problems.to_dict(of), **vary(of, np.random.default_rng(seed))})


@pytest.mark.parametrize("name", EXACT)
def test_twenty_variants_have_the_closed_form(name: str) -> None:
    for seed in range(20):
        of = varied(name, seed)
        solution = solve(of)
        assert solution.verdict is Status.PROVED
        n, e = of.given.n, of.goal.tolerance
        values = problems.key_instance(of.given).values
        rest = np.mean(values[wanted(of) == 0], axis=0)
        D = float(np.linalg.norm(rest - wanted(of) @ values))
        if of.given.values.law == "arbitrary":
            D = max(0.5, 1 / (n - 2))
        closed = math.log((n - 2) * (D - e) / (2 * e)) if e < D else 0.0
        np.testing.assert_allclose(solution.answer["C"], max(closed, 0.0), rtol=2e-5, atol=1e-12)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(s, marks=pytest.mark.slow) for s in range(3, 20))]
)
@pytest.mark.parametrize("name", NOISY)
def test_twenty_variants_survive_noise(name: str, seed: int) -> None:
    of = varied(name, seed)
    solution = solve(of)
    assert solution.verdict in (Status.PROVED, Status.NUMERIC)
    instance = problems.key_instance(of.given, np.random.default_rng(seed))
    error = simulated(of, instance, evaluated(solution, instance), outputs(of, instance))
    assert error <= of.goal.tolerance
