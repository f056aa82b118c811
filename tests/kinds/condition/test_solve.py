"""Problems that ask when something happens: conditions run on both sides of their border."""

from __future__ import annotations

import dataclasses
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import regard.solving as condition
from regard import problems
from regard.certify import Claim, verify
from regard.errors import InvalidProblem
from regard.kinds.condition.vary import vary
from regard.language import notation, parse
from regard.report import Plot, Slider
from regard.solving import Status
from solving.conditions import condition_cases
from solving.reading import captioned, words

BUNDLED = (
    "copy-a-value",
    "one-key-dominates",
    "output-under-dominance",
    "query-along-a-key",
    "overwhelming-weight",
    "when-a-key-can-win",
)
FEW = 3
SCORES = ("copy-a-value", "one-key-dominates", "output-under-dominance", "overwhelming-weight")


def problem(given: dict[str, Any], goal: dict[str, Any]) -> Any:
    given = {"names": {"j": 0}, "keys": {"law": "arbitrary"}, **given}
    data = {"schema": 1, "id": "x", "title": "x", "kind": "condition", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": {"of": "j", **goal}})


@cache
def solved(name: str) -> Any:
    return condition.solve(problems.load(name))


def softmax(scores: Any) -> np.ndarray:
    powers = np.exp(np.asarray(scores, float) - np.max(scores))
    return powers / np.sum(powers)


def holds(solution: Any, scores: np.ndarray, keys: np.ndarray | None = None) -> bool:
    formula = parse(solution.answer["condition"])
    cases = condition_cases(solution.problem, scores, keys)
    if len(cases) > FEW and keys is None:  # the strongest rivals decide
        other = f"s_{solution.problem.goal.other}"
        cases = sorted(cases, key=lambda case: -float(case[other]))[:FEW]
    return all(bool(formula.evaluate(case)) for case in cases)


def happens(of: Any, scores: np.ndarray, rng: np.random.Generator) -> bool:
    """The effect itself, for conditions on scores."""
    row, weights = of.given.names[of.goal.of], softmax(scores)
    if of.goal.effect == "mass":
        return bool(weights[row] >= 1 - of.goal.epsilon)
    others = np.delete(weights, row)
    if of.goal.effect == "pairwise":
        return bool(weights[row] >= of.goal.ratio * np.max(others))
    values = rng.normal(size=(len(scores), 2))  # the worst values: all others in one place
    values[np.arange(len(scores)) != row] = values[row - 1]
    away = np.linalg.norm(values - values[row], axis=1)
    missed = np.linalg.norm(weights @ values - values[row])
    return bool(missed <= of.goal.epsilon * np.max(away))


def near_the_border(of: Any, rng: np.random.Generator, size: int) -> np.ndarray:
    """Scores whose effect is about as likely as not."""
    row = of.given.names[of.goal.of]
    scores = rng.normal(scale=2, size=size)
    others = np.delete(scores, row)
    level = math.log(of.goal.ratio) + np.max(others)
    if of.goal.effect != "pairwise":
        level = math.log((1 - of.goal.epsilon) / of.goal.epsilon) + np.log(np.sum(np.exp(others)))
    scores[row] = level + rng.normal(scale=0.3)
    return scores + rng.normal(scale=5)


def judged_both_ways(of: Any, solution: Any, seed: int, trials: int = 40) -> None:
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(trials):
        scores = near_the_border(of, rng, of.given.n)
        truth = happens(of, scores, rng)
        assert holds(solution, scores) == truth
        seen.add(truth)
    assert seen == {True, False}


def can_win(keys: np.ndarray, row: int) -> bool:
    """Whether some query lifts a key above all others, by a linear program."""
    gaps = np.delete(keys, row, axis=0) - keys[row]
    found = linprog(
        np.zeros(keys.shape[1]),
        A_ub=gaps,
        b_ub=-np.ones(len(gaps)),
        bounds=[(None, None)] * keys.shape[1],
    )
    return found.status == 0


# ------------------------------------------------------------------ all bundled problems


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_problem_is_solved_and_proved(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot | Slider) for block in solution.details)
    for latex in (solution.headline, *(formula for _, formula in solution.steps if formula)):
        notation.check(latex)


