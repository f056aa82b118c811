"""Answers as they are typed into a page: what each text means, and its shape."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from regard.lab.asked_problems import AskedProblem

if TYPE_CHECKING:
    from regard.problems import Problem

Name = Annotated[str, Field(min_length=1, max_length=40)]
Typed = Annotated[dict[Name, Annotated[str, Field(max_length=2000)]], Field(max_length=40)]
Shape = tuple[int | str, ...]

_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_STYLE = re.compile(r' (?:style|id)="[^"]*"')


class ChosenProblem(AskedProblem):
    """A problem as in `AskedProblem`; a file that is open counts instead of the one chosen."""

    def load(self) -> Problem:
        """Return the problem; files of this machine are never read."""
        if self.file is not None:
            return AskedProblem(file=self.file).load()
        return super().load()


def meant(typed: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields that are filled in: true and false, tables as in TOML, else formulas.

    >>> meant({"q": " C k_a ", "possible": "True", "shapes": '{ Q = ["D"] }', "C": ""})
    {'q': 'C k_a', 'possible': True, 'shapes': {'Q': ['D']}}
    """
    return {name: _value(text.strip()) for name, text in typed.items() if text.strip()}


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith(("{", "[{", "[ {")):
        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            return text  # LaTeX may begin like that too
    return text


def shapes(problem: Problem) -> dict[str, Shape]:
    """Return the shapes of the names that formulas may use, as far as the kind tells them."""
    given: Any = getattr(problem, "given", None)
    if problem.kind == "separator":
        columns: dict[str, Shape] = {f"{side}_{i}": ("d",) for side in "st" for i in range(1, 9)}
        return {"S": ("d", "p"), "T": ("d", "r"), "d": (), "p": (), "r": (), **columns}
    if hasattr(given, "free_shapes"):
        found: dict[str, Shape] = given.free_shapes()
        return found
    if problem.kind in ("query", "heads"):
        from regard.problems.instances import key_instance

        return {"C": (), "d": (), "epsilon": ()} | _named(key_instance(given).symbols)
    if problem.kind == "self_attention":
        from regard.problems.token_instances import token_table

        return {"C": ()} | _named(token_table(given).names)
    return {}


def _named(symbols: Mapping[str, Any]) -> dict[str, Shape]:
    """Vectors have d numbers, or d_v if they are values."""
    sizes: dict[int, Any] = {0: (), 1: ("d",), 2: ("n", "d")}
    return {
        name: ("d_v",) if name.startswith("v_") else sizes[np.ndim(value)]
        for name, value in symbols.items()
    }


def shape_words(shape: Shape) -> str:
    """Return a shape as a person says it; sizes that are names stand as formulas.

    >>> shape_words(()), shape_words(("d",)), shape_words((2, 3))
    ('a number', 'a vector of $d$ numbers', 'a matrix, 2 × 3')
    """
    sizes = [f"${size}$" if isinstance(size, str) else str(size) for size in shape]
    if not sizes:
        return "a number"
    return (
        f"a vector of {sizes[0]} numbers" if len(sizes) == 1 else "a matrix, " + " × ".join(sizes)
    )


def without_styles(html: str) -> str:
    """Return HTML of a report without what the page's policy forbids: styles, and ids."""
    return _TAG.sub(lambda tag: _STYLE.sub("", tag[0]), html)
