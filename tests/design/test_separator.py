"""Separators: cases that can be worked out by hand, and what is said of them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import regard
from regard.certify import Certificate, verify
from regard.design import SeparatorDesign


def proved(thing: Any, **arrays: Any) -> Any:
    result = verify(thing.certificate, **arrays)
    assert result.holds, str(result)
    return thing


def refused(*arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        regard.design.separator(*arguments, **options)
    proved(caught.value)
    proved(caught.value.best)
    return caught.value


@pytest.mark.parametrize("share", [0.5, 1.0, 0.25, 3.0])
def test_an_orthonormal_basis_gives_its_projector_over_the_share(share: float) -> None:
    basis, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((7, 5)))
    S, T = basis[:, :2], basis[:, 2:]
    design = proved(regard.design.separator(S, T, share=share), S=S, T=T)
    np.testing.assert_allclose(design.M, S @ S.T / share, atol=1e-14 / share)
    np.testing.assert_allclose(design.norm, 1 / share)
    np.testing.assert_allclose(design.angle, math.pi / 2, atol=1e-7)
    assert design.share == share


@pytest.mark.parametrize("kind", ["unit", "any length", "more columns than dimensions"])
def test_any_basis_of_orthogonal_subspaces_gives_twice_the_projector(kind: str) -> None:
    """2 S (SᵀS)⁻¹ Sᵀ, where S has independent columns: it is the subspace that counts."""
    rng = np.random.default_rng(2)
    basis, _ = np.linalg.qr(rng.standard_normal((7, 5)))
    S = basis[:, :2] @ rng.standard_normal((2, 2 if kind != "more columns than dimensions" else 3))
    T = basis[:, 2:] @ rng.standard_normal((3, 3 if kind != "more columns than dimensions" else 5))
    if kind == "unit":
        S, T = S / np.linalg.norm(S, axis=0), T / np.linalg.norm(T, axis=0)
    design = proved(regard.design.separator(S, T))
    np.testing.assert_allclose(design.M, 2 * basis[:, :2] @ basis[:, :2].T, atol=1e-13)


def test_independent_subspaces_are_separated_with_the_shortest_matrix() -> None:
    rng = np.random.default_rng(3)
    S, T = rng.standard_normal((7, 2)), rng.standard_normal((7, 3))
    design = proved(regard.design.separator(S, T, share=0.5))
    x, y = rng.standard_normal(2), rng.standard_normal(3)
    np.testing.assert_allclose(design.M @ (S @ x + T @ y), 2 * S @ x, atol=1e-12)
    wanted = 2 * np.hstack([S, np.zeros_like(T)]) @ np.linalg.pinv(np.hstack([S, T]))
    np.testing.assert_allclose(design.M, wanted, atol=1e-12)
    # sin θ from the product of orthonormal bases: cos θ is its largest singular value.
    bases = [np.linalg.qr(columns)[0] for columns in (S, T)]
    cosine = np.linalg.norm(bases[0].T @ bases[1], 2)
    np.testing.assert_allclose(design.norm, 2 / math.sqrt(1 - cosine**2), rtol=1e-9)
    kinds = [claim.kind for claim in design.certificate.claims]
    assert kinds == ["separates", "norm_at_most", "norm_at_least"]


def test_what_is_orthogonal_to_both_is_dropped() -> None:
    design = regard.design.separator([[1.0], [0.0], [0.0]], [[1.0], [1.0], [0.0]])
    np.testing.assert_allclose(design.M @ [0, 0, 1], 0, atol=1e-15)


def test_the_smallest_and_the_largest_cases() -> None:
    design = proved(regard.design.separator([[3.0]], [[0.0]]))
    np.testing.assert_allclose(design.M, [[2.0]])
    design = proved(regard.design.separator(np.eye(5), np.zeros((5, 1))))
    np.testing.assert_allclose(design.M, 2 * np.eye(5))


@pytest.mark.parametrize("size", [1e-150, 1e-5, 1e5, 1e150])
def test_the_length_of_the_columns_does_not_count(size: float) -> None:
    S, T = np.array([[1.0], [0.0], [0.0]]), np.array([[1.0], [1.0], [0.0]])
    design = proved(regard.design.separator(S * size, T / size))
    np.testing.assert_allclose(design.M, [[2, -2, 0], [0, 0, 0], [0, 0, 0]], atol=1e-12)


@pytest.mark.parametrize("read", [np.float32, np.int64])
def test_other_dtypes_are_read(read: Any) -> None:
    design = proved(regard.design.separator(np.eye(3)[:, :1].astype(read), np.eye(3)[:, 2:]))
    np.testing.assert_allclose(design.M, np.diag([2.0, 0, 0]), atol=1e-15)


# Subspaces that meet ------------------------------------------------------------------------------


def test_subspaces_that_meet_are_refused_with_the_common_vector() -> None:
    S = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    T = np.array([[1.0], [1.0], [0.0]])
    problem = refused(S, T)
    assert isinstance(problem.best, SeparatorDesign)
    (claim,) = problem.certificate.claims
    assert (claim.kind, claim.fields["radius"]) == ("no_separator", None)
    x, y = ([int(v.split("/")[0]) for v in claim.witness[name]] for name in "xy")
    np.testing.assert_array_equal(S @ x, T @ y)
    assert np.any(S @ x)
    assert str(problem).startswith(
        "design.separator: no matrix separates these subspaces: they have a direction in common. "
        "The certificate proves it. .best separates what can be, with error "
    )


def test_the_same_subspace_twice_is_refused() -> None:
    refused([[1.0], [2.0]], [[-2.0], [-4.0]])
    refused(np.eye(3), np.eye(3))


def test_more_directions_than_the_space_has_are_refused() -> None:
    rng = np.random.default_rng(4)
    problem = refused(rng.standard_normal((5, 3)), rng.standard_normal((5, 3)))
    assert problem.certificate.claims[0].fields["radius"] is None


def test_a_common_direction_that_is_rounded_rules_out_all_matrices_up_to_a_norm() -> None:
    rng = np.random.default_rng(5)
    S = rng.standard_normal((7, 2))
    T = np.column_stack([S @ [0.3, 0.7], rng.standard_normal(7)])
    problem = refused(S, T)
    radius = problem.certificate.claims[0].fields["radius"]
    assert radius is None or radius > 1e8
    if radius is not None:
        assert f"no matrix of norm up to {radius:.3g} separates these subspaces" in str(problem)


@pytest.mark.parametrize("angle", [1e-4, 1e-6])
def test_nearly_parallel_subspaces_are_separated_with_a_long_matrix(angle: float) -> None:
    S, T = [[1.0], [0.0]], [[1.0], [angle]]
    design = proved(regard.design.separator(S, T))
    np.testing.assert_allclose(design.norm, 2 / math.sin(math.atan(angle)), rtol=1e-6)


# What comes with it -------------------------------------------------------------------------------


def test_a_certificate_goes_to_json_and_back() -> None:
    for thing in (
        regard.design.separator([[1.0], [0.5]], [[0.1], [1.0]], share=0.3),
        refused([[1.0], [2.0]], [[2.0], [4.0]]),
    ):
        data = json.loads(json.dumps(thing.certificate.to_dict(), allow_nan=False))
        back = Certificate.from_dict(data)
        assert back.to_dict() == thing.certificate.to_dict()
        assert verify(back, **thing.certificate.arrays).holds
        assert not verify(back, S=[[7.0], [1.0]]).holds


def test_a_design_prints_as_a_short_summary() -> None:
    design = regard.design.separator([[1.0], [0.0]], [[0.0], [1.0]])
    assert str(design) == repr(design)
    assert str(design).rstrip() == "\n".join(
        [
            "A separator",
            "===========",
            "",
            "M @ c returns the part of c that lies in the span of S.",
            "",
            "share                        0.5",
            "norm                         2",
            "angle between the subspaces  90°",
            "claims                       3",
            "",
            "M",
            "2  0",
            "0  0",
        ]
    )


def test_a_large_matrix_prints_its_corner() -> None:
    lines = str(regard.design.separator(np.eye(31)[:, :3], np.eye(31)[:, 5:7])).splitlines()
    assert len(lines) < 25
    assert "M (its first rows and columns)" in lines


def test_a_design_is_a_table_in_a_notebook() -> None:
    design = regard.design.separator([[1.0], [0.0]], [[0.0], [1.0]])
    page = design._repr_html_()
    assert page.endswith(f"{design.report()._repr_html_()}</details>")
    assert "<table" in page
    assert "A separator" in page
    assert design.report().title == "A separator"


@pytest.mark.parametrize(
    ("S", "T", "options", "message"),
    [
        (np.eye(3), np.eye(2), {}, "T needs 3 rows, (d, r). Got T (2, 2)."),
        ([1.0, 0.0], [[0.0], [1.0]], {}, "S needs 2 axes (d, p). Got S (2,). Add the missing axis: S[:, None]."),
        ([[0.0], [0.0]], [[1.0], [0.0]], {}, "S spans nothing: all its columns are 0."),
        (np.zeros((2, 0)), [[0.0], [1.0]], {}, "S is empty. Need S (d, p) with at least one row and one column. Got S (2, 0)."),
        ([[1.0], [0.0]], np.zeros((2, 0)), {}, "T is empty. Need T (d, r) with at least one row and one column. Got T (2, 0)."),
        ([[1.0], [math.nan]], [[0.0], [1.0]], {}, "S must be finite. Got nan in row 1, column 0."),
        ([[1.0], [0.0]], [[0.0], [math.inf]], {}, "T must be finite. Got inf in row 1, column 0."),
        ([[1.0], [0.0]], [[0.0], [1.0]], {"share": 0}, "share must be a positive finite number. Got 0."),
        ([[1.0], [0.0]], [[0.0], [1.0]], {"share": -1}, "share must be a positive finite number. Got -1."),
        ([[1.0], [0.0]], [[0.0], [1.0]], {"share": True}, "share must be a positive finite number. Got True."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(S: Any, T: Any, options: Any, message: str) -> None:
    with pytest.raises((regard.ParameterError, regard.ShapeError)) as caught:
        regard.design.separator(S, T, **options)
    assert str(caught.value) == f"design.separator: {message}"
