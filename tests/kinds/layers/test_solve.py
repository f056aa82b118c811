"""Two layers for every sequence, against each sequence run by itself and worked-out numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from regard import certify, problems
from regard.checking import check
from regard.core.reference import attention
from regard.errors import InvalidProblem
from regard.solving import Status, solve, variant

NAMES = ["induction-head", "induction-after-a-start", "two-steps-back-by-two-heads"]


def wanted_token(task: str, words: tuple[int, ...], t: int) -> int | None:
    """Return what row t (from 0) of a sequence has to bring."""
    if task == "token two before":
        return words[t - 2] if t >= 2 else None
    after = {words[i + 1] for i in range(t) if words[i] == words[t]}
    return after.pop() if len(after) == 1 else None


def largest_error(problem: Any, C: float) -> float:
    """Run every sequence through the reference twice, with matrices put together here."""
    given, task = problem.given, problem.goal.bring
    M, s = len(given.vocabulary), int(given.start)
    N, k = given.length + s, M + s
    eye = np.eye(2 * k + N)
    U, P, W = eye[:, :k], eye[:, k : k + N], eye[:, k + N :]
    back = sum(np.outer(P[:, t - 1], P[:, t]) for t in range(1, N))
    worst = 0.0
    for words in itertools.product(range(M), repeat=given.length):
        full = ((M,) if s else ()) + words
        x = np.array([U[:, y] + P[:, j] for j, y in enumerate(full)])
        first = attention(C * x @ back.T, x, x @ U @ W.T, scale=1.0, is_causal=True).output
        y = x + first
        if task == "token two before":
            c = attention(C * y @ back.T, y, y @ W @ U.T, scale=1.0, is_causal=True).output
        else:
            keys = y @ W
            if not s:
                keys[0] -= 1
            c = attention(C * y @ U, keys, y @ U @ U.T, scale=1.0, is_causal=True).output
        for t in range(given.length):
            goal = wanted_token(task, words, t)
            if goal is not None:
                worst = max(worst, float(np.linalg.norm(c[t + s] - U[:, goal])))
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_every_sequence_is_within_the_tolerance_and_one_attains_it(name: str) -> None:
    problem: Any = problems.load(name)
    found = solve(problem)
    assert found.verdict is Status.PROVED
    worst = largest_error(problem, found.answer["C"])
    assert worst <= problem.goal.tolerance
    assert worst >= 0.9999 * problem.goal.tolerance


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_twenty_variants_are_proved_and_right_in_every_sequence(name: str, seeds: range) -> None:
    for seed in seeds:
        problem: Any = variant(problems.load(name), seed)
        found = solve(problem)
        assert found.verdict is Status.PROVED
        if problem.given.length < 5:
            worst = largest_error(problem, found.answer["C"])
            assert 0.999 * problem.goal.tolerance <= worst <= problem.goal.tolerance
        assert check(problem, dict(found.answer)).right


def test_without_a_start_row_three_of_a_b_a_has_half_of_the_weight_at_position_one() -> None:
    # Layer 1 with C = 6 and layer 2 with C = 10: position 1 takes its own token for the one before.
    fields = {
        "K_1": "P'",
        "Q_1": "6 S P'",
        "V_1": "W U'",
        "K_2": "W'",
        "Q_2": "10 U'",
        "V_2": "U U'",
    }
    verdict = check("induction-head", fields)
    assert verdict.counterexample is not None
    arrays = verdict.counterexample.arrays
    assert arrays["sequence"] == ["a", "b", "a"]
    weights = arrays["weights of layer 2"][-1]
    assert weights[:2] == pytest.approx([0.5061690226988448, 0.49380683522016844], rel=1e-12)


def test_the_weights_of_a_token_seen_once_are_the_worked_out_ones() -> None:
    # With E = e^C the match at position i + 1 is E/(E + i + 1), the row's own 2/(E + t), others 1/(E + j).
    fields = {
        "K_1": "P'",
        "Q_1": "2 S P'",
        "V_1": "W U'",
        "K_2": "W'",
        "Q_2": "3 U'",
        "V_2": "U U'",
    }
    data = problems.to_dict(problems.load("induction-after-a-start"))
    given = {**data["given"], "vocabulary": ["a", "b", "c"], "length": 4}
    verdict = check(problems.from_dict({**data, "given": given}), fields)
    assert verdict.counterexample is not None
    # The shortest wrong sequence is (x, x): at t = 2 the match is t itself, (E + 1)/(E + t).
    E = math.exp(2)
    assert verdict.counterexample.arrays["sequence"] in (["a", "a"], ["b", "b"], ["c", "c"])
    omega = [0, 1 / (E + 1), (E + 1) / (E + 2)]
    powers = np.exp(3 * np.array(omega))
    assert verdict.counterexample.arrays["weights of layer 2"][-1] == pytest.approx(
        (powers / powers.sum()).tolist(), rel=1e-12
    )


def test_a_wrong_answer_gets_the_shortest_sequence_on_which_it_fails() -> None:
    right = dict(solve("two-steps-back-by-two-heads").answer)
    verdict = check("two-steps-back-by-two-heads", {**right, "Q_2": "C S S P'"})
    assert verdict.counterexample is not None
    # Row 3 looks at position 1, which holds its own token in both rooms, and is right by chance.
    assert len(verdict.counterexample.arrays["sequence"]) == 4
    verdict = check("induction-head", {**right, "K_2": "P'", "Q_2": "C S S P'", "V_2": "U U'"})
    assert verdict.counterexample is not None
    # (x, x) comes out right, whatever row 2 looks at.
    assert len(verdict.counterexample.arrays["sequence"]) == 3


def damaged(name: str, **fields: object) -> str:
    found = solve(name).certificate
    (claim,) = found.claims
    changed = certify.Claim(claim.kind, {**claim.fields, **fields}, claim.witness)
    return certify.verify(certify.Certificate(found.arrays, (changed,))).claims[0].status


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("induction-head", {"bound": 0.0099}),
        ("induction-head", {"task": "token two before"}),
        ("induction-after-a-start", {"start": False}),
        ("induction-after-a-start", {"start": "yes"}),
        ("two-steps-back-by-two-heads", {"task": "what followed"}),
        ("two-steps-back-by-two-heads", {"task": "token before"}),
        ("two-steps-back-by-two-heads", {"bound": -1.0}),
    ],
)
def test_a_damaged_claim_does_not_hold(name: str, fields: dict[str, object]) -> None:
    assert damaged(name) == "holds"
    assert damaged(name, **fields) != "holds"


@pytest.mark.parametrize("which", ["W_K1", "W_Q1", "W_V1", "W_K2", "W_Q2", "W_V2"])
def test_a_damaged_matrix_does_not_hold(which: str) -> None:
    found = solve("induction-head").certificate
    (claim,) = found.claims
    witness = {**claim.witness, which: 0.9 * np.asarray(claim.witness[which])}
    changed = certify.Certificate(found.arrays, (certify.Claim(claim.kind, claim.fields, witness),))
    assert not certify.verify(changed).holds


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"vocabulary": ["a", "a"], "length": 3}, "vocabulary: a name stands twice"),
        ({"vocabulary": ["a", "start"], "length": 3, "start": True}, "start is the name"),
        ({"vocabulary": ["a", "b", "c", "d"], "length": 9}, "up to 6000 are looked at"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(given: dict[str, Any], said: str) -> None:
    data = problems.to_dict(problems.load("induction-head"))
    with pytest.raises(InvalidProblem) as refused:
        problems.from_dict({**data, "given": given})
    assert said in str(refused.value)
