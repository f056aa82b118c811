"""Conditions that are necessary and sufficient, shown by algebra; and those that are not."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.damage import result, status
from regard.certify import Certificate, verify
from regard.certify.claims.algebra import separating_formulas
from regard.certify.claims.algebra.equivalences import claim
from regard.certify.claims.heads import added_multiples as multiples
from regard.certify.claims.random_keys import rms_exclusion
from regard.language import parse

EXACT = "s_j - log(sum(exp(s)) - exp(s_j)) >= log((1 - epsilon)/epsilon)"
RIGHT = [
    ("mass", EXACT, 6),
    ("output", EXACT, 6),
    ("mass", "log(exp(s_j)/sum(exp(s))) >= log(1 - epsilon)", 3),
    ("mass", "log(sum(exp(s)) - exp(s_j)) - s_j <= log(epsilon/(1 - epsilon))", 3),
    ("mass", "s_j - s_i >= log((1 - epsilon)/epsilon)", 2),
    ("pairwise", "s_j - s_i >= log(R)", 9),
    ("pairwise", "s_i + log(R) <= s_j", 9),
    ("aligned", "k_j' k_j > k_i' k_j", 4),
    ("aligned", "dot(k_j, k_i) < k_j' k_j", 4),
    ("dominable", "k_j' q > k_i' q", 4),
]
WRONG = [
    ("mass", EXACT.replace(">=", ">"), 6),
    ("mass", EXACT.replace(">=", "<="), 6),
    ("mass", f"{EXACT} + log(2)", 6),
    ("mass", EXACT.replace("- exp(s_j)", ""), 6),
    ("mass", "s_j - s_i >= log((1 - epsilon)/epsilon)", 3),
    ("mass", "s_j - s_i >= log((n - 1) (1 - epsilon)/epsilon)", 3),
    ("mass", "s_j >= s_j", 3),
    ("mass", "0 >= 0", 2),
    ("pairwise", "s_j - s_i >= log(2 R)", 9),
    ("pairwise", "s_j >= log(R)", 9),
    ("pairwise", EXACT, 9),
    ("aligned", "k_j' k_j >= k_i' k_j", 4),
    ("aligned", "k_j' k_j > k_i' k_i", 4),
    ("aligned", "k_j' k_j > 2 (k_i' k_j)", 4),
    ("aligned", "k_i' k_j > k_j' k_j", 4),
    ("dominable", "k_j' q > 0", 4),
    ("dominable", "k_j' k_j > k_i' k_j", 4),
]


def found(effect: str, condition: str, n: int) -> str:
    return status(claim(effect, condition, of="j", other="i", n=n), {})


@pytest.mark.parametrize(("effect", "condition", "n"), RIGHT)
def test_right_conditions_hold_and_nothing_was_tried(effect: str, condition: str, n: int) -> None:
    one = result(claim(effect, condition, of="j", other="i", n=n), {})
    assert one.status == "holds"
    assert one.tested == 0


@pytest.mark.parametrize(("effect", "condition", "n"), WRONG)
def test_others_do_not(effect: str, condition: str, n: int) -> None:
    assert found(effect, condition, n) == "undecided"


@pytest.mark.parametrize(("effect", "condition", "n"), [one for one in RIGHT if "s_j" in one[1]])
def test_what_holds_agrees_with_drawn_scores(effect: str, condition: str, n: int) -> None:
    rng = np.random.default_rng(n)
    seen = set()
    for _ in range(300):
        s = rng.normal(0, 3, n)
        epsilon, R = float(rng.uniform(0.01, 0.99)), float(np.exp(rng.normal()))
        weights = np.exp(s) / np.exp(s).sum()
        happens = weights[0] >= 1 - epsilon
        if effect == "pairwise":
            happens = all(weights[0] >= R * w for w in weights[1:])
        stated = all(
            parse(condition).evaluate(
                {"s": s, "s_j": s[0], "s_i": rival, "n": n, "epsilon": epsilon, "R": R}
            )
            for rival in s[1:]
        )
        assert stated == happens
        seen.add(bool(happens))
    assert seen == {True, False}


@pytest.mark.parametrize(
    "changes",
    [
        {"effect": "sum"},
        {"effect": None},
        {"condition": "s_j"},
        {"condition": "s_j >= s_i >= 0"},
        {"condition": 3},
        {"condition": "exp(s_j >= 1"},
        {"n": 1},
        {"n": 2.5},
        {"n": "many"},
        {"of": 3},
        {"other": "j"},
    ],
)
def test_what_cannot_be_read_is_undecided(changes: dict[str, Any]) -> None:
    fields = {"effect": "mass", "condition": EXACT, "of": "j", "other": "i", "n": 6, **changes}
    assert status(claim(**fields), {}) == "undecided"  # type: ignore[arg-type]


# ---------------------------------------------------------------- multiples of a vector

EYE = 3 * np.eye(4)  # u_a, u_b, u_c, u_d of length 3
TOKENS = np.array([EYE[3] + EYE[1], EYE[0], EYE[2] + EYE[1]])


def whole(direction: Any, leader: int, **more: Any) -> list[dict[str, Any]]:
    return [{"low": None, "high": None, "direction": direction, "leader": leader, **more}]


def reach(goal: Any, bound: float, pieces: Any, added: Any = EYE[3], **more: Any) -> str:
    stated = multiples.claim(1, 1, list(added), list(goal), bound, pieces=pieces, **more)
    return status(stated, {"tokens": TOKENS})


def nearest(goal: Any, added: Any, scale: float = 1.0) -> float:
    """The least distance over many factors, by trying them."""
    best = math.inf
    for t in np.concatenate([np.linspace(-6, 6, 4001), [-1e3, 1e3]]):
        tokens = TOKENS.copy()
        tokens[1] = tokens[1] + t * np.asarray(added)
        s = scale * tokens @ tokens[1]
        w = np.exp(s - s.max())
        best = min(best, float(np.linalg.norm(w / w.sum() @ tokens - goal)))
    return best


def test_a_goal_that_no_multiple_reaches() -> None:
    away = [1.0, -1.0, 0.0, 0.0]  # u_a and no u_b: at t = 0 the token sees itself
    away_from_b = [1.0, -0.5, 0.0, 0.0]
    for direction in (away, away_from_b):
        if reach(EYE[1], 0.03, whole(direction, 1)) == "holds":
            break
    else:
        pytest.fail("no direction shows it")
    assert nearest(EYE[1], EYE[3]) > 0.03
    least = nearest(EYE[1], EYE[3])
    assert reach(EYE[1], least * 1.001, whole(direction, 1)) != "holds"
    assert reach(EYE[1], 0.03, whole(direction, 1), larger=True) == "holds"
    for scale in (1.0, 2.0, 5.0):
        assert nearest(EYE[1], EYE[3], scale) > 0.03


def test_a_goal_that_is_reached_is_never_excluded() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        t = float(rng.normal())
        tokens = TOKENS.copy()
        tokens[1] = tokens[1] + t * EYE[3]
        s = tokens @ tokens[1]
        w = np.exp(s - s.max())
        goal = w / w.sum() @ tokens
        pieces = whole(rng.normal(size=4).tolist(), int(rng.integers(3)), across=True)
        assert reach(goal, 1e-9, pieces) != "holds"


def test_a_larger_scale_may_reach_what_this_one_does_not() -> None:
    # Token 1 starts ahead of token 0, at (2, -0.59), and passes the goal while it is.
    tokens = np.array([[1.0, 0.0], [2.0, -0.59]])
    added, goal, bound = [-1.0, -0.5], [1.5, -0.9], 0.3
    pieces = [
        {"low": None, "high": 0.0, "direction": [0.0, 1.0], "leader": 1},
        {"low": 0.0, "high": None, "direction": [0.0, 1.0], "leader": 0},
    ]

    def away(scale: float) -> float:
        found = []
        for t in np.linspace(-3, 3, 1201):
            moved = tokens + np.array([[0.0, 0.0], t * np.array(added)])
            s = scale * moved @ moved[0]
            w = np.exp(s - s.max())
            found.append(float(np.linalg.norm(w / w.sum() @ moved - goal)))
        return min(found)

    assert away(10.0) < bound < away(1.0)
    for larger, wanted in ((False, "holds"), (True, "undecided")):
        stated = multiples.claim(0, 1, added, goal, bound, pieces=pieces, larger=larger)
        assert status(stated, {"tokens": tokens}) == wanted


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [{"low": None, "high": 1.0, "direction": [1, 0, 0, 0], "leader": 1}],
        [{"low": 0.0, "high": None, "direction": [1, 0, 0, 0], "leader": 1}],
        whole([1.0, -1.0, 0.0], 1),
        whole([1.0, -1.0, 0.0, 0.0], 7),
        whole([math.nan] * 4, 1),
        ["everything"],
        None,
    ],
)
def test_pieces_that_do_not_cover_the_line_show_nothing(pieces: Any) -> None:
    stated = multiples.claim(1, 1, EYE[3].tolist(), EYE[1].tolist(), 0.03, pieces=[])
    stated.witness["pieces"] = pieces  # type: ignore[index]
    assert not verify(Certificate({"tokens": TOKENS}, (stated,))).holds


# ---------------------------------------------------------------- averages of the means

LINE = {"means": np.array([[-1.0], [0.0], [1.0]])}
ENDS = {"indices": [0, 2], "weights": [0.5, 0.5]}


def test_ends_of_a_line_cannot_share_what_the_middle_takes() -> None:
    # H(λ) - H(p) = ln 3 - ln 2, which is above ln(p/(p - ε)) for ε < 1/6.
    border = 1 / 6 / math.sqrt(2)
    thirds = [1, 1, 1]
    assert status(rms_exclusion.claim(ENDS, border * 0.999, average=thirds), LINE) == "holds"
    assert status(rms_exclusion.claim(ENDS, border * 1.001, average=thirds), LINE) == "undecided"
    assert status(rms_exclusion.claim(ENDS, 0.01, average=[1, 0, 1]), LINE) == "undecided"
    assert status(rms_exclusion.claim(ENDS, 0.01, average=[1, 1, 2]), LINE) == "undecided"
    assert status(rms_exclusion.claim(ENDS, 0.01, average=[1, -1, 1]), LINE) == "undecided"


def test_no_drawn_query_comes_nearer_than_is_excluded() -> None:
    rng = np.random.default_rng(8)
    border = 1 / 6 / math.sqrt(2)
    for _ in range(60):
        spread = 10 ** rng.uniform(-3, 0.5, 3)
        q = rng.normal() * 10 ** rng.uniform(-1, 1.5)
        keys = np.array([-1.0, 0.0, 1.0]) + spread * rng.standard_normal((20_000, 3))
        s = q * keys
        w = np.exp(s - s.max(axis=1, keepdims=True))
        w /= w.sum(axis=1, keepdims=True)
        rms = float(np.sqrt(np.mean(np.sum((w - [0.5, 0, 0.5]) ** 2, axis=1))))
        assert rms > border


# ---------------------------------------------------------------- formulas for projections

OBLIQUE = "S (S' S - S' T (T' T)^-1 T' S)^-1 (S' - S' T (T' T)^-1 T')"


@pytest.mark.parametrize(
    ("formula", "share", "orthogonal", "orthonormal", "wanted"),
    [
        ("2 S (S' S)^-1 S'", 0.5, True, False, "holds"),
        ("S S' / 0.25", 0.25, True, True, "holds"),
        (OBLIQUE, 1.0, False, False, "holds"),
        (f"3 {OBLIQUE}", 1 / 3, False, False, "undecided"),  # 1/3 is no float
        (f"10/3 {OBLIQUE}", "3/10", False, False, "holds"),
        (f"4 {OBLIQUE}", 0.25, True, True, "holds"),
        ("2 S S'", 0.5, True, False, "undecided"),
        ("2 S (S' S)^-1 S'", 0.5, False, False, "undecided"),
        ("S (S' S)^-1 S'", 0.5, True, False, "undecided"),
        ("2 T (T' T)^-1 T'", 0.5, True, False, "undecided"),
        ("2 S (S' S)^-1 T'", 0.5, True, False, "undecided"),
        ("2 S (S' T)^-1 S'", 0.5, True, False, "undecided"),
        ("pinv(S)", 1.0, True, True, "undecided"),
        ("2", 0.5, True, True, "undecided"),
    ],
)
def test_what_the_rules_for_matrices_show(
    formula: str, share: Any, orthogonal: bool, orthonormal: bool, wanted: str
) -> None:
    options = {"keep": "S", "drop": "T", "orthogonal": orthogonal, "orthonormal": orthonormal}
    stated = separating_formulas.claim(formula, share, **options)
    assert status(stated, {}) == wanted
    if wanted != "holds":
        return
    rng = np.random.default_rng(3)
    S, T = rng.normal(size=(7, 2)), rng.normal(size=(7, 3))
    S = np.linalg.qr(S)[0] if orthonormal else S
    T = T - S @ np.linalg.pinv(S) @ T if orthogonal else T
    M = np.asarray(parse(formula).evaluate({"S": S, "T": T}))
    np.testing.assert_allclose(M @ S, S / float(Fraction(share)), atol=1e-9)
    np.testing.assert_allclose(M @ T, 0, atol=1e-9)
