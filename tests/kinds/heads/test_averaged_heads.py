"""Averaged heads: shares, equal heads that count as one, limits, and queries as sums of means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, in_means
from regard.solving.random_keys import rms_bound


def problem(limits: list[str] | None = None, **goal: Any) -> Any:
    keys = {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": "s I"}
    given = {"n": 5, "keys": keys, "names": {"a": 0, "b": 1}, "parameters": {"s": 0.03}}
    data = {"schema": 1, "id": "x", "title": "x", "kind": "heads", "statement": "x"}
    given |= {"values": {"law": "orthonormal"}, "limits": limits or []}
    goal = {"tolerance": 0.1, "heads": 3, "weights": {"a": 2 / 3, "b": 1 / 3}, **goal}
    return problems.from_dict({**data, "given": given, "goal": goal})


def simulated(queries: np.ndarray, wanted: np.ndarray) -> float:
    rng = np.random.default_rng(3)
    keys = np.eye(5) + np.sqrt(0.03) * rng.standard_normal((100_000, 5, 5))
    powers = np.exp(keys @ queries.T)
    off = np.mean(powers / powers.sum(axis=1, keepdims=True), axis=2) - wanted
    return float(np.sqrt(np.mean(np.sum(off**2, axis=1))))


def test_equal_heads_err_together_and_count_as_one() -> None:
    heads = AveragedHeads.of(problem())
    queries = heads.queries(4.0)
    np.testing.assert_array_equal(queries, 4 * np.eye(5)[[0, 0, 1]])
    wanted = np.array([2 / 3, 1 / 3, 0, 0, 0])
    error = float(heads.off(queries))
    np.testing.assert_allclose(error, simulated(queries, wanted), rtol=0.01)
    # Three queries of which two are equal, and two of which one counts twice, are the same heads.
    each = rms_bound(heads.keys, queries, {0: 2 / 3, 1: 1 / 3})
    np.testing.assert_allclose(heads.bound(queries).value, each.value, rtol=1e-12)
    assert error <= each.value
    assert heads.claim(queries).witness["head_weights"] == ["2/3", "1/3"]


def test_queries_between_two_factors_are_those_of_the_formula() -> None:
    heads = AveragedHeads.of(problem(weights={"a": 0.6, "b": 0.4}, heads=2))
    between = heads.at(np.array([0.0, 2.5, 7.0]))
    for row, factor in zip(between, (0.0, 2.5, 7.0), strict=True):
        np.testing.assert_allclose(row, heads.queries(factor), rtol=1e-12, atol=1e-12)


def test_in_the_limit_the_noise_is_gone() -> None:
    assert AveragedHeads.in_limit(problem()) is None
    assert AveragedHeads.in_limit(problem(["s -> inf"])) is None
    limit = AveragedHeads.in_limit(problem(["s -> 0"]))
    assert limit is not None
    assert not limit.keys.random
    np.testing.assert_array_equal(limit.keys.means, np.eye(5))


@pytest.mark.parametrize("size", [1e-3, 1.0, 4e5])
def test_a_query_is_written_in_means_to_six_digits(size: float) -> None:
    instance = problems.key_instance(problem().given)
    parts = size * np.array([1 / 3, -2 / 7, 0, 1, 0.1])
    written = in_means(parts, instance)
    assert written is not None
    text, coefficients = written
    np.testing.assert_allclose(coefficients, parts, atol=1e-6 * size)
    assert text == f"M' {coefficients.tolist()}"
