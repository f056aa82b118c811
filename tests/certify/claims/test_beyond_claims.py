"""Claims that a goal is beyond its tolerance: what is so holds, and nothing else does.

The smallest errors are known by hand (theory sheet H19 to H25) or from a dense grid.
"""

from __future__ import annotations

import copy
import json
import math
from typing import Any, ClassVar

import numpy as np
import pytest

from regard.certify import Certificate, Claim, verify
from regard.design.linear_scores import branch_and_bound as cells
from regard.design.linear_scores.family import Family, Pattern
from regard.design.linear_scores.reduced_scores import view

GOLDEN = (math.sqrt(5) - 1) / 4
LINE = np.array([[-1.0], [0.0], [1.0]])
ENDS = {"indices": [0, 2], "weights": [0.5, 0.5]}
# Σ y ln a = Σ l ln a for y on the ends and l on the middle: a_0 a_2 = a_1².
BY_HAND = {"lower": [[0, 0, "1/2"], [0, 2, "1/2"]], "upper": [[0, 1, 1]], "levels": [0.0]}


def status(kind: str, arrays: dict[str, Any], fields: Any, witness: Any, scale: float = 1.0) -> str:
    floats = {name: np.asarray(array, float) for name, array in arrays.items()}
    certificate = Certificate(floats, (Claim(kind, fields, witness),), scale)
    read = Certificate.from_dict(json.loads(json.dumps(certificate.to_dict())))
    return verify(read).claims[0].status


def on_the_line(tolerance: float, witness: Any, **fields: Any) -> str:
    given = {"target": ENDS, "tolerance": tolerance, "radius": None, **fields}
    return status("weights_beyond", {"keys": LINE}, given, witness)


def in_cells(keys: Any, target: dict[int, float], values: Any, tolerance: float) -> Any:
    """A claim with its witness in cells, as data."""
    array, averaged = np.array(keys, float), np.array(values, float)
    pattern = Pattern((np.array(list(target)),), (np.array(list(target.values())),))
    seen = view(Family(array, np.ones((1, 1))))
    assert seen is not None
    goal = cells.goal_of(pattern, averaged, array, tolerance)
    witness = cells.search_cells(seen, goal, 1e6).witness
    assert witness is not None
    fields = {
        "target": {"indices": list(target), "weights": list(target.values())},
        "tolerance": tolerance,
        "radius": 1e6 if seen.left_out else None,
    }
    claim = Claim("output_beyond", fields, witness)
    data = Certificate({"keys": array, "values": averaged}, (claim,)).to_dict()
    assert verify(data).holds
    return data


