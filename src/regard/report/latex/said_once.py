"""What an answer says in its formulas, and its fields need not say again."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from regard.report.blocks import Facts
from regard.report.document import Block
from regard.report.writing import Math

_APART: Final = re.compile(r"\\q?quad|\\;")  # parts of a formula
_SETS: Final = re.compile(r"\\(?:left|right|text|mathrm|,|;|:|!| )|[\s{}$~]")
_ONES: Final = re.compile(r"\\operatorname\{ones\}\\left\(\w+\\right\)")
_MATRIX: Final = re.compile(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", re.DOTALL)
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_DIGITS: Final = 2e-3  # how far off a number of three or four digits may be


def said_once(given: Sequence[Block]) -> list[Block]:
    """Return the blocks of an answer; a field that its formulas have said is not said again."""
    formulas = [block.latex for block in given if isinstance(block, Math)]
    parts = [part for latex in formulas for part in _APART.split(latex)]
    said = {_bare(part).rstrip(",;.") for part in parts}
    matrices = [found for part in parts if (found := _entries(part))]
    kept: list[Block] = []
    for block in given:
        if isinstance(block, Facts):
            pairs = [p for p in block.pairs if not _is_said(*p, said, matrices)]
            kept += [Facts(tuple(pairs))] if pairs else []
        else:
            kept.append(block)
    return kept


def _is_said(name: str, value: str, said: set[str], matrices: Sequence[list[float]]) -> bool:
    """Whether this field is one of the formulas, or one of their matrices in more digits."""
    if {f"{_bare(name)}{sign}{_bare(value)}" for sign in "=:"} & said:
        return True
    entries = _entries(value)
    return bool(entries) and any(
        len(one) == len(entries) and all(map(_is_rounded, one, entries)) for one in matrices
    )


def _is_rounded(shown: float, exact: float) -> bool:
    return math.isclose(shown, exact, rel_tol=_DIGITS, abs_tol=1e-9)


def _bare(text: str) -> str:
    """Return a formula without what only sets it."""
    return _SETS.sub("", _ONES.sub(r"\\mathbf{1}", text))


def _entries(latex: str) -> list[float]:
    """Return the numbers of the matrices of a formula, where they are nothing but numbers."""
    inside = " ".join(_MATRIX.findall(latex))
    return [] if re.search(r"[a-zA-Z]{2}", inside) else [float(x) for x in _NUMBER.findall(inside)]
