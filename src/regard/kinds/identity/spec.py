"""Formulas that hold for all inputs: to be found, or to be shown."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from regard.errors import FormulaError
from regard.language import RESERVED, parse
from regard.problems.fields import Count, Formula, Name, Part, Row, Rows
from regard.problems.head import Problem
from regard.problems.symbols import check_restricted, with_functions


def _size(value: object) -> object:
    """Return the name of a size, or a size that is a number."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST_SIZE:
        return value
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    raise ValueError(
        f'a size is a name, such as "N", or a whole number from 1 to {LARGEST_SIZE}, not {value!r}'
    )


Size = Annotated[str | int, BeforeValidator(_size)]
Sizes = Annotated[list[Size], Field(max_length=2)]
LARGEST_SIZE = 32  # that is a number
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
Wording = Literal["whole", "row i", "entry i j"]
Shapes = dict[str, tuple[int | str, ...]]


INDICES: dict[str, tuple[str, ...]] = {"whole": (), "row i": ("i",), "entry i j": ("i", "j")}


class IdentityGiven(Part):
    """The symbols of a formula.

    Attributes:
        shapes: free matrices `X = ["N", "D"]` and vectors `s = ["n"]`, with named sizes or with
            sizes that are fixed, `P = [3, 3]`; `t = []` is a number.
        define: further names, each a formula in those above it.
        rows: `x = "X"` makes x_i and x_j names for rows of X, written as columns, and
            `a = "A"` makes a_i a row of A and a_i_j (a_{i,j}) its entry.
        sizes: `N = 3`: what named sizes are in the example at hand.
        example: `X = [[2, 3], [-1, 0]]`: numbers for it; sizes follow from them.
        permutations: names of `shapes` that are permutation matrices, whichever.
        positive: names of `shapes` that are numbers above 0.
        functions: `"S(X)" = "softmax(X X') X"` makes S(P X) a formula, in `define` and in claims.
    """

    shapes: Annotated[dict[Name, Sizes], Field(min_length=1, max_length=20)]
    define: dict[Name, Formula] = Field(default_factory=dict)
    rows: dict[Name, Name] = Field(default_factory=dict)
    sizes: dict[Name, Annotated[Count, Field(le=32)]] = Field(default_factory=dict)
    example: dict[Name, Row | Rows] = Field(default_factory=dict)
    permutations: list[Name] = Field(default_factory=list)
    positive: list[Name] = Field(default_factory=list)
    functions: Annotated[dict[str, Formula], Field(max_length=8)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _restricted(self) -> IdentityGiven:
        check_restricted(self.shapes, self.permutations, self.positive)
        return self

    @model_validator(mode="after")
    def _rows_of_matrices(self) -> IdentityGiven:
        for name in (*self.shapes, *self.define, *self.rows):
            if name in RESERVED:
                raise ValueError(
                    f"the name {name} is a word of the formula language: choose another name"
                )
        shapes = self.whole_shapes()
        for name, matrix in self.rows.items():
            if len(shapes.get(matrix, ())) != 2:
                raise ValueError(f"rows: {name} = {matrix!r} is no matrix of `shapes` or `define`")
        named = self.size_names
        for size in self.sizes:
            if size not in named:
                raise ValueError(f"sizes: {size} is no size in `shapes`")
        self.known_sizes()
        clash = sorted(named & {*self.shapes, *self.define})
        if clash:
            raise ValueError(f"shapes: {clash[0]} is both a size and a symbol")
        return self

    def known_sizes(self) -> dict[str, int]:
        """Return the sizes of the example, as far as they are given; ValueError if they clash."""
        found = dict(self.sizes)
        for name, numbers in self.example.items():
            if name not in self.shapes:
                raise ValueError(f"example: {name} is not in `shapes`")
            axes = [len(numbers)]
            if numbers and isinstance(numbers[0], list):
                axes.append(len(numbers[0]))
            if len(axes) != len(self.shapes[name]) or not 0 < max(axes) <= 32:
                if not self.shapes[name]:
                    raise ValueError(f"example: {name} is one number: leave it out, one is drawn")
                need = " × ".join(map(str, self.shapes[name]))
                raise ValueError(f"example: {name} must be {need} numbers, at most 32 × 32")
            for size, count in zip(self.shapes[name], axes, strict=True):
                if isinstance(size, int):
                    if size != count:
                        raise ValueError(f"example: {name} has {count} rows or columns, not {size}")
                elif found.setdefault(size, count) != count:
                    raise ValueError(f"example: {name} makes {size} = {count}, not {found[size]}")
        return found

    @property
    def size_names(self) -> set[str]:
        """The names of sizes."""
        return {size for shape in self.shapes.values() for size in shape if isinstance(size, str)}

    def whole_shapes(self) -> Shapes:
        """Return the shape of every matrix, vector and size, also of those defined."""
        known: Shapes = {name: tuple(shape) for name, shape in self.shapes.items()}
        known |= dict.fromkeys(self.size_names, ())
        for name, text in self.define.items():
            _only(f"define.{name}", text, set(known))
            known[name] = parse(text).shape(known)
        return known

    def indexed(self) -> dict[str, tuple[str, ...]]:
        """Return the names for rows and entries: x_i is ("X", "i"), a_i_j is ("A", "i", "j")."""
        names: dict[str, tuple[str, ...]] = {}
        for row, matrix in self.rows.items():
            names |= {f"{row}_i": (matrix, "i"), f"{row}_j": (matrix, "j")}
            names[f"{row}_i_j"] = (matrix, "i", "j")
        return names

    def all_shapes(self) -> Shapes:
        """Return the shapes of all names that a formula may use."""
        known = self.whole_shapes()
        for name, (matrix, *indices) in self.indexed().items():
            known[name] = () if len(indices) == 2 else (known[matrix][1],)
        return known


class IdentityClaim(Part):
    """One formula, of which a part is known.

    Attributes:
        name: what an answer gives a formula for.
        part: "row i" says that `equals` is row i of it, written as a column; "entry i j" that
            it is the entry in row i and column j.
        relation: "=" or, entry by entry, ">".
        equals: what that part is, in the symbols given.
        over: if "j", `equals` is summed over j.
        formula: the formula to be shown; left out where it is to be found.
        shape: the named sizes of the whole, where they are asked for too.
    """

    name: Name
    part: Wording = "whole"
    relation: Literal["=", ">"] = "="
    equals: Formula
    over: Literal["j"] | None = None
    formula: Formula | None = None
    shape: list[Name] | None = None


class IdentityGoal(Part):
    """The claims of one part."""

    claims: Annotated[list[IdentityClaim], Field(min_length=1, max_length=12)]


class IdentityProblem(Problem):
    """Find, or show, formulas that hold for all inputs."""

    kind: Literal["identity"]
    given: IdentityGiven
    goal: IdentityGoal

    @model_validator(mode="before")
    @classmethod
    def _put_in(cls, data: Any) -> Any:
        """Put in what functions stand for."""
        return with_functions(data, claims=("equals", "formula"))

    def refuse(self) -> None:
        """Refuse names, shapes and indices that do not fit."""
        whole, known = self.given.whole_shapes(), self.given.all_shapes()
        names = [claim.name for claim in self.goal.claims]
        if len(set(names)) < len(names):
            raise ValueError("goal.claims: two claims have one name")
        for i, claim in enumerate(self.goal.claims):
            where = f"goal.claims[{i}]"
            _only(f"{where}.equals", claim.equals, set(known))
            axes = len(_shape(f"{where}.equals", claim.equals, known))
            wanted = {"whole": axes, "row i": 1, "entry i j": 0}[claim.part]
            if axes != wanted:
                need = "a vector" if wanted else "a number"
                raise ValueError(f"{where}.equals: must be {need}, as {claim.part} of a matrix is")
            self._indices(where, claim)
            unknown = sorted(set(claim.shape or []) - self.given.size_names)
            if unknown:
                raise ValueError(f"{where}.shape: the size {unknown[0]} is not declared")
            if claim.formula is not None:
                _only(f"{where}.formula", claim.formula, set(whole))
                self._fits(where, claim, _shape(f"{where}.formula", claim.formula, whole))

    def _fits(self, where: str, claim: IdentityClaim, shape: tuple[int | str, ...]) -> None:
        """Check that both sides of a formula that is to be shown have one shape."""
        part = parse(claim.equals).shape(self.given.all_shapes())
        ranges = self.ranges(where, claim)
        whole = (*(ranges[index] for index in INDICES[claim.part]), *part)
        if whole != shape and not (claim.relation == ">" and part == ()):
            sizes = [" × ".join(map(str, one)) or "a number" for one in (shape, whole)]
            raise ValueError(f"{where}: `formula` is {sizes[0]}, and `equals` makes {sizes[1]}")

    def _indices(self, where: str, claim: IdentityClaim) -> None:
        """Check that every index is said to stand for something, and counts the same rows."""
        bound = set(INDICES[claim.part])
        if claim.over and claim.over in bound:
            raise ValueError(
                f"{where}.over: j is the column of the entry: nothing is summed over it"
            )
        bound |= {claim.over} if claim.over else set()
        ranges = self.ranges(where, claim)
        for index in sorted(ranges.keys() - bound):
            raise ValueError(
                f'{where}.equals: what is {index}? Say part = "row i", part = "entry i j" or '
                'over = "j"'
            )
        for index in sorted(bound - ranges.keys()):
            raise ValueError(f"{where}.equals: nothing in it has the index {index}")
        if claim.relation == ">" and (claim.formula is None or claim.part != "whole" or claim.over):
            raise ValueError(f'{where}: with the relation ">" give a `formula` for the whole')

    def ranges(self, where: str, claim: IdentityClaim) -> dict[str, int | str]:
        """Return the size that each index of a claim counts up to."""
        shapes = self.given.whole_shapes()
        used = parse(claim.equals).names
        found: dict[str, int | str] = {}
        for name, (matrix, *indices) in self.given.indexed().items():
            for index, size in zip(indices, shapes[matrix], strict=False):
                if name in used and found.setdefault(index, size) != size:
                    raise ValueError(
                        f"{where}.equals: {index} counts up to {found[index]} and, in {name}, up "
                        f"to {size}"
                    )
        return found


def _shape(where: str, text: str, known: Shapes) -> tuple[int | str, ...]:
    """Return the shape of a formula; ValueError with the place where its parts do not fit."""
    try:
        return parse(text).shape(known)
    except FormulaError as error:
        raise ValueError(f"{where}: {error}") from None


def _only(where: str, text: str, known: set[str]) -> None:
    unknown = sorted(parse(text).names - known)
    if unknown:
        of_size = re.search(rf"\b(ones|zeros|I|causal)\([^()]*\b{unknown[0]}\b", text)
        array = (
            ". A size is declared by an array that has it, also by one that is not used: "
            f'any = ["{unknown[0]}"]'
        )
        raise ValueError(
            f"{where}: {unknown[0]} is not declared. Declared are {', '.join(sorted(known))}"
            + array * bool(of_size)
        )


PROBLEM = IdentityProblem
