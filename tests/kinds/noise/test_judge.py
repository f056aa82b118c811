"""Laws of outputs over random keys: right answers, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer

FILE = read_answers("noise")
NAMES = (
    "one-head-under-noise",
    "two-heads-under-noise",
    "a-key-of-random-length",
    "one-noisy-head-of-two",
    "noise-on-an-averaged-key",
    "noise-on-another-key",
)
ONE, TWO, LENGTH, NOISY, AVERAGED, ANOTHER = NAMES
COIN = {
    "atoms": [{"value": "v_a", "probability": "1/2"}, {"value": "v_b", "probability": "1/2"}],
    "mean": "(v_a + v_b)/2",
    "variance": "1/4 norm(v_a - v_b)^2",
}


def outputs(name: str, values: np.ndarray, count: int) -> np.ndarray:
    """Draw outputs for a query that is very long, with keys drawn one normal number at a time."""
    rng = np.random.default_rng(11)
    n = len(values)
    gamma = 1 + math.sqrt(0.5) * rng.standard_normal(count)
    heads = [[0], [1]] if name in (TWO, NOISY) else [[0, 1]]
    noisy = 2 if name == ANOTHER else 0
    total = np.zeros((count, values.shape[1]))
    for head in heads:
        scores = np.zeros((count, n))
        for key in head:
            scores[:, key] = 1e4 * (gamma if key == noisy else 1.0)
        powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        total += powers / np.sum(powers, axis=1, keepdims=True) @ values / len(heads)
    return total


@pytest.mark.parametrize(
    "entry",
    [e for e in FILE.wrong if e["problem"] in NAMES and e["problem"] != TWO],
    ids=lambda e: e["note"],
)
def test_counterexamples_agree_with_a_simulation(entry: dict[str, Any]) -> None:
    found = FILE.judged(entry).counterexample
    assert found is not None
    values, count = np.array(found.arrays["values"]), 100_000
    drawn = outputs(entry["problem"], values, count)
    away = np.sum((drawn - np.mean(drawn, axis=0)) ** 2, axis=1)
    size = np.max(np.abs(values))
    np.testing.assert_allclose(found.arrays["mean"], np.mean(drawn, axis=0), atol=0.02 * size)
    np.testing.assert_allclose(found.arrays["variance"], np.mean(away), atol=0.02 * size**2)
    for chance, point in zip(found.arrays["probabilities"], found.arrays["outputs"], strict=True):
        near = np.mean(np.linalg.norm(drawn - np.array(point), axis=1) <= 1e-3)
        assert near >= chance - 0.01


def test_the_smallest_counterexample_has_values_of_one_number() -> None:
    found = check(ONE, {**COIN, "variance": "norm(v_a - v_b)^2"}).counterexample
    assert found is not None
    assert found.sentence == (
        "With v_a = 1, v_b = 0, v_3 = 0, v_4 = 0 the answer says of the variance: 1, and right is 0.25."
    )


def test_how_often_an_answer_is_wrong_is_its_margin() -> None:
    answer = {
        "atoms": [{"value": "(v_a + v_b)/2", "probability": 1}],
        "mean": "(v_a + v_b)/2",
        "variance": "0",
        "independent": True,
    }
    found = check(NOISY, answer)
    # Φ(-√2) = (1 - erf 1)/2: how often the length is negative.
    assert found.goals[0].error == pytest.approx((1 - math.erf(1)) / 2, rel=1e-9)
    assert check(TWO, answer).score == 1  # where such cases may be left out


def test_both_laws_pass_where_negative_scores_may_be_left_out_but_not_a_mixture() -> None:
    p = "Phi(sqrt(2))"
    whole = {
        "atoms": [
            {"value": "(v_a + v_b)/2", "probability": p},
            {"value": "(v_b + vbar_not_a)/2", "probability": f"1 - {p}"},
        ],
        "mean": f"v_b/2 + {p} v_a/2 + (1 - {p}) vbar_not_a/2",
        "variance": f"{p} (1 - {p}) norm(v_a - vbar_not_a)^2/4",
        "independent": True,
    }
    found = check(TWO, whole)
    assert found.score == 1
    assert found.remarks == (
        "Judged as the law with the cases that may be left out; both are right.",
    )
    assert check(TWO, {**whole, "mean": "(v_a + v_b)/2"}).score < 1


@pytest.mark.parametrize(
    ("queries", "covariance", "independent"),
    [
        (["3 mu_a", "3 mu_b"], {"a": "1/4 (mu_a + mu_b) (mu_a + mu_b)'", "others": "0 I"}, False),
        (["3 mu_a", "2 mu_a + 3 mu_b"], "I", False),
        (["3 mu_a", "3 mu_b"], "I", True),
        (["mu_a + mu_b", "mu_a - mu_b"], "I", True),
        (["mu_a + mu_b", "mu_a - mu_b"], {"a": "mu_a mu_a'", "others": "I"}, False),
        (["mu_a", "mu_a"], {"b": "mu_b mu_b'", "others": "0 I"}, True),
    ],
)
def test_heads_are_independent_if_they_share_no_noise(
    queries: list[str], covariance: Any, independent: bool
) -> None:
    data = problems.to_dict(problems.load(NOISY))
    given = {
        "n": 3,
        "names": {"a": 0, "b": 1},
        "queries": queries,
        "keys": {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": covariance},
    }
    one = problems.from_dict({**data, "given": given, "goal": {"find": ["independent"]}})
    assert check(one, {"independent": independent}).score == 1
    found = check(one, {"independent": not independent})
    expected = (
        "dependent-because-of-the-same-keys"
        if independent
        else "independent-because-queries-differ"
    )
    assert (found.score, tag(found)) == (0, expected)


def test_the_shared_noise_is_shown() -> None:
    found = check(FILE.problem("heads-that-share-noise"), {"independent": True}).counterexample
    assert found is not None
    # q_1' (1/4)(μ_a + μ_b)(μ_a + μ_b)' q_2 = 1/4 for unit queries along the means.
    assert found.sentence == (
        "q_1' Sigma_a q_2 is 0.25 and not 0: the noise of k_a moves the scores of both heads, so that "
        "they are not independent."
    )


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        (
            NOISY,
            {
                "atoms": [
                    {"value": "v_b/2 + v_a/2", "probability": "1/2"},
                    {"value": "v_b/2 + (5 vbar - v_a)/8", "probability": "1/2"},
                ]
            },
            "equal-chances",
        ),
        (
            TWO,
            {"atoms": [{"value": "2 v_a - v_a + v_b", "probability": 1}], "mean": "v_b + v_a"},
            "summed-instead-of-averaged",
        ),
        (
            NOISY,
            {"atoms": [{"value": "v_a/2 + v_b/2", "probability": 0.9}]},
            "probabilities-do-not-add-up",
        ),
        (LENGTH, {"variance": "(norm(v_a)^2 + norm(v_b)^2 - 2 v_a' v_b)/2"}, "extra-factor"),
        (
            LENGTH,
            {
                "atoms": [
                    {"value": "v_a", "probability": 0.5427},
                    {"value": "v_b", "probability": 0.4573},
                ]
            },
            "negative-case-left-out",
        ),
    ],
)
def test_a_misconception_is_named_in_another_spelling_too(
    name: str, answer: dict[str, Any], expected: str
) -> None:
    right = next(entry["answer"] for entry in FILE.right if entry["problem"] == name)
    assert tag(check(name, {**right, **answer})) == expected


def test_an_answer_may_hold_what_grows_and_is_judged_in_the_limit() -> None:
    mean = "(exp(C) (v_a + v_b) + (n - 2) vbar_rest)/(2 exp(C) + n - 2)"
    found = check(ONE, {**COIN, "mean": mean})
    assert found.score == 1
    assert found.remarks == ("Where the answer uses C, it was judged in the limit.",)
    assert check(ONE, {**COIN, "mean": mean.replace("2 exp(C)", "3 exp(C)")}).score < 1


def test_infinite_numbers_never_pass() -> None:
    for field in ("0/0", "exp(1000)"):
        assert check(ONE, {**COIN, "variance": field}).score < 1
    atoms = [
        {"value": "v_a exp(1000)", "probability": "1/2"},
        {"value": "v_b", "probability": "1/2"},
    ]
    found = check(ONE, {**COIN, "atoms": atoms})
    assert (found.score < 1, tag(found)) == (True, "not-finite")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"atoms": None}, "answer: atoms is missing. Got mean, variance."),
        (
            {"atoms": "v_a"},
            "answer: atoms must be a list of tables, each with a value and a probability.",
        ),
        (
            {"atoms": [{"value": "v_a"}]},
            "answer: atoms[0].probability is missing: write "
            '{ value = "v_a", probability = "1/2" } for each.',
        ),
        (
            {"variance": "1/4 (v_a - v_b) (v_a - v_b)'"},
            "answer: variance must be a single number. It is 3 × 3. Of a covariance, take the "
            "trace: tr(…).",
        ),
        (
            {"atoms": [{"value": "v_a", "probability": 1, "p": 1}]},
            "answer: atoms[0].p is no part of an atom: use value and probability.",
        ),
        (
            {"atoms": [{"value": "v_q", "probability": 1}]},
            "answer: atoms[0].value: v_q is not a name in this problem. Declared are C, alpha, n, "
            "v_1, v_2, v_3, v_4, v_a, v_b, vbar, vbar_not_a, vbar_not_b, vbar_rest.",
        ),
        (
            {"mean": "1"},
            "answer: mean must be a vector of 3 entries, as long as a value. It is a single number.",
        ),
        (
            {"variance": "v_a"},
            "answer: variance must be a single number. It is a column of 3 entries.",
        ),
        ({"v_a": 3}, "answer: v_a has a meaning in the problem: use another name."),
    ],
)
def test_what_cannot_be_read_is_invalid(change: dict[str, Any], message: str) -> None:
    answer = {name: field for name, field in {**COIN, **change}.items() if field is not None}
    with pytest.raises(InvalidAnswer) as error:
        check(ONE, answer)
    assert str(error.value) == message


def test_whether_heads_are_independent_is_true_or_false() -> None:
    with pytest.raises(InvalidAnswer) as error:
        check(TWO, {**COIN, "independent": "1"})
    assert str(error.value) == "answer: independent must be true or false."


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({"mean": "(v_a + v_b)/2 + v_a/C"}, True),
        ({"mean": "(v_a + v_b)/2 + C v_a/(1000 + C)"}, False),
        ({"mean": [0.5, 0.5, 0.5]}, False),
        ({"mean": [0.5, 0.5]}, False),
        ({"mean": "(v_a + v_b)/2 + 0 [1, 2, 3]"}, True),
        ({"variance": 0.25}, False),
        ({"variance": "0.25 norm(v_a - v_b)^2"}, True),
        ({"variance": "0.26 norm(v_a - v_b)^2"}, False),
    ],
    ids=str,
)
def test_fields_are_judged_in_the_limit_to_their_digits_and_for_any_values(
    change: dict[str, Any], right: bool
) -> None:
    found = check(ONE, {**COIN, **change})
    assert found.score == pytest.approx(1 if right else 2 / 3)
    assert tag(found) != "not-finite"


def test_a_thousandth_is_not_zero() -> None:
    still = {"atoms": [{"value": "(v_i + v_j)/2", "probability": 1}], "mean": "(v_i + v_j)/2"}
    assert check(ANOTHER, {**still, "variance": 0}).score == 1
    assert check(ANOTHER, {**still, "variance": 0.001}).score < 1


def test_what_falls_too_slowly_is_not_decided() -> None:
    found = check(ONE, {**COIN, "mean": "(v_a + v_b)/2 + v_a/log(log(C))"})
    assert (found.score, found.decided) == (None, False)


def test_lengths_of_which_none_is_negative_are_integrated() -> None:
    data = problems.to_dict(problems.load(TWO))
    lengths = {"a": "1/2 mu_a mu_a'", "b": "1/8 mu_b mu_b'", "others": "0 I"}
    given = {
        **data["given"],
        "limits": ["C -> inf"],
        "queries": ["C (mu_a + mu_b)"],
        "keys": {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": lengths},
    }
    one = problems.from_dict({**data, "given": given, "goal": {"find": ["atoms"]}})
    normal = np.random.default_rng(2).standard_normal((2, 4_000_000))
    a, b = 1 + math.sqrt(0.5) * normal[0], 1 + math.sqrt(0.125) * normal[1]
    p = float(np.mean((a > b)[(a >= 0) & (b >= 0)]))

    def said(chance: float) -> dict[str, Any]:
        pair = [("v_a", round(chance, 3)), ("v_b", round(1 - chance, 3))]
        return {"atoms": [{"value": v, "probability": x} for v, x in pair]}

    assert check(one, said(p)).score == 1
    assert check(one, said(p + 0.02)).score == 0


def test_a_law_that_is_not_known_allows_no_error_of_any_size() -> None:
    data = problems.to_dict(problems.load(LENGTH))
    data["given"] |= {
        "n": 2, "d": 2, "scale": 1e9, "queries": ["mu_a/norm(mu_a)"], "names": {"a": 1, "b": 0},
        "keys": {
            "law": "gaussian", "mean": {"law": "arbitrary"},
            "covariance": {"a": "alpha I", "others": "I"},
        },
        "values": {"law": "orthogonal", "norms": [3.0, 1e-20]},
        "parameters": {"alpha": 1.0, "C": 1e20}, "limits": ["alpha -> 0", "C -> inf"],
    }  # fmt: skip
    data["goal"] = {"find": ["mean"]}
    data["given"]["ignore_negative"] = True
    (goal,) = check(problems.from_dict(data), {"mean": "v_a"}).goals
    assert (goal.decided, goal.tolerance) == (False, None)
