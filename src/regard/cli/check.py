"""`regard check`: is this answer right, and if not, why not."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from regard.cli.command_line.options import SUFFIXES, Form, Format, Full, Json, Output
from regard.cli.console import out, printable, width
from regard.cli.problem_set import write
from regard.cli.solve import rendered
from regard.errors import InvalidAnswer, InvalidProblem

if TYPE_CHECKING:
    from regard.checking import Grading
    from regard.report import Report


def check(
    problem: Annotated[
        str,
        typer.Argument(
            help="An id or a collection out of `regard list`, a file, - for the problem that the "
            "answer names, or a collection with bundled answers, such as homework-2."
        ),
    ],
    answer: Annotated[
        list[str] | None,
        typer.Argument(
            help="A file with the answer or answers, TOML or JSON; a program, .py or .ipynb; - for "
            'stdin; or the answer: a formula, or field=formula for each field, as q="C k_a" C=20.'
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Work out the instance that this seed draws.")
    ] = None,
    form: Form = None,
    output: Output = None,
    unsafe: Annotated[
        bool, typer.Option(help="Run a program of your own where nothing keeps it apart.")
    ] = False,
    full: Full = False,
    as_json: Json = False,
) -> None:
    """Say whether an answer is right, and if not, why not."""
    from regard.checking import check as check_one
    from regard.checking import check_collection, example_names, grade_example, read
    from regard.checking.typed.inline import apart, inline
    from regard.cli.screens.showing import show
    from regard.cli.screens.verdict_screen import of_verdict
    from regard.problems.problem_sets import find_collection

    if unsafe:
        os.environ["REGARD_UNSAFE"] = "1"
    if as_json:
        form = Format.json
    if form is None:
        form = SUFFIXES.get(output.suffix, Format.text) if output else Format.text
    collection = find_collection(problem)
    typed = answer or []
    needed, others = _names(problem)
    pieces = apart(typed[0], [*needed, *others]) if len(typed) == 1 else typed
    said = inline(pieces, *([] if collection else _all_names(problem)))
    if isinstance(said, str) and not said.strip() and needed:
        raise InvalidAnswer(_empty(problem))
    if not said:
        if collection is None or collection.name not in example_names():
            raise InvalidAnswer(
                "check: write the answer in quotes behind the name, or name a file with it, or - "
                "for stdin. `regard show` says how it is written."
            )
        _show_parts(grade_example(collection.name), form, output)
    if collection is not None:
        from regard.solving import variant

        found = check_collection(collection.name, _answers(said), variant)
        _show_parts(found, form, output)
    _in_order(problem, said)
    given = _read(_condition(problem, said, answer or []))
    if problem == "-":
        named = read(given).problem
        if named is None:
            raise InvalidAnswer(f"{said}: does not say which problem it is an answer to.")
        problem = named
    if seed is not None:
        _replay(problem, given, seed, form, output)
        return
    verdict = check_one(*_seeded(problem, given))
    if form is Format.text and output is None and not full:
        show(of_verdict(verdict, width()), out())
    else:
        _show(verdict.report(), verdict.to_dict(), form, output)
    raise typer.Exit(0 if verdict.right else 1)


def _seeded(name: str, given: Any) -> tuple[Any, Any]:
    """Return the variant that an answer is to, where the kind draws its numbers, and the answer."""
    from dataclasses import replace

    from regard.checking import Answer, read
    from regard.problems import load

    if isinstance(given, str) and Path(given).suffix in (".toml", ".json"):
        given = read(given)
    if not isinstance(given, Answer) or given.seed is None:
        return name, given
    problem = load(name)
    if problem.vary or given.problem not in (None, problem.id):
        return problem, given
    from regard.solving import variant  # slow to load

    return variant(problem, given.seed), replace(given, seed=None, problem=None)


def _show_parts(grading: Grading, form: Format, output: Path | None) -> NoReturn:
    if form is Format.text and output is None:
        _print_parts(grading)
    else:
        found = grading.page() if form is Format.html else grading.report()
        _show(found, grading.to_dict(), form, output)
    raise typer.Exit(0 if grading.right else 1 if grading.readable else 2)


def _names(problem: str) -> tuple[list[str], list[str]]:
    """Return the fields that an answer must and may have; none where a condition is asked for."""
    from regard.problems import load
    from regard.problems.answer_fields import answer_fields

    needed, others = _all_names(problem)
    if needed and any(
        sign in field.example for field in answer_fields(load(problem)) for sign in "<>="
    ):
        return [], []
    return needed, others


def _all_names(problem: str) -> tuple[list[str], list[str]]:
    """Return the fields that an answer to a bundled problem must have, and those it may have."""
    from regard.problems import load
    from regard.problems.answer_fields import answer_fields
    from regard.problems.loading import bundled_ids

    if problem not in bundled_ids():
        return [], []
    fields = answer_fields(load(problem))
    return (
        [field.name for field in fields if not field.optional],
        [field.name for field in fields if field.optional],
    )


def _empty(problem: str) -> str:
    """Say how an answer is written, where there is none."""
    from regard.problems import load
    from regard.problems.answer_fields import answer_fields

    first = answer_fields(load(problem))[0]
    example = first.example.strip('"')
    return (
        f"check: the answer is empty. {first.name} is {first.what}. It is written like this (which "
        f"is not the answer): regard check {problem} {first.name}={shlex.quote(example)}"
    )


def _condition(problem: str, said: dict[str, Any] | str, typed: list[str]) -> dict[str, Any] | str:
    """Return `s_j = max(s)` whole, where a condition is asked for and s_j is no field."""
    from regard.problems import load
    from regard.problems.answer_fields import answer_fields

    if isinstance(said, str) or len(typed) != 1 or problem == "-":
        return said
    fields = answer_fields(load(problem))
    asks = len(fields) == 1 and any(sign in fields[0].example for sign in "<>=")
    return {fields[0].name: typed[0]} if asks and fields[0].name not in said else said


def _in_order(problem: str, answer: dict[str, Any] | str) -> None:
    """Say which order is meant where the answer is the id of a problem."""
    from regard.problems.loading import bundled_ids

    if answer in bundled_ids():
        shown = shlex.quote(problem)
        raise InvalidAnswer(f"check: the problem comes first: regard check {answer} {shown}")


def _answers(answers: dict[str, Any] | str) -> Any:
    """Return what check_collection takes: a file, or the data that came through stdin."""
    from regard.problems.loading import parse

    if isinstance(answers, dict):
        raise InvalidAnswer("check: the answers to a collection are in a file: name it.")
    if answers != "-":
        return Path(answers)
    text = _stdin()
    return parse(text, "stdin")


def _read(answer: dict[str, Any] | str) -> dict[str, Any] | str:
    """Return what was written on the command line, or the answer that came through stdin."""
    from regard.problems.loading import parse

    if answer != "-":
        return answer
    text = _stdin()
    try:
        return parse(text, "stdin")
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None


def _stdin() -> str:
    from regard.problems.loading import MOST_BYTES, decoded

    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InvalidAnswer(f"stdin: is larger than {MOST_BYTES // 1000} kB.")
    try:
        return decoded(data, "stdin")
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None


def _replay(problem: str, answer: Any, seed: int, form: Format, output: Path | None) -> None:
    from regard.checking import replay
    from regard.checking.verdict import shown
    from regard.report import Facts, Report, Steps, Text

    found = replay(problem, answer, seed)
    report = Report(
        f"{problem}: the instance with seed {seed}",
        (
            Text(found.sentence),
            Facts(tuple((name, shown(array)) for name, array in found.arrays.items())),
            Steps(found.steps),
        ),
    )
    data = {"seed": seed, "sentence": found.sentence, "arrays": dict(found.arrays)}
    _show(report, data, form, output)


def _print_parts(grading: Grading) -> None:
    """Print one line per part, and then the mistakes that were found."""
    from rich.table import Table

    from regard.checking.collections.part_by_part import mistake_rows

    console = out()
    console.print(f"{grading.title}, graded part by part", style="bold", markup=False)
    table = Table(box=None, pad_edge=False)
    for column in ("part", "what it says", "score", "found"):
        right = column == "score"
        whole = column != "what it says"
        table.add_column(column, justify="right" if right else "left", no_wrap=whole)
    for part in grading.parts:
        colour = "green" if part.right else "red"
        table.add_row(
            _plain(part.label),
            _plain(part.says),
            f"[{colour}]{part.percent}[/]",
            _plain(part.found),
        )
    console.print(table)
    console.print(f"\n{grading.count}", markup=False)
    if not mistake_rows(grading):
        return
    console.print()
    mistakes = Table(box=None, pad_edge=False)
    for column in ("part", "mistake", "why"):
        mistakes.add_column(column, no_wrap=column != "why")
    for row in mistake_rows(grading):
        mistakes.add_row(*map(_plain, row))
    console.print(mistakes)
    console.print(f"\nScore: {grading.percent}", markup=False)


def _plain(text: str) -> str:
    """Return text that rich prints as it is."""
    from rich.markup import escape

    return escape(text)


def _show(report: Report, data: dict[str, Any], form: Format, output: Path | None) -> None:
    from regard.report import to_terminal

    if form is Format.text and output is None:
        to_terminal(report, out())
        return
    text = json.dumps(data, indent=2) if form is Format.json else rendered(report, form, output)
    if output is None:
        typer.echo(text)
    else:
        write(output, text)
        out().print(f"Report: {printable(str(output))}", soft_wrap=True, markup=False)
