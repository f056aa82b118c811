"""Answers that used to be judged, read or told apart by what is not so of them."""

from __future__ import annotations

import numpy as np
import pytest

from regard import InvalidAnswer
from regard.checking import check

AVERAGE = "take-a-value-out-of-an-average"
SHAPES = {"Q": ["N", "D_K"], "K": ["N", "D_K"], "V": ["N", "D_V"]}


def tag(problem, answer):
    found = check(problem, answer).misconception
    return None if found is None else found.tag


def test_a_symmetric_matrix_is_not_told_that_its_transpose_would_be_right():
    basis = np.array([[1.0, 0.6], [0.0, 0.8], [0.0, 0.0]])  # t_1, t_2 of length 1, not apart
    M = 2 * (np.eye(3) - basis @ basis.T)
    assert np.array_equal(M, M.T)
    assert not np.allclose(M @ basis, 0)
    answer = {"M": "2 (I - T T')", "side": "c M"}
    assert check(AVERAGE, answer).score < 1
    assert tag(AVERAGE, answer) == "unit-instead-of-orthonormal"


def test_zeros_of_numbers_do_not_hide_other_counts_of_vectors():
    zero = " + 0 [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
    assert check(AVERAGE, {"M": f"2 (I - T T'){zero}", "side": "c M"}).score < 1
    assert check(AVERAGE, {"M": f"2 S pinv(S){zero}", "side": "c M"}).score == 1


def test_sizes_of_an_example_that_nobody_is_told_are_no_named_sizes():
    answer = {"Q": "X W_Q", "K": "X W_K", "V": "X W_V", "shapes": SHAPES}
    assert check("stack-into-matrices", answer).score == 1
    answer["shapes"] = {"Q": [3, 3], "K": [3, 3], "V": [3, 2]}
    assert check("stack-into-matrices", answer).score < 1
    assert tag("stack-into-matrices", answer) == "numbers-instead-of-formula"


def test_a_condition_on_n_that_fails_for_other_n_is_not_said_to_be_enough():
    goal = check("overwhelming-weight", {"condition": "s_i - s_j >= log(n)"}).goals[0]
    assert not goal.passed  # log 2 < log 100
    assert "not for n = 2" in goal.sentence
    assert "is enough" not in goal.sentence


def test_entries_of_a_list_may_be_formulas():
    key = ["3/sqrt(10)", "-1/sqrt(10)"]  # along (6, -2), of length 1
    assert check("replace-a-key-of-length-one", {"k": key}).score == 1
    assert check("replace-a-key-of-length-one", {"k": ["2/sqrt(10)", "-1/sqrt(10)"]}).score < 1
    turn = [["cos(1)", "-sin(1)", 0], ["sin(1)", "cos(1)", 0], [0, 0, 1]]
    answer = {"K": turn, "Q": [[f"9 ({x})" for x in row] for row in turn], "V": "I"}
    assert check("every-token-finds-itself", answer).score == 1


def test_shapes_may_be_written_with_an_x_between():
    answer = {"shape_output": "4 x 10 x 64", "shape_weights": "4x8x10x10"}
    assert check("shape-of-multi-head-output", answer).score == 1
    answer["shape_output"] = "4 x 64 x 10"
    assert check("shape-of-multi-head-output", answer).score < 1


@pytest.mark.parametrize(
    ("bound", "vanishes"),
    [
        ("n/gamma", True),
        ("2 (n - 1) exp(-gamma)", True),
        ("2 (n - 1) exp(-gamma) + 1e-7", False),
        ("1", False),
    ],
)
def test_a_bound_vanishes_if_it_goes_on_falling(bound, vanishes):
    assert (check("large-scores-stop-learning", {"bound": bound}).score == 1) == vanishes


def test_functions_that_there_are_not_are_no_names_for_numbers():
    assert check("same-scores-other-matrices", {"B": "pinv(M)'"}).score == 1
    with pytest.raises(InvalidAnswer, match="adj is no function here"):
        check("same-scores-other-matrices", {"B": "adj(M)'/det(M)"})


def test_a_formula_and_its_number_are_both_asked_for():
    name, formula = "parameters-of-a-language-model", "12 L d^2 + 2 V d"
    number = 12 * 24 * 1024**2 + 2 * 50000 * 1024
    assert check(name, {"parameters": f"{formula} = {number}"}).score == 1
    assert check(name, {"parameters": formula}).score == 0.5
    assert check(name, {"parameters": number}).score == 0.5


def test_multiples_of_the_identity_have_not_changed_places():
    assert tag("every-token-finds-itself", {"K": "I", "Q": "6 I", "V": "1.02 I"}) == "extra-factor"


def test_weights_that_are_all_alike_are_no_values_without_weights():
    answer = {"alpha": "ones(n)/n", "total": "1"}
    assert check("weights-are-a-distribution", answer).score < 1
    assert tag("weights-are-a-distribution", answer) is None
    assert tag("outputs-as-a-product", {"C": "ones(N, N) V/N"}) == "values-not-weighted"
