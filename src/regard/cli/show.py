"""`regard show` and `regard hint`: the question, and the way to the answer a step at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.command_line.options import Full, Json
from regard.cli.console import out, width
from regard.errors import InvalidProblem

if TYPE_CHECKING:
    from regard.problems import Problem
    from regard.problems.answer_fields import AnswerField
    from regard.report import Report

Name = Annotated[str, typer.Argument(help="An id out of `regard list`, or a file.")]


def show(problem: Name, full: Full = False, as_json: Json = False) -> None:
    """Show a problem: its statement, the fields of an answer, and how they are written."""
    from regard.cli.screens import question_screen, showing
    from regard.problems import load
    from regard.problems.answer_fields import answer_fields
    from regard.report import to_terminal

    _refuse_collection("show", problem)
    asked = load(problem)
    fields = answer_fields(asked)
    if as_json:
        typer.echo(json.dumps(_as_data(asked, fields), indent=2))
        return
    if full:
        to_terminal(_report(asked, fields, problem), out())
    else:
        showing.show(question_screen.of_question(asked, fields, problem, width()), out())


def hint(
    problem: Name,
    number: Annotated[int, typer.Argument(help="Which step.")] = 1,
    formula: Annotated[bool, typer.Option("--formula", help="Show its formula too.")] = False,
    as_json: Json = False,
) -> None:
    """Show one step of the way to the answer; the next with the next number."""
    from regard.problems.registry import part
    from regard.report import Report, Steps, Text, to_terminal
    from regard.solving import solve

    _refuse_collection("hint", problem)
    solution = solve(problem)
    before = part(solution.problem.kind, "hints")
    first = before.hints(solution.problem) if before is not None else ()
    steps = (*((sentence, "") for sentence in first), *solution.steps)
    if not 1 <= number <= len(steps):
        raise InvalidProblem(f"hint: there are {len(steps)} steps. Got {number}.")
    sentence, written = steps[number - 1]
    if as_json:
        said = {"id": solution.problem.id, "step": number, "of": len(steps), "sentence": sentence}
        typer.echo(json.dumps(said | ({"formula": written} if formula else {}), indent=2))
        return
    alone = f"{sentence[:-1]}." if sentence.endswith(":") else sentence
    blocks: list[Any] = [Steps(((sentence, written),)) if formula else Text(alone)]
    if written and not formula:
        again = f"regard hint {problem} {number} --formula"
        blocks.append(Text(f"With its formula, which may say more: {again}"))
    blocks.append(Text(_what_next(problem, number, len(steps))))
    title = f"{solution.problem.title}: hint {number} of {len(steps)}"
    to_terminal(Report(title, tuple(blocks)), out())


def _refuse_collection(command: str, name: str) -> None:
    """Refuse the name of a collection: one problem has to be named."""
    from regard.problems.problem_sets import find_collection

    found = find_collection(name)
    if found is not None:
        count, first = len(found.parts), found.parts[0].problem
        raise InvalidProblem(
            f"{command}: {name} is a collection of {count} problems, which `regard list {name}` "
            f"names. Name one of them: regard {command} {first}."
        )


def _what_next(name: str, number: int, steps: int) -> str:
    if number < steps:
        return f"The next step: regard hint {name} {number + 1}"
    return f"That was the last step. The whole solution: regard solve {name}"


def _report(problem: Problem, fields: tuple[AnswerField, ...], name: str) -> Report:
    from regard.problems.given_numbers import given_numbers
    from regard.problems.problem_sets import place
    from regard.problems.registry import part
    from regard.report import Code, Facts, Heading, Prose, Report, Table, Text

    blocks: list[Any] = [Text(place(problem))] if place(problem) else []
    blocks.append(Prose(problem.statement))
    numbers = given_numbers(problem)
    blocks += [Facts(numbers)] if numbers else []
    blocks.append(Heading("Your answer"))
    if not fields and part(problem.kind, "start") is None:
        said = "Its fields are in the statement: write them to a file, or as field=formula."
        blocks.append(Text(said))
        return Report(problem.title, tuple(blocks))
    if not fields:
        blocks += [
            Text("A file with the functions of the skeleton, .py or .ipynb:"),
            Code(f"regard start {name} -o mine.py\nregard check {name} mine.py", "sh"),
        ]
        return Report(problem.title, tuple(blocks))
    rows = tuple(
        (f.name, f"{f.what}{' (may be left out)' if f.optional else ''}", f.example) for f in fields
    )
    blocks.append(Table(("field", "what belongs there", "how it is written, not the answer"), rows))
    needed = [field for field in fields if not field.optional]
    if len(needed) == 1:
        blocks += [Text("To check it:"), Code(f"regard check {name} {needed[0].example}", "sh")]
        return Report(problem.title, tuple(blocks))
    lines = [f'problem = "{problem.id}"', "[answer]"]
    lines += [f"{field.name} = {field.example}" for field in needed]
    blocks += [
        Text(f"As a file, which `regard check {name} FILE` checks:"),
        Code("\n".join(lines), "toml"),
    ]
    return Report(problem.title, tuple(blocks))


def _as_data(problem: Problem, fields: tuple[AnswerField, ...]) -> dict[str, Any]:
    return {
        "id": problem.id,
        "title": problem.title,
        "kind": problem.kind,
        "statement": problem.statement,
        "fields": [
            {"name": f.name, "what": f.what, "example": f.example, "optional": f.optional}
            for f in fields
        ],
    }
