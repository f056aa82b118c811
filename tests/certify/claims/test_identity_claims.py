"""Formulas that agree for all matrices, and those that only look alike."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, fraction, result, status
from regard.certify import Certificate, Claim, verify
from regard.certify.claims.algebra.identities import claim
from regard.certify.claims.worked_examples import distribution
from regard.certify.formulas import degrees, stated_identity
from regard.language import parse

X: dict[str, list[int | str]] = {"X": ["N", "D"], "W_Q": ["D", "K"], "W_K": ["D", "K"]}
PROJECTED = {"Q": "X W_Q", "K": "X W_K"}
AV: dict[str, list[int | str]] = {"A": ["N", "P"], "V": ["P", "M"]}


def holds(*given: Any, **options: Any) -> str:
    return status(claim(*given, **options), {})


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (("Q K'", "X W_Q W_K' X'", X), {"where": PROJECTED}),
        (("(A B)'", "B' A'", {"A": ["N", "M"], "B": ["M", "P"]}), {}),
        (("X W_Q", "W_Q' x_i", X), {"indexed": {"x_i": ["X", "i"]}, "at": ["i"]}),
        (("X W_Q", "x_i' W_Q", X), {"indexed": {"x_i": ["X", "i"]}, "at": ["i"]}),
        (
            ("Q K'", "q_i' k_j", X),
            {
                "where": PROJECTED,
                "indexed": {"q_i": ["Q", "i"], "k_j": ["K", "j"]},
                "at": ["i", "j"],
            },
        ),
        (
            ("A V", "a_ij v_j", AV),
            {"indexed": {"a_ij": ["A", "i", "j"], "v_j": ["V", "j"]}, "at": ["i"], "sum_over": "j"},
        ),
        (
            ("A V", "a_ij v_jm", AV),
            {
                "indexed": {"a_ij": ["A", "i", "j"], "v_jm": ["V", "j", "m"]},
                "at": ["i", "m"],
                "sum_over": "j",
            },
        ),
        (("(u v') w", "dot(v, w) u", {"u": ["N"], "v": ["M"], "w": ["M"]}), {}),
        (("tr(A B)", "tr(B A)", {"A": ["N", "M"], "B": ["M", "N"]}), {}),
        (("sum(u v')", "sum(u) sum(v)", {"u": ["N"], "v": ["M"]}), {}),
        (("1/2 (u + v)", "(u + v)/2", {"u": ["N"], "v": ["N"]}), {}),
        (("u/s + v/t", "(t u + s v)/(s t)", {"u": ["N"], "v": ["N"], "s": [], "t": []}), {}),
        (("0.1 u", "u/10", {"u": ["N"]}), {}),
        (
            ("softmax(Q K') V", "softmax(X W_Q W_K' X') V", {**X, "V": ["N", "M"]}),
            {"where": PROJECTED},
        ),
        (("A^3", "A A A", {"A": ["N", "N"]}), {}),
        (("M (I - M)", "M - M^2", {"M": ["N", "N"]}), {"sizes": [{"N": 2}, {"N": 5}]}),
        (("(A B)^-1", "B^-1 A^-1", {"A": ["N", "N"], "B": ["N", "N"]}), {"sizes": [{"N": 2}]}),
        (
            ("(A B)^-1", "B^-1 A^-1", {"A": ["N", "N"], "B": ["N", "N"]}),
            {"sizes": [{"N": 3}], "chance": 1e-30},
        ),
        (("[a, b]' [a, b]", "a^2 + b^2", {"a": [], "b": []}), {}),
    ],
)
def test_true_identities_hold(given: Any, options: dict[str, Any]) -> None:
    assert holds(*given, **options) == "holds"


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (("Q K'", "X W_K W_Q' X'", X), {"where": PROJECTED}),  # transposed
        (("X W_Q", "X W_K", X), {}),
        (
            ("A V", "a_ji v_j", {"A": ["N", "N"], "V": ["N", "M"]}),
            {"indexed": {"a_ji": ["A", "j", "i"], "v_j": ["V", "j"]}, "at": ["i"], "sum_over": "j"},
        ),
        (("(A + B)^2", "A^2 + 2 A B + B^2", {"A": ["N", "N"], "B": ["N", "N"]}), {}),
        (("u v'", "v u'", {"u": ["N"], "v": ["N"]}), {}),
        (("0.1 u", "0.1000000001 u", {"u": ["N"]}), {}),
        (("s", "s + 1", {"s": []}), {}),
        (("A B", "B A", {"A": ["N", "N"], "B": ["N", "N"]}), {"sizes": [{"N": 1}, {"N": 2}]}),
        # Right where A has one row or two, and wrong with more.
        (
            ("A^2 - tr(A) A", "-1/2 (tr(A)^2 - tr(A A)) I", {"A": ["N", "N"]}),
            {"sizes": [{"N": 2}, {"N": 3}]},
        ),
    ],
)
def test_false_identities_fail(given: Any, options: dict[str, Any]) -> None:
    assert holds(*given, **options) == "fails"


def test_a_matrix_of_two_rows_is_a_root_of_its_polynomial() -> None:
    shapes = {"A": ["N", "N"]}
    sides = ("A^2 - tr(A) A", "-1/2 (tr(A)^2 - tr(A A)) I", shapes)
    assert holds(*sides, sizes=[{"N": 2}]) == "holds"
    assert holds("A B", "B A", {"A": ["N", "N"], "B": ["N", "N"]}, sizes=[{"N": 1}]) == "holds"


def test_an_identity_of_small_matrices_is_not_one_of_all() -> None:
    # The standard polynomial of degree 4 vanishes on matrices of two rows (Amitsur and Levitzki).
    names = "ABCD"
    terms = []
    for order in itertools.permutations(range(4)):
        turns = sum(a > b for a, b in itertools.combinations(order, 2))
        terms.append(("-" if turns % 2 else "+") + " " + " ".join(names[i] for i in order))
    left, right = " ".join(terms[:12])[2:], "-(" + " ".join(terms[12:]).lstrip("+ ") + ")"
    shapes = {name: ["N", "N"] for name in names}
    assert holds(left, right, shapes, sizes=[{"N": 2}]) == "holds"
    assert holds(left, right, shapes, sizes=[{"N": 3}]) == "fails"
    assert holds(left, right, shapes) == "fails"


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (("X", "W_Q", X), {}),  # shapes
        (("X W_Q W_K'", "Y", X), {}),
        (("X W_Q", "X W_Q", {}), {}),
        (("X W_Q +", "X W_Q", X), {}),
        (("X W_Q < X W_Q", "X W_Q = X W_Q", X), {}),
        ((3, "X W_Q", X), {}),
        (("(A B)^-1", "B^-1 A^-1", {"A": ["N", "N"], "B": ["N", "N"]}), {}),
        (("P X", "P X", {"P": ["N", "M"], "X": ["M"]}), {"permutations": ["P"]}),  # not square
        (("c", "c", {"c": ["N"]}), {"positive": ["c"]}),  # no number
        (("P X", "P X", {"P": [3, 3], "X": [3]}), {"permutations": ["P"], "chance": 1e-30}),
        (("I X", "X", {"X": ["N", "D"]}), {"chance": 1e-30}),  # a test for all sizes knows no I
        (("X", "X", {"X": ["N", "D"]}), {"sizes": []}),
        (("X", "X", {"X": ["N", "D"]}), {"sizes": [{"N": 2}]}),
        (("X", "X", {"X": ["N", "D"]}), {"sizes": [{"N": 2, "D": 0}]}),
        (("X", "X", {"X": ["N", "D"]}), {"sizes": [{"N": 2, "D": 10**6}]}),
        (("X", "X", {"X": ["N", "D"]}), {"chance": -1}),
        (("X", "X", {"X": ["N", "D"]}), {"chance": 1e-60}),
        (("X", "X", {"X": ["N", "D"]}), {"where": {"X": "X"}}),
        (("X", "x_i", {"X": ["N", "D"]}), {"indexed": {"x_i": ["X", "i"]}}),
        (("X", "x_i", {"X": ["N", "D"]}), {"indexed": {"x_i": ["Y", "i"]}, "at": ["i"]}),
        (("X", "x_i", {"X": ["N", "D"]}), {"indexed": {"x_i": ["X", "i"]}, "at": ["i", "i"]}),
        (
            ("X", "x_i", {"X": ["N", "D"]}),
            {"indexed": {"x_i": ["X", "i"]}, "at": ["i"], "sum_over": "j"},
        ),
        (
            ("s", "a_ii", {"A": ["N", "P"], "s": []}),  # i is a row and a column
            {"indexed": {"a_ii": ["A", "i", "i"]}, "sum_over": "i"},
        ),
        (("1/(s - s)", "1/(s - s)", {"s": []}), {}),
        (("norm(u)^2", "u' u", {"u": ["N"]}), {"chance": 1e-30}),  # more than algebra
        (("(((A^64)^64)^64)^64", "(((A^64)^64)^64)^64", {"A": ["N", "N"]}), {"sizes": [{"N": 40}]}),
        (("(((s^64)^64)^64)^64", "(((s^64)^64)^64)^64", {"s": []}), {"chance": 1e-30}),
    ],
)
def test_what_cannot_be_tested_is_undecided(given: Any, options: dict[str, Any]) -> None:
    assert holds(*given, **options) == "undecided"


def test_an_unknown_function_of_different_arguments_is_not_assumed_to_agree() -> None:
    for left, right, shapes in (
        ("softmax(A)", "softmax(A')", {"A": ["N", "N"]}),
        ("softmax(u)", "exp(u)", {"u": ["N"]}),
    ):
        assert holds(left, right, shapes, chance=1e-30) == "undecided"
        assert holds(left, right, shapes) == "fails"  # written out, with numbers that show it
    assert holds("erf(s + t)", "erf(s) + erf(t) - erf(s) erf(t)", {"s": [], "t": []}) == "fails"
    # Where s is negative one side is not defined and the other is.
    assert holds("sqrt(s) sqrt(s)", "s", {"s": []}) == "undecided"


def test_the_numbers_that_are_drawn_depend_on_every_letter_of_the_claim() -> None:
    seen = {stated_identity._drawn(seed, "X", (2,)).entries for seed in ("a", "b")}
    assert len(seen) == 2
    assert all(0 <= entry < 2**127 for entries in seen for entry in entries)


@pytest.mark.parametrize(
    ("text", "above", "below", "inside"),
    [
        ("X W_Q W_K' X'", 4, 0, 0),
        ("u/s + v/t", 2, 2, 0),
        ("A^-1", 2, 3, 0),  # three rows: entries of the adjugate, over the determinant
        ("(A/s)^-2", 2 * (1 + 2), 2 * 3, 0),
        ("softmax(A B) C", 2, 0, 2),
        ("(s^2 + 1)^3 - 7", 6, 0, 0),
        ("[s, t^2, 1/s]", 2 + 1, 1, 0),
        ("dot(u, v) tr(A B) outer(u, v)", 6, 0, 0),
        ("s^(1/2) s", 2, 0, 0),
    ],
)
def test_degrees_are_those_of_pencil_and_paper(
    text: str, above: int, below: int, inside: int
) -> None:
    tree = parse(text).tree
    known = {name: degrees.Degree(1, 0) for name in parse(text).names}
    assert degrees.degree(tree, known, 3) == ((above, below), inside)


def test_sentences_are_readable() -> None:
    indexed = {"a_ij": ["A", "i", "j"], "v_j": ["V", "j"]}
    options: dict[str, Any] = {"indexed": indexed, "at": ["i"], "sum_over": "j"}
    found = result(claim("A V", "a_ij v_j", AV, **options), {})
    said = "row i of A V equals the sum of a_ij v_j over j for all i for matrices of all sizes"
    assert found.statement == said
    assert found.reason == "Written out in symbols, both sides are the same sum of one term."
    found = result(claim("A V", "a_ij v_j", AV, **options, chance=1e-30), {})
    assert found.statement == (
        f"{said} (tested at drawn numbers: a wrong identity would pass with a chance below 1e-30)"
    )
    assert found.reason == "A wrong identity would pass with a chance of 2.35099e-38."
    found = result(claim("X W_Q", "X W_K", X, sizes=[{"N": 2, "D": 3, "K": 5}], chance=1e-30), {})
    assert found.reason == "They differ for drawn matrices with D = 3, K = 5, N = 2."


def judge(certificate: Data) -> bool:
    """Judge by floats, for matrices with sizes that are all different."""
    (stated,) = certificate["claims"]
    if type(stated["chance"]) not in (int, float) or not 0 <= stated["chance"] < math.inf:
        raise Meaningless
    symbols = sorted({size for shape in stated["shapes"].values() for size in shape} - {1, 2, 3})
    every = [dict(zip(symbols, (3, 2, 5, 7, 4), strict=False))]
    for sizes in every if stated["sizes"] is None else stated["sizes"]:
        if not set(symbols) <= set(sizes):
            raise Meaningless
        rng = np.random.default_rng(5)
        values: dict[str, Any] = {}
        for name, shape in stated["shapes"].items():
            whole = [sizes.get(size, size) for size in shape]
            values[name] = rng.normal(size=[int(size) for size in whole if size == int(size)])
        for name, text in stated["where"].items():
            values[name] = parse(text).evaluate(values)
        left = parse(stated["left"]).evaluate(values)
        at, over = list(stated["at"]), stated["sum_over"]
        ranges = dict(zip(at, np.shape(left), strict=False))
        for of, *letters in stated["indexed"].values():
            ranges |= dict(zip(letters, np.shape(values[of]), strict=False))
        if len(set(at)) != len(at) or set(ranges) != {*at, *([over] if over else [])}:
            raise Meaningless
        for place in itertools.product(*(range(ranges[letter]) for letter in at)):
            total: Any = 0
            for term in range(ranges[over]) if over else [0]:
                spot = {**dict(zip(at, place, strict=True)), over: term}
                for name, (of, *letters) in stated["indexed"].items():
                    values[name] = values[of][tuple(spot[letter] for letter in letters)]
                total = total + parse(stated["right"]).evaluate(values)
            if np.shape(total) != np.shape(left[place]):
                raise Meaningless
            if not np.allclose(total, left[place]):
                return False
    return True


@pytest.mark.parametrize(
    "good",
    [
        claim(
            "Q K'",
            "q_i' k_j",
            X,
            where=PROJECTED,
            indexed={"q_i": ["Q", "i"], "k_j": ["K", "j"]},
            at=["i", "j"],
        ),
        claim(
            "A V",
            "a_ij v_j",
            {"A": ["N", "N"], "V": ["N", "N"]},
            indexed={"a_ij": ["A", "i", "j"], "v_j": ["V", "j"]},
            at=["i"],
            sum_over="j",
        ),
        claim("u + v", "v + u", {"u": ["N"], "v": ["N"]}, sizes=[{"N": 2}, {"N": 3}]),
    ],
)
def test_damage_to_an_identity_is_seen(good: Any) -> None:
    assert_damage_is_seen(data(good, {}), judge, least=0)


class TestDistribution:
    def test_weights_are_above_0_and_sum_to_1(self) -> None:
        scores = {"scores": [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1e4, 0.0, -1e4]]}
        assert status(distribution.claim(), scores) == "holds"
        assert status(distribution.claim(0.0), {"scores": [[0.0, 0.0]]}) == "holds"
        assert status(distribution.claim(), {"scores": [[5.0]]}) == "holds"

    def test_a_weight_below_all_floats_is_above_0(self) -> None:
        assert status(distribution.claim(), {"scores": [[1e300, -1e300]]}) == "holds"

    def test_a_sum_of_thirds_is_1_only_within_a_bound(self) -> None:
        assert status(distribution.claim(0.0), {"scores": [[0.0, 0.0, 0.0]]}) == "undecided"

    def test_without_scores_nothing_is_claimed(self) -> None:
        assert status(distribution.claim(), {}) == "undecided"
        assert status(distribution.claim(), {"scores": [[], []]}) == "undecided"
        assert status(distribution.claim(-1.0), {"scores": [[1.0]]}) == "undecided"

    def test_damage_is_seen(self) -> None:
        def judge(certificate: Data) -> bool:
            bound = certificate["claims"][0]["bound"]
            if isinstance(bound, str) or fraction(bound) < 0 or not certificate["arrays"]["scores"]:
                raise Meaningless
            return True

        certificate = data(distribution.claim(1e-20), {"scores": [[1.0, 2.5], [0.25, -7.0]]})
        assert_damage_is_seen(certificate, judge, least=0)


def test_what_a_counterexample_gives_is_told_apart_from_the_sentence() -> None:
    fields = {**claim("a + a", "a", {"a": []}).fields, "sizes": [{}]}
    fields.pop("chance", None)
    (found,) = verify(
        Certificate({}, (Claim("identity_fails", fields, {"values": {"a": 3}}),))
    ).claims
    assert (found.status, found.there) == ("holds", "6.00000 on the left and 3.00000 on the right")
    assert found.reason == "There it is 6.00000 on the left and 3.00000 on the right."
