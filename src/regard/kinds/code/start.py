"""The file that a student starts from: the skeleton as it is, or as the cells of a notebook."""

from __future__ import annotations

import ast
import json
from typing import Any

from regard.kinds.code.spec import CodeProblem


def skeleton(problem: CodeProblem) -> str:
    """Return the Python file to be completed."""
    return problem.given.skeleton.strip() + "\n"


def notebook(problem: CodeProblem, name: str) -> str:
    """Return it as a notebook: the question, a cell for each part, and how to check it.

    Args:
        problem: what is asked.
        name: what the notebook is called.
    """
    last = f"Save the notebook, then run in a terminal: `regard check {problem.id} {name}`"
    cells = [
        markdown("question", f"# {problem.title}\n\n{problem.statement.strip()}"),
        *(code(f"part-{i}", source) for i, source in enumerate(cut_into_cells(problem), 1)),
        markdown("check", last),
    ]
    return written(cells)


def cut_into_cells(problem: CodeProblem) -> list[str]:
    """Return the skeleton cut into cells: what stands before the functions, then each of them."""
    lines = skeleton(problem).split("\n")
    tree = ast.parse(skeleton(problem))
    starts = [0]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            starts.append(first - 1)
    ends = [*starts[1:], len(lines)]
    cut = ["\n".join(lines[a:b]).strip() for a, b in zip(starts, ends, strict=True)]
    return [source for source in cut if source]


def markdown(name: str, source: str) -> dict[str, Any]:
    """Return a cell of text."""
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _lines(source)}


def code(name: str, source: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a cell of Python."""
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata or {},
        "execution_count": None,
        "outputs": [],
        "source": _lines(source),
    }


def written(cells: list[dict[str, Any]]) -> str:
    """Return a notebook (nbformat 4.5) of these cells."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    data = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)
