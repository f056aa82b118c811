"""What a verdict says of an answer in numbers, beside what was worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from regard import problems
from regard.checking import Verdict, check
from regard.checking.verdict_words import first_line, goal_words
from regard.cli.screens.verdict_screen import of_verdict
from regard.report.headline import unmarked


def changed(base: str, **tables: Any) -> Any:
    data = problems.to_dict(problems.load(base))
    return problems.from_dict({**data, **tables, "id": "changed"})


def two_of(n: int, tolerance: float = 1e-3, a: float = 0.5) -> Any:
    given = {"n": n, "keys": {"law": "orthonormal"}, "names": {"a": 0, "b": 1}}
    goal = {"weights": {"a": a, "b": 1 - a}, "tolerance": tolerance}
    return changed("average-two-values", given=given, goal=goal)


def numbers(verdict: Verdict) -> str:
    assert verdict.misconception is not None
    return verdict.misconception.numbers


def shows(verdict: Verdict) -> str:
    assert verdict.counterexample is not None
    return unmarked(verdict.counterexample.shows or verdict.counterexample.sentence)


@pytest.mark.parametrize(
    ("n", "tolerance", "q", "grow"),
    [
        # The scores must be ln((n - 2)(1 - 2 eps)/(4 eps)) apart, rounded so that it is enough:
        # 6.9058 for six keys, 17.718 for 200 of them and a tolerance of a millionth.
        (6, 1e-3, "k_a + k_b", "6.91 times as long"),
        (6, 1e-3, "4 (k_a + k_b)", "1.73 times as long"),
        (6, 1e-3, "6.8 (k_a + k_b)", "1.6 % longer"),
        (200, 1e-6, "5 (k_a + k_b)", "3.55 times as long"),
    ],
)
def test_as_long_as_is_said_is_long_enough(n: int, tolerance: float, q: str, grow: str) -> None:
    assert numbers(check(two_of(n, tolerance), {"q": q})).endswith(f"must be about {grow}.")
    factor = 1.016 if "%" in grow else float(grow.split()[0])
    assert check(two_of(n, tolerance), {"q": f"{factor} ({q})"}).right


def test_a_query_that_looks_away_and_is_too_short_is_told_both() -> None:
    verdict = check(two_of(6), {"q": "-(k_a + k_b)"})
    assert first_line(verdict).endswith("The query looks away from the keys wanted.")
    assert numbers(verdict) == "With it the query must still be about 6.91 times as long."
    assert numbers(check(two_of(6), {"q": "-7 (k_a + k_b)"})) == ""


def test_shares_that_differ_are_not_told_as_the_same() -> None:
    # The scores differ by 0.0001, so that one weight is 1/(1 + e^-0.0001) = 0.500025.
    verdict = check(two_of(2, 1e-6), {"q": "20 k_a + 19.9999 k_b"})
    assert "gets 49.998" in shows(verdict)  # 49.9975 in all digits
    assert shows(verdict).endswith(" of the weight, and 50\u202f% is wanted.")


def test_a_difference_that_is_rounded_has_a_screen() -> None:
    # Weights of 0.35, 0.15 and 0.5: 0.15 - 0.3 is -0.15000000000000002 in floats.
    lines = [
        line
        for line, _ in of_verdict(check(two_of(5, a=0.7), {"q": "log(0.7) k_a + log(0.3) k_b"}))
    ]
    assert any(line.split()[:4] == ["k_b", "0.15", "0.3", "−0.15"] for line in lines)


def test_an_error_of_the_output_is_not_told_of_the_weights() -> None:
    # Values (1, 0), (0, 1), (2, 2) with weights that are off by (-1/2, -1/2, 1) r, where
    # r = 1/(2 e^6 + 1) = 0.001238: the output is off by 1.5 r in both entries.
    verdict = check("exact-average", {"q": "C (k_i + k_j)", "C": 6})
    assert verdict.counterexample is not None
    said = "(0.5, 0.5, 0) are wanted: the output is off by 0.00263, and 0.001 is allowed."
    assert verdict.counterexample.sentence.endswith(said)


def test_heads_that_look_at_others_are_shown_with_another_key() -> None:
    verdict = check("two-heads-average", {"q_1": "C mu_a", "q_2": "-C mu_b"})
    assert verdict.counterexample is not None
    assert verdict.counterexample.about.startswith("three keys")
    both = check("two-heads-average", {"q_1": "C mu_a", "q_2": "mu_b"})
    assert first_line(both).endswith(
        "The directions are right, but not every query is long enough."
    )


def test_the_entry_that_is_told_is_as_far_off_as_is_said() -> None:
    # z_3 is (2, 8, -20).
    (goal,) = check("worked-scores", {"z_3": [0, 0, 0]}).goals
    assert goal.sentence == "off by 20, and 1e-05 is allowed: entry 3 is 0 and must be -20"


def test_a_variance_is_set_beside_the_right_one() -> None:
    # |v_a - v_b|^2 = |(5, -1, -7)|^2 = 75, of which a quarter is right and a sixteenth is said.
    halves = [{"value": name, "probability": "1/2"} for name in ("v_a", "v_b")]
    answer = {"atoms": halves, "mean": "(v_a + v_b)/2", "variance": "norm(v_a - v_b)^2/16"}
    verdict = check("one-head-under-noise", answer)
    said = next(goal for goal in verdict.goals if goal.name == "the variance")
    assert goal_words(said) in ("4.687, and right is 18.75", "4.688, and right is 18.75")
    assert numbers(verdict) == "That is about the variance."


def test_a_wrong_moment_is_set_beside_the_right_one() -> None:
    (goal,) = check("dot-product-variance", {"variance": "2 D_k"}).goals
    assert goal.sentence == "128 and not 64 for D_k = 64, mu = 0 and sigma = 1"


def test_the_counterexample_is_of_the_statement_that_the_misconception_is_about() -> None:
    verdict = check("ranks-in-a-head", dict(zip("abcdef", [True] * 6, strict=True)) | {"d": False})
    assert numbers(verdict) == "That is about statement c."
    assert shows(verdict).startswith("Statement c is false and was called true")


def test_a_reason_that_is_missing_is_said_to_be() -> None:
    right = {"a": True, "b": False, "c": False, "d": False, "e": True, "f": True}
    said = first_line(check("order-masks-and-positions", right))
    assert said == "Not right yet: 6 of 7 goals. A reason for b is missing."


def test_an_open_factor_is_shown_at_a_number_that_one_reads() -> None:
    answer = {"K": "I", "Q": "-C U U'", "V": "U U'"}
    verdict = check("copy-every-token", answer)
    assert verdict.counterexample is not None
    assert verdict.counterexample.about.endswith("C = 10")
    layers = {
        "K_1": "P'",
        "Q_1": "C S P'",
        "V_1": "W U'",
        "K_2": "W'",
        "Q_2": "C U'",
        "V_2": "U U'",
    }
    found = check("induction-head", layers).counterexample
    assert found is not None
    assert found.about == "row 3 of (a, b, a), C = 10"


def test_long_counts_are_told_by_their_size() -> None:
    verdict = check("training-flops", {"training_flops": "2 P T"})
    assert shows(verdict) == "training_flops is 8.4e+22, and the answer says 2.8e+22."
    assert "84000000000000000000000" in json.dumps(verdict.to_dict())
    cache = shows(check("kv-cache-bytes", {"kv_cache_bytes": 2147483648}))
    assert "is 4\u202f294\u202f967\u202f296, and" in cache


def test_one_entry_is_one() -> None:
    # T has one vector, so that T' makes one number of c.
    (goal,) = check("take-a-value-out-of-a-sum", {"M": "T'"}).goals
    assert goal.sentence.endswith("the result has one entry, and the value has three")


def test_a_bound_of_a_factor_is_not_set_equal_to_it() -> None:
    lines = [
        line for line, _ in of_verdict(check(two_of(6), {"q": "C (k_a + k_b)", "C": "C >= 3"}))
    ]
    assert any("q = C (k_a + k_b),  C ≥ 3 " in f"{line} " for line in lines)
