"""The answers to a whole collection in one file: a table for each part.

A table has the label of the part or the id of its problem as its name, and holds the fields of
the answer:

    [b]
    q = "C (k_a + k_b)"

    [copy-a-value]
    condition = "s_j - s_i >= log(1e6)"
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from regard.checking.answer_reading import from_dict
from regard.checking.collections.part_by_part import Grading, Part
from regard.checking.dispatch import LONGEST, check
from regard.errors import InvalidAnswer, InvalidProblem
from regard.problems import Problem
from regard.problems.loading import load, parse, read_file
from regard.problems.problem_sets import Collection, collection
from regard.problems.problem_sets import Part as Place

_BESIDE = {"collection", "name", "schema", "seed"}


def check_collection(
    name: str,
    answers: Mapping[str, Any] | str | Path,
    variant: Callable[[Problem, int], Problem] | None = None,
) -> Grading:
    """Return what is right and wrong in the answers to a collection, part by part.

    Args:
        name: of the collection.
        answers: a file (TOML or JSON) or a dict, with a table of fields for each part. A part that
            is missing was not handed in. `seed = 7` above the tables says that they answer the
            variants with this seed.
        variant: what draws these, `regard.solving.variant`: judges have no solver to do it.

    >>> check_collection("cs114b-hw4", {"b": {"q": "C (k_a + k_b)"}}).parts[1].percent
    '100%'

    Raises:
        InvalidProblem: there is no such collection.
        InvalidAnswer: the file cannot be read, or names a part that the collection does not have.
    """
    asked = collection(name)
    data = _data(answers)
    given, seed = _by_part(asked, data), _seed(data)
    if seed is not None and variant is None:
        raise InvalidAnswer(
            "answers: they are to variants: give variant=regard.solving.variant as well."
        )

    def draw(problem: Problem) -> Problem:
        return problem if seed is None or variant is None else variant(problem, seed)

    return Grading(
        asked.name,
        asked.title,
        tuple(_graded(part, given.get(part.problem), draw) for part in asked.parts),
    )


def _seed(data: Mapping[str, Any]) -> int | None:
    seed = data.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise InvalidAnswer("answers: seed must be a whole number from 0 on.")
    return seed


def _graded(part: Place, fields: Any, draw: Callable[[Problem], Problem]) -> Part:
    if fields is None:
        return Part(part.label, "", None, "Nothing was handed in.")
    try:
        if not isinstance(fields, Mapping):
            raise InvalidAnswer(f"must be a table of fields. Got {type(fields).__name__}.")
        verdict = check(draw(load(part.problem)), from_dict({"answer": fields}))
    except (InvalidAnswer, InvalidProblem) as error:
        return Part(part.label, "", None, str(error), readable=False)
    says = ", ".join(f"{name} = {text}" for name, text in verdict.answer.items())
    return Part(part.label, says if len(says) <= LONGEST else says[: LONGEST - 1] + "…", verdict)


def _data(answers: Mapping[str, Any] | str | Path) -> Mapping[str, Any]:
    if isinstance(answers, Mapping):
        return answers
    path = Path(answers)
    try:
        return parse(read_file(path), str(path), is_json=path.suffix == ".json")
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None


def _by_part(asked: Collection, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields by the id of the problem."""
    named = data.get("collection")
    if named is not None and named not in (asked.name, asked.source):
        raise InvalidAnswer(
            f"check: the answers are to {str(named)[:80]!r}, and the collection is {asked.name!r}."
        )
    found: dict[str, Any] = {}
    for name, fields in data.items():
        if name in _BESIDE:
            continue
        part = asked.part(str(name))
        if part is None:
            raise InvalidAnswer(f"answers: {_unknown(asked, str(name))}")
        if part.problem in found:
            raise InvalidAnswer(f"answers: part {part.label} is answered twice.")
        found[part.problem] = fields
    return found


def _unknown(asked: Collection, name: str) -> str:
    known = [text for part in asked.parts for text in (part.problem, part.label)]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    labels = ", ".join(part.label for part in asked.parts)
    return f"{name[:80]!r} is no part of {asked.name}.{hint} Its parts are {labels}."
