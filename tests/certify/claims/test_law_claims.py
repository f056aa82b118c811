"""Laws of the output over random keys: moments, limits, and which heads are independent."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, fraction, result, status
from regard.certify.claims.random_keys import hardmax_limit as hard_limit
from regard.certify.claims.random_keys import output_law, random_heads

# Four keys at the unit vectors; the first varies along itself: 001_725e95d9063a7e6c (c-ii) and (d-ii).
EYE = np.eye(4)
ALONG = np.zeros((4, 4, 4))
ALONG[0, 0, 0] = 0.5
ARRAYS = {"means": EYE, "covariances": ALONG, "values": EYE}
PAIR = EYE[0] + EYE[1]
WIN = 0.9213503964748574  # Φ(√2)


def sigmoid_moments(mean: float, deviation: float) -> tuple[float, float]:
    """Return E σ(Z) and Var σ(Z) by the trapezoid rule, whose error is far below 1e-12."""
    step = min(0.125, 0.3 / deviation)
    z = np.arange(-int(10 / step), int(10 / step) + 1) * step
    share = 0.5 * (1 + np.tanh((mean + deviation * z) / 2))
    density = np.exp(-z * z / 2) * step / math.sqrt(2 * math.pi)
    first = float(density @ share)
    return first, float(density @ (share - first) ** 2)


def single(C: float, n: int) -> tuple[Any, Any]:
    """Return mean and covariance for the query C (mu_a + mu_b), from the closed form."""
    first, spread = sigmoid_moments(C - math.log(math.exp(C) + n - 2), C / math.sqrt(2))
    rest = np.array([0, math.exp(C)] + [1.0] * (n - 2)) / (math.exp(C) + n - 2)
    step = np.eye(n)[0] - rest
    return rest + first * step, spread * np.outer(step, step)


def double(C: float, n: int) -> tuple[Any, Any]:
    """Return mean and covariance for the queries C mu_a and C mu_b."""
    first, spread = sigmoid_moments(C - math.log(n - 1), C / math.sqrt(2))
    rest = np.array([0.0] + [1.0] * (n - 1)) / (n - 1)
    step = np.eye(n)[0] - rest
    still = (np.ones(n) + (math.exp(C) - 1) * np.eye(n)[1]) / (math.exp(C) + n - 1)
    return (rest + first * step + still) / 2, spread * np.outer(step, step) / 4


class TestOutputLaw:
    @pytest.mark.parametrize("C", [0.25, 1.0, 5.0, 10.0, 100.0])
    def test_one_query_for_two_keys(self, C: float) -> None:
        mean, covariance = single(C, 4)
        claim = output_law.claim(mean, covariance, 1e-12, queries=[C * PAIR])
        assert status(claim, ARRAYS) == "holds"
        claim = output_law.claim(mean, covariance, 1e-12, queries=[C * PAIR * (1 + 1e-6)])
        assert status(claim, ARRAYS) == "fails"

    def test_the_table_of_traces(self) -> None:
        # Sums of variances for n = 4, one query and two, as they are tabulated to six digits.
        table = {1: (0.032530, 0.008431), 5: (0.294142, 0.024681), 10: (0.390606, 0.024311)}
        for C, (one, two) in table.items():
            for law, trace, queries in (
                (single, one, [C * PAIR]),
                (double, two, [C * EYE[0], C * EYE[1]]),
            ):
                mean, covariance = law(float(C), 4)
                assert abs(np.trace(covariance) - trace) < 1e-6
                claim = output_law.claim(mean, covariance, 1e-12, queries=queries)
                assert status(claim, ARRAYS) == "holds"

    def test_ten_digits_that_were_worked_out_elsewhere(self) -> None:
        mean = [
            0.499995035348533,
            0.49995956839288874,
            2.269812928911939e-05,
            2.269812928911939e-05,
        ]
        rest = np.array([0, math.exp(10), 1, 1]) / (math.exp(10) + 2)
        covariance = 0.19532065482977728 * np.outer(EYE[0] - rest, EYE[0] - rest)
        claim = output_law.claim(mean, covariance, 1e-13, queries=[10 * PAIR])
        assert status(claim, ARRAYS) == "holds"

    def test_heads_may_have_any_weights(self) -> None:
        mean, covariance = single(3.0, 4)
        queries, weights = [3 * PAIR, np.zeros(4)], [2.0, -1.0]
        mean = 2 * mean - np.full(4, 0.25)
        claim = output_law.claim(mean, 4 * covariance, 1e-11, queries=queries, head_weights=weights)
        assert status(claim, ARRAYS) == "holds"
        claim = output_law.claim(mean, covariance, 1e-11, queries=queries, head_weights=weights)
        assert status(claim, ARRAYS) == "fails"

    def test_the_same_head_twice_is_no_steadier(self) -> None:
        mean, covariance = single(5.0, 4)
        claim = output_law.claim(mean, covariance, 1e-12, queries=[5 * PAIR, 5 * PAIR])
        assert status(claim, ARRAYS) == "holds"
        claim = output_law.claim(mean, covariance / 2, 1e-12, queries=[5 * PAIR, 5 * PAIR])
        assert status(claim, ARRAYS) == "fails"

    def test_heads_that_vary_against_each_other(self) -> None:
        # Of two keys, q and -q give the weights a and 1 - a: the average never moves.
        arrays = {
            "means": [[1.0], [0.0]],
            "covariances": [[[2.0]], [[0.0]]],
            "values": [[1.0], [0.0]],
        }
        claim = output_law.claim([0.5], [[0.0]], 1e-15, queries=[[1.0], [-1.0]])
        assert status(claim, arrays) == "holds"

    def test_both_of_two_keys_may_vary(self) -> None:
        arrays = {
            "means": [[1.0], [0.0]],
            "covariances": [[[2.0]], [[7.0]]],
            "values": [[1.0], [0.0]],
        }
        mean, spread = sigmoid_moments(0.5, 3 * 0.5)
        claim = output_law.claim([mean], [[spread]], 1e-12, queries=[[1.0]])
        assert status(claim, arrays, scale=0.5) == "holds"

    def test_keys_that_do_not_vary_give_one_output(self) -> None:
        still = {**ARRAYS, "covariances": 0 * ALONG}
        weights = np.array([math.e**2, 1, 1, 1]) / (math.e**2 + 3)
        claim = output_law.claim(weights, np.zeros((4, 4)), 1e-15, queries=[2 * EYE[0]])
        assert status(claim, still) == "holds"
        one = {"means": [[1.0]], "covariances": [[[1.0]]], "values": [[3.0, 5.0]]}
        claim = output_law.claim([3.0, 5.0], np.zeros((2, 2)), 0, queries=[[1.0]])
        assert status(claim, one) == "holds"

    def test_noise_across_the_query_has_no_effect(self) -> None:
        # 004_7161af3af673ab01 (f): the key that varies is not one of the two.
        arrays = {**ARRAYS, "covariances": ALONG[[2, 1, 0, 3]][:, [2, 1, 0, 3]][:, :, [2, 1, 0, 3]]}
        weights = np.array([math.exp(10)] * 2 + [1, 1]) / (2 * math.exp(10) + 2)
        claim = output_law.claim(weights, np.zeros((4, 4)), 1e-15, queries=[10 * PAIR])
        assert status(claim, arrays) == "holds"

    def test_a_head_that_hardly_moves_may_be_correlated(self) -> None:
        # The second query is 1e-9 off an axis along which nothing varies.
        mean, covariance = double(3.0, 4)
        queries = [3 * EYE[0], 3 * EYE[1] + 1e-14 * EYE[0]]
        claim = output_law.claim(mean, covariance, 1e-12, queries=queries)
        assert status(claim, ARRAYS) == "holds"

    def test_correlated_heads_are_not_decided(self) -> None:
        covariances = np.zeros((2, 2, 2))
        covariances[0] = [[1.0, 0.5], [0.5, 1.0]]
        arrays = {"means": np.eye(2), "covariances": covariances, "values": np.eye(2)}
        z = np.arange(-80, 81) * 0.125
        density = np.exp(-z * z / 2) * 0.125 / math.sqrt(2 * math.pi)
        first = 0.5 * (1 + np.tanh((1 + z) / 2))[:, None]  # the scores are 1 + z and 0, and in the
        second = 0.5 * (1 + np.tanh((0.5 * z[:, None] + math.sqrt(0.75) * z - 1) / 2))  # other head
        share = (first + second) / 2
        mean = density @ share @ density
        spread = density @ (share - mean) ** 2 @ density
        step = np.array([1.0, -1.0])
        law = ([mean, 1 - mean], spread * np.outer(step, step))
        claim = output_law.claim(*law, 0.02, queries=np.eye(2))
        assert status(claim, arrays) == "holds"  # at most half of the variances is shared
        claim = output_law.claim(*law, 0.001, queries=np.eye(2))
        assert status(claim, arrays) == "undecided"

    @pytest.mark.parametrize(
        "arrays",
        [
            {**ARRAYS, "covariances": np.stack([np.eye(4)] * 4)},  # all keys vary
            {**ARRAYS, "covariances": -ALONG},
            {**ARRAYS, "covariances": ALONG[:3]},
            {**ARRAYS, "values": EYE[:3]},
            {"means": EYE, "covariances": ALONG},
        ],
    )
    def test_other_laws_leave_it_undecided(self, arrays: dict[str, Any]) -> None:
        mean, covariance = single(2.0, 4)
        claim = output_law.claim(mean, covariance, 10.0, queries=[2 * PAIR])
        assert status(claim, ARRAYS) == "holds"
        assert status(claim, arrays) == "undecided"


class TestHardLimit:
    def test_one_query_flips_a_coin(self) -> None:
        atoms = [(0.5, [0, 1, 0, 0]), (0.5, [1, 0, 0, 0])]
        assert status(hard_limit.claim(atoms, 0, directions=[PAIR]), ARRAYS) == "holds"
        bent = [(0.5, [0, 1, 0, 0]), (0.5, [1, 0, 0, 1e-300])]
        assert status(hard_limit.claim(bent, 0, directions=[PAIR]), ARRAYS) == "fails"
        unfair = [(math.nextafter(0.5, 1), [0, 1, 0, 0]), (0.5, [1, 0, 0, 0])]
        assert status(hard_limit.claim(unfair, 0, directions=[PAIR]), ARRAYS) == "fails"

    def test_two_queries_win_with_probability_phi_of_root_two(self) -> None:
        atoms = [(WIN, [0.5, 0.5, 0, 0]), (1 - WIN, [0, "2/3", "1/6", "1/6"])]
        directions = EYE[:2]
        assert status(hard_limit.claim(atoms, 1e-15, directions=directions), ARRAYS) == "holds"
        assert status(hard_limit.claim(atoms, 0, directions=directions), ARRAYS) == "fails"
        assert status(hard_limit.claim(atoms[:1], 1e-15, directions=directions), ARRAYS) == "fails"
        more = [*atoms, (0, [1, 0, 0, 0])]
        assert status(hard_limit.claim(more, 1e-15, directions=directions), ARRAYS) == "fails"
        swapped = [(WIN, atoms[1][1]), (1 - WIN, atoms[0][1])]
        assert status(hard_limit.claim(swapped, 1e-15, directions=directions), ARRAYS) == "fails"

    def test_cases_with_a_negative_score_may_be_left_out(self) -> None:
        # Along EYE[0] the others score 0: given s_a ≥ 0 the key wins always.
        one = [(1, [1, 0, 0, 0])]
        kept = {"directions": EYE[:1], "nonnegative": True}
        assert status(hard_limit.claim(one, 0, **kept), ARRAYS) == "holds"
        assert status(hard_limit.claim(one, 0, directions=EYE[:1]), ARRAYS) == "fails"
        # Along PAIR the second key scores 1 and s_a ~ N(1, 1/2): P(s_a > 1 | s_a > 0) = 1/2/Φ(√2).
        win = 0.5 / WIN
        two = [(win, [1, 0, 0, 0]), (1 - win, [0, 1, 0, 0])]
        kept["directions"] = np.array([PAIR])
        assert status(hard_limit.claim(two, 1e-15, **kept), ARRAYS) == "holds"
        half = [(0.5, [1, 0, 0, 0]), (0.5, [0, 1, 0, 0])]
        assert status(hard_limit.claim(half, 1e-3, **kept), ARRAYS) == "fails"
        drawn = 1 + np.random.default_rng(1).standard_normal(400_000) / math.sqrt(2)
        np.testing.assert_allclose(np.mean(drawn[drawn >= 0] > 1), win, atol=3e-3)

    def test_mean_and_variance_of_the_limit(self) -> None:
        atoms = [(0.5, [0, 1, 0, 0]), (0.5, [1, 0, 0, 0])]
        for mean, variance, wanted in (
            ([0.5, 0.5, 0, 0], 0.5, "holds"),
            ([0.5, 0.5, 0, 0], 0.25, "fails"),
            ([0.5, 0.5, 0, 1e-6], 0.5, "fails"),
        ):
            stated = {"directions": [PAIR], "moments": (mean, variance, 1e-9)}
            assert status(hard_limit.claim(atoms, 0, **stated), ARRAYS) == wanted

    def test_independent_heads_multiply(self) -> None:
        covariances = np.zeros((3, 3, 3))
        covariances[0, 0, 0], covariances[1, 1, 1] = 1.0, 0.25
        arrays = {
            "means": np.eye(3),
            "covariances": covariances,
            "values": [[1.0], [10.0], [100.0]],
        }
        p, q = (0.5 * (1 + math.erf(x / math.sqrt(2))) for x in (1.0, 2.0))
        atoms = [(p * q, [5.5]), (p * (1 - q), [25.75]), ((1 - p) * q, [32.5])]
        atoms.append(((1 - p) * (1 - q), [52.75]))
        claim = hard_limit.claim(atoms, 1e-14, directions=np.eye(3)[:2])
        assert status(claim, arrays) == "holds"

    def test_the_same_direction_twice_moves_together(self) -> None:
        atoms = [(0.5, [0, 1, 0, 0]), (0.5, [1, 0, 0, 0])]
        claim = hard_limit.claim(atoms, 0, directions=[PAIR, PAIR])
        assert status(claim, ARRAYS) == "holds"
        claim = hard_limit.claim(atoms, 0, directions=[PAIR, 2 * PAIR])
        assert (
            status(claim, ARRAYS) == "undecided"
        )  # they move together too, which is not looked at

    def test_without_noise_ties_share(self) -> None:
        still = {**ARRAYS, "covariances": 0 * ALONG}
        claim = hard_limit.claim([(1, [0.5, 0.5, 0, 0])], 0, directions=[PAIR])
        assert status(claim, still) == "holds"
        claim = hard_limit.claim([(1, ["1/3", 0, "1/3", "1/3"])], 0, directions=[-EYE[1]])
        assert status(claim, still) == "holds"

    def test_values_that_are_one_are_counted_as_one(self) -> None:
        arrays = {**ARRAYS, "values": np.ones((4, 1))}
        claim = hard_limit.claim([(1, [1])], 1e-15, directions=[EYE[0]])
        assert status(claim, arrays) == "holds"


def test_heads_are_independent_where_no_key_moves_both() -> None:
    both = random_heads.independence_claim
    assert status(both(0, 1, True, queries=EYE[:2]), ARRAYS) == "holds"
    assert status(both(0, 1, False, queries=EYE[:2]), ARRAYS) == "fails"
    # Not because the queries differ: with noise along mu_a + mu_b the same two are correlated.
    along = np.zeros((4, 4, 4))
    along[0] = np.outer(PAIR, PAIR) / 4
    arrays = {**ARRAYS, "covariances": along}
    found = result(both(0, 1, False, queries=3 * EYE[:2]), arrays)
    assert found.status == "holds"
    assert found.statement == "the scores of heads 0 and 1 are correlated, not independent"
    assert found.reason == "The largest covariance of scores is 2.25000, at key 0."
    assert status(both(0, 1, True, queries=3 * EYE[:2]), arrays) == "fails"
    tiny = [EYE[0], EYE[1] + 1e-200 * EYE[0]]
    assert status(both(0, 1, True, queries=tiny), ARRAYS) == "fails"
    assert status(both(0, 0, True, queries=EYE[:2]), ARRAYS) == "undecided"
    assert status(both(0, 2, True, queries=EYE[:2]), ARRAYS) == "undecided"


def test_score_differences_are_exact() -> None:
    # With noise alpha I on all keys: mean C, variance 2 alpha C².
    arrays = {"means": np.eye(3), "covariances": np.stack([0.25 * np.eye(3)] * 3)}
    query = {"query": [3.0, 3.0, 0.0]}
    claim = random_heads.differences_claim([[0, 1], [0, 2]], [0, 3], [9, 9], 0, **query)
    assert status(claim, arrays) == "holds"
    claim = random_heads.differences_claim([[0, 1], [0, 2]], [0, 3], [9, 9.000001], 0, **query)
    assert status(claim, arrays) == "fails"
    assert status(claim, arrays, scale=2.0) == "fails"
    claim = random_heads.differences_claim([[0, 2]], [6], [36], 0, **query)
    assert status(claim, arrays, scale=2.0) == "holds"


def test_statements_read_as_sentences() -> None:
    mean, covariance = single(10.0, 4)
    claim = output_law.claim(mean, covariance, 1e-9, queries=[10 * PAIR])
    assert result(claim, ARRAYS).statement == (
        f"the output has mean ({', '.join(repr(float(x)).replace('e-0', 'e-') for x in mean)}) and "
        "the covariance given, whose trace is about 0.390606, each entry within 1e-9"
    )
    claim = hard_limit.claim([(0.5, [1, 0, 0, 0]), (0.5, [0, 1, 0, 0])], 0, directions=[PAIR])
    assert result(claim, ARRAYS).statement == (
        "as the queries grow along their directions, the output becomes (1, 0, 0, 0) with "
        "probability 0.5, or (0, 1, 0, 0) with probability 0.5"
    )


# What is true of a damaged claim


class _Law:
    """Means and covariances of the scores of several heads, in fractions."""

    def __init__(self, certificate: Data, name: str) -> None:
        arrays, (claim,) = certificate["arrays"], certificate["claims"]
        scale = fraction(certificate.get("scale", 1.0))
        queries = claim["witness"][name]
        queries = [queries] if name == "query" else queries
        means = arrays["means"]
        n, d = len(means), len(means[0])
        covariances = arrays["covariances"]
        if np.shape(covariances) != (n, d, d) or np.shape(means) != (n, d) or not queries:
            raise Meaningless
        if any(np.shape(row) != (d,) or any(isinstance(x, str) for x in row) for row in queries):
            raise Meaningless
        if not np.array_equal(covariances, np.swapaxes(covariances, 1, 2)):
            raise Meaningless
        self.q = [[scale * fraction(x) for x in row] for row in queries]
        self.means = [
            [sum(a * fraction(b) for a, b in zip(q, row, strict=True)) for row in means]
            for q in self.q
        ]
        self.covariances = [[[fraction(x) for x in row] for row in table] for table in covariances]
        for i, h, g in itertools.product(range(n), range(len(self.q)), range(len(self.q))):
            minor = self.joint(h, h, i) * self.joint(g, g, i) - self.joint(h, g, i) ** 2
            if self.joint(h, h, i) < 0 or minor < 0:
                raise Meaningless  # for two heads this is all that a law needs

    def joint(self, h: int, g: int, i: int) -> Fraction:
        table = self.covariances[i]
        return sum(
            (
                a * x * b
                for a, row in zip(self.q[h], table, strict=True)
                for x, b in zip(row, self.q[g], strict=True)
            ),
            Fraction(0),
        )


def _head_weights(certificate: Data, count: int) -> list[float]:
    weights = certificate["claims"][0]["witness"].get("head_weights")
    weights = [1 / count] * count if weights is None else [float(fraction(x)) for x in weights]
    if len(weights) != count:
        raise Meaningless
    return weights


def judge_law(certificate: Data) -> bool | None:
    """Judge by quadrature over all keys that vary: one or two, or it is not known."""
    (claim,) = certificate["claims"]
    law = _Law(certificate, "queries")
    values = np.array(certificate["arrays"]["values"], float)
    mean, covariance = np.array(claim["mean"], float), np.array(claim["covariance"], float)
    n, heads = len(law.covariances), len(law.q)
    error = float(fraction(claim["error"]))
    if values.shape != (n, mean.size) or covariance.shape != (mean.size,) * 2 or error < 0:
        raise Meaningless
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise Meaningless
    if any(isinstance(x, bool) for x in [*claim["mean"], *itertools.chain(*claim["covariance"])]):
        raise Meaningless
    weights = _head_weights(certificate, heads)
    varying = {h: [i for i in range(n) if law.joint(h, h, i)] for h in range(heads)}
    if n > 2 and any(len(keys) > 1 for keys in varying.values()):
        raise Meaningless
    # Each key that varies has a Gram matrix over the heads; its factor moves the scores.
    moving = sorted({i for keys in varying.values() for i in keys})
    if len(moving) > 1 or max((abs(float(m)) for row in law.means for m in row), default=0) > 60:
        return None
    z = np.arange(-4000, 4001) * 0.0025
    density = np.exp(-z * z / 2) * 0.0025 / math.sqrt(2 * math.pi)
    scores = np.array([[float(m) for m in row] for row in law.means])[:, :, None] + 0 * z
    for i in moving:
        leader = next(h for h in range(heads) if law.joint(h, h, i))
        root = math.sqrt(law.joint(leader, leader, i))
        if root > 25:
            return None
        for h in range(heads):
            if law.joint(leader, h, i) ** 2 != law.joint(leader, leader, i) * law.joint(h, h, i):
                return None
            scores[h, i] += float(law.joint(leader, h, i)) / root * z
    terms = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = terms / terms.sum(axis=1, keepdims=True)
    outputs = np.einsum("h,hnz,nm->mz", weights, shares, values)
    first = outputs @ density
    spread = (outputs - first[:, None]) * density @ (outputs - first[:, None]).T
    if not np.isfinite(spread).all():
        return None
    worst = max(np.abs(first - mean).max(), np.abs(spread - covariance).max())
    slack = 1e-11 * (1 + np.abs(values).max()) ** 2
    return bool(worst <= error) if abs(worst - error) > slack else None


def judge_limit(certificate: Data) -> bool | None:
    """Judge by the winner of each head, over the two sides of one key that varies."""
    (claim,) = certificate["claims"]
    law = _Law(certificate, "directions")
    rows = [[fraction(x) for x in row] for row in certificate["arrays"]["values"]]
    n, heads = len(law.covariances), len(law.q)
    error = fraction(claim["error"])
    if isinstance(claim["error"], str) or len(rows) != n or error < 0 or not claim["atoms"]:
        raise Meaningless
    stated = []
    for atom in claim["atoms"]:
        if len(atom["value"]) != len(rows[0]):
            raise Meaningless
        stated.append((fraction(atom["probability"]), [fraction(x) for x in atom["value"]]))
    raw = claim["witness"].get("head_weights")
    weights = [Fraction(1, heads)] * heads if raw is None else [fraction(x) for x in raw]
    if len(weights) != heads:
        raise Meaningless
    varying = {h: [i for i in range(n) if law.joint(h, h, i)] for h in range(heads)}
    if n > 2 and any(len(keys) > 1 for keys in varying.values()):
        raise Meaningless
    noisy = [h for h in range(heads) if varying[h]]
    if len(noisy) > 1 or len(rows) == 2 or any(len({*map(len, rows)}) > 1 for _ in rows):
        return None

    def winners(h: int, without: int | None) -> list[Fraction]:
        places = [i for i in range(n) if i != without]
        top = max(law.means[h][i] for i in places)
        first = [rows[i] for i in places if law.means[h][i] == top]
        return [sum(column, Fraction(0)) / len(first) for column in zip(*first, strict=True)]

    def total(parts: list[list[Fraction]]) -> tuple[Fraction, ...]:
        return tuple(
            sum((w * part[c] for w, part in zip(weights, parts, strict=True)), Fraction(0))
            for c in range(len(rows[0]))
        )

    if not noisy:
        atoms = {total([winners(h, None) for h in range(heads)]): mpmath.mpf(1)}
    else:
        (h,) = noisy
        (key,) = varying[h]
        ahead = law.means[h][key] - max(law.means[h][i] for i in range(n) if i != key)
        variance = law.joint(h, h, key)
        with mpmath.workdps(40):
            chance = mpmath.ncdf(
                mpmath.mpf(ahead.numerator)
                / ahead.denominator
                / mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
            )
        atoms = {}
        for probability, part in ((chance, rows[key]), (1 - chance, winners(h, key))):
            point = total([part if g == h else winners(g, None) for g in range(heads)])
            atoms[point] = atoms.get(point, mpmath.mpf(0)) + probability
    if len(atoms) != len(stated):
        return False
    for order in itertools.permutations(stated):
        apart: list[Any] = []
        for (point, chance), (probability, value) in zip(atoms.items(), order, strict=True):
            apart += [abs(a - b) for a, b in zip(point, value, strict=True)]
            apart.append(abs(chance - mpmath.mpf(probability.numerator) / probability.denominator))
        if all(float(x) <= float(error) * (1 - 1e-6) for x in apart):
            return True
        if all(float(x) <= float(error) * (1 + 1e-6) for x in apart):
            return None
    return False


def judge_independence(certificate: Data) -> bool:
    (claim,) = certificate["claims"]
    law = _Law(certificate, "queries")
    h, g = claim["heads"]
    if (
        any(fraction(x) % 1 or not 0 <= x < len(law.q) or isinstance(x, str) for x in (h, g))
        or h == g
    ):
        raise Meaningless
    if not isinstance(claim["independent"], bool):
        raise Meaningless
    zero = all(law.joint(int(h), int(g), i) == 0 for i in range(len(law.covariances)))
    return zero == claim["independent"]


def judge_differences(certificate: Data) -> bool:
    (claim,) = certificate["claims"]
    law = _Law(certificate, "query")
    error = fraction(claim["error"])
    if isinstance(claim["error"], str) or error < 0 or not claim["pairs"]:
        raise Meaningless
    off = []
    for (i, j), mean, variance in zip(
        claim["pairs"], claim["means"], claim["variances"], strict=True
    ):
        if (
            any(
                isinstance(x, str) or fraction(x) % 1 or not 0 <= x < len(law.covariances)
                for x in (i, j)
            )
            or i == j
        ):
            raise Meaningless
        i, j = int(i), int(j)
        off.append(law.means[0][i] - law.means[0][j] - fraction(mean))
        off.append(law.joint(0, 0, i) + law.joint(0, 0, j) - fraction(variance))
    return all(abs(x) <= error for x in off)


SMALL = {
    "means": [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
    "covariances": [[[0.5, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]],
    "values": [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]],
}


def _small_law() -> Data:
    # Scores 2z + 2, 2, 2 in the first head; in the second nothing varies: 0, 3, 1.5.
    first, spread = sigmoid_moments(2 - math.log(2 * math.e**2) + 0.0, 2 * math.sqrt(0.5))
    rest, still = (
        np.array([0.5, 2.0]),
        np.exp([0, 3, 1.5]) @ SMALL["values"] / np.exp([0, 3, 1.5]).sum(),
    )
    step = np.array([1.0, 0.0]) - rest
    mean = 0.75 * (rest + first * step) + 0.25 * still
    covariance = 0.75**2 * spread * np.outer(step, step)
    queries = [[2.0, 2.0], [0.0, 3.0]]
    claim = output_law.claim(mean, covariance, 1e-7, queries=queries, head_weights=[0.75, 0.25])
    return data(claim, SMALL)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_damage_to_a_law_is_seen() -> None:
    assert_damage_is_seen(_small_law(), judge_law, most=200, decided=0.9)


def test_damage_to_a_limit_is_seen() -> None:
    p = 0.9213503964748574
    arrays = {**SMALL, "means": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]}
    atoms = [(p, [0.5, 1.5]), (1 - p, [0.25, 2.5])]  # beaten, it is replaced by (0, 3) and (1, 1)
    claim = hard_limit.claim(atoms, 1e-9, directions=[[1.0, 0.0], [0.0, 1.0]])
    assert_damage_is_seen(data(claim, arrays), judge_limit, decided=0.8)


def test_damage_to_the_independence_of_heads_is_seen() -> None:
    for independent, queries in (
        (True, [[1.0, 0.0], [0.0, 1.0]]),
        (False, [[1.0, 0.0], [2.0, 1.0]]),
    ):
        claim = random_heads.independence_claim(0, 1, independent, queries=queries)
        assert_damage_is_seen(data(claim, SMALL), judge_independence, least=2)


def test_damage_to_score_differences_is_seen() -> None:
    claim = random_heads.differences_claim(
        [[0, 1], [2, 0]], [1.0, "-1/2"], [2.0, 2.0], 0, query=[2.0, 1.0]
    )
    assert_damage_is_seen(data(claim, SMALL), judge_differences)
