"""Tags of misconceptions: gathered from their families, each with one sentence."""

from __future__ import annotations

import pytest

from regard.checking import TAGS
from regard.checking.misconceptions import misconception
from regard.checking.tags import conditions, matrices, positions, products, queries, randomness

FAMILIES = (queries, matrices, positions, products, conditions, randomness)


def test_no_tag_is_in_two_families_and_none_is_left_out() -> None:
    tags = [tag for family in FAMILIES for tag in family.TAGS]
    assert sorted(tags) == sorted(TAGS)


def test_no_two_tags_are_explained_by_the_same_sentence() -> None:
    assert len(set(TAGS.values())) == len(TAGS)


def test_a_misconception_has_the_sentence_of_its_tag() -> None:
    found = misconception("missing-factor-4")
    assert found.tag == "missing-factor-4"
    assert found.sentence == randomness.TAGS["missing-factor-4"]


def test_a_tag_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        misconception("no-such-tag")
