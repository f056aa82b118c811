"""`regard handout`: the statements of problems alone, each class with its own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.command_line.options import SUFFIXES, Format
from regard.cli.problem_set import write
from regard.cli.solve import rendered
from regard.errors import InvalidProblem

if TYPE_CHECKING:
    from regard.problems import Problem
    from regard.report import Report

_SUFFIXES = {suffix: form for suffix, form in SUFFIXES.items() if form is not Format.json}


def handout(
    problems: Annotated[
        list[str], typer.Argument(help="A collection, ids out of `regard list`, or files.")
    ],
    seed: Annotated[int | None, typer.Option(help="With the numbers of this variant.")] = None,
    student: Annotated[
        str | None,
        typer.Option(help="With the variant that `regard grade --variant-by student` gives them."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What stands at the top.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", help="Write to this file: .html, .tex, .pdf, .md or .txt.")
    ] = None,
) -> None:
    """Write the statements alone, without answers; with a seed, with its numbers."""
    if seed is not None and seed < 0:
        raise InvalidProblem(f"--seed must be 0 or more. Got {seed}.")
    if student is not None:
        from regard.grading import student_seed

        if seed is not None:
            raise InvalidProblem("handout: give --seed or --student, and not both.")
        seed = student_seed(student)
    suffix = ".md" if output is None else output.suffix
    if suffix != ".md" and suffix not in _SUFFIXES:
        raise InvalidProblem(f"-o {output}: use one of the endings .md, {', '.join(_SUFFIXES)}.")
    found, parts = _asked(problems)
    title = title or found
    drawn = [(label, _variant(problem, seed)) for label, problem in parts]
    if suffix == ".md":
        text: str | bytes = _markdown(title, drawn, seed)
    else:
        text = rendered(_report(title, drawn, seed), _SUFFIXES[suffix], output)
    if output is None:
        typer.echo(text)
    else:
        write(output, text)
        typer.echo(f"Handout: {output}")


def _asked(named: list[str]) -> tuple[str, list[tuple[str, Problem]]]:
    """Return the title, and the problems with the labels of their parts."""
    from regard.problems import load
    from regard.problems.problem_sets import find_collection

    found: list[tuple[str, Problem]] = []
    title = "Problems"
    for name in named:
        collection = find_collection(name)
        if collection is None:
            found.append((f"{len(found) + 1}.", load(name)))
        else:
            title = collection.title if len(named) == 1 else title
            found += [(part.label, load(part.problem)) for part in collection.parts]
    return title, found


def _variant(problem: Problem, seed: int | None) -> Problem:
    from regard.solving import variant

    return problem if seed is None else variant(problem, seed)


def _name(problem: Problem, seed: int | None) -> str:
    return problem.id if seed is None else problem.id.removesuffix(f"-{seed}")


def _title(label: str, problem: Problem, seed: int | None) -> str:
    sign = "" if label[-1:] in ").:" else ":"
    return f"{label}{sign} {problem.title.removesuffix(f' (variant {seed})')}"


def _named(problem: Problem, seed: int | None) -> str:
    """Say how an answer names its problem."""
    named = f'`problem = "{_name(problem, seed)}"`'
    if seed is None:
        return f"The answer file begins with {named}."
    return f"The answer file begins with two lines: {named} and `seed = {seed}`."


def _report(title: str, parts: list[tuple[str, Problem]], seed: int | None) -> Report:
    from regard.problems.given_numbers import given_numbers
    from regard.report import Block, Facts, Heading, Prose, Report

    blocks: list[Block] = []
    for label, problem in parts:
        blocks += [Heading(_title(label, problem, seed), role="exercise"), Prose(problem.statement)]
        numbers = given_numbers(problem)
        blocks += [Facts(numbers)] if numbers else []
        blocks.append(Prose(_named(problem, seed)))
    return Report(title, tuple(blocks))


def _markdown(title: str, parts: list[tuple[str, Problem]], seed: int | None) -> str:
    from regard.problems.given_numbers import given_numbers

    lines = [f"# {title}"]
    for label, problem in parts:
        lines += [f"## {_title(label, problem, seed)}", problem.statement.strip()]
        lines += [f"{name}: {value}" for name, value in given_numbers(problem)]
        lines.append(_named(problem, seed))
    return "\n\n".join(lines) + "\n"