class TestMultipliers:
    @pytest.mark.parametrize("tolerance", [1e-300, 0.1, 0.25, 0.3, 0.309, GOLDEN - 1e-9])
    def test_what_is_below_the_smallest_error_is_excluded(self, tolerance: float) -> None:
        """H20: corners exclude all that is below (√5 − 1)/4."""
        assert on_the_line(tolerance, BY_HAND) == "holds"

    @pytest.mark.parametrize("tolerance", [GOLDEN + 1e-9, 0.31, 0.4, 0.5, 1.0, 2.0])
    def test_what_can_be_reached_is_not(self, tolerance: float) -> None:
        assert on_the_line(tolerance, BY_HAND) == "undecided"

    def test_a_query_that_reaches_it_refutes_the_claim(self) -> None:
        q = [math.log((1 + math.sqrt(5)) / 2)]
        assert on_the_line(0.31, {**BY_HAND, "attained_by": q}) == "fails"
        assert on_the_line(0.308, {"attained_by": q}) == "undecided"

    def test_h25_the_bounds_alone_exclude_a_twentieth(self) -> None:
        """¼, ¼, ½ on −1, 0, 1: the multipliers (1, −2, 1) either way round."""
        target = {"indices": [0, 1, 2], "weights": [0.25, 0.25, 0.5]}
        fields = {"target": target, "radius": None}
        for tolerance, expected in ((0.0499, "holds"), (0.0591, "undecided")):
            found = status(
                "weights_beyond", {"keys": LINE}, {**fields, "tolerance": tolerance}, BY_HAND
            )
            assert found == expected

    def test_h23_the_entropy_excludes_a_quarter(self) -> None:
        """Opposite corners of a square: 1/2 − ε > 1/4 on one diagonal takes more than is there."""
        keys = [[0, 0], [1, 0], [1, 1], [0, 1]]
        witness = {
            "lower": [[0, 0, 1], [0, 2, 1]],
            "upper": [[0, 1, 1], [0, 3, 1]],
            "levels": [1.0],
        }
        target = {"indices": [0, 2], "weights": [0.5, 0.5]}
        for tolerance, expected in ((0.2499, "holds"), (0.2501, "undecided")):
            fields = {"target": target, "tolerance": tolerance, "radius": None}
            assert status("weights_beyond", {"keys": keys}, fields, witness) == expected

    @pytest.mark.parametrize(
        "damage",
        [
            {"lower": [[0, 0, 1]]},  # another point
            {"upper": [[0, 0, 1]]},
            {"lower": [[0, 0, "1/2"], [0, 2, "1/2"], [0, 2, "1/2"]]},  # a pair twice
            {"lower": [[0, 0, "-1/2"], [0, 2, "3/2"]]},
            {"lower": [[1, 0, "1/2"], [1, 2, "1/2"]]},  # no such row
            {"lower": []},
            {"upper": []},
            {"levels": []},
            {"levels": [-1.0]},
            {"levels": ["1"]},
            {"lower": "all"},
        ],
    )
    def test_a_damaged_witness_proves_nothing(self, damage: Any) -> None:
        assert on_the_line(0.2, {**BY_HAND, **damage}) == "undecided"

    def test_rounded_multipliers_speak_up_to_a_radius(self) -> None:
        """The floats 0.9 and 0.1 are not as 9 to 1: the two averages are 1e-16 apart."""
        keys = [[0.0], [1.0], [10.0]]
        witness = {"lower": [[0, 0, 0.9], [0, 2, 0.1]], "upper": [[0, 1, 1.0]], "levels": [0.0]}
        target = {"indices": [0, 2], "weights": [0.5, 0.5]}
        for reach, expected in ((None, "undecided"), (1e8, "holds"), (1e19, "undecided")):
            fields = {"target": target, "tolerance": 0.2, "radius": reach}
            assert status("weights_beyond", {"keys": keys}, fields, witness) == expected

    def test_an_output_bounds_the_weights(self) -> None:
        """Values are the unit vectors, so that the output is the weights."""
        fields = {"target": ENDS, "radius": None}
        directions = []
        for key in range(3):
            w = np.full(3, -0.5)
            w[key] = 1
            directions += [[0, key, w.tolist()], [0, key, (-w).tolist()]]
        witness = {**BY_HAND, "directions": directions}
        arrays = {"keys": LINE, "values": np.eye(3)}
        # The smallest ‖a − p‖ is 1/√6 (H19).
        for tolerance, expected in ((0.2, "holds"), (1 / math.sqrt(6) + 1e-6, "undecided")):
            found = status("output_beyond", arrays, {**fields, "tolerance": tolerance}, witness)
            assert found == expected
        bare = {**BY_HAND, "directions": []}
        assert status("output_beyond", arrays, {**fields, "tolerance": 0.2}, bare) == "undecided"

    def test_equal_keys_put_out_the_mean_of_their_values(self) -> None:
        arrays = {"keys": [[1.0], [1.0], [0.0]], "values": [[0.0], [2.0], [0.0]]}
        target = {"indices": [1], "weights": [1.0]}
        for tolerance, expected in ((0.99, "holds"), (1.0, "undecided")):
            fields = {"target": target, "tolerance": tolerance, "radius": None}
            witness = {"separated": [0, [1.0]]}
            assert status("output_beyond", arrays, fields, witness) == expected
        other = {**arrays, "keys": [[1.0], [1.0 + 1e-15], [0.0]]}
        fields = {"target": target, "tolerance": 0.5, "radius": None}
        assert status("output_beyond", other, fields, {"separated": [0, [1.0]]}) == "undecided"


