"""Tags of misconceptions: gathered from their families, each with one sentence."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from checking.answer_files import FOLDER, read_answers, tag
from regard.checking import TAGS, check
from regard.checking.misconceptions import misconception
from regard.checking.mistakes import Mistake
from regard.checking.tags import matrices, products, queries, randomness
from regard.problems import KINDS, load, names
from regard.problems.registry import part
from regard.solving import solve
from regard.solving.often import MOST_TRIED

# Matrices have scores that are too close together; a query is too short.
IN_OWN_WORDS = {("query", "no-large-scale"), ("heads", "no-large-scale")}
FAMILIES = (queries, matrices, products, randomness)


def test_no_tag_is_in_two_families_nor_in_a_kind_beside() -> None:
    shared = [tag for family in FAMILIES for tag in family.TAGS]
    own = {kind: [m.tag for m in _mistakes(kind)] for kind in KINDS}
    assert len(set(shared)) == len(shared)
    for kind, tags in own.items():
        for mistake in _mistakes(kind):
            if mistake.tag in shared and (kind, mistake.tag) not in IN_OWN_WORDS:
                assert mistake.misconception.sentence == TAGS[mistake.tag], kind
        # The very same mistake may be listed twice: one query is the case of one head.
        ours = {id(mistake) for mistake in _mistakes(kind)}
        others = {
            mistake.tag
            for other in KINDS
            if other != kind
            for mistake in _mistakes(other)
            if id(mistake) not in ours
        }
        assert set(tags) & others <= set(shared), kind


def _mistakes(kind: str) -> tuple[Mistake[Any, Any], ...]:
    return getattr(part(kind, "misconceptions"), "MISTAKES", ())


@pytest.mark.parametrize("most", [3, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_wrong_answer_of_a_mistake_gets_its_tag(kind: str, most: int) -> None:
    """On a bundled problem of the kind, or on one that is made of it; and nowhere full marks."""
    bundled = [problem for problem in map(load, names()) if problem.kind == kind]
    for mistake in _mistakes(kind):
        if mistake.wrong is not None or mistake.spoiled is not None:
            found = _tags(mistake, bundled[:most])
            found += [] if mistake.tag in found else _tags(mistake, bundled[most:])
            found += [] if mistake.tag in found else _tags(mistake, _made(kind))
            # Where none of these leaves room for it, the tests of the kind make one that does.
            assert mistake.tag in found or not found, mistake.tag


def _tags(mistake: Mistake[Any, Any], problems: list[Any]) -> list[str]:
    """Return what is said of the wrong answers to each problem that leaves room for them."""
    found = []
    for problem in problems:
        right = solve(problem).answer if mistake.spoiled else {}
        for answer in islice(mistake.answers(problem, right), MOST_TRIED):
            verdict = check(problem, answer)
            # A change of the right answer may be right: then it is not told.
            assert mistake.spoiled or not verdict.right, f"{mistake.tag}: {problem.id}"
            found.append(tag(verdict))
    return found


def _made(kind: str) -> list[Any]:
    """Return the problems that tests/answers makes of bundled ones."""
    if not (FOLDER / f"{kind}.toml").exists():
        return []
    file = read_answers(kind)
    return [file.problem(name) for name in file.changes]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_told_is_a_mistake_with_a_wrong_answer_and_an_idea(kind: str) -> None:
    known = {m.tag: m for m in _mistakes(kind) if m.wrong or m.spoiled}
    for often in getattr(part(kind, "misconceptions"), "OFTEN", ()):
        assert known[often].idea, often


def test_no_two_tags_are_explained_by_the_same_sentence() -> None:
    assert len(set(TAGS.values())) == len(TAGS)


def test_a_misconception_has_the_sentence_of_its_tag() -> None:
    found = misconception("variance-read-as-standard-deviation")
    assert found.tag == "variance-read-as-standard-deviation"
    first, second = randomness.TAGS["variance-read-as-standard-deviation"].split("\n")
    assert found.sentence == f"{first} {second}"


def test_a_tag_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        misconception("no-such-tag")
