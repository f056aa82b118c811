"""Sentences and numbers of a report that have to be true for the file at hand, whatever it is."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from regard.problems import from_dict
from regard.report import Plot, to_text
from regard.solving import solve, variant
from solving.reading import facts, gaussian, with_column, words


def solved(kind: str, given: dict[str, Any], goal: dict[str, Any]) -> Any:
    head = {"schema": 1, "id": "mine", "title": "Mine", "kind": kind, "statement": "Mine."}
    return solve(from_dict({**head, "given": given, "goal": goal}))


def tokens(tokens: list[str], add: list[str], beta: float, limits: bool = True) -> dict[str, Any]:
    return {
        "parameters": {"beta": beta},
        "basis": {"names": ["u_p", "u_q", "u_r"], "norm": "beta"},
        "tokens": tokens,
        "change": {"token": "x_1", "add": add},
        **({"limits": ["beta -> inf"]} if limits else {}),
    }


def noise(queries: list[str], covariance: Any, n: int = 4) -> dict[str, Any]:
    return {
        "n": n,
        "keys": gaussian(covariance),
        "names": {"a": 0, "b": 1},
        "parameters": {"alpha": 1e-4, "C": 10, "g": 0.3},
        "limits": ["alpha -> 0", "C -> inf"],
        "queries": queries,
    }


FIND = {"find": ["atoms", "mean", "variance"]}


def test_a_token_of_zero_is_left_out_of_an_average() -> None:
    given = tokens(["0 u_p", "u_q"], ["u_p", "u_q"], 3.0)
    solution = solved("feasibility", given, {"output": {"c_1": "u_q"}})
    assert solution.answer == {"possible": True, "c_1": "1/2 (u_q)", "x_1": "u_q"}
    assert "0 u_p" not in words(solution)
    assert r"c_{1} \to \frac{1}{2} u_q" in solution.steps[1][1]


def test_without_a_limit_nothing_is_said_of_one() -> None:
    given = tokens(["u_p", "u_q"], ["u_q"], 0.1, limits=False)
    solution = solved("feasibility", given, {"output": {"c_1": "1/2 u_p + 1/2 u_q"}})
    said = words(solution)
    assert "limit" not in said
    assert "at a distance of" not in said
    assert re.search(r"\d\.\d{11}", said) is None


def test_the_distance_to_a_limit_keeps_its_digits_where_tokens_share_it() -> None:
    beta = 6.0
    given = tokens(["u_p", "u_p + u_q", "u_r"], ["u_q"], beta)
    solution = solved("feasibility", given, {"output": {"c_1": "u_r"}})
    row = next(r for r in with_column(solution, "distance to its limit").rows if r[0] == "6")
    # The first two score beta² and share; the third scores 0 and is sqrt(1 + 1 + 1/4) beta away.
    third = math.exp(-(beta**2)) / (2 + math.exp(-(beta**2)))
    np.testing.assert_allclose(float(row[2]), third * 1.5 * beta, rtol=1e-9)


def test_a_multiple_that_needs_one_piece_is_not_said_to_need_several() -> None:
    given = tokens(["u_r", "u_q - 2 u_p", "u_p"], ["u_p"], 5.0)
    solution = solved("feasibility", given, {"output": {"c_1": "u_q - 2 u_p"}})
    hulls = [c for c in solution.certificate.claims if c.kind == "apart_from_hull"]
    assert len(hulls) == 1
    assert "piece by piece" not in words(solution)


def test_what_is_sampled_is_about_so_much_in_two_digits() -> None:
    given = noise(["C (mu_a + mu_b)", "C mu_a", "C mu_b"], "g I")
    solution = solved("noise", given, FIND)
    assert solution.verdict.value == "undecided"
    assert re.search(r"\d\.\d*[1-9]\d\d", solution.headline) is None
    moments = next(latex for _, latex in solution.steps if "E\\,c" in latex)
    assert moments.startswith(r"E\,c \approx")
    assert "E\\,\\|c - E\\,c\\|^2 \\approx" in moments
    assert [name for name in facts(solution) if name.endswith(", sampled")] == [
        "mean in the limit, sampled",
        "variance in the limit, sampled",
        "mean weights in the limit, sampled",
    ]


def test_a_query_of_zero_is_given_as_the_reason() -> None:
    solution = solved("noise", noise(["0 mu_a"], "g I"), FIND)
    assert any("A query of 0 scores every key 0" in sentence for sentence, _ in solution.steps)
    told = [solution.headline, *(part for step in solution.steps for part in step)]
    assert not any(r"\alpha \to 0" in part for part in told)  # no key depends on alpha
    heights = [y for p in solution.details if isinstance(p, Plot) for s in p.series for y in s.y]
    assert set(heights) == {0.25, 0.0}


def test_a_limit_that_changes_the_keys_is_named() -> None:
    solution = solved("noise", noise(["C mu_a"], "alpha I"), FIND)
    assert r"As $\alpha \to 0$" in words(solution)


def test_the_means_of_several_values_are_explained() -> None:
    one = solved("noise", noise(["-C mu_a"], "alpha I"), FIND)
    assert one.answer["mean"] == "vbar_not_a"
    assert r"$\bar{v}_{-a}$ is the mean of all values but $v_a$" in words(one)
    two = solved("noise", noise(["-C mu_a - C mu_b"], "alpha I"), FIND)
    assert two.answer["mean"] == "vbar_rest"
    assert r"$\bar{v}_{\mathrm{rest}}$ is the mean of the values without a name" in words(two)
    three = solved("noise", noise(["0 mu_a"], "alpha I"), FIND)
    assert r"$\bar{v}$ is the mean of all values" in words(three)


@pytest.mark.parametrize(("covariance", "said"), [("alpha I", True), ("alpha I + g I", False)])
def test_small_noise_is_blamed_only_for_the_variance_it_makes(covariance: str, said: bool) -> None:
    solution = solved("noise", noise(["C (mu_a + mu_b)"], covariance), FIND)
    assert any("small noise" in mistake for mistake in solution.mistakes) is said


def test_equal_probabilities_are_squared() -> None:
    noisy = "alpha I + g (mu_a + mu_b) (mu_a + mu_b)'"
    given = noise(["C mu_a", "C mu_b"], {"a": noisy, "others": "alpha I"})
    variance = solved("noise", given, FIND).answer["variance"]
    assert "(1 - Phi(1/sqrt(g)))^2 norm(" in variance
    assert "(1 - Phi(1/sqrt(g))) (1 - Phi(1/sqrt(g)))" not in variance


def test_atoms_have_a_line_each_in_the_answer() -> None:
    solution = solved("noise", noise(["C mu_a"], {"a": "g mu_a mu_a'", "others": "alpha I"}), FIND)
    lines = to_text(solution.report()).splitlines()
    start = lines.index("atoms") + 1
    assert lines[start].split() == ["value", "probability"]
    found = [" ".join(line.split()) for line in lines[start + 2 : start + 4]]
    assert found == ["v_a Φ(1/√g)", "vbar_not_a 1 − Φ(1/√g)"]


def test_the_proof_says_which_key_has_which_number() -> None:
    given = {"n": 5, "keys": {"law": "orthonormal"}, "names": {"cat": 3, "dog": 1}}
    solution = solved("query", given, {"weights": {"cat": 0.5, "dog": 0.5}})
    assert "counted from 0 here: cat is key 3, dog is key 1." in words(solution)


def test_scores_against_noise_are_listed_by_the_names_of_the_keys() -> None:
    given = {"n": 3, "keys": gaussian("1e-4 I", [[1, 0], [0, 2], [-1, -1]]), "names": {"p": 1}}
    solution = solved("query", given, {"weights": {"p": 1.0}, "tolerance": 0.1})
    names = [row[0] for row in with_column(solution, "mean score").rows]
    assert names == [r"$\mu_1$", r"$\mu_p$", r"$\mu_3$"]


def test_a_ratio_of_weights_says_what_it_leaves_out_and_keeps_the_scale() -> None:
    given = {"n": 4, "scale": 2, "keys": {"law": "arbitrary"}, "names": {"w": 3}}
    goal = {"effect": "pairwise", "of": "w", "epsilon": 0.3}
    said = words(solved("condition", given, goal))
    assert "Its epsilon is for other effects" in said
    assert r"With $s_i = 2 k_i \cdot q$" in said
    del goal["epsilon"]
    assert "epsilon" not in words(solved("condition", given, {**goal, "ratio": 7}))


def test_a_score_that_falls_below_zero_is_said_to() -> None:
    given = {"d_model": 2, "n": 40, "T": 0, "B": 6}
    solution = solved("band", given, {"phase": 3.0})
    said = words(solution)
    assert "of that in the middle: it is not above zero any more" in said
    assert "No other weights of the blocks lift the window above all else" in said


def test_vectors_shorter_than_the_tolerance_are_said_to_be() -> None:
    given = {
        "parameters": {"beta": 0.001},
        "basis": {"names": ["u_a", "u_b"], "norm": "beta"},
        "tokens": ["u_a", "u_b"],
        "limits": ["beta -> inf"],
    }
    solution = solved("self_attention", given, {"outputs": {"c_1": "u_b", "c_2": "u_a"}})
    assert "The vectors are so short" in words(solution)
    beta = float(facts(solution)["smallest length with C = 1"])
    # sqrt(2) beta/(e^(beta²) + 1) falls below the tolerance there, for good; four digits, up.
    error = math.sqrt(2) * beta / (math.exp(beta**2) + 1)
    assert 0.99e-3 < error <= 1e-3


def test_the_sum_of_the_means_is_not_said_to_be_farther_away_than_it_is() -> None:
    given = {"n": 5, "keys": gaussian(), "names": {"p": 0, "q": 1}, "parameters": {"alpha": 4}}
    solution = solved("query", given, {"weights": {"p": 0.5, "q": 0.5}})
    said = words(solution)
    assert "no nearer" not in said
    shown = re.search(r"at its best length it comes to (0\.\d+)\.", said)
    assert shown is not None
    assert float(shown[1]) < float(facts(solution)["error, by the exact law"])


def test_a_variant_of_ones_own_problem_lists_its_numbers() -> None:
    given = {"n": 6, "keys": {"law": "orthonormal"}, "names": {"a": 0, "b": 1}}
    goal = {"weights": {"a": 0.7, "b": 0.3}}
    other = variant(solved("query", given, goal).problem, 7)
    assert other.goal.weights == {"a": 0.3, "b": 0.7}
    assert "`weights = { a = 0.3, b = 0.7 }`" in other.statement
    rows = other.given.names
    assert f"`names = {{ a = {rows['a']}, b = {rows['b']} }}`" in other.statement
    assert "keys = " not in other.statement  # that is as it was


def test_a_variant_with_one_vector_to_add_does_not_offer_one_of_it() -> None:
    given = tokens(["u_r", "u_q - 2 u_p", "u_p"], ["u_p"], 5.0)
    problem = solved("feasibility", given, {"output": {"c_1": "u_q - 2 u_p"}}).problem
    statement = variant(problem, 3).statement
    assert "by adding a multiple of $u_" in statement
    assert "one of" not in statement


def test_decimals_of_a_whole_matrix_are_about_so_much() -> None:
    given = {
        "tokens": [[1, 0], [0, 1]],
        "W_Q": [[1, 1], [0, 2]],
        "W_K": [[1, 0], [1, 1]],
        "W_V": [[3], [4]],
    }
    solution = solved("compute", given, {"find": ["Q", "A"]})
    assert r"Q = \begin{bmatrix}" in solution.headline
    assert r"A \approx \begin{bmatrix}" in solution.headline


def test_a_sum_without_a_factor_has_no_brackets() -> None:
    given = {
        "d": 3,
        "S": {"law": "fixed", "rows": [[1, 0, 0]]},
        "T": {"law": "fixed", "rows": [[0, 1, 0]]},
        "share": 1,
    }
    said = words(solved("separator", given, {"recover": "S", "side": "M c"}))
    assert "c = v_s + v_t" in said
    assert "c = (v_s + v_t)" not in said


def test_an_average_of_many_tokens_is_written_in_fractions_with_signs() -> None:
    given = tokens(["u_p", "u_p + u_q", "u_p - u_q", "u_p - u_r", "u_p"], ["u_q"], 3.0)
    solution = solved("feasibility", given, {"output": {"c_1": "u_q"}})
    assert solution.answer["c_1"] == "u_p - 1/5 u_r"


def test_a_limit_that_is_not_worked_out_is_not_said_to_be() -> None:
    given = {**noise(["C mu_a", "3 mu_a"], "g I"), "limits": ["C -> inf"]}
    solution = solved("noise", given, FIND)
    assert solution.verdict.value == "undecided"
    assert solution.headline.startswith(r"\text{at } C = 10:")
    said = words(solution)
    assert "Nothing grows without bound" not in said
    assert r"As $C \to \infty$, the output comes near to no list of values" in said
    assert "Its mean and variance are those for $C = 10$" in said