@pytest.mark.parametrize("name", SCORES)
def test_a_condition_on_scores_is_necessary_and_sufficient(name: str) -> None:
    judged_both_ways(problems.load(name), solved(name), 0)


@pytest.mark.parametrize("of", ["i", "first", "a"])
def test_conditions_use_the_names_of_the_problem(of: str) -> None:
    other = "j" if of == "i" else "i"
    given = {"n": 5, "names": {of: 3}}
    for effect in ("mass", "output", "pairwise"):
        asked = problem(given, {"of": of, "other": other, "effect": effect, "epsilon": 0.1})
        solution = condition.solve(asked)
        assert solution.verdict is Status.PROVED
        judged_both_ways(asked, solution, 1)
        text = " ".join(latex for _, latex in solution.steps) + solution.headline
        assert ("s_j" in text) == (other == "j")


@pytest.mark.parametrize("epsilon", [0.9, 0.5, 1e-9])
@pytest.mark.parametrize("n", [2, 3, 700])
@pytest.mark.parametrize("effect", ["mass", "output"])
def test_every_size_and_epsilon_is_proved(effect: str, n: int, epsilon: float) -> None:
    of = problem({"n": n}, {"effect": effect, "epsilon": epsilon})
    assert condition.solve(of).verdict is Status.PROVED


# ------------------------------------------------------------------ the theory's numbers


def test_the_factor_for_a_copy_is_that_of_the_theory() -> None:
    """G06."""
    text = words(solved("copy-a-value"))
    assert r"C \approx 16.01" in text
    assert r"\approx 15.19" in text


def test_gaps_and_bounds_are_those_of_the_theory() -> None:
    """G55."""
    text = words(solved("one-key-dominates"))
    for number in ("8.005367067", "6.906754779"):
        assert number in text, number
    assert r"s_j \ge 100 s_i" in text  # (0.1, 0.001) has this ratio, and the weight 0.5247
    cells = captioned(solved("one-key-dominates"), "5, 1, 0, -2").rows[0]
    found = [float(cell) for cell in cells[1:]]
    golden = [0.01798620996209156, 0.02530832534520062, 0.0520850061724844]
    np.testing.assert_allclose(found, golden, rtol=1e-9)


def test_the_longer_key_takes_the_weight() -> None:
    """G56."""
    rows = captioned(solved("query-along-a-key"), "a query along").rows
    found = [float(row[4]) for row in rows]
    golden = [0.006692549116589287, 0.9932623568421743, 4.509404123635488e-05]
    np.testing.assert_allclose(found, golden, rtol=1e-5)
    assert "does not hold" in words(solved("query-along-a-key"))


def test_a_hundred_times_every_other_may_be_a_ten_thousandth() -> None:
    text = words(solved("overwhelming-weight"))
    assert f"{100 / (100 + 10**6 - 1):.6g}" in text
    assert f"{math.log(100):.10g}" in text


def test_the_margin_of_a_key_is_that_of_the_theory() -> None:
    """G07."""
    text = words(solved("when-a-key-can-win"))
    assert "1.897366596" in text
    assert "(0.9487, -0.3162)" in text
    assert "(0.2, 0.6)" in text
    assert r"\frac{4}{5} k_2 + \frac{1}{5} k_4" in text


def test_the_largest_weights_of_keys_that_cannot_win_are_those_of_the_theory() -> None:
    """G08, G09."""
    rows = {row[0]: row for row in captioned(solved("when-a-key-can-win"), "four keys").rows}
    ceilings = [float(row[3]) for row in rows.values()]
    known = [1, 0.2667051238, 0.2, 0.5]
    assert all(0 <= found - least <= 1e-4 for found, least in zip(ceilings, known, strict=True))
    assert rows["inside a triangle"][4] == "(0.3183, 0.231)"


