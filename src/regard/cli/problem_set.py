"""`regard list`, `validate`, `schema` and `variant`: what is asked, before it is solved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.command_line.options import Json
from regard.cli.console import out, printable
from regard.errors import InvalidProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regard.problems import Collection, Problem

    Heads = Mapping[str, Mapping[str, Any]]

_TRIED = 8  # variants that validate solves
_LEAST = 20  # columns of a title


def list_problems(
    which: Annotated[
        list[str] | None,
        typer.Argument(
            help="Only these collections, such as cs114b-hw4; or words to search for, such as "
            "rotary, or a sentence of your handout."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the bundled problems, by collection, or those that words are found in."""
    from difflib import get_close_matches

    from regard import problems
    from regard.problems.loading import bundled_heads
    from regard.problems.problem_sets import find_collection

    asked = which or problems.collections()
    found = [known for name in asked if (known := find_collection(name)) is not None]
    if len(found) < len(asked):
        for name in asked:
            if "-" in name and get_close_matches(name, problems.collections()):
                problems.collection(name)  # says which name was meant
        _search(" ".join(asked), as_json)
        return
    heads = bundled_heads()  # all problems, built, would take much longer than the list
    if as_json:
        listed = dict.fromkeys(part.problem for one in found for part in one.parts)
        typer.echo(json.dumps(_as_data({name: heads[name] for name in listed}, found), indent=2))
        return
    for i, collection in enumerate(found):
        if i:
            out().print()
        _print_collection(collection, heads)
    if not which:
        out().print(
            "\nSearch: regard list rotary, or with a sentence of your handout in quotes.\n"
            "One collection: regard list cs114b-hw4. One question: regard show copy-a-value.",
            highlight=False,
        )


def _search(words: str, as_json: bool) -> None:
    """List the problems that words are found in, the nearest first."""
    from regard.problems.problem_sets import short_places
    from regard.problems.search import search

    found = search(words)
    if not found:
        said = f"list: {words[:80]!r} is no collection, and no problem has these words."
        raise InvalidProblem(f"{said} `regard list` shows all.")
    if as_json:
        heads = {p.id: {"kind": p.kind, "title": p.title, "source": p.source} for p in found}
        typer.echo(json.dumps(_as_data(heads, ()), indent=2))
        return
    places = [("", *short_places(problem))[-1] for problem in found]
    rows = [(p.id, p.title, place) for p, place in zip(found, places, strict=True)]
    _print_rows(rows, folded=1, dim=2)
    out().print(f"\nThe nearest is first. To see it: regard show {found[0].id}", highlight=False)


def _as_data(heads: Heads, among: Iterable[Collection]) -> dict[str, Any]:
    keys = ("kind", "title", "source")
    rows = [{"id": name, **{key: head.get(key) for key in keys}} for name, head in heads.items()]
    groups = [
        {
            "name": c.name,
            "title": c.title,
            "about": c.about,
            "source": c.source,
            "parts": [{"part": part.label, "problem": part.problem} for part in c.parts],
        }
        for c in among
    ]
    return {"problems": rows, "collections": groups}


def _print_collection(collection: Collection, heads: Heads) -> None:
    """Print a heading and a line for each part."""
    from rich.text import Text

    heading = Text(collection.name, style="bold")
    heading.append(f"  {collection.title}", style="not bold")
    out().print(heading)
    rows = [
        (f"  {part.label}".ljust(6), part.problem, heads[part.problem]["title"])
        for part in collection.parts
    ]
    _print_rows(rows, folded=2, dim=0)


def _print_rows(rows: Sequence[tuple[str, ...]], *, folded: int, dim: int) -> None:
    """Print rows as columns, of which one is folded under itself and one is dim."""
    from rich.text import Text

    from regard.report.characters import columns, wrap

    console = out()
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    others = sum(widths) - widths[folded] + 2 * (len(widths) - 1)
    widths[folded] = min(widths[folded], max(_LEAST, console.width - others))
    for row in rows:
        parts = [[cell] if i != folded else wrap(cell, widths[i]) for i, cell in enumerate(row)]
        for at in range(max(map(len, parts))):
            line = Text()
            for i, part in enumerate(parts):
                cell = part[at] if at < len(part) else ""
                gap = " " * (widths[i] - columns(cell) + 2)
                line.append(cell + gap, style="dim" if i == dim else "")
            line.rstrip()
            console.print(line, soft_wrap=True)


