"""Queries: right ones, wrong ones, and what is said of them."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer

FILE = read_answers("query")
PAIR = "average-two-values"


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


NO_WEIGHTS = ("not-finite", "absurd-scale")  # softmax makes no weights of these
SAID = [entry for entry in FILE.wrong if "q" in entry["answer"] and entry["tag"] not in NO_WEIGHTS]


@pytest.mark.parametrize("entry", FILE.wrong, ids=lambda entry: entry["note"])
def test_wrong_answers_have_a_counterexample_in_words(entry: dict[str, Any]) -> None:
    example = FILE.judged(entry).counterexample
    assert example is not None
    assert example.sentence.endswith(".")
    assert "keys" in example.arrays


@pytest.mark.parametrize("entry", SAID, ids=lambda entry: entry["note"])
def test_counterexamples_violate_what_was_asked_for(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    example = FILE.judged(entry).counterexample
    assert example is not None
    if "q" not in example.arrays:  # values that are no query for keys of another length
        assert entry["tag"] == "values-instead-of-keys"
        assert len(example.arrays["values"][0]) != len(example.arrays["keys"][0])
        return
    keys, q = np.array(example.arrays["keys"]), np.array(example.arrays["q"])
    weights = softmax(one.given.scale * keys @ q)
    np.testing.assert_allclose(example.arrays["weights"], weights, atol=1e-12)
    wanted = np.zeros(len(keys))
    for name, weight in one.goal.weights.items():
        wanted[one.given.names[name]] = weight
    off = weights - wanted
    if one.given.values.law == "arbitrary":
        error = np.abs(off).max()
    elif one.given.values.law == "fixed":
        rows = np.array(one.given.values.rows)
        error = np.linalg.norm(off @ np.resize(rows, (len(keys), rows.shape[1])))
    else:
        error = np.linalg.norm(off)
    assert (error <= one.goal.tolerance) == (
        entry["tag"] in ("claims-impossible", "query-too-long")
    )


def test_the_margin_says_how_much_longer_the_query_has_to_be() -> None:
    # 4 / (2 e^C + 4) must fall to 2/1000: C = ln 998 = 6.9058, and 3 · 2.30 = 6.9.
    found = check(PAIR, {"q": "3 (k_a + k_b)"})
    assert (
        found.goals[0].sentence == "off by 0.0453, and 0.001 is allowed: ‖q‖ must grow about 2.31×"
    )
    assert found.goals[0].error == pytest.approx(0.5 - np.e**3 / (2 * np.e**3 + 4), rel=1e-12)


def test_with_known_values_the_error_is_that_of_the_output() -> None:
    # ‖c - c*‖ = r D with r = 2 / (2 + 2 e^C): the others average (0.5, 2.5), and c* is (0.5, 0.5).
    found = check("exact-average", {"q": "5 (k_i + k_j)"})
    assert found.goals[0].error == pytest.approx(2 / (1 + np.e**5), rel=1e-12)
    # Of orthonormal values all lengths and angles are known: D = √(1/2 + 1/38).
    found = check("average-two-of-many", {"q": "5 (k_a + k_b)"})
    leak = 38 / (38 + 2 * np.e**5)
    assert found.goals[0].error == pytest.approx(leak * np.sqrt(1 / 2 + 1 / 38), rel=1e-12)


def test_the_smallest_factor_that_works_is_told() -> None:
    assert check(PAIR, {"q": "C (k_a + k_b)"}).remarks == (
        "Here every C from 6.91 on is large enough.",
    )


def test_noise_that_is_to_vanish_sets_no_limit_but_is_told() -> None:
    found = check("average-under-small-noise", {"q": "C (mu_a + mu_b)"})
    assert found.right
    assert found.remarks[1].startswith(
        "That is in the limit: with alpha = 0.0001 the noise also sets an upper limit, between C = "
    )
    # Its variance is that of a logistic of N(0, 4 alpha C^2), about alpha C^2 / 4, in both weights.
    found = check("average-under-small-noise", {"q": "20 (mu_a + mu_b)"})
    assert found.goals[-1].error == pytest.approx(np.sqrt(2 * 1e-4 * 400 / 4), rel=0.05)
    assert not found.goals[-1].passed
    assert [goal.passed for goal in found.goals[:-1]] == [True, True, True]


def test_the_smallest_counterexample_has_three_keys_along_the_axes() -> None:
    example = check(PAIR, {"q": "k_a + k_b"}).counterexample
    assert example is not None
    np.testing.assert_array_equal(example.arrays["keys"], np.eye(3))
    e = np.e
    np.testing.assert_allclose(
        example.arrays["weights"], np.array([e, e, 1]) / (2 * e + 1), rtol=1e-12
    )
    assert example.sentence == (
        "With 3 keys the weights are (0.4223, 0.4223, 0.1554), and (0.5, 0.5, 0) are wanted: "
        "off by 0.155, and 0.001 is allowed."
    )
    assert [sentence for sentence, _ in example.steps] == [
        "The query q is (1, 1, 0).",
        "Its scores with the keys are (1, 1, 0).",
        "Softmax turns them into the weights (0.4223, 0.4223, 0.1554).",
        "Wanted is (0.5, 0.5, 0): the weights are off by (-0.07768, -0.07768, 0.1554).",
    ]


def test_goals_are_quantified() -> None:
    found = check(PAIR, {"q": "C (k_a + k_b)"})
    assert [goal.scope for goal in found.goals] == ["this", "sampled", "adversarial", "adversarial"]
    assert found.goals[1].trials >= 50
    assert found.goals[1].confidence == "with 95 % confidence at most 4.87% of instances fail"
    numbers = check(FILE.problem("three-points"), {"q": [9, 0]})
    assert [goal.scope for goal in numbers.goals] == ["this"]


@pytest.mark.parametrize("factor", ["1e308", "1e200", "1e16", "1e155 * 1e155"])
def test_an_absurd_scale_passes_on_no_instance(factor: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check(PAIR, {"q": f"{factor} (k_a + k_b)"})
    assert found.score == 0
    assert tag(found) in ("absurd-scale", "not-finite")


@pytest.mark.parametrize("entry", [float("nan"), float("inf"), -float("inf"), 1e308])
def test_numbers_that_are_not_finite_never_pass(entry: float) -> None:
    found = check(PAIR, {"q": [entry] * 2 + [0] * 4})
    assert found.score == 0
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_tag_is_decided_by_what_an_answer_does() -> None:
    for spelling in (
        "C (k_a - k_b)",
        r"\frac{C}{2} k_a - \frac{C k_b}{2}",
        "C (2 k_a - (k_a + k_b))",
    ):
        assert tag(check(PAIR, {"q": spelling})) == "one-target-only"
    for spelling in ("k_b + k_a", "exp(0) k_a + k_b", "k_a + k_b + 0 [1, 1, 0, 0, 0, 0]"):
        assert tag(check(PAIR, {"q": spelling})) == "no-large-scale"


def test_keys_may_be_many() -> None:
    one = problems.to_dict(problems.load(PAIR))
    one["given"] = {**one["given"], "n": 1000}
    assert check(problems.from_dict(one), {"q": "C (k_a + k_b)"}).right
    assert tag(check(problems.from_dict(one), {"q": "C (k_a + k_b)", "C": 8})) == "no-large-scale"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "answer: q is missing. Got nothing. It is written like this (which is not the answer): q = \"C (k_b - 2 k_a)\"."),
        ({"Q": "k_a"}, "answer: q is missing. Got Q: write q for Q."),
        ({"q": True}, "answer: q must be a formula or a list of numbers."),
        ({"q": "C (k_a + k_x)"}, "answer: q: k_x is not a name in this problem. Names with k are k_a and k_b. Declared are C, K, d, epsilon, k_a, k_b, n, v_a, v_b."),
        ({"q": "C (k_a + k_9)"}, "answer: q: k_9 is not a name in this problem. Names with k are k_a and k_b. Declared are C, K, d, epsilon, k_a, k_b, n, v_a, v_b."),
        ({"q": "20"}, "answer: q must be a vector of 6 entries, as long as a key. It is a single number."),
        ({"q": 20}, "answer: q must be a vector of 6 entries, as long as a key. It is of shape (1,)."),
        ({"q": [20, 20]}, "answer: q must be a vector of 6 entries, as long as a key. It is of shape (2,)."),
        ({"q": "C k_a k_b'"}, "answer: q must be a vector of 6 entries, as long as a key. It is of shape (6, 6)."),
        ({"q": "k_a = k_b"}, "answer: q: A field holds one formula, without =, such as q = 'k_b'."),
        ({"q": "C k_a", "C": "2 C >= 20"}, "answer: C must be a number, a formula, or bounds such as C >= 10."),
        ({"q": "C k_a", "C": "5 <= C >= 3"}, "answer: C must be a number, a formula, or bounds such as C >= 10."),
        ({"q": "C k_a", "C": "9 < C < 3"}, "answer: C: no number is within these bounds."),
        ({"q": "C k_a", "C": "C > k_a"}, "answer: C: k_a is no number to be a bound."),
        ({"q": "C k_a", "C": True}, "answer: C must be a formula or numbers."),
        ({"q": "C k_a", "C": "k_a < k_b and 1 < 2"}, "answer: C must be a number, a formula, or bounds such as C >= 10."),
        ({"q": "k_a", "k_a": [1, 2]}, "answer: k_a has a meaning in the problem: use another name."),
        ({"q": "k_a", "possible": "k_a"}, "answer: possible must be true or false."),
        ({"q": "k_a", "possible": False}, "answer: q is given, although possible is false."),
        ({"q": "C (k_a + k_b"}, "answer: q: This ( is never closed: ) is missing.\n  C (k_a + k_b\n    ^"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_invalid_and_not_wrong(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(PAIR, answer)
    assert str(caught.value) == message


def changed(given: dict[str, Any], **goal: Any) -> Any:
    data = problems.to_dict(problems.load(PAIR))
    given = {"names": {"a": 0, "b": 1}, **given}
    goal = {"weights": {"a": 0.5, "b": 0.5}, "tolerance": 1e-3, **goal}
    return problems.from_dict({**data, "given": given, "goal": goal, "id": "changed"})


def noisy(covariance: str, **given: Any) -> dict[str, Any]:
    keys = {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": covariance}
    return {"n": 4, "keys": keys, **given}


def test_noise_at_right_angles_to_the_query_is_not_seen() -> None:
    # q'Σq is 0 for q along mu_a + mu_b, and rounds to something below.
    one = changed(noisy("1/100 (mu_a - mu_b) (mu_a - mu_b)'"))
    for q in ("C (mu_a + mu_b)", "10 (mu_a + mu_b)", "1e6 (mu_a + mu_b)"):
        assert check(one, {"q": q}).score == 1
    assert check(one, {"q": "10 mu_a + 10.5 mu_b"}).score == 0


def test_each_weight_counts_also_under_noise() -> None:
    one = changed(noisy("s I", parameters={"s": 1e-3}), tolerance=0.075)
    rng = np.random.default_rng(3)
    keys = np.eye(4) + np.sqrt(1e-3) * rng.standard_normal((200_000, 4, 4))
    powers = np.exp(4 * (keys[..., 0] + keys[..., 1]))
    off = powers / powers.sum(axis=1, keepdims=True) - [0.5, 0.5, 0, 0]
    each = np.sqrt(np.mean(off**2, axis=0))
    assert np.max(each) < 0.075 < np.linalg.norm(each)
    found = check(one, {"q": "4 (mu_a + mu_b)"})
    assert found.goals[0].error == pytest.approx(np.max(each), rel=0.01)
    assert found.score == 1


@pytest.mark.parametrize(
    ("tolerance", "score"),
    [(0.095, 0), (0.01, 1)],
    ids=["there is a window", "there is none"],
)
def test_a_claim_under_noise_is_decided(tolerance: float, score: float) -> None:
    values = {"law": "orthonormal"}
    one = changed(noisy("s I", parameters={"s": 1e-3}, values=values), tolerance=tolerance)
    assert check(one, {"possible": False}).score == score


def test_what_is_neither_found_nor_excluded_is_not_decided() -> None:
    # Values that are all alike in one coordinate, and noise: no bound on the weights follows.
    given = noisy("s I", parameters={"s": 0.01}, values=[[1, 0], [-1, 0], [0, 1], [0, 1]])
    found = check(changed(given, tolerance=0.02), {"possible": False})
    assert (found.score, found.goals[0].decided) == (None, False)
    assert found.counterexample is None


def test_tests_of_the_same_thing_count_once() -> None:
    short, noise = "mu_a + mu_b", "50 (mu_a + mu_b)"
    assert check("average-under-small-noise", {"q": short}).score == 0
    assert check("average-under-small-noise", {"q": noise}).score == 0.5
    # A constant earns no more than a formula, and fewer goals are no advantage.
    wrong = ([20, 0, 20, 0, 0, 0], [9, 9, 0, 0, 0, 0], "C (k_a + k_3)", "20 (k_a + k_3)")
    assert [check(PAIR, {"q": q}).score for q in wrong] == [0, 0, 0, 0]


def test_an_open_factor_is_followed_beyond_float64() -> None:
    for factor in ("C^0.1", "log(C)/3", "8 C/(1 + C)", "C^2", "exp(C)", "C log(C)", "log(log(C))"):
        assert check(PAIR, {"q": f"({factor}) (k_a + k_b)"}).score == 1, factor
    for factor in ("6 C/(1 + C)", "C cos(C)", "1/C", "-C"):
        assert check(PAIR, {"q": f"({factor}) (k_a + k_b)"}).score == 0, factor
    found = check(PAIR, {"q": "log(log(log(log(C)))) (k_a + k_b)"})
    assert (found.score, found.decided) == (None, False)
    assert found.goals[0].sentence.endswith("and the error still falls")


def test_a_range_is_tried_where_it_fails() -> None:
    # 1 at C = 301.3, and 10 a few units from there: no round part of the range is near it.
    dip = "(10 - 9 exp(-(C - 301.3)^2))"
    assert check(PAIR, {"q": f"{dip} (k_a + k_b)", "C": "290 <= C <= 310"}).score == 0
    assert check(PAIR, {"q": "-C (k_a + k_b)", "C": "C <= -7"}).score == 1


@pytest.mark.parametrize(
    ("weights", "q", "wrong_tags"),
    [
        ((0.7, 0.3), "6 k_a + (6 + log(7/3)) k_b", {"equal-weights"}),
        # Shares of 0.3 and 0.7 for ever, which are not even and only the wrong way round.
        ((0.7, 0.3), "C (k_a + k_b) + log(0.3) k_a + log(0.7) k_b", {"equal-weights"}),
        ((0.7, 0.3), "log(0.7) k_a + log(0.3) k_b", {"no-large-scale"}),
        ((0.5, 0.5), "3 k_a + 4 k_b", {"one-target-only", "no-large-scale"}),
    ],
)
def test_a_tag_is_not_found_by_making_the_query_longer(
    weights: tuple[float, float], q: str, wrong_tags: set[str]
) -> None:
    given = {"n": 5, "keys": {"law": "orthonormal"}}
    one = changed(given, weights={"a": weights[0], "b": weights[1]})
    assert tag(check(one, {"q": q})) not in wrong_tags


def test_little_growth_is_told_in_percent() -> None:
    # ln 998 / 6.9 = 1.000834.
    found = check(PAIR, {"q": "6.9 (k_a + k_b)"})
    assert (
        found.goals[0].sentence
        == "off by 0.00101, and 0.001 is allowed: ‖q‖ must grow by about 0.084 %"
    )


def test_rows_by_their_numbers_are_tried_where_they_are() -> None:
    answer = {"q": "C (k_a + k_b) - 40 (k_3 + k_4 + k_5 + k_6)", "C": "5 + 0 n"}
    found = check(PAIR, answer)
    assert found.score == 1
    assert "200" not in " ".join(goal.name for goal in found.goals)
