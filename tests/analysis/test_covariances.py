"""Covariances are handled, or refused by name with how far they are from one."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.shapes.laws import batch_axes, read_covariance, read_generator, read_stack


def refused(x: object, width: int | None = None, **keywords: object) -> str:
    """Return what is said against a covariance."""
    with pytest.raises((regard.ShapeError, regard.ParameterError)) as caught:
        read_covariance("noise", "Sigma", x, width, **keywords)  # type: ignore[arg-type]
    return str(caught.value)


def low_rank(rng: np.random.Generator, d: int, rank: int) -> np.ndarray:
    """Return a covariance of the given rank."""
    root = rng.standard_normal((d, rank))
    return root @ root.T


def test_a_covariance_comes_back_as_it_was() -> None:
    S = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.0, 0.0], [0.0, 0.0]]])
    np.testing.assert_array_equal(read_covariance("noise", "Sigma", S, 2, rows=3), S)


def test_integers_and_narrow_floats_come_back_in_float64() -> None:
    for dtype in (np.int64, np.float16, np.float32):
        read = read_covariance("f", "S", np.eye(3).astype(dtype), axes="(d, d)")
        assert read.dtype == np.float64
        np.testing.assert_array_equal(read, np.eye(3))


def test_rounding_of_the_symmetry_is_averaged_away() -> None:
    S = np.array([[1.0, 0.5 + 1e-11], [0.5, 1.0]])
    read = read_covariance("f", "S", S, axes="(d, d)")
    np.testing.assert_array_equal(read, read.T)
    np.testing.assert_allclose(read[0, 1], 0.5 + 5e-12, rtol=1e-15)


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e9, 1e300])
@pytest.mark.parametrize("rank", [0, 1, 3])
def test_singular_covariances_of_any_size_are_read(unit: float, rank: int) -> None:
    S = unit * low_rank(np.random.default_rng(5), 31, rank)
    np.testing.assert_allclose(
        read_covariance("f", "S", S, 31, axes="(d, d)"), S, rtol=1e-12, atol=1e-12 * unit
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_singular_covariances_that_were_rounded_are_read(dtype: type) -> None:
    S = low_rank(np.random.default_rng(7), 61, 2).astype(dtype)
    assert np.min(np.linalg.eigvalsh(S.astype(float))) < -1e-9 * np.max(S)
    read_covariance("f", "S", S, 61, axes="(d, d)")


def test_a_matrix_that_is_not_symmetric_is_refused_with_the_difference() -> None:
    assert refused([[1.0, 0.5], [0.2, 1.0]], 2, axes="(d, d)") == (
        "noise: Sigma must be symmetric. Its entries (0, 1) and (1, 0) are 0.5 and 0.2: they "
        "differ by 0.3. If one symmetric matrix is meant, pass (Sigma + Sigma.T) / 2."
    )


def test_an_asymmetry_slightly_beyond_rounding_is_refused() -> None:
    S = np.array([[1.0, 0.5 + 1e-8], [0.5, 1.0]])
    assert "they differ by 1e-08" in refused(S, axes="(d, d)")
    read_covariance("f", "S", S.astype(np.float32) + np.float32([[0, 1e-7], [0, 0]]), axes="(d, d)")


def test_the_one_that_is_not_symmetric_is_named() -> None:
    S = np.stack([np.eye(3)] * 5)
    S[3, 2, 1] = 0.25
    assert refused(S, 3, rows=5) == (
        "noise: Sigma[3] must be symmetric. Its entries (1, 2) and (2, 1) are 0 and 0.25: they "
        "differ by 0.25. If one symmetric matrix is meant, pass "
        "(Sigma + Sigma.swapaxes(-1, -2)) / 2."
    )


def test_a_negative_eigenvalue_is_refused_with_its_size() -> None:
    assert refused([[1.0, 2.0], [2.0, 1.0]], 2, axes="(d, d)") == (
        "noise: Sigma must be positive semidefinite. Its smallest eigenvalue is -1, its largest 3."
    )
    assert refused([[-2.0]], 1, axes="(d, d)") == (
        "noise: Sigma must be positive semidefinite. Its smallest eigenvalue is -2, its largest -2."
    )


def test_the_one_with_the_most_negative_eigenvalue_is_named() -> None:
    S = np.stack([np.diag([1.0, 2.0])] * 6).reshape(3, 2, 2, 2)
    S[1, 0] = np.diag([-1e-3, 1.0])
    S[2, 1] = np.diag([4e200, -1e200])
    assert refused(S) == (
        "noise: Sigma[2, 1] must be positive semidefinite. "
        "Its smallest eigenvalue is -1e+200, its largest 4e+200."
    )


def test_an_eigenvalue_slightly_beyond_rounding_is_refused() -> None:
    read_covariance("f", "S", np.diag([1.0, -1e-10]), axes="(d, d)")
    assert "smallest eigenvalue is -1e-08" in refused(np.diag([1.0, -1e-8]), axes="(d, d)")


def test_what_is_not_finite_is_refused_with_its_place() -> None:
    S = np.stack([np.eye(2)] * 3)
    S[1, 0, 1] = np.nan
    assert refused(S) == "noise: Sigma must be finite. Got nan in Sigma[1, 0, 1]."


@pytest.mark.parametrize(
    ("shape", "keywords", "words"),
    [
        (
            (3, 3),
            {"width": 5, "axes": "(..., d, d)"},
            "noise: Sigma needs d = 5, (..., d, d). Got Sigma (3, 3).",
        ),
        (
            (3,),
            {"width": 3, "axes": "(..., d, d)"},
            "noise: Sigma needs at least 2 axes (..., d, d). Got Sigma (3,). "
            "For variances, pass Sigma[..., None] * np.eye(3).",
        ),
        (
            (5, 3),
            {"width": 3, "rows": 5},
            "noise: Sigma needs at least 3 axes (..., n, d, d). Got Sigma (5, 3). "
            "For variances, pass Sigma[..., None] * np.eye(3).",
        ),
        (
            (3, 3),
            {"width": 3, "rows": 5},
            "noise: Sigma needs at least 3 axes (..., n, d, d). Got Sigma (3, 3). "
            "For one covariance for all, pass np.broadcast_to(Sigma, (5, 3, 3)).",
        ),
        (
            (7, 3, 3),
            {"width": 3, "rows": 5},
            "noise: Sigma needs n = 5, (..., n, d, d). Got Sigma (7, 3, 3).",
        ),
        (
            (2, 3),
            {"axes": "(..., d, d)"},
            "noise: Sigma must be square, (..., d, d). Got Sigma (2, 3).",
        ),
        (
            (2, 3, 3),
            {"axes": "(d, d)"},
            "noise: Sigma needs 2 axes (d, d). Got Sigma (2, 3, 3).",
        ),
        (
            (0, 3, 3),
            {},
            "noise: Sigma is empty. Need (..., n, d, d). Got (0, 3, 3).",
        ),
    ],
)
def test_shapes_are_refused_with_a_fix_where_there_is_one(
    shape: tuple[int, ...], keywords: dict[str, object], words: str
) -> None:
    assert refused(np.ones(shape), **keywords) == words  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(3,), (5, 3)])
def test_the_fix_for_variances_works(shape: tuple[int, ...]) -> None:
    Sigma = np.ones(shape)
    axes = "(..., d, d)" if len(shape) == 1 else "(..., n, d, d)"
    fixed = read_covariance("f", "Sigma", Sigma[..., None] * np.eye(3), 3, axes=axes)
    np.testing.assert_array_equal(fixed, np.broadcast_to(np.eye(3), (*shape, 3)))


def test_means_are_read_and_refused_in_the_same_words() -> None:
    np.testing.assert_array_equal(read_stack("f", "mu", [1, 2], "(..., d)"), [1.0, 2.0])
    with pytest.raises(regard.ShapeError) as caught:
        read_stack("noise", "mu", np.zeros((5, 3)), "(..., d)", width=2)
    assert str(caught.value) == "noise: mu needs d = 2, (..., d). Got mu (5, 3)."


def test_batch_axes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(regard.ShapeError) as caught:
        batch_axes(
            "noise",
            {"mu": np.zeros((5, 3)), "Sigma": np.zeros((2, 3, 3))},
            {"mu": "(..., d)", "Sigma": "(..., d, d)"},
        )
    assert str(caught.value) == (
        "noise: batch axes do not broadcast. Need mu (..., d), Sigma (..., d, d) with equal batch "
        "axes, or 1. Got mu (5, 3), Sigma (2, 3, 3)."
    )


@pytest.mark.parametrize("rng", [None, True, -1, 0.5, "0"])
def test_a_generator_or_a_seed_is_needed(rng: object) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        read_generator("noise", rng)
    assert str(caught.value) == (
        f"noise: rng must be a numpy.random.Generator or a seed, a whole number ≥ 0. Got {rng!r}."
    )
