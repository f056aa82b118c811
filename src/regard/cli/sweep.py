"""`regard sweep`: a function or a problem over many settings, a table with a row for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.command_line.options import Json
from regard.cli.console import out, side
from regard.cli.problem_set import write
from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.cluster import Sweep
    from regard.cluster.sweeps.sweep_file import SweepFile

INTERRUPTED = 130  # as shells have it


def sweep(
    file: Annotated[
        Path | None, typer.Argument(help="A sweep in TOML: what, over which settings.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", help="The table: .csv, .json or .parquet. By default FILE's name .csv."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="A scheduler of Dask, tcp://HOST:PORT, or `local` to start one."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many processes; by default one per core.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="How much memory a cell may take, such as 2GiB.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="What is done so far; by default beside the table.")
    ] = None,
    retry: Annotated[bool, typer.Option(help="Do again what failed before.")] = False,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw the table, here and as a page beside it.")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List what can be swept, and the laws of arrays.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a function or a problem over many settings; go on where a run was stopped."""
    if listed:
        _list(as_json)
        return
    if file is None:
        raise ParameterError("sweep: name a file. `regard sweep --list` shows what can be swept.")
    from regard.cluster import Interrupted
    from regard.cluster import sweep as run
    from regard.cluster.sweeps.result import check_ending
    from regard.cluster.sweeps.sweep_file import read_sweep_file

    asked = read_sweep_file(file)
    table = output or Path(file.with_suffix(".csv").name)
    check_ending(table)
    try:
        found = run(
            asked.what,
            asked.settings,
            seed=asked.seed,
            paired=asked.paired,
            draw=asked.draw,
            cluster=cluster,
            workers=workers,
            memory=memory,
            checkpoint=checkpoint or Path(f"{table}.checkpoint"),
            retry=retry,
            title=asked.title,
        )
    except Interrupted as stopped:
        side().print(str(stopped), soft_wrap=True, markup=False)
        raise typer.Exit(INTERRUPTED) from None
    found.write(table)
    _show(found, asked, table, plot, as_json)
    bad = sum(count for status, count in found.counts.items() if status in ("failed", "killed"))
    raise typer.Exit(1 if bad else 0)


def _show(found: Sweep, asked: SweepFile, table: Path, plot: bool, as_json: bool) -> None:
    from regard.report import to_html_page, to_terminal

    report = found.report()
    page = table.with_suffix(".html")
    refused: ParameterError | None = None
    if plot:
        try:
            report = found.report(found.figure(**asked.plot))
            write(page, to_html_page(report))
        except ParameterError as error:  # the table is there, and is shown all the same
            refused = error
    if as_json:
        data = {
            "title": found.title,
            "counts": found.counts,
            "resumed": found.resumed,
            "table": str(table),
            "rows": found.to_json(),
        }
        typer.echo(json.dumps(data, indent=2))
        if refused:
            raise refused
        return
    to_terminal(report, out())
    if found.resumed:
        out().print(f"{found.resumed} of these cells were there from a run before.", markup=False)
    if found.damaged:
        out().print(
            f"{found.damaged} lines of the checkpoint were damaged; their cells were done again.",
            markup=False,
        )
    out().print(f"Table: {table}", soft_wrap=True, markup=False)
    if refused:
        raise refused
    if plot:
        out().print(f"Picture: {page}", soft_wrap=True, markup=False)


def _list(as_json: bool) -> None:
    from regard.cluster.sweeps.drawn_arrays import LAWS, parameters
    from regard.cluster.sweeps.targets import named, names

    targets: dict[str, dict[str, Any]] = {}
    for name in names():
        target = named(name, {}, "sweep")
        targets[name] = {
            "settings": sorted(target.settings - set(target.draws)),
            "draws": {argument: dict(law) for argument, law in target.draws.items()},
            "defaults": dict(target.recipe.defaults),
        }
    if as_json:
        laws = {name: list(parameters(name)) for name in LAWS}
        typer.echo(json.dumps({"targets": targets, "laws": laws}, indent=2))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("what", "settings", "drawn arrays"):
        table.add_column(column, no_wrap=column == "what", overflow="fold")
    for name, one in targets.items():
        defaults = one["defaults"]
        settings = [f"{s}={defaults[s]}" if s in defaults else s for s in one["settings"]]
        drawn = [f"{argument}: {law['law']}" for argument, law in one["draws"].items()]
        table.add_row(name, ", ".join(settings), ", ".join(drawn))
    table.add_row("a problem", "given.n, goal.tolerance …, variant", "")
    out().print(table)
    out().print("\nLaws for \\[draw], each with what it takes:")
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, law in LAWS.items():
        said = Text((law.__doc__ or "").partition("\n")[0])
        table.add_row(name, ", ".join(parameters(name)), said)
    out().print(table)