def test_the_length_of_a_winning_query_is_between_its_bounds() -> None:
    e, delta = 1e-3, 1.8973665961010275
    low, high = (math.log(times * (1 - e) / e) / delta for times in (1, 3))
    steps = " ".join(latex for _, latex in solved("when-a-key-can-win").steps)
    assert r"3.64 \le \lVert q \rVert \le 4.22" in steps
    assert 3.64 <= low < 3.641
    assert 4.219 < high <= 4.22
    claims = solved("when-a-key-can-win").certificate.claims
    claim = next(claim for claim in claims if claim.kind == "weights_close")
    assert low <= np.linalg.norm(claim.witness["query"]) <= high


# ------------------------------------------------------------------ keys


def drawn_keys(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (5, 2)).astype(float)


def test_a_key_can_win_exactly_if_a_query_of_the_condition_exists() -> None:
    seen = set()
    for seed in range(12):
        keys = drawn_keys(seed)
        of = problem({"keys": keys.tolist()}, {"effect": "dominable"})
        solution = condition.solve(of)
        assert solution.verdict is Status.PROVED
        assert solution.answer == {"condition": "k_j' q > k_i' q"}
        claims = {claim.kind: claim for claim in solution.certificate.claims}
        wins = can_win(keys, 0)
        assert ("margin_at_least" in claims) == wins
        assert ("ceiling" in claims) == (not wins)
        if wins:
            q = np.array(claims["margin_at_least"].witness["direction"])
            formula = parse(solution.answer["condition"])
            cases = condition_cases(of, keys @ q, keys)
            assert all(formula.evaluate({**case, "q": q}) for case in cases)
        seen.add(wins)
    assert seen == {True, False}


def test_a_query_along_a_key_wins_exactly_if_the_condition_holds() -> None:
    seen = set()
    for seed in range(20):
        keys = drawn_keys(seed)
        of = problem({"keys": keys.tolist()}, {"effect": "aligned"})
        solution = condition.solve(of)
        assert solution.verdict is Status.PROVED
        wins = bool(softmax(1e3 * keys @ keys[0])[0] > 0.99)
        assert holds(solution, keys @ keys[0], keys) == wins
        aligned = next(c for c in solution.certificate.claims if c.kind == "aligned")
        assert aligned.fields["wins"] == wins
        seen.add(wins)
    assert seen == {True, False}


def test_very_many_keys_of_a_law_are_worked_out_for_some() -> None:
    given = {"n": 2000, "names": {"j": 1700}, "keys": {"law": "orthonormal"}}
    for effect in ("dominable", "mass"):
        assert condition.solve(problem(given, {"effect": effect})).verdict is Status.PROVED


def test_a_name_for_every_other_key_must_not_be_that_of_a_row() -> None:
    with pytest.raises(InvalidProblem, match=r"goal\.other: i is the name of a row"):
        problem({"n": 3, "names": {"j": 0, "i": 1}}, {"effect": "mass"})


# ------------------------------------------------------------------ certificates and variants


@pytest.mark.parametrize("name", SCORES)
def test_a_smaller_gap_is_not_proved(name: str) -> None:
    certificate = solved(name).certificate
    claim = next(c for c in certificate.claims if c.kind == "gap_condition")
    assert claim.fields["says"] == "sufficient"
    smaller = Claim(claim.kind, {**claim.fields, "gap": f"{claim.fields['gap']} - 1/100"})
    assert not verify(dataclasses.replace(certificate, claims=(smaller,))).holds


@pytest.mark.parametrize("name", BUNDLED)
def test_twenty_variants_are_judged_both_ways(name: str) -> None:
    of = problems.load(name)
    for seed in range(20):
        data = {**problems.to_dict(of), **vary(of, np.random.default_rng(seed))}
        other = problems.from_dict(data)
        solution = condition.solve(other)
        assert solution.verdict is Status.PROVED
        if name in SCORES:
            judged_both_ways(other, solution, seed, trials=16)
            continue
        keys = np.array(other.given.keys.rows, float)
        kinds = {claim.kind for claim in solution.certificate.claims}
        if name == "when-a-key-can-win":
            assert ("margin_at_least" in kinds) == can_win(keys, 0)
        else:
            assert holds(solution, keys @ keys[0], keys) == bool(
                softmax(1e3 * keys @ keys[0])[0] > 0.99
            )
