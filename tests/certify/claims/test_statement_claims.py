"""Claims about ranks, inequalities and positions: what holds, what fails, and damaged witnesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard.certify import Certificate, Claim, verify
from regard.certify.claims.algebra import comparisons, rank_bounds
from regard.certify.claims.positions import equal_positions

SHAPES: dict[str, Any] = {
    "X": ["N", "D"], "Q": ["D", "K"], "R": ["D", "K"], "P": ["N", "N"], "c": [], "N": [], "D": [], "K": [],
}  # fmt: skip
FIELDS = {"shapes": SHAPES, "where": {"B": "Q R'"}, "permutations": ["P"], "positive": ["c"]}


def status(claim: Claim) -> str:
    (found,) = verify(Certificate({}, (claim,))).claims
    return found.status


def numbers(n: int = 4, d: int = 3, k: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(4)
    x, q, r = (rng.integers(-2, 3, shape).tolist() for shape in ((n, d), (d, k), (d, k)))
    order = np.eye(n)[::-1].tolist()
    return {"X": x, "Q": q, "R": r, "P": order, "c": 2, "N": n, "D": d, "K": k}


@pytest.mark.parametrize(
    ("formula", "bound"),
    [
        ("Q R'", "K"),
        ("B", "K"),
        ("X B X'", "min(K, N, D)"),
        ("3 B / c - c B", "2 K"),
        ("(X B X') ⊙ (X B X')", "K^2"),
        ("outer(row(ones(2, 3), 1), ones(2))", "1"),
        ("hstack(ones(2, 1), ones(2, 1)) ones(2, 5)", "2"),
        ("softmax(X)", "min(N, D)"),
        ("P X", "N + D"),
    ],
)
def test_a_rank_is_bounded_by_the_sizes_of_factors(formula: str, bound: str) -> None:
    assert status(rank_bounds.claim(formula, bound, FIELDS)) == "holds"


@pytest.mark.parametrize(
    ("formula", "bound"),
    [
        ("3 B", "1"),
        ("c B + B", "K"),
        ("softmax(X B X')", "K"),
        ("P", "K"),
        ("B", "c"),
        ("B", "K - 1"),
    ],
)
def test_what_the_sizes_do_not_show_is_not_proved(formula: str, bound: str) -> None:
    assert status(rank_bounds.claim(formula, bound, FIELDS)) == "undecided"


def test_a_witness_shows_that_softmax_raises_the_rank() -> None:
    there = numbers()
    assert status(rank_bounds.refutation("softmax(X B X')", "K", FIELDS, there)) == "holds"
    assert status(rank_bounds.refutation("X B X'", "K", FIELDS, there)) == "undecided"
    assert np.linalg.matrix_rank(np.array(there["X"]) @ np.array(there["Q"])) == 1


@pytest.mark.parametrize(
    "damage",
    [
        {"P": np.ones((4, 4)).tolist()},
        {"P": (2 * np.eye(4)).tolist()},
        {"c": -1},
        {"K": 0},
        {"N": 5},
        {"X": [[1, 2, 3]]},
        {"Q": [[1], [2]]},
        {"X": "X"},
    ],
)
def test_a_damaged_witness_shows_nothing(damage: dict[str, Any]) -> None:
    claim = rank_bounds.refutation("softmax(c X B X' P)", "K", FIELDS, {**numbers(), **damage})
    assert status(rank_bounds.refutation("softmax(c X B X' P)", "K", FIELDS, numbers())) == "holds"
    assert status(claim) == "undecided"


def test_inequalities_hold_by_signs_and_fail_by_numbers() -> None:
    plain = {"shapes": {"x": ["N"], "c": []}, "where": {}, "positive": ["c"]}
    assert status(comparisons.claim("norm(x)^2", "0", False, plain)) == "holds"
    assert status(comparisons.claim("norm(x)^2", "0", True, plain)) == "undecided"
    assert status(comparisons.claim("c + norm(x)^2", "0", True, plain)) == "holds"
    stated = comparisons.claim("norm(x)^2", "0", True, plain)
    assert status(comparisons.refutation(stated, {"x": [0, 0], "c": 1})) == "holds"
    assert status(comparisons.refutation(stated, {"x": [0, 1], "c": 1})) == "undecided"
    wrong = comparisons.claim("x", "-c ones(2)", False, {**plain, "shapes": {"x": [2], "c": []}})
    assert status(comparisons.refutation(wrong, {"x": [0, -3], "c": 2})) == "holds"
    assert status(comparisons.refutation(wrong, {"x": [0, -3], "c": -2})) == "undecided"
    assert status(comparisons.refutation(wrong, {"x": [0, -1], "c": 2})) == "undecided"


@pytest.mark.parametrize(
    ("kind", "d_model", "base", "over", "period", "expected"),
    [
        ("positions_differ", 2, 10000, "integers", None, "holds"),
        ("positions_differ", 512, 10000, "integers", None, "holds"),
        ("positions_differ", 2, 10000, "reals", None, "fails"),
        ("positions_differ", 4, 10000, "reals", None, "fails"),  # 10000^(1/2) = 100
        ("positions_differ", 6, 10000, "reals", None, "holds"),  # 10000^(1/3) is irrational
        ("positions_differ", 8, 10000, "reals", None, "fails"),  # 10000^(1/4) = 10
        ("positions_share", 2, 10000, "reals", 1, "holds"),
        ("positions_share", 4, 10000, "reals", 100, "holds"),
        ("positions_share", 8, 10000, "reals", 1000, "holds"),
        ("positions_share", 8, 10000, "reals", 100, "fails"),
        ("positions_share", 4, 10000, "integers", 100, "fails"),
        ("positions_differ", 3, 10000, "integers", None, "undecided"),
        ("positions_differ", 4, 10000, "primes", None, "undecided"),
        ("positions_share", 4, 10000, "reals", 0, "undecided"),
    ],
)
def test_positions_share_a_row_only_over_a_common_period(
    kind: str, d_model: int, base: int, over: str, period: int | None, expected: str
) -> None:
    assert status(equal_positions.claim(kind, d_model, base, over, period)) == expected


def test_a_counterexample_with_a_permutation_that_is_none_shows_nothing() -> None:
    fields: dict[str, Any] = {
        "left": "P' P X", "right": "X", "shapes": {"P": ["N", "N"], "X": ["N"]}, "where": {}, "indexed": {},
        "at": [], "sum_over": None, "sizes": [{"N": 2}], "permutations": ["P"],
    }  # fmt: skip
    doubled = Claim("identity_fails", fields, {"values": {"P": [[2, 0], [0, 1]], "X": [1, 1]}})
    assert status(doubled) == "undecided"
    free = {**fields, "permutations": []}
    assert status(Claim("identity_fails", free, doubled.witness)) == "holds"
