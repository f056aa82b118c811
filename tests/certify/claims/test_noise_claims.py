"""Claims about random keys on cases worked out by hand: what holds, what fails, what stays open."""

from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest

from regard.certify import Certificate, Claim, verify


def status(
    kind: str,
    arrays: dict[str, Any],
    fields: dict[str, Any],
    witness: dict[str, Any],
    scale: float = 1.0,
) -> str:
    """Return the status of one claim, which is the same after a trip through JSON."""
    floats = {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}
    certificate = Certificate(floats, (Claim(kind, fields, witness),), scale)
    (result,) = verify(certificate).claims
    (again,) = verify(json.loads(json.dumps(certificate.to_dict()))).claims
    assert again == result
    assert result.reason
    assert result.statement
    assert result.statement != "a claim that cannot be read" or result.status == "undecided"
    return result.status


def above(number: float) -> float:
    return math.nextafter(number, math.inf)


def below(number: float) -> float:
    return math.nextafter(number, -math.inf)


def target(weights: dict[int, float]) -> dict[str, list[Any]]:
    return {"indices": list(weights), "weights": list(weights.values())}


# Three keys at the unit vectors; the first varies along the first axis, the second along the second.
ARRAYS: dict[str, Any] = {
    "means": np.eye(3),
    "covariances": [np.diag([1.0, 0, 0]), np.diag([0, 16.0, 0]), np.zeros((3, 3))],
}
# A query (3, 1, 0): means 3, 1, 0 and variances 9, 16, 0.
QUERY = {"query": [3.0, 1.0, 0.0]}


class TestMeanGap:
    def check(self, chosen: list[int], deviations: float, bound: float, scale: float = 1.0) -> str:
        fields = {"chosen": chosen, "deviations": deviations, "bound": bound}
        return status("mean_gap", ARRAYS, fields, QUERY, scale)

    @pytest.mark.parametrize(
        ("chosen", "deviations", "gap", "scale"),
        [
            ([0], 0.0, 2.0, 1.0),
            ([0, 1], 0.0, 1.0, 1.0),
            ([1], 0.0, -2.0, 1.0),
            ([0], 0.0, 1.0, 0.5),
            ([2], 0.0, 1.0, -1.0),
            ([0], 0.5, 2 - 0.5 * 5, 1.0),  # √(9 + 16) = 5
            ([0, 1], 1.0, 1 - 4.0, 1.0),  # the second key is 1 above the third, and varies by 4
            ([0], 0.5, 2 * (2 - 0.5 * 5), 2.0),
        ],
    )
    def test_the_least_difference_decides_to_the_last_bit(
        self, chosen: list[int], deviations: float, gap: float, scale: float
    ) -> None:
        assert self.check(chosen, deviations, gap, scale) == "holds"
        assert self.check(chosen, deviations, above(gap), scale) == "fails"
        assert self.check(chosen, deviations, gap - 1, scale) == "holds"
        assert self.check(chosen, deviations, gap + 1, scale) == "fails"

    @pytest.mark.parametrize(
        "fields",
        [
            {"chosen": [0, 1, 2], "deviations": 0.0, "bound": -9.0},
            {"chosen": [], "deviations": 0.0, "bound": -9.0},
            {"chosen": [0, 0], "deviations": 0.0, "bound": -9.0},
            {"chosen": [3], "deviations": 0.0, "bound": -9.0},
            {"chosen": [0], "deviations": -1.0, "bound": -9.0},
            {"chosen": [0], "deviations": 0.0, "bound": math.nan},
            {"chosen": [0], "bound": -9.0},
        ],
    )
    def test_what_cannot_be_read_is_undecided(self, fields: dict[str, Any]) -> None:
        assert status("mean_gap", ARRAYS, fields, QUERY) == "undecided"

    @pytest.mark.parametrize(
        "covariances",
        [
            np.zeros((3, 3)),
            np.zeros((3, 2, 2)),
            np.zeros((2, 3, 3)),
            [np.eye(3), np.eye(3), np.triu(np.ones((3, 3)))],
        ],
    )
    def test_covariances_that_are_none_leave_it_undecided(self, covariances: Any) -> None:
        arrays = {**ARRAYS, "covariances": covariances}
        fields = {"chosen": [0], "deviations": 0.0, "bound": -9.0}
        assert status("mean_gap", arrays, fields, QUERY) == "undecided"

    def test_a_query_of_another_length_is_undecided(self) -> None:
        fields = {"chosen": [0], "deviations": 0.0, "bound": -9.0}
        assert status("mean_gap", ARRAYS, fields, {"query": [3.0, 1.0]}) == "undecided"
        assert status("mean_gap", ARRAYS, fields, {}) == "undecided"


