"""Answers that are the same but for names, spaces and order: equal fingerprints."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.language import Formula

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def of_answer(answer: Answer, asked: Iterable[str]) -> str:
    """Return the fingerprint of an answer's fields.

    Names that the answer declares for itself, beside the fields that are asked for, are numbered in
    the order in which they come up: `q = "C k_a"` with C = 20 is `q = "beta k_a"` with beta = 20.
    """
    wanted = [name for name in asked if name in answer.fields]
    own: dict[str, str] = {}
    texts = [f"{name} = {_text(answer.fields[name], answer, wanted, own)}" for name in wanted]
    done = 0
    while done < len(own):  # what these names stand for may use further ones
        name = [*own][done]
        texts.append(f"{own[name]} = {_text(answer.fields[name], answer, wanted, own)}")
        done += 1
    unused = sorted(set(answer.fields) - set(wanted) - set(own))
    texts += [f"also {_text(answer.fields[name], answer, wanted, own)}" for name in unused]
    return _hash("\n".join(texts))


def of_code(source: str) -> str:
    """Return the fingerprint of a Python file, with every name that it makes up numbered.

    Comments, docstrings and layout do not count. What cannot be parsed is compared as it is.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _hash(" ".join(source.split()))
    nodes = [*ast.walk(tree)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    numbers: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in made:
            node.id = numbers.setdefault(node.id, f"name{len(numbers)}")
        elif isinstance(node, ast.arg):
            node.arg = numbers.setdefault(node.arg, f"name{len(numbers)}")
        elif isinstance(node, ast.FunctionDef | ast.Module) and _has_docstring(node):
            node.body = node.body[1:]
    return _hash(ast.dump(tree))


def notebook_source(data: bytes) -> str:
    """Return the code of a notebook's cells, or its text where it is no notebook."""
    text = data.decode("utf-8", "replace")
    try:
        cells = json.loads(text)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return "\n".join(part if isinstance(part, str) else "".join(part) for part in code)
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def _has_docstring(node: ast.FunctionDef | ast.Module) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def _text(value: Any, answer: Answer, wanted: list[str], own: dict[str, str]) -> str:
    def numbered(word: re.Match[str]) -> str:
        name = word[0]
        if name not in answer.fields or name in wanted:
            return name
        return own.setdefault(name, f"name{len(own)}")

    if isinstance(value, Formula):
        return _WORD.sub(numbered, str(value))
    if isinstance(value, np.ndarray):
        return json.dumps(value.tolist())
    if isinstance(value, Mapping):
        parts = (f"{k}: {_text(v, answer, wanted, own)}" for k, v in sorted(value.items()))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_text(item, answer, wanted, own) for item in value) + "]"
    return str(value)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
