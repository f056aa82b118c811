"""Complete a skeleton: put bodies under its functions, in its own names, and leave the rest.

Nothing of a skeleton is ever run. What is run are the catalogue's functions alone.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.kinds.code.solve.catalogue import CATALOGUE
from regard.kinds.code.spec import PARAMETERS, numpy_name, parameters_of


@dataclass(frozen=True)
class Function:
    """A function of the completed file.

    Attributes:
        name: what the lab calls it.
        behaviour: what it does.
        parameters: what the lab calls its arguments.
        body: its lines, not indented.
        helper: whether the skeleton has none of this behaviour and another function needs it.
    """

    name: str
    behaviour: str
    parameters: tuple[str, ...]
    body: str
    helper: bool = False

    @property
    def source(self) -> str:
        """The function without a docstring."""
        return f"def {self.name}({', '.join(self.parameters)}):\n{_indented(self.body, '    ')}"


def functions(skeleton: str, wanted: Mapping[str, str]) -> tuple[Function, ...]:
    """Return the functions asked for, and the helpers that they need."""
    tree = ast.parse(skeleton)
    heads = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names: dict[str, str] = {}
    for name, behaviour in wanted.items():
        names.setdefault(behaviour, name)
    nodes = list(ast.walk(tree))
    taken = {node.id for node in nodes if isinstance(node, ast.Name)} | set(heads)
    taken |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    helpers = [b for b in needed(names) if b not in names]
    for behaviour in helpers:
        names[behaviour] = _free(f"_{behaviour}", taken)
    alias = numpy_name(tree) or "np"
    result = [
        _function(name, behaviour, parameters_of(heads[name]), {**names, "np": alias})
        for name, behaviour in wanted.items()
    ]
    for behaviour in helpers:
        made = _function(names[behaviour], behaviour, PARAMETERS[behaviour], {**names, "np": alias})
        result.append(replace(made, helper=True))
    return tuple(result)


def complete(skeleton: str, parts: tuple[Function, ...]) -> str:
    """Return the skeleton with the bodies in it."""
    text = skeleton.replace("\r\n", "\n").replace("\r", "\n")
    tree = ast.parse(text)
    places = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    # From the end, so that lines before a function stay where they were.
    for part in sorted(
        (part for part in parts if not part.helper), key=lambda part: -places[part.name].lineno
    ):
        text = _filled(text, places[part.name], part.body)
    for part in parts:
        if part.helper:
            text = f"{text.rstrip()}\n\n\n{part.source}"
    if numpy_name(tree) is None:
        text = _with_import(text, tree)
    return text.rstrip() + "\n"


def load(parts: tuple[Function, ...], skeleton: str = "") -> dict[str, Callable[..., Any]]:
    """Return the functions, ready to be called; NumPy has the name that the skeleton gives it."""
    namespace: dict[str, Any] = {(numpy_name(ast.parse(skeleton)) or "np"): np}
    for part in parts:
        exec(compile(part.source, f"<{part.behaviour}>", "exec"), namespace)
    return {part.name: namespace[part.name] for part in parts}


def needed(behaviours: Iterable[str]) -> list[str]:
    """Return these and all behaviours that they call, those that call first."""
    found: list[str] = []
    waiting = list(behaviours)
    while waiting:
        behaviour = waiting.pop()
        found = [b for b in found if b != behaviour] + [behaviour]
        waiting += CATALOGUE[behaviour].calls
    return found


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _function(
    name: str, behaviour: str, parameters: tuple[str, ...], names: Mapping[str, str]
) -> Function:
    """Return a function of the catalogue under the names of a lab."""
    body = CATALOGUE[behaviour].body
    renamed = dict(zip(PARAMETERS[behaviour], parameters, strict=True))
    renamed |= {other: names[other] for other in ("np", *CATALOGUE[behaviour].calls)}
    taken = set(renamed.values())
    for node in ast.walk(ast.parse(body)):
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            continue
        if node.id not in renamed and node.id in taken:
            renamed[node.id] = _free(f"{node.id}_", taken)
            taken.add(renamed[node.id])
    return Function(name, behaviour, parameters, _rename(body, renamed))


def _rename(body: str, names: Mapping[str, str]) -> str:
    """Replace names, and keep comments and spaces as they are."""
    lines = body.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(body).readline))
    for before, token in reversed(list(zip([None, *tokens], tokens, strict=False))):
        attribute = before is not None and before.string == "."
        if token.type == tokenize.NAME and token.string in names and not attribute:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[end:]
    return "".join(lines)


def _filled(text: str, function: ast.FunctionDef, body: str) -> str:
    """Replace what stands after the docstring of a function."""
    lines = [line.encode() for line in text.split("\n")]  # columns of a tree count bytes
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    documented = documented and isinstance(first.value.value, str)  # type: ignore[attr-defined]
    alone = not lines[first.lineno - 1][: first.col_offset].strip()
    indent = lines[first.lineno - 1][: first.col_offset].decode() if alone else "    "
    if documented:
        assert first.end_lineno is not None
        kept = [*lines[: first.end_lineno - 1]]
        kept.append(lines[first.end_lineno - 1][: first.end_col_offset])
    else:
        kept = [*lines[: first.lineno - 1], lines[first.lineno - 1][: first.col_offset]]
        # An invitation to write code here has been followed.
        while not kept[-1].strip() or kept[-1].strip().startswith(b"#"):
            kept.pop()
    kept[-1] = kept[-1].rstrip()
    assert function.end_lineno is not None
    rest = lines[function.end_lineno :]
    filled = _indented(body, indent).rstrip("\n")
    return "\n".join([*(line.decode() for line in kept), filled, *(line.decode() for line in rest)])


def _indented(body: str, indent: str) -> str:
    return "".join(indent + line for line in body.splitlines(keepends=True))


def _with_import(text: str, tree: ast.Module) -> str:
    """Import NumPy after the docstring and what must stand before all else."""
    line = 0
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (future or words):
            break
        line = node.end_lineno or 0
    lines = text.split("\n")
    gap = [""] if line else []
    rest = "\n".join(lines[line:]).lstrip("\n")
    return "\n".join([*lines[:line], *gap, "import numpy as np", "", "", rest])
