"""Whole problems and answers of every kind: read, solved, checked and shown, or refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from fuzzing.whole_files import at_most, case, run
from regard import problems, report, solving
from regard.checking import check
from regard.errors import InvalidProblem

SECONDS = 60.0


@pytest.mark.parametrize("kind", problems.KINDS)
def test_a_problem_is_read_or_refused_in_a_sentence(kind: str) -> None:
    ends = set()
    for seed in range(40):
        data, _ = case(kind, seed)
        try:
            ends.add(problems.from_dict(data).kind)
        except InvalidProblem as error:
            ends.add("refused" if all(map(str.strip, error.args)) else "refused in silence")
    assert ends == {kind, "refused"}  # the cases are neither all right nor all wrong


@pytest.mark.parametrize("kind", sorted({*problems.KINDS} - {"heads"}))  # whose laws take longest
def test_nothing_escapes(kind: str) -> None:
    with at_most(SECONDS):
        assert run(kind, next(seed for seed in range(100) if _can_be_read(kind, seed)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", problems.KINDS)
def test_nothing_escapes_of_many(kind: str) -> None:
    ends = []
    for seed in range(100, 250):
        with at_most(SECONDS):
            ends.append(run(kind, seed))
    assert len(set(ends)) > 1


def _can_be_read(kind: str, seed: int) -> bool:
    try:
        problems.from_dict(case(kind, seed)[0])
    except InvalidProblem:
        return False
    return True


def changed(name: str, **parts: dict[str, Any]) -> problems.Problem:
    """Return a bundled problem with keys of `given` and `goal` replaced."""
    data = problems.to_dict(problems.load(name))
    for part, keys in parts.items():
        data[part] = {**data[part], **keys}
    return problems.from_dict(data)


SIZE = "must be 0 or between 1e-30 and 1e+30 in size"


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("look-back-roughly", {"B": 5e-324}, f"given.B: {SIZE}"),
        ("average-two-values", {"scale": 1e31}, f"given.scale: {SIZE}"),
        ("average-two-values", {"n": 2, "keys": [[1e-310], [1]]}, f"given.keys.rows[0][0]: {SIZE}"),
        ("average-two-values", {"parameters": {"alpha": 1e31}}, f"given.parameters.alpha: {SIZE}"),
        ("take-a-value-out-of-a-sum", {"share": 1e-31}, f"given.share: {SIZE}"),
        (
            "average-under-small-noise",
            {"keys": {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": "1e99 I"}},
            "keys.covariance: reaches 1e+99 for the parameters given",
        ),
        (
            "choose-keys-queries-values",
            {"tokens": ["1e-40 u_a", "u_a", "u_b"]},
            "tokens[0]: must be 0 or have an entry of 1e-30 at least",
        ),
    ],
)
def test_numbers_of_extreme_size_are_refused_by_name(
    name: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidProblem) as caught:
        changed(name, given=given)
    assert message in str(caught.value)


def test_numbers_with_more_digits_than_a_formula_may_have_are_written_otherwise() -> None:
    entries = {"mean": "1e-30", "variance": "1e-30"}
    solution = solving.solve(changed("dot-product-variance", given={"q": entries, "k": entries}))
    assert check(solution.problem, dict(solution.answer)).right
    assert report.to_latex(solution.report())


@pytest.mark.parametrize("name", ["tokens-as-their-own-keys", "choose-keys-queries-values"])
@pytest.mark.parametrize(
    ("norm", "square"),
    [(1e-20, r"(10^{-20})^2"), (2.5e-20, r"(2.5 \cdot 10^{-20})^2"), (1e-7, r"(10^{-7})^2")],
)
def test_a_length_with_a_power_of_ten_is_squared_in_brackets(
    name: str, norm: float, square: str
) -> None:
    basis = {"names": ["u_a", "u_b", "u_c", "u_d"], "norm": norm}
    solution = solving.solve(changed(name, given={"basis": basis, "limits": []}))
    assert any(square in formula for _, formula in solution.steps)
    assert report.to_html_page(solution.report())


def test_a_law_of_cases_that_never_happen_is_not_decided() -> None:
    keys = {"law": "gaussian", "mean": [[-1.0], [-1.0]], "covariance": "alpha I"}
    problem = changed(
        "a-key-of-random-length",
        given={
            "n": 2, "d": 1, "keys": keys, "names": {"a": 0}, "parameters": {"alpha": 1e-6},
            "limits": [], "queries": ["-1 mu_a mu_a' mu_a"], "ignore_negative": True,
        },
        goal={"find": ["mean"]},
    )  # fmt: skip
    assert check(problem, {"mean": "v_a"}).score is None


def test_values_of_given_lengths_do_not_keep_more_keys_from_being_tried() -> None:
    values = {"law": "orthogonal", "norms": [1, 2, 3, 4, 5, 6]}
    problem = changed("a-key-of-random-length", given={"values": values})
    assert check(problem, dict(solving.solve(problem).answer)).right


def test_keys_of_very_different_lengths_are_told_apart() -> None:
    # (1, 1) is ahead of both others in the direction (1, 1), whatever their lengths.
    keys = [[1.0, 1.0], [-1e29, -3e29], [-1e20, -1e20]]
    given = {"n": 3, "d": 2, "keys": {"law": "fixed", "rows": keys}}
    problem = changed("when-a-key-can-win", given=given)
    assert check(problem, dict(solving.solve(problem).answer)).right


def test_the_first_sentence_of_a_verdict_is_one() -> None:
    wrong = check("average-two-values", {"q": "k_a + k_b"})
    assert "Not right yet: 0 of " in str(wrong)


def test_random_keys_are_refused_only_where_some_weight_is_off_by_more_than_the_tolerance() -> None:
    keys = {"law": "gaussian", "mean": [[-1.0], [0.0], [1.0]], "covariance": "s I"}
    given = {"n": 3, "keys": keys, "names": {"a": 0, "b": 2}, "parameters": {"s": 1e-3}}
    found = {}
    for tolerance in (0.01, 0.09):
        problem = changed("average-two-values", given=given, goal={"tolerance": tolerance})
        solution = solving.solve(problem)
        found[tolerance] = solution.verdict.name
        # Three squared errors that sum to more than three times ε² have one above it.
        bounds = [
            claim.fields["bound"]
            for claim in solution.certificate.claims
            if claim.kind == "weights_rms_at_least"
        ]
        assert all(bound**2 > 3 * tolerance**2 for bound in bounds)
    assert found == {0.01: "IMPOSSIBLE", 0.09: "UNDECIDED"}
