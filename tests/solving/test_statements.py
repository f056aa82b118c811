"""What solutions say is true, and about the problem at hand: words, tables and mistakes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from regard import problems, solving
from regard.design.heads.reasons import OutputsOutOfReach, TooFewColumns
from regard.design.queries.reasons import KeyInHull, NoQuery, NoQueryFound
from regard.design.reasons import Nearest, Reason, undecided
from regard.design.robust_heads.reasons import WeightsOfMeans
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.language import notation
from regard.report import Heading, Plot, Slider, Steps, Table, to_text
from regard.solving import Status
from regard.solving.refusals import in_words

PAIR = {"a": 0.5, "b": 0.5}
ORTHONORMAL = {"law": "orthonormal"}
NOISE = {"law": "gaussian", "mean": ORTHONORMAL, "covariance": "alpha I"}
TOKENS = {
    "parameters": {"beta": 5.0},
    "basis": {"names": ["u_p", "u_q", "u_r"], "norm": "beta"},
    "limits": ["beta -> inf"],
}


def solved(kind: str, given: dict[str, Any], goal: dict[str, Any]) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": kind, "statement": "x"}
    return solving.solve(problems.from_dict({**data, "given": given, "goal": goal}))


def query(given: dict[str, Any], weights: dict[str, float] | None = None, **goal: Any) -> Any:
    names = {"a": 0, "b": 1}
    return solved("query", {"names": names, **given}, {"weights": weights or PAIR, **goal})


def heads(given: dict[str, Any], weights: dict[str, float] | None = None, **goal: Any) -> Any:
    names = {"a": 0, "b": 1, "c": 2}
    return solved("heads", {"names": names, **given}, {"weights": weights or PAIR, **goal})


def noise(queries: list[str], covariance: Any, n: int = 4, find: Any = None) -> Any:
    given = {
        "n": n,
        "names": {"a": 0, "b": 1},
        "parameters": {"alpha": 1e-4, "C": 10.0},
        "limits": ["alpha -> 0", "C -> inf"],
        "queries": queries,
        "keys": {"law": "gaussian", "mean": ORTHONORMAL, "covariance": covariance},
    }
    return solved("noise", given, {"find": find or ["atoms", "mean", "variance"]})


def said(solution: Any) -> str:
    """All but the statement and the proof, on one line."""
    text = to_text(solution.report())
    return re.sub(r"\s+", " ", text[: text.rindex("\nProof: ")])


def formulas(solution: Any) -> str:
    steps = next(block for block in solution.report().blocks if isinstance(block, Steps))
    return " ".join(notation.to_text(latex) for _, latex in steps.items if latex)


def beyond(solution: Any) -> bool:
    return any(isinstance(b, Heading) and b.text.startswith("Beyond") for b in solution.details)


# ------------------------------------------------------------------ refusals


def impossible(reason: Reason) -> InfeasibleDesign:
    return InfeasibleDesign(reason.message, None, None, reason)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (
            impossible(KeyInHull(Nearest("weights", "error", 0.8, 1e-6), None, 2, 0.2)),
            "No query gives key 2 more than 0.2: it is an average of other keys. That is proved "
            "below. The closest weights have error at most 0.8.",
        ),
        (
            impossible(NoQuery(Nearest("output", "error", 3), 7.0, 0.5, "value")),
            "No query of length up to 7 gives the output asked for to within 0.5: the key is an "
            "average of other keys, and its value is no average of theirs. That is proved below. "
            "The closest output found has error at most 3.",
        ),
        (
            undecided(NoQueryFound(Nearest("query", "error", 2e-16), 1e-16, True), None, None),
            "Neither a query nor a proof that there is none was found. The wanted weights lie at "
            "the edge of what these keys can reach, or the tolerance 1e-16 is finer than a query "
            "of 64-bit numbers can meet. The closest query found has error at most 2e-16.",
        ),
        (
            impossible(OutputsOutOfReach(Nearest("head", "error", 3), 2.0)),
            "These outputs cannot be reached, whatever the head attends to: some row misses by 2 "
            "or more. That is proved below. The closest head found has error at most 3.",
        ),
        (
            impossible(TooFewColumns(Nearest("head", "d_k", 5), 2, 3)),
            "No head with d_k = 2 does this: at least 3 columns are needed. That is proved below. "
            "The smallest that was found has d_k = 5.",
        ),
        (
            impossible(WeightsOfMeans(Nearest("query", None), proved=True)),
            "No query gives keys at their means the weights asked for. That is proved below, of "
            "keys that are the means. The closest that was found is given as the answer.",
        ),
        (UndecidedDesign("theirs: nothing was found.", None, None), "theirs: nothing was found."),
    ],
)
def test_refusals_are_told_without_the_names_of_objects(refusal: Any, words: str) -> None:
    assert in_words(refusal) == words


def test_no_solution_names_a_function_or_an_attribute() -> None:
    token = {**TOKENS, "tokens": ["u_p", "u_p", "u_q"]}
    impossible = solved("self_attention", token, {"outputs": {"c_1": "u_q", "c_2": "u_p"}})
    line = {"law": "gaussian", "mean": [[-1], [0], [1]], "covariance": "alpha I"}
    given = {"n": 3, "keys": line, "names": {"a": 0, "b": 2}, "parameters": {"alpha": 1e-4}}
    for solution in (impossible, query(given)):
        assert solution.verdict is Status.IMPOSSIBLE
        assert not re.search(r"design\.|\.best|certificate", said(solution))


# ------------------------------------------------------------------ terms of the proof


FLOOR = "The floor of a key is the least weight that the tolerance allows it."
COUNTED = "Instances are counted in which the condition and its effect hold, both or alone."


def proof(solution: Any) -> str:
    text = to_text(solution.report())
    return re.sub(r"\s+", " ", text[text.rindex("\nProof: ") :])


def test_terms_of_claims_are_explained_once_where_a_claim_uses_them() -> None:
    copy = solving.solve(problems.load("copy-a-value"))
    assert any(claim.kind == "condition" for claim in copy.certificate.claims)
    assert (proof(copy).count(COUNTED), proof(copy).count(FLOOR)) == (1, 0)


def test_names_of_arrays_are_explained_where_claims_are_about_them() -> None:
    solution = solving.solve(problems.load("tokens-as-their-own-keys"))
    named = {claim.fields.get("array") for claim in solution.certificate.claims}
    assert {"changed_1", "mixed_1"} <= named
    once = "The rows of changed_1 are the tokens with the first vector added once. "
    for words in (once, "the output is an average of the rows of mixed_1;"):
        assert proof(solution).count(words) == 1
    assert COUNTED not in proof(solution)


# ------------------------------------------------------------------ queries


def test_coordinates_of_very_different_size_are_no_obstacle() -> None:
    keys = np.array([[1e20, 0], [0, 1e-20], [1, 1]])
    solution = query({"keys": keys.tolist()}, tolerance=1e-3)
    assert solution.verdict is Status.PROVED
    scores = keys @ np.array(solution.answer["q"])
    powers = np.exp(scores - np.max(scores))
    np.testing.assert_allclose(powers / np.sum(powers), [0.5, 0.5, 0], atol=1e-3)


def test_keys_that_are_all_wanted_leave_nothing_to_turn_up_or_get_wrong() -> None:
    third = 1 / 3
    share = {"a": third, "b": third, "c": 1 - 2 * third}
    given = {"keys": [[0, 0]] * 3, "names": {"a": 0, "b": 1, "c": 2}}
    solution = query(given, share)
    text = said(solution)
    assert "Turn the direction" not in text
    assert "instead of" not in text
    weights = next(block for block in solution.details if isinstance(block, Table))
    assert [row[0] for row in weights.rows] == ["$k_a$", "$k_b$", "$k_c$"]


def test_an_error_above_the_tolerance_is_not_said_to_be_within_it() -> None:
    given = {"n": 5, "keys": NOISE, "parameters": {"alpha": 4.0}}
    solution = query(given, tolerance=1e-3)
    assert solution.verdict is Status.UNDECIDED
    assert "within the tolerance" not in said(solution)
    mistakes = " ".join(solution.mistakes)
    better, found = re.search(r"the error is (\S+) instead of (\S+)\.", mistakes).groups()
    assert float(better) > float(found)
    assert "sum of the wanted means" not in mistakes  # which would be a little better


def test_general_facts_are_marked_and_only_told_of_keys_they_hold_for() -> None:
    assert beyond(query({"n": 6, "keys": ORTHONORMAL}))
    assert not beyond(query({"n": 2, "keys": ORTHONORMAL}))
    assert not beyond(query({"n": 4, "keys": {"law": "orthogonal", "norms": [1, 2, 3, 4]}}))
    assert not beyond(query({"keys": [[1, 0], [0, 1], [-1, -1]]}))


def test_keys_of_other_lengths_are_told_what_their_plain_sum_gives() -> None:
    given = {"n": 3, "keys": {"law": "orthogonal", "norms": [1, 2, 3]}}
    solution = query(given, tolerance=0.01)
    text = next(m for m in solution.mistakes if "squares of their lengths" in m)
    # Scores of C, 4 C and 0: for a large C the second key has all of the weight.
    assert "Off by 0.5, and 0.01 is allowed." in text


def test_one_other_key_is_spoken_of_in_the_singular() -> None:
    text = said(query({"n": 3, "keys": ORTHONORMAL}))
    assert "1 keys" not in text
    assert "1 others" not in text
    assert "one value of three" in said(query({"n": 3, "keys": ORTHONORMAL}, {"a": 1.0}))


# ------------------------------------------------------------------ heads


def test_heads_over_keys_without_noise_say_nothing_of_noise() -> None:
    third = {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}
    text = said(heads({"n": 6, "keys": ORTHONORMAL}, third, heads=3))
    assert not re.search(r"noise|varia|exact law|in the mean|√\(E|root mean|upper limit", text)
    assert not beyond(heads({"keys": [[-1], [0], [1]]}, {"a": 0.5, "c": 0.5}))


def test_errors_of_rounding_size_are_not_shown_as_numbers() -> None:
    for given in ({"keys": ORTHONORMAL}, {"keys": NOISE, "parameters": {"alpha": 1e-4}}):
        solution = heads({"n": 6, **given}, tolerance=0.05)
        table = next(b for b in solution.details if isinstance(b, Table) and "several" in b.caption)
        for cell in (cell for row in table.rows for cell in row[1:]):
            assert cell.startswith("below") or float(cell) > 1e-6
        figure = next(block for block in solution.details if isinstance(block, Plot | Slider))
        lines = figure.plot if isinstance(figure, Slider) else figure
        for series in lines.series:
            assert all(y == 0 or y > 1e-12 for y in series.y)


def test_the_error_with_the_noise_given_is_told_where_only_the_limit_holds() -> None:
    alpha, share = 1e-4, {"a": 0.7, "b": 0.3}
    given = {"n": 6, "keys": NOISE, "parameters": {"alpha": alpha}, "limits": ["alpha -> 0"]}
    solution = heads(given, share, tolerance=1e-3)
    assert "as the noise vanishes" in solution.headline
    found = float(re.search(r"error with the noise given (\S+)", said(solution)).group(1))
    C = solution.answer["C"]
    queries = np.zeros((2, 6))
    queries[0, 0] = C
    queries[1, :2] = C + np.log([0.4, 0.6])
    rng = np.random.default_rng(3)
    keys = np.eye(6) + np.sqrt(alpha) * rng.standard_normal((20_000, 6, 6))
    scores = np.einsum("pnd,hd->phn", keys, queries)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = np.mean(powers / np.sum(powers, axis=-1, keepdims=True), axis=1)
    off = weights - np.array([0.7, 0.3, 0, 0, 0, 0])
    np.testing.assert_allclose(found, np.sqrt(np.mean(np.sum(off**2, axis=1))), rtol=0.03)


# ------------------------------------------------------------------ noise


def test_mistakes_about_noise_fit_the_queries() -> None:
    own = {"a": "alpha I + 1/4 mu_a mu_a'", "others": "alpha I"}
    uneven = " ".join(noise(["C (2 mu_a + mu_b)"], own).mistakes)
    assert "The output is the average" not in uneven
    assert "in 78.24 % of samples" in said(noise(["C (2 mu_a + mu_b)"], own))
    away = " ".join(noise(["-C (mu_a + mu_b)"], own).mistakes)
    assert "near the average" not in away
    assert "large against" not in away
    assert noise(["0 mu_a"], "3/10 I").mistakes == ()


def test_heads_with_the_same_query_average_nothing() -> None:
    own = {"a": "alpha I + mu_a mu_a'", "others": "alpha I"}
    solution = noise(["C mu_a", "C mu_a"], own, n=2)
    text = " ".join(solution.mistakes)
    assert "because their queries differ" not in text
    assert "divides" not in text
    z = np.random.default_rng(4).standard_normal(400_000)
    weight = 1 / (1 + np.exp(-10 * (1 + z)))
    stays = float(re.search(r"that of a single head, ([\d.]+\d) here", text).group(1))
    np.testing.assert_allclose(stays, 2 * np.var(weight), rtol=0.01)


def test_sampled_probabilities_are_not_called_exact() -> None:
    queries = ["C (mu_a + mu_b)", "C mu_a", "C mu_b"]
    solution = noise(queries, "3/10 I")
    assert solution.status is Status.UNDECIDED
    assert "sampled" in solution.headline
    assert "the probabilities are sampled" in said(solution)
    assert "8 more" in said(solution)
    assert not re.search(
        r"\d\.\d{9}", " ".join(atom["probability"] for atom in solution.answer["atoms"])
    )


# ------------------------------------------------------------------ tokens, moments, positions


def test_a_difference_from_a_sum_keeps_its_brackets() -> None:
    given = {**TOKENS, "tokens": ["u_p", "u_q - 2 u_p", "u_r"]}
    given["change"] = {"token": "x_3", "add": ["u_p"]}
    solution = solved("feasibility", given, {"output": {"c_3": "u_q - 2 u_p"}})
    assert solution.verdict is Status.IMPOSSIBLE
    shown = formulas(solution)
    assert "‖c_3 − (u_q − 2 u_p)‖" in shown
    assert "‖c_3 − u_q" not in shown
    text = said(solution)
    assert "Other weights could give" in text  # the goal is a token
    assert "stays at a distance" not in text


def test_equal_scores_are_not_said_to_have_a_largest() -> None:
    given = {**TOKENS, "tokens": ["0 u_p", "u_q"], "change": {"token": "x_1", "add": ["u_q"]}}
    text = said(solved("feasibility", given, {"output": {"c_1": "u_q"}}))
    assert "All scores are alike" in text
    assert "is 0 away" not in text


def test_a_score_that_has_turned_below_zero_is_not_still_there() -> None:
    given = {"d_model": 2, "n": 40, "T": 0, "B": 6}
    solution = solved("band", given, {"phase": 3.0})
    text = said(solution)
    assert "has fallen to -99 %" in text
    assert "one maximum" not in text
    assert "but no block weights" in text


def test_one_dimension_has_no_root_to_forget() -> None:
    law = {"mean": "0", "variance": "30"}
    given = {"of": "q' k", "dimension": "d", "q": law, "k": law, "parameters": {"d": 1}}
    solution = solved("moments", given, {"find": ["mean", "variance", "s"]})
    assert "instead of its root" not in said(solution)


def test_a_ratio_that_no_one_gave_is_said_to_be_assumed() -> None:
    given = {"n": 4, "names": {"j": 0}, "keys": {"law": "arbitrary"}}
    goal = {"effect": "pairwise", "of": "j"}
    assert "names no ratio" in said(solved("condition", given, goal))
    assert "asked for is R = 30" in said(solved("condition", given, {**goal, "ratio": 30}))


def test_numbers_about_drawn_keys_say_so() -> None:
    goal = {"effect": "aligned", "of": "j"}
    drawn = solved("condition", {"n": 4, "names": {"j": 0}, "keys": {"law": "arbitrary"}}, goal)
    assert "For one example of such keys" in said(drawn)
    fixed = solved("condition", {"names": {"j": 0}, "keys": [[1, 0], [2, 0], [0, 1]]}, goal)
    assert "For the keys given it does not hold" in said(fixed)


def test_values_that_a_condition_does_not_need_are_spoken_of() -> None:
    given = {"names": {"j": 3}, "keys": np.eye(4).tolist(), "values": [[1], [2], [3], [7]]}
    text = said(solved("condition", given, {"effect": "output", "of": "j", "epsilon": 0.01}))
    assert "the farthest being 6 away, it means an error of at most 0.06" in text
