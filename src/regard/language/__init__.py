"""The formula language: read, infer shapes, evaluate, print as text, LaTeX and MathML."""

from __future__ import annotations

from regard.errors import FormulaError
from regard.language.formula.abbreviations import (
    Abbreviation,
    abbreviations,
    expanded,
    latex_with_calls,
    named_calls,
)
from regard.language.formula.approach import Limit, parse_limit
from regard.language.formula.formula import Formula, parse
from regard.language.formula.shapes.inference import Shape
from regard.language.formula.vocabulary import RESERVED

__all__ = [
    "RESERVED",
    "Abbreviation",
    "Formula",
    "FormulaError",
    "Limit",
    "Shape",
    "abbreviations",
    "expanded",
    "latex_with_calls",
    "named_calls",
    "parse",
    "parse_limit",
]
