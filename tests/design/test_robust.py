"""Robust heads: closed forms, the numbers of the theory, proofs, refusals."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

import regard
from regard.certify import verify
from regard.design.robust_heads.allocation import allocate
from regard.design.robust_heads.arguments import RobustDesign, isotropic_scale, robust
from regard.design.robust_heads.key_group import Keys
from regard.design.robust_heads.one_head import Served, Server
from regard.design.robust_heads.task import RobustTask

ALPHA = 1e-3
MEANS = np.eye(5)
# 001_725e95d9063a7e6c (c-ii): all keys vary by alpha, and the first along its mean by 1/2 more.
NOISE = np.array([ALPHA * np.eye(5)] * 5)
NOISE[0, 0, 0] += 0.5
BOTH = {0: 0.5, 1: 0.5}


def proved(thing: Any, **arrays: Any) -> Any:
    result = verify(thing.certificate, **arrays)
    assert result.holds, str(result)
    assert verify(json.loads(json.dumps(thing.certificate.to_dict()))).holds
    return thing


def designed(*arguments: Any, **options: Any) -> RobustDesign:
    found = robust(*arguments, **options)
    return proved(found, means=arguments[0], covariances=arguments[1])


def refused(*arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        robust(*arguments, **options)
    proved(caught.value)
    proved(caught.value.best)
    assert isinstance(caught.value.best, RobustDesign)
    return caught.value


def bounds(design: RobustDesign, kind: str) -> list[float]:
    return [claim.fields["bound"] for claim in design.certificate.claims if claim.kind == kind]


def rmse(queries: Any, wanted: Any, means: Any = MEANS, noise: Any = NOISE) -> float:
    """How far the mean of the heads' weights is from those wanted, over 400,000 drawn keys."""
    rng, heads = np.random.default_rng(0), np.atleast_2d(queries)
    spread = np.stack([rng.standard_normal((200_000, len(one))) @ _root(one) for one in noise], 1)
    total = 0.0
    for sign in (1, -1):  # each draw and its mirror image
        scores = (means + sign * spread) @ heads.T  # (draws, keys, heads)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = np.mean(powers / powers.sum(axis=1, keepdims=True), axis=2)
        total += float(np.mean(np.sum((weights - wanted) ** 2, axis=1))) / 2
    return math.sqrt(total)


def _root(covariance: Any) -> Any:
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def random_law(rng: np.random.Generator, n: int, d: int, rank: int) -> tuple[Any, Any]:
    factors = 0.1 * rng.standard_normal((n, d, rank))
    return rng.standard_normal((n, d)), np.einsum("nij,nkj->nik", factors, factors)


# Null steering ------------------------------------------------------------------------------------


def test_a_pair_is_steered_away_from_the_noise_as_the_closed_form_says() -> None:
    design = designed(MEANS, NOISE, BOTH, gap=6.0)
    P, R = 4 * ALPHA + 0.5, 2 * ALPHA * 3
    x = 6 * R / (P + R)
    np.testing.assert_allclose(design.queries, [[x, x, x - 6, x - 6, x - 6]], rtol=1e-9)
    least = 36 * P * R / (P + R)
    np.testing.assert_allclose(least, 0.2135, rtol=1e-3)
    np.testing.assert_allclose(bounds(design, "score_variance"), [least], rtol=1e-9)
    np.testing.assert_allclose(bounds(design, "variance_at_least"), [least], rtol=1e-8)
    naive = np.array([6.0, 6, 0, 0, 0])
    np.testing.assert_allclose(naive @ (NOISE[0] + NOISE[1]) @ naive, 18.14, rtol=1e-3)


def test_two_steered_heads_are_twenty_times_better_than_two_naive_ones() -> None:
    wanted = np.array([0.5, 0.5, 0, 0, 0])
    single = designed(MEANS, NOISE, BOTH, gap=6.0)
    two = designed(MEANS, NOISE, BOTH, gap=6.0, heads=2)
    np.testing.assert_allclose(rmse(6 * (MEANS[:1] + MEANS[1:2]), wanted), 0.570, atol=2e-3)
    np.testing.assert_allclose(rmse(6 * MEANS[:2], wanted), 0.182, atol=1e-3)
    np.testing.assert_allclose(single.rmse, 0.156, atol=2e-3)
    assert two.rmse <= rmse(6 * MEANS[:2], wanted) / 20
    np.testing.assert_allclose(two.rmse, rmse(two.queries, wanted), rtol=0.01)
    np.testing.assert_allclose(two.rmse, 0.0079, atol=5e-5)
    assert two.allocation == ((0,), (1,))
    np.testing.assert_array_equal(two.head_weights, [0.5, 0.5])
    np.testing.assert_allclose([single.gap, two.gap], 6.0, rtol=1e-14)
    assert min(single.gap, two.gap) >= 6
    # The first head looks away from the noise, the second one must look at its own key.
    assert abs(two.queries[0, 0]) < 0.1
    assert two.queries[1, 1] > 5.9