class TestMeanWeights:
    def check(self, weights: dict[int, float], bound: float) -> str:
        fields = {"target": target(weights), "bound": bound}
        return status("mean_weights", ARRAYS, fields, QUERY)

    def test_equal_weights_want_equal_scores(self) -> None:
        assert self.check({0: 0.5, 1: 0.5}, 2.0) == "holds"
        assert self.check({0: 0.5, 1: 0.5}, below(2.0)) == "fails"
        assert self.check({2: 0.7}, 0.0) == "holds"

    def test_scores_are_wanted_to_differ_as_logarithms(self) -> None:
        with mpmath.workdps(40):  # 3 − ln 0.8 against 1 − ln 0.2
            off = float(abs(2 - mpmath.log(mpmath.mpf(0.8) / mpmath.mpf(0.2))))
        assert self.check({0: 0.8, 1: 0.2}, off * (1 + 1e-15)) == "holds"
        assert self.check({0: 0.8, 1: 0.2}, off * (1 - 1e-15)) == "fails"
        assert self.check({0: 0.2, 1: 0.8}, 3.0) == "fails"

    @pytest.mark.parametrize("weights", [{0: 0.0, 1: 1.0}, {0: -1.0, 1: 2.0}, {7: 1.0}])
    def test_weights_that_are_none_leave_it_undecided(self, weights: dict[int, float]) -> None:
        assert self.check(weights, 99.0) == "undecided"


class TestScoreVariance:
    def check(self, pairs: Any, weights: Any, bound: float, scale: float = 1.0) -> str:
        fields = {"pairs": pairs, "weights": weights, "bound": bound}
        return status("score_variance", ARRAYS, fields, QUERY, scale)

    @pytest.mark.parametrize(
        ("pairs", "weights", "variance", "scale"),
        [
            ([[0, 1]], [1.0], 25.0, 1.0),
            ([[0, 1], [0, 2]], [0.5, 2.0], 30.5, 1.0),
            ([[0, 2], [1, 2]], None, 16.0, 1.0),
            ([[0, 2], [1, 2]], None, 64.0, -2.0),
        ],
    )
    def test_the_sum_or_the_largest_decides(
        self, pairs: Any, weights: Any, variance: float, scale: float
    ) -> None:
        assert self.check(pairs, weights, variance, scale) == "holds"
        assert self.check(pairs, weights, below(variance), scale) == "fails"

    @pytest.mark.parametrize(
        ("pairs", "weights"),
        [([], None), ([[0, 0]], None), ([[0, 3]], None), ([[0, 1, 2]], None), ([[0, 1]], [-1.0])],
    )
    def test_pairs_that_are_none_leave_it_undecided(self, pairs: Any, weights: Any) -> None:
        assert self.check(pairs, weights, 1e9) == "undecided"

    def test_a_pair_without_a_weight_leaves_it_undecided(self) -> None:
        assert self.check([[0, 1], [0, 2]], [1.0], 1e9) == "undecided"


