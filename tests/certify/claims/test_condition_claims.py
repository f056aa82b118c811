"""When a key gets the weight: gaps that are enough, gaps that are needed, and instances."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, fraction, result, status
from regard.certify.claims.algebra.conditions import aligned_claim, condition_claim, gap_claim

SUFFICIENT = "log((n-1)(1-epsilon)/epsilon)"
NECESSARY = "log((1-epsilon)/epsilon)"
CASES = [{"n": 6, "epsilon": "1/1000"}, {"n": 2, "epsilon": 0.25}, {"n": 10**6, "epsilon": "1/3"}]


def found(*given: Any, **options: Any) -> str:
    return status(gap_claim(*given, **options), {})


class TestGaps:
    def test_the_sufficient_gap_is_the_least(self) -> None:
        assert found("sufficient", SUFFICIENT, CASES, tight=True) == "holds"
        assert found("sufficient", f"{SUFFICIENT} + log(2)", CASES) == "holds"
        assert found("sufficient", f"{SUFFICIENT} + log(2)", CASES, tight=True) == "fails"
        assert found("sufficient", NECESSARY, CASES) == "fails"
        assert found("sufficient", NECESSARY, CASES[1:2], tight=True) == "holds"  # two keys

    def test_the_necessary_gap_is_the_largest(self) -> None:
        assert found("necessary", NECESSARY, CASES, tight=True) == "holds"
        assert found("necessary", f"{NECESSARY} - log(2)", CASES) == "holds"
        assert found("necessary", SUFFICIENT, CASES) == "fails"

    @pytest.mark.parametrize(
        "formula",
        [
            "log(n-1) + log(1-epsilon) - log(epsilon)",
            "log(n-1) - log(epsilon/(1-epsilon))",
            "-log(epsilon/((n-1)(1-epsilon)))",
            "1/2 log((n-1)^2 (1-epsilon)^2/epsilon^2)",
            r"\ln\frac{(n-1)(1-\varepsilon)}{\varepsilon}",
        ],
    )
    def test_other_spellings_are_the_same_gap(self, formula: str) -> None:
        wanted = "undecided" if formula.startswith("1/2") else "holds"  # a root is not looked at
        assert found("sufficient", formula, CASES, tight=True) == wanted

    def test_a_number_is_compared_to_the_last_bit(self) -> None:
        case = [{"n": 6, "epsilon": "1/1000"}]
        with mpmath.workdps(30):
            border = mpmath.log(5 * 999)
            above = float(border)
            above = above if above > border else math.nextafter(above, math.inf)
        assert found("sufficient", above, case) == "holds"
        assert found("sufficient", math.nextafter(above, 0), case) == "fails"
        assert found("sufficient", above, case, tight=True) == "fails"

    def test_ratios(self) -> None:
        cases = [{"R": 100}, {"R": "7/2"}]
        for says in ("sufficient", "necessary"):
            assert found(says, "log(R)", cases, effect="ratio", tight=True) == "holds"
        assert found("sufficient", "log(R - 1)", cases, effect="ratio") == "fails"
        assert found("necessary", "log(R - 1)", cases, effect="ratio") == "holds"
        assert found("sufficient", 0, [{"R": 1}], effect="ratio", tight=True) == "holds"

    @pytest.mark.parametrize(
        ("given", "options"),
        [
            (("enough", SUFFICIENT, CASES), {}),
            (("sufficient", SUFFICIENT, []), {}),
            (("sufficient", SUFFICIENT, [{"n": 1, "epsilon": 0.5}]), {}),
            (("sufficient", SUFFICIENT, [{"n": 2.5, "epsilon": 0.5}]), {}),
            (("sufficient", SUFFICIENT, [{"n": 3, "epsilon": 0}]), {}),
            (("sufficient", SUFFICIENT, [{"n": 3, "epsilon": 1}]), {}),
            (("sufficient", SUFFICIENT, [{"n": 3}]), {}),
            (("sufficient", "log(m)", CASES), {}),
            (("sufficient", "log(n", CASES), {}),
            (("sufficient", "log(-n)", CASES), {}),
            (("sufficient", math.nan, CASES), {}),
            (("sufficient", None, CASES), {}),
            (("sufficient", "log(R)", [{"R": 0}]), {"effect": "ratio"}),
            (("sufficient", SUFFICIENT, CASES), {"effect": "sum"}),
            (("sufficient", SUFFICIENT, CASES), {"tight": 1}),
        ],
    )
    def test_what_cannot_be_read_is_undecided(self, given: Any, options: dict[str, Any]) -> None:
        assert found(*given, **options) == "undecided"


MASS = "exp(s_j) / (exp(s_j) + sum(exp(s_rest))) >= 99/100"
EXACT = "log(sum(exp(s_rest))) - s_j <= log(1/99)"
GAP = "s_j - max(s_rest) >= log(99)"


# A gap of 6 is enough for three keys, and one of 5 is not, though it is above ln 99.
ENOUGH = {"s_j": 6, "s_rest": [0, 0]}
ALONE = {"s_j": 5, "s_rest": [0, 0]}
NEITHER = {"s_j": 1, "s_rest": [0, -3]}


class TestInstances:
    def test_the_exact_condition_is_equivalent(self) -> None:
        instances = [ENOUGH, ALONE, NEITHER]
        assert status(condition_claim("equivalent", EXACT, MASS, instances), {}) == "holds"
        assert status(condition_claim("equivalent", GAP, MASS, instances), {}) == "fails"
        for few in (instances[:1], instances[2:]):
            assert status(condition_claim("equivalent", EXACT, MASS, few), {}) == "undecided"

    def test_an_instance_shows_that_the_gap_is_not_sufficient(self) -> None:
        assert status(condition_claim("not sufficient", GAP, MASS, [ALONE]), {}) == "holds"
        assert status(condition_claim("not sufficient", GAP, MASS, [ENOUGH]), {}) == "fails"
        assert status(condition_claim("sufficient", GAP, MASS, [ALONE]), {}) == "fails"

    def test_but_it_is_necessary(self) -> None:
        instances = [ENOUGH, ALONE, NEITHER]
        assert status(condition_claim("necessary", GAP, MASS, instances), {}) == "holds"
        assert status(condition_claim("not necessary", GAP, MASS, instances), {}) == "fails"
        longer = "s_j - max(s_rest) >= 7"
        assert status(condition_claim("not necessary", longer, MASS, instances), {}) == "holds"

    def test_a_ratio_of_scores_says_nothing(self) -> None:
        # (0.1, 0.001) against (1000, 990).
        ratio, mass = (
            "s_j >= 100 max(s_rest)",
            "s_j - log(exp(s_j) + sum(exp(s_rest))) >= log(0.99)",
        )
        small, large = {"s_j": 0.1, "s_rest": [0.001]}, {"s_j": 1000, "s_rest": [990]}
        assert status(condition_claim("not sufficient", ratio, mass, [small]), {}) == "holds"
        assert status(condition_claim("not necessary", ratio, mass, [large]), {}) == "holds"

    def test_equality_is_decided_in_rationals(self) -> None:
        third = [{"x": "1/3", "y": 3}]
        assert status(condition_claim("sufficient", "x y >= 1", "x y = 1", third), {}) == "holds"
        assert (
            status(condition_claim("not sufficient", "x y >= 1", "x y > 1", third), {}) == "holds"
        )
        assert (
            status(condition_claim("sufficient", "x y >= 1", "max(x y, 1) != 1", third), {})
            == "fails"
        )

    def test_formulas_may_use_vectors(self) -> None:
        aligned = "dot(k_j, k_j) > max(K k_j)"
        instance = {"K": [[2, 0], [0, 1]], "k_j": [1, 0], "e": [0, 1]}
        effect = "norm(k_j) = 1 and not (sum(k_j) < 1 or tr(K) < 3)"
        assert status(condition_claim("not necessary", aligned, effect, [instance]), {}) == "holds"
        effect = "dot(e, softmax(K k_j)) >= 1/3"
        assert status(condition_claim("sufficient", "0 < 1", effect, [instance]), {}) == "fails"

    @pytest.mark.parametrize(
        "wrong",
        [
            condition_claim("always", GAP, MASS, [ENOUGH]),
            condition_claim("sufficient", GAP, MASS, []),
            condition_claim("sufficient", GAP, MASS, [{"s_j": 6}]),
            condition_claim("sufficient", GAP, MASS, [{"s_j": "six", "s_rest": [0.0]}]),
            condition_claim("sufficient", GAP, MASS, [{"s_j": 6, "s_rest": [[0.0], [1.0, 2.0]]}]),
            condition_claim("sufficient", "s_j", MASS, [ENOUGH]),
            condition_claim("sufficient", "s_j >", MASS, [ENOUGH]),
            condition_claim("sufficient", "log(-s_j) > 0", MASS, [ENOUGH]),
            condition_claim("sufficient", "exp(s_j) >= exp(s_j)", MASS, [ENOUGH]),
            condition_claim("sufficient", "1/(s_j - s_j) > 0", MASS, [ENOUGH]),
            condition_claim("sufficient", "pinv(s_rest) > 0", MASS, [ENOUGH]),
        ],
    )
    def test_what_cannot_be_decided_is_undecided(self, wrong: Any) -> None:
        assert status(wrong, {}) == "undecided"


KEYS = {"keys": [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]}


class TestAligned:
    def test_a_longer_key_wins(self) -> None:
        assert status(aligned_claim(0, True), KEYS) == "fails"
        assert status(aligned_claim(0, False), KEYS) == "holds"
        assert status(aligned_claim(1, True), KEYS) == "holds"
        assert status(aligned_claim(2, True), KEYS) == "holds"
        assert status(aligned_claim(2, True), KEYS, scale=-1.0) == "fails"

    def test_a_tie_does_not_win(self) -> None:
        keys = {"keys": [[0.1, 0.3], [0.1, 0.3], [0.0, 0.0]]}
        assert status(aligned_claim(0, False), keys) == "holds"
        assert status(aligned_claim(2, True), keys) == "fails"

    def test_keys_of_one_length_all_win(self) -> None:
        keys = {"keys": [[3.0, 4.0], [5.0, 0.0], [-4.0, 3.0]]}
        assert [status(aligned_claim(j, True), keys) for j in range(3)] == ["holds"] * 3

    def test_what_cannot_be_read_is_undecided(self) -> None:
        assert status(aligned_claim(3, True), KEYS) == "undecided"
        assert status(aligned_claim(0, 1), KEYS) == "undecided"  # type: ignore[arg-type]
        assert status(aligned_claim(0, True), {"keys": [[1.0]]}) == "undecided"


def test_sentences_are_readable() -> None:
    good = result(gap_claim("sufficient", SUFFICIENT, CASES[:1], tight=True), {})
    assert good.statement == (
        "that a key scores above every other by at least log((n-1)(1-epsilon)/epsilon) is "
        "sufficient for a weight of at least 1 - epsilon, and no smaller gap is "
        "(n = 6, epsilon = 1/1000)"
    )
    assert good.reason == "Exp(gap) is 4995.00, where 4995.00 is the border."
    assert result(aligned_claim(0, False), KEYS).statement == (
        "as a query along key 0 grows, the weight of key 0 does not go to 1"
    )


# What is true of a damaged claim


def judge_gap(certificate: Data) -> bool:
    (stated,) = certificate["claims"]
    if stated["says"] not in ("sufficient", "necessary") or not isinstance(stated["tight"], bool):
        raise Meaningless
    gap = fraction(stated["gap"]) if not isinstance(stated["gap"], str) else None
    if gap is None or not stated["cases"] or stated["effect"] != "mass":
        raise Meaningless
    truth = True
    for case in stated["cases"]:
        n, epsilon = fraction(case["n"]), fraction(case["epsilon"])
        if set(case) != {"n", "epsilon"} or n % 1 or n < 2 or not 0 < epsilon < 1:
            raise Meaningless
        with mpmath.workdps(60):
            level = (1 - epsilon) / epsilon * (n - 1 if stated["says"] == "sufficient" else 1)
            border = mpmath.log(level.numerator) - mpmath.log(level.denominator)
            mine = mpmath.mpf(gap.numerator) / gap.denominator
            right = mine >= border if stated["says"] == "sufficient" else mine <= border
            truth = truth and bool(right) and not stated["tight"]
    return truth


def judge_aligned(certificate: Data) -> bool:
    (stated,) = certificate["claims"]
    keys = [[fraction(x) for x in row] for row in certificate["arrays"]["keys"]]
    j, scale = fraction(stated["key"]), fraction(certificate.get("scale", 1.0))
    if j % 1 or not 0 <= j < len(keys) or isinstance(stated["key"], str) or len(keys) < 2:
        raise Meaningless
    if not isinstance(stated["wins"], bool):
        raise Meaningless
    own = keys.pop(int(j))
    level = scale * sum(x * x for x in own)
    wins = all(scale * sum(a * b for a, b in zip(row, own, strict=True)) < level for row in keys)
    return wins == stated["wins"]


def judge_condition(certificate: Data) -> bool | None:
    """Judge the gap and the mass in 50 digits."""
    (stated,) = certificate["claims"]
    if (stated["condition"], stated["effect"]) != (GAP, MASS):
        raise Meaningless
    seen = []
    for some in stated["witness"]["instances"]:
        own, rest = fraction(some["s_j"]), some["s_rest"]
        rest = rest if isinstance(rest, list) else [rest]
        if isinstance(rest[0], list) and len({len(row) for row in rest}) == 1:
            rest = [x for row in rest for x in row]  # in a matrix they are the same scores
        rest = [fraction(x) for x in rest]
        if abs(own - max(rest)) > 10**6:
            return None
        with mpmath.workdps(50):
            terms = [
                mpmath.exp(mpmath.mpf((x - own).numerator) / (x - own).denominator) for x in rest
            ]
            mass = 1 / (1 + sum(terms))
            gap = own - max(rest)
            above = mpmath.mpf(gap.numerator) / gap.denominator >= mpmath.log(99)
            seen.append((bool(above), bool(mass >= mpmath.mpf(99) / 100)))
    counts = {pair: seen.count(pair) for pair in ((True, True), (True, False), (False, True))}
    if stated["says"] == "necessary":
        if counts == {(True, True): 0, (True, False): counts[True, False], (False, True): 0}:
            raise Meaningless  # nothing is shown
        return counts[False, True] == 0
    if stated["says"] == "not sufficient":
        return counts[True, False] > 0
    raise Meaningless


def test_damage_is_seen() -> None:
    gap = gap_claim("sufficient", 8.6, [{"n": 6, "epsilon": "1/1000"}, {"n": 3, "epsilon": 0.01}])
    assert_damage_is_seen(data(gap, {}), judge_gap, decided=0.9)
    gap = gap_claim("necessary", 6.9, [{"n": 6, "epsilon": "1/1000"}])
    assert_damage_is_seen(data(gap, {}), judge_gap, decided=0.9)
    for key, wins in ((0, False), (1, True)):
        certificate = data(aligned_claim(key, wins), KEYS)
        assert_damage_is_seen(certificate, judge_aligned, decided=0.9)
    instances = [ENOUGH, ALONE, NEITHER]
    for says, least in (("necessary", 0), ("not sufficient", 1)):  # the gap is always necessary
        certificate = data(condition_claim(says, GAP, MASS, instances), {})
        assert_damage_is_seen(certificate, judge_condition, least=least)
