"""Show a problem: its statement, and which fields an answer has."""

from __future__ import annotations

from regard.lab.asked_problems import AskedProblem as Asked
from regard.lab.table import Answer

__all__ = ["Asked", "answer"]


def answer(asked: Asked) -> Answer:
    """Return the statement, as Markdown and as HTML, and the fields."""
    from regard.problems import to_dict
    from regard.problems.answer_fields import answer_fields
    from regard.report import Prose, Report, to_html_fragment

    problem = asked.load()
    fields = [
        {"name": f.name, "what": f.what, "example": f.example, "optional": f.optional}
        for f in answer_fields(problem)
    ]
    data = {
        "id": problem.id,
        "title": problem.title,
        "kind": problem.kind,
        "statement": problem.statement,
        "statement_html": to_html_fragment(Report(problem.title, (Prose(problem.statement),))),
        "fields": fields,
        "problem": to_dict(problem),
    }
    return Answer(data, problem)
