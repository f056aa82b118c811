"""Noise problems: the law of the output, against sums over a grid of the noise and closed forms."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.certify import verify
from regard.errors import InvalidProblem
from regard.kinds.noise.solve import find
from regard.kinds.noise.solve.head_correlation import correlations
from regard.kinds.noise.spec import value_symbols
from regard.kinds.noise.vary import vary
from regard.language import notation, parse
from regard.report import Plot, Slider, Table
from regard.solving import Status, solve
from solving.reading import gaussian, words

ONE_HEAD = ("one-head-under-noise", "a-key-of-random-length", "noise-on-an-averaged-key")
TWO_HEADS = ("two-heads-under-noise", "one-noisy-head-of-two")
BUNDLED = (*ONE_HEAD, *TWO_HEADS, "noise-on-another-key")
LARGE = 1e6  # a size of the query that is as good as infinite
GRID = np.array([NormalDist().inv_cdf((j + 0.5) / 2000) for j in range(2000)])


@cache
def solved(name: str) -> Any:
    return solve(problems.load(name))


def changed(name: str, find: list[str] | None = None, **given: Any) -> Any:
    data = problems.to_dict(problems.load(name))
    data["given"] = {**data["given"], **given}
    if find is not None:
        data["goal"] = {"find": find}
    return problems.from_dict(data)


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True)


def outputs_on_a_grid(problem: Any, rng: np.random.Generator, size: float) -> tuple[Any, Any]:
    """The output for equally likely noises of the one key that varies, small noises being 0."""
    given = problem.given
    small = {name: 0.0 for name in given.parameters if name != "C"}
    instance = problems.key_instance(given, rng, parameters={**small, "C": size})
    symbols = instance.symbols
    keys = np.repeat(instance.keys[None], len(GRID), axis=0)
    for row, covariance in enumerate(instance.covariances):
        sizes, axes = np.linalg.eigh(covariance)
        keys[:, row] += (
            GRID[:, None]
            * math.sqrt(max(sizes[-1], 0.0))
            * axes[:, -1]
            * np.sign(axes[:, -1] @ instance.keys[row] or 1.0)
        )
    out = 0.0
    negative = np.zeros(len(GRID), dtype=bool)
    for text in given.queries:
        scores = keys @ np.asarray(parse(text).evaluate(symbols))
        negative |= np.min(scores, axis=1) < -1e-6 * size
        out = out + softmax(scores) @ instance.values / len(given.queries)
    if given.ignore_negative:
        out = out[~negative]
    return out, {**value_symbols(given, instance.values), "n": float(given.n)}


def number(text: Any, symbols: dict[str, Any] | None = None) -> Any:
    return parse(str(text)).evaluate(symbols or {})


def agrees_with_the_grid(problem: Any, answer: dict[str, Any], seed: int) -> None:
    out, symbols = outputs_on_a_grid(problem, np.random.default_rng([3, seed]), LARGE)
    width = np.max(np.abs(out)) + 1
    left = np.ones(len(out), dtype=bool)
    for atom in answer["atoms"]:
        point = np.asarray(number(atom["value"], symbols))
        near = np.max(np.abs(out - point), axis=1) < 1e-6 * width
        left &= ~near
        np.testing.assert_allclose(np.mean(near), number(atom["probability"]), atol=2e-3)
    assert np.count_nonzero(left) <= 2  # noises at which two keys tie
    np.testing.assert_allclose(sum(number(a["probability"]) for a in answer["atoms"]), 1)
    np.testing.assert_allclose(
        number(answer["mean"], symbols), np.mean(out, axis=0), atol=3e-3 * width
    )
    spread = np.sum(np.var(out, axis=0))
    np.testing.assert_allclose(
        number(answer["variance"], symbols), spread, atol=1e-2 * (spread + 1e-9)
    )


# ---------------------------------------------------------------- the bundled problems


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_problem_is_solved_and_proved(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert {claim.kind for claim in solution.certificate.claims} >= {"hard_limit", "output_law"}
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 6
    assert any(isinstance(block, Plot | Slider) for block in solution.details)
    notation.check(solution.headline)
    for _, latex in solution.steps:
        notation.check(latex)
    assert problems.load(name).title in str(solution.report())
    assert set(solution.answer) == set(problems.load(name).goal.find)


@pytest.mark.parametrize("name", BUNDLED)
def test_the_answer_of_a_bundled_problem_holds_for_other_instances(name: str) -> None:
    problem = problems.load(name)
    answer = find(problem.given).fields
    for seed in range(3):
        agrees_with_the_grid(problem, answer, seed)


def test_one_head_jumps_between_two_values() -> None:
    answer = solved("one-head-under-noise").answer
    assert [(atom["value"], atom["probability"]) for atom in answer["atoms"]] == [
        ("v_a", "1/2"),
        ("v_b", "1/2"),
    ]
    assert answer["mean"] == "(v_a + v_b)/2"
    assert answer["variance"] == "1/4 norm(v_a - v_b)^2"


def test_two_heads_stay_with_the_average_if_nothing_is_negative() -> None:
    solution = solved("two-heads-under-noise")
    assert solution.answer["atoms"] == [{"value": "(v_a + v_b)/2", "probability": "1"}]
    assert solution.answer["variance"] == "0"
    assert solution.answer["independent"] is True


def test_the_case_that_may_be_ignored_has_its_probability() -> None:
    answer = solved("one-noisy-head-of-two").answer
    p = 0.5 * (1 + math.erf(1))
    np.testing.assert_allclose(p, 0.9213503965, atol=5e-11)
    chances = [number(atom["probability"]) for atom in answer["atoms"]]
    np.testing.assert_allclose(chances, [p, 1 - p], rtol=1e-12)
    assert [atom["value"] for atom in answer["atoms"]] == ["(v_a + v_b)/2", "(v_b + vbar_not_a)/2"]


def test_noise_that_the_query_does_not_look_at_does_nothing() -> None:
    solution = solved("noise-on-another-key")
    assert solution.answer["atoms"] == [{"value": "(v_i + v_j)/2", "probability": "1"}]
    text = words(solved("noise-on-another-key"))
    assert "(0.49998, 0.49998, 2.27e-05, 2.27e-05)" in text  # weights at C = 10
    assert "The noise has no effect here: it moves the key at right angles to the query" in text


# ---------------------------------------------------------------- numbers of the reports


def table(solution: Any, first: str) -> Table:
    return next(b for b in solution.details if isinstance(b, Table) and b.columns[0] == first)


def test_the_table_of_sizes_has_the_known_numbers() -> None:
    # Trace of the covariance for V = I, n = 4: single, two heads, two heads given a positive
    # length, and the ratios, in the last of which both are given a positive length.
    known = {
        "1": (0.032530, 0.008431, 0.006697, 3.86, 4.1),
        "5": (0.294142, 0.024681, 0.009882, 11.9, 27.8),
        "10": (0.390606, 0.024311, 0.005108, 16.1, 73.9),
        "100": (0.488720, 0.024112, 0.000483, 20.3, 1003),
    }
    found = {row[0]: row[1:] for row in table(solved("two-heads-under-noise"), "C").rows}
    for size, (one, two, kept, ratio, kept_ratio) in known.items():
        cells = [float(cell) for cell in found[size]]
        np.testing.assert_allclose(cells[0], one, atol=6e-7)
        np.testing.assert_allclose(cells[1], two, atol=6e-7)
        np.testing.assert_allclose(cells[3], kept, atol=6e-7)
        np.testing.assert_allclose(cells[4], ratio, rtol=6e-3)
        np.testing.assert_allclose(cells[5], kept_ratio, rtol=2e-2)
    limit = found["∞"]
    np.testing.assert_allclose([float(c) for c in limit[:2]], [0.5, 0.02415461446], atol=6e-8)
    assert (limit[3], limit[5]) == ("0", "infinity")
    np.testing.assert_allclose(float(limit[4]), 20.699978497, atol=6e-6)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        (
            "two-heads-under-noise",
            [
                "0.9214",
                "13.8",
                "(0.4607, 0.5131, 0.01311, 0.01311)",
                "0.142 at C = 1, 0.124 at C = 10, 0.054 at C = 50",
                "0.0153, with leading term 0.0143",
                "correlation 0.4520",
                "0.07865",
            ],
        ),
        (
            "one-head-under-noise",
            [
                "in 4.573 % of samples",
                "in 4.573 % if there were only the two keys",
                "(0.499995, 0.49996, 2.27e-05, 2.27e-05)",
            ],
        ),
        (
            "a-key-of-random-length",
            [
                "With 1000 keys and C = 5",
                "is 0.1146 and not 0.5",
            ],
        ),
        # Queries that are blind to the noise, for n = 5, noise 1e-3 and C = 6.
        ("noise-on-an-averaged-key", ["0.569735", "0.155855"]),
        ("one-noisy-head-of-two", ["0.182414", "0.00793523", "0.172789"]),
    ],
)
def test_a_report_has_the_numbers_of_the_theory(name: str, known: list[str]) -> None:
    text = words(solved(name))
    for part in known:
        assert part in text


def test_the_chance_of_a_sample_near_the_average_is_an_error_function() -> None:
    # For two keys: erf(logit(1/2 + η)/C).
    for size in (4.0, 10.0):
        problem = changed("one-head-under-noise", n=2, parameters={"alpha": 1e-4, "C": size})
        expected = 100 * math.erf(math.log(0.6 / 0.4) / size)
        assert f"{expected:.4g} % of samples" in words(solve(problem))


def test_correlations_of_heads_with_different_queries() -> None:
    shared, tilted = correlations()
    np.testing.assert_allclose(shared, 0.4519656688, atol=6e-11)
    rng = np.random.default_rng(5)
    keys = np.eye(3) + 0.3 * rng.standard_normal((200_000, 3, 3))
    first = softmax(keys @ [3.0, 0.0, 0.0])[:, 0]
    second = softmax(keys @ [2.0, 3.0, 0.0])[:, 1]
    np.testing.assert_allclose(tilted, np.corrcoef(first, second)[0, 1], atol=0.01)


# ---------------------------------------------------------------- variants


@pytest.mark.parametrize("name", BUNDLED)
def test_twenty_variants_are_solved_as_the_grid_says(name: str) -> None:
    problem = problems.load(name)
    data = problems.to_dict(problem)
    seen = set()
    for seed in range(20):
        drawn = problems.from_dict({**data, **vary(problem, np.random.default_rng(seed))})
        answer = find(drawn.given).fields
        agrees_with_the_grid(drawn, answer, seed)
        assert answer["independent"] is True
        seen.add((drawn.given.n, str(drawn.given.keys), str(drawn.given.names)))
    assert len(seen) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_twenty_variants_are_proved(name: str) -> None:
    problem = problems.load(name)
    data = problems.to_dict(problem)
    for seed in range(20):
        drawn = problems.from_dict({**data, **vary(problem, np.random.default_rng(seed))})
        assert solve(drawn).verdict is Status.PROVED


def test_a_variant_says_in_words_what_its_covariance_is() -> None:
    problem = problems.load("one-head-under-noise")
    for seed in range(5):
        drawn = vary(problem, np.random.default_rng(seed))
        above, below = drawn["given"]["keys"]["covariance"]["a"].split(" ")[3].split("/")
        assert rf"\tfrac{{{above}}}{{{below}}} \mu_a" in drawn["statement"]


# ---------------------------------------------------------------- problems of other people


def test_the_probability_is_a_formula_in_the_noise() -> None:
    for covariance, value, formula in (
        ("alpha I + s^2 mu_a mu_a'", 2.0, "Phi(1/s)"),
        ("alpha I + s mu_a mu_a'", 2.0, "Phi(1/sqrt(s))"),
        ("alpha I + 9 s^2 mu_a mu_a'", 0.5, "Phi(1/(3 s))"),
    ):
        problem = changed(
            "one-noisy-head-of-two",
            keys=gaussian({"a": covariance, "others": "alpha I"}),
            parameters={"alpha": 1e-3, "C": 6.0, "s": value},
        )
        found = find(problem.given)
        assert found.atoms[0]["probability"] == formula
        deviation = math.sqrt(number(covariance[10:].split(" mu")[0], {"s": value}))
        np.testing.assert_allclose(
            number(found.atoms[0]["probability"], {"s": value}), NormalDist().cdf(1 / deviation)
        )


def test_two_keys_and_other_names() -> None:
    problem = changed(
        "one-head-under-noise",
        n=2,
        names={"left": 1, "right": 0},
        queries=["C (mu_left + mu_right)"],
        keys=gaussian({"left": "alpha I + 1/2 mu_left mu_left'", "others": "alpha I"}),
    )
    solution = solve(problem)
    assert solution.verdict is Status.PROVED
    assert {atom["value"] for atom in solution.answer["atoms"]} == {"v_left", "v_right"}
    agrees_with_the_grid(problem, dict(solution.answer), 0)


def test_three_noisy_heads_make_eight_atoms() -> None:
    problem = changed(
        "one-noisy-head-of-two",
        n=5,
        names={"a": 0, "b": 1, "c": 4},
        queries=["C mu_a", "C mu_b", "C mu_c"],
        parameters={"C": 8.0},
        limits=["C -> inf"],
        keys=gaussian(
            {"a": "1/2 mu_a mu_a'", "b": "mu_b mu_b'", "c": "1/4 mu_c mu_c'", "others": "0 I"}
        ),
    )
    found = find(problem.given)
    phi = NormalDist().cdf
    p, q, r = phi(math.sqrt(2)), phi(1.0), phi(2.0)
    expected = sorted(x * y * z for x in (p, 1 - p) for y in (q, 1 - q) for z in (r, 1 - r))
    np.testing.assert_allclose(sorted(number(a["probability"]) for a in found.atoms), expected)
    values = np.random.default_rng(0).standard_normal((5, 3))
    symbols = value_symbols(problem.given, values)
    chances = [(p, 0), (q, 1), (r, 4)]
    spread = sum(
        x * (1 - x) / 9 * np.sum((values[i] - np.mean(np.delete(values, i, 0), axis=0)) ** 2)
        for x, i in chances
    )
    np.testing.assert_allclose(number(found.variance, symbols), spread)
    assert verify(solve(problem).certificate).holds


def test_heads_that_share_noise_are_not_independent() -> None:
    problem = changed(
        "one-noisy-head-of-two",
        parameters={"C": 3.0},
        limits=["C -> inf"],
        keys=gaussian({"a": "1/4 (mu_a + mu_b) (mu_a + mu_b)'", "others": "0 I"}),
    )
    solution = solve(problem)
    assert solution.answer["independent"] is False
    assert solution.verdict is Status.NUMERIC  # no claim is about heads that share noise
    # Head 1 sees 1 + z/2 against 0, head 2 sees z/2 against 1: both cross at z = ±2.
    phi = NormalDist().cdf
    expected = {"(v_a + v_b)/2": phi(2) - phi(-2), "v_a": 1 - phi(2)}
    found = {a["value"]: number(a["probability"]) for a in solution.answer["atoms"]}
    for value, chance in expected.items():
        np.testing.assert_allclose(found[value], chance)
    np.testing.assert_allclose(sum(found.values()), 1)


def test_equal_heads_are_as_noisy_as_one() -> None:
    one = find(changed("one-head-under-noise").given)
    two = find(changed("one-head-under-noise", queries=["C (mu_a + mu_b)"] * 2).given)
    assert two.atoms == one.atoms
    assert two.variance == one.variance
    assert two.independent is False


def test_the_order_of_limits_matters() -> None:
    small_first = changed("one-head-under-noise", keys=gaussian("alpha I"))
    large_first = changed(
        "one-head-under-noise", keys=gaussian("alpha I"), limits=["C -> inf", "alpha -> 0"]
    )
    assert find(small_first.given).atoms == [{"value": "(v_a + v_b)/2", "probability": "1"}]
    assert find(large_first.given).atoms == [
        {"value": "v_a", "probability": "1/2"},
        {"value": "v_b", "probability": "1/2"},
    ]


def test_noise_in_all_directions_lets_every_key_win_sometimes() -> None:
    problem = changed(
        "one-head-under-noise",
        keys=gaussian("alpha I"),
        limits=["C -> inf"],
        parameters={"C": 10.0, "alpha": 0.3},
    )
    found = find(problem.given)
    rng = np.random.default_rng(2)
    keys = np.eye(4) + math.sqrt(0.3) * rng.standard_normal((400_000, 4, 4))
    wins = np.bincount(np.argmax(keys @ [1.0, 1.0, 0.0, 0.0], axis=1), minlength=4) / 400_000
    chances = {atom["value"]: number(atom["probability"]) for atom in found.atoms}
    np.testing.assert_allclose([chances[v] for v in ("v_a", "v_b", "v_3", "v_4")], wins, atol=4e-3)


def test_without_a_limit_the_mean_and_variance_are_those_of_the_instance() -> None:
    problem = changed(
        "one-head-under-noise", limits=["alpha -> 0"], find=["atoms", "mean", "variance"]
    )
    solution = solve(problem)
    assert solution.verdict is Status.PROVED
    assert solution.answer["atoms"] == []
    out, symbols = outputs_on_a_grid(problem, np.random.default_rng(1), 10.0)
    width = np.max(np.abs(out))
    np.testing.assert_allclose(
        number(solution.answer["mean"], symbols), np.mean(out, axis=0), atol=2e-3 * width
    )
    np.testing.assert_allclose(
        number(solution.answer["variance"], symbols), np.sum(np.var(out, axis=0)), rtol=1e-2
    )


def test_several_noisy_keys_given_that_none_is_negative() -> None:
    problem = changed(
        "one-head-under-noise",
        parameters={"C": 8.0},
        limits=["C -> inf"],
        ignore_negative=True,
        keys=gaussian({"a": "1/2 mu_a mu_a'", "b": "mu_b mu_b'", "others": "0 I"}),
    )
    rng = np.random.default_rng(4)
    a, b = 1 + math.sqrt(0.5) * rng.standard_normal(10**6), 1 + rng.standard_normal(10**6)
    kept = (a >= 0) & (b >= 0)
    chances = {x["value"]: number(x["probability"]) for x in find(problem.given).atoms}
    np.testing.assert_allclose(chances["v_a"], np.mean(a[kept] > b[kept]), atol=2e-3)
    np.testing.assert_allclose(sum(chances.values()), 1)


def test_a_query_with_a_part_that_does_not_grow_shares_ties_unevenly() -> None:
    problem = changed(
        "one-head-under-noise",
        keys=gaussian("alpha I"),
        queries=["C (mu_a + mu_b) + log(3) mu_a"],
    )
    assert find(problem.given).atoms == [{"value": "(3 v_a + v_b)/4", "probability": "1"}]


def test_a_head_without_scale_stays_soft() -> None:
    problem = changed("one-noisy-head-of-two", queries=["C mu_a", "2 mu_b"], n=4)
    found = find(problem.given)
    values = np.random.default_rng(8).standard_normal((4, 2))
    symbols = value_symbols(problem.given, values)
    soft = softmax(np.array([0.0, 2.0, 0.0, 0.0])) @ values
    np.testing.assert_allclose(
        number(found.atoms[0]["value"], symbols), (values[0] + soft) / 2, rtol=1e-12
    )


def test_many_keys_are_solved_and_proved() -> None:
    solution = solve(changed("one-head-under-noise", n=64))
    assert solution.verdict is Status.PROVED
    assert solution.answer["mean"] == "(v_a + v_b)/2"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 100}, "given: n = 100 covariances of 100 x 100 numbers are too many"),
        ({"queries": ["C"]}, "given: queries[0]: must be a vector such as C mu_a, and is not"),
        ({"queries": ["mu_a/alpha"]}, "given: queries[0]: is not finite in the limits given"),
        ({"queries": ["C mu_z"]}, "given: queries[0]: mu_z is not declared"),
        ({"keys": {"law": "orthonormal"}}, 'given: keys: must have the law "gaussian" here'),
        (
            {"limits": ["alpha -> inf", "C -> inf"]},
            "given: limits: only one parameter may grow without bound",
        ),
    ],
)
def test_a_problem_that_cannot_be_used_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        changed("one-head-under-noise", **given)
    assert message in str(caught.value)


def test_a_formula_that_is_no_covariance_is_refused() -> None:
    for covariance in ("-1 I", "mu_a mu_b'", "mu_a"):
        with pytest.raises(InvalidProblem, match="covariance"):
            solve(changed("one-head-under-noise", keys=gaussian(covariance)))