def test_the_numbers_do_not_come_from_the_integrals_alone() -> None:
    design = robust(MEANS, NOISE, BOTH, gap=6.0, heads=2)
    rng = np.random.default_rng(5)
    keys = MEANS + np.sqrt(ALPHA) * rng.standard_normal((40_000, 5, 5))
    keys[:, 0, 0] += np.sqrt(0.5) * rng.standard_normal(40_000)
    output = np.zeros((40_000, 5))
    for query, weight in zip(design.queries, design.head_weights, strict=True):
        powers = np.exp(keys @ query)
        output += weight * powers / np.sum(powers, axis=1, keepdims=True)
    errors = np.sum((output - [0.5, 0.5, 0, 0, 0]) ** 2, axis=1)
    spread = np.std(errors) / 200
    np.testing.assert_allclose(np.mean(errors), design.rmse**2, atol=4 * spread)
    np.testing.assert_allclose(np.mean(output, axis=0), design.law.mean, atol=1e-4)


@pytest.mark.parametrize("target", [3, {0: 0.5, 3: 0.5}, {0: 0.2, 3: 0.3, 4: 0.5}])
@pytest.mark.parametrize("rank", [7, 2])
def test_no_other_search_finds_a_quieter_query(target: Any, rank: int) -> None:
    means, noise = random_law(np.random.default_rng(rank), 5, 7, rank)
    design = designed(means, noise, target, gap=2.0, scale=0.5)
    weights = target if isinstance(target, dict) else {target: 1.0}
    chosen, p = list(weights), np.array(list(weights.values()))
    others = [i for i in range(5) if i not in weights]
    (query,) = design.queries

    def noisy(q: Any) -> float:
        e = 0.25 * np.einsum("i,nij,j->n", q, noise, q)
        if len(chosen) == 1:
            return float(max(e[chosen[0]] + e[j] for j in others))
        pairs = list(itertools.combinations(range(len(chosen)), 2))
        total = sum(p[i] * p[j] for i, j in pairs)
        return float(sum(p[i] * p[j] * (e[chosen[i]] + e[chosen[j]]) for i, j in pairs) / total)

    scores = 0.5 * means @ query
    np.testing.assert_allclose(scores[chosen] - scores[chosen[0]], np.log(p / p[0]), atol=1e-12)
    assert np.min(scores[chosen]) - np.max(scores[others]) >= 2 - 1e-12
    (upper,) = bounds(design, "score_variance")
    np.testing.assert_allclose(upper, noisy(query), rtol=1e-9, atol=1e-12)
    met = {
        "type": "eq",
        "fun": lambda q: (
            (0.5 * means @ q)[chosen[1:]] - (0.5 * means @ q)[chosen[0]] - np.log(p[1:] / p[0])
        ),
    }
    apart = {
        "type": "ineq",
        "fun": lambda q: np.min((0.5 * means @ q)[chosen]) - (0.5 * means @ q)[others] - 2,
    }
    rules = [apart] if len(chosen) == 1 else [met, apart]
    start = np.linalg.lstsq(means[chosen], np.log(p) / 0.5 + 8, rcond=None)[0]
    for begin in (start, query):
        other = minimize(
            lambda q: 1e3 * noisy(q),
            begin,
            constraints=rules,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-13},
        )
        if other.success:
            assert noisy(other.x) >= noisy(query) * (1 - 1e-5) - 1e-9
    if rank == 7:
        (lower,) = bounds(design, "variance_at_least")
        np.testing.assert_allclose(lower, upper, rtol=1e-6)
        assert lower <= upper


def test_where_there_is_no_noise_the_query_is_the_shortest() -> None:
    design = designed(MEANS, np.zeros((5, 5, 5)), BOTH, gap=6.0)
    np.testing.assert_allclose(design.queries, [[3.6, 3.6, -2.4, -2.4, -2.4]], rtol=1e-9)
    np.testing.assert_allclose(design.law.variance, 0.0, atol=1e-12)


