"""Settings of noise problems, and who wins among scores of which none is negative."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.analysis.noise.hardmax_limit import nonnegative_atoms
from regard.analysis.noise.random_scores import Scores
from regard.checking import check
from regard.kinds.noise.instance import read
from regard.kinds.noise.instance.formulas import average
from regard.kinds.noise.spec import value_symbols
from regard.language import parse
from regard.solving import Status, solve
from solving.reading import gaussian


def changed(**given: Any) -> Any:
    data = problems.to_dict(problems.load("one-head-under-noise"))
    return problems.from_dict({**data, "given": {**data["given"], **given}})


def independent_scores(means: list[list[float]], deviations: list[list[float]]) -> Scores:
    s = np.array(deviations)
    covariances = np.einsum("hn,hg->nhg", s**2, np.eye(len(s)))
    return Scores(np.array(means), covariances, np.full(s.shape, 1e-15))


def test_winners_of_two_heads_that_vary_apart_agree_with_a_simulation() -> None:
    means, deviations = [[1.0, 0.5, 0.8], [0.2, 1.1, 0.6]], [[0.7, 0.9, 0.0], [0.4, 0.0, 0.8]]
    won, error, kept = nonnegative_atoms(
        independent_scores(means, deviations), np.random.default_rng(0)
    )
    rng = np.random.default_rng(3)
    s = np.array(means) + np.array(deviations) * rng.standard_normal((10**6, 2, 3))
    inside = s[np.all((s >= 0) | (np.array(deviations) == 0), axis=(1, 2))]
    assert error <= 1e-9
    np.testing.assert_allclose(kept, len(inside) / len(s), atol=2e-3)
    np.testing.assert_allclose(sum(chance for chance, _ in won), 1, rtol=1e-9)
    first = np.argmax(inside, axis=-1)
    for chance, ((one,), (two,)) in won:
        seen = np.mean((first[:, 0] == one) & (first[:, 1] == two))
        np.testing.assert_allclose(chance, seen, atol=3e-3)


def test_one_noise_in_two_heads_has_closed_forms() -> None:
    # Scores 1 + z against 2 in one head, 1 + z/2 against 0 in the other: z ≥ -1, a change at z = 1.
    covariances = np.zeros((2, 2, 2))
    covariances[0] = np.outer([1.0, 0.5], [1.0, 0.5])
    scores = Scores(np.array([[1.0, 2.0], [1.0, 0.0]]), covariances, np.full((2, 2), 1e-15))
    won, _, kept = nonnegative_atoms(scores, np.random.default_rng(0))
    phi = NormalDist().cdf
    np.testing.assert_allclose(kept, 1 - phi(-1), rtol=1e-12)
    found = {keys: chance for chance, keys in won}
    np.testing.assert_allclose(found[((0,), (0,))], (1 - phi(1)) / kept, rtol=1e-12)
    np.testing.assert_allclose(found[((1,), (0,))], (phi(1) - phi(-1)) / kept, rtol=1e-12)


@pytest.mark.parametrize(
    ("shares", "formula"),
    [
        ([0.5, 0.5, 0, 0, 0], "(v_a + v_b)/2"),
        ([0, 0.25, 0.25, 0.25, 0.25], "vbar_not_a"),
        ([0.2, 0.2, 0.2, 0.2, 0.2], "vbar"),
        ([0.5, 0.5, -1 / 3, -1 / 3, -1 / 3], "(v_a + v_b - 2 vbar_rest)/2"),
        ([0, 0.625, 0.125, 0.125, 0.125], "(v_b + vbar_not_a)/2"),
        ([0.1, 0, 0.7, 0.2, 0], "(v_a + 7 v_3 + 2 v_4)/10"),
    ],
)
def test_an_average_is_written_in_few_words(shares: list[float], formula: str) -> None:
    names = {"a": 0, "b": 1}
    found = average(np.array(shares, float), names).formula
    assert found == formula
    values = np.random.default_rng(0).standard_normal((5, 3))
    symbols = value_symbols(changed(n=5).given, values)
    np.testing.assert_allclose(parse(found).evaluate(symbols), np.array(shares) @ values)


@pytest.mark.parametrize(
    "given",
    [
        {"queries": ["C mu_a + sqrt(C) mu_b"]},  # the direction goes on turning
        {"queries": ["(1 + 1/C) mu_a"]},  # a length with a limit
        {"keys": gaussian({"a": "(1/C) mu_a mu_a'", "others": "0 I"})},  # keys that change as well
    ],
    ids=str,
)
def test_a_limit_that_is_not_worked_out_is_not_called_proved(given: dict[str, Any]) -> None:
    problem = changed(parameters={"alpha": 1e-4, "C": 5.0}, limits=["C -> inf"], **given)
    assert read(problem.given).open_limit == "C"
    solution = solve(problem)
    assert solution.verdict is Status.UNDECIDED
    assert "the limit is not worked out" in " ".join(text for text, _ in solution.steps)


def test_an_answer_about_a_limit_that_is_not_known_is_left_to_a_person() -> None:
    keys = gaussian({"a": "(1/C) mu_a mu_a'", "others": "0 I"})
    problem = changed(parameters={"alpha": 1e-4, "C": 5.0}, limits=["C -> inf"], keys=keys)
    atoms = [{"value": "(v_a + v_b)/2", "probability": "1"}]
    found = check(problem, {"atoms": atoms, "mean": "(v_a + v_b)/2", "variance": "0"})
    assert (found.score, found.decided) == (None, False)
    assert found.goals[0].sentence == "the law is not known"
