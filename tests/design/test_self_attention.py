"""Heads: cases that can be worked out by hand, and what is said of them."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import regard
from design.rounding import rounded_up
from regard.certify import Certificate, verify
from regard.core import reference
from regard.design import HeadDesign

TOKENS = np.random.default_rng(0).standard_normal((5, 7))


def proved(thing: Any, **arrays: Any) -> Any:
    result = verify(thing.certificate, **arrays)
    assert result.holds, str(result)
    return thing


def refused(*arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        regard.design.self_attention(*arguments, **options)
    proved(caught.value)
    proved(caught.value.best)
    return caught.value


def kinds(thing: Any) -> list[str]:
    return [claim.kind for claim in thing.certificate.claims]


def run(design: HeadDesign, tokens: Any) -> reference.Reference:
    """The head in plain loops."""
    x = np.asarray(tokens, dtype=float)
    return reference.attention(x @ design.W_Q, x @ design.W_K, x @ design.W_V, scale=design.scale)


# Patterns -----------------------------------------------------------------------------------------


def test_two_tokens_that_attend_to_each_other_need_one_column_of_this_size() -> None:
    """Scores of row 0 differ by x_1·A x_0 - x_0·A x_0: for a miss of ε, ln((1-ε)/ε)."""
    design = proved(regard.design.self_attention(np.eye(2), attend={0: 1, 1: 0}))
    assert (design.d_k, design.d_k_lower_bound) == (1, 1)
    scores = (np.eye(2) @ design.A @ np.eye(2)).T
    gaps = scores[[0, 1], [1, 0]] - scores[[0, 1], [0, 1]]
    np.testing.assert_allclose(gaps, math.log(999), rtol=1e-5)
    np.testing.assert_allclose(
        design.A, math.log(999) / 2 * np.array([[-1, 1], [1, -1]]), rtol=1e-5
    )


def test_a_single_token_attends_to_itself() -> None:
    design = proved(regard.design.self_attention([[3.0, 4.0]], attend={0: 0}))
    assert (design.d_k, design.d_k_lower_bound) == (1, 1)
    np.testing.assert_array_equal(design.weights, [[1.0]])
    design = proved(regard.design.self_attention([[3.0, 4.0]], outputs={0: [1.0, 2.0, 3.0]}))
    np.testing.assert_allclose(run(design, [[3.0, 4.0]]).output, [[1, 2, 3]], atol=1e-3)


def test_a_token_of_zeros_attends_evenly_and_is_refused_anything_else() -> None:
    tokens = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    proved(regard.design.self_attention(tokens, attend={0: {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}}))
    problem = refused(tokens, attend={0: 1})
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 1 / 3, rtol=1e-9)
    np.testing.assert_allclose(problem.best.weights[0], [1 / 3] * 3, rtol=1e-9)


def test_equal_tokens_are_refused_different_weights() -> None:
    for token in ([1.0, 2.0], [0.1, 0.2]):
        problem = refused([token, token, [5.0, -1.0]], attend={2: 0})
        bound = problem.certificate.claims[0].fields["bound"]
        np.testing.assert_allclose(bound, 0.5, rtol=1e-9)
        assert problem.certificate.claims[0].fields["radius"] is None
        refused([token] * 3, attend={0: 0, 1: 1, 2: 2})
        refused([token] * 3, attend={0: {0: 0.2, 1: 0.8}})


def test_equal_rows_cannot_attend_to_different_tokens() -> None:
    problem = refused([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], attend={0: 2, 1: 3})
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 0.5, rtol=1e-9)


def test_a_row_that_is_not_asked_for_is_free() -> None:
    tokens = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    refused(tokens, attend={0: 0, 1: 0, 2: 1})
    for rows in ({0: 0, 1: 0}, {0: 0, 2: 1}, {1: 0, 2: 1}):
        proved(regard.design.self_attention(tokens, attend=rows))


@pytest.mark.parametrize("tolerance", [0.3, 1e-3, 1e-9])
def test_a_hard_pattern_comes_out_in_plain_loops(tolerance: float) -> None:
    pattern = {0: 3, 1: 1, 2: 0, 3: 4, 4: 3}
    design = proved(
        regard.design.self_attention(TOKENS, attend=pattern, tolerance=tolerance), tokens=TOKENS
    )
    assert (design.d_k, design.d_k_lower_bound) == (2, 2)
    weights = run(design, TOKENS).weights
    np.testing.assert_allclose(
        weights, np.eye(5)[list(pattern.values())], atol=design.error + 1e-12
    )
    assert design.error <= tolerance
    assert design.error > 0.5 * tolerance  # not larger than it has to be
    np.testing.assert_allclose(design.A, design.W_K @ design.W_Q.T, rtol=1e-12)
    np.testing.assert_array_equal(design.W_V, np.eye(7))


def test_a_soft_pattern_comes_out_in_plain_loops() -> None:
    pattern = {0: {1: 0.25, 2: 0.75}, 3: {0: 0.5, 3: 0.3, 4: 0.2}}
    design = proved(regard.design.self_attention(TOKENS, attend=pattern, tolerance=1e-4))
    weights = run(design, TOKENS).weights
    np.testing.assert_allclose(weights[0], [0, 0.25, 0.75, 0, 0], atol=1.00001e-4)
    np.testing.assert_allclose(weights[3], [0.5, 0, 0, 0.3, 0.2], atol=1.00001e-4)


def test_the_weights_of_some_head_are_met_exactly() -> None:
    rng = np.random.default_rng(2)
    tokens, A = rng.standard_normal((7, 3)), rng.standard_normal((3, 3))
    powers = np.exp(tokens @ A.T @ tokens.T)
    table = powers / np.sum(powers, axis=1, keepdims=True)
    pattern = {i: dict(enumerate(row)) for i, row in enumerate(table.tolist())}
    design = proved(regard.design.self_attention(tokens, attend=pattern, tolerance=1e-9))
    np.testing.assert_allclose(design.A, A, rtol=1e-6)
    assert design.d_k == 3


# d_k ----------------------------------------------------------------------------------------------


def test_two_targets_at_opposite_ends_need_one_column() -> None:
    tokens = np.array([[1.0, -2.0], [1.0, 0.0], [1.0, 0.5], [1.0, 3.0]])
    assert regard.design.self_attention(tokens, attend={0: 3, 1: 3, 2: 3}).d_k == 1
    design = proved(regard.design.self_attention(tokens, attend={0: 3, 3: 0}))
    assert (design.d_k, design.d_k_lower_bound) == (1, 1)


def test_three_targets_need_two_columns() -> None:
    design = proved(regard.design.self_attention(np.eye(5), attend={0: 1, 1: 2, 2: 0}))
    assert (design.d_k, design.d_k_lower_bound) == (2, 2)
    assert "d_k_at_least" in kinds(design)
    problem = refused(np.eye(5), attend={0: 1, 1: 2, 2: 0}, d_k=1)
    assert kinds(problem) == ["d_k_at_least"]
    assert str(problem) == (
        "design.self_attention: no head with d_k = 1 does this: at least 2 columns are needed. The "
        f"certificate proves it. .best has {problem.best.d_k}."
    )
    assert problem.best.d_k >= 2


def test_rows_on_one_side_with_two_targets_need_two_columns() -> None:
    """Rows 1 and 1/2 of one direction: one sign of the query, hence one target."""
    tokens = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 1.0], [0.0, -1.0]])
    problem = refused(tokens, attend={0: 2, 1: 3})
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 0.5, rtol=1e-9)


def test_a_d_k_that_is_asked_for_is_given() -> None:
    for d_k in (1, 2, 3, 11):
        design = proved(regard.design.self_attention(np.eye(5), attend={0: 1, 1: 0}, d_k=d_k))
        assert design.d_k == d_k
        assert design.W_Q.shape == design.W_K.shape == (5, d_k)
        assert design.d_k_lower_bound == 1


def test_a_d_k_that_is_wider_than_found_is_padded_with_zeros() -> None:
    design = proved(regard.design.self_attention(np.eye(3), attend={0: 1}, d_k=5))
    np.testing.assert_array_equal(design.W_Q[:, 1:], 0)
    np.testing.assert_array_equal(design.W_K[:, 1:], 0)


# Outputs ------------------------------------------------------------------------------------------


def test_outputs_of_independent_tokens_can_be_anything() -> None:
    wanted = np.random.default_rng(4).standard_normal((5, 3))
    design = proved(
        regard.design.self_attention(TOKENS, outputs=dict(enumerate(wanted)), tolerance=1e-6)
    )
    np.testing.assert_allclose(run(design, TOKENS).output, wanted, atol=1e-6)
    assert design.W_V.shape == (7, 3)


def test_outputs_with_a_pattern_take_the_values_that_fit() -> None:
    wanted = {0: [1.0, 2.0, 3.0], 2: [-1.0, 0.0, 1.0]}
    design = proved(
        regard.design.self_attention(TOKENS, attend={0: 4, 2: {0: 0.5, 1: 0.5}}, outputs=wanted)
    )
    found = run(design, TOKENS)
    np.testing.assert_allclose(found.output[[0, 2]], [wanted[0], wanted[2]], atol=1.0001e-3)
    np.testing.assert_allclose(found.weights[0], np.eye(5)[4], atol=1.0001e-3)


def test_a_pattern_of_one_row_and_the_output_of_another_go_together() -> None:
    design = proved(regard.design.self_attention(TOKENS, attend={0: 4}, outputs={3: [1.0, -1.0]}))
    found = run(design, TOKENS)
    np.testing.assert_allclose(found.weights[0], np.eye(5)[4], atol=1.0001e-3)
    np.testing.assert_allclose(found.output[3], [1, -1], atol=1.0001e-3)


def test_given_values_are_kept_and_are_in_the_certificate() -> None:
    W_V = np.random.default_rng(5).standard_normal((7, 2))
    values = TOKENS @ W_V
    wanted = 0.5 * values[1] + 0.3 * values[2] + 0.2 * values[4]
    design = proved(
        regard.design.self_attention(TOKENS, outputs={0: wanted}, W_V=W_V), tokens=TOKENS, W_V=W_V
    )
    np.testing.assert_array_equal(design.W_V, W_V)
    np.testing.assert_allclose(run(design, TOKENS).output[0], wanted, atol=1.0001e-3)


def test_an_output_outside_the_hull_of_given_values_is_refused_with_its_distance() -> None:
    tokens = np.eye(3)
    W_V = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    problem = refused(tokens, outputs={0: [2.0, 2.0]}, W_V=W_V)
    (claim,) = problem.certificate.claims
    assert claim.kind == "apart_from_hull"
    np.testing.assert_allclose(claim.fields["bound"], 1.5 * math.sqrt(2), rtol=1e-9)
    np.testing.assert_allclose(problem.best.error, 1.5 * math.sqrt(2), rtol=1e-3)
    assert str(problem) == (
        "design.self_attention: these outputs cannot be reached, whatever the head attends to: some "
        "row misses by 2.12132 or more. The certificate proves it. .best comes closest, with error at "
        f"most {rounded_up(problem.best.error)}."
    )


def test_equal_tokens_are_refused_different_outputs() -> None:
    problem = refused([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]], outputs={0: [0.0], 1: [3.0]})
    (claim,) = problem.certificate.claims
    assert claim.kind == "outputs_out_of_reach"
    np.testing.assert_allclose(claim.fields["bound"], 1.5, rtol=1e-9)


def test_more_independent_outputs_than_the_tokens_have_dimensions_are_refused() -> None:
    """PX has rank 1, the outputs I rank 2: some row misses by 1/√2 at least."""
    problem = refused([[1.0], [2.0], [-3.0]], outputs={0: [1.0, 0.0], 1: [0.0, 1.0]})
    (claim,) = problem.certificate.claims
    assert claim.kind == "outputs_out_of_reach"
    np.testing.assert_allclose(claim.fields["bound"], 1 / math.sqrt(2), rtol=1e-6)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_refused_pattern_with_outputs_has_a_closest_head_of_the_right_width(width: int) -> None:
    tokens = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    problem = refused(tokens, attend={2: 0}, outputs={2: np.arange(1.0, width + 1)})
    assert problem.best.W_V.shape == (2, width)


# Scale, size, dtype -------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-6, 1 / math.sqrt(3), 7.0, 1e6])
def test_the_matrices_make_up_for_the_scale(scale: float) -> None:
    design = proved(regard.design.self_attention(TOKENS, attend={0: 1, 1: 2, 2: 0}, scale=scale))
    assert design.scale == scale
    weights = run(design, TOKENS).weights
    np.testing.assert_allclose(weights[:3], np.eye(5)[[1, 2, 0]], atol=design.error + 1e-12)
    assert 0.5e-3 < design.error <= 1e-3


def test_the_head_of_a_design_keeps_its_scale() -> None:
    design = regard.design.self_attention(TOKENS, attend={0: 1, 1: 2, 2: 0}, scale=0.3)
    head = design.head()
    assert head.scale == 0.3
    np.testing.assert_allclose(head(TOKENS), run(design, TOKENS).output, atol=1e-12)
    np.testing.assert_allclose(head.A, design.A, atol=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1e3, 1e-40, 1e40])
def test_long_and_short_tokens_are_ordinary(size: float) -> None:
    design = proved(regard.design.self_attention(TOKENS * size, attend={0: 1, 1: 2, 2: 0}))
    assert 0.5e-3 < design.error <= 1e-3
    assert (design.d_k, design.d_k_lower_bound) == (2, 2)
    refused(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) * size, attend={2: 0})


def test_tokens_whose_matrices_could_not_be_written_down_are_refused() -> None:
    with pytest.raises(regard.ParameterError) as caught:
        regard.design.self_attention(np.eye(3) * 1e100, attend={0: 1})
    assert str(caught.value) == (
        "design.self_attention: the largest number in tokens must be between 1e-50 and 1e+50, or "
        "the matrices could not be written down. Got 1e+100. Multiply tokens by a constant first."
    )


@pytest.mark.parametrize("read", [np.float32, np.float16, list])
def test_tokens_of_other_types_are_read_as_the_numbers_they_are(read: Any) -> None:
    whole = np.array([[1, 0, 2], [0, 3, 1], [2, 1, 0], [1, 1, 1]])
    tokens = whole.tolist() if read is list else whole.astype(read)
    design = proved(regard.design.self_attention(tokens, attend={0: 1, 1: 2}))
    same = regard.design.self_attention(whole.astype(float), attend={0: 1, 1: 2})
    np.testing.assert_array_equal(design.A, same.A)


def test_the_tokens_are_not_changed_and_may_be_changed_afterwards() -> None:
    tokens = TOKENS.copy()
    design = regard.design.self_attention(tokens, attend={0: 1})
    np.testing.assert_array_equal(tokens, TOKENS)
    tokens[:] = 0
    proved(design, tokens=TOKENS)


def test_the_same_call_gives_the_same_bits() -> None:
    designs = [
        regard.design.self_attention(TOKENS, attend={0: 1, 1: 2, 2: 0, 4: 4}) for _ in range(2)
    ]
    np.testing.assert_array_equal(designs[0].A, designs[1].A)


def test_the_order_in_which_rows_are_asked_for_does_not_count() -> None:
    one = regard.design.self_attention(TOKENS, attend={0: 1, 3: 2})
    other = regard.design.self_attention(TOKENS, attend={3: 2, 0: 1})
    np.testing.assert_array_equal(one.A, other.A)


# What comes with it -------------------------------------------------------------------------------


def test_a_refusal_has_the_proof_and_the_closest_head() -> None:
    problem = refused([[1, 0], [0, 1], [1, 1]], attend={0: 0, 1: 0, 2: 1})
    assert isinstance(problem.best, HeadDesign)
    assert kinds(problem) == ["pattern_ceiling", "pattern_apart"]
    assert str(problem) == (
        "design.self_attention: no head attends like this: whatever the matrices, some row gives "
        "its token at most 0.500001. The certificate proves it. .best comes closest, with error at "
        f"most {rounded_up(problem.best.error)}."
    )
    same = pickle.loads(pickle.dumps(problem))
    assert str(same) == str(problem)
    np.testing.assert_array_equal(same.best.A, problem.best.A)


def test_a_d_k_that_is_neither_found_nor_ruled_out_is_undecided() -> None:
    """Four soft rows of rank 3 at d_k = 2, with a tolerance too wide for the proof by rank."""
    rng = np.random.default_rng(6)
    powers = np.exp(2 * rng.standard_normal((4, 4)))
    table = powers / np.sum(powers, axis=1, keepdims=True)
    pattern = {i: dict(enumerate(row)) for i, row in enumerate(table.tolist())}
    tokens = rng.standard_normal((4, 5))
    with pytest.raises(regard.UndecidedDesign) as caught:
        regard.design.self_attention(tokens, attend=pattern, d_k=2, tolerance=0.02)
    proved(caught.value.best)
    assert caught.value.best.d_k == 3
    assert caught.value.certificate is None
    assert str(caught.value) == (
        "design.self_attention: no head with d_k = 2 was found, nor a proof that there is none. "
        ".best has d_k = 3."
    )


def test_a_certificate_goes_to_json_and_back() -> None:
    for thing in (
        regard.design.self_attention(TOKENS, attend={0: 1, 1: {2: 0.5, 0: 0.5}}, scale=0.5),
        regard.design.self_attention(TOKENS, outputs={0: [1.0], 1: [2.0]}),
        regard.design.self_attention(np.eye(2), outputs={0: [0.3]}, W_V=[[0.0], [1.0]]),
        refused([[1, 0], [0, 1], [1, 1]], attend={0: 0, 1: 0, 2: 1}),
        refused([[1.0], [2.0], [-3.0]], outputs={0: [1.0, 0.0], 1: [0.0, 1.0]}),
        refused(np.eye(5), attend={0: 1, 1: 2, 2: 0}, d_k=1),
    ):
        data = json.loads(json.dumps(thing.certificate.to_dict(), allow_nan=False))
        back = Certificate.from_dict(data)
        assert back.to_dict() == thing.certificate.to_dict()
        assert verify(back, **thing.certificate.arrays).holds
        assert not verify(back, tokens=np.eye(3) * 7).holds


def test_a_design_prints_as_a_short_summary() -> None:
    design = regard.design.self_attention(np.eye(2), attend={0: 1, 1: 0})
    size = regard.report.number(math.sqrt(math.log(999)), 4)
    assert str(design) == repr(design)
    assert str(design).rstrip() == "\n".join(
        [
            "A head over 2 tokens",
            "====================",
            "",
            "d_k                  1 (the smallest possible)",
            "scale                1",
            "error                at most 0.001 (allowed 0.001)",
            f"‖W_Q‖, ‖W_K‖, ‖W_V‖  {size}, {size}, 1.414",
            "claims               2",
            "",
            "attention weights",
            "       token 0  token 1",
            "-----  -------  -------",
            "row 0    0.001    0.999",
            "row 1    0.999    0.001",
        ]
    )


def test_a_design_over_many_tokens_prints_its_corner() -> None:
    design = regard.design.self_attention(np.eye(31), attend={0: 30})
    lines = str(design).splitlines()
    assert len(lines) < 25
    assert any("(the first rows and tokens)" in line for line in lines)


def test_a_design_is_a_table_in_a_notebook() -> None:
    design = regard.design.self_attention(np.eye(2), attend={0: 1, 1: 0})
    page = design._repr_html_()
    assert page.endswith(f"{design.report()._repr_html_()}</details>")
    assert "<table" in page
    assert "A head over 2 tokens" in page
    report = design.report()
    assert regard.report.Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "options", "message"),
    [
        (np.eye(3), {}, "nothing is asked for. Pass attend=, outputs= or both."),
        (np.eye(3), {"attend": {}}, "attend must be {row: token} or {row: {token: weight}}, with at least one row. Got {}."),
        (np.eye(3), {"attend": [0, 1]}, "attend must be {row: token} or {row: {token: weight}}, with at least one row. Got [0, 1]."),
        (np.eye(3), {"attend": {7: 0}}, "a row of attend must be the index of a token, 0 to 2. Got 7."),
        (np.eye(3), {"attend": {-1: 0}}, "a row of attend must be the index of a token, 0 to 2. Got -1."),
        (np.eye(3), {"attend": {True: 0}}, "a row of attend must be a whole number. Got True."),
        (np.eye(3), {"attend": {0: 7}}, "attend[0] must be the index of a token, 0 to 2. Got 7."),
        (np.eye(3), {"attend": {0: True}}, "attend[0] must be a whole number. Got True."),
        (np.eye(3), {"attend": {0: {7: 1.0}}}, "attend[0] must be the index of a token, 0 to 2. Got 7."),
        (np.eye(3), {"attend": {0: {}}}, "attend[0] is empty. Need at least one {index: weight}."),
        (np.eye(3), {"attend": {0: {0: 0.5}}}, "the weights of attend[0] must sum to 1. They sum to 0.5. Divide them by their sum."),
        (np.eye(3), {"attend": {0: {0: -1, 1: 2}}}, "the weights of attend[0] must be ≥ 0. Got -1 for index 0."),
        (np.eye(3), {"outputs": {}}, "outputs must be {row: vector}, with at least one row. Got {}."),
        (np.eye(3), {"outputs": {5: [1.0]}}, "a row of outputs must be the index of a token, 0 to 2. Got 5."),
        (np.eye(3), {"outputs": {0: 1.0}}, "outputs[0] must be a vector of at least one number. Got shape ()."),
        (np.eye(3), {"outputs": {0: [1.0, 2.0], 1: [1.0]}}, "outputs[1] must be a vector of length 2. Got shape (1,)."),
        (np.eye(3), {"outputs": {0: [math.nan]}}, "outputs[0] must be finite. Got nan at 0."),
        (np.eye(3), {"attend": {0: 1}, "d_k": 0}, "d_k must be a whole number ≥ 1. Got 0."),
        (np.eye(3), {"attend": {0: 1}, "d_k": 1.5}, "d_k must be a whole number ≥ 1. Got 1.5."),
        (np.eye(3), {"attend": {0: 1}, "d_k": True}, "d_k must be a whole number ≥ 1. Got True."),
        (np.eye(3), {"attend": {0: 1}, "tolerance": 0}, "tolerance must be a positive finite number. Got 0."),
        (np.eye(3), {"attend": {0: 1}, "scale": -1.0}, "scale must be a positive finite number. Got -1.0."),
        (np.eye(3), {"outputs": {0: [1.0, 2.0]}, "W_V": np.eye(3)}, "W_V needs 2 columns, (d_model, d_v). Got W_V (3, 3)."),
        (np.eye(3), {"outputs": {0: [1.0, 2.0]}, "W_V": np.ones((2, 3))}, "W_V needs 3 rows, (d_model, d_v). Got W_V (2, 3). W_V looks transposed: try W_V.T."),
        ([[1.0, math.inf]], {"attend": {0: 0}}, "tokens must be finite. Got inf in row 0, column 1."),
        ([1.0, 2.0], {"attend": {0: 0}}, "tokens needs 2 axes (n, d_model). Got tokens (2,). Add the missing axis: tokens[:, None]."),
        ([[]], {"attend": {0: 0}}, "tokens is empty. Need tokens (n, d_model) with at least one row and one column. Got tokens (1, 0)."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(tokens: Any, options: Any, message: str) -> None:
    with pytest.raises((regard.ParameterError, regard.ShapeError)) as caught:
        regard.design.self_attention(tokens, **options)
    assert str(caught.value) == f"design.self_attention: {message}"