def schema(as_json: Json = False) -> None:
    """Print the JSON Schema of a problem file."""
    from regard import problems

    typer.echo(json.dumps(problems.schema(), indent=2))


def validate(
    files: Annotated[
        list[str], typer.Argument(help="Problems in TOML or JSON, folders of them, or ids.")
    ],
    as_json: Json = False,
) -> None:
    """Say whether problem files are right: keys, formulas, and what comes of solving them."""
    files = [file for name in files for file in _files(name)]
    found = [_validated(file, as_json) for file in files]
    if as_json:
        said = [data for _, data in found if data is not None]
        if len(files) > 1:
            typer.echo(json.dumps({"files": said}))
        elif said:
            typer.echo(json.dumps(said[0]))
    raise typer.Exit(max(code for code, _ in found))


def _files(name: str) -> list[str]:
    """Return what is named, or the files of problems in a folder of this name."""
    folder = Path(name)
    if "\0" in name or not folder.is_dir():
        return [name]
    found = sorted(str(one) for one in folder.iterdir() if one.suffix in (".toml", ".json"))
    if not found:
        raise InvalidProblem(f"{name}: holds no file that ends in .toml or .json.")
    return found


def _validated(file: str, as_json: bool) -> tuple[int, dict[str, Any] | None]:
    """Return the exit code of one file, and what JSON says of it."""
    from regard import problems, solving

    try:
        problem = problems.load(file)
        solution = solving.solve(problem)
    except InvalidProblem as error:
        for sentence in error.args:
            typer.echo(printable(sentence), err=True)
        return 2, None
    verdict = solution.verdict.name.lower()
    try:
        tried = tried_variants(problem) if problem.vary else ""
    except InvalidProblem as error:
        typer.echo(printable(f"{file}: {str(error).removeprefix(f'{problem.id}: ')}"), err=True)
        return 2, None
    if not as_json:
        article = "an" if problem.kind[0] in "aeiou" else "a"
        typer.echo(printable(f"{file}: {article} {problem.kind} problem, {solution.outcome}."))
        for name, value in solution.to_dict()["answer"].items():
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            typer.echo(f"  {name} = {shown if len(shown) <= 80 else shown[:79] + '…'}")
        if tried:
            typer.echo(tried)
    code = 1 if solution.verdict is solving.Status.UNDECIDED else 0
    return code, {"id": problem.id, "kind": problem.kind, "status": verdict}


def tried_variants(problem: Problem) -> str:
    """Solve some variants of a problem that declares ranges, and say what came of it.

    Raises:
        InvalidProblem: one comes out otherwise than the problem itself.
    """
    from regard import solving
    from regard.problems.given_numbers import untold

    for seed in range(_TRIED):
        solving.variant(problem, seed)
    said = f"  variants: {_TRIED} seeds come out the same."
    for name in untold(problem):
        said += f"\n  The statement does not tell {name}: write {{{{{name}}}}} where it should."
    return said


def variant(
    problem: Annotated[str, typer.Argument(help="An id out of `regard list`, or a file.")],
    seed: Annotated[int, typer.Option(help="Which variant.")] = 0,
    output: Annotated[Path | None, typer.Option("-o", help="Write it to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Print a problem with other numbers, as a file that can be solved and checked."""
    from regard import problems, solving

    if seed < 0:
        raise InvalidProblem(f"--seed must be 0 or more. Got {seed}.")
    drawn = solving.variant(problems.load(problem), seed)
    text = json.dumps(problems.to_dict(drawn), indent=2) if as_json else problems.to_toml(drawn)
    if output is None:
        typer.echo(text.rstrip("\n"))
    else:
        write(output, text)
        typer.echo(str(output))


def write(path: Path, text: str | bytes) -> None:
    """Write a file; a sentence where that cannot be done."""
    try:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    except OSError as error:
        raise InvalidProblem(
            f"{path}: cannot be written: {(error.strerror or 'no reason given').lower()}."
        ) from None
