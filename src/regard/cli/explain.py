"""`regard explain`: one's own numbers through an attention head, every step written out."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.command_line.options import Form, Format, Json, Output, format_of
from regard.cli.console import out
from regard.cli.problem_set import write
from regard.cli.solve import rendered
from regard.errors import InvalidProblem, RegardError

if TYPE_CHECKING:
    from regard.analysis.exact_trace.trace import Trace
    from regard.report import Report

MOST_DIGITS = 1000
NEEDED = ("x", "W_Q", "W_K", "W_V")
OPTIONAL = ("W_O", "scale", "is_causal", "name")
LONGEST_NAME = 200


def explain(
    file: Annotated[Path, typer.Argument(help="TOML or JSON with x, W_Q, W_K and W_V.")],
    digits: Annotated[
        int, typer.Option(min=1, max=MOST_DIGITS, help="Digits of weights and outputs.")
    ] = 6,
    form: Form = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Write out every step of attention on the numbers of a file, exactly."""
    given = read_numbers(file)
    title = given.pop("name", "Attention in exact numbers")
    found, report = _traced(file, given, title, digits)
    if as_json:
        form = Format.json
    if form is None:
        form = format_of(output)
    if form is Format.text and output is None:
        from regard.report import to_terminal

        to_terminal(report, out())
        return
    text = _rendered(found, report, form, digits, output)
    if output is None:
        typer.echo(text)
    else:
        if output.exists() and file.samefile(output):
            raise InvalidProblem(f"{output}: is what is read; it is not written over.")
        write(output, text)
        out().print(f"Report: {output}", soft_wrap=True, markup=False)


def read_numbers(file: Path) -> dict[str, Any]:
    """Return the arguments of `trace` in a file, decimals as they are written, and its name.

    Raises:
        InvalidProblem: the file cannot be read or used; the message says why.
    """
    from regard.problems.loading import read_file

    text = read_file(file).removeprefix("\ufeff")
    is_json = file.suffix == ".json" or (file.suffix != ".toml" and text.lstrip()[:1] == "{")
    language = "JSON" if is_json else "TOML"
    try:
        # A decimal stays what is written: 0.1 is one tenth, not the float next to it.
        loads: Any = json.loads if is_json else tomllib.loads
        data = loads(text, parse_float=Decimal)
    except RecursionError:
        raise InvalidProblem(f"{file}: is nested too deeply.") from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise InvalidProblem(f"{file}: has a number with thousands of digits.") from None
        raise InvalidProblem(f"{file}: is not {language}: {error}.") from None
    if not isinstance(data, dict):
        raise InvalidProblem(f"{file}: must have the keys {', '.join(NEEDED)}.")
    if "X" in data:
        if "x" in data:
            raise InvalidProblem(f"{file}: has both x and X. Which of them are the tokens?")
        data["x"] = data.pop("X")
    missing = [name for name in NEEDED if name not in data]
    if missing:
        raise InvalidProblem(
            f"{file}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing. "
            f"Needed are x (n, d_model), W_Q and W_K (d_model, d_k) and W_V (d_model, d_v)."
        )
    unknown = [name for name in data if name not in (*NEEDED, *OPTIONAL)]
    if unknown:
        raise InvalidProblem(
            f"{file}: {unknown[0][:40]!r} is no key of such a file. "
            f"There are {', '.join((*NEEDED, *OPTIONAL))}."
        )
    name = data.get("name", "a")
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise InvalidProblem(f"{file}: name must be a text of 1 to {LONGEST_NAME} characters.")
    return data


def _traced(file: Path, given: dict[str, Any], title: str, digits: int) -> tuple[Trace, Report]:
    from regard.analysis.exact_trace.trace import trace

    try:
        found = trace(**given)
        return found, found.report(title, digits=digits)
    except RegardError as refused:
        raise InvalidProblem(f"{file}: {str(refused).removeprefix('trace: ')}") from None


def _rendered(
    found: Trace, report: Report, form: Format, digits: int, output: Path | None
) -> str | bytes:
    if form is Format.json:
        # Text of the person's own may hold anything; JSON says it in ASCII.
        data = {**found.to_dict(digits), "report": report.to_dict()}
        return json.dumps(data, indent=2)
    return rendered(report, form, output)
