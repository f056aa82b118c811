"""Each kind of claim on cases worked out by hand: what holds, what fails, what stays open."""

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
    return result.status


def above(number: float) -> float:
    return math.nextafter(number, math.inf)


def below(number: float) -> float:
    return math.nextafter(number, -math.inf)


def target(weights: dict[int, float]) -> dict[str, list[Any]]:
    return {"indices": list(weights), "weights": list(weights.values())}


def rows(weights: dict[int, dict[int, float]]) -> list[dict[str, Any]]:
    return [{"row": row, **target(entries)} for row, entries in weights.items()]


class TestWeightsClose:
    keys = ([0.0], [1.0], [3.0])

    @pytest.mark.parametrize("scale", [1.0, -2.0])
    def test_the_largest_difference_decides(self, scale: float) -> None:
        with mpmath.workdps(50):
            terms = [mpmath.exp(mpmath.mpf(scale) * k * mpmath.mpf(0.7)) for k in (0, 1, 3)]
            weights = [term / sum(terms) for term in terms]
            worst = float(max(abs(weights[0]), abs(weights[1] - 0.25), abs(weights[2] - 0.75)))
        fields = {"target": target({2: 0.75, 1: 0.25})}
        arrays, witness = {"keys": self.keys}, {"query": [0.7]}
        good = {**fields, "bound": worst * (1 + 1e-15)}
        bad = {**fields, "bound": worst * (1 - 1e-15)}
        assert status("weights_close", arrays, good, witness, scale) == "holds"
        assert status("weights_close", arrays, bad, witness, scale) == "fails"

    def test_a_leak_far_below_the_last_bit_of_a_weight_is_seen(self) -> None:
        arrays, witness = {"keys": [[0.0], [100.0]]}, {"query": [1.0]}
        fields = {"target": target({1: 1.0})}  # the leak is e^-100 = 3.72e-44, and a little less
        assert status("weights_close", arrays, {**fields, "bound": 3.73e-44}, witness) == "holds"
        assert status("weights_close", arrays, {**fields, "bound": 3.71e-44}, witness) == "fails"

    def test_a_difference_that_is_exactly_the_bound_counts_as_close(self) -> None:
        arrays, witness = {"keys": [[0.1, 7.0], [0.1, 7.0]]}, {"query": [0.3, 0.7]}
        fields = {"target": target({0: 0.25, 1: 0.75})}
        assert status("weights_close", arrays, {**fields, "bound": 0.25}, witness) == "holds"
        assert status("weights_close", arrays, {**fields, "bound": below(0.25)}, witness) == "fails"

    @pytest.mark.parametrize(
        ("fields", "witness"),
        [
            ({"target": target({1: 1.0}), "bound": math.nan}, {"query": [9.0]}),
            ({"target": target({3: 1.0}), "bound": 1.0}, {"query": [9.0]}),
            ({"target": target({-1: 1.0}), "bound": 1.0}, {"query": [9.0]}),
            (
                {"target": {"indices": [1, 1], "weights": [1.0, 1.0]}, "bound": 1.0},
                {"query": [9.0]},
            ),
            ({"target": {"indices": [1], "weights": []}, "bound": 1.0}, {"query": [9.0]}),
            ({"target": target({1: 1.0})}, {"query": [9.0]}),
            ({"target": target({1: 1.0}), "bound": True}, {"query": [9.0]}),
            ({"target": target({1: 1.0}), "bound": 1.0}, {"query": [9.0, 9.0]}),
            ({"target": target({1: 1.0}), "bound": 1.0}, {"query": ["9"]}),
            ({"target": target({1: 1.0}), "bound": 1.0}, {}),
        ],
    )
    def test_what_cannot_be_read_is_undecided(self, fields: dict[str, Any], witness: Any) -> None:
        assert status("weights_close", {"keys": self.keys}, fields, witness) == "undecided"


def test_an_output_that_is_exactly_the_bound_away_counts_as_close() -> None:
    arrays = {"keys": [[1.0], [1.0]], "values": [[0.0, 0.0], [6.0, 8.0]]}
    fields = {"target": target({0: 1.0})}  # the output is (3, 4), and (0, 0) is wanted
    witness = {"query": [0.3]}
    assert status("output_close", arrays, {**fields, "bound": 5.0}, witness) == "holds"
    assert status("output_close", arrays, {**fields, "bound": below(5.0)}, witness) == "fails"
    assert status("output_close", arrays, {**fields, "bound": -5.0}, witness) == "fails"


def test_values_that_do_not_match_the_keys_leave_an_output_undecided() -> None:
    arrays = {"keys": [[1.0], [1.0]], "values": [[0.0], [6.0], [7.0]]}
    fields = {"target": target({0: 1.0}), "bound": 100.0}
    assert status("output_close", arrays, fields, {"query": [0.3]}) == "undecided"