def test_noise_in_every_direction_but_one_is_avoided_whatever_its_size() -> None:
    noise = np.zeros((3, 3, 3))
    noise[0, 0, 0] = 1e6
    design = designed(np.eye(3), noise, {0: 0.5, 1: 0.5}, gap=9.0)
    np.testing.assert_allclose(design.queries, [[0, 0, -9]], atol=1e-9)
    np.testing.assert_allclose(design.law.variance, 0.0, atol=1e-9)


@pytest.mark.parametrize("size", [1e-100, 1e-6, 1e6, 1e100])
def test_the_units_of_the_keys_do_not_count(size: float) -> None:
    design = designed(MEANS * size, NOISE * size * size, BOTH, gap=6.0)
    plain = robust(MEANS, NOISE, BOTH, gap=6.0)
    np.testing.assert_allclose(design.queries * size, plain.queries, rtol=1e-9)
    np.testing.assert_allclose(design.rmse, plain.rmse, rtol=1e-9)


def test_the_scale_divides_the_query() -> None:
    plain, scaled = (designed(MEANS, NOISE, BOTH, gap=6.0, scale=scale) for scale in (1.0, 0.25))
    np.testing.assert_allclose(scaled.queries, 4 * plain.queries, rtol=1e-9)
    np.testing.assert_allclose(scaled.rmse, plain.rmse, rtol=1e-9)
    np.testing.assert_allclose(scaled.failure, plain.failure, rtol=1e-6)


def test_targets_of_one_head_differ_as_their_logarithms() -> None:
    design = designed(MEANS, NOISE, {0: 0.2, 2: 0.8}, gap=4.0)
    scores = MEANS @ design.queries[0]
    np.testing.assert_allclose(scores[2] - scores[0], math.log(4), atol=1e-13)
    np.testing.assert_allclose(scores[0] - np.max(scores[[1, 3, 4]]), 4, rtol=1e-9)
    assert design.gap >= 4


def test_all_keys_and_a_single_one_have_no_others() -> None:
    design = designed(MEANS[:2, :2], NOISE[:2, :2, :2], {0: 0.3, 1: 0.7})
    assert math.isinf(design.gap)
    np.testing.assert_allclose(np.subtract(*(MEANS[:2, :2] @ design.queries[0])), math.log(3 / 7))
    alone = designed([[1.0, 2.0]], np.eye(2)[None], 0)
    np.testing.assert_array_equal(alone.queries, [[0, 0]])
    assert alone.rmse == 0


# Chance constraints -------------------------------------------------------------------------------


def test_the_widest_quantile_is_that_of_the_closed_form() -> None:
    noise = NOISE - ALPHA * np.eye(5)
    design = designed(MEANS, noise, 0, norm=1.0, risk=float(ndtr(-1)), objective="quantile")
    np.testing.assert_allclose(design.robust_gap, 0.5794708255183387, rtol=1e-9)
    x, y = 0.5054494651244236, 0.4314281047305084
    np.testing.assert_allclose(design.queries, [[x, -y, -y, -y, -y]], rtol=1e-6)
    np.testing.assert_allclose(bounds(design, "gap_at_most"), [0.5794708255183387], rtol=1e-7)
    np.testing.assert_allclose(design.gap, x + y, rtol=1e-6)
    assert np.linalg.norm(design.queries) <= 1
    # Beyond √2 deviations the noisy direction is left out altogether.
    far = designed(MEANS, noise, 0, norm=1.0, risk=float(ndtr(-2)), objective="quantile")
    np.testing.assert_allclose(far.robust_gap, 0.5, rtol=1e-9)


