"""Formulas for moments of scores: right ones, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer, InvalidProblem

FILE = read_answers("moments")
MEAN, VARIANCE, SCALE = "dot-product-mean", "dot-product-variance", "dot-product-scale"
POSITIONS = "position-disturbs-content"


def verdict(name: str, **answer: Any) -> Verdict:
    return check(FILE.problem(name), answer)


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        (MEAN, {"mean": "sum([mu D_k/2, mu D_k/2])"}, "one-mean-only"),
        (MEAN, {"mean": "D_k^2 mu^2"}, "dimension-squared"),
        (MEAN, {"mean": "mu - mu + 0 D_k"}, "mean-taken-as-zero"),
        (MEAN, {"mean": "D_k sigma^2 (sigma^2 + 2 mu^2)"}, "variance-for-mean"),
        (MEAN, {"mean": "D_k ((mu + sigma)^2 - 2 mu sigma)"}, "k-taken-as-q"),
        (SCALE, {"s": "sqrt(D_k)/D_k"}, "divided-instead-of-multiplied"),
        (SCALE, {"s": "sqrt(D_k)^2"}, "variance-read-as-standard-deviation"),
        (POSITIONS, {"mean": "sin(0)", "variance": "1.25 d_model"}, "content-forgotten"),
        (
            POSITIONS,
            {"mean": "(2 + d_model)/2", "variance": "1.25 d_model"},
            "positions-taken-as-equal",
        ),
        (POSITIONS, {"mean": "1", "variance": "3 d_model (1/2)"}, "one-sine-for-two"),
        (POSITIONS, {"mean": "1", "variance": "d_model (1/2 + 1/2)"}, "position-terms-forgotten"),
        (POSITIONS, {"mean": "1", "variance": "(2 + d_model/2)/2"}, "other-reading"),
        (
            "a-token-with-itself",
            {"mean": "D mu mu", "variance": "D sigma^2 (sigma^2 + 2 mu^2)"},
            "independence-assumed",
        ),
    ],
)
def test_a_misconception_is_named_in_another_spelling_too(
    name: str, answer: dict[str, Any], expected: str
) -> None:
    assert tag(verdict(name, **answer)) == expected


def test_a_counterexample_has_the_smallest_numbers() -> None:
    found = verdict("any-mean-and-deviation", variance="D sigma^4").counterexample
    assert found is not None
    # (1 + 1)(1 + 1) - 1 = 3 for one product of entries with mean and variance 1.
    assert found.sentence == (
        "With D = 1, mu = 1 and sigma = 1 the variance is 3, and the answer says 1."
    )
    assert found.steps[-1][0] == (
        "One product q_i k_i has mean 1 and variance 3; the score is the sum of 1 of them."
    )


@pytest.mark.parametrize(
    "entry",
    [
        e
        for e in FILE.wrong
        if e["problem"] in ("any-mean-and-deviation", MEAN, "a-token-with-itself")
    ],
    ids=lambda entry: entry["note"],
)
def test_counterexamples_agree_with_a_simulation(entry: dict[str, Any]) -> None:
    found = FILE.judged(entry).counterexample
    assert found is not None
    numbers = dict(found.arrays)
    answer = numbers.pop("answer")
    D = int(numbers.get("D", numbers.get("D_k", 0)))
    rng = np.random.default_rng(5)
    count = 200_000
    q = numbers["mu"] + numbers["sigma"] * rng.standard_normal((count, D))
    k = (
        q
        if "itself" in entry["problem"]
        else numbers["mu"] + numbers["sigma"] * rng.standard_normal((count, D))
    )
    scores = np.sum(q * k, axis=1)
    field = "mean" if "mean" in numbers else "variance"
    simulated = np.mean(scores) if field == "mean" else np.var(scores)
    spread = np.std(scores) if field == "mean" else np.std((scores - np.mean(scores)) ** 2)
    assert abs(simulated - numbers[field]) <= 5 * spread / math.sqrt(count)
    assert abs(answer - numbers[field]) > 1e-6


def test_a_wrong_number_is_told_beside_the_right_one() -> None:
    assert verdict(SCALE, s="D_k").goals[0].sentence == (
        "64 and not 8 for D_k = 64, mu = 0 and sigma = 1"
    )


def test_other_readings_are_named() -> None:
    # THEORY §4.4 at d_model = 64: 1 + 16, 13 · 16 and 40.
    remark = verdict(POSITIONS, mean="1", variance="5 d_model/4").remarks[0]
    assert remark == (
        "Other readings of the text, with mean and variance for d_model = 64: k is uniform on the "
        "unit sphere, its elements have variance 1/d: 1, 17; the elements of k are standard normal, "
        "|k|² is about d: 64, 208; as the hint, but positions are added to even entries only: 1, 40."
    )


def test_a_negative_root_passes_where_no_positive_one_is_asked_for() -> None:
    found = verdict("in-numbers", mean="D mu^2", variance="D v (v + 2 mu^2)", s="-sqrt(40)")
    assert found.score == 1
    assert found.remarks == (
        "s is negative there: dividing by it also changes the sign of the score.",
    )
    assert verdict(SCALE, s="-sqrt(D_k)").score == 0
    assert verdict(SCALE, s="sqrt(D_k)").remarks == ()


@pytest.mark.parametrize("field", [64, 64.0, "64", "64 + 0 D_k", "tr(I(64))", "8 sqrt(D_k)"])
def test_what_is_right_for_one_dimension_only_is_no_answer_to_a_formula(field: Any) -> None:
    found = verdict(VARIANCE, variance=field)
    assert found.score == 0
    assert found.goals[0].sentence.startswith("right for the numbers of the problem, and wrong on ")


def test_a_number_is_an_answer_where_the_statement_has_the_numbers() -> None:
    right = verdict("in-numbers", mean=4, variance=40.0, s=6.325)  # the root of 40 is 6.324555
    assert right.score == 1
    assert [goal.scope for goal in right.goals] == ["this"] * 3
    assert right.remarks == (
        "s is rounded: it is 6.32455532 for D = 16, mu = 0.5 and v = 1.35078.",
    )
    for s in (6, 6.3, 6.33, 6.327):
        assert verdict("in-numbers", mean=4, variance=40.0, s=s).score == pytest.approx(2 / 3)


def test_fields_count_the_same_whether_they_are_numbers_or_formulas() -> None:
    for variance in (81, 80, "81", "2 d_model", "sqrt(d_model)", "80 + 0 d_model"):
        assert verdict(POSITIONS, mean="1", variance=variance).score == 0.5


def test_a_rounded_factor_is_right_to_its_digits() -> None:
    twice = "scale-for-a-token-with-itself"  # s = sqrt(2 D) sigma^2
    for factor, right in (("1.41", 1), ("1.414", 1), ("1.4142", 1), ("1.4", 0), ("1.42", 0)):
        assert verdict(twice, s=f"{factor} sigma^2 sqrt(D)").score == right
    for wrong in ("1.414 sigma^2 sqrt(D) + 0.01", "1.4144 sigma^2 sqrt(D)", "1.41 sigma sqrt(D)"):
        assert verdict(twice, s=wrong).score == 0


def test_forms_that_cancel_are_not_refused_for_the_rounding_of_floats() -> None:
    text = "D_k ((mu + sigma)^2 + (mu - sigma)^2)/2 - D_k sigma^2"
    assert verdict(MEAN, mean=text).score == 1


def test_whether_there_is_an_s_has_to_be_said() -> None:
    with pytest.raises(InvalidAnswer, match=r"^answer: s is missing\. Got mean\.$"):
        verdict("nothing-is-random", mean="D mu^2")
    with pytest.raises(InvalidAnswer, match=r"^answer: mean is missing\. Got possible\.$"):
        verdict("nothing-is-random", possible=False)
    with pytest.raises(InvalidAnswer, match="none is asked for: leave it out"):
        verdict(MEAN, mean="D_k mu^2", possible=False)


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        # For k = q the products are not independent, and what is said of them would be false.
        ("a-token-with-itself", {"mean": "D mu", "variance": 1}, ""),
        ("a-token-with-itself", {"mean": "D sigma^2", "variance": 1}, ""),
        # Twice the product of the variances is no missing cross term of independent vectors.
        ("any-mean-and-deviation", {"variance": "2 D sigma^4"}, ""),
        ("any-mean-and-deviation", {"variance": "D sigma^2"}, ""),
        (MEAN, {"mean": "-D_k mu^2"}, "sign-error"),
        (POSITIONS, {"mean": "1", "variance": "0 d_model"}, ""),
    ],
)
def test_no_tag_is_said_that_would_not_be_true(
    name: str, answer: dict[str, Any], expected: str
) -> None:
    found = verdict(name, **answer)
    assert found.score < 1
    assert tag(found) == expected


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        (
            MEAN,
            {},
            'answer: mean is missing. Got nothing. It is written like this (which is not the answer): mean = "1 + sqrt(D_k)".',
        ),
        (
            MEAN,
            {"mean": "d mu^2"},
            "answer: mean: d is not a name in this problem. Declared are D_k, mu, sigma.",
        ),
        (
            MEAN,
            {"mean": "[mu, mu]"},
            "answer: mean must be a single number. It is a column of 2 entries.",
        ),
        (MEAN, {"mean": True}, "answer: mean must be a formula or a number."),
        (
            MEAN,
            {"mean": "mu +"},
            "answer: mean: The formula ends after +, where a value must follow.\n  mu +\n      ^",
        ),
        (
            MEAN,
            {"mean": "D_k mu^2", "mu": 3},
            "answer: mu has a meaning in the problem: use another name.",
        ),
        (SCALE, {"possible": "D_k"}, "answer: possible must be true or false."),
    ],
)
def test_what_cannot_be_read_is_invalid(name: str, answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as error:
        check(name, answer)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("given", {"q": {"mean": "mu", "variance": "1e300"}}, "q: variance: is 1e"),
        ("given", {"q": {"mean": "1e-200", "variance": "1"}}, "q: mean: is 1e-200"),
        ("goal", {"variance": 1e-310}, "goal.variance: must be at least 1e-30"),
    ],
)
def test_sizes_that_cannot_be_multiplied_are_refused(
    part: str, change: dict[str, Any], message: str
) -> None:
    data = problems.to_dict(problems.load(SCALE))
    with pytest.raises(InvalidProblem, match=message):
        problems.from_dict({**data, part: {**data[part], **change}})
