"""ONNX's own tests of the Attention operator, run through regard."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.runner import Runner

import regard
from peers.onnx_adapter import STAGES, base_cases, case_as_call, expected_outputs, regard_outputs
from regard.core import reference

CASES = base_cases()
FLOAT32_CASES = [case for case in CASES if expected_outputs(case)[0].dtype == np.float32]


def name_of(case: TestCase) -> str:
    return case.name.removeprefix("test_attention_")


def test_no_case_of_onnx_is_left_out() -> None:
    np.testing.assert_equal(len({case.name for case in CASES}), 93)
    np.testing.assert_equal(len(CASES), 93)
    np.testing.assert_equal(len(FLOAT32_CASES), 82)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_node_gives_what_onnx_expects(case: TestCase) -> None:
    # The comparison ONNX makes for every backend: number of outputs, shapes, dtypes, values.
    Runner.assert_similar_outputs(
        expected_outputs(case), regard_outputs(case), rtol=case.rtol, atol=case.atol
    )


@pytest.mark.parametrize("case", FLOAT32_CASES, ids=name_of)
def test_a_float32_case_is_within_2e_6_of_the_same_case_in_float64(case: TestCase) -> None:
    call = case_as_call(case)
    expected = reference.attention(*call.arrays, **call.options)

    assert_within_2e_6(regard.attention(*call.arrays, **call.options), expected.output)
    output, weights = regard.attention_with_weights(*call.arrays, **call.options)
    assert_within_2e_6(output, expected.output)
    assert_within_2e_6(weights, expected.weights)
    output, lse = regard.attention_with_lse(*call.arrays, **call.options)
    assert_within_2e_6(output, expected.output)
    assert_within_2e_6(lse, expected.lse)
    for stage in STAGES.values():
        scores = regard.attention_scores(
            call.query, call.key, call.mask, stage=stage, **call.options
        )
        assert_within_2e_6(scores, getattr(expected, stage))


def assert_within_2e_6(actual: np.ndarray, expected: np.ndarray) -> None:
    """Absolute below 1, relative above; an infinity must be the same infinity."""
    np.testing.assert_equal(actual.dtype, np.float32)
    np.testing.assert_equal(expected.dtype, np.float64)
    size = np.where(np.isfinite(expected), np.maximum(1.0, np.abs(expected)), 1.0)
    np.testing.assert_allclose(actual / size, expected / size, rtol=0.0, atol=2e-6, strict=True)
