"""Every misconception has a hint, and a hint is no answer."""

from __future__ import annotations

import tomllib
from importlib import resources

from regard.checking import check
from regard.checking.hints import hint
from regard.checking.misconceptions import tags


def test_every_tag_has_one_hint_and_no_hint_is_for_a_tag_that_is_not_there() -> None:
    text = (resources.files("regard.checking") / "hints.toml").read_text("utf-8")
    listed = [tag for one in tomllib.loads(text)["hint"] for tag in one["tags"]]
    assert sorted(listed) == sorted(tags())
    assert hint("no-such-tag") == ""


def test_a_wrong_answer_gets_the_hint_of_its_misconception() -> None:
    verdict = check("average-two-values", "k_a + k_b")
    assert verdict.misconception is not None
    assert verdict.misconception.hint.startswith("Multiply the query by a factor C.")
    assert verdict.to_dict()["misconception"]["hint"] == verdict.misconception.hint
