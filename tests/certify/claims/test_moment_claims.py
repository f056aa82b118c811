"""Mean and variance of inner products: closed forms that are right, and popular ones that are not."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, result, status
from regard.certify.claims.positions import position_moments
from regard.certify.claims.random_keys.moments import NORMAL, claim
from regard.language import parse

GENERAL = {"mean": "mu", "deviation": "sigma"}
UNIT = {"mean": "0", "deviation": "1"}
VARIANCE = "D (sigma^4 + 2 mu^2 sigma^2)"


def found(*given: Any, **options: Any) -> str:
    return status(claim(*given, **options), {})


def test_the_parts_of_the_worksheet() -> None:
    # 002_3bdb44851b502ebf 2(a), 2(b), 2(c).
    assert found("D", GENERAL, GENERAL, mean="D mu^2") == "holds"
    assert found("D", UNIT, UNIT, variance="D") == "holds"
    assert found("D", UNIT, UNIT, mean="0", variance="1", divided_by="sqrt(D)") == "holds"
    assert found("D", UNIT, UNIT, mean="0", variance="1", divided_by="-sqrt(D)") == "holds"
    assert found("D", UNIT, UNIT, mean="0", variance="1", divided_by="D^(1/2)") == "holds"
    assert found("D", GENERAL, GENERAL, mean="D mu^2", variance=VARIANCE) == "holds"


@pytest.mark.parametrize(
    ("law", "stated"),
    [
        (GENERAL, {"mean": "mu^2"}),
        (GENERAL, {"mean": "D mu"}),
        (GENERAL, {"mean": "-D mu^2"}),
        (GENERAL, {"mean": "D (mu^2 + sigma^2)"}),  # as if k were q
        (GENERAL, {"variance": "D sigma^4"}),
        (GENERAL, {"variance": "D (sigma^4 + mu^2 sigma^2)"}),
        (GENERAL, {"variance": "D^2 sigma^4 + 2 D mu^2 sigma^2"}),
        (UNIT, {"variance": "sqrt(D)"}),
        (UNIT, {"variance": "-D"}),
        (UNIT, {"variance": "1", "divided_by": "D"}),
        (UNIT, {"variance": "1", "divided_by": "D^2"}),
        (UNIT, {"mean": "1", "variance": "1", "divided_by": "sqrt(D)"}),
        # Right for one, two and three components.
        (UNIT, {"variance": "D + (D - 1) (D - 2) (D - 3)"}),
        (GENERAL, {"mean": "D mu sqrt(mu^2)"}),  # right for a positive mean
    ],
)
def test_wrong_closed_forms_fail(law: dict[str, str], stated: dict[str, str]) -> None:
    assert found("D", law, law, **stated) == "fails"


def test_q_and_k_may_have_different_laws() -> None:
    q, k = {"mean": "m_q", "deviation": "s_q"}, {"mean": "m_k", "variance": "v_k"}
    variance = "D (s_q^2 v_k + m_q^2 v_k + m_k^2 s_q^2)"
    assert found("D", q, k, mean="D m_q m_k", variance=variance) == "holds"
    assert found("D", k, q, mean="D m_q m_k", variance=variance) == "holds"
    swapped = "D (s_q^2 v_k + m_k^2 v_k + m_q^2 s_q^2)"
    assert found("D", q, k, variance=swapped) == "fails"


def test_a_token_with_itself_has_another_mean() -> None:
    variance = "2 D sigma^4 + 4 D mu^2 sigma^2"
    stated = {"mean": "D (mu^2 + sigma^2)", "variance": variance}
    assert found("D", GENERAL, GENERAL, same=True, **stated) == "holds"
    assert found("D", GENERAL, GENERAL, same=True, mean="D mu^2") == "fails"
    assert found("D", GENERAL, GENERAL, same=True, variance=VARIANCE) == "fails"


def test_a_mean_with_roots() -> None:
    below = "sqrt(D (sigma^4 + 2 mu^2 sigma^2))"
    mean = "mu^2 sqrt(D) / sqrt(sigma^4 + 2 mu^2 sigma^2)"
    stated = {"mean": mean, "variance": "1"}
    assert found("D", GENERAL, GENERAL, **stated, divided_by=below) == "holds"
    assert found("D", GENERAL, GENERAL, **stated, divided_by=f"-{below}") == "fails"
    assert found("D", GENERAL, GENERAL, **stated, divided_by=f"2 {below}") == "fails"


@pytest.mark.parametrize(
    "wrong",
    [
        claim("D", UNIT, UNIT),
        claim("D", UNIT, UNIT, variance="n"),
        claim("D", UNIT, UNIT, variance="D +"),
        claim("D", UNIT, UNIT, variance="exp(log(D))"),
        claim("D", UNIT, UNIT, variance="D = D"),
        claim("D", UNIT, UNIT, variance="[D, D]"),
        claim("D", UNIT, UNIT, variance="1", divided_by="D - D"),
        claim("D", {"mean": "0"}, UNIT, variance="D"),
        claim("D", {"mean": "0", "variance": "-2"}, UNIT, variance="D"),
        claim("D", {"mean": "0", "variance": "2"}, UNIT, mean="2 D", same=True),
        claim(3, UNIT, UNIT, variance="D"),  # type: ignore[arg-type]
        claim("D", UNIT, UNIT, variance="D", same=1),  # type: ignore[arg-type]
        claim("D", UNIT, UNIT, variance="((((D^64)^64)^64)^64)^64"),
    ],
)
def test_what_cannot_be_read_is_undecided(wrong: Any) -> None:
    assert status(wrong, {}) in ("undecided", "fails")
    if wrong.fields["variance"] != "n":
        assert status(wrong, {}) == "undecided"


def test_five_values_have_the_moments_of_a_normal_number() -> None:
    values = [(Fraction(int(z)), Fraction(int(p.p), int(p.q))) for z, p in NORMAL]
    moments = [sum(p * z**n for z, p in values) for n in range(6)]
    assert moments == [1, 0, 1, 0, 3, 0]


@pytest.mark.parametrize(("sines", "cosines"), list(itertools.product(range(5), repeat=2)))
def test_averages_over_a_turn(sines: int, cosines: int) -> None:
    phases = 2 * math.pi * np.arange(11) / 11  # more than the degree: the average is exact
    right = float(np.mean(np.sin(phases) ** sines * np.cos(phases) ** cosines))
    average = position_moments.average(sines, cosines)
    np.testing.assert_allclose(float(average.p) / float(average.q), right, atol=1e-15)


READINGS = {
    "hint": ("1", "5 d / 4"),
    "sphere": ("1", "1 + d/4"),
    "gaussian": ("d", "13 d / 4"),
    "literal": ("1", "5 d / 8"),
}


@pytest.mark.parametrize("reading", READINGS)
def test_each_reading_has_its_moments_and_no_other(reading: str) -> None:
    for mean, variance in READINGS.values():
        stated = position_moments.claim("d", reading, mean, variance)
        right = (mean, variance) == READINGS[reading]
        assert status(stated, {}) == ("holds" if right else "fails")


@pytest.mark.parametrize("reading", ["sphere", "gaussian", "literal"])
def test_the_terms_add_up_to_the_whole(reading: str) -> None:
    # d = 2: one frequency. k is enumerated, and so are both phases.
    phases = 2 * math.pi * np.arange(9) / 9
    if reading == "gaussian":
        values = [(float(z), float(p.p) / float(p.q)) for z, p in NORMAL]
        content = [((a, b), p * r) for (a, p), (b, r) in itertools.product(values, values)]
    else:
        content = [((math.cos(x), math.sin(x)), 1 / 9) for x in phases]
        if reading == "literal":  # elements of unit variance, beside a content of 1
            content = [((math.sqrt(2) * a, math.sqrt(2) * b), p) for (a, b), p in content]
    total = square = 0.0
    for (k, chance), t, tau in itertools.product(content, phases, phases):
        first, second = ([math.sin(x), math.cos(x) * (reading != "literal")] for x in (t, tau))
        inner = 1.0 if reading == "literal" else float(np.dot(k, k))
        inner += np.dot(k, first) + np.dot(k, second) + np.dot(first, second)
        total += chance * inner / 81
        square += chance * inner**2 / 81
    mean, variance = (parse(text).evaluate({"d": 2.0}) for text in READINGS[reading])
    np.testing.assert_allclose([total, square - total**2], [mean, variance])


def test_sentences_are_readable() -> None:
    good = claim("D_k", UNIT, UNIT, mean="0", variance="1", divided_by="sqrt(D_k)")
    assert result(good, {}).statement == (
        "for independent q and k with D_k independent components of mean 0 and deviation 1, "
        "q·k / (sqrt(D_k)) has mean 0 and variance 1"
    )
    found = result(claim("D", UNIT, UNIT, variance="1", divided_by="D"), {})
    assert found.reason == "The variance is wrong for D = 2."


# What is true of a damaged claim


def close(left: Any, right: Any) -> bool:
    return bool(np.isclose(left, right, rtol=1e-10, atol=1e-12))


def judge(certificate: Data) -> bool | None:
    """Judge in floats, by the closed forms for independent vectors."""
    (stated,) = certificate["claims"]
    texts = [stated[name] for name in ("mean", "variance", "divided_by")]
    if stated["same"] is True:
        return None
    if (
        stated["same"] is not False
        or not isinstance(stated["size"], str)
        or texts[:2] == [None, None]
    ):
        raise Meaningless
    rng = np.random.default_rng(6)
    for name in ("q", "k"):
        if set(stated[name]) not in ({"mean", "deviation"}, {"mean", "variance"}):
            raise Meaningless
    names = {x for text in texts if text is not None for x in parse(text).names}
    names |= {x for law in ("q", "k") for text in stated[law].values() for x in parse(text).names}
    for _ in range(3):
        values = {name: float(rng.uniform(0.5, 2)) for name in names}
        values[stated["size"]] = float(rng.integers(2, 50))
        moments = []
        for law in ("q", "k"):
            by_name = {key: parse(text).evaluate(values) for key, text in stated[law].items()}
            moments.append(
                (by_name["mean"], by_name.get("variance", by_name.get("deviation", 0) ** 2))
            )
        (a, v), (b, w) = moments
        size, below = values[stated["size"]], parse(texts[2] or "1").evaluate(values)
        if texts[0] is not None and not close(
            parse(texts[0]).evaluate(values) * below, size * a * b
        ):
            return False
        truth = size * (v * w + a * a * w + b * b * v)
        if texts[1] is not None and not close(parse(texts[1]).evaluate(values) * below**2, truth):
            return False
    return True


def test_damage_is_seen() -> None:
    stated = {"mean": "D mu^2 / s", "variance": "D (sigma^4 + 2 mu^2 sigma^2) / s^2"}
    certificate = data(claim("D", GENERAL, GENERAL, **stated, divided_by="s"), {})
    assert_damage_is_seen(certificate, judge, least=0)
    other = data(claim("D", UNIT, UNIT, mean="0", variance="1", divided_by="sqrt(D)"), {})
    assert_damage_is_seen(other, judge, least=0)
    for old, new in (
        ("2 mu", "3 mu"),
        ("sigma^4", "sigma^3"),
        ("/ s^2", "/ s"),
        ("D", "(D + 1)"),
    ):
        text = stated["variance"].replace(old, new)
        assert text != stated["variance"]
        wrong = claim("D", GENERAL, GENERAL, variance=text, divided_by="s")
        assert status(wrong, {}) in ("fails", "undecided")
        assert not judge(data(wrong, {}))


def test_damage_to_positions_is_seen() -> None:
    for reading, (mean, variance) in READINGS.items():
        good = data(position_moments.claim("d", reading, mean, variance), {})

        def judge_positions(certificate: Data) -> bool:
            (stated,) = certificate["claims"]
            right = READINGS[stated["reading"]]
            values = {stated["size"]: 14.0}
            return all(
                close(parse(stated[name]).evaluate(values), parse(text).evaluate({"d": 14.0}))
                for name, text in zip(("mean", "variance"), right, strict=True)
                if stated[name] is not None
            )

        assert_damage_is_seen(good, judge_positions, least=0)
