"""Noisy keys: what is on the screen is what theory and the Python API say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run
from regard.lab import scenes
from regard.lab.table import Refused, ask

NAME = "noisy-keys"
STATE = scenes.about(NAME)["state"]
HEADS = ["one", "two", "null_one", "null_two"]
# Orthogonal values of length 1 are not to be had in the plane: four keys, of which two have value 0.
PLAIN = {"values": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], "n": 4}


def off(screen: Screen) -> dict[str, float]:
    """How far each kind of head is off, all digits."""
    values = screen.page.locator(".regard-choice-row .regard-value").evaluate_all(
        "(all) => all.map((one) => Number(one.dataset.value))"
    )
    return dict(zip(HEADS, values, strict=True))


def quadrature(C: float, n: int) -> tuple[float, float]:
    """Mean and variance of σ(Z), Z ~ N(C − ln(e^C + n − 2), C²/2), by the trapezoid rule."""
    m, tau = C - math.log(math.exp(C) + n - 2), C / math.sqrt(2)
    z = np.linspace(-12, 12, 200_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    share = 1 / (1 + np.exp(-(m + tau * z)))
    mean = float(np.sum(density * share))
    return mean, float(np.sum(density * share**2)) - mean**2


def test_one_head_has_the_law_of_the_logistic_normal() -> None:
    C, n = 10.0, 4
    found = ask("noisy_keys", {**PLAIN, "C": C, "alpha": 0.0, "variance": 0.5}).data
    mean, variance = quadrature(C, n)
    rest = math.exp(C) / (math.exp(C) + n - 2)  # what is left goes to v_b, and to two zeros
    assert found["mean"] == pytest.approx([mean, (1 - mean) * rest], abs=1e-9)
    assert found["covariance"][0][0] == pytest.approx(variance, abs=1e-9)
    distance = (
        variance * (1 + rest**2) + (mean - 0.5) ** 2 + ((1 - mean) * rest - 0.5) ** 2
    )  # E ‖c − c*‖²
    assert found["off"]["one"] == pytest.approx(math.sqrt(distance), abs=1e-9)
    # k_a = γ μ_a with γ ~ N(1, 1/2), so q·k_a < 0 with Φ(−√2)
    assert found["event"]["probability"] == pytest.approx(0.0786496035, abs=1e-10)
    assert [one["probability"] for one in found["limit"]] == pytest.approx([0.5, 0.5])
    assert sorted(one["output"] for one in found["limit"]) == [[0.0, 1.0], [1.0, 0.0]]


def test_two_heads_fail_with_the_probability_of_the_event() -> None:
    found = ask("noisy_keys", {**PLAIN, "heads": "two", "alpha": 0.0}).data
    first, second = found["limit"]
    assert first["probability"] == pytest.approx(0.9213503965, abs=1e-9)  # (1 + erf 1) / 2
    assert first["output"] == pytest.approx([0.5, 0.5])
    assert second["output"] == pytest.approx([0.0, 0.5 + 1 / 6])  # half v_b, half of the others
    assert sum(found["scores"]["expected"]) == pytest.approx(300)
    assert found["scores"]["edges"][12] == 0
    assert sum(found["scores"]["expected"][:12]) == pytest.approx(300 * 0.0786496035, abs=1e-7)
    assert sum(found["scores"]["counts"][:12]) == sum(found["events"]) == found["event"]["count"]


def test_without_noise_every_score_is_the_same() -> None:
    found = ask("noisy_keys", {**PLAIN, "alpha": 0.0, "variance": 0.0}).data
    assert found["event"]["probability"] == 0
    place = found["scores"]["edges"].index(10.0)  # q·k_a = C, in the bin that begins there
    assert found["scores"]["counts"][place] == found["scores"]["expected"][place] == 300


def test_null_steered_heads_are_the_quietest_and_proved() -> None:
    found = ask("noisy_keys", {**PLAIN, "heads": "null_one", "alpha": 1e-3}).data
    # q = x (μ_a + μ_b) − y (the others): x = C R / (P + R), P = 4α + 1/2, R = 2α (n − 2)
    P, R = 4e-3 + 0.5, 4e-3
    x = 10 * R / (P + R)
    np.testing.assert_allclose(found["queries"], [[x, x, x - 10, x - 10]], atol=1e-6)
    assert found["proved"] is True
    assert found["limit"] is None
    best = ask("noisy_keys", {**PLAIN, "alpha": 1e-4}).data["off"]
    assert best["null_two"] < best["null_one"] < best["two"] < best["one"]


def test_what_does_not_fit_is_refused() -> None:
    for wrong in ({"n": 5}, {"n": 2}, {"values": [[1.0]] * 4}, {"heads": "three"}, {"alpha": 1.0}):
        with pytest.raises(Refused):
            ask("noisy_keys", {**PLAIN, **wrong})


@pytest.mark.parametrize("heads", HEADS)
def test_what_is_copied_runs_and_gives_the_same_numbers(browser: Any, lab: Lab, heads: str) -> None:
    screen = open_scene(browser, lab, NAME, heads=heads, alpha=0.001, n=5, seed=3)
    names = run(screen.copied("Copy as Python"))
    assert off(screen)[heads] == pytest.approx(float(names["off"]), abs=1e-9)
    size = screen.page.locator(".regard-plane").evaluate("(svg) => svg.viewBox.baseVal.width")
    dots = screen.page.locator(".regard-plane .regard-dot-drawn").evaluate_all(
        "(all) => all.map((dot) => [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))])"
    )
    cloud = np.array(dots) / size * 4 * [1, -1] + [-2, 2]
    np.testing.assert_allclose(cloud, names["cloud"], atol=1e-9)
    violet = screen.page.locator(".regard-plane .regard-dot-drawn.regard-tone-bad").count()
    assert violet == (0 if heads.startswith("null") else np.count_nonzero(names["events"]))
    problem = regard.problems.loads(screen.copied("Copy as problem file"))
    found = regard.solve(problem)
    assert found.verdict.name == ("NUMERIC" if heads == "null_two" else "PROVED")
    screen.end()


def test_every_control_changes_the_law(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    for label, text, part, value in [
        ("Length of the queries, C", "5", "C", 5),
        ("How much the length of kₐ varies (variance)", "0.25", "variance", 0.25),
        ("Noise of every key in every direction, α", "0.01", "alpha", 0.01),
        ("Number of keys, n", "3", "n", 3),
    ]:
        box = screen.page.get_by_label(f"{label}, as a number")
        box.fill(text)
        box.press("Enter")
        screen.settle()
        assert screen.state[part] == pytest.approx(value)
        noise = 1e-4 if screen.state["alpha"] == 1e-4 else 0.01
        n, C, s2 = screen.state["n"], screen.state["C"], screen.state["variance"]
        covariances = np.repeat(noise * np.eye(n)[None], n, axis=0)
        covariances[0, 0, 0] += s2
        values = np.array(STATE["values"][:n])
        law = regard.analysis.key_noise(
            C * np.array([1.0, 1.0, *[0.0] * (n - 2)]), np.eye(n), covariances, values
        )
        distance = law.variance + np.sum((law.mean - (values[0] + values[1]) / 2) ** 2)
        assert off(screen)["one"] == pytest.approx(math.sqrt(distance), abs=1e-9)
    screen.page.get_by_role("radio", name="Two heads", exact=False).first.check()
    screen.settle()
    assert screen.state["heads"] == "two"
    before = screen.table()
    screen.press("Draw again")
    assert screen.state["seed"] == 1
    after = screen.table()
    assert before[:-1] == after[:-1]  # the law is the same, the draws are others
    screen.end()


def test_a_value_is_moved_by_the_keyboard_and_the_wanted_average_follows(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    screen.page.get_by_role("button", name="v a at").focus()
    screen.page.keyboard.press("ArrowRight")
    screen.settle()
    assert screen.state["values"][0] == [-1.3, 0.9]
    assert screen.table()[0][1:] == ["0", "1.1"]
    screen.end()


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("variance", [0.5, 0.0])
def test_the_law_of_dragged_values_is_what_the_analysis_integrates(
    heads: str, variance: float
) -> None:
    values = np.array([[-1.37, 0.94], [1.28, 1.31], [0.91, -1.12], [-0.73, -0.9], [2.0, 0.3]])
    asked = {"heads": heads, "n": 5, "C": 7.5, "alpha": 3e-4, "variance": variance}
    ask("noisy_keys", {**asked, "values": (values + 1).tolist()})  # before it was dragged here
    answer = ask("noisy_keys", {**asked, "values": values.tolist()})
    covariances = 3e-4 * np.repeat(np.eye(5)[None], 5, axis=0)
    covariances[0, 0, 0] += variance
    queries = np.array(answer.data["queries"])
    direct = regard.analysis.key_noise(queries, np.eye(5), covariances, values)
    np.testing.assert_allclose(answer.data["mean"], direct.mean, atol=1e-12)
    np.testing.assert_allclose(answer.data["covariance"], direct.covariance, atol=1e-12)
    assert direct.error <= answer.data["error"] < 1e-12
    np.testing.assert_allclose(answer.found.mixing, direct.mixing, atol=1e-15)
    if not heads.startswith("null"):
        limit = regard.analysis.key_noise(
            queries, np.eye(5), covariances, values, method="limit", rng=0
        )
        shown = sum(row["probability"] * np.array(row["output"]) for row in answer.data["limit"])
        np.testing.assert_allclose(shown, limit.mean, atol=1e-9)


def test_shares_of_the_limit_go_with_their_rings(browser: Any, lab: Lab) -> None:
    # One head ends on v_a or v_b, 50 % each: two labels that read alike. Steered heads have no limit.
    screen = open_scene(browser, lab, NAME)
    shares = screen.page.locator(".regard-plane .regard-labels text", has_text="%")
    assert shares.all_text_contents() == ["50\u202f%", "50\u202f%"]
    for _ in range(3):
        screen.press("Next")
    assert screen.page.locator(".regard-limit").count() == 0
    assert shares.count() == 0
    screen.press("Back")
    assert shares.count() == screen.page.locator(".regard-limit").count() > 1
    screen.end()
