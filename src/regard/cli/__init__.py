"""The command `regard`. Its subcommands are in the modules beside; this one gathers them.

Exit codes: 0 all is well; 1 an answer is not fully right, or a problem undecided;
2 input that cannot be read or used; 3 regard's own fault.
"""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

import regard
from regard.cli import problem_set
from regard.cli.check import check as check_command
from regard.cli.command_line.flags_only import CommandFirst, FlagsOnly
from regard.cli.console import printable
from regard.cli.doctor import doctor as doctor_command
from regard.cli.explain import explain as explain_command
from regard.cli.export import export as export_command
from regard.cli.grade import grade as grade_command
from regard.cli.handout import handout as handout_command
from regard.cli.inspect import inspect as inspect_command
from regard.cli.lab import lab as lab_command
from regard.cli.mcp import mcp as mcp_command
from regard.cli.new import new as new_command
from regard.cli.rubric import rubric as rubric_command
from regard.cli.show import hint as hint_command
from regard.cli.show import show as show_command
from regard.cli.solve import solve as solve_command
from regard.cli.start import start as start_command
from regard.cli.sweep import sweep as sweep_command
from regard.errors import RegardError

app = typer.Typer(
    name="regard",
    cls=CommandFirst,
    help="A workbench for the attention mechanism.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help as plain text: rich's own takes half as long again to load
)
app.command("solve")(solve_command)
app.command("show")(show_command)
app.command("hint")(hint_command)
app.command("start")(start_command)
app.command("check")(check_command)
app.command("grade", short_help="Grade a whole class.")(grade_command)
app.command("export")(export_command)
app.command("explain", short_help="Write out every step of attention, exactly.")(explain_command)
app.command("lab", cls=FlagsOnly)(lab_command)
app.command("inspect", short_help="Say what the heads of a model do.")(inspect_command)
app.command("mcp", short_help="Offer the questions of the lab to assistants.")(mcp_command)
app.command("list")(problem_set.list_problems)
app.command("variant", short_help="Print a problem with other numbers.")(problem_set.variant)
app.command("new", short_help="Write a problem file to start from.")(new_command)
app.command("rubric", short_help="Print goals, points and likely mistakes.")(rubric_command)
app.command("handout", short_help="Write the statements alone, for a class.")(handout_command)
app.command("validate", short_help="Say whether problem files are right.")(problem_set.validate)
app.command("schema")(problem_set.schema)
app.command("sweep", short_help="Run something over many settings.")(sweep_command)
app.command("doctor", short_help="Say what is installed, and test it.")(doctor_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"regard {regard.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A workbench for the attention mechanism."""


def _as_answer(word: str) -> str:
    """Return a word that looks like an option, and is an answer, as one: -2 k_a; --q, --z_3=1."""
    if len(word) > 1 and word[0] == "-" and word[1] not in "-o":
        return f" {word}"
    name, equals, value = word[2:].partition("=")
    is_field = name.isidentifier() and (len(name) < 3 or "_" in name)  # no option is that short
    return f"{name}={equals and value}" if word[:2] == "--" and is_field else word


def _wrapped(message: str) -> str:
    """Wrap the sentences of a message at the width of a terminal; what is quoted stays as it is."""
    message = printable(message)
    if not sys.stderr.isatty():
        return message
    import shutil
    import textwrap

    width = max(40, min(100, shutil.get_terminal_size().columns))
    lines = [
        line if line.startswith(" ") else textwrap.fill(line, width, break_on_hyphens=False)
        for line in message.split("\n")
    ]
    return "\n".join(lines)


def main() -> None:
    """Run the command and leave with its exit code."""
    if sys.argv[1:2] == ["check"]:
        sys.argv[2:] = [_as_answer(word) for word in sys.argv[2:]]
    gc.set_threshold(20_000, 50, 100)  # what is loaded stays, and there is no need to look often
    try:
        app()
    except RegardError as problem:
        typer.echo(_wrapped(str(problem)), err=True)
        sys.exit(2)
    except Exception as fault:
        from regard.cli.faults import told

        typer.echo(_wrapped(told(fault)), err=True)
        sys.exit(3)
    finally:
        gc.freeze()  # the process ends: nothing needs to be found and freed one by one
