"""The symbols of formulas in problems: free arrays, permutations, positive numbers, functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from regard.language import RESERVED, FormulaError, abbreviations, expanded, named_calls, parse
from regard.problems.fields import Formula, Name, Part

Float64 = NDArray[np.float64]
Values = dict[str, Any]
Shapes = dict[str, tuple[int | str, ...]]
LARGEST_SIZE = 16  # that is a number
MOST_NAMES = 20  # of arrays and numbers
PRIMES = (3, 2, 5, 7, 4, 6, 8, 9, 10, 11)  # a size of its own for every named size


def _size(value: object) -> object:
    """Return the name of a size, or a size that is a number."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST_SIZE:
        return value
    if isinstance(value, str) and value.replace("_", "").isalnum() and value[0].isalpha():
        return value
    raise ValueError(
        f'a size is a name, such as "N", or a whole number from 1 to {LARGEST_SIZE}, not {value!r}'
    )


Size = Annotated[str | int, BeforeValidator(_size)]
Sizes = Annotated[list[Size], Field(max_length=2)]


class SymbolsGiven(Part):
    """The symbols that statements are about, each standing for all arrays of its shape.

    Attributes:
        shapes: free matrices `X = ["N", "D"]`, vectors `u = ["D"]` and numbers `c = []`, with sizes
            that are names or numbers.
        permutations: names of `shapes` that are permutation matrices, whichever.
        positive: names of `shapes` that are numbers above 0.
        functions: `"S(X)" = "softmax(X X') X"` makes S(P X) a formula.
        define: further names, each a formula in those above it.
    """

    shapes: Annotated[dict[Name, Sizes], Field(max_length=MOST_NAMES)]
    permutations: list[Name] = Field(default_factory=list)
    positive: list[Name] = Field(default_factory=list)
    functions: Annotated[dict[str, Formula], Field(max_length=8)] = Field(default_factory=dict)
    define: Annotated[dict[Name, Formula], Field(max_length=8)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _readable(self) -> SymbolsGiven:
        for name in (*self.shapes, *self.define):
            if name in RESERVED:
                raise ValueError(
                    f"the name {name} is a word of the formula language: choose another name"
                )
        check_restricted(self.shapes, self.permutations, self.positive)
        try:
            known = abbreviations(self.functions)
        except FormulaError as error:
            raise ValueError(f"functions: {error}") from None
        clash = sorted({*self.size_names, *known} & {*self.shapes, *self.define})
        if clash:
            raise ValueError(f"shapes: {clash[0]} is two things at once")
        self.shape_of("1", "define")
        return self

    @property
    def size_names(self) -> list[str]:
        """The names of sizes, in the order in which shapes bring them."""
        sizes = (size for shape in self.shapes.values() for size in shape)
        return list(dict.fromkeys(size for size in sizes if isinstance(size, str)))

    def free_shapes(self) -> Shapes:
        """Return the shapes of what is free, and of sizes, which are numbers."""
        free: Shapes = {name: tuple(shape) for name, shape in self.shapes.items()}
        return free | dict.fromkeys(self.size_names, ())

    def written(self, text: str) -> tuple[str, dict[str, str]]:
        """Return a formula without functions, and what the names in it stand for, in order.

        Raises:
            FormulaError: it cannot be read.
        """
        known = abbreviations(self.functions)
        text, calls = named_calls(text, known)
        define: dict[str, str] = {}
        for name, one in self.define.items():
            define[name] = expanded(one, known)
        return text, {**define, **calls}

    def shape_of(self, text: str, where: str) -> tuple[int | str, ...]:
        """Return the shape of a formula; ValueError with the place where something does not fit."""
        try:
            plain, definitions = self.written(text)
            shapes = self.free_shapes()
            for name, one in definitions.items():
                shapes[name] = parse(one).shape(shapes)
            return parse(plain).shape(shapes)
        except FormulaError as error:
            raise ValueError(f"{where}: {error}") from None

    def sizes(self, turn: int = 0) -> dict[str, int]:
        """Return a number for every named size, all different; another choice for each turn."""
        names = self.size_names
        if turn == 1:
            return dict.fromkeys(names, 2)
        return {name: PRIMES[(i + turn) % len(PRIMES)] for i, name in enumerate(names)}

    def draw(
        self, rng: np.random.Generator, sizes: Mapping[str, int], largest: int = 3, parts: int = 1
    ) -> Values:
        """Return whole numbers, at most so large, over `parts` for all that is free; and sizes."""
        values: Values = {name: float(size) for name, size in sizes.items()}
        for name, shape in self.shapes.items():
            counts = [sizes[size] if isinstance(size, str) else size for size in shape]
            whole = np.asarray(rng.integers(-largest, largest + 1, counts), float)
            values[name] = (abs(whole) + 1.0 if name in self.positive else whole) / parts
            if name in self.permutations:
                values[name] = permutation(counts[0], rng)
        return values

    def evaluate(self, text: str, values: Values) -> Any:
        """Return what a formula comes to in floats, where what is free has these values."""
        plain, definitions = self.written(text)
        known = dict(values)
        for name, one in definitions.items():
            known[name] = parse(one).evaluate(known)
        return parse(plain).evaluate(known)


def check_restricted(
    shapes: Mapping[str, Sequence[int | str]], permutations: Sequence[str], positive: Sequence[str]
) -> None:
    """Refuse permutations that are no square matrices, and positive symbols that are no numbers.

    Raises:
        ValueError: with the place.
    """
    for name in permutations:
        shape = shapes.get(name, ())
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f'permutations: {name} must be a square matrix of `shapes`, as {name} = ["N", "N"]'
            )
    for name in positive:
        if name not in shapes or len(shapes[name]):
            raise ValueError(f"positive: {name} must be a number of `shapes`, as {name} = []")


def with_functions(data: Any, claims: Sequence[str]) -> Any:
    """Put what functions stand for into `given.define` and these fields of `goal.claims`.

    Data that is no problem is left as it is, for what is wrong with it to be told elsewhere.

    Raises:
        ValueError: a function or a formula with one cannot be read.
    """
    try:
        functions, define = data["given"].get("functions"), data["given"].get("define", {})
        listed = data["goal"].get("claims", [])
        if not functions:
            return data
        known = abbreviations(functions)
        given = {
            **data["given"],
            "define": {name: expanded(text, known) for name, text in define.items()},
        }
        put = [
            {key: expanded(one, known) if key in claims else one for key, one in claim.items()}
            for claim in listed
        ]
        return {**data, "given": given, "goal": {**data["goal"], "claims": put}}
    except FormulaError as error:
        raise ValueError(f"functions: {error}") from None
    except (TypeError, KeyError, AttributeError):
        return data


def permutation(size: int, rng: np.random.Generator) -> Float64:
    """Draw a permutation matrix that moves something, where there is something to move."""
    order = rng.permutation(size)
    if (order == np.arange(size)).all():
        order = order[::-1]
    found: Float64 = np.eye(size)[order]
    return found
