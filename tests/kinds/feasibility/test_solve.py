"""Tokens that are their own queries, keys and values: what comes out, and what cannot."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from regard.certify import verify
from regard.errors import InvalidProblem
from regard.kinds.feasibility import vary as variants
from regard.kinds.feasibility.instance import instance
from regard.kinds.feasibility.solve.excluded_multiples import cover, fading, least_gap
from regard.language import parse
from regard.problems import from_dict, load, token_instance
from regard.report import Plot
from regard.solving import Solution, Status, solve, variant
from solving.reading import SEEDS, with_column

ID = "tokens-as-their-own-keys"
NAMES = ["u_a", "u_b", "u_c", "u_d", "u_e"]


def problem(given: dict[str, Any], output: dict[str, str], tolerance: float = 0.01) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "feasibility", "statement": "p"}
    goal = {"output": output, "tolerance": tolerance}
    return from_dict({**head, "given": given, "goal": goal})


def tokens_of(tokens: list[str], change: dict[str, Any], beta: float = 3.0) -> dict[str, Any]:
    return {
        "parameters": {"beta": beta},
        "basis": {"names": NAMES, "norm": "beta"},
        "tokens": tokens,
        "change": change,
        "limits": ["beta -> inf"],
    }


def output(tokens: np.ndarray, row: int, scale: float = 1.0) -> np.ndarray:
    """Self-attention by its definition."""
    scores = [scale * float(np.dot(tokens[row], key)) for key in tokens]
    powers = [math.exp(score - max(scores)) for score in scores]
    return np.asarray(sum(p * x for p, x in zip(powers, tokens, strict=True)) / sum(powers))


def claims(solution: Solution, kind: str) -> list[Any]:
    return [claim for claim in solution.certificate.claims if claim.kind == kind]


def test_the_bundled_problem_is_proved_impossible() -> None:
    solution = solve(load(ID))
    assert solution.verdict is Status.IMPOSSIBLE
    assert solution.answer == {"possible": False, "c_2": "u_a"}
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot) for block in solution.details)


def test_the_distance_to_the_limit_is_its_closed_form() -> None:
    solution = solve(load(ID))
    beta = 3.0
    bound = claims(solution, "outputs_close")[0].fields["bound"]
    np.testing.assert_allclose(bound, math.sqrt(10) * beta / (math.exp(beta**2) + 2), rtol=1e-6)
    assert r"\frac{\sqrt{10} \, \beta}{e^{\beta^2} + 2}" in solution.steps[1][1]


def test_the_numbers_for_other_lengths_are_those_of_the_theory() -> None:
    rows = with_column(solve(load(ID)), "distance to its limit").rows
    assert rows[0][0] == "1.5"
    np.testing.assert_allclose(float(rows[0][2]), 0.4129113480516954, rtol=1e-9)
    assert rows[0][1] == "(0.08705, 0.8259, 0.08705)"


def test_no_weights_come_near_as_the_theory_says() -> None:
    solution = solve(load(ID))
    rows = with_column(solution, "nearest weights").rows
    distances = [float(row[4]) for row in rows]
    expected = 3 * np.sqrt([2 / 5, 1 / 2, 1 / 2])
    np.testing.assert_allclose(distances, expected, rtol=1e-9)
    assert [row[5] for row in rows] == ["63.2 %", "70.7 %", "70.7 %"]
    assert rows[0][3] == "(0.4, 0.2, 0.4)"
    bounds = [c.fields["bound"] for c in claims(solution, "apart_from_hull")[:3]]
    np.testing.assert_allclose(bounds, expected, rtol=1e-9)
    assert r"\sqrt{2/5} \, \beta" in solution.steps[2][1]
    assert r"\sqrt{1/2} \, \beta" in solution.steps[3][1]


def test_every_multiple_leaves_the_token_on_itself() -> None:
    solution = solve(load(ID))
    line = solution.steps[4][1]
    assert r"\beta^2 (1 - \lambda + \lambda^2) \ge \frac{3}{4} \beta^2" in line
    gaps = [claim.fields["gap"] for claim in claims(solution, "gap_condition")]
    np.testing.assert_allclose(gaps, [0.75 * 9, 0.75 * 9])
    identity = claims(solution, "identity")[0]
    assert identity.fields["right"] == "(t - 1/2)^2 + 3/4"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_variant_is_as_impossible_as_the_original(seed: int) -> None:
    changed = variants.vary(load(ID), np.random.default_rng(seed))
    drawn = problem(changed["given"], changed["goal"]["output"], changed["goal"]["tolerance"])
    solution = solve(drawn)
    assert solution.verdict is Status.IMPOSSIBLE
    tokens, symbols = token_instance(drawn.given)
    label, wanted = next(iter(drawn.goal.output.items()))
    row, beta = int(label[2:]) - 1, drawn.given.parameters["beta"]
    limit = np.asarray(parse(solution.answer[label]).evaluate(symbols))
    # Among three tokens of which the others are at right angles to this one.
    away = math.sqrt(10) * beta / (math.exp(beta**2) + 2)
    np.testing.assert_allclose(np.linalg.norm(output(tokens, row) - limit), away, rtol=1e-9)
    goal = np.asarray(parse(wanted).evaluate(symbols))
    bounds = sorted(c.fields["bound"] for c in claims(solution, "apart_from_hull"))
    np.testing.assert_allclose(bounds[:3], beta * np.sqrt([0.4, 0.5, 0.5]), rtol=1e-9)
    for text in drawn.given.change.add:
        added = np.asarray(parse(text).evaluate(symbols))
        for factor in np.linspace(-5, 5, 41):
            moved = tokens.copy()
            moved[row] += factor * added
            assert np.linalg.norm(output(moved, row) - goal) >= bounds[3]
    assert all(part in changed["statement"] for part in ("multiple", label.replace("_", "_{")))


def test_a_variant_passes_the_gate() -> None:
    one = variant(load(ID), 2)
    assert one == variant(load(ID), 2)
    assert one.statement != load(ID).statement


def test_what_is_possible_comes_with_the_multiple_that_does_it() -> None:
    # x_1 is long: x_2 = u_a + t u_b scores it with 3 t, and itself with 1 + t².
    given = tokens_of(["3 u_b", "u_a", "u_c"], {"token": "x_2", "add": ["u_b"]})
    asked = problem(given, {"c_2": "3 u_b"})
    solution = solve(asked)
    assert solution.verdict is Status.PROVED
    assert solution.answer["possible"] is True
    assert solution.answer["c_2"] == "u_a"
    tokens, symbols = token_instance(asked.given)
    tokens[1] = parse(solution.answer["x_2"]).evaluate(symbols)
    assert solution.answer["x_2"] == "u_a + u_b"  # the plainest of many
    goal = np.asarray(parse("3 u_b").evaluate(symbols))
    assert np.linalg.norm(output(tokens, 1) - goal) <= 0.01 * np.linalg.norm(goal)
    assert str(solution.report())


def test_a_goal_that_is_reached_already_needs_no_change() -> None:
    given = tokens_of(["u_b", "u_a"], {"token": "x_2", "add": ["u_b"]})
    solution = solve(problem(given, {"c_2": "u_a"}))
    assert solution.verdict is Status.PROVED
    assert solution.answer == {"possible": True, "c_2": "u_a", "x_2": "u_a"}


def test_another_token_may_be_changed() -> None:
    # Row 1 sees x_2 only if u_a is added to it, and then there is u_a in the output.
    given = tokens_of(["u_a", "u_b"], {"token": "x_2", "add": ["u_a"]})
    solution = solve(problem(given, {"c_1": "u_b"}))
    assert solution.verdict is Status.IMPOSSIBLE
    assert str(solution.report())
    given = tokens_of(["u_a", "u_b"], {"token": "x_2", "add": ["u_a"]})
    solution = solve(problem(given, {"c_1": "u_b + 2 u_a"}))
    assert solution.verdict is Status.PROVED
    assert solution.answer["x_2"] == "u_b + 2 u_a"


def test_a_goal_that_only_a_huge_multiple_reaches_is_not_called_impossible() -> None:
    # x_2 keeps the weight 1 / (1 + e^4) of row 1 whatever is added to it at right angles.
    given = tokens_of(["u_a", "u_b"], {"token": "x_2", "add": ["u_c"]}, beta=2.0)
    solution = solve(problem(given, {"c_1": "u_a + 20 u_c"}))
    tokens = 2 * np.eye(5)[:2]
    tokens[1, 2] = 2 * 20 * (1 + math.exp(4))
    goal = 2 * np.array([1.0, 0, 20, 0, 0])
    assert np.linalg.norm(output(tokens, 0) - goal) <= 0.01 * np.linalg.norm(goal)
    assert solution.verdict is not Status.IMPOSSIBLE


def test_a_token_that_fades_is_out_of_reach_though_it_moves_towards_the_goal() -> None:
    # Row 1 scores x_2 lower and lower the farther it moves along -u_a.
    given = tokens_of(["u_a", "u_b", "u_a"], {"token": "x_2", "add": ["u_a"]}, beta=1.0)
    solution = solve(problem(given, {"c_1": "(0 - 3) u_a"}))
    assert solution.verdict is Status.IMPOSSIBLE


@pytest.mark.parametrize("seed", range(6))
def test_what_a_fading_token_adds_is_at_most_what_is_said(seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = instance(drawn_problem(rng))
    vector = next(iter(at.added.values()))
    for sign in (1.0, -1.0):
        end = sign * float(rng.uniform(0, 2))
        said = fading(at, vector, end, sign * vector)
        most = 0.0
        for u in np.linspace(0, 40, 400):
            tokens = at.tokens.copy()
            tokens[at.changed] += (end + sign * u) * vector
            scores = at.scale * tokens @ tokens[at.row]
            weight = np.exp(scores[at.changed] - scores.max()) / np.exp(scores - scores.max()).sum()
            most = max(most, float(weight * u * np.linalg.norm(vector)))
        assert most <= said


def test_ties_are_shared_evenly() -> None:
    given = tokens_of(["u_a", "u_a + u_b", "u_c"], {"token": "x_3", "add": ["u_b"]})
    solution = solve(problem(given, {"c_1": "u_c"}))
    assert solution.answer["c_1"] == "1/2 (u_a) + 1/2 (u_a + u_b)"


def test_without_a_limit_the_weights_of_the_instance_count() -> None:
    given = tokens_of(["u_a", "u_b"], {"token": "x_1", "add": ["u_b"]}, beta=1.0)
    del given["limits"]
    asked = problem(given, {"c_1": "u_c"})
    solution = solve(asked)
    _, symbols = token_instance(asked.given)
    e = math.e
    expected = np.array([e / (e + 1), 1 / (e + 1), 0, 0, 0])
    np.testing.assert_allclose(parse(solution.answer["c_1"]).evaluate(symbols), expected)


def test_a_single_token_attends_to_itself() -> None:
    given = tokens_of(["u_a"], {"token": "x_1", "add": ["u_b"]})
    assert solve(problem(given, {"c_1": "u_c"})).verdict is Status.IMPOSSIBLE
    solution = solve(problem(given, {"c_1": "u_a + u_b"}))
    assert solution.answer["x_1"] == "u_a + u_b"
    assert solution.verdict is Status.PROVED


def drawn_problem(rng: np.random.Generator) -> Any:
    def combination(most: int) -> str:
        names = rng.choice(NAMES, int(rng.integers(1, most + 1)), replace=False)
        return " + ".join(f"{rng.choice(['', '2 ', '1/2 '])}{name}" for name in names)

    n = int(rng.integers(2, 5))
    given = tokens_of(
        [combination(2) for _ in range(n)],
        {"token": f"x_{rng.integers(1, n + 1)}", "add": [combination(1)]},
        beta=float(rng.choice([1.0, 2.0, 3.0])),
    )
    given["scale"] = float(rng.choice([0.5, 1.0, 2.0]))
    return problem(given, {f"c_{rng.integers(1, n + 1)}": combination(2)}, 0.05)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_agrees_with_a_search(seed: int) -> None:
    asked = drawn_problem(np.random.default_rng(seed))
    solution = solve(asked)
    at = instance(asked)
    size = float(np.linalg.norm(at.goal))
    factors = np.concatenate([np.linspace(-20, 20, 2001), [-1e3, 1e3]])
    errors = []
    for factor in factors:
        tokens = at.tokens.copy()
        tokens[at.changed] += factor * next(iter(at.added.values()))
        errors.append(float(np.linalg.norm(output(tokens, at.row, at.scale) - at.goal)) / size)
    if solution.verdict is Status.IMPOSSIBLE:
        assert min(errors) > 0.05
        pieces = cover(at, next(iter(at.added.values())), 0.05 * size, "p")
        assert pieces is not None
        # The pieces cover the line, and what each claims is true of every factor on it.
        assert pieces[0].low == -math.inf
        assert pieces[-1].high == math.inf
        for one, after in pairwise(pieces):
            assert one.high == after.low
        for piece in pieces:
            on = (factors >= piece.low) & (factors <= piece.high)
            assert all(error * size >= piece.bound for error in np.array(errors)[on])
    elif solution.verdict is Status.PROVED:
        tokens, symbols = token_instance(asked.given)
        tokens[at.changed] = parse(solution.answer[f"x_{at.changed + 1}"]).evaluate(symbols)
        assert np.linalg.norm(output(tokens, at.row, at.scale) - at.goal) <= 0.05 * size
    else:
        pytest.fail("undecided")


@pytest.mark.parametrize(
    ("polynomial", "low", "high", "least"),
    [
        ([1.0, -1.0, 1.0], -math.inf, math.inf, 0.75),
        ([1.0, -1.0, 1.0], 1.0, math.inf, 1.0),
        ([2.0, 3.0, 0.0], -math.inf, 0.0, -math.inf),
        ([2.0, 3.0, 0.0], -1.0, math.inf, -1.0),
        ([2.0, 0.0, 0.0], -math.inf, math.inf, 2.0),
        ([0.0, 0.0, -1.0], -2.0, 1.0, -4.0),
        ([0.0, 0.0, -1.0], -2.0, math.inf, -math.inf),
    ],
)
def test_the_least_value_of_a_polynomial(
    polynomial: list[float], low: float, high: float, least: float
) -> None:
    assert least_gap(np.array(polynomial), low, high) == least


def test_a_certificate_about_other_tokens_does_not_hold() -> None:
    certificate = solve(load(ID)).certificate
    tokens = np.array(certificate.arrays["tokens"]) + 1e-3
    assert not verify(certificate, tokens=tokens).holds


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tokens": ["u_a", "u_x"]}, "u_x is not declared"),
        ({"tokens": ["u_a", "u_a u_b'"]}, "must be a vector"),
        ({"tokens": ["u_a", "1e9 u_b"]}, "at most 1e\\+06"),
        ({"parameters": {"beta": -1.0}}, "must be above 0"),
        ({"parameters": {"beta": 1.0, "u_a": 2.0}}, "u_a is declared twice"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    given = tokens_of(["u_a", "u_b"], {"token": "x_1", "add": ["u_b"]})
    with pytest.raises(InvalidProblem, match=says):
        problem({**given, **change}, {"c_1": "u_b"})