class TestMargins:
    def test_a_margin_that_is_exactly_the_bound_counts(self) -> None:
        arrays = {"keys": [[0.0, 0.0], [3.0, 4.0], [-1.0, 0.0]]}
        witness = {"direction": [3.0, 4.0]}  # heights 0, 25, -3 over a length of 5
        assert status("margin_at_least", arrays, {"chosen": [1], "bound": 5.0}, witness) == "holds"
        assert (
            status("margin_at_least", arrays, {"chosen": [1], "bound": above(5.0)}, witness)
            == "fails"
        )
        # A margin of 3/5, which lies between two floats.
        assert (
            status("margin_at_least", arrays, {"chosen": [0, 1], "bound": 0.6}, witness) == "holds"
        )
        assert (
            status("margin_at_least", arrays, {"chosen": [0, 1], "bound": above(0.6)}, witness)
            == "fails"
        )
        assert status("margin_at_least", arrays, {"chosen": [0], "bound": -5.0}, witness) == "holds"
        assert (
            status("margin_at_least", arrays, {"chosen": [0], "bound": above(-5.0)}, witness)
            == "fails"
        )

    def test_a_margin_of_root_two_is_told_from_the_float_above_it(self) -> None:
        arrays, witness = {"keys": [[0.0, 0.0], [1.0, 1.0]]}, {"direction": [1.0, 1.0]}
        nearest = 1.4142135623730951  # a little more than the root of 2
        assert (
            status("margin_at_least", arrays, {"chosen": [1], "bound": nearest}, witness) == "fails"
        )
        assert (
            status("margin_at_least", arrays, {"chosen": [1], "bound": below(nearest)}, witness)
            == "holds"
        )

    def test_no_direction_gives_no_margin(self) -> None:
        arrays, fields = {"keys": [[0.0], [1.0]]}, {"chosen": [1], "bound": 0.0}
        assert status("margin_at_least", arrays, fields, {"direction": [0.0]}) == "fails"

    def test_all_keys_have_no_margin_over_the_others(self) -> None:
        arrays, fields = {"keys": [[0.0], [1.0]]}, {"chosen": [0, 1], "bound": -9.0}
        assert status("margin_at_least", arrays, fields, {"direction": [1.0]}) == "undecided"

    def test_mixtures_bound_the_margin(self) -> None:
        arrays = {"keys": [[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]}
        witness = {"inside": [0.5, 0.5], "outside": [0, 0, 7]}  # (1, 0) and (1, 3)
        assert (
            status("margin_at_most", arrays, {"chosen": [0, 1], "bound": 3.0}, witness) == "holds"
        )
        assert (
            status("margin_at_most", arrays, {"chosen": [0, 1], "bound": below(3.0)}, witness)
            == "undecided"
        )
        assert (
            status("margin_at_most", arrays, {"chosen": [0, 1], "bound": -3.0}, witness)
            == "undecided"
        )

    def test_a_mixture_of_the_chosen_keys_may_be_negative(self) -> None:
        arrays = {"keys": [[0.0, 0.0], [2.0, 0.0], [-2.0, 5.0]]}
        witness = {"inside": [4.0, -2.0], "outside": [0.0, 0.0, 1.0]}  # (-2, 0) and (-2, 5)
        assert (
            status("margin_at_most", arrays, {"chosen": [0, 1], "bound": 5.0}, witness) == "holds"
        )

    @pytest.mark.parametrize(
        "witness",
        [
            {"inside": [1.0, -1.0], "outside": [0.0, 0.0, 1.0]},
            {"inside": [0.5, 0.5], "outside": [1.0, 0.0, 1.0]},
            {"inside": [0.5, 0.5], "outside": [0.0, 0.0, -1.0]},
            {"inside": [0.5, 0.5], "outside": [0.0, 0.0, 0.0]},
            {"inside": [0.5], "outside": [0.0, 0.0, 1.0]},
            {"inside": [0.5, 0.5], "outside": [1.0]},
            {"inside": [0.5, 0.5]},
        ],
    )
    def test_a_witness_that_is_no_mixture_proves_nothing(self, witness: dict[str, Any]) -> None:
        arrays = {"keys": [[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]}
        assert (
            status("margin_at_most", arrays, {"chosen": [0, 1], "bound": 99.0}, witness)
            == "undecided"
        )


class TestCeiling:
    # (1, 1) is 1/2 of (0, 0), 1/3 of (3, 0) and 1/6 of (0, 6): at most 0.2667051238 of the weight.
    arrays: ClassVar = {"keys": [[1.0, 1.0], [0.0, 0.0], [3.0, 0.0], [0.0, 6.0]]}
    best = (math.log(2 / 3) / 3, math.log(1 / 3) / 6)

    @pytest.mark.parametrize(
        "weights", [[0, 3, 2, 1], [0, "1/2", "1/3", "1/6"], [0.0, 1.5, 1.0, 0.5]]
    )
    def test_an_exact_combination_bounds_every_query(self, weights: list[Any]) -> None:
        witness = {"combination": weights, "attained_by": None}
        fields = {"key": 0, "radius": None}
        assert status("ceiling", self.arrays, {**fields, "bound": 0.2667051239}, witness) == "holds"
        assert (
            status("ceiling", self.arrays, {**fields, "bound": 0.2667051238}, witness)
            == "undecided"
        )

    def test_a_query_that_gets_more_refutes_it(self) -> None:
        witness = {"combination": [0, 3, 2, 1], "attained_by": list(self.best)}
        for radius, expected in [(None, "fails"), (1.0, "fails"), (0.01, "undecided")]:
            fields = {"key": 0, "bound": 0.2667, "radius": radius}
            assert status("ceiling", self.arrays, fields, witness) == expected

    def test_rounded_weights_prove_nothing_about_all_queries(self) -> None:
        witness = {"combination": [0, 1 / 2, 1 / 3, 1 / 6], "attained_by": None}
        assert (
            status("ceiling", self.arrays, {"key": 0, "bound": 0.3, "radius": None}, witness)
            == "undecided"
        )
        assert (
            status("ceiling", self.arrays, {"key": 0, "bound": 0.3, "radius": 1e8}, witness)
            == "holds"
        )

    @pytest.mark.parametrize("scale", [3.0, -3.0])
    def test_what_the_combination_misses_by_is_paid_for_by_the_radius(self, scale: float) -> None:
        # The average of 0 and 1.5 is 0.25 from 0.5: the weight is at most 1 / (1 + 2 exp(-1.5)).
        arrays = {"keys": [[0.5], [0.0], [1.5]]}
        with mpmath.workdps(40):
            most = float(1 / (1 + 2 * mpmath.exp(mpmath.mpf(-1.5))))
        witness = {"combination": [0.0, 2.0, 2.0]}
        for bound, expected in [(most * (1 + 1e-15), "holds"), (most * (1 - 1e-15), "undecided")]:
            fields = {"key": 0, "bound": bound, "radius": 2.0}
            assert status("ceiling", arrays, fields, witness, scale) == expected

    @pytest.mark.parametrize("radius", [None, 1e8])
    def test_a_bound_that_is_met_exactly_holds(self, radius: float | None) -> None:
        thirds = {"keys": [[1.0, 1.0], [0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]}  # at most 1 / (1 + 3)
        witness = {"combination": [0, 1, 1, 1]}
        fields = {"key": 0, "radius": radius}
        assert status("ceiling", thirds, {**fields, "bound": 0.25}, witness) == "holds"
        assert status("ceiling", thirds, {**fields, "bound": below(0.25)}, witness) == "undecided"
        twins = {"keys": [[0.1], [0.1]]}
        assert (
            status("ceiling", twins, {**fields, "bound": 0.5}, {"combination": [0, 3]}) == "holds"
        )
        assert (
            status("ceiling", twins, {**fields, "bound": below(0.5)}, {"combination": [0, 3]})
            == "undecided"
        )

    @pytest.mark.parametrize(
        "weights",
        [
            [1, 3, 2, 1],
            [0, 3, 2, -1],
            [0, 3, 2],
            [0, 0, 0, 0],
            [0, "1/0", "1/3", "1/6"],
            [0, "half", "1/3", "1/6"],
            [0, None, 2, 1],
            [0, True, 2, 1],
            "3210",
            None,
        ],
    )
    def test_a_damaged_combination_proves_nothing(self, weights: Any) -> None:
        fields = {"key": 0, "bound": 0.9, "radius": None}
        assert status("ceiling", self.arrays, fields, {"combination": weights}) == "undecided"

    @pytest.mark.parametrize(
        "change", [{"key": 4}, {"key": 0.5}, {"radius": -1.0}, {"radius": "all"}]
    )
    def test_damaged_fields_are_undecided(self, change: dict[str, Any]) -> None:
        fields = {"key": 0, "bound": 0.9, "radius": None, **change}
        assert status("ceiling", self.arrays, fields, {"combination": [0, 3, 2, 1]}) == "undecided"

    def test_no_difference_is_too_small_to_count(self) -> None:
        # Three equal keys and one that is the least float from them, which a short query can use.
        arrays, witness = {"keys": [[5e-324], [0.0], [0.0], [0.0]]}, {"combination": [0, 1, 1, 1]}
        fields = {"key": 0, "bound": 0.25, "radius": 1e-300}
        assert status("ceiling", arrays, fields, witness) == "undecided"
        found = {**witness, "attained_by": [1e-300]}
        assert status("ceiling", arrays, fields, found) == "fails"
        assert status("ceiling", arrays, {**fields, "bound": above(0.25)}, found) == "holds"

    def test_a_claim_about_a_single_key_is_not_proved(self) -> None:
        fields = {"key": 0, "bound": 0.9, "radius": None}
        assert status("ceiling", {"keys": [[1.0]]}, fields, {"combination": [0]}) == "undecided"


class TestWeightsApart:
    arrays: ClassVar = {"keys": [[-1.0], [0.0], [1.0]]}
    # Half on each end is ln(3/2) = 0.4054651 or more from every softmax; q = 0 has just that.

    @pytest.mark.parametrize(
        ("bound", "query", "expected"),
        [
            (0.40546, None, "holds"),
            (0.40547, None, "undecided"),
            (0.40547, [0.0], "fails"),
            (0.40547, [3.0], "undecided"),
            (0.40547, [0.0, 0.0], "undecided"),
        ],
    )
    def test_larger_entropy_with_the_same_mean_key_is_a_distance(
        self, bound: float, query: Any, expected: str
    ) -> None:
        witness = {"combination": ["1/3", "1/3", "1/3"], "attained_by": query}
        fields = {"target": target({0: 0.5, 2: 0.5}), "bound": bound, "radius": None}
        assert status("weights_apart", self.arrays, fields, witness) == expected
        doubled = {**fields, "target": target({0: 7.0, 2: 7.0})}  # weights are divided by their sum
        assert status("weights_apart", self.arrays, doubled, witness) == expected

    def test_the_radius_pays_for_a_difference_of_means(self) -> None:
        # The mean keys 1/4 and 0 differ: ln 2 - 0 - 2 * 0.5 * 1/4 for the target that is all on key 1.
        fields = {"target": target({1: 1.0}), "radius": 0.5}
        arrays, witness = {"keys": [[0.5], [0.0]]}, {"combination": [1.0, 1.0]}
        with mpmath.workdps(40):
            least = float(mpmath.log(2) - 0.25)
        for bound, expected in [(least * (1 - 1e-15), "holds"), (least * (1 + 1e-15), "undecided")]:
            assert (
                status("weights_apart", arrays, {**fields, "bound": bound}, witness, 2.0)
                == expected
            )

    def test_a_target_with_a_weight_of_zero_is_undecided(self) -> None:
        fields = {"target": target({0: 0.5, 2: 0.0}), "bound": -1.0, "radius": None}
        assert (
            status("weights_apart", self.arrays, fields, {"combination": [1, 1, 1]}) == "undecided"
        )


class TestFloors:
    arrays: ClassVar = {"keys": [[-1.0], [0.0], [1.0]]}

    @pytest.mark.parametrize(
        ("floor", "query", "expected"),
        [
            (0.3334, None, "holds"),
            (0.3333, None, "undecided"),
            (0.3333, [0.0], "fails"),
            (0.3333, [1.0], "undecided"),
        ],
    )
    def test_both_ends_get_at_most_a_third_each(
        self, floor: float, query: Any, expected: str
    ) -> None:
        # Their weights multiply to 1 / Z² with Z ≥ 3.
        fields = {"floors": target({0: floor, 2: floor}), "radius": None}
        witness = {"mixture": [1, 1], "combination": [1, 1, 1], "attained_by": query}
        assert status("floors_out_of_reach", self.arrays, fields, witness) == expected

    def test_a_floor_of_zero_says_nothing(self) -> None:
        fields = {"floors": target({0: 0.0, 2: 0.9}), "radius": None}
        witness = {"mixture": [1, 1], "combination": [1, 1, 1]}
        assert status("floors_out_of_reach", self.arrays, fields, witness) == "undecided"

    def test_floors_above_one_in_total_are_out_of_reach_for_any_keys(self) -> None:
        fields = {"floors": target({1: 0.75, 0: 0.5}), "radius": 1e9}
        witness = {"mixture": [0.6, 0.4], "combination": [0.4, 0.6, 0.0]}
        assert status("floors_out_of_reach", self.arrays, fields, witness) == "holds"


class TestOutputCeiling:
    # Key 0 is the average of the others: it gets at most 1/3, and value 3 is 2 above the others.
    arrays: ClassVar = {"keys": [[1.0], [0.0], [2.0]], "values": [[3.0], [1.0], [0.0]]}

    @pytest.mark.parametrize(
        ("bound", "direction", "query", "expected"),
        [
            (1.3333, [1.0], None, "holds"),
            (1.3334, [1.0], None, "undecided"),
            (1.3333, [-1.0], None, "undecided"),
            (1.3333, [0.0], None, "undecided"),
            (1.7, [1.0], [0.0], "fails"),  # the output 4/3 is 5/3 away
            (1.6, [1.0], [0.0], "undecided"),
        ],
    )
    def test_the_rest_of_the_weight_pulls_the_output_away(
        self, bound: float, direction: Any, query: Any, expected: str
    ) -> None:
        witness = {"combination": [0, 1, 1], "direction": direction, "attained_by": query}
        fields = {"key": 0, "bound": bound, "radius": None}
        assert status("output_ceiling", self.arrays, fields, witness) == expected


class TestHull:
    arrays: ClassVar = {
        "tokens": [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]],
        "W": [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
    }

    @pytest.mark.parametrize(
        ("bound", "weights", "expected"),
        [
            (2.4, None, "holds"),  # 12/5, and the float 2.4 is a little less
            (above(2.4), None, "undecided"),
            (2.41, [0.0, 0.64, 0.36], "fails"),
            (2.41, [0.0, 0.5, 0.5], "undecided"),
            (2.41, [0.0, 1.28, -0.28], "undecided"),
        ],
    )
    def test_a_direction_shows_the_distance(
        self, bound: float, weights: Any, expected: str
    ) -> None:
        fields = {"array": "tokens", "times": None, "point": [4.0, 3.0], "bound": bound}
        witness = {"direction": [3.0, 4.0], "combination": weights}
        assert status("apart_from_hull", self.arrays, fields, witness) == expected

    def test_the_rows_may_be_taken_times_a_matrix(self) -> None:
        fields = {"array": "tokens", "times": "W", "point": [8.0, 6.0, 1.0], "bound": 4.8}
        witness = {"direction": [3.0, 4.0, 0.0], "combination": None}
        assert status("apart_from_hull", self.arrays, fields, witness) == "holds"
        closer = {**fields, "bound": 5.0}  # the foot (5.12, 2.16, 0) is √(4.8² + 1) = 4.903 away
        assert status("apart_from_hull", self.arrays, closer, witness) == "undecided"
        foot = {**witness, "combination": [0.0, 0.64, 0.36]}
        assert status("apart_from_hull", self.arrays, closer, foot) == "fails"
        assert (
            status("apart_from_hull", self.arrays, {**fields, "times": "V"}, witness) == "undecided"
        )

    def test_an_average_does_not_refute_a_negative_distance(self) -> None:
        fields = {"array": "tokens", "times": None, "point": [4.0, 0.0], "bound": -1.0}
        witness = {"direction": None, "combination": [0.0, 1.0, 0.0]}
        assert status("apart_from_hull", self.arrays, fields, witness) == "undecided"

    def test_a_distance_that_is_exactly_the_bound_holds(self) -> None:
        fields = {"array": "tokens", "times": None, "point": [6.0, 0.0], "bound": 2.0}
        assert status("apart_from_hull", self.arrays, fields, {"direction": [1.0, 0.0]}) == "holds"
        further = {**fields, "bound": above(2.0)}
        assert (
            status("apart_from_hull", self.arrays, further, {"direction": [1.0, 0.0]})
            == "undecided"
        )
        nearest = {"direction": [1.0, 0.0], "combination": [0.0, 1.0, 0.0]}
        assert status("apart_from_hull", self.arrays, further, nearest) == "fails"


class TestSeparator:
    axes: ClassVar = {"S": [[1.0], [0.0]], "T": [[0.0], [1.0]]}
    slanted: ClassVar = {"S": [[1.0], [0.0]], "T": [[3.0], [4.0]]}

    def test_every_column_that_remains_counts(self) -> None:
        fields = {"share": 0.5, "bound": 0.0}
        assert status("separates", self.axes, fields, {"M": [[2.0, 0.0], [0.0, 0.0]]}) == "holds"
        witness = {"M": [[2.0, 0.0], [3.0, 4.0]]}  # (0, 3) remains of S and (0, 4) of T
        assert status("separates", self.axes, {**fields, "bound": 4.0}, witness) == "holds"
        assert status("separates", self.axes, {**fields, "bound": below(4.0)}, witness) == "fails"
        assert status("separates", self.axes, {"share": 0, "bound": 9.0}, witness) == "undecided"
        assert (
            status("separates", self.axes, {**fields, "bound": 9.0}, {"M": [[2.0, 0.0]]})
            == "undecided"
        )

    def test_a_third_is_not_the_float_nearest_to_it(self) -> None:
        witness = {"M": [[1 / 3, 0.0], [0.0, 0.0]]}  # 1/3 less 1 / (3 · 2^54) = 1.85037e-17
        assert status("separates", self.axes, {"share": 3, "bound": 1.8504e-17}, witness) == "holds"
        assert status("separates", self.axes, {"share": 3, "bound": 1.8503e-17}, witness) == "fails"

    def test_there_may_be_nothing_to_drop(self) -> None:
        arrays = {"S": [[1.0], [0.0]], "T": np.zeros((2, 0))}
        fields = {"share": 0.5, "bound": 0.0}
        assert status("separates", arrays, fields, {"M": [[2.0, 0.0], [0.0, 5.0]]}) == "holds"

    @pytest.mark.parametrize(
        ("M", "norm"),
        [
            ([[2.0, 0.0], [0.0, 0.0]], 2.0),
            ([[1.0, 1.0], [1.0, 1.0]], 2.0),
            ([[0.0, 3.0], [4.0, 0.0]], 4.0),
        ],
    )
    def test_a_norm_that_is_exactly_the_bound_holds(self, M: Any, norm: float) -> None:
        assert status("norm_at_most", {}, {"bound": norm}, {"M": M}) == "holds"
        assert status("norm_at_most", {}, {"bound": below(norm)}, {"M": M}) == "fails"
        assert status("norm_at_most", {}, {"bound": -norm}, {"M": M}) == "fails"

    @pytest.mark.parametrize("share", [0.5, -0.5])
    def test_a_slanted_pair_needs_a_large_norm(self, share: float) -> None:
        # S x = (25, 0), and S x - T y = (16, -12) has length 20: the norm is at least 2 · 25 / 20.
        witness = {"x": [25], "y": [3]}
        fields = {"share": share}
        assert status("norm_at_least", self.slanted, {**fields, "bound": 2.5}, witness) == "holds"
        assert (
            status("norm_at_least", self.slanted, {**fields, "bound": above(2.5)}, witness)
            == "undecided"
        )
        assert (
            status("norm_at_least", self.slanted, {**fields, "bound": 2.5}, {"x": [0], "y": [0]})
            == "undecided"
        )
        assert (
            status("norm_at_least", self.slanted, {**fields, "bound": -9.0}, {"x": [0], "y": [1]})
            == "undecided"
        )
        assert status("no_separator", self.slanted, {**fields, "radius": 2.4}, witness) == "holds"
        assert (
            status("no_separator", self.slanted, {**fields, "radius": 2.5}, witness) == "undecided"
        )
        assert (
            status("no_separator", self.slanted, {**fields, "radius": None}, witness) == "undecided"
        )

    @pytest.mark.parametrize(
        ("x", "y", "expected"),
        [
            (["1/3"], [1], "holds"),
            ([1], [3], "holds"),
            ([0.5], [1.5], "holds"),
            ([1 / 3], [1.0], "undecided"),
            ([0], [0], "undecided"),
            ([1], [2], "undecided"),
            ([1], [3, 0], "undecided"),
        ],
    )
    def test_a_vector_in_both_spaces_rules_out_every_matrix(
        self, x: Any, y: Any, expected: str
    ) -> None:
        arrays = {"S": [[3.0], [6.0]], "T": [[1.0], [2.0]]}
        assert (
            status("no_separator", arrays, {"share": 0.5, "radius": None}, {"x": x, "y": y})
            == expected
        )

    def test_nothing_to_drop_rules_out_nothing(self) -> None:
        arrays = {"S": [[1.0], [0.0]], "T": np.zeros((2, 0))}
        fields = {"share": 0.5, "radius": None}
        assert status("no_separator", arrays, fields, {"x": [1], "y": []}) == "undecided"


class TestHeads:
    tokens: ClassVar = {"tokens": [[1.0, 0.0], [0.0, 1.0]]}
    # The token of row 1 meets token 0 with a score of ln 3, so that it gives it 3/4.
    A: ClassVar = [[0.0, math.log(3)], [0.0, 0.0]]
    pattern = rows({1: {0: 0.75, 1: 0.25}, 0: {0: 0.5, 1: 0.5}})

    @pytest.mark.parametrize(
        ("head", "scale", "expected"),
        [
            ({"A": A}, 1.0, "holds"),
            ({"W_K": [[1.0], [0.0]], "W_Q": [[0.0], [math.log(3)]]}, 1.0, "holds"),
            ({"A": np.array(A).T.tolist()}, 1.0, "fails"),
            ({"W_Q": [[1.0], [0.0]], "W_K": [[0.0], [math.log(3)]]}, 1.0, "fails"),
            ({"A": A}, 2.0, "fails"),
            ({"A": A, "W_Q": [[1.0], [0.0]]}, 1.0, "undecided"),
            ({"W_Q": [[1.0], [0.0]]}, 1.0, "undecided"),
            ({"A": [[0.0, 1.0]]}, 1.0, "undecided"),
        ],
    )
    def test_the_key_is_on_the_left_of_the_head(
        self, head: Any, scale: float, expected: str
    ) -> None:
        fields = {"rows": self.pattern, "bound": 1e-15}
        assert status("pattern_close", self.tokens, fields, head, scale) == expected

    def test_weights_that_are_exactly_the_bound_away_are_close(self) -> None:
        fields = {"rows": rows({0: {0: 0.25, 1: 0.75}})}
        witness = {"A": [[0.0, 0.0], [0.0, 0.0]]}
        assert status("pattern_close", self.tokens, {**fields, "bound": 0.25}, witness) == "holds"
        assert (
            status("pattern_close", self.tokens, {**fields, "bound": below(0.25)}, witness)
            == "fails"
        )

    def test_an_output_is_measured_after_its_matrix(self) -> None:
        arrays = {"tokens": [[2.0, 0.0], [0.0, 4.0]]}
        fields = {"outputs": [{"row": 1, "vector": [0.0]}]}  # the average (1, 2) becomes 3
        witness = {"A": [[0.0, 0.0], [0.0, 0.0]], "W_V": [[1.0], [1.0]]}
        assert status("outputs_close", arrays, {**fields, "bound": 3.0}, witness) == "holds"
        assert status("outputs_close", arrays, {**fields, "bound": below(3.0)}, witness) == "fails"
        del witness["W_V"]
        assert status("outputs_close", arrays, {**fields, "bound": 9.0}, witness) == "undecided"

    def test_a_matrix_that_was_given_goes_before_the_one_in_the_witness(self) -> None:
        arrays = {"tokens": [[2.0, 0.0], [0.0, 4.0]], "W_V": [[1.0], [1.0]]}
        fields = {"outputs": [{"row": 1, "vector": [0.0]}], "bound": 2.0}
        witness = {"A": [[0.0, 0.0], [0.0, 0.0]], "W_V": [[0.0], [0.0]]}
        assert status("outputs_close", arrays, fields, witness) == "fails"


class TestPatternCeiling:
    # Token 2 is the sum of the others: with rows 0, 1 → 0 and 2 → 1, (x_0 - x_1)(x_0 + x_1 - x_2)ᵀ = 0.
    arrays: ClassVar = {"tokens": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]}
    pattern = rows({0: {0: 1.0}, 1: {0: 1.0}, 2: {1: 1.0}})
    balance: ClassVar = [[0, 1, "1/3"], [1, 1, "1/3"], [2, 0, "1/3"]]
    zero: ClassVar = {"A": [[0.0, 0.0], [0.0, 0.0]]}

    @pytest.mark.parametrize(
        ("bound", "head", "expected"),
        [
            (0.5, None, "holds"),
            (below(0.5), None, "undecided"),
            (0.3, zero, "fails"),
            (0.34, zero, "undecided"),
        ],
    )
    def test_one_target_gets_at_most_half(self, bound: float, head: Any, expected: str) -> None:
        fields = {"rows": self.pattern, "bound": bound, "radius": None}
        witness = {"combination": self.balance, "attained_by": head}
        assert status("pattern_ceiling", self.arrays, fields, witness) == expected

    def test_only_a_head_within_the_radius_refutes_it(self) -> None:
        arrays, fields = {"tokens": np.eye(2)}, {"rows": rows({0: {0: 1.0}}), "bound": 0.9}
        witness = {"attained_by": {"A": [[3.0, 4.0], [0.0, 0.0]]}}  # a score of 3, a norm of 5
        assert status("pattern_ceiling", arrays, {**fields, "radius": 5.0}, witness) == "fails"
        assert (
            status("pattern_ceiling", arrays, {**fields, "radius": below(5.0)}, witness)
            == "undecided"
        )

    def test_a_target_is_not_one_of_the_others(self) -> None:
        arrays, fields = {"tokens": np.eye(2)}, {"rows": rows({0: {0: 1.0}}), "radius": 0.0}
        for weights, bound, expected in [
            ([[0, 1, 1]], 0.5, "holds"),
            ([[0, 0, 1], [0, 1, 1]], 0.5, "undecided"),
            ([[0, 0, 1], [0, 1, 1]], 0.4, "undecided"),
        ]:
            witness = {"combination": weights}
            assert (
                status("pattern_ceiling", arrays, {**fields, "bound": bound}, witness) == expected
            )

    def test_the_radius_pays_for_what_is_not_balanced(self) -> None:
        # (x_0 - x_1) x_0ᵀ has norm √2: the target gets at most 1 / (1 + exp(-2 · 0.1 · √2)).
        with mpmath.workdps(40):
            most = float(1 / (1 + mpmath.exp(-2 * mpmath.mpf(0.1) * mpmath.sqrt(2))))
        for bound, expected in [(most * (1 + 1e-15), "holds"), (most * (1 - 1e-15), "undecided")]:
            fields = {"rows": self.pattern, "bound": bound, "radius": 0.1}
            witness = {"combination": [[0, 1, 4.0]]}
            assert status("pattern_ceiling", self.arrays, fields, witness, 2.0) == expected

    def test_entropy_counts_within_a_row_only(self) -> None:
        # Row 0 of three equal tokens: 1/2 on both others, so that the target gets at most 1/3;
        # two rows with one other token each have no entropy.
        arrays, wide = {"tokens": [[1.0], [1.0], [1.0]]}, [[0, 1, 1], [0, 2, 1]]
        fields = {"rows": rows({0: {0: 1.0}, 1: {1: 1.0}}), "bound": 0.34, "radius": None}
        assert status("pattern_ceiling", arrays, fields, {"combination": wide}) == "holds"
        tall = [[0, 1, 1], [1, 0, 1]]
        assert status("pattern_ceiling", arrays, fields, {"combination": tall}) == "undecided"

    @pytest.mark.parametrize(
        "weights",
        [
            [[0, 1, 1], [0, 1, 1], [1, 1, 2], [2, 0, 2]],  # a pair twice has no entropy of its own
            [[0, 0, 1]],
            [[0, 1, -1], [1, 1, -1], [2, 0, -1]],
            [[0, 1, 0]],
            [],
            [[0, 1]],
            [[3, 1, 1]],
            None,
        ],
    )
    def test_a_damaged_combination_proves_nothing(self, weights: Any) -> None:
        fields = {"rows": self.pattern, "bound": 0.9, "radius": None}
        assert (
            status("pattern_ceiling", self.arrays, fields, {"combination": weights}) == "undecided"
        )


class TestPatternApart:
    arrays: ClassVar = {"tokens": [[-1.0], [0.0], [1.0]]}
    pattern = rows({2: {0: 0.5, 2: 0.5}, 0: {0: 3.0, 2: 3.0}})
    uniform: ClassVar = [[i, j, 1] for i in (0, 2) for j in (0, 1, 2)]

    @pytest.mark.parametrize(
        ("bound", "head", "expected"),
        [
            (0.81, None, "holds"),  # 2 ln(3/2) = 0.81093
            (0.82, None, "undecided"),
            (0.82, {"A": [[0.0]]}, "fails"),
            (0.82, {"A": [[2.0]]}, "undecided"),
        ],
    )
    def test_the_divergences_of_the_rows_add_up(
        self, bound: float, head: Any, expected: str
    ) -> None:
        fields = {"rows": self.pattern, "bound": bound, "radius": None}
        witness = {"combination": self.uniform, "attained_by": head}
        assert status("pattern_apart", self.arrays, fields, witness) == expected

    def test_every_listed_row_must_be_there_and_each_pair_once(self) -> None:
        fields = {"rows": self.pattern, "bound": 0.1, "radius": None}
        for weights in (self.uniform[:3], [*self.uniform, [0, 1, 1]], [*self.uniform, [1, 1, 1]]):
            assert (
                status("pattern_apart", self.arrays, fields, {"combination": weights})
                == "undecided"
            )

    def test_the_radius_pays_for_a_difference_of_moments(self) -> None:
        # Row 2 moves 1/2 from token 2 to token 1: |-1/2 · 1 · 1| times the scale 3 and radius 1/8.
        fields = {"rows": rows({2: {2: 1.0}}), "radius": 0.125}
        with mpmath.workdps(40):
            least = float(mpmath.log(2) - mpmath.mpf(3) / 16)
        for bound, expected in [(least * (1 - 1e-15), "holds"), (least * (1 + 1e-15), "undecided")]:
            witness = {"combination": [[2, 1, 0.5], [2, 2, 0.5]]}
            assert (
                status("pattern_apart", self.arrays, {**fields, "bound": bound}, witness, -3.0)
                == expected
            )


class TestLeastWidth:
    def claim(
        self, tokens: Any, pattern: Any, witness: Any, bound: int = 2, tolerance: float = 0.125
    ) -> str:
        fields = {"rows": rows(pattern), "bound": bound, "tolerance": tolerance}
        return status("d_k_at_least", {"tokens": tokens}, fields, witness)

    def test_three_targets_do_not_fit_on_a_line(self) -> None:
        tokens = np.eye(3)
        pattern = {0: {0: 1.0}, 1: {1: 1.0}, 2: {2: 0.75}}
        assert self.claim(tokens, pattern, {"targets": [0, 1, 2]}) == "holds"
        assert self.claim(tokens, pattern, {"targets": [0, 1, 2]}, tolerance=0.25) == "undecided"
        assert self.claim(tokens, pattern, {"targets": [0, 1, 2]}, bound=3) == "undecided"
        assert self.claim(tokens, pattern, {"targets": [0, 1]}) == "undecided"
        assert self.claim(tokens, {**pattern, 2: {0: 1.0}}, {"targets": [0, 1, 2]}) == "undecided"
        assert self.claim(tokens, pattern, {}) == "undecided"

    def test_parallel_queries_cannot_go_opposite_ways(self) -> None:
        tokens = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]
        witness = {"queries": [[0, 2], [1, 1]], "towards": 2, "away": 0}
        assert self.claim(tokens, {0: {2: 1.0}, 1: {0: 1.0}}, witness) == "holds"
        assert self.claim(tokens, {0: {2: 1.0}, 1: {2: 1.0}}, witness) == "undecided"
        assert self.claim(tokens, {0: {2: 1.0}, 1: {1: 1.0}}, witness) == "undecided"
        assert self.claim(tokens, {0: {2: 1.0}, 1: {0: 0.6}}, witness) == "undecided"
        for damage in ([[0, 2], [1, 2]], [[0, -2], [1, -1]], [[0, 0], [1, 0]], [[2, 0]], []):
            damaged = {**witness, "queries": damage}
            assert self.claim(tokens, {0: {2: 1.0}, 1: {0: 1.0}}, damaged) == "undecided"

    def test_opposite_queries_cannot_go_the_same_way(self) -> None:
        pattern = {0: {0: 1.0}, 1: {0: 1.0}}
        witness = {"queries": [[0, "1/3"], [1, "1/3"]], "towards": 0, "away": None}
        assert self.claim([[1.0, 2.0], [-1.0, -2.0]], pattern, witness) == "holds"
        assert self.claim([[1.0, 2.0], [-1.0, 2.0]], pattern, witness) == "undecided"

    def test_a_single_token_needs_no_width(self) -> None:
        witness = {"queries": [[0, 1]], "towards": 0, "away": None}
        assert self.claim([[0.0]], {0: {0: 1.0}}, witness) == "undecided"

    def test_a_token_between_others_cannot_come_first(self) -> None:
        tokens, pattern = [[0.0], [1.0], [2.0]], {0: {1: 1.0}, 1: {0: 1.0}}
        witness = {"keys": [["above", 0, 1], ["above", 2, 1]], "towards": 1, "away": 0}
        assert self.claim(tokens, pattern, witness) == "holds"
        assert self.claim(tokens, {0: {1: 1.0}}, witness) == "undecided"  # 0 need not come last
        below_too = {"keys": [["below", 1, 1], ["above", 2, 1]], "towards": 1, "away": 0}
        assert self.claim(tokens, pattern, below_too) == "holds"
        for damage in (
            [["above", 1, 1]],
            [["below", 0, 1]],
            [["beside", 2, 1]],
            [["above", 0, 1]],
            [],
        ):
            assert self.claim(tokens, pattern, {**witness, "keys": damage}) == "undecided"
        assert self.claim(tokens, pattern, {**witness, "away": 1}) == "undecided"

    def test_logarithms_of_high_rank_need_as_many_dimensions(self) -> None:
        # The centred logarithms have the singular values ln 2 and ln 2 / √3 = 0.4002. Within 0.04
        # they move by at most √(2 ln²(.5/.46) + 4 ln²(.25/.21)) = 0.368, within 0.05 by 0.4705.
        tokens = np.eye(3)
        pattern = {0: {0: 0.5, 1: 0.25, 2: 0.25}, 2: {0: 0.25, 1: 0.5, 2: 0.25}}
        witness = {"subspace": [[1.0, 0.0], [0.0, 1.0]], "columns": [0, 1, 2]}
        assert self.claim(tokens, pattern, witness, tolerance=0.04) == "holds"
        assert self.claim(tokens, pattern, witness, tolerance=0.05) == "undecided"
        assert self.claim(tokens, pattern, witness, tolerance=0.25) == "undecided"
        assert self.claim(tokens, pattern, witness, tolerance=0.04, bound=3) == "undecided"
        for U in ([[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0]]):
            damaged = {**witness, "subspace": U}
            assert self.claim(tokens, pattern, damaged, tolerance=0.04) == "undecided"
        assert (
            self.claim(tokens, pattern, {**witness, "columns": [0, 0]}, tolerance=0.0)
            == "undecided"
        )

    @pytest.mark.parametrize(("bound", "tolerance"), [(1.5, 0.1), (0, 0.1), (2, -0.1)])
    def test_damaged_fields_are_undecided(self, bound: Any, tolerance: float) -> None:
        pattern = {0: {0: 1.0}, 1: {1: 1.0}, 2: {2: 1.0}}
        assert (
            self.claim(np.eye(3), pattern, {"targets": [0, 1, 2]}, bound, tolerance) == "undecided"
        )


def outputs(vectors: dict[int, list[float]]) -> list[dict[str, Any]]:
    return [{"row": row, "vector": vector} for row, vector in vectors.items()]


class TestOutputsOutOfReach:
    def test_equal_tokens_have_equal_outputs(self) -> None:
        arrays = {"tokens": [[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]}
        fields = {"outputs": outputs({0: [0.0, 0.0], 1: [6.0, 8.0], 2: [60.0, 80.0]})}
        witness = {"same": [0, 1]}
        assert status("outputs_out_of_reach", arrays, {**fields, "bound": 5.0}, witness) == "holds"
        assert (
            status("outputs_out_of_reach", arrays, {**fields, "bound": above(5.0)}, witness)
            == "undecided"
        )
        for damage in ([0, 2], [0, 0], [0], [0, 1, 2]):
            damaged = {"same": damage}
            assert (
                status("outputs_out_of_reach", arrays, {**fields, "bound": 5.0}, damaged)
                == "undecided"
            )

    def test_on_a_line_outputs_move_one_way_as_the_token_does(self) -> None:
        arrays = {"tokens": [[1.0, 2.0], [-1.0, -2.0], [3.0, 6.0], [0.5, 1.0]]}
        wanted = outputs({1: [0.0, 1.0], 0: [0.0, 4.0], 2: [9.0, 2.0], 3: [0.0, 1.5]})
        fields = {"outputs": wanted}  # row 0 is between rows 1 and 2, and 4 is beyond 2 by 2
        witness = {"monotone": [1, 0, 2], "coordinate": 1}

        def judged(bound: float, witness: dict[str, Any], arrays: dict[str, Any] = arrays) -> str:
            return status("outputs_out_of_reach", arrays, {**fields, "bound": bound}, witness)

        assert judged(1.0, witness) == "holds"
        assert judged(above(1.0), witness) == "undecided"
        assert judged(1.0, {**witness, "monotone": [2, 0, 1]}) == "holds"
        for damage in ([0, 1, 2], [1, 2, 0], [1, 0, 3], [1, 1, 2], [1, 0]):
            assert judged(0.1, {**witness, "monotone": damage}) == "undecided"
        for damage in (0, 2, -1, None):
            assert judged(0.1, {**witness, "coordinate": damage}) == "undecided"
        bent = {"tokens": [[1.0, 2.0], [-1.0, -2.0], [3.0, 6.0], [0.5, 1.1]]}
        assert judged(0.1, witness, bent) == "undecided"

    def test_outputs_have_no_higher_rank_than_the_tokens(self) -> None:
        arrays = {"tokens": [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]}
        fields = {"outputs": outputs({0: [3.0, 0.0], 2: [0.0, 4.0]})}
        witness = {"subspace": [[1.0, 0.0], [0.0, 1.0]]}  # 3 / √2 = 2.1213
        assert (
            status("outputs_out_of_reach", arrays, {**fields, "bound": 2.1213}, witness) == "holds"
        )
        assert (
            status("outputs_out_of_reach", arrays, {**fields, "bound": 2.1214}, witness)
            == "undecided"
        )
        few = {"subspace": [[1.0], [0.0]]}
        assert status("outputs_out_of_reach", arrays, {**fields, "bound": 0.1}, few) == "undecided"
        full = {"tokens": [[1.0, 0.0], [2.0, 0.5], [3.0, 0.0]]}
        assert (
            status("outputs_out_of_reach", full, {**fields, "bound": 0.1}, witness) == "undecided"
        )

    def test_a_miss_that_is_exactly_the_bound_holds_but_no_dimensions_prove_nothing(self) -> None:
        arrays = {"tokens": [[1.0], [1.0], [1.0], [1.0], [0.0]]}
        wanted = outputs({0: [2.0, 0.0], 1: [0.0, 2.0], 2: [0.0, 0.0], 4: [0.0, 0.0]})
        fields = {"outputs": wanted}  # 2 / √4 = 1
        witness = {"subspace": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]}
        assert status("outputs_out_of_reach", arrays, {**fields, "bound": 1.0}, witness) == "holds"
        assert (
            status("outputs_out_of_reach", arrays, {**fields, "bound": above(1.0)}, witness)
            == "undecided"
        )
        nothing = {"subspace": np.zeros((4, 2))}
        assert (
            status("outputs_out_of_reach", arrays, {**fields, "bound": 1.0}, nothing) == "undecided"
        )