KEYS = [[-1.0], [0.0], [1.0], [2.5]]
VALUES = [[0.0], [1.0], [-1.0], [0.3]]
TARGET = {1: 0.9, 0: 0.1}


class TestCells:
    def data(self) -> Any:
        return in_cells(KEYS, TARGET, VALUES, 0.3)

    def smallest(self) -> float:
        """The smallest error on a dense grid."""
        wanted = sum(w * VALUES[i][0] for i, w in TARGET.items())
        q = np.linspace(-60, 60, 200_001)
        scores = q[:, None] * np.array(KEYS)[:, 0]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        output = powers @ np.array(VALUES)[:, 0] / powers.sum(axis=1)
        return float(np.min(np.abs(output - wanted)))

    def test_the_tolerance_cannot_be_raised_to_what_is_reached(self) -> None:
        data = self.data()
        smallest = self.smallest()
        assert data["claims"][0]["tolerance"] < smallest
        for tolerance in (smallest, 1.01 * smallest, 2 * smallest, 1e9):
            changed = copy.deepcopy(data)
            changed["claims"][0]["tolerance"] = tolerance
            assert not verify(changed).holds

    def test_a_damaged_witness_proves_nothing(self) -> None:
        data = self.data()
        witness = data["claims"][0]["witness"]
        tree, leaves = witness["tree"], witness["leaves"]
        for damage in (
            {"tree": tree[:-1]},
            {"tree": [*tree, -1]},
            {"tree": [-1, -1], "leaves": leaves[:2]},
            {"tree": [5, *tree[1:]]},
            {"leaves": leaves[:-1]},
            {"leaves": [[0, 9, leaves[0][2]], *leaves[1:]]},
            {"leaves": [[3, *leaves[0][1:]], *leaves[1:]]},
            {"leaves": [[*leaves[0][:2], [-x for x in leaves[0][2]]], *leaves[1:]]},
            {"start": 0.0},
            {"start": -1.0},
            {"start": 1e-30},
            {"basis": [[0.0]], "coordinates": [[0.0]] * 4},
            {"tree": None},
        ):
            changed = copy.deepcopy(data)
            changed["claims"][0]["witness"].update(damage)
            assert not verify(changed).holds, damage

    def test_it_is_not_so_of_other_arrays(self) -> None:
        """A key 1 that is highest has all the weight in the end; values 0.9 put out nothing else."""
        for name, array in (("keys", [[0.0], [5.0], [1.0], [2.0]]), ("values", [[0.9]] * 4)):
            changed = copy.deepcopy(self.data())
            changed["arrays"][name] = array
            assert not verify(changed).holds

    def test_keys_off_the_basis_need_a_radius(self) -> None:
        """Multiples of (0.1, 0.7) are on a line to rounding only."""
        keys = np.array(KEYS) * [0.1, 0.7]
        data = in_cells(keys, TARGET, VALUES, 0.3)
        assert data["claims"][0]["radius"] is not None
        for reach in (None, 1e20):
            changed = copy.deepcopy(data)
            changed["claims"][0]["radius"] = reach
            assert not verify(changed).holds


