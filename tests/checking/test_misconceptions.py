"""Tags of misconceptions: gathered from their families, each with one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from regard.checking import TAGS, check
from regard.checking.misconceptions import misconception
from regard.checking.mistakes import Mistake
from regard.checking.tags import conditions, matrices, positions, products, queries, randomness
from regard.problems import KINDS, load, names
from regard.problems.registry import part

FAMILIES = (queries, matrices, positions, products, conditions, randomness)


def test_no_tag_is_in_two_families_nor_in_a_kind_beside() -> None:
    shared = [tag for family in FAMILIES for tag in family.TAGS]
    own = {kind: [m.tag for m in _mistakes(kind)] for kind in KINDS}
    assert len(set(shared)) == len(shared)
    for kind, tags in own.items():
        for mistake in _mistakes(kind):
            if mistake.tag in shared:
                assert mistake.sentence == TAGS[mistake.tag], kind
        others = {tag for other in KINDS if other != kind for tag in own[other]}
        assert set(tags) & others <= set(shared), kind


def _mistakes(kind: str) -> tuple[Mistake[Any, Any], ...]:
    return getattr(part(kind, "misconceptions"), "MISTAKES", ())


@pytest.mark.parametrize("kind", KINDS)
def test_the_wrong_answer_of_a_mistake_gets_its_tag(kind: str) -> None:
    """On at least one bundled problem of the kind, and nowhere another tag or full marks."""
    for mistake in _mistakes(kind):
        if mistake.wrong is None:
            continue
        found = []
        for problem in (load(name) for name in names()):
            answer = mistake.wrong(problem) if problem.kind == kind else None
            if answer is not None:
                verdict = check(problem, answer)
                assert not verdict.right, f"{mistake.tag}: {problem.id}"
                found.append(verdict.misconception.tag if verdict.misconception else None)
        assert mistake.tag in found, mistake.tag


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_told_is_a_mistake_with_a_wrong_answer_and_an_idea(kind: str) -> None:
    known = {m.tag: m for m in _mistakes(kind) if m.wrong is not None}
    for tag in getattr(part(kind, "misconceptions"), "OFTEN", ()):
        assert known[tag].idea, tag


def test_no_two_tags_are_explained_by_the_same_sentence() -> None:
    assert len(set(TAGS.values())) == len(TAGS)


def test_a_misconception_has_the_sentence_of_its_tag() -> None:
    found = misconception("variance-read-as-standard-deviation")
    assert found.tag == "variance-read-as-standard-deviation"
    assert found.sentence == randomness.TAGS["variance-read-as-standard-deviation"]


def test_a_tag_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        misconception("no-such-tag")
