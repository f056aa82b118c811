"""Tokens that are combinations of basis vectors, as problems give them."""

from __future__ import annotations

import re
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from regard.language import parse, parse_limit
from regard.problems.fields import Count, Formula, LimitText, Name, Ordinary, OrdinaryPositive, Part
from regard.shapes.extremes import SMALLEST

_LABEL = re.compile(r"([xc])_([1-9][0-9]?)")
LARGEST = 1e6  # of an entry of a token: scores are products of two


def token_label(row: int, letter: str = "x") -> str:
    """Return the label of a token by its row, from 0; with the letter c that of its output.

    >>> token_label(1), token_label(1, "c")
    ('x_2', 'c_2')
    """
    return f"{letter}_{row + 1}"


def read_label(label: str) -> tuple[str, int]:
    """Return the letter and the row, from 0, of a label; ValueError if it is none.

    >>> read_label("c_2")
    ('c', 1)
    """
    match = _LABEL.fullmatch(label)
    if not match:
        raise ValueError(f"{label!r} is no label of a token such as x_2, nor of an output, c_2")
    return match[1], int(match[2]) - 1


class BasisGiven(Part):
    """Vectors at right angles, all of one length.

    Attributes:
        names: what they are called.
        norm: their length: a number or a parameter.
    """

    names: Annotated[list[Name], Field(min_length=1, max_length=64)]
    norm: OrdinaryPositive | Name = 1.0


class Tokens(Part):
    """Tokens as formulas in a basis.

    Attributes:
        basis: the vectors that tokens are made of.
        parameters: numbers that formulas may use.
        tokens: x_1, x_2, …: formulas.
        d: the length of a token; by default the number of basis vectors.
        scale: what the scores are multiplied by.
        limits: what becomes large, such as "beta -> inf".
    """

    basis: BasisGiven
    parameters: dict[Name, Ordinary] = Field(default_factory=dict)
    tokens: Annotated[list[Formula], Field(min_length=1, max_length=32)]
    d: Count | None = None
    scale: OrdinaryPositive = 1.0
    limits: list[LimitText] = Field(default_factory=list)

    @model_validator(mode="after")
    def _declared(self) -> Tokens:
        norm = self.basis.norm
        if isinstance(norm, str) and norm not in self.parameters:
            raise ValueError(f"basis.norm: {norm} is not among the parameters")
        if isinstance(norm, str) and self.parameters[norm] <= 0:
            raise ValueError(f"basis.norm: {norm} = {self.parameters[norm]:g} must be above 0")
        taken = [*self.basis.names, *self.parameters]
        if len(set(taken)) < len(taken):
            twice = next(name for name in taken if taken.count(name) > 1)
            raise ValueError(f"{twice} is declared twice")
        if self.d is not None and self.d < len(self.basis.names):
            raise ValueError(f"d = {self.d} has no room for {len(self.basis.names)} directions")
        for i, text in enumerate(self.tokens):
            self.vector(f"tokens[{i}]", text)
        for limit in self.limits:
            if parse_limit(limit).name not in self.parameters:
                raise ValueError(f"limits: {parse_limit(limit).name} is not among the parameters")
        return self

    @property
    def known(self) -> set[str]:
        """The names that formulas may use."""
        return set(self.basis.names) | set(self.parameters)

    @property
    def vectors(self) -> list[str]:
        """The names of all vectors: those of the basis, then the tokens x_1, x_2, …."""
        return [*self.basis.names, *map(token_label, range(len(self.tokens)))]

    @property
    def shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Their shapes."""
        vectors: dict[str, tuple[int | str, ...]] = dict.fromkeys(self.basis.names, ("d",))
        return vectors | dict.fromkeys(self.parameters, ())

    def token(self, where: str, label: str, letter: str = "") -> int:
        """Return the row, from 0, of a label such as x_2 or c_2; ValueError if there is none.

        Args:
            where: what messages call the place.
            label: the label.
            letter: "x" where a token has to be named, "c" where an output; either if empty.
        """
        match = _LABEL.fullmatch(label)
        if not match or int(match[2]) > len(self.tokens):
            raise ValueError(f"{where}: {label!r} is none of the {len(self.tokens)} tokens")
        if letter and match[1] != letter:
            what = "an output is" if letter == "c" else "a token is"
            raise ValueError(f"{where}: {what} called {letter}_{match[2]} here, not {label}")
        return int(match[2]) - 1

    def vector(self, where: str, text: str) -> None:
        """Raise ValueError unless text is a vector in declared names, of ordinary size."""
        formula = parse(text)
        unknown = sorted(formula.names - self.known)
        if unknown:
            raise ValueError(f"{where}: {unknown[0]} is not declared")
        if len(formula.shape(self.shapes)) != 1:
            raise ValueError(f"{where}: must be a vector; {text!r} is none")
        norm = self.basis.norm
        size = self.parameters[norm] if isinstance(norm, str) else norm
        axes = size * np.eye(len(self.basis.names))
        found = formula.evaluate(
            {**self.parameters, **dict(zip(self.basis.names, axes, strict=True))}
        )
        largest = float(np.max(np.abs(found)))
        if not largest <= LARGEST:
            raise ValueError(f"{where}: its entries must be at most {LARGEST:g} in size")
        if 0 < largest < SMALLEST:
            raise ValueError(f"{where}: must be 0 or have an entry of {SMALLEST:g} at least")