class TestFailureAtMost:
    def check(self, chosen: list[int], bound: float, query: Any = (3.0, 1.0, 0.0)) -> str:
        fields = {"chosen": chosen, "bound": bound}
        return status("failure_at_most", ARRAYS, fields, {"query": list(query)})

    def test_the_tails_of_all_pairs_are_added(self) -> None:
        with mpmath.workdps(
            40
        ):  # key 0 is 2 above key 1, which varies by 5, and 3 above key 2, by 3
            total = float(mpmath.ncdf(mpmath.mpf(-2) / 5) + mpmath.ncdf(-1))
        assert self.check([0], total * (1 + 1e-14)) == "holds"
        assert self.check([0], total * (1 - 1e-14)) == "fails"

    def test_a_tail_far_below_the_smallest_weight_is_seen(self) -> None:
        arrays = {**ARRAYS, "means": 30 * np.eye(3)}
        with mpmath.workdps(40):
            total = float(mpmath.ncdf(-30) + mpmath.ncdf(-12))
        for factor, expected in [(1 + 1e-13, "holds"), (1 - 1e-13, "fails")]:
            fields = {"chosen": [0], "bound": total * factor}
            assert status("failure_at_most", arrays, fields, QUERY) == expected

    def test_without_noise_the_means_decide(self) -> None:
        assert self.check([2], 0.0, (0.0, 0.0, 1.0)) == "holds"
        assert self.check([2], 1.99, (0.0, 0.0, -1.0)) == "fails"
        assert self.check([2], 2.0, (0.0, 0.0, -1.0)) == "holds"

    def test_a_tie_without_noise_counts_as_a_failure(self) -> None:
        assert self.check([0], 1.99, (0.0, 0.0, 0.0)) == "fails"
        assert self.check([0], 2.0, (0.0, 0.0, 0.0)) == "holds"

    def test_a_variance_that_cancels_is_told_from_none(self) -> None:
        # Along (1, −1 + 2⁻⁴⁰) the noise (1, 1)(1, 1)ᵀ leaves 2⁻⁸⁰, and the keys are 2⁻⁴⁰ apart.
        small = 2.0**-40
        arrays = {
            "means": [[1.0, 1.0], [0.0, 0.0]],
            "covariances": [np.ones((2, 2)), np.zeros((2, 2))],
        }
        witness = {"query": [1.0, -1.0 + small]}
        with mpmath.workdps(40):
            chance = float(mpmath.ncdf(-1))
        for factor, expected in [(1 + 1e-12, "holds"), (1 - 1e-12, "fails")]:
            fields = {"chosen": [0], "bound": chance * factor}
            assert status("failure_at_most", arrays, fields, witness) == expected

    def test_noise_that_rounding_has_made_negative_counts_as_none(self) -> None:
        arrays = {"means": [[1.0], [0.0]], "covariances": [[[-1e-20]], [[0.0]]]}
        fields = {"chosen": [0], "bound": 0.0}
        assert status("failure_at_most", arrays, fields, {"query": [1.0]}) == "holds"


