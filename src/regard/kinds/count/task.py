"""A problem beside an answer: what every field must be, and whether a side of it is that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from regard.certify.certificate import Unusable
from regard.certify.formulas.rational_functions import Ratio
from regard.checking.attempt import Attempt
from regard.checking.sampling import generator
from regard.kinds.count.instance.closed_forms import count, shape
from regard.kinds.count.instance.sizes import Setting, Symbols, setting, symbols_of
from regard.kinds.count.reading import Names, Side, names_for
from regard.kinds.count.spec import CountProblem
from regard.language import parse

Change = Callable[[Setting], Setting]
Fixed = Mapping[str, Ratio]
CLOSE = 1e-9  # of formulas with roots, at drawn numbers
DRAWN = 30
SMALL = (1, 2, 3, 4, 6, 8)


@dataclass(frozen=True, eq=False)
class Task(Attempt[CountProblem]):
    """A problem and an answer to it."""

    @cached_property
    def symbols(self) -> Symbols:
        """The symbols of the problem."""
        return symbols_of(self.problem.given)

    @cached_property
    def sizes(self) -> Mapping[str, Ratio]:
        """The sizes of the first configuration."""
        return setting(self.problem.given, self.symbols).sizes

    def names(self, field: str) -> Names:
        """Return what names stand for in a field."""
        return names_for(self.problem, self.symbols, self.sizes, field)

    def _at(self, other: str, fixed: Fixed, change: Change | None) -> Setting:
        at = setting(self.problem.configuration(other), self.symbols, fixed)
        return change(at) if change else at

    def right(self, name: str, fixed: Fixed | None = None, change: Change | None = None) -> Ratio:
        """Return what a field must be; with a change, what it would be there."""
        define = self.problem.definitions
        if name not in define:
            quantity, other = self.problem.split(name)
            return count(self._at(other, fixed or {}, change), quantity)
        formula = parse(define[name])
        known: dict[str, Ratio] = {
            one: (fixed or {}).get(one, self.symbols.symbol(one)) for one in self.symbols.names
        }
        for used in formula.names - set(known):
            known[used] = self.right(used, fixed, change)
        return self.symbols.value(formula, known)

    def shape(
        self, name: str, fixed: Fixed | None = None, change: Change | None = None
    ) -> list[Ratio]:
        """Return the axes that a field must name."""
        quantity, other = self.problem.split(name)
        return list(shape(self._at(other, fixed or {}, change), quantity))

    # ------------------------------------------------------------ is a side this?

    def readings(self, side: Side) -> Iterator[dict[str, Ratio]]:
        """Return what the symbols that a side leaves out may be: their numbers, or what ties them.

        512 and d_ff = 2048 may be meant as d and 4 d, and a formula in d alone is then general.
        """
        used = {one for name in side.uses for one in self.symbols.used(self.names("").known[name])}
        numbers = self.symbols.numbers
        left = [one for one in self.symbols.names if one not in used and one in numbers]
        plain = {one: self.symbols.number(numbers[one]) for one in left}
        yield plain
        ties = {one: tie for one, tie in self._ties(used).items() if one in left}
        for one, tie in ties.items():  # a tie to a symbol that is left out is a number
            if not set(self.symbols.used(tie)) & set(left):
                plain = {**plain, one: tie}
        if used and ties:
            yield plain

    def _ties(self, used: set[str]) -> dict[str, Ratio]:
        """Return relations among the numbers of the problem: d_k = d_model/heads, d_ff = 4 d."""
        found: dict[str, Ratio] = {}
        symbols, written = self.symbols, self.problem.given.written()
        bare = {}
        for role, value in written.items():
            name = role if not isinstance(value, str) else value.strip()
            if name in symbols.numbers and name in symbols.names:
                bare[role] = name
        values = {role: symbols.numbers[name] for role, name in bare.items()}
        wide = {
            role: symbols.symbol(name) if name in used else symbols.number(values[role])
            for role, name in bare.items()
        }
        parted = {"d_model", "heads", "d_k"} <= set(bare)
        if parted and values["heads"] * values["d_k"] == values["d_model"]:
            found[bare["d_k"]] = wide["d_model"] / wide["heads"]
        for role, source in (
            ("d_ff", "d_model"),
            ("d_v", "d_k"),
            ("key_heads", "heads"),
            ("n_k", "n"),
        ):
            if role in bare and source in bare and bare[role] not in found:
                times = values[role] / values[source]
                if times.denominator == 1:
                    found[bare[role]] = wide[source] * symbols.number(times)
        return found

    def is_right(self, name: str, side: Side, change: Change | None = None) -> bool:
        """Whether a side is what a field must be, or would be with a change."""
        try:
            return any(
                self.same(side, self.right(name, fixed, change)) for fixed in self.readings(side)
            )
        except Unusable:  # with the change, what is defined divides by nothing
            return False

    def same(self, side: Side, right: Ratio) -> bool:
        """Whether a side is this function: for all sizes, or to the digits that are written."""
        if side.ratio is None:
            return side.formula is not None and self._same_at_drawn(side, right)
        if side.ratio == right:
            return True
        if side.uses:
            return False
        value, wanted = self.symbols.here(side.ratio), self.symbols.here(right)
        if value is None or wanted is None:
            return False
        most = abs(wanted) * Fraction(repr(self.problem.goal.tolerance))
        return abs(value - wanted) <= min(side.unit or _whole_unit(value, wanted), most)

    def _same_at_drawn(self, side: Side, right: Ratio) -> bool:
        """Compare a formula with roots or logarithms at drawn numbers."""
        assert side.formula is not None
        known = self.names("").known
        for seed in range(DRAWN):
            rng = generator(seed)
            point = {one: Fraction(int(rng.integers(2, 40))) for one in self.symbols.names}
            point |= {n: x for n, x in self.symbols.numbers.items() if n not in side.uses}
            values = {n: float(self.symbols.at(r, point) or 0) for n, r in known.items()}
            if side.formula.names - set(values):
                return False
            found, wanted = side.formula.evaluate(values), self.symbols.at(right, point)
            # Not a number is never right.
            if wanted is None or not abs(float(found) - float(wanted)) <= CLOSE * abs(
                float(wanted)
            ):
                return False
        return True

    # ------------------------------------------------------------ numbers to show

    def value(self, side: Side, point: Mapping[str, Fraction]) -> Fraction | None:
        """Return what a side is at these numbers."""
        return None if side.ratio is None else self.symbols.at(side.ratio, point)

    def differing(self, side: Side, right: Ratio) -> dict[str, Fraction] | None:
        """Return numbers of the symbols at which a side is not what it must be."""
        numbers = self.symbols.numbers
        free = [one for one in self.symbols.names if one not in numbers]
        used = set(self.symbols.used(right)) | set(side.uses)
        if not free:
            point = {one: numbers[one] for one in self.symbols.names}
            if self.value(side, point) != self.symbols.at(right, point):
                return point
            free = [one for one in self.symbols.names if one in used]
        free = free[:5]
        base = {one: numbers.get(one, Fraction(2)) for one in self.symbols.names}
        points = (
            {**base, **dict(zip(free, map(Fraction, some), strict=True))}
            for some in sorted(product(SMALL, repeat=len(free)), key=lambda p: (sum(p), p))
        )
        other = None
        for point in points:
            wanted = self.symbols.at(right, point)
            if wanted is None or self.value(side, point) == wanted:
                continue
            other = other or point
            sizes = (self.symbols.at(one, point) for one in self.sizes.values())
            if all(x is not None and x.denominator == 1 for x in sizes):
                return point
        return other


def _whole_unit(value: Fraction, wanted: Fraction) -> Fraction:
    """Return how far a whole number of three digits may be off where the count is none."""
    rounded = wanted.denominator != 1 and value.denominator == 1 and abs(value) >= 100
    return Fraction(1) if rounded else Fraction(0)
