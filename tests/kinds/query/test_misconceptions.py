"""Wrong queries that no bundled problem leaves room for: each gets its own tag, and is told."""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.checking import TAGS, check
from regard.kinds.heads.misconceptions import MISTAKES as OF_HEADS
from regard.kinds.heads.misconceptions import OF_SEVERAL_HEADS
from regard.kinds.query.misconceptions import MISTAKES
from regard.solving import solve

ORTHONORMAL = {"law": "orthonormal"}
NOISY = {"law": "gaussian", "mean": ORTHONORMAL, "covariance": "s I"}
LENGTHS = {"law": "orthogonal", "norms": [1, 2, 3, 1]}
EVEN, UNEVEN = {"a": 0.5, "b": 0.5}, {"a": 0.7, "b": 0.3}


def problem(kind: str, given: dict[str, Any], goal: dict[str, Any]) -> Any:
    given = {"n": 4, "names": {"a": 0, "b": 1}, "values": ORTHONORMAL, **given}
    data = {"schema": 1, "id": "x", "title": "x", "kind": kind, "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": {"tolerance": 0.02, **goal}})


ROOM = {
    "not-divided-by-squared-norm": problem("query", {"keys": LENGTHS}, {"weights": EVEN}),
    "weights-without-log": problem("query", {"keys": ORTHONORMAL}, {"weights": UNEVEN}),
    "identical-heads": problem(
        "heads",
        {"keys": NOISY, "parameters": {"s": 0.01}},
        {"weights": EVEN, "tolerance": 0.05},
    ),
}


@pytest.mark.parametrize("tag", ROOM)
def test_a_wrong_answer_gets_its_tag_and_is_told(tag: str) -> None:
    (mistake,) = [m for m in OF_HEADS if m.tag == tag]
    assert mistake.wrong is not None
    answer = mistake.wrong(ROOM[tag])
    assert answer is not None
    found = check(ROOM[tag], answer)
    assert found.misconception is not None
    assert found.misconception.tag == tag
    told = [text for text in solve(ROOM[tag]).mistakes if TAGS[tag] in text]
    assert len(told) == 1
    assert told[0].startswith(f"{mistake.idea}: ")


@pytest.mark.parametrize("mistake", OF_HEADS, ids=lambda mistake: mistake.tag)
def test_nobody_is_given_an_answer_for_keys_without_structure(mistake: Any) -> None:
    fixed = {"keys": [[1, 0], [0, 1], [-1, -1], [2, 0]]}
    for kind in ("query", "heads"):
        one = problem(kind, fixed, {"weights": EVEN})
        assert mistake.wrong is None or mistake.wrong(one) is None


def test_one_query_is_got_wrong_as_heads_are_but_for_what_needs_several() -> None:
    tags = {mistake.tag for mistake in MISTAKES}
    assert tags.isdisjoint(OF_SEVERAL_HEADS)
    own = {"query-too-long", "nearer-than-any-query", "a-query-comes-nearer"}
    assert tags | OF_SEVERAL_HEADS == {mistake.tag for mistake in OF_HEADS} | own