def test_the_shortest_query_with_a_quantile_is_the_widest_one_scaled() -> None:
    options: dict[str, Any] = {"risk": 0.1, "objective": "quantile"}
    wide = designed(MEANS, NOISE, 0, norm=1.0, **options)
    short = designed(MEANS, NOISE, 0, gap=3.0, **options)
    assert wide.robust_gap is not None
    np.testing.assert_allclose(short.queries, wide.queries * 3 / wide.robust_gap, rtol=1e-7)
    assert short.robust_gap is not None
    assert 3 <= short.robust_gap < 3 + 1e-9
    (limit,) = [claim for claim in short.certificate.claims if claim.kind == "gap_at_most"]
    np.testing.assert_allclose(limit.fields["radius"], np.linalg.norm(short.queries), rtol=1e-7)
    length = float(np.linalg.norm(short.queries))
    both = designed(MEANS, NOISE, 0, gap=3.0, norm=length * 1.01, **options)
    np.testing.assert_allclose(both.queries, short.queries, rtol=1e-9)
    problem = refused(MEANS, NOISE, 0, gap=3.0, norm=length * 0.99, **options)
    np.testing.assert_allclose(problem.best.robust_gap, 3 * 0.99, rtol=1e-6)


@pytest.mark.parametrize("target", [1, {1: 0.5, 2: 0.5}, {1: 0.3, 2: 0.7}])
def test_each_pair_keeps_its_gap_with_the_probability_asked_for(target: Any) -> None:
    means, noise = random_law(np.random.default_rng(3), 5, 7, 3)
    design = designed(means, noise, target, gap=0.5, risk=0.2, objective="quantile")
    chosen = list(target) if isinstance(target, dict) else [target]
    (query,) = design.queries
    chances = []
    for i in chosen:
        for j in set(range(5)) - set(chosen):
            mean = (means[i] - means[j]) @ query
            chances.append(ndtr((0.5 - mean) / math.sqrt(query @ (noise[i] + noise[j]) @ query)))
    assert max(chances) <= 0.2 * (1 + 1e-9)
    np.testing.assert_allclose(max(chances), 0.2, rtol=1e-5)


def test_noise_that_outweighs_every_gap_is_proved_to() -> None:
    loud = np.array([np.eye(5)] * 5)
    problem = refused(MEANS, loud, 0, gap=1.0, objective="quantile")
    (claim,) = problem.certificate.claims
    assert (claim.kind, claim.fields["bound"]) == ("gap_at_most", 1.0)
    assert claim.fields["radius"] > 1e6
    np.testing.assert_allclose(problem.best.gap, 1.0, rtol=1e-9)
    refused(MEANS, loud, 0, norm=1.0, objective="quantile")


# Failures -----------------------------------------------------------------------------------------


def test_of_two_keys_the_fisher_direction_fails_least() -> None:
    noise = np.array([np.diag([0.51, 0.01]), np.diag([0.01, 0.01])])
    design = designed(np.eye(2), noise, 0, gap=3.0, objective="failure")
    np.testing.assert_allclose(design.queries[0, 0] / design.queries[0, 1], -0.02 / 0.52, rtol=1e-4)
    exact = ndtr(-math.sqrt(1 / 0.52 + 1 / 0.02))
    np.testing.assert_allclose(exact, 2.9e-13, rtol=0.01)
    np.testing.assert_allclose(design.failure, [exact], rtol=1e-6)
    assert design.gap >= 3
    for query, failure in [([1, 0], 0.0828), ([1, -1], 0.0032)]:
        spread = math.sqrt(np.array(query) @ noise.sum(axis=0) @ query)
        np.testing.assert_allclose(ndtr(-(query[0] - query[1]) / spread), failure, rtol=0.02)


def test_the_union_bound_is_smaller_than_along_other_directions() -> None:
    means, noise = random_law(np.random.default_rng(8), 7, 5, 5)
    noise *= 30
    target = int(np.argmax(np.linalg.norm(means, axis=1)))
    design = designed(means, noise, target, norm=2.0, objective="failure")
    np.testing.assert_allclose(np.linalg.norm(design.queries), 2.0, rtol=1e-9)

    def failure(q: Any) -> float:
        spreads = np.einsum("i,nij,j->n", q, noise, q)
        pairs = [(target, j) for j in range(7) if j != target]
        return float(
            sum(
                ndtr((means[j] - means[i]) @ q / math.sqrt(spreads[i] + spreads[j]))
                for i, j in pairs
            )
        )

    np.testing.assert_allclose(design.failure, [failure(design.queries[0])], rtol=1e-9)
    for objective in ("variance", "quantile"):
        other = robust(
            means,
            noise,
            target,
            gap=0.1,
            objective=objective,
            risk=0.4 if objective == "quantile" else None,
        )
        assert failure(design.queries[0]) < failure(other.queries[0]) * (1 - 1e-6)
    rng = np.random.default_rng(9)
    nearby = design.queries[0] + 0.05 * rng.standard_normal((200, 5))
    assert failure(design.queries[0]) <= min(failure(q) for q in nearby)


