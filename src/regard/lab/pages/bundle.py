"""Many JavaScript modules as one text, for places that load one: notebooks and files.

Each module becomes a scope that returns what it exports. This is no parser: our own modules keep to
`import { a, b } from "./file.js";` on one line, `export function|async function|const|class NAME`
at the start of a line, and `export default NAME;`. A test holds them to it.
"""

from __future__ import annotations

import re
from functools import cache
from posixpath import dirname, join, normpath

from regard.lab.scenes import STATIC

IMPORT = re.compile(r'^import (\{[^}]*\}|\w+) from "(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\s+(\w+))", re.MULTILINE)
COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.MULTILINE)
DEFAULT = re.compile(r"^export default (\w+);$", re.MULTILINE)


@cache
def bundle(*entries: str) -> str:
    """Return one module that exports by default what each entry does: `{entry: its default}`.

    Args:
        entries: paths below `static/`, such as "scenes/where-to-look.js".
    """
    order: list[str] = []
    for entry in entries:
        _visit(entry, order)
    scopes = [_scope(path) for path in order]
    listed = ", ".join(f'"{entry}": {_name(entry)}.default' for entry in entries)
    return "\n".join([*scopes, f"export default {{ {listed} }};", ""])


def scene_module(name: str) -> str:
    """Return the module of one scene, in the form of an anywidget front end."""
    path = f"scenes/{name}.js"
    text = bundle(path)
    return text[: text.rindex("export default")] + f"export default {_name(path)}.default;\n"


def _visit(path: str, order: list[str]) -> None:
    """Put what a module imports before it."""
    if path in order:
        return
    for _, place in IMPORT.findall(_text(path)):
        _visit(normpath(join(dirname(path), place)), order)
    order.append(path)


@cache
def _text(path: str) -> str:
    return (STATIC / path).read_text("utf-8")


def _name(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path)


def _scope(path: str) -> str:
    def imported(found: re.Match[str]) -> str:
        module = _name(normpath(join(dirname(path), found[2])))
        names = found[1].replace(" as ", ": ")
        return f"const {names} = {module}{'' if names[0] == '{' else '.default'};"

    text = COMMENT.sub("", _text(path))  # every saved notebook carries it
    exported = EXPORT.findall(text)
    default = DEFAULT.search(text)
    given = [*exported, *([f"default: {default[1]}"] if default else [])]
    body = DEFAULT.sub("", EXPORT.sub("", IMPORT.sub(imported, text)))
    return f"const {_name(path)} = (() => {{\n{body}\nreturn {{ {', '.join(given)} }};\n}})();"
