"""A tag is left out where its sentence is not true of the answer, although a repair fits."""

from __future__ import annotations

import pytest

from regard import checking, problems

SHAPES = {"Q": ["N", "D_K"], "K": ["N", "D_K"], "V": ["N", "D_V"]}
NOISY = {
    "atoms": [
        {"value": "(v_a + v_b)/2", "probability": "Phi(sqrt(2))"},
        {"value": "5/8 v_b + 3/8 vbar_rest", "probability": "Phi(-sqrt(2))"},
    ],
    "mean": "Phi(sqrt(2)) (v_a + v_b)/2 + Phi(-sqrt(2)) (v_b + vbar_not_a)/2",
    "variance": "Phi(sqrt(2)) Phi(-sqrt(2)) norm((v_a - vbar_not_a)/2)^2",
    "independent": True,
}


@pytest.mark.parametrize(
    ("problem", "answer", "tag"),
    [
        # A score, or the length of all scores, is no gap that lacks a logarithm.
        ("copy-a-value", {"condition": "s_j >= n/epsilon"}, "not-sufficient"),
        ("output-under-dominance", {"condition": "norm(s) > n/epsilon"}, "not-sufficient"),
        # It always holds for keys of length 1, also for two that are the same.
        ("query-along-a-key", {"condition": "norm(k_j) > norm(k_i)/2"}, "not-sufficient"),
        ("query-along-a-key", {"condition": "k_j' k_i < 1"}, "alignment-without-norms"),
        # Rounding makes the two sides equal; they never are.
        ("one-key-dominates", {"condition": "exp(s_j) >= sum(exp(s))"}, "never-holds"),
        # Q is right, so that Q and K have not changed places.
        (
            "stack-into-matrices",
            {"Q": "X W_Q", "K": "X W_Q", "V": "X W_V", "shapes": SHAPES},
            None,
        ),
        (
            "stack-into-matrices",
            {"Q": "X W_K", "K": "X W_Q", "V": "X W_V", "shapes": SHAPES},
            "queries-and-keys-swapped",
        ),
        # One number is a multiple of any other: no powers of e were left undivided.
        ("weights-as-probabilities", {"alpha": "softmax(s)", "total": "4/n"}, None),
        # The chances are right; the values are for five keys only.
        ("one-noisy-head-of-two", NOISY, None),
    ],
)
def test_the_tag_fits_the_answer(problem, answer, tag):
    verdict = checking.check(problem, answer)
    assert verdict.score < 1
    assert (verdict.misconception.tag if verdict.misconception else None) == tag


def test_a_gap_for_all_keys_is_not_told_to_count_them():
    changed = problems.load("copy-a-value").model_dump(mode="json", exclude_unset=True)
    changed["goal"] |= {"exact": True, "epsilon": 0.01}
    answer = {"condition": "s_j - s_i >= log((n-1)(1-epsilon)/epsilon)"}
    verdict = checking.check(problems.from_dict(changed), answer)
    assert verdict.score == 0.5
    assert verdict.misconception.tag == "not-necessary"


def test_what_is_wanted_is_told_apart_from_what_is_there():
    answer = {"condition": "s_i - s_j >= log(R) - 0.0001"}
    said = checking.check("overwhelming-weight", answer).counterexample.sentence
    weight, wanted = said.split("the weight of key i is ")[1].split(" times the next, and ")
    assert float(weight) < float(wanted.split(" is ")[0])
