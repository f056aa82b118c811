"""What holds for the checker as a whole: its answers, its tags, and the solver's own answers."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import regard
from regard import problems
from regard.checking import TAGS

FILES = sorted((Path(__file__).parents[1] / "answers").glob("*.toml"))
ANSWERS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in FILES}
JUDGED = [kind for kind in problems.KINDS if kind != "code"]  # code is graded, not checked
NAMES = [name for name in problems.names() if problems.load(name).kind != "code"]


def about(entry: dict[str, Any], kind: str) -> str:
    """Return the bundled problem that an answer is to, or that its own problem is made from."""
    own = ANSWERS[kind].get("problems", {})
    return own[entry["problem"]].get("base", "") if entry["problem"] in own else entry["problem"]


@pytest.mark.parametrize("kind", JUDGED)
def test_there_are_fifteen_right_and_fifteen_wrong_answers_and_no_two_are_alike(kind: str) -> None:
    for wanted in ("right", "wrong"):
        entries = ANSWERS[kind][wanted]
        assert len(entries) >= 15
        texts = [json.dumps([e["problem"], e["answer"]], sort_keys=True) for e in entries]
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_problem_has_a_right_answer_and_three_wrong_ones(name: str) -> None:
    kind = problems.load(name).kind
    assert any(e["problem"] == name for e in ANSWERS[kind]["right"])
    assert sum(about(e, kind) == name for e in ANSWERS[kind]["wrong"]) >= 3


def test_every_tag_is_shown_by_two_wrong_answers_at_least() -> None:
    shown = Counter(e["tag"] for data in ANSWERS.values() for e in data["wrong"] if e["tag"])
    assert set(shown) <= set(TAGS)
    assert len(TAGS) >= 20
    assert {tag for tag in TAGS if shown[tag] < 2} == set()


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_is_a_few_words_and_its_sentence_ends(tag: str) -> None:
    assert tag == tag.strip().replace(" ", "-")
    assert TAGS[tag].endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_the_solver_is_right(name: str) -> None:
    verdict = regard.check(name, dict(regard.solve(name).answer))
    assert verdict.score == 1
    assert verdict.right
    assert verdict.misconception is None
    assert verdict.counterexample is None
