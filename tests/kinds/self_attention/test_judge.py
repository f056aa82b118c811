"""Keys, queries and values of a head: right ones, wrong ones and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import note, read_answers, tag, thinned
from regard.checking import check
from regard.errors import InvalidAnswer

FILE = read_answers("self_attention")
HEAD = "choose-keys-queries-values"
Q = "(u_d u_a' + u_c u_d') / beta^2"
V = "(u_b u_b' - u_c u_c') / beta^2"


@pytest.mark.parametrize(
    "entry",
    thinned([(e,) for e in FILE.wrong], lambda e: e["tag"] or e["problem"], 1),
    ids=note,
)
def test_counterexamples_violate_what_was_asked_for(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    found = FILE.judged(entry)
    assert found.counterexample is not None
    arrays = {name: np.array(array) for name, array in found.counterexample.arrays.items()}
    if tag(found) == "claims-impossible":  # shown there: matrices that do it, with K = I
        shown = {name: arrays[name] for name in ("Q", "V") if name in arrays}
        assert check(one, {"K": "I", **shown}).score == 1
        return
    x, K, Q_ = arrays["tokens"], arrays["K"], arrays["Q"]
    with np.errstate(all="ignore"):
        powers = np.exp(one.given.scale * (x @ Q_.T) @ (x @ K.T).T)
        weights = powers / powers.sum(axis=1, keepdims=True)
        outputs = weights @ (x @ arrays["V"].T) if "V" in arrays else None
    # The row that the counterexample is about is the one with these weights.
    wanted = arrays["wanted"]
    label = next((name for name in arrays if name.startswith("c_")), None)
    if label is not None:
        assert outputs is not None
        off = np.linalg.norm(outputs[int(label[2:]) - 1] - wanted)
    else:
        rows = [np.max(np.abs(weights[int(n[2:]) - 1] - wanted)) for n in one.goal.attend]
        off = max(rows)
    # Of matrices for rows the example is what their transposes do, where these are right.
    turned = found.counterexample.sentence.startswith("Read as their transposes")
    assert (off <= one.goal.tolerance) == turned


def test_any_gauge_of_keys_and_queries_passes() -> None:
    rng = np.random.default_rng(5)
    R = rng.standard_normal((7, 4))  # seven entries per key: columns of R are independent
    K, Q_ = np.eye(4), np.zeros((4, 4))
    Q_[3, 0] = Q_[2, 3] = 1
    V_ = np.diag([0.0, 1, -1, 0])
    turned = {"K": R @ K, "Q": np.linalg.pinv(R).T @ Q_, "V": V_}
    assert check(HEAD, turned).score == 1
    rows = {"W_K": turned["K"].T, "W_Q": turned["Q"].T, "W_V": V_.T}
    assert check(HEAD, rows).score == 1
    assert check(HEAD, {**turned, "K": turned["Q"], "Q": turned["K"]}).score < 1


def test_the_courses_query_matrix_passes_and_its_transpose_fails() -> None:
    assert check(HEAD, {"K": "I", "Q": Q, "V": V}).score == 1
    assert tag(check(HEAD, {"K": "I", "Q": f"({Q})'", "V": V})) == "transposed-A"
    assert check(HEAD, {"W_K": "I", "W_Q": f"({Q})'", "W_V": V}).score == 1


def test_the_smallest_beta_and_the_smallest_factor_are_told() -> None:
    # sqrt(5) beta / (e^(beta^2) + 2) is 0.001 beta / 3 where e^(beta^2) = 3000 sqrt(5) - 2.
    beta = np.sqrt(np.log(3000 * np.sqrt(5) - 2))
    found = check(HEAD, {"K": "I", "Q": Q, "V": V})
    assert found.remarks == (f"It holds for every beta from {beta:.4g} on.",)
    # At beta = 3 the exponent is 9 C.
    C = np.log(3000 * np.sqrt(5) - 2) / 9
    found = check(HEAD, {"K": "I", "Q": f"C {Q}", "V": V})
    assert found.remarks == (f"Here every C from {C:.4g} on is large enough.",)


def test_the_margin_says_how_much_longer_queries_must_be() -> None:
    found = check(HEAD, {"K": "I", "Q": "(u_d u_a' + u_c u_d') / beta^4", "V": V})
    assert found.goals[0].name == "c_1 is near u_b - u_c"
    # Scores (1, 1, e) / (2 + e): off by sqrt(5) 3 / (2 + e), and ln(3000 sqrt 5 - 2) = 8.81.
    assert found.goals[0].sentence == "off by 1.42, and 0.001 is allowed: Q must grow about 8.9×"
    assert found.goals[0].error == pytest.approx(3 * np.sqrt(5) / (2 + np.e))


def test_each_output_is_a_goal_of_its_own() -> None:
    found = check(HEAD, {"K": "I", "Q": "u_d u_a' / beta^2", "V": V})
    assert [(goal.name, goal.passed) for goal in found.goals] == [
        ("c_1 is near u_b - u_c", False),
        ("c_2 is near u_b", True),
    ]
    assert found.score == 0.5


def test_a_constant_and_the_formula_that_gives_it_earn_the_same() -> None:
    formula = {"K": "I", "Q": "u_d u_a' / beta^2", "V": V}
    Q_ = np.zeros((4, 4))
    Q_[3, 0] = 1
    numbers = {"K": np.eye(4), "Q": Q_, "V": np.diag([0.0, 1, -1, 0])}
    assert check(HEAD, formula).score == check(HEAD, numbers).score == 0.5


def test_the_worked_example_ends_with_what_comes_out() -> None:
    found = check(HEAD, {"K": "I", "Q": Q, "V": "u_b u_b' - u_c u_c'"}).counterexample
    assert found is not None
    # -27 is the limit; of the third token there are e^9 / (e^9 + 2).
    assert found.sentence == (
        "With beta = 3 c_1 is (0, 27, -26.99, 0), and (0, 3, -3, 0) is wanted: off by 33.9, and 0.001 is allowed."
    )
    assert found.steps[0][0] == "Token 1 is (0, 3, 0, 3), and its query is (0, 0, 3, 0)."
    assert found.steps[1][0] == "Its scores with the keys are (0, 0, 9)."


def test_numbers_alone_are_coordinates_along_the_basis() -> None:
    Q_ = np.zeros((4, 4))
    Q_[3, 0] = Q_[2, 3] = 1
    found = check(HEAD, {"K": np.eye(4), "Q": Q_, "V": np.diag([0.0, 1, -1, 0])})
    assert found.score == 1
    assert {goal.scope for goal in found.goals} == {"this"}
    assert found.remarks[0] == "The numbers were read as coordinates along u_a, u_b, u_c, u_d."


def test_numbers_beside_names_are_tried_in_every_frame() -> None:
    found = check(HEAD, {"K": np.eye(4), "Q": Q, "V": V})
    assert found.score == 1  # the identity is the same in all of them
    assert {goal.scope for goal in found.goals} == {"sampled"}
    zero = "0 [[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4], [5, 6, 7, 8]]"
    assert check(HEAD, {"K": "I", "Q": f"{Q} + {zero}", "V": V}).score == 1
    along_axes = "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]] + 0 u_a u_a'"
    found = check(HEAD, {"K": "I", "Q": along_axes, "V": V})
    assert found.score == 0
    assert tag(found) == "one-frame-only"


def test_an_identity_of_four_dimensions_is_not_tried_in_more() -> None:
    found = check(HEAD, {"K": "I(4)", "Q": Q, "V": V})
    assert found.score == 1
    # 60 bases in four dimensions, and none in more.
    assert "; right for 60 of 60 other bases" in found.goals[0].sentence
    wide = check(HEAD, {"K": "I", "Q": Q, "V": V})
    assert "; right for 65 of 65 other bases" in wide.goals[0].sentence


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"K": "I", "Q": "I"}, "answer: V is missing. Got K, Q."),
        ({"W_K": "I", "V": "I"}, "answer: Q is missing. Got W_K, V."),
        (
            {"K": "I", "W_K": "I", "Q": "I", "V": "I"},
            "answer: give either K or W_K, and not both.",
        ),
        (
            {"K": "I", "Q": "I", "V": "u_e u_e'"},
            "answer: V: u_e is not a name in this problem. Names with u are u_a, u_b, u_c and u_d. "
            "Declared are beta, d, u_a, u_b, u_c, u_d, x_1, x_2, x_3.",
        ),
        (
            {"K": "u_a", "Q": "I", "V": "I"},
            "answer: K must be a matrix with 4 columns, for K x with a token x of 4 entries. "
            "It is a column of 4 entries.",
        ),
        (
            {"W_K": "u_a'", "Q": "I", "V": "I"},
            "answer: W_K must be a matrix with 4 rows, for x W with a token x of 4 entries. "
            "It is 1 × 4.",
        ),
        (
            {"K": "u_a'", "Q": "I", "V": "I"},
            "answer: K and Q must be of one shape: keys have 1 entries and queries 4.",
        ),
        ({"K": "I", "Q": "I", "V": "u_b'"}, "answer: V must give outputs of 4 entries. It gives 1."),
        (
            {"K": 1, "Q": "I", "V": "I"},
            "answer: K must be a matrix with 4 columns, for K x with a token x of 4 entries. "
            "It is a single number.",
        ),
        ({"K": "I", "Q": "I", "V": "I", "beta": 2}, "answer: beta has a meaning in the problem: use another name."),
        ({"K": True, "Q": "I", "V": "I"}, "answer: K must be a formula or a matrix of numbers."),
        ({"K": "I", "possible": False}, "answer: K is given, although possible is false."),
        ({"possible": 0}, "answer: possible must be true or false."),
        ({"K": "I +", "Q": "I", "V": "I"}, "answer: K: "),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_invalid_and_not_wrong(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(HEAD, answer)
    if message.endswith(": "):  # how the language words it is the language's business
        assert str(caught.value).startswith(message)
    else:
        assert str(caught.value) == message


def test_an_absurd_factor_does_not_pass_by_overflow() -> None:
    found = check(HEAD, {"K": "1e200 I", "Q": "1e308 u_d u_a'", "V": V})
    assert found.score == 0
    assert tag(found) == "not-finite"
    assert "inf" not in str(found.to_dict()["goals"][0]["sentence"])