# The best gap -------------------------------------------------------------------------------------


def test_the_best_scale_for_isotropic_noise_is_that_of_lambert() -> None:
    scale = isotropic_scale(6, 1e-4, math.sqrt(0.75), math.sqrt(2))
    np.testing.assert_allclose(scale, 4.724652874351493, rtol=1e-12)
    predicted = 4 * math.exp(-2 * scale) * 0.75 + 1e-4 * scale**2 / 2
    np.testing.assert_allclose(predicted, 0.0013523498828734663, rtol=1e-9)
    # It is the minimum: the derivative −8 e^{−2C} · 0.75 + 1e-4 C vanishes.
    np.testing.assert_allclose(6 * math.exp(-2 * scale), 1e-4 * scale, rtol=1e-12)
    assert isotropic_scale(2, 0.1, 1.0, 1.0) == 0
    tiny = isotropic_scale(6, 1e-300, math.sqrt(0.75), math.sqrt(2))
    np.testing.assert_allclose(
        math.log(6) - 2 * tiny, math.log(1e-300) + math.log(tiny), rtol=1e-12
    )


@pytest.mark.parametrize("case", ["one head", "two heads", "quantile", "weights"])
def test_without_a_gap_the_best_one_is_taken(case: str) -> None:
    options: dict[str, Any] = {"objective": "quantile"} if case == "quantile" else {}
    target: Any = {0: 0.3, 1: 0.7} if case == "weights" else BOTH
    noise = NOISE * (20 if case == "two heads" else 1)
    options |= {"heads": 2} if case == "two heads" else {}
    design = designed(MEANS, noise, target, **options)
    level = design.robust_gap if case == "quantile" else design.gap
    assert level is not None
    for factor in (0.9, 0.97, 1.03, 1.1):
        other = robust(MEANS, noise, target, gap=level * factor, **options)
        assert other.rmse >= design.rmse * (1 - 1e-5)
    far = robust(MEANS, noise, target, gap=level * 3, **options)
    assert far.rmse > design.rmse * (1 + (1e-3 if case == "two heads" else 0.1))


def test_the_search_counts_what_heads_have_in_common() -> None:
    # Key 2 varies along μ_0 + μ_1, so that it takes weight in both heads at once.
    noise = np.array([0.01 * np.eye(5)] * 5)
    noise[2] += np.outer(MEANS[0] + MEANS[1], MEANS[0] + MEANS[1])
    task = RobustTask(
        Server(Keys(MEANS, noise, 1.0), np.arange(2), np.full(2, 0.5), None, 0.0, "variance"),
        None,
        2,
        4.0,
    )
    heads = [Served(task.server.group((h,)), 4 * MEANS[h], None, 4.0) for h in (0, 1)]
    exact = rmse(4 * MEANS[:2], [0.5, 0.5, 0, 0, 0], noise=noise)
    apart = [rmse(4 * MEANS[h : h + 1], MEANS[h], noise=noise) for h in (0, 1)]
    assert abs(0.5 * math.hypot(*apart) / exact - 1) > 0.05  # as if they had nothing in common
    np.testing.assert_allclose(task.roughly_off(heads), exact, rtol=0.01)


def test_a_norm_alone_limits_the_search_for_the_gap() -> None:
    free = robust(MEANS, NOISE, BOTH)
    length = float(np.linalg.norm(free.queries))
    same = designed(MEANS, NOISE, BOTH, norm=2 * length)
    np.testing.assert_allclose(same.rmse, free.rmse, rtol=1e-5)
    short = designed(MEANS, NOISE, BOTH, norm=length / 2)
    assert np.linalg.norm(short.queries) <= length / 2
    assert short.rmse > free.rmse


def test_a_gap_and_a_norm_together_are_kept_and_proved_best() -> None:
    free = robust(MEANS, NOISE, BOTH, gap=3.0)
    norm = 0.8 * float(np.linalg.norm(free.queries))
    design = designed(MEANS, NOISE, BOTH, gap=3.0, norm=norm)
    assert np.linalg.norm(design.queries) <= norm
    assert design.gap >= 3
    (upper,), (lower,) = bounds(design, "score_variance"), bounds(design, "variance_at_least")
    np.testing.assert_allclose(lower, upper, rtol=1e-5)
    assert upper > bounds(free, "score_variance")[0] * 1.1


