"""A configuration: every size as a rational function of the symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from regard.certify.certificate import Unusable
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.certify.formulas.written_ratio import at_known, at_numbers, used, written
from regard.kinds.count.conventions import Conventions
from regard.kinds.count.spec import SIZES, CountGiven, Thing
from regard.language import Formula, parse


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols of a problem and their field of rational functions.

    Attributes:
        names: in the order in which formulas are written.
        numbers: as far as they are given.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, Fraction]

    @cached_property
    def field(self) -> Field:
        """All rational functions of the symbols."""
        return Field([], self.names)

    def number(self, value: Fraction | int) -> Ratio:
        """Return a number as a function."""
        exact = Fraction(value)
        return self.field.number(fmpq(exact.numerator, exact.denominator))

    def symbol(self, name: str) -> Ratio:
        """Return a symbol as a function."""
        return self.field.symbol(name)

    def value(self, formula: Formula, known: Mapping[str, Ratio]) -> Ratio:
        """Return a formula as a function; Unusable where it is not rational."""
        return self.field.value(formula.tree, {"": self.number(0), **known})

    def text(self, ratio: Ratio) -> str:
        """Write a function as a formula."""
        return written(ratio, self.names)

    def at(self, ratio: Ratio, numbers: Mapping[str, Fraction | int]) -> Fraction | None:
        """Return a value; None where it divides by 0."""
        return at_numbers(ratio, [numbers[name] for name in self.names])

    def here(self, ratio: Ratio) -> Fraction | None:
        """Return the value at the numbers of the problem; None where one is missing."""
        return at_known(ratio, self.names, self.numbers)

    def used(self, ratio: Ratio) -> list[str]:
        """Return the symbols that a function depends on."""
        places = used(ratio)
        return [name for place, name in enumerate(self.names) if place in places]


def symbols_of(given: CountGiven) -> Symbols:
    """Return the symbols of a problem."""
    return Symbols(given.symbols, given.numbers())


@dataclass(frozen=True, eq=False)
class Setting:
    """One configuration.

    Attributes:
        symbols: what sizes are functions of.
        sizes: by name, also those that follow from others; what is not given is not there.
        of: what is counted.
        conventions: how.
    """

    symbols: Symbols
    sizes: Mapping[str, Ratio]
    of: Thing
    conventions: Conventions

    def __getitem__(self, name: str) -> Ratio:
        """Return a size."""
        return self.sizes[name]

    def get(self, name: str, default: int = 1) -> Ratio:
        """Return a size, or a number where it is not given."""
        return self.sizes[name] if name in self.sizes else self.symbols.number(default)

    def has(self, name: str) -> bool:
        """Whether a size is known."""
        return name in self.sizes

    def with_sizes(self, **changed: Ratio) -> Setting:
        """Return the configuration with other sizes."""
        return replace(self, sizes={**self.sizes, **changed})

    def with_conventions(self, **changed: object) -> Setting:
        """Return the configuration with other conventions."""
        return replace(self, conventions=self.conventions.model_copy(update=changed))


def setting(
    given: CountGiven, symbols: Symbols | None = None, fixed: Mapping[str, Ratio] | None = None
) -> Setting:
    """Return a configuration; `fixed` puts functions in place of symbols.

    Raises:
        Unusable: a size is not rational.
    """
    symbols = symbols or symbols_of(given)
    known = {name: symbols.symbol(name) for name in symbols.names} | dict(fixed or {})
    sizes: dict[str, Ratio] = {}
    for name, value in given.written().items():
        if isinstance(value, str):
            sizes[name] = symbols.value(parse(value), known)
        elif name in known:
            same = given.own_number(name) == symbols.numbers.get(name)
            sizes[name] = known[name] if same else symbols.number(given.own_number(name))
        else:
            sizes[name] = symbols.number(given.own_number(name))
    return Setting(symbols, _completed(sizes), given.of, given.conventions)


def _completed(sizes: dict[str, Ratio]) -> dict[str, Ratio]:
    """Add the sizes that follow from others: d_k = d_model/heads, d_v = d_k, n_k = n."""
    found = dict(sizes)
    if "d_k" not in found and "d_model" in found and "heads" in found:
        found["d_k"] = found["d_model"] / found["heads"]
    elif "d_k" not in found and "d_model" in found:
        found["d_k"] = found["d_model"]
    for name, source in (
        ("d_v", "d_k"), ("key_heads", "heads"), ("n_k", "n"), ("d_context", "d_model"),
    ):  # fmt: skip
        if name not in found and source in found:
            found[name] = found[source]
    return {name: found[name] for name in SIZES if name in found}


__all__ = ["Setting", "Symbols", "Unusable", "setting", "symbols_of"]
