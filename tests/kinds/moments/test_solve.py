"""Moments problems: formulas against sums over all values of small laws, and known numbers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import regard.solving as moments
from regard import problems
from regard.certify import verify
from regard.errors import InvalidProblem
from regard.kinds.moments.vary import vary
from regard.language import notation, parse
from regard.report import Plot
from regard.solving import Status
from solving.reading import words

PRODUCTS = ("dot-product-mean", "dot-product-variance", "dot-product-scale")
BUNDLED = (*PRODUCTS, "position-disturbs-content")


@cache
def solved(name: str) -> Any:
    return moments.solve(problems.load(name))


def product(find: tuple[str, ...] = ("mean", "variance", "s"), **more: Any) -> Any:
    goal = more.pop("goal", {})
    data = problems.to_dict(problems.load("dot-product-mean"))
    data["given"] = {"of": "q' k", "dimension": "D", **more}
    data["goal"] = {"find": list(find), **goal}
    return problems.from_dict(data)


def positions(reading: str, d: int, find: tuple[str, ...] = ("mean", "variance")) -> Any:
    data = problems.to_dict(problems.load("position-disturbs-content"))
    data["given"] |= {"reading": reading, "parameters": {"d_model": d}}
    data["goal"] = {"find": list(find)}
    return problems.from_dict(data)


def value(text: str, numbers: dict[str, float]) -> float:
    return float(parse(text).evaluate(numbers))


def enumerated(law_q: tuple[float, float], law_k: tuple[float, float], d: int) -> tuple[Any, Any]:
    """Mean and variance of q'k in rationals, for entries mean ± deviation with equal chances."""
    sides = []
    for mean, variance in (law_q, law_k):
        m, s = Fraction(mean), Fraction(math.sqrt(variance))
        sides.append((m - s, m + s))
    scores = [
        sum(q * k for q, k in zip(row[:d], row[d:], strict=True))
        for row in itertools.product(*([sides[0]] * d + [sides[1]] * d))
    ]
    mean = Fraction(sum(scores), len(scores))
    return mean, Fraction(sum(x * x for x in scores), len(scores)) - mean**2


# ---------------------------------------------------------------- the bundled problems


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_problem_is_solved_and_proved(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot) for block in solution.details)
    notation.check(solution.headline)
    for _, latex in solution.steps:
        notation.check(latex)
    assert set(solution.answer) == set(problems.load(name).goal.find)


def test_the_answers_are_those_of_the_documents() -> None:
    assert solved("dot-product-mean").answer == {"mean": "D_k mu^2"}
    assert solved("dot-product-variance").answer == {"variance": "D_k"}
    assert solved("dot-product-scale").answer == {"s": "sqrt(D_k)"}
    found = solved("position-disturbs-content").answer
    assert found == {"mean": "1", "variance": "5 d_model/4"}


def test_the_report_of_the_mean_has_the_known_numbers() -> None:
    text = words(solved("dot-product-mean"))  # D_k = 64, mu = 0.5, sigma = 1.5
    assert "D_k μ² = 16" in text
    assert "D_k (σ⁴ + 2 μ² σ²) = 396" in text
    assert "19.8997487" in text
    assert "160 and not 16 for" in text  # a token with itself
    assert "144 and not 16 for" in text  # the spread let into the mean


def test_the_standard_case_is_divided_by_eight() -> None:
    text = words(solved("dot-product-scale"))
    assert "√D_k = 8" in text
    assert "such a score still has mean 8" in text  # the root of D_k, on the diagonal


def test_the_report_about_positions_has_the_known_numbers() -> None:
    text = words(solved("position-disturbs-content"))
    for part in (
        "5 d_model/4 = 80",
        "1 + d_model/4 = 17",
        "13 d_model/4 = 208",
        "5 d_model/8 = 40",
        "d_model = 64",
        "the mean of e_τ · e_t is 10.3 and not 0, its variance 4.39 and not 8",
    ):
        assert part in text
    # Given t − τ = 5 in 8 dimensions.
    text = words(moments.solve(positions("hint", 8)))
    for known in ("3.15998251", "4.15998251", "1.78999563", "11.1599825", "30.319965"):
        assert known in text


