"""The numbers of worked examples: exact ones to the last bit, others within their bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, fraction, result, status
from regard.certify.claims.worked_examples.computed import claim

# The worked example of 002_3bdb44851b502ebf.
EXAMPLE = {
    "tokens": [[2, 3], [-1, 0], [1, -2]],
    "W_Q": [[1, 0, 2], [0, 1, -3]],
    "W_K": [[0, 0, -1], [-2, 0, 1]],
    "W_V": [[8, 0], [0, 9]],
}
QUERIES = [[2, 3, -5], [-1, 0, -2], [1, -2, 8]]
KEYS = [[-6, 0, 1], [0, 0, 1], [4, 0, -3]]
VALUES = [[16, 27], [-8, 0], [8, -18]]
PRODUCTS = [[-17, -5, 23], [4, -2, 2], [2, 8, -20]]


def weights_of(scores: list[Any]) -> list[Any]:
    terms = [mpmath.exp(score) for score in scores]
    return [term / sum(terms) for term in terms]


@pytest.mark.parametrize(
    ("quantity", "entries"),
    [
        ("queries", QUERIES),
        ("keys", KEYS),
        ("values", VALUES),
        ("products", PRODUCTS),
        ("scores", PRODUCTS),
    ],
)
def test_the_worked_example_is_exact(quantity: str, entries: list[list[int]]) -> None:
    assert status(claim(quantity, entries), EXAMPLE) == "holds"
    for i, row in enumerate(entries):
        assert status(claim(quantity, row, row=i), EXAMPLE) == "holds"
        off = [*row[:-1], math.nextafter(row[-1], math.inf)]
        assert status(claim(quantity, off, row=i), EXAMPLE) == "fails"
        assert status(claim(quantity, row, row=(i + 1) % 3), EXAMPLE) == "fails"


def test_the_printed_second_query_is_wrong() -> None:
    assert status(claim("queries", [-1, 0, 2], row=1), EXAMPLE) == "fails"


def test_the_same_follows_from_queries_keys_and_values() -> None:
    arrays = {"queries": QUERIES, "keys": KEYS, "values": VALUES}
    assert status(claim("products", PRODUCTS), arrays) == "holds"
    assert status(claim("keys", KEYS), arrays) == "holds"
    good = claim("outputs", [-7.9406570, 0.0667608], row=2, bound=1e-7)
    assert status(good, arrays) == "holds"
    assert status(claim("products", QUERIES), arrays) == "fails"


@pytest.mark.parametrize("i", range(3))
def test_weights_and_outputs_are_decided_at_their_bound(i: int) -> None:
    with mpmath.workdps(40):
        weights = weights_of([mpmath.mpf(x) for x in PRODUCTS[i]])
        outputs = [sum(w * v[c] for w, v in zip(weights, VALUES, strict=True)) for c in range(2)]
        for quantity, right in (("weights", weights), ("outputs", outputs)):
            stated = [float(x) + 1e-5 * (c == 1) for c, x in enumerate(right)]
            off = float(max(abs(x - y) for x, y in zip(stated, right, strict=True)))
            near, far = off * (1 + 1e-9), off * (1 - 1e-9)
            assert status(claim(quantity, stated, row=i, bound=near), EXAMPLE) == "holds"
            assert status(claim(quantity, stated, row=i, bound=far), EXAMPLE) == "fails"


def test_a_scale_with_a_root_is_not_rounded() -> None:
    arrays = {"queries": [[1.0]], "keys": [[1.0], [2.0]]}
    root = 0.7071067811865476  # a little more than 1/√2, by 4.8e-17
    assert (
        status(claim("scores", [root], row=0, root=2, bound=1e-16), {**arrays, "keys": [[1.0]]})
        == "holds"
    )
    exact = claim("scores", [[root, 2 * root]], root=2)
    assert status(exact, arrays) == "fails"
    assert status(claim("scores", [["1/2", 1]], root=4), arrays) == "holds"
    assert status(claim("scores", [["3/2", 3]], root=4), arrays, scale=3.0) == "holds"


def test_thirds_are_exact() -> None:
    arrays = {"tokens": [[1, 2]], "W_Q": [[1], [5]], "W_K": [[2], [0]], "W_V": [[1, 1], [0, 1]]}
    over = {"tokens": 3, "W_Q": 7}
    assert status(claim("queries", [["11/21"]], over=over), arrays) == "holds"
    assert status(claim("queries", [[Fraction(11, 21)]], over=over), arrays) == "holds"
    assert status(claim("queries", [[11 / 21]], over=over), arrays) == "fails"
    assert status(claim("products", [["22/63"]], over=over), arrays) == "holds"
    assert status(claim("values", [["1/3", 1]], over=over), arrays) == "holds"
    assert status(claim("weights", [[1]]), arrays) == "holds"


def test_a_mask_takes_keys_away() -> None:
    arrays: dict[str, Any] = {
        "queries": [[0.0], [1.0], [1.0]],
        "keys": [[1.0], [0.0]],
        "values": [[3.0], [5.0]],
        "mask": [[1, 0], [1, 1], [0, 0]],
    }
    assert status(claim("outputs", [3], row=0), arrays) == "holds"
    assert status(claim("weights", [0, 0], row=2), arrays) == "holds"
    first = math.e / (1 + math.e)
    assert status(claim("weights", [first, 1 - first], row=1, bound=1e-15), arrays) == "holds"
    assert (
        status(claim("weights", [1, 0], row=0), {**arrays, "mask": [[2, 0], [1, 1], [0, 0]]})
        == "undecided"
    )
    assert status(claim("weights", [1, 0], row=0), {**arrays, "mask": [[1, 0]]}) == "undecided"


def test_scores_far_beyond_what_exp_can_hold_in_a_float() -> None:
    arrays = {"queries": [[1000.0]], "keys": [[1.0], [0.0]], "values": [[1.0], [0.0]]}
    assert status(claim("weights", [[1, 0]], bound=1e-300), arrays) == "holds"
    assert status(claim("weights", [[1, 0]]), arrays) == "fails"


@pytest.mark.parametrize(
    "wrong",
    [
        claim("logits", PRODUCTS),
        claim("products", PRODUCTS[:2]),
        claim("products", [row[:2] for row in PRODUCTS]),
        claim("products", PRODUCTS, bound=-1),
        claim("products", PRODUCTS, bound=math.nan),
        claim("products", PRODUCTS, root=0),
        claim("products", PRODUCTS, root=2.5),
        claim("products", PRODUCTS, over={"tokens": 0}),
        claim("products", PRODUCTS, over={"keys": 2}),
        claim("products", PRODUCTS[0], row=3),
        claim("products", PRODUCTS[0], row=-1),
        claim("products", [], row=0),
        claim("products", []),
        claim("products", [[True, -5, 23], *PRODUCTS[1:]]),
    ],
)
def test_what_cannot_be_read_is_undecided(wrong: Any) -> None:
    assert status(wrong, EXAMPLE) == "undecided"


def test_arrays_that_do_not_fit_leave_it_undecided() -> None:
    good = claim("products", PRODUCTS)
    assert status(good, {**EXAMPLE, "W_K": [[1, 2, 3]]}) == "undecided"
    assert status(good, {**EXAMPLE, "W_K": [[1], [2]]}) == "undecided"
    assert status(good, {name: a for name, a in EXAMPLE.items() if name != "W_Q"}) == "undecided"


def test_sentences_are_readable() -> None:
    assert result(claim("keys", [4, 0, -3], row=2), EXAMPLE).statement == (
        "row 2 of the keys (counted from 0) is (4, 0, -3), exactly"
    )
    found = result(claim("weights", [0.88, 0.002, 0.118], row=1, bound=1e-3), EXAMPLE)
    assert (
        found.statement
        == "row 1 of the attention weights (counted from 0) is (0.88, 0.002, 0.118), within 0.001"
    )
    assert (
        found.reason == "The largest difference is 0.00112176."
    )  # e⁴/(e⁴ + e⁻² + e²) is 0.878878…


# What is true of a damaged claim


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def _product(left: list[Any], right: list[Any]) -> list[Any]:
    if len(left[0]) != len(right):
        raise Meaningless
    return [
        [
            sum(a * b for a, b in zip(row, column, strict=True))
            for column in zip(*right, strict=True)
        ]
        for row in left
    ]


def judge(certificate: Data) -> bool:
    (stated,) = certificate["claims"]
    over = stated.get("over") or {}
    for name, value in over.items():
        if name not in certificate["arrays"] or fraction(value) <= 0 or fraction(value) % 1:
            raise Meaningless
    root = fraction(stated.get("root", 1))
    if root <= 0 or root % 1:
        raise Meaningless

    def array(name: str) -> list[Any]:
        rows = certificate["arrays"][name]
        divisor = fraction(over.get(name, 1))
        return [[fraction(x) / divisor for x in row] for row in rows]

    def projected(name: str, matrix: str) -> list[Any]:
        if "tokens" not in certificate["arrays"]:
            return array(name)
        return _product(array("tokens"), array(matrix))

    def quantity(name: str) -> list[Any]:
        if name in ("queries", "keys", "values"):
            return projected(
                name, "W_" + name[0].replace("q", "Q").replace("k", "K").replace("v", "V")
            )
        if name == "outputs":
            return _product(quantity("weights"), quantity("values"))
        keys = [list(column) for column in zip(*quantity("keys"), strict=True)]
        products = _product(quantity("queries"), keys)
        if name == "products":
            return products
        factor = mpmath.mpf(certificate.get("scale", 1.0)) / mpmath.sqrt(int(root))
        scores = [[factor * mp(x) for x in row] for row in products]
        if name == "scores":
            return scores
        # Of large scores only the differences count, which are exact.
        levels = [[factor * mp(x - max(row)) for x in row] for row in products]
        if name != "weights":
            raise Meaningless
        if "mask" not in certificate["arrays"]:
            return [weights_of(row) for row in levels]
        allowed = certificate["arrays"]["mask"]
        if [len(row) for row in allowed] != [len(row) for row in scores]:
            raise Meaningless
        rows = []
        for row, may in zip(levels, allowed, strict=True):
            if not set(may) <= {0, 1}:
                raise Meaningless
            found = iter(weights_of([x for x, yes in zip(row, may, strict=True) if yes]))
            rows.append([next(found) if yes else mpmath.mpf(0) for yes in may])
        return rows

    bound = stated["bound"]
    if isinstance(bound, str) or fraction(bound) < 0:
        raise Meaningless
    with mpmath.workdps(60):
        rows, entries = quantity(stated["quantity"]), stated["entries"]
        if stated["row"] is not None:
            if isinstance(stated["row"], str) or fraction(stated["row"]) % 1 or stated["row"] < 0:
                raise Meaningless
            rows, entries = [rows[int(stated["row"])]], [entries]
        if not entries or [len(row) for row in rows] != [len(row) for row in entries]:
            raise Meaningless
        values = [fraction(x) for row in entries for x in row]
        found = [mp(x) if isinstance(x, Fraction) else x for row in rows for x in row]
        apart = [abs(mp(x) - y) for x, y in zip(values, found, strict=True)]
        return bool(max(apart) <= mpmath.mpf(bound) + mpmath.mpf(10) ** -45)


@pytest.mark.parametrize(
    "certificate",
    [
        data(claim("queries", QUERIES), EXAMPLE),
        data(claim("scores", PRODUCTS[1], row=1), EXAMPLE),
        data(
            claim("scores", [["-17/6", "-5/6", "23/6"]], root=9, over={"queries": 2}),
            {"queries": [[2, 3, -5]], "keys": KEYS},
        ),
        data(
            claim("weights", [0.0024726232, 0.9975273768, 6.897e-13], row=2, bound=1e-10), EXAMPLE
        ),
        data(
            claim("outputs", [[-0.5, 2.0], [1.0, 3.0]], bound=2.5),
            {
                "queries": [[1.0, 2.0], [0.5, -1.0]],
                "keys": [[0.25, 1.0], [1.0, 0.0], [3.0, -1.0]],
                "values": [[1.0, 2.0], [-1.0, 2.0], [0.5, 1.0]],
                "mask": [[1, 1, 0], [1, 1, 1]],
            },
            scale=0.5,
        ),
    ],
)
def test_damage_is_seen(certificate: Data) -> None:
    assert_damage_is_seen(certificate, judge, decided=0.9)
