"""`regard inspect`: the heads of a model, the striking ones first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.command_line.options import Form, Format, Json, Output, format_of
from regard.cli.console import out, side
from regard.cli.problem_set import write
from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.models import Inspection, Model
    from regard.report import Report


def inspect(
    model: Annotated[Path, typer.Argument(help="A file, a folder, a wheel or a zip.")],
    tokens: Annotated[
        str | None,
        typer.Option(help="Run tokens: 'repeated' draws some, or ids such as 5,7,9,5,7,9."),
    ] = None,
    layers: Annotated[str | None, typer.Option(help="Only these layers, such as 0,1.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="A file that says which tensor plays which part.")
    ] = None,
    member: Annotated[
        str | None, typer.Option(help="Which file of an archive or folder with several.")
    ] = None,
    heads: Annotated[
        int | None, typer.Option(min=1, help="How many heads a layer has, where no config says.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(min=4, help="Positions that weights are read over.")
    ] = None,
    form: Form = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Read the heads of a model: what each looks at, and how clearly."""
    from regard.models import load

    form = Format.json if as_json else form or format_of(output)
    config = None if heads is None else {"num_attention_heads": heads, "n_head": heads}
    opened = load(model, mapping=mapping, config=config, member=member)
    found = _inspected(opened, _tokens(tokens), _numbers("--layers", layers), window)
    if form is Format.text and output is None:
        from regard.report import to_terminal

        to_terminal(_short(found), out())
        return
    text = _rendered(found, form)
    if output is None:
        typer.echo(text)
    else:
        write(output, text)
        out().print(f"Report: {output}", soft_wrap=True, markup=False)


def _inspected(
    model: Model, tokens: str | list[int] | None, layers: list[int] | None, window: int | None
) -> Inspection:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # slow to load

    from regard.models import inspect as read

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=side(), transient=True, disable=not side().is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("layers", total=None)
        return read(
            model,
            tokens,
            layers=layers,
            n=window,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _short(found: Inspection) -> Report:
    """Return the report without what a page folds: pictures of kernels, and formulas."""
    from regard.report import Heading
    from regard.report import Report as Shown

    report = found.report()
    kept, folded = [], False
    for block in report.blocks:
        if isinstance(block, Heading):
            folded = block.role == "folded"
        if not folded:
            kept.append(block)
    return Shown(report.title, tuple(kept))


def _tokens(said: str | None) -> str | list[int] | None:
    return said if said in (None, "repeated") else _numbers("--tokens", said)


def _numbers(option: str, said: str | None) -> list[int] | None:
    if said is None:
        return None
    try:
        return [int(part) for part in said.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(
            f"{option} {said[:40]}: must be whole numbers with commas between."
        ) from None


def _rendered(found: Inspection, form: Format) -> str:
    from regard.report import to_latex, to_text

    if form is Format.json:
        return json.dumps(found.to_dict(), indent=2)
    if form is Format.html:
        from regard.models.gallery import gallery
        from regard.report.html.page import page_with

        return page_with(found.report(), gallery(found))
    return {Format.text: to_text, Format.latex: to_latex}[form](found.report())