@pytest.mark.parametrize(
    ("reading", "mean", "variance"),
    [
        ("hint", lambda d: 1.0, lambda d: 5 * d / 4),
        ("sphere", lambda d: 1.0, lambda d: 1 + d / 4),
        ("gaussian", lambda d: d, lambda d: 13 * d / 4),
        ("literal", lambda d: 1.0, lambda d: 5 * d / 8),
    ],
)
def test_every_reading_is_solved_and_proved(reading: str, mean: Any, variance: Any) -> None:
    solution = moments.solve(positions(reading, 10, ("mean", "variance", "s")))
    assert solution.verdict is Status.PROVED
    for d in (2, 10, 64):
        numbers = {"d_model": float(d)}
        np.testing.assert_allclose(value(solution.answer["mean"], numbers), mean(d))
        np.testing.assert_allclose(value(solution.answer["variance"], numbers), variance(d))
        np.testing.assert_allclose(value(solution.answer["s"], numbers), math.sqrt(variance(d)))


def test_positions_on_unit_vectors_vary_as_samples_do() -> None:
    d, count = 6, 200_000
    rng = np.random.default_rng(7)
    k = rng.standard_normal((count, d))
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    angles = rng.uniform(0, 2 * np.pi, (2, count, d // 2))
    e = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(2, count, d)
    scores = np.sum((k + e[0]) * (k + e[1]), axis=1)
    answer = moments.solve(positions("sphere", d)).answer
    np.testing.assert_allclose(np.mean(scores), value(answer["mean"], {"d_model": d}), atol=0.02)
    np.testing.assert_allclose(np.var(scores), value(answer["variance"], {"d_model": d}), rtol=0.02)


# ---------------------------------------------------------------- variants


@pytest.mark.parametrize("name", PRODUCTS)
def test_twenty_variants_agree_with_an_enumeration(name: str) -> None:
    problem = problems.load(name)
    data = problems.to_dict(problem)
    seen = set()
    for seed in range(20):
        drawn = problems.from_dict({**data, **vary(problem, np.random.default_rng(seed))})
        solution = moments.solve(drawn)
        assert solution.verdict is Status.PROVED
        given = drawn.given
        numbers = {**given.parameters, **given.assume, "D_k": 2.0}
        laws = [(value(x.mean, numbers), value(x.variance, numbers)) for x in (given.q, given.k)]
        mean, variance = enumerated(*laws, d=2)
        expected = {"mean": mean, "variance": variance, "s": math.sqrt(variance)}
        for field, text in solution.answer.items():
            np.testing.assert_allclose(value(text, numbers), float(expected[field]), rtol=1e-12)
        seen.add((str(given.q), str(given.assume), str(given.parameters)))
    assert len(seen) >= 12


def test_twenty_variants_of_the_positions_are_solved() -> None:
    problem = problems.load("position-disturbs-content")
    data = problems.to_dict(problem)
    for seed in range(20):
        drawn = problems.from_dict({**data, **vary(problem, np.random.default_rng(seed))})
        solution = moments.solve(drawn)
        assert solution.verdict is Status.PROVED
        d = drawn.given.parameters["d_model"]
        np.testing.assert_allclose(value(solution.answer["variance"], {"d_model": d}), 1.25 * d)
        assert f"variance {5 * d / 4:g}" in words(solution) or f"= {5 * d / 4:g}" in words(solution)


def test_a_variant_says_what_is_assumed() -> None:
    problem = problems.load("dot-product-variance")
    for seed in range(5):
        drawn = vary(problem, np.random.default_rng(seed))
        for name, x in drawn["given"]["assume"].items():
            assert rf"$\{name} = {x:g}$" in drawn["statement"]


# ---------------------------------------------------------------- problems of other people


def test_laws_of_q_and_k_may_differ() -> None:
    problem = product(
        q={"mean": "m_q", "variance": "v_q"},
        k={"mean": "m_k", "variance": "v_k"},
        parameters={"D": 3, "m_q": 0.5, "v_q": 4, "m_k": -1, "v_k": 9},
    )
    solution = moments.solve(problem)
    assert solution.verdict is Status.PROVED
    numbers = {"D": 3.0, "m_q": 0.5, "v_q": 4.0, "m_k": -1.0, "v_k": 9.0}
    mean, variance = enumerated((0.5, 4.0), (-1.0, 9.0), d=3)
    np.testing.assert_allclose(value(solution.answer["mean"], numbers), float(mean))
    np.testing.assert_allclose(value(solution.answer["variance"], numbers), float(variance))


def test_a_token_with_itself_has_the_moments_of_a_sum_of_squares() -> None:
    for law in ({"mean": "mu", "variance": "sigma^2"}, {"mean": "mu", "variance": "v"}):
        numbers = {"D": 64.0, "mu": 0.5, "sigma": 1.5, "v": 2.25}
        used = {name: numbers[name] for name in ("D", "mu", law["variance"].split("^")[0])}
        solution = moments.solve(product(q=law, same=True, parameters=used))
        assert solution.verdict is Status.PROVED
        np.testing.assert_allclose(value(solution.answer["mean"], numbers), 160)
        np.testing.assert_allclose(value(solution.answer["variance"], numbers), 792)


def test_another_variance_may_be_wanted() -> None:
    problem = product(
        ("s",),
        q={"mean": "0", "variance": "0.1"},
        k={"mean": "0", "variance": "1/3"},
        parameters={"D": 7},
        goal={"variance": 0.3},
    )
    solution = moments.solve(problem)
    assert solution.answer == {"s": "sqrt(D)/3"}
    assert solution.verdict is Status.PROVED


def test_a_score_that_does_not_vary_cannot_be_scaled() -> None:
    still = {"mean": "mu", "variance": "0"}
    solution = moments.solve(product(q=still, k=still, parameters={"D": 4, "mu": 2}))
    # The mean and the variance are found all the same.
    assert solution.verdict is Status.PROVED
    assert "s" not in solution.answer
    assert solution.answer["variance"] == "0"
    assert "there is no $s$" in solution.steps[-1][0]
    assert solution.mistakes == ()
    alone = moments.solve(product(("s",), q=still, k=still, parameters={"D": 4, "mu": 2}))
    assert alone.verdict is Status.IMPOSSIBLE
    assert alone.answer == {}


@pytest.mark.parametrize(
    ("q", "k", "numbers"),
    [
        (("2 mu + 1", "sigma^2/D"), ("mu", "sigma^2"), {"mu": 0.5, "sigma": 2.0}),
        (("exp(a)", "sigma^2"), ("0", "0.25"), {"a": 1.0, "sigma": 2.0}),
        (("mu - nu", "1/(a + b)"), ("-mu", "sqrt(4) a"), {"mu": 1, "nu": 2, "a": 1, "b": 2}),
        (
            ("(a + b + c)^5", "(a - b)^2 + 1"),
            ("(a + b)^3", "s^2"),
            {"a": 1, "b": 2, "c": 3, "s": 1},
        ),
    ],
)
def test_any_formulas_may_stand_for_the_laws(q: Any, k: Any, numbers: dict[str, float]) -> None:
    problem = product(
        q={"mean": q[0], "variance": q[1]},
        k={"mean": k[0], "variance": k[1]},
        parameters={"D": 16, **numbers},
    )
    solution = moments.solve(problem)
    assert solution.verdict is Status.PROVED
    at = {"D": 16.0, **numbers}
    a, v, b, w = (value(text, at) for text in (*q, *k))
    np.testing.assert_allclose(value(solution.answer["mean"], at), 16 * a * b)
    variance = 16 * ((v + a * a) * (w + b * b) - a * a * b * b)
    np.testing.assert_allclose(value(solution.answer["variance"], at), variance)
    np.testing.assert_allclose(value(solution.answer["s"], at), math.sqrt(variance))
    assert verify(solution.certificate).holds


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": {"mean": "0", "variance": "-1"}}, "q: variance: is negative"),
        ({"q": {"mean": "nu", "variance": "1"}}, "q: mean: nu is not among the parameters"),
        ({"q": {"mean": "1/(mu - mu)", "variance": "1"}}, "q: mean: must be a number"),
        ({"q": {"mean": "[1, 2]", "variance": "1"}}, "q: mean: must be a number"),
        ({"same": True, "k": {"mean": "1", "variance": "2"}}, "k: is q itself where same = true"),
        ({"k": None}, "k: is missing"),
        ({"parameters": {"D": 2.5, "mu": 1}}, "parameters.D must be a whole number"),
        ({"assume": {"D": 4}}, "assume: D is the number of entries"),
    ],
)
def test_a_problem_that_cannot_be_used_is_refused(given: dict[str, Any], message: str) -> None:
    usual = {"q": {"mean": "mu", "variance": "1"}, "k": {"mean": "mu", "variance": "1"}}
    data = {**usual, "parameters": {"D": 4, "mu": 1}, **given}
    with pytest.raises(InvalidProblem) as caught:
        product(**{name: x for name, x in data.items() if x is not None})
    assert message in str(caught.value)
