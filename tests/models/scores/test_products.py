"""Singular values, effective rank, copying and composition: by hand and against whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.models.scores.composition import composition_scores
from regard.models.scores.copying import copying_score
from regard.models.scores.rank import effective_rank, singular_values


def _copying(W_V: object, W_O: object) -> float:
    zeros = np.zeros((3, 2))
    return copying_score(regard.Head(zeros, zeros, W_V, W_O))


def test_copying_is_one_over_the_root_of_six_where_eigenvalues_are_one_plus_minus_it() -> None:
    # Eigenvalues 1 ± √6: (sum 2) / (√6 + 1 + √6 − 1) = 1/√6.
    assert _copying([[1, 0], [2, 1], [0, -1]], [[1, 1, 0], [0, 1, 2]]) == pytest.approx(
        6**-0.5, rel=1e-10
    )


def test_copying_of_a_turn_by_45_degrees_is_its_cosine() -> None:
    assert _copying([[1, 1], [-1, 1], [0, 0]], [[1, 0, 1], [0, 1, 0]]) == pytest.approx(
        0.5**0.5, rel=1e-10
    )


def test_copying_of_nothing_is_0() -> None:
    assert _copying(np.zeros((3, 2)), np.zeros((2, 3))) == 0


def test_composition_scores_by_hand() -> None:
    first = regard.MultiHead(
        np.zeros((1, 3, 1)), np.zeros((1, 3, 1)), [[[1], [2], [0]]], [[[0, 1, -1]]]
    )
    second = regard.MultiHead(
        [[[1], [0], [1]]], [[[0], [1], [2]]], [[[1], [1], [0]]], [[[2, 0, 1]]]
    )
    found = composition_scores(first, second)
    assert found["Q"][0, 0] == pytest.approx(0.5, rel=1e-12)
    assert found["K"][0, 0] == pytest.approx(0.1**0.5, rel=1e-12)
    assert found["V"][0, 0] == pytest.approx(0.5, rel=1e-12)


def test_composition_and_singular_values_are_those_of_the_whole_products_with_groups() -> None:
    rng = np.random.default_rng(3)

    def drawn(*shape: int) -> np.ndarray:
        return rng.normal(size=shape)

    first = regard.MultiHead(drawn(6, 13, 3), drawn(2, 13, 3), drawn(2, 13, 5), drawn(6, 5, 13))
    second = regard.MultiHead(drawn(4, 13, 3), drawn(2, 13, 3), drawn(2, 13, 5), drawn(4, 5, 13))
    found = composition_scores(first, second)

    def norm(x: np.ndarray) -> float:
        return float(np.sqrt(np.sum(x**2)))

    for h in range(6):
        OV1 = first.W_V[h // 3] @ first.W_O[h]
        for g in range(4):
            A2, OV2 = second.W_K[g // 2] @ second.W_Q[g].T, second.W_V[g // 2] @ second.W_O[g]
            assert found["K"][h, g] == pytest.approx(norm(OV1 @ A2) / norm(OV1) / norm(A2))
            assert found["Q"][h, g] == pytest.approx(norm(OV1 @ A2.T) / norm(OV1) / norm(A2))
            assert found["V"][h, g] == pytest.approx(norm(OV1 @ OV2) / norm(OV1) / norm(OV2))
    qk, ov = singular_values(first.heads[4])
    np.testing.assert_allclose(qk, np.linalg.svd(first.W_Q[4] @ first.W_K[1].T)[1][:3])
    np.testing.assert_allclose(ov, np.linalg.svd(first.W_V[1] @ first.W_O[4])[1][:5])


def test_effective_rank_counts_equal_singular_values() -> None:
    assert effective_rank(np.array([2.0, 2.0, 2.0, 0.0])) == pytest.approx(3)
    assert effective_rank(np.zeros(3)) == 0
    # p = 3/4, 1/4: exp of their entropy is 4 / 3^(3/4).
    assert effective_rank(np.array([3.0, 1.0])) == pytest.approx(4 / 3**0.75)