# Sharing targets among heads ----------------------------------------------------------------------


def partitions(count: int, heads: int) -> Any:
    for labels in itertools.product(range(heads), repeat=count):
        groups: dict[int, list[int]] = {}
        for i, label in enumerate(labels):
            groups.setdefault(label, []).append(i)
        yield tuple(sorted(tuple(group) for group in groups.values()))


@pytest.mark.parametrize(("count", "heads"), [(5, 2), (6, 3), (4, 3), (5, 4)])
def test_the_cheapest_of_all_partitions_is_found(count: int, heads: int) -> None:
    rng = np.random.default_rng(count * heads)
    prices = {
        group: float(rng.random() * len(group) ** 2)
        for size in range(1, count + 1)
        for group in itertools.combinations(range(count), size)
    }
    found = allocate(count, heads, prices.__getitem__)
    best = min(
        set(partitions(count, heads)), key=lambda groups: sum(prices[group] for group in groups)
    )
    assert found.groups == best
    np.testing.assert_allclose(found.cost, sum(prices[group] for group in best))
    assert found.how == "the best of all partitions"


@pytest.mark.parametrize("sizes", [(2, 2), (3, 1)])
def test_balanced_groups_cost_least_in_the_hard_limit(sizes: tuple[int, int]) -> None:
    """(Σ g² − m)/m²: 0.25 for two and two, 0.375 for three and one."""
    expected = {(2, 2): 0.25, (3, 1): 0.375}[sizes]
    np.testing.assert_allclose((sum(g * g for g in sizes) - 4) / 16, expected)
    found = allocate(4, 2, lambda group: (len(group) ** 2 - len(group)) / 16)
    assert sorted(len(group) for group in found.groups) == [2, 2]
    np.testing.assert_allclose(found.cost, 0.25)


def test_pairs_are_matched_where_there_are_too_many_subsets() -> None:
    rng = np.random.default_rng(2)
    price = rng.random((12, 12))
    price = price + price.T

    def cost(group: tuple[int, ...]) -> float:
        return 10.0 if len(group) > 2 else 0.0 if len(group) == 1 else float(price[group])

    found = allocate(12, 7, cost)
    assert found.how == "the best of all partitions into groups of one or two"
    assert sorted(i for group in found.groups for i in group) == list(range(12))
    assert len(found.groups) == 7

    def best(left: tuple[int, ...], pairs: int) -> float:
        if not left:
            return 0.0 if pairs == 0 else math.inf
        first, *rest = left
        options = [best(tuple(rest), pairs)] if len(rest) >= 2 * pairs else []
        if pairs:
            options += [
                float(price[first, j]) + best(tuple(k for k in rest if k != j), pairs - 1)
                for j in rest
            ]
        return min(options)

    np.testing.assert_allclose(found.cost, best(tuple(range(12)), 5))


def test_many_targets_are_shared_greedily_and_it_says_so() -> None:
    places = np.repeat([0.0, 10.0, 20.0], 6) + np.arange(18) % 6 * 0.1

    def cost(group: tuple[int, ...]) -> float:
        return float(np.var(places[list(group)]) * len(group))

    found = allocate(18, 3, cost)
    assert found.how == "merged greedily, then exchanged: perhaps not the best"
    assert found.groups == (tuple(range(6)), tuple(range(6, 12)), tuple(range(12, 18)))


def test_after_exchanges_no_move_and_no_swap_helps() -> None:
    prices = np.random.default_rng(1).random((18, 18))

    def cost(group: tuple[int, ...]) -> float:
        return float(np.sum(prices[np.ix_(group, group)]))

    found = allocate(18, 4, cost)
    assert sorted(i for group in found.groups for i in group) == list(range(18))
    np.testing.assert_allclose(found.cost, sum(cost(group) for group in found.groups))
    owner = {i: h for h, group in enumerate(found.groups) for i in group}
    labels = [owner[i] for i in range(18)]
    changed = [{i: h} for i in range(18) for h in range(4)]
    changed += [{i: labels[j], j: labels[i]} for i in range(18) for j in range(i)]
    for change in changed:
        now = [change.get(i, labels[i]) for i in range(18)]
        groups = [tuple(i for i in range(18) if now[i] == h) for h in range(4)]
        assert sum(cost(group) for group in groups if group) >= found.cost * (1 - 1e-9)


