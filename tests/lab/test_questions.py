"""The table of questions: strict about what comes in, JSON going out, the numbers of the API."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import regard
from regard.lab.plane import hull
from regard.lab.table import Refused, ask, questions

GOOD: dict[str, dict[str, Any]] = {
    "check": {"problem": "average-two-values", "answer": {"q": "C (k_a + k_b)"}},
    "check_typed": {"problem": "average-two-values", "checked": {"q": "C (k_a + k_b)"}},
    "design_head": {"tokens": [[0.0, 1.0], [1.0, 0.0]], "goals": [1, -1]},
    "design_query": {"keys": [[1.0, 0.5], [0.0, 1.0], [-1.0, 0.0]], "target": [1.0, 0.0, 0.0]},
    "hint": {"problem": "average-two-values"},
    "law": {
        "queries": [[1.0, 2.0]],
        "means": [[1, 0], [0, 1]],
        "covariances": [[[1, 0], [0, 1]]] * 2,
        "values": [[1], [0]],
    },
    "model_head": {"model": "demonstration", "head": "1.0"},
    "model_heads": {"model": "demonstration"},
    "noisy_keys": {"values": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], "C": 10.0},
    "positions": {"T": 2, "d_model": 8, "n": 11},
    "separate": {"s": [1.0, 0.0], "t": [3.0, 4.0]},
    "problem_list": {"collection": "cs114b-hw4"},
    "show": {"problem": "average-two-values"},
    "solve": {"problem": "average-two-values"},
    "statistics": {"query": [[1, 0], [2, 1]], "key": [[1, 0], [0, 1], [1, 1]]},
    "typeset_answer": {"problem": "average-two-values", "answer": {"q": "k_a"}},
    "trace": {"x": [[1], [0]], "W_Q": [[1]], "W_K": [[1]], "W_V": [["1/3"]]},
}


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("design_query", {"keys": 3}, "keys: must be a list."),
        ("design_query", {"keys": [[1]] * 65}, "keys: has more than 64 entries."),
        ("design_query", {"more": 1}, "more: is no argument of this question."),
        ("design_query", {"tolerance": 0.7}, "tolerance: must be at most 0.5."),
        ("check", {"answer": {"q": "(" * 2001}}, "answer.q: has more than 2000 characters."),
        ("check", {"answer": {"q": None}},
         "answer.q: must be true or false or a number or a text or a list."),
        ("trace", {"x": [["a"]]},
         "x[0][0]: is not a number as it is written, such as 1/3 or -0.25."),
        ("noisy_keys", {"heads": "x"}, "heads: must be 'one', 'two', 'null_one' or 'null_two'."),
    ],
)  # fmt: skip
def test_a_refusal_names_the_argument_and_says_what_it_must_be(
    name: str, wrong: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(Refused) as refused:
        ask(name, {**GOOD[name], **wrong})
    assert str(refused.value) == sentence


def test_heads_whose_keys_have_no_noise_at_all_are_compared_too() -> None:
    found = ask("noisy_keys", {**GOOD["noisy_keys"], "C": 60.0, "variance": 0.0, "alpha": 0.0}).data
    # Both scores are 60, those of the others 0: the weights of the others are below e^-59.
    np.testing.assert_allclose(list(found["off"].values()), 0, atol=1e-6)
    assert found["event"]["probability"] == 0


def test_the_table_has_what_was_promised() -> None:
    assert set(GOOD) <= set(questions())
    assert all(question.says.endswith((".", ":")) for question in questions().values())


@pytest.mark.parametrize("name", GOOD)
def test_an_answer_is_json_without_anything_that_json_has_not(name: str) -> None:
    found = ask(name, GOOD[name])
    assert json.loads(json.dumps(found.data, allow_nan=False)) == found.data
    assert found.found is not None


@pytest.mark.parametrize("name", GOOD)
def test_what_is_not_described_is_refused_with_a_sentence(name: str) -> None:
    for wrong in ({**GOOD[name], "more": 1}, [], {**GOOD[name], next(iter(GOOD[name])): False}):
        with pytest.raises(Refused) as refused:
            ask(name, wrong)  # type: ignore[arg-type]
        assert str(refused.value).endswith(".")


def test_numbers_that_are_none_are_refused() -> None:
    for bad in (True, "1", None, math.nan, math.inf, 1e300):
        with pytest.raises(Refused) as refused:
            ask("design_query", {"keys": [[bad, 0.0], [0.0, 1.0]], "target": [1.0, 0.0]})
        assert refused.value.malformed
        assert str(refused.value).startswith("keys[0][0]: ")


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert ask("positions", {"T": 2.0, "d_model": 8.0, "n": 11.0}).data["status"] == "reached"
    with pytest.raises(Refused):
        ask("positions", {"T": 2.5, "d_model": 8, "n": 11})


def test_content_of_length_0_changes_nothing_and_positions_have_the_length_that_it_is_told_in() -> (
    None
):
    given = {"T": 2, "d_model": 8, "n": 11, "B": 2.0, "method": "optimal", "scale": 5.0}
    bare, tiny = (ask("positions", {**given, "content": size}).data for size in (0.0, 1e-9))
    assert bare["content"] is None
    np.testing.assert_allclose(bare["map"], tiny["map"], atol=1e-6)
    assert tiny["content"]["any"] <= tiny["content"]["these"]
    assert bare["gaps"]["optimal"] >= bare["gaps"]["zero"]
    assert bare["on_aim"][:2] == [-1, -1]  # t - 2 is before the beginning


def test_tokens_as_their_own_keys_find_themselves_and_a_ring_of_three_needs_two_numbers() -> None:
    ring = {"tokens": np.eye(3).tolist(), "goals": [1, 2, 0], "length": 2.0}
    found = ask("design_head", ring).data
    assert (found["status"], found["proved"]) == ("reached", True)
    assert (found["d_k"], found["d_k_lower_bound"]) == (2, 2)  # a line has only two ends
    share = math.exp(4) / (math.exp(4) + 2)
    np.testing.assert_allclose(np.diag(found["own"]["weights"]), share)
    assert found["own"]["because"][0] == {"rival": 0, "lost": True, "score": 0, "rival_score": 4}
    with pytest.raises(Refused, match="one number per token"):
        ask("design_head", {**ring, "goals": [1]})
    with pytest.raises(Refused, match="rows of one length"):
        ask("design_head", {"tokens": [[1.0], [1.0, 2.0]], "goals": [1, 0]})


def test_a_design_at_another_length_has_the_weights_of_that_query() -> None:
    given = GOOD["design_query"]
    found = ask("design_query", {**given, "factor": 0.25}).data
    keys = np.array(given["keys"])
    query = regard.design.query(keys, 0).query / 4
    powers = np.exp(keys @ query)
    np.testing.assert_allclose(found["shown"]["weights"], powers / powers.sum(), atol=1e-12)
    assert found["proved"] is True


def test_the_middle_of_three_keys_on_a_line_is_half_of_each_end() -> None:
    found = ask(
        "design_query", {"keys": [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], "target": [0.0, 1.0, 0.0]}
    ).data
    assert found["status"] == "impossible"
    assert found["average"] == pytest.approx([0.5, 0, 0.5])
    assert found["ceiling"] == pytest.approx(1 / 3)  # e^0 / (e^-t + 1 + e^t) is largest at t = 0


def test_an_exact_third_is_one() -> None:
    found = ask("trace", {**GOOD["trace"], "scale": "1/2"}).data
    assert found["exact"]["values"] == [["1/3"], ["0"]]
    assert found["exact"]["scores"] == [["1/2", "0"], ["0", "0"]]
    assert found["floats"]["weights"][0][0] == pytest.approx(1 / (1 + math.exp(-0.5)), abs=1e-15)


def test_two_equal_noisy_keys_share_the_weight() -> None:
    found = ask("law", {**GOOD["law"], "means": [[1, 1], [1, 1]], "draws": 7}).data
    assert found["mean"] == pytest.approx([0.5])
    assert len(found["draws"]) == 7


def test_corners_of_a_hull_leave_out_what_lies_on_an_edge_or_twice() -> None:
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [1, 1], [2, 2]], dtype=float)
    found = hull(square)
    assert found is not None
    assert sorted(map(tuple, square[found].tolist())) == [(0, 0), (0, 2), (2, 0), (2, 2)]
    assert hull(np.zeros((3, 3))) is None
    assert hull(np.zeros((3, 2))) == [0]
