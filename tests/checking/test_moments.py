"""Formulas for moments of scores: right ones, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer

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


def test_the_margin_is_told_with_both_numbers() -> None:
    assert verdict(SCALE, s="D_k").goals[0].sentence == (
        "64 and not 8 for D_k = 64, mu = 0 and sigma = 1 (7 > 1e-09)"
    )


def test_other_readings_are_named() -> None:
    # THEORY §4.4 at d_model = 64: 1 + 16, 13 · 16 and 40.
    remark = verdict(POSITIONS, mean="1", variance="5 d_model/4").remarks[0]
    assert remark == (
        "Other readings of the text, with mean and variance for d_model = 64: k is uniform on the "
        "unit sphere, its elements have variance 1/d: 1, 17; the elements of k are standard normal, "
        "|k|² is about d: 64, 208; as the hint, but positions are added to even entries only: 1, 40."
    )


def test_a_negative_root_passes_and_is_told() -> None:
    found = verdict(SCALE, s="-sqrt(D_k)")
    assert found.score == 1
    assert found.remarks == (
        "s is negative there: dividing by it also changes the sign of the score.",
    )


def test_a_number_is_compared_for_the_instance_only() -> None:
    found = verdict(VARIANCE, variance=64)
    assert [goal.scope for goal in found.goals] == ["this"]
    assert found.remarks == (
        "variance: a number and no formula, so it was compared for D_k = 64, mu = 0 and sigma = 1 only.",
    )
    assert verdict(VARIANCE, variance=65).score == 0


def test_what_is_right_for_one_dimension_only_fails() -> None:
    found = verdict(VARIANCE, variance="8 sqrt(D_k)")  # 64 for D_k = 64
    assert [goal.passed for goal in found.goals] == [True, False, False]


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        (MEAN, {}, "answer: mean is missing. Got nothing."),
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
