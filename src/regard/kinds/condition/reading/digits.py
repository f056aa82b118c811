"""Numbers as they are written: 16.01 stands for what is rounded to it.

A decimal number in a condition is judged to the digits that are written, two at least: 8.0 is 8.00,
and 8.0054 is not rounded to that. Whole numbers are what they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checking.factors.open_factor import FACTOR
from regard.errors import FormulaError
from regard.kinds.condition.reading import Asked
from regard.language import Formula
from regard.language.formula.tree import operands

FEWEST = 2  # decimals
ROUNDING = 1e-14  # relative: a number with all of its digits was rounded when it was worked out
_DECIMALS = re.compile(r"[0-9]*\.([0-9]+)(?![0-9]*[eE])")


def literals(asked: Asked) -> list[float]:
    """Return the numbers that the condition is written with, and what an open C stands for.

    Sides that are one number, such as log(R), come first: they bound a score by themselves.
    """
    formulas = [asked.condition, *(one for one in asked.own.values() if isinstance(one, Formula))]
    found = _sides(asked)
    if asked.factor is not None and math.isfinite(asked.factor):
        found.append(float(asked.factor))
    found += [one for one in asked.own.values() if isinstance(one, float)]
    found += [float(n.value) for one in formulas for n in one.tree if n.op == "number"]
    return list(dict.fromkeys(found))


def _sides(asked: Asked) -> list[float]:
    """Return what sides of comparisons come to that depend on no score and no key."""
    problem, tree = asked.problem, asked.condition.tree
    ratio = problem.goal.ratio or 1.0
    known = {"n": float(problem.given.n), "epsilon": float(problem.goal.epsilon), "R": float(ratio)}
    if asked.factor is not None:
        known[FACTOR] = asked.factor
    found = []
    for at, node in enumerate(tree):
        for part in operands(tree, at) if node.op == "compare" else []:
            side = Formula(part, asked.condition.text)
            if len(part) == 1 or not side.names <= known.keys():
                continue
            try:
                value = np.asarray(side.evaluate(known), float)
            except FormulaError:
                continue
            if value.shape == () and np.isfinite(value):
                found.append(float(value))
    return found


def readings(asked: Asked) -> Iterator[Asked]:
    """Yield the condition with one decimal number moved by half of its last digit."""
    for formula in _of_formula(asked.condition):
        yield replace(asked, condition=formula)
    for name, one in asked.own.items():
        found: Iterator[Any] = _of_formula(one) if isinstance(one, Formula) else _of_number(one)
        for option in found:
            yield replace(asked, own={**asked.own, name: option})


def _half(text: str) -> float | None:
    """Return half a unit of the last digit of the number that text begins with, or None."""
    match = _DECIMALS.match(text)
    return None if match is None else 0.5 * 10.0 ** -max(FEWEST, len(match[1]))


def _of_formula(formula: Formula) -> Iterator[Formula]:
    for place, node in enumerate(formula.tree):
        half = _half(formula.text[node.column :]) if node.op == "number" else None
        if half is None:
            continue
        step = max(half, ROUNDING * abs(node.value))
        for moved in (node.value + step, node.value - step):
            tree = list(formula.tree)
            tree[place] = replace(node, value=moved)
            yield Formula(tuple(tree), formula.text)


def _of_number(one: Any) -> Iterator[float]:
    half = _half(repr(one)) if isinstance(one, float) else None
    if half is not None:
        step = max(half, ROUNDING * abs(one))
        yield from (one + step, one - step)
