"""What holds for the checker as a whole: its answers, its tags, and the solver's own answers."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

import regard
from checking.answer_files import Entry, read_answers, tag, thinned
from regard import problems
from regard.checking import TAGS
from regard.language.formula.vocabulary import GREEK_WORDS
from regard.problems.registry import part
from solving.reading import solved

JUDGED = [kind for kind in problems.KINDS if part(kind, "judge") is not None]
ANSWERS = {kind: read_answers(kind) for kind in JUDGED}
NAMES = [name for name in problems.names() if problems.load(name).kind in JUDGED]
RIGHT = [(kind, entry) for kind in JUDGED for entry in ANSWERS[kind].right]
WRONG = [(kind, entry) for kind in JUDGED for entry in ANSWERS[kind].wrong]


# Judged in the ordinary run: of every problem one right answer and one wrong answer without a tag,
# and of every kind one wrong answer with each tag.
SOME_RIGHT = thinned(RIGHT, lambda kind, entry: (kind, entry["problem"]), 1)
SOME_WRONG = thinned(WRONG, lambda kind, entry: (kind, entry["tag"] or entry["problem"]), 1)


def label(part: str | Entry) -> str:
    return part if isinstance(part, str) else part["note"]


def words(text: str) -> str:
    """The words of a text without its formulas and stresses, which a report sets: μ for mu."""
    text = re.sub(r"\{\.\w+\}", "", text)
    return " ".join(one for one in re.findall(r"\b[a-z]{3,}\b", text) if one not in GREEK_WORDS)


@pytest.mark.parametrize(("kind", "entry"), SOME_RIGHT, ids=label)
def test_right_answers_pass(kind: str, entry: Entry) -> None:
    found = ANSWERS[kind].judged(entry)
    assert found.score == 1, str(found)
    assert found.misconception is None
    assert found.counterexample is None


@pytest.mark.parametrize(("kind", "entry"), SOME_WRONG, ids=label)
def test_wrong_answers_fail_with_their_tag(kind: str, entry: Entry) -> None:
    found = ANSWERS[kind].judged(entry)
    assert found.score < 1
    assert tag(found) == entry["tag"], str(found)
    assert found.counterexample is not None
    shown = found.counterexample.shows or found.counterexample.sentence
    assert words(shown) in words(str(found))
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("kind", JUDGED)
def test_there_are_fifteen_right_and_fifteen_wrong_answers_and_no_two_are_alike(kind: str) -> None:
    entries = ANSWERS[kind].right + ANSWERS[kind].wrong
    assert min(len(ANSWERS[kind].right), len(ANSWERS[kind].wrong)) >= 15
    texts = [json.dumps([e["problem"], e["answer"]], sort_keys=True) for e in entries]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_problem_has_a_right_answer_and_three_wrong_ones(name: str) -> None:
    file = ANSWERS[problems.load(name).kind]
    assert any(entry["problem"] == name for entry in file.right)
    assert sum(file.base(entry["problem"]) == name for entry in file.wrong) >= 3


def test_every_tag_is_shown_by_two_wrong_answers_at_least() -> None:
    shown = Counter(entry["tag"] for _, entry in WRONG if entry["tag"])
    assert set(shown) <= set(TAGS)
    assert len(TAGS) >= 20
    assert {tag for tag in TAGS if shown[tag] < 2} == set()


@pytest.mark.parametrize("name", TAGS)
def test_a_tag_is_a_few_words_and_its_sentence_ends(name: str) -> None:
    assert name == name.strip().replace(" ", "-")
    assert TAGS[name].endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_the_solver_is_right(name: str) -> None:
    verdict = regard.check(name, dict(solved(name).answer))
    assert verdict.score == 1
    assert verdict.right
    assert verdict.misconception is None
    assert verdict.counterexample is None
