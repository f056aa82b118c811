"""Typeset an answer while it is typed: each field as a formula, and which shape it has."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from regard.errors import RegardError
from regard.lab.table import Answer
from regard.lab.typed_answers import (
    ChosenProblem,
    Shape,
    Typed,
    meant,
    shape_words,
    shapes,
    without_styles,
)


class Asked(ChosenProblem):
    """A problem, and what is typed into the fields of an answer."""

    answer: Typed = Field(default_factory=dict)


def answer(asked: Asked) -> Answer:
    """Return the statement and the fields; what cannot be read yet is said at its field."""
    from regard.problems import to_toml
    from regard.problems.answer_fields import answer_fields
    from regard.problems.problem_sets import place
    from regard.report import Prose, Report, to_html_fragment

    problem = asked.load()
    read = meant(asked.answer)
    known = shapes(problem)
    fields = []
    for field in answer_fields(problem):
        told = {"name": field.name, "what": field.what, "optional": field.optional}
        example = field.example
        if example.startswith('"') and example.endswith('"'):
            example = example[1:-1]
        fields.append(told | {"example": example} | _typeset(read.get(field.name), known))
    report = Report(problem.title, (Prose(problem.statement),))
    data = {
        "id": problem.id,
        "title": problem.title,
        "kind": problem.kind,
        "place": place(problem),
        "statement_html": without_styles(to_html_fragment(report)),
        "fields": fields,
        "python": repr(read),
        "file": to_toml(problem),
    }
    return Answer(data, report)


def _typeset(value: Any, known: dict[str, Shape]) -> dict[str, Any]:
    """One field: MathML, the shape in words, or why it cannot be read."""
    from regard.language import parse

    nothing: dict[str, Any] = {"html": None, "shape": None, "error": None}
    if value is None:
        return nothing
    if isinstance(value, bool):
        return nothing | {"shape": "true" if value else "false"}
    if not isinstance(value, str):
        return nothing | {"shape": "a table"}
    try:
        formula = parse(value)
        found = nothing | {"html": formula.to_mathml()}
        if formula.relations:
            return found | {"shape": "a condition"}
        if formula.names <= set(known):
            return found | {"shape": shape_words(_shape(formula, known))}
        return found
    except RegardError as error:
        return nothing | {"error": str(error)}


def _shape(formula: Any, known: dict[str, Shape]) -> Shape:
    """The shape; an I that stands alone is taken for a square of the size of a token."""
    try:
        found: Shape = formula.shape(known)
    except RegardError:
        square: Shape = ("d", "d")
        if "d" not in known or known["d"] != ():
            raise
        try:
            found = formula.shape(known, square)
        except RegardError:
            found = ()
        if found != square:
            raise
    return found
