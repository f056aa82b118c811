"""The formulas of an answer, and the sizes that it names, such as N × D_K."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.attempt import Attempt
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.identity.instance import Values
from regard.kinds.identity.spec import IdentityGiven, IdentityProblem
from regard.language import Formula, abbreviations, expanded, parse
from regard.language.formula.evaluation.evaluator import evaluate as evaluate_tree
from regard.language.formula.tree import Tree

SHAPES = ("shape", "shapes")  # fields that are no formulas
_BETWEEN = re.compile(r"\s*(?:\bx\b|×|\*|\\times|\bby\b|,)\s*")


class Misfit(Exception):
    """A formula cannot be computed with these sizes; `reason` says why, without the place."""

    def __init__(self, name: str, error: FormulaError) -> None:
        super().__init__(f"answer: {name}: {error}")
        self.reason = error.reason.rstrip(".")


@dataclass(frozen=True, eq=False)
class Asked(Attempt[IdentityProblem]):
    """A problem and the formulas of an answer.

    Attributes:
        answer: its fields, in their order: each may use those above it.
    """

    @property
    def given(self) -> IdentityGiven:
        """The symbols that the problem declares, with their shapes."""
        return self.problem.given

    def symbols(self, values: Values, before: str) -> dict[str, Value]:
        """Return what a field may use: what is given, and the fields above it."""
        names: dict[str, Value] = dict(values)
        for name, field in self.answer.fields.items():
            if name == before:
                break
            if name not in values and isinstance(field, Formula | float | np.ndarray):
                try:
                    names[name] = _no_condition(name, evaluate(name, field, names))
                except InvalidAnswer:
                    continue  # what is wrong with it is told where it is judged or used
        return names

    def value(
        self, name: str, values: Values, shape: tuple[int, ...], tree: Tree | None = None
    ) -> Any:
        """Return what a field comes to; as another tree, where one is given.

        Raises:
            Misfit: it cannot be computed with these sizes.
            InvalidAnswer: it uses a name that is not declared.
        """
        field = self.answer.need(name)
        names = self.symbols(values, name)
        if not isinstance(field, Formula):
            return np.asarray(field, float)
        if field.names - set(names):
            return evaluate(name, field, names)  # which says what is declared
        for expected in (shape, None):
            try:
                found = evaluate_tree(tree or field.tree, field.text, names, expected)
            except FormulaError as error:
                reason = error
                continue
            return np.asarray(_no_condition(name, found), float)
        raise Misfit(name, reason)


def _no_condition(name: str, found: Value | bool) -> Value:
    if isinstance(found, bool):
        raise InvalidAnswer(f"answer: {name} must be a formula and not a condition.")
    return found


def read(problem: IdentityProblem, answer: Answer) -> Asked:
    """Return the formulas of an answer, with what functions of the problem stand for.

    Raises:
        InvalidAnswer: a function has other arguments.
    """
    functions = problem.given.functions
    fields = {n: one for n, one in answer.fields.items() if n not in SHAPES}
    called = {name.partition("(")[0].strip() for name in functions}
    for name, field in fields.items():
        if isinstance(field, Formula) and field.names & called:
            try:
                # As it was typed: R(n) is no product.
                fields[name] = parse(expanded(field.text, abbreviations(functions)))
            except FormulaError as error:
                raise InvalidAnswer(f"answer: {name}: {error}") from None
    return Asked(problem, Answer(fields))


def read_shapes(problem: IdentityProblem, answer: Answer) -> dict[str, tuple[str, ...]]:
    """Return the sizes that an answer names, by formula.

    Raises:
        InvalidAnswer: they cannot be read, or are about something that is not asked for.
    """
    claims = [claim.name for claim in problem.goal.claims]
    known = problem.given.size_names
    found: dict[str, tuple[str, ...]] = {}
    if answer.has("shape"):
        if len(claims) > 1:
            raise InvalidAnswer(f"answer: shape of which of {', '.join(claims)}? Use shapes.")
        found[claims[0]] = _sizes("shape", answer.need("shape"), known)
    if answer.has("shapes"):
        table = answer.need("shapes")
        if not isinstance(table, Mapping):
            raise InvalidAnswer('answer: shapes must be a table, such as { Q = ["N", "D"] }.')
        for name, field in table.items():
            if name not in claims:
                raise InvalidAnswer(
                    f"answer: shapes.{name} is not asked for: use {', '.join(claims)}."
                )
            found[name] = _sizes(f"shapes.{name}", field, known)
    return found


def _sizes(name: str, field: Any, known: set[str]) -> tuple[str, ...]:
    if isinstance(field, Formula):
        text = field.text.strip().strip("()[]")
        parts = [part for part in _BETWEEN.split(text) if part]
    elif isinstance(field, np.ndarray) and field.ndim == 1:
        parts = [f"{size:g}" for size in field]
    elif isinstance(field, float):
        parts = [f"{field:g}"]
    elif isinstance(field, list):
        parts = [str(part) if isinstance(part, Formula) else f"{part:g}" for part in field]
    else:
        raise InvalidAnswer(f'answer: {name} must be a list of sizes, such as ["N", "D"].')
    parts = [re.sub(r"[{}$\\]", "", part).strip() for part in parts]
    for part in parts:
        if part not in known and not part.isdigit():
            raise InvalidAnswer(
                f"answer: {name}: {part} is no size here. Sizes are {', '.join(sorted(known))}."
            )
    return tuple(parts)