def test_the_noisy_key_gets_a_head_of_its_own() -> None:
    thirds = {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}
    noise = np.array([0.01 * np.eye(5)] * 5)
    noise[1] += 0.3 * np.eye(5)  # in all directions: it cannot be steered away from
    design = designed(MEANS, noise, thirds, gap=5.0, heads=2)
    assert design.allocation == ((0, 2), (1,))
    np.testing.assert_allclose(design.head_weights, [2 / 3, 1 / 3])
    assert design.allocated == "the best of all partitions"
    one = robust(MEANS, noise, thirds, gap=5.0)
    three = designed(MEANS, noise, thirds, gap=5.0, heads=3)
    assert one.rmse > design.rmse > three.rmse


def test_a_head_counts_by_the_square_of_its_weight() -> None:
    # Key 2 is the noisiest, but weighs so little that the heavy keys are better kept apart.
    noise = np.array([0.05 * np.eye(5)] * 5)
    noise[2] += 0.3 * np.eye(5)
    heavy = {0: 0.495, 1: 0.495, 2: 0.01}
    design = designed(MEANS, noise, heavy, gap=5.0, heads=2)
    assert design.allocation in (((0,), (1, 2)), ((0, 2), (1,)))
    together = robust(MEANS, noise, heavy, gap=5.0, heads=1)
    assert design.rmse < together.rmse


