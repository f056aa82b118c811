"""Every ordinary question about attention has a problem here that is solved and can be checked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers
from regard import problems
from regard.kinds.compute.solve import solve as compute
from regard.solving import Status, solve

QUESTIONS = tomllib.loads((Path(__file__).parent / "questions.toml").read_text("utf-8"))["question"]
COVERED = sorted({q["problem"] for q in QUESTIONS if "problem" in q})
SETTLED = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)


def test_eighty_of_the_eighty_seven_questions_have_a_problem_and_the_rest_say_why() -> None:
    assert len(QUESTIONS) == 87
    missing = [question for question in QUESTIONS if "problem" not in question]
    assert len(QUESTIONS) - len(missing) >= 80
    assert all(
        question["missing"].endswith("stated") or ":" in question["missing"] for question in missing
    )


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if "wrong" in q], ids=lambda q: q["problem"]
)
def test_a_published_answer_that_is_wrong_is_said_to_be(question: dict[str, Any]) -> None:
    problem = problems.load(question["problem"])
    given = {name: np.array(getattr(problem.given, name), dtype=float) for name in ("Q", "K", "V")}
    scores = given["Q"] @ given["K"].T
    if problem.given.scale not in (None, 1):
        scores = scores / np.sqrt(given["K"].shape[1])
    weights = np.exp(scores) / np.exp(scores).sum()
    right = {"z_1": scores[0], "a_1": weights[0], "c_1": (weights @ given["V"])[0]}
    found = compute(problem)
    assert {row.name for row in found.wrong} == set(question["wrong"])
    for name, printed in question["wrong"].items():
        assert np.max(np.abs(right[name] - printed)) > 0.5 * 10.0 ** -len(
            str(printed[0]).split(".")[1]
        )
        np.testing.assert_allclose(
            np.array(found.answer[name], dtype=float), right[name], rtol=1e-12
        )


def test_what_a_mask_hides_is_proved_for_sequences_of_any_length() -> None:
    names = {question["any_length"] for question in QUESTIONS if "any_length" in question}
    for name in names:
        found = solve(name)
        assert found.verdict is Status.PROVED
        proofs = [claim for claim in found.certificate.claims if claim.kind == "identity"]
        assert len(proofs) == 2
        assert all(claim.fields["sizes"] is None for claim in proofs)  # no size is fixed
    assert len(names) == 1


def test_three_published_answers_are_wrong() -> None:
    assert sum("wrong" in question for question in QUESTIONS) == 3


@pytest.mark.parametrize("name", COVERED)
def test_the_problem_of_a_question_is_settled_and_tells_right_from_wrong(name: str) -> None:
    assert solve(name).verdict in SETTLED
    file = read_answers(problems.load(name).kind)
    entries: list[tuple[bool, dict[str, Any]]] = [
        *((True, e) for e in file.right if e["problem"] == name),
        *((False, e) for e in file.wrong if e["problem"] == name),
    ]
    judged = dict.fromkeys((True, False), False)
    for expected, entry in entries:
        if not judged[expected]:
            judged[expected] = file.judged(entry).right is expected
    assert judged == {True: True, False: True}