class TestHeads:
    def test_a_pattern_on_a_line(self) -> None:
        """The row of token 1 has the scores of the query A over the tokens −1, 0, 1."""
        witness = {key: value for key, value in BY_HAND.items() if key == "levels"}
        witness["lower"] = [[2, 0, "1/2"], [2, 2, "1/2"]]
        witness["upper"] = [[2, 1, 1]]
        rows = [{"row": 2, **ENDS}]
        for tolerance, expected in ((0.309, "holds"), (0.3091, "undecided")):
            fields = {"rows": rows, "tolerance": tolerance, "radius": None}
            assert status("pattern_beyond", {"tokens": LINE}, fields, witness) == expected
        fields = {"rows": rows, "tolerance": 0.31, "radius": None}
        A = {"attained_by": {"A": [[math.log((1 + math.sqrt(5)) / 2)]]}}
        assert status("pattern_beyond", {"tokens": LINE}, fields, {**witness, **A}) == "fails"

    def test_rows_share_one_matrix(self) -> None:
        """Rows −1 and 1 have opposite scores: token 2 cannot have more than half in both.

        ln a_02 + ln a_22 = ln a_00 + ln a_20: with both above 0.9 − ε the others are too.
        """
        both = {"indices": [2, 0], "weights": [0.9, 0.1]}
        rows = [{"row": 0, **both}, {"row": 2, **both}]
        witness = {
            "lower": [[0, 2, 1], [2, 2, 1]],
            "upper": [[0, 0, 1], [2, 0, 1]],
            "levels": [0.0, 0.0],
        }
        for tolerance, expected in ((0.3999, "holds"), (0.4001, "undecided")):
            fields = {"rows": rows, "tolerance": tolerance, "radius": None}
            assert status("pattern_beyond", {"tokens": LINE}, fields, witness) == expected

    def test_outputs_of_a_row_of_zeros_are_the_mean(self) -> None:
        tokens, W_V = [[0.0], [1.0], [2.0]], [[1.0]]
        witness = {
            "basis": None,
            "start": 1.0,
            "tree": [-1, -1],
            "leaves": [[0, 0, [1.0]], [0, 0, [1.0]]],
        }
        for tolerance, expected in ((0.8999, "holds"), (0.9001, "undecided")):
            fields = {
                "outputs": [{"row": 0, "vector": [1.9]}],
                "tolerance": tolerance,
                "radius": None,
            }
            arrays = {"tokens": tokens, "W_V": W_V}
            assert status("outputs_beyond", arrays, fields, witness) == expected


TOKENS = np.eye(3)


class TestContradiction:
    FIELDS: ClassVar[Any] = {
        "rows": [
            {"row": 0, "indices": [2], "weights": [1.0]},
            {"row": 1, "indices": [2], "weights": [1.0]},
        ],
        "outputs": [{"row": 0, "vector": [0.0, 3.0]}, {"row": 1, "vector": [4.0, 0.0]}],
    }

    def status(self, bound: float, combination: Any, tokens: Any = TOKENS) -> str:
        fields = {**self.FIELDS, "bound": bound}
        return status(
            "outputs_contradict", {"tokens": tokens}, fields, {"combination": combination}
        )

    def test_rows_that_attend_alike_put_out_alike(self) -> None:
        """The outputs are 5 apart, so that one of them is 2.5 away from any in the middle."""
        assert self.status(2.5, [[0, 1], [1, -1]]) == "holds"
        assert self.status(2.5 + 1e-12, [[0, 1], [1, -1]]) == "undecided"

    def test_weights_near_those_listed(self) -> None:
        """An eighth of the weight and values 8 apart bring the outputs nearer by 1: 4 are left."""
        near = {**self.FIELDS, "within": 0.125, "spread": 8.0}
        for bound, expected in ((2.0, "holds"), (2.0 + 1e-12, "undecided")):
            found = status(
                "outputs_contradict",
                {"tokens": TOKENS},
                {**near, "bound": bound},
                {"combination": [[0, 1], [1, -1]]},
            )
            assert found == expected

    @pytest.mark.parametrize(
        "combination", [[], [[0, 1]], [[0, 1], [1, 1]], [[0, 0]], [[2, 1]], [[0, 1], [0, -1]]]
    )
    def test_a_damaged_witness_proves_nothing(self, combination: Any) -> None:
        assert self.status(1.0, combination) == "undecided"

    def test_averages_that_depend_on_each_other(self) -> None:
        """Rows attend to x_1, x_2 and both halves: c_3 = (c_1 + c_2)/2."""
        fields = {
            "rows": [
                {"row": 0, "indices": [0], "weights": [1.0]},
                {"row": 1, "indices": [1], "weights": [1.0]},
                {"row": 2, "indices": [0, 1], "weights": [0.5, 0.5]},
            ],
            "outputs": [{"row": i, "vector": [v]} for i, v in enumerate([0.0, 2.0, 5.0])],
        }
        witness = {"combination": [[0, "1/2"], [1, "1/2"], [2, -1]]}
        for bound, expected in ((2.0, "holds"), (2.001, "undecided")):
            found = status(
                "outputs_contradict", {"tokens": TOKENS}, {**fields, "bound": bound}, witness
            )
            assert found == expected
