"""Position against content: golden values, other derivations, simulation, the exact law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard
from regard.analysis.positions.interference import READINGS, interference
from regard.analysis.positions.interference_table import interference_table
from regard.analysis.positions.plots import plot_interference


@pytest.mark.parametrize(
    ("content", "mean", "variance"),
    [("hint", 1, 80), ("sphere", 1, 17), ("gaussian", 64, 208), ("literal", 1, 40)],
)
def test_the_readings_with_uniform_phases(content: str, mean: float, variance: float) -> None:
    found = interference(64, content=content)  # G38
    np.testing.assert_allclose([found.mean, found.variance], [mean, variance], rtol=1e-12)
    np.testing.assert_allclose(found.scale, math.sqrt(variance), rtol=1e-12)


def test_the_terms_of_the_hint_are_counted() -> None:
    terms = interference(64).terms
    assert [term.count for term in terms] == [64, 128, 64]  # G38
    np.testing.assert_allclose([t.variance / t.count for t in terms], [0, 0.5, 0.25])
    literal = interference(64, content="literal").terms
    assert [term.count for term in literal] == [64, 64, 32]


def test_a_known_shift_leaves_only_content_to_chance() -> None:
    sphere = interference(8, content="sphere", delta=5)  # G39
    np.testing.assert_allclose(
        [sphere.mean, sphere.variance], [4.159982507774607, 1.7899956269436517], rtol=1e-12
    )
    gauss = interference(8, content="gaussian", delta=-5)
    np.testing.assert_allclose(
        [gauss.mean, gauss.variance], [11.159982507774608, 30.319965015549215], rtol=1e-12
    )
    np.testing.assert_allclose(sphere.terms[2].mean, 3.159982507774607, rtol=1e-12)
    assert interference(8, content="sphere", delta=0).terms[2].mean == 4.0
    assert sphere.terms[2].variance == 0.0


def all_pairs(d: int, n: int, entries: slice) -> tuple[Any, Any]:
    """e_τ·e_t and |e_t + e_τ|² for all pairs of times, (n, n)."""
    E = regard.sinusoidal(n, d)[:, entries]
    return E @ E.T, np.sum((E[:, None] + E[None]) ** 2, axis=2)


@pytest.mark.parametrize("content", READINGS)
@pytest.mark.parametrize(("d", "n"), [(2, 3), (6, 1), (10, 13), (32, 50)])
def test_uniform_times_agree_with_the_sum_over_all_pairs(content: str, d: int, n: int) -> None:
    F, square = all_pairs(d, n, slice(0, None, 2) if content == "literal" else slice(None))
    element = 1 / d if content == "sphere" else 1.0
    mean = (d if content == "gaussian" else 1) + np.mean(F)
    inner = (2 * d if content == "gaussian" else 0) + element * np.mean(square)
    found = interference(d, content=content, times="uniform", n=n)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.variance, inner + np.var(F), rtol=1e-12)


def test_slow_frequencies_do_not_wrap() -> None:
    positions = interference(32, times="uniform", n=50).terms[2]
    np.testing.assert_allclose([positions.mean, positions.variance], [10.33, 4.39], rtol=1e-3)


def test_long_times_approach_uniform_phases() -> None:
    long = interference(4, times="uniform", n=10**9)
    np.testing.assert_allclose([long.mean, long.variance], [1.0, 5.0], rtol=1e-6)


def test_the_variances_given_the_shift_make_up_the_whole() -> None:
    d, n = 6, 19
    for content in READINGS:
        whole = interference(d, content=content, times="uniform", n=n)
        parts = [
            (interference(d, content=content, times="uniform", n=n, delta=delta), n - abs(delta))
            for delta in range(1 - n, n)
        ]
        weight = np.array([count for _, count in parts]) / n**2
        means = np.array([part.mean for part, _ in parts])
        variances = np.array([part.variance for part, _ in parts])
        np.testing.assert_allclose(weight @ means, whole.mean, rtol=1e-12)
        np.testing.assert_allclose(
            weight @ (variances + (means - whole.mean) ** 2), whole.variance, rtol=1e-12
        )


def test_the_literal_reading_at_a_known_shift_with_phases() -> None:
    rng = np.random.default_rng(1)
    d, delta = 6, 2
    phases = rng.uniform(0, 2 * np.pi, (400_000, 3))
    omega = 10000.0 ** (-np.arange(3) / 3)
    early, late = np.sin(phases), np.sin(phases + omega * delta)
    k = rng.standard_normal((400_000, 3))
    drawn = 1 + np.sum(k * (early + late) + early * late, axis=1)
    found = interference(d, content="literal", delta=delta)
    np.testing.assert_allclose(np.mean(drawn), found.mean, atol=6 * found.scale / 632)
    np.testing.assert_allclose(np.var(drawn), found.variance, rtol=0.02)


def draw(content: str, d: int, n: int, size: int, rng: np.random.Generator) -> Any:
    E = regard.sinusoidal(n, d)
    if content == "literal":
        E[:, 1::2] = 0
    t, tau = rng.integers(0, n, (2, size))
    k = rng.standard_normal((size, d))
    if content == "sphere":
        k /= np.linalg.norm(k, axis=1, keepdims=True)
    same = np.sum(k**2, axis=1) if content in ("sphere", "gaussian") else 1.0
    return same + np.sum(k * (E[t] + E[tau]) + E[t] * E[tau], axis=1)


@pytest.mark.parametrize("content", READINGS)
def test_the_law_agrees_with_a_simulation_and_with_its_moments(content: str) -> None:
    d, n = 6, 11
    found = interference(d, content=content, times="uniform", n=n)
    sample = draw(content, d, n, 200_000, np.random.default_rng(2))
    points = found.mean + found.scale * np.array([-1.5, -0.5, 0.0, 0.7, 2.0])
    below = np.mean(sample[:, None] <= points, axis=0)
    np.testing.assert_allclose(found.cdf(points), below, atol=0.006)
    x = np.linspace(found.mean - 25 * found.scale, found.mean + 25 * found.scale, 20_001)
    density = found.density(x) * (x[1] - x[0])
    # One pair of times in n² leaves the sines of the literal reading at 0, and the product at 1.
    mass = 1 / n**2 if content == "literal" else 0.0
    np.testing.assert_allclose(np.sum(density) + mass, 1, rtol=1e-5)
    np.testing.assert_allclose(x @ density + mass, found.mean, rtol=1e-5)
    np.testing.assert_allclose(
        (x - found.mean) ** 2 @ density + (1 - found.mean) ** 2 * mass, found.variance, rtol=1e-4
    )


def test_the_atoms_are_the_shifts_and_their_chances() -> None:
    found = interference(8, times="uniform", n=5)
    probability, F, square = found.atoms
    np.testing.assert_allclose(probability, np.array([5, 8, 6, 4, 2]) / 25)
    np.testing.assert_allclose(F, all_pairs(8, 5, slice(None))[0][0], rtol=1e-12)
    np.testing.assert_allclose(square, all_pairs(8, 5, slice(None))[1][0], rtol=1e-12)


def test_at_zero_shift_the_gaussian_law_is_a_shifted_chi_square() -> None:
    from scipy.stats import ncx2

    found = interference(4, content="gaussian", delta=0)  # u = 2 e: |k + e|², |e|² = 2
    np.testing.assert_allclose(found.cdf(5.0), ncx2.cdf(5.0, 4, 2), rtol=1e-12)


def test_the_table_shows_every_reading() -> None:
    table = interference_table(64, n=50, delta=5)
    assert [row.content for row in table.rows] == 3 * list(READINGS)
    text = str(table)
    for content, words in READINGS.items():
        assert f"{content}" in text
        assert words in text
    assert "t − τ = 5" in text
    assert len(interference_table(64).rows) == 4
    assert "variance per product" in str(interference(64))
    assert "<table" in table._repr_html_()


def test_the_law_is_drawn_without_a_window() -> None:
    found = interference(16, content="sphere", times="uniform", n=31)
    figure = found.plot()
    figure.canvas.draw()
    line = figure.axes[0].lines[0]
    x, y = line.get_xdata(), line.get_ydata()
    np.testing.assert_allclose(np.sum(y) * (x[1] - x[0]), 1, rtol=1e-3)
    assert "mean" in plot_interference(found, points=50).axes[0].get_title()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: interference(7),
            "interference: d_model must be even, because sines and cosines come in pairs. Got 7.",
        ),
        (
            lambda: interference(8, times="uniform"),
            'interference: n must be given with times="uniform". Got None.',
        ),
        (
            lambda: interference(8, n=4),
            "interference: n is only used with times=\"uniform\". Got n = 4, times 'phases'.",
        ),
        (
            lambda: interference(8, times="uniform", n=4, delta=-4),
            "interference: delta must be smaller than n in size, since times are below n. Got delta -4, n 4.",
        ),
        (
            lambda: interference(100_000, times="uniform", n=4),
            "interference: d_model must be at most 8192 for uniform times, whose moments take tables of d_model² numbers. Got 100000.",
        ),
        (
            lambda: interference(8, content="ball"),
            "interference: content must be one of 'hint', 'sphere', 'gaussian', 'literal'. Got 'ball'.",
        ),
        (
            lambda: interference(8).cdf(0),
            'Interference: the law is exact for times on 0, …, n − 1 or for a known shift. Pass times="uniform" and n, or delta.',
        ),
        (
            lambda: interference(8, content="literal", delta=1).cdf(0),
            'Interference: the law of the reading "literal" is listed by pairs of times, so it needs times="uniform" and n² ≤ 1048576. Got n = None.',
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        call()
    assert str(caught.value) == message