class TestVarianceAtLeast:
    # Key 0 at (1, 0) above key 1 at (0, 1) by 3, Σ_0 + Σ_1 = 2 I: (1.5, −1.5) has the least, 9.
    arrays: ClassVar = {"means": np.eye(2), "covariances": [np.eye(2), np.eye(2)]}
    fields: ClassVar = {
        "target": target({0: 1.0}),
        "gap": 3.0,
        "pairs": [[0, 1]],
        "weights": None,
        "radius": None,
        "bound": 9.0,
    }
    witness: ClassVar = {
        "point": [1.5, -1.5],
        "rows": [6.0],
        "ties": [],
        "ridge": 0.0,
        "floor": 1.0,
        "mixture": [1.0],
    }

    def check(
        self,
        fields: dict[str, Any],
        witness: dict[str, Any],
        arrays: Any = None,
        scale: float = 1.0,
    ) -> str:
        return status(
            "variance_at_least",
            arrays or self.arrays,
            {**self.fields, **fields},
            {**self.witness, **witness},
            scale,
        )

    def test_multipliers_prove_the_least_variance(self) -> None:
        assert self.check({}, {}) == "holds"
        assert self.check({"bound": above(9.0)}, {}) == "undecided"
        assert self.check({"weights": [1.0]}, {"mixture": None}) == "holds"
        assert (
            self.check({"weights": [0.5], "bound": 4.5}, {"rows": [3.0], "floor": 0.5}) == "holds"
        )

    def test_a_quieter_query_refutes_it(self) -> None:
        best = {"attained_by": [1.5, -1.5]}
        assert self.check({"bound": above(9.0)}, best) == "fails"
        assert self.check({"bound": above(9.0), "radius": 2.0}, best) == "undecided"
        assert self.check({"bound": above(9.0), "radius": 2.2}, best) == "fails"
        # One that does not meet the gap refutes nothing.
        assert self.check({"bound": above(9.0)}, {"attained_by": [1.0, -1.0]}) == "undecided"

    def test_the_scale_counts_twice(self) -> None:
        # Scores are doubled: half the query has the gap, with the same variance.
        assert self.check({}, {"point": [0.75, -0.75]}, scale=2.0) == "holds"
        assert self.check({"bound": 9.1}, {"point": [0.75, -0.75]}, scale=2.0) == "undecided"

    @pytest.mark.parametrize(
        "witness",
        [
            {"rows": [-6.0]},
            {"rows": []},
            {"rows": [5.0]},
            {"rows": [7.0]},
            {"point": [1.5]},
            {"point": [1.4, -1.5]},
            {"floor": 0.0},
            {"floor": 2.1},  # 2 I − 2.1 I is not positive
            {"floor": -1.0},
            {"ridge": 0.1},
            {"ridge": -0.1},
            {"ties": [1.0]},
            {"mixture": [0.0]},
            {"mixture": [-1.0]},
            {"mixture": None},
        ],
    )
    def test_other_multipliers_prove_nothing(self, witness: dict[str, Any]) -> None:
        assert self.check({}, witness) == "undecided"

    @pytest.mark.parametrize(
        "fields",
        [
            {"gap": 2.99},
            {"target": target({0: 0.5, 1: 0.5})},
            {"target": target({1: 1.0})},
            {"pairs": [[0, 0]]},
            {"pairs": []},
            {"weights": [0.9]},
            {"radius": -1.0},
        ],
    )
    def test_other_claims_are_not_proved(self, fields: dict[str, Any]) -> None:
        assert self.check(fields, {}) == "undecided"

    def test_rounded_multipliers_cost_their_square_over_the_floor(self) -> None:
        # 2·2I (1.5 + ε, −1.5) − 6 (1, −1) = (4ε, 0): (4ε)²/(4 · 1) is lost, and f rises by 2ε².
        off = 2.0**-10
        bound = 9 + 2 * off**2 - 4 * off**2
        moved = {"point": [1.5 + off, -1.5]}
        assert self.check({"bound": bound}, moved) == "holds"
        assert self.check({"bound": above(bound)}, moved) == "undecided"

    def test_a_mixture_of_pairs_bounds_the_largest(self) -> None:
        # Key 0 against keys 1 and 2: half of each, by symmetry. q = (x, −y, −y), x + y = 3.
        arrays = {
            "means": np.eye(3),
            "covariances": [np.zeros((3, 3)), np.diag([1, 4, 0]), np.diag([1, 0, 4])],
        }
        # The mean of the two forms is x² + 2 y² + 2 y²: x = 12/5, y = 3/5, and 36/5.
        fields = {"pairs": [[0, 1], [0, 2]], "bound": 7.2 * (1 - 1e-12)}
        witness = {
            "point": [2.4, -0.6, -0.6],
            "rows": [2.4, 2.4],
            "mixture": [3.0, 3.0],
            "floor": 0.5,
        }
        assert self.check(fields, witness, arrays) == "holds"
        assert self.check({**fields, "bound": 7.2 * (1 + 1e-12)}, witness, arrays) == "undecided"
        assert self.check(fields, {**witness, "mixture": [1.0, 0.0]}, arrays) == "undecided"

    @pytest.mark.parametrize("share", [0.5, 0.75])
    def test_ties_within_the_group_count_with_their_logarithms(self, share: float) -> None:
        # Keys 0 and 1 want weights 1 − share ≤ share; Σ = I, so 2 ‖q‖² is to be small, with
        # q = (a, a + t, a − 2), t = ln(share / (1 − share)): a = (2 − t)/3.
        with mpmath.workdps(40):
            t = mpmath.log(mpmath.mpf(share) / mpmath.mpf(1 - share))
            a = (2 - t) / 3
            q = [a, a + t, a - 2]
            least = float(2 * sum(x * x for x in q))
            point = [float(x) for x in q]
        arrays = {"means": np.eye(3), "covariances": [np.eye(3)] * 3}
        # 4 q = y (e_0 − e_2) + s (e_0 − e_1)
        witness = {
            "point": point,
            "rows": [-4 * point[2]],
            "ties": [-4 * point[1]],
            "mixture": None,
        }
        fields = {"target": target({0: 1 - share, 1: share}), "gap": 2.0, "weights": [1.0]}
        assert self.check({**fields, "bound": least * (1 - 1e-12)}, witness, arrays) == "holds"
        assert self.check({**fields, "bound": least * (1 + 1e-12)}, witness, arrays) == "undecided"
        turned = {
            **fields,
            "target": target({0: share, 1: 1 - share}),
            "bound": least * (1 - 1e-12),
        }
        assert self.check(turned, witness, arrays) == ("holds" if share == 0.5 else "undecided")

    def test_a_query_that_may_not_be_long_cannot_avoid_all_noise(self) -> None:
        # Only the first entry is noisy: x² is to be small with x + y ≥ 3 and x² + y² ≤ 2.5².
        arrays = {"means": np.eye(2), "covariances": [np.diag([1.0, 0.0]), np.zeros((2, 2))]}
        x = (3 - math.sqrt(2 * 6.25 - 9)) / 2
        y = 3 - x
        ridge = x / (y - x)
        witness = {"point": [x, -y], "rows": [2 * ridge * y], "ridge": ridge, "floor": ridge / 2}
        good, bad = x * x * (1 - 1e-9), x * x * (1 + 1e-9)
        assert self.check({"radius": 2.5, "bound": good}, witness, arrays) == "holds"
        assert self.check({"radius": 2.5, "bound": bad}, witness, arrays) == "undecided"
        assert self.check({"radius": 2.6, "bound": good}, witness, arrays) == "undecided"
        assert self.check({"radius": None, "bound": good}, witness, arrays) == "undecided"
        quiet = {**witness, "attained_by": [0.0, -3.0]}
        assert self.check({"radius": None, "bound": good}, quiet, arrays) == "fails"

    def test_a_negative_multiplier_proves_nothing(self) -> None:
        # A gap of −3 is met by no query at all, which has no noise; with −6 it would come out as 9.
        turned = {"point": [-1.5, 1.5], "rows": [-6.0]}
        assert self.check({"gap": -3.0}, turned) == "undecided"
        assert self.check({"gap": -3.0}, {**turned, "attained_by": [0.0, 0.0]}) == "fails"

    def test_a_form_that_is_not_positive_proves_nothing(self) -> None:
        arrays = {"means": np.eye(2), "covariances": [np.diag([5.0, -1.0]), np.zeros((2, 2))]}
        witness = {"point": [0.0, 0.0], "rows": [0.0], "floor": 1e-9}
        assert self.check({"bound": -1.0}, witness, arrays) == "undecided"


