"""A change of the input and what it does to the output, or what makes an equation true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from regard.language import abbreviations, expanded, parse
from regard.problems.assertions import Assertion, assertions
from regard.problems.fields import Formula, Name, Part
from regard.problems.head import Problem
from regard.problems.symbols import Sizes, SymbolsGiven

OLD, NEW = "Y", "new_Y"


class SymmetryGoal(Part):
    """What is changed and asked for.

    Attributes:
        output: the formula whose value is called Y.
        change: what is put for some symbols, as `X = "P X"`; all at once.
        find: "invariant": is the output the same for all inputs? "becomes": what it is after the
            change, in Y and the symbols that are not changed.
        unknown: in place of `output`: a symbol to be found, with its sizes.
        such_that: the equation that it has to make true for all inputs.
        every: whether all such unknowns are asked for: an answer is a family then, with names of
            its own for arbitrary numbers, such as "c ones(N)".
    """

    output: Annotated[str, Field(max_length=2000)] | None = None
    change: dict[Name, Formula] = Field(default_factory=dict)
    find: list[Literal["invariant", "becomes"]] = Field(default_factory=list)
    unknown: dict[Name, Sizes] = Field(default_factory=dict)
    such_that: Annotated[str, Field(max_length=2000)] | None = None
    every: bool = False


@dataclass(frozen=True)
class Change:
    """An output before and after a change: what the names Y and new_Y stand for."""

    where: dict[str, str]

    def same(self, formula: str) -> Assertion:
        """Return the assertion that the output is a formula after the change."""
        return Assertion("=", NEW, formula, self.where)


class SymmetryProblem(Problem):
    """Say what a change does, or find what makes an equation true."""

    kind: Literal["symmetry"]
    given: SymbolsGiven
    goal: SymmetryGoal

    def refuse(self) -> None:
        """Refuse a change or an unknown that does not fit the symbols."""
        goal, given = self.goal, self.given
        if (goal.output is None) == (goal.such_that is None):
            raise ValueError("goal: give `output` with `change`, or `unknown` with `such_that`")
        if goal.such_that is not None:
            if len(goal.unknown) != 1 or goal.change or goal.find:
                raise ValueError("goal: with `such_that` give one `unknown`, and nothing else")
            if self.unknown in (*given.shapes, *given.define):
                raise ValueError(
                    f"goal.unknown: {self.unknown} is a symbol of `given` already: what is to be "
                    "found is declared under `unknown` alone"
                )
            sizes = {size for size in goal.unknown[self.unknown] if isinstance(size, str)}
            if not sizes <= set(given.size_names):
                raise ValueError("goal.unknown: its sizes must be sizes of `shapes`")
            self.condition("goal.such_that")
            if goal.every and not self._linear():
                raise ValueError(
                    "goal.every: the equation has to be linear in the unknown, with = between its "
                    "sides, or softmax(…) = softmax(…) of scores that are"
                )
            return
        if goal.every:
            raise ValueError("goal.every: belongs to `unknown` and `such_that`")
        if not goal.change or not goal.find:
            raise ValueError('goal: say what changes, and find = ["invariant", "becomes"]')
        if {OLD, NEW} & {*given.shapes, *given.define, *given.size_names}:
            raise ValueError(f"given: {OLD} is the output before the change: choose another name")
        if goal.output is not None:
            given.shape_of(goal.output, "goal.output")
        for name, text in goal.change.items():
            if name not in given.shapes:
                raise ValueError(f"goal.change: {name} is no symbol of `shapes`")
            shape = given.shape_of(text, f"goal.change.{name}")
            if shape != tuple(given.shapes[name]):
                raise ValueError(f"goal.change: {name} gets another shape by {text}")

    @property
    def unknown(self) -> str:
        """The symbol to be found."""
        return next(iter(self.goal.unknown), "")

    def _linear(self) -> bool:
        from regard.kinds.symmetry.families import equations  # it reads what is declared here

        return equations(self) is not None

    def with_unknown(self) -> SymbolsGiven:
        """Return the symbols with the unknown among them."""
        shapes = {**self.given.shapes, **self.goal.unknown}
        return SymbolsGiven.model_validate({**self.given.model_dump(), "shapes": shapes})

    def condition(self, where: str = "such_that") -> list[Assertion]:
        """Return the equation for the unknown; of all solutions, without a softmax around it."""
        from regard.kinds.symmetry.equal_softmaxes import of_scores

        symbols = self.with_unknown()
        found = assertions(symbols, self.goal.such_that or "", where)
        return [of_scores(part, symbols) for part in found] if self.goal.every else found

    def changed(self) -> Change:
        """Return the output before and after the change, under the names Y and new_Y."""
        known = abbreviations(self.given.functions)
        plain, before = self.given.written(self.goal.output or "")
        moved = {f"changed_{n}": expanded(text, known) for n, text in self.goal.change.items()}
        put = {name: parse(f"changed_{name}") for name in self.goal.change}
        after: dict[str, str] = {}
        for name, text in before.items():
            after[f"new_{name}"] = str(parse(text).substitute(put))
            put[name] = parse(f"new_{name}")
        after[NEW] = str(parse(plain).substitute(put))
        return Change({**before, OLD: plain, **moved, **after})


PROBLEM = SymmetryProblem