def test_a_target_between_others_shares_their_head() -> None:
    # Key 1 lies between keys 0 and 2 and cannot be lifted alone; together they can.
    means = [[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, -1.0], [0.5, -2.0]]
    noise = np.array([0.001 * np.eye(2)] * 5)
    equal = designed(means, noise, {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, gap=2.0, heads=3)
    assert (0, 1, 2) in equal.allocation


# Refusals -----------------------------------------------------------------------------------------


def test_a_key_between_the_others_is_refused_with_the_proof() -> None:
    means = [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    noise = np.array([0.01 * np.eye(2)] * 3)
    problem = refused(means, noise, 2, gap=1.0)
    assert str(problem) == (
        "design.robust: no query of length up to 5e+11 lifts key 2 above every other key by more "
        "than 1 in the mean. The certificate proves it. The closest found is .best, with a gap of "
        "at least 0."
    )
    np.testing.assert_allclose(problem.best.queries, [[0, 0]], atol=1e-9)
    for options in (
        {},
        {"objective": "quantile"},
        {"objective": "failure"},
        {"objective": "failure", "norm": 3.0},
    ):
        refused(means, noise, 2, **options)


def test_a_gap_that_needs_a_longer_query_is_refused_with_the_widest() -> None:
    problem = refused(MEANS, NOISE, 0, gap=3.0, norm=1.0)
    assert str(problem) == (
        "design.robust: no query of length up to 1 lifts key 0 above every other key by more than "
        "1.11804 in the mean. The certificate proves it. The closest found is .best, with a gap of "
        "at least 1.11803."
    )
    np.testing.assert_allclose(problem.best.gap, math.sqrt(1.25), rtol=1e-8)


def test_weights_that_need_a_longer_query_are_refused() -> None:
    refused(MEANS, NOISE, {0: 0.999, 1: 0.001}, norm=0.1)
    refused(MEANS, NOISE, {0: 0.999, 1: 0.001}, norm=0.1, objective="quantile")
    rng = np.random.default_rng(0)
    for _ in range(11):
        means, noise = random_law(rng, 7, 5, 3)
        apart = means[0] - means[1]  # the shortest query with weights 0.9 and 0.1 lies along this
        shortest = math.log(9) / float(np.linalg.norm(apart))
        refused(means, noise, {0: 0.9, 1: 0.1}, norm=0.999 * shortest, objective="quantile")


def test_equal_means_cannot_have_different_weights() -> None:
    means = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    noise = np.array([0.01 * np.eye(2)] * 3)
    refused(means, noise, {0: 0.4, 1: 0.6}, gap=1.0)
    problem = refused(means[:2], noise[:2], {0: 0.4, 1: 0.6}, gap=1.0)
    assert str(problem) == (
        "design.robust: no query gives keys at their means the weights asked for. The certificate "
        "proves it, of keys that are the means. The closest found is .best."
    )


def test_where_no_way_to_share_works_every_group_is_spoken_of() -> None:
    means = [[0.0], [1.0], [2.0], [3.0]]
    problem = refused(means, np.full((4, 1, 1), 0.01), {1: 0.5, 2: 0.5}, gap=1.0, heads=2)
    targets = {tuple(claim.fields["target"]["indices"]) for claim in problem.certificate.claims}
    assert targets == {(1,), (2,), (1, 2)}
    assert "Nor can the targets be shared in any other way." in str(problem)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"heads": 3},
            "design.robust: heads must be at most the number of keys in target (2): a second head "
            "for the same keys has the same noise. Got 3.",
        ),
        ({"heads": 0}, "design.robust: heads must be a whole number ≥ 1. Got 0."),
        ({"gap": 0.0}, "design.robust: gap must be a positive finite number. Got 0.0."),
        ({"norm": -1}, "design.robust: norm must be a positive finite number. Got -1."),
        ({"scale": 0}, "design.robust: scale must be a positive finite number. Got 0."),
        (
            {"objective": "mean"},
            "design.robust: objective must be one of 'variance', 'quantile', 'failure'. Got 'mean'.",
        ),
        (
            {"risk": 0.1},
            "design.robust: risk is used by objective='quantile' only. Got risk 0.1, objective "
            "'variance'.",
        ),
        (
            {"risk": 0.6, "objective": "quantile"},
            "design.robust: risk must be at most 1/2, where it is the mean that counts. Got 0.6.",
        ),
        (
            {"risk": 0.0, "objective": "quantile"},
            "design.robust: risk must be a positive finite number. Got 0.0.",
        ),
        (
            {"gap": 1.0, "norm": 2.0, "objective": "failure"},
            "design.robust: objective='failure' takes a gap or a norm, not both: either settles the "
            "length of its queries. Got gap 1, norm 2.",
        ),
    ],
)
def test_options_that_cannot_be_used_are_refused_by_name(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        robust(MEANS, NOISE, BOTH, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("means", "noise", "message"),
    [
        (
            MEANS,
            NOISE[:4],
            "design.robust: covariances needs n = 5, (n, d, d). Got covariances (4, 5, 5).",
        ),
        (
            MEANS,
            -NOISE,
            "design.robust: covariances[0] must be positive semidefinite. Its smallest eigenvalue is "
            "-0.501, its largest -0.001.",
        ),
        (
            MEANS[0],
            NOISE,
            "design.robust: means needs 2 axes (n, d). Got means (5,). Add the missing axis: "
            "means[:, None].",
        ),
    ],
)
def test_laws_that_are_none_are_refused_by_name(means: Any, noise: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r"design\.robust") as caught:
        robust(means, noise, BOTH)
    assert str(caught.value) == message


def test_values_must_have_a_row_per_key() -> None:
    with pytest.raises(regard.ShapeError) as caught:
        robust(MEANS, NOISE, BOTH, values=np.zeros((4, 3)))
    assert str(caught.value) == ("design.robust: values needs 5 rows, (n, d_v). Got values (4, 3).")


# What a result looks like -------------------------------------------------------------------------


def test_values_are_averaged_by_the_law() -> None:
    values = np.random.default_rng(4).standard_normal((5, 3))
    design = designed(MEANS, NOISE, BOTH, gap=6.0, values=values)
    weights = robust(MEANS, NOISE, BOTH, gap=6.0)
    np.testing.assert_allclose(design.law.mean, weights.law.mean @ values, atol=1e-12)
    missed = design.law.mean - (values[0] + values[1]) / 2
    np.testing.assert_allclose(design.rmse**2, missed @ missed + design.law.variance, rtol=1e-12)


def test_a_design_prints_as_a_table() -> None:
    design = robust(np.eye(2), np.array([np.diag([0.5, 0.0]), np.zeros((2, 2))]), 0, gap=4.0)
    assert str(design).splitlines()[:11] == [
        "1 robust head over 2 keys",
        "=========================",
        "",
        "objective               variance",
        "gap                     at least 4",
        "scale                   1",
        f"root mean square error  {design.rmse:.6g} (exact)",
        "allocation              one head serves all targets",
        "claims                  3",
        "",
        "heads",
    ]
    assert "<table" in design._repr_html_()
    assert repr(design) == str(design)


def test_what_the_caller_does_to_the_arrays_later_does_not_count() -> None:
    means, noise = MEANS.copy(), NOISE.copy()
    design = robust(means, noise, BOTH, gap=6.0)
    means[:], noise[:] = 0, 0
    proved(design)
