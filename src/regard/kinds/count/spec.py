"""How many: parameters, operations, bytes; and which shape."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from regard.errors import FormulaError
from regard.kinds.count.conventions import Conventions
from regard.language import RESERVED, parse
from regard.problems.fields import Formula, Name, Part, Share
from regard.problems.head import Problem

Thing = Literal["product", "head", "attention", "feed_forward", "block", "model"]
SIZES = (
    "d_model", "heads", "key_heads", "d_k", "d_v", "d_ff", "layers", "vocabulary", "positions",
    "n", "n_k", "batch", "window", "bytes", "tokens", "parameter_count", "left_rows",
    "inner", "right_columns", "d_context",
)  # fmt: skip
FRACTIONAL = ("bytes", "tokens", "parameter_count")  # sizes that need not be whole
LARGEST = 10**30
# What can be counted, with the sizes that it needs beyond those that have a default.
PARAMETERS = {
    "parameters": (),
    "parameter_bytes": ("bytes",),
    "query_parameters": ("d_model", "d_k"),
    "key_parameters": ("d_model", "d_k"),
    "value_parameters": ("d_model", "d_k"),
    "output_parameters": ("d_model", "d_k"),
    "head_parameters": ("d_model", "d_k"),
    "attention_parameters": ("d_model", "d_k"),
    "feed_forward_parameters": ("d_model", "d_ff"),
    "norm_parameters": ("d_model",),
    "block_parameters": ("d_model", "d_k", "d_ff"),
    "non_embedding_parameters": ("d_model", "d_k", "d_ff"),
    "embedding_parameters": ("d_model", "vocabulary"),
    "position_parameters": ("d_model", "positions"),
}
OPERATIONS = {
    "multiplications": (),
    "additions": (),
    "flops": (),
    "projection_multiplications": ("d_model", "d_k", "n"),
    "score_multiplications": ("d_k", "n"),
    "average_multiplications": ("d_k", "n"),
    "output_multiplications": ("d_model", "d_k", "n"),
    "feed_forward_multiplications": ("d_model", "d_ff", "n"),
    "pairs": ("n",),
    "scalings": ("n",),
    "exponentials": ("n",),
    "softmax_additions": ("n",),
    "divisions": ("n",),
    "forward_flops": ("tokens",),
    "training_flops": ("tokens",),
}
MEMORY = {
    "weights_entries": ("n",),
    "weights_bytes": ("n", "bytes"),
    "streaming_entries": ("n", "d_k"),
    "kv_cache_entries": ("n", "d_k"),
    "kv_cache_bytes": ("n", "d_k", "bytes"),
    "kv_cache_bytes_per_token": ("d_k", "bytes"),
    "bytes_moved": ("n", "d_k", "bytes"),
    "intensity": ("n", "d_k", "bytes"),
}
SHAPES = {
    "shape_X": ("n", "d_model"),
    "shape_Q": ("n", "d_k"),
    "shape_K": ("n", "d_k"),
    "shape_V": ("n", "d_k"),
    "shape_scores": ("n",),
    "shape_weights": ("n",),
    "shape_heads": ("n", "d_k"),
    "shape_concat": ("n", "d_k"),
    "shape_output": ("n",),
    "shape_W_Q": ("d_model", "d_k"),
    "shape_W_K": ("d_model", "d_k"),
    "shape_W_V": ("d_model", "d_k"),
    "shape_W_O": ("d_model", "d_k"),
}
QUANTITIES: dict[str, tuple[str, ...]] = {
    **PARAMETERS,
    **OPERATIONS,
    **MEMORY,
    **SHAPES,
    "group": ("heads",),
    **{size: (size,) for size in SIZES},
}
NEEDED: dict[str, tuple[str, ...]] = {  # by what is counted
    "product": ("left_rows", "inner", "right_columns"),
    "head": ("d_k",),
    "attention": ("d_model", "d_k"),
    "feed_forward": ("d_model", "d_ff"),
    "block": ("d_model", "d_k", "d_ff"),
    "model": ("d_model", "d_k", "d_ff", "vocabulary"),
}


def _size(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError('a size is a number, or a formula in symbols such as "4 d"')
    if isinstance(value, str):
        return value
    if not 0 < value <= LARGEST:
        raise ValueError(f"a size is a number above 0 and at most 10^30, not {value:g}")
    return int(value) if value == int(value) else value


Size = Annotated[int | float | str, BeforeValidator(_size)]


class Sizes(Part):
    """The sizes of a configuration: numbers, symbols or formulas in symbols."""

    d_model: Size | None = None
    heads: Size | None = None
    key_heads: Size | None = None
    d_k: Size | None = None
    d_v: Size | None = None
    d_ff: Size | None = None
    layers: Size | None = None
    vocabulary: Size | None = None
    positions: Size | None = None
    n: Size | None = None
    n_k: Size | None = None
    batch: Size | None = None
    window: Size | None = None
    bytes: Size | None = None
    tokens: Size | None = None
    parameter_count: Size | None = None
    left_rows: Size | None = None
    inner: Size | None = None
    right_columns: Size | None = None
    d_context: Size | None = None


class CountGiven(Sizes):
    """What is counted: its sizes, the numbers of symbols, and conventions.

    Attributes:
        of: a product of two matrices, one head (Q, K and V are given), attention with its
            projections, a feed-forward layer, a block of both, or a model.
        values: numbers for symbols; a symbol without one stays a symbol.
        conventions: what is counted, and how.
        others: further configurations by name: the sizes and conventions that differ there.
    """

    of: Thing = "attention"
    values: dict[Name, Size] = Field(default_factory=dict)
    conventions: Conventions = Field(default_factory=Conventions)
    others: dict[Name, dict[str, Any]] = Field(default_factory=dict, max_length=6)

    def written(self) -> dict[str, Any]:
        """Return the sizes that are given."""
        return {name: value for name in SIZES if (value := getattr(self, name)) is not None}

    @property
    def symbols(self) -> tuple[str, ...]:
        """The free symbols: those of formulas, sizes in numbers, and those that have a number."""
        found: dict[str, None] = {}
        sizes = [self.written(), *(self.other(name).written() for name in self.others)]
        for written in sizes:
            for value in written.values():
                if isinstance(value, str):
                    found |= dict.fromkeys(sorted(parse(value).names))
        for name, value in self.written().items():
            if not isinstance(value, str):
                found[name] = None
        return tuple(found | dict.fromkeys(self.values))

    def numbers(self) -> dict[str, Fraction]:
        """Return the numbers of symbols, as far as they are given."""
        plain = {name: v for name, v in self.written().items() if not isinstance(v, str)}
        return {name: _fraction(name, v) for name, v in {**plain, **self.values}.items()}

    def own_number(self, name: str) -> Fraction:
        """Return a size that is written as a number, whatever a symbol of this name is."""
        return _fraction(name, getattr(self, name))

    def other(self, name: str) -> CountGiven:
        """Return another configuration: this one with what differs there."""
        data = self.model_dump(exclude_unset=True, exclude={"others"})
        changed = dict(self.others[name])
        conventions = {**data.get("conventions", {}), **changed.pop("conventions", {})}
        if "heads" in changed and "key_heads" not in changed:
            data.pop("key_heads", None)
        return CountGiven.model_validate({**data, **changed, "conventions": conventions})


def _fraction(name: str, value: int | float | str) -> Fraction:
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"values.{name} must be a number, not {value!r}") from None
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


class Order(Part):
    """How fast a quantity grows.

    Attributes:
        of: the quantity.
        symbol: the symbol that grows.
    """

    of: Name
    symbol: Name


class CountGoal(Part):
    """What to count.

    Attributes:
        find: quantities by name; `NAME_OTHER` is the same of another configuration.
        define: further names, each a formula in quantities, symbols and names above it.
        same: quantities of which it is asked whether all configurations have the same number; an
            answer gives `same_NAME = true` or false.
        orders: names for how fast a quantity grows with one symbol: an answer gives "n^2".
        form: "formula" asks for a formula in the symbols, "number" for a number, "both" for a
            formula and its number (`12 L d^2 = 393216`); "any" takes either.
        tolerance: how far a rounded number may be off at most, as a share of it.
        printed: answers printed elsewhere, to be compared with what is counted.
    """

    find: Annotated[list[Name], Field(max_length=12)] = Field(default_factory=list)
    define: dict[Name, Formula] = Field(default_factory=dict, max_length=12)
    same: Annotated[list[Name], Field(max_length=4)] = Field(default_factory=list)
    orders: dict[Name, Order] = Field(default_factory=dict, max_length=6)
    form: Literal["any", "formula", "number", "both"] = "any"
    tolerance: Share = 0.01
    printed: dict[Name, int | float | str] = Field(default_factory=dict)


class CountProblem(Problem):
    """Formulas or numbers by name."""

    kind: Literal["count"]
    given: CountGiven
    goal: CountGoal

    def split(self, name: str) -> tuple[str, str]:
        """Return a quantity and the configuration that a name is about ("" for the first)."""
        if name in QUANTITIES:
            return name, ""
        for other in self.given.others:
            if name.endswith(f"_{other}"):
                return name.removesuffix(f"_{other}"), other
        return name, ""

    @property
    def definitions(self) -> dict[str, str]:
        """Return what is defined, in quantities and symbols: with those above put in."""
        found: dict[str, Any] = {}
        for name, text in self.goal.define.items():
            found[name] = parse(text).substitute(found)
        return {name: str(formula) for name, formula in found.items()}

    def configuration(self, name: str) -> CountGiven:
        """Return a configuration by its name."""
        return self.given.other(name) if name else self.given

    def wanted(self) -> list[str]:
        """Return every field that is asked for."""
        same = [f"same_{name}" for name in self.goal.same]
        return [*dict.fromkeys(self.goal.find), *same, *self.goal.orders]

    def refuse(self) -> None:
        """Refuse sizes that do not fit each other."""
        from regard.kinds.count.checks import check  # it reads what is declared here

        check(self)


def formula_of(where: str, text: str) -> Any:
    """Return a formula of one number; ValueError with the place where it is none."""
    try:
        found = parse(text)
        shape = found.shape(dict.fromkeys(found.names, ()))
    except FormulaError as error:
        raise ValueError(f"{where}: {error}") from None
    if shape != () or found.is_condition:
        raise ValueError(f"{where}: must be a formula of one number")
    for name in found.names:
        if name in RESERVED:
            raise ValueError(f"{where}: {name} is a word of the formula language")
    return found


PROBLEM = CountProblem
