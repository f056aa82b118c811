"""Read problems: bundled ones by their id, others from TOML or JSON files.

Whatever is wrong with a file ends in one InvalidProblem that names the key, its line and
what was expected.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regard.errors import InvalidProblem
from regard.problems.head import Problem
from regard.problems.loading.messages import sentences, where
from regard.problems.loading.repairs import of_json, of_table, of_toml
from regard.problems.registry import kinds, model

MOST_BYTES = 1_000_000


def bundled_ids() -> tuple[str, ...]:
    """Return the ids of the bundled problems, in the order of the alphabet."""
    return tuple(_bundled())


def bundled_heads() -> Mapping[str, Mapping[str, Any]]:
    """Return what is written at the top of each bundled problem, by its id: kind, title, source.

    It is read as it is: problems are built and looked at when one of them is loaded.
    """
    return {name: tomllib.loads(text) for name, text in _bundled().items()}


def load(path_or_id: str | Path | Problem) -> Problem:
    """Return a bundled problem by its id, or the problem in a TOML or JSON file.

    What is a problem already is returned as it is.

    >>> load("average-two-values").kind
    'query'

    Raises:
        InvalidProblem: there is none, or it cannot be read; the message says why.
    """
    if isinstance(path_or_id, Problem):
        return path_or_id
    name = str(path_or_id)
    if isinstance(path_or_id, str) and name in _bundled():
        return _load_bundled(name)
    path = Path(path_or_id)
    if not path.suffix and "\0" not in name and not path.exists():
        raise InvalidProblem(_no_such_id(name, tuple(_bundled())))
    return loads(read_file(path), name, is_json=path.suffix == ".json")


def loads(text: str, name: str = "problem", *, is_json: bool = False) -> Problem:
    """Return the problem written in text; `name` is what messages call it."""
    return from_dict(parse(text, name, is_json=is_json), name, text="" if is_json else text)


def from_dict(data: Mapping[str, Any], name: str = "problem", *, text: str = "") -> Problem:
    """Return the problem that plain data describes."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds():
        got = "it is missing" if kind is None else f"{str(kind)[:40]!r} is unknown"
        place = where(name, text, ("kind",))
        raise InvalidProblem(f"{place}kind: {got}. Use one of {', '.join(kinds())}.")
    try:
        return model(kind).model_validate(data)
    except ValidationError as error:
        raise InvalidProblem(*sentences(error, name, text, kind)) from None


def read_file(path: Path) -> str:
    """Return the text of a file; InvalidProblem where that cannot be done."""
    return decoded(read_bytes(path), str(path))


def decoded(data: bytes, name: str) -> str:
    """Return the text of these bytes: UTF-8, or UTF-16 with the mark that editors put before it."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        what = "UTF-16" if wide else "UTF-8"
        raise InvalidProblem(
            f"{name}: is not text in {what} (byte {error.start}). Save it as UTF-8."
        ) from None


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return what is in an ordinary file of at most so many bytes; else InvalidProblem."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading a pipe or a device may never end
            what = "a folder. Name a file in it" if stat.S_ISDIR(mode) else "no ordinary file"
            raise InvalidProblem(f"{path}: is {what}.")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except InvalidProblem:
        raise
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise InvalidProblem(f"{path}: {reason}.") from None
    except ValueError:  # a NUL in the name
        raise InvalidProblem(f"{str(path)!r}: is no name of a file.") from None
    if len(data) > most:
        raise InvalidProblem(f"{path}: is larger than {most // 1000} kB.")
    return data


def parse(text: str, name: str, *, is_json: bool = False) -> dict[str, Any]:
    """Return the data of a TOML or JSON text; one that begins with { is JSON in any file."""
    is_json = is_json or text.lstrip()[:1] == "{"
    try:
        data = json.loads(text, object_pairs_hook=_once) if is_json else tomllib.loads(text)
    except RecursionError:
        raise InvalidProblem(f"{name}: is nested too deeply.") from None
    except ValueError as error:
        reason = str(error)
        if "integer string conversion" in reason:
            raise InvalidProblem(f"{name}: has a number with thousands of digits.") from None
        if isinstance(error, json.JSONDecodeError):
            fix = of_json(text, error.pos)
            raise InvalidProblem(f"{name}: is not JSON: {reason}.{' ' * bool(fix)}{fix}") from None
        if is_json:
            raise InvalidProblem(f"{name}: is not JSON: {reason}.") from None
        if name.endswith(".csv"):
            raise InvalidProblem(f"{name}: {of_table(text)}") from None
        fix = _mended(text, reason) or _quoting(reason)
        raise InvalidProblem(f"{name}: is not TOML: {reason}.{' ' * bool(fix)}{fix}") from None
    if not isinstance(data, dict):
        what = (
            "text" if isinstance(data, str) else "a list" if isinstance(data, list) else "a value"
        )
        raise InvalidProblem(
            f'{name}: must be a table of keys, such as {{"q": "C k_a"}}, and is {what} alone.'
        )
    return data


_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def _mended(text: str, reason: str) -> str:
    """Return what to write in the line that Python's reader names."""
    place = _PLACE.search(reason)
    if reason.startswith(("Cannot overwrite", "Cannot declare")):
        return "This name is there twice: leave one of the two out."
    if place is None:
        is_list = reason.startswith(("Unclosed array", "Unclosed inline"))
        last = next((n for n, one in enumerate(text.splitlines(), 1) if _opens(one)), 0)
        return f"Line {last} opens a bracket that is never closed." if is_list and last else ""
    return of_toml(text, int(place[1]), int(place[2]))


def _opens(line: str) -> bool:
    return line.count("[") + line.count("{") > line.count("]") + line.count("}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a table of JSON; one that says two things under one name says neither."""
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise ValueError(f"{name[:80]!r} is there twice")
        table[name] = value
    return table


def _quoting(reason: str) -> str:
    """Say how a formula is quoted, where that is what TOML stumbles over."""
    if reason.startswith(("Invalid value", "Expected newline or end of document after")):
        return "A formula stands in quotes: q = 'C (k_a + k_b)'."
    if "escape" in reason or "Unescaped" in reason or "hex" in reason:
        return r"LaTeX stands in single quotes, in which \ is a \: q = '\alpha k_a'."
    return ""


@cache
def _load_bundled(name: str) -> Problem:
    return loads(_bundled()[name], name)


@cache
def _bundled() -> dict[str, str]:
    folder = resources.files("regard.problems") / "library"
    files = sorted(f.name for f in folder.iterdir() if f.name.endswith(".toml"))
    return {name.removesuffix(".toml"): (folder / name).read_text("utf-8") for name in files}


def _no_such_id(name: str, known: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else " `regard list` shows all."
    return f"{name[:80]}: there is neither a bundled problem nor a file of this name.{hint}"