class TestGapAtMost:
    # Keys at the unit vectors: (1, −1)/√2 lifts the first by √2; noise I each takes off √2 z.
    arrays: ClassVar = {"means": np.eye(2), "covariances": [np.eye(2), np.eye(2)]}
    fields: ClassVar = {"target": target({0: 1.0}), "deviations": 0.5, "radius": 3.0}
    witness: ClassVar = {
        "pairs": [[0, 1]],
        "shares": [1.0],
        "ties": [],
        "ridge": 0.0,
        "directions": [[0.5, -0.5]],
    }
    most = 3 * math.sqrt(2) / 2

    def check(
        self,
        fields: dict[str, Any],
        witness: dict[str, Any],
        arrays: Any = None,
        scale: float = 1.0,
    ) -> str:
        return status(
            "gap_at_most",
            arrays or self.arrays,
            {**self.fields, "bound": self.most * (1 + 1e-15), **fields},
            {**self.witness, **witness},
            scale,
        )

    def test_shares_and_directions_prove_the_widest_gap(self) -> None:
        assert self.check({}, {}) == "holds"
        assert self.check({"bound": self.most * (1 - 1e-15)}, {}) == "undecided"
        assert self.check({"bound": 2 * self.most * (1 + 1e-15)}, {}, scale=-2.0) == "undecided"
        turned = {"directions": [[-0.5, 0.5]]}
        assert self.check({"bound": 2 * self.most * (1 + 1e-15)}, turned, scale=-2.0) == "holds"
        assert self.check({"bound": 2 * self.most * (1 + 1e-15)}, {}, scale=2.0) == "holds"

    def test_without_deviations_no_direction_is_needed(self) -> None:
        fields = {"deviations": 0.0, "bound": 2 * self.most * (1 + 1e-15)}
        assert self.check(fields, {"directions": None}) == "holds"
        assert self.check({**fields, "bound": 2 * self.most * (1 - 1e-15)}, {}) == "undecided"

    def test_a_longer_direction_counts_as_one_of_length_one(self) -> None:
        assert (
            self.check({"bound": self.most * (1 + 1e-14)}, {"directions": [[50.0, -50.0]]})
            == "holds"
        )

    def test_a_query_with_a_wider_gap_refutes_it(self) -> None:
        best = {"attained_by": [2.0, -2.0]}  # 4 − 0.5 √(2 · 8) = 2, and its length is √8
        assert self.check({"bound": below(2.0)}, best) == "fails"
        assert self.check({"bound": 2.0}, best) == "undecided"
        # Too long for a radius of 2.8, of which 1.98 is the widest, and too low with 0.6 deviations.
        assert self.check({"bound": 1.97, "radius": 2.8}, best) == "undecided"
        assert self.check({"bound": 1.69, "deviations": 0.6}, best) == "undecided"

    @pytest.mark.parametrize(
        "witness",
        [
            {"pairs": [[1, 0]]},
            {"pairs": [[0, 2]]},
            {"pairs": []},
            {"shares": [0.0]},
            {"shares": [-1.0]},
            {"shares": [1.0, 1.0]},
            {"ties": [1.0]},
            {"ridge": -1.0},
            {"ridge": 0.01},
            {"directions": None},
            {"directions": [[0.5]]},
            {"directions": [[0.4, -0.5]]},
            {"directions": [[-0.5, 0.5]]},
        ],
    )
    def test_another_witness_proves_nothing(self, witness: dict[str, Any]) -> None:
        assert self.check({}, witness) == "undecided"

    @pytest.mark.parametrize(
        "fields",
        [
            {"radius": None},
            {"radius": -3.0},
            {"radius": 3.1},
            {"deviations": 0.4},
            {"deviations": -0.5},
            {"target": target({1: 1.0})},
            {"target": target({0: 0.5, 1: 0.5})},
        ],
    )
    def test_other_claims_are_not_proved(self, fields: dict[str, Any]) -> None:
        assert self.check(fields, {}) == "undecided"

    def test_noise_that_is_not_positive_needs_a_ridge_that_is_paid_for(self) -> None:
        arrays = {
            "means": np.eye(2),
            "covariances": [np.diag([1.0, -(2.0**-60)]), np.zeros((2, 2))],
        }
        # The noise takes off 0.5 |q_0|: u = (0.5, −1).
        most = 3 * math.sqrt(1.25)
        witness = {"directions": [[1.0, 0.0]]}
        fields = {"bound": most * (1 + 1e-6)}
        assert self.check(fields, witness, arrays) == "undecided"
        assert self.check(fields, {**witness, "ridge": 2.0**-59}, arrays) == "holds"
        assert (
            self.check({"bound": most * (1 + 1e-12)}, {**witness, "ridge": 2.0**-59}, arrays)
            == "undecided"
        )

    def test_a_key_between_the_others_is_never_lifted(self) -> None:
        arrays = {"means": [[0.0], [-1.0], [3.0]], "covariances": np.zeros((3, 1, 1))}
        fields = {"deviations": 0.0, "radius": 1e300, "bound": 0.0}
        witness = {"pairs": [[0, 1], [0, 2]], "shares": [0.75, 0.25]}
        assert self.check(fields, witness, arrays) == "holds"
        assert self.check(fields, {**witness, "shares": [0.5, 0.5]}, arrays) == "undecided"

    def test_weights_within_the_group_settle_the_gap(self) -> None:
        # On a line, s_0 − s_1 = ln 3 with keys 1 apart, so the key 2 further on is 2 ln 3 below.
        arrays = {"means": [[0.0], [-1.0], [-3.0]], "covariances": np.zeros((3, 1, 1))}
        fields = {"target": target({0: 0.75, 1: 0.25}), "deviations": 0.0, "radius": 50.0}
        witness = {"pairs": [[1, 2]], "shares": [1.0], "ties": [-2.0]}
        with mpmath.workdps(40):
            most = float(2 * mpmath.log(3))
        assert self.check({**fields, "bound": most * (1 + 1e-15)}, witness, arrays) == "holds"
        assert self.check({**fields, "bound": most * (1 - 1e-15)}, witness, arrays) == "undecided"
        assert (
            self.check({**fields, "bound": most * 0.9}, {**witness, "ties": [-2.1]}, arrays)
            == "undecided"
        )
