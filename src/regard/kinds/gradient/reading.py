"""What an answer says: formulas in the names of the forward and backward pass, or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.answers import evaluate, without_name
from regard.checking.attempt import Attempt
from regard.checking.numbers import digits
from regard.checking.numbers.digits import Decimals
from regard.checking.typed.names import meant
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.gradient.forward import sized
from regard.kinds.gradient.instance import Float64, Instance, Values
from regard.kinds.gradient.spec import GradientProblem
from regard.language import Formula
from regard.language.formula.evaluation.evaluator import evaluate as evaluate_tree


@dataclass(frozen=True, eq=False)
class Asked(Attempt[GradientProblem]):
    """A problem and the fields of an answer."""

    def before(self, name: str) -> tuple[str, ...]:
        """Return the gradients that a field may be written in: those that are found before it."""
        order = self.problem.given.gradients()
        own = [one for one in self.answer.fields if one not in order]
        if name not in order:
            return tuple(one for one in order)
        return (*order[: order.index(name)], *own)

    def names(self, name: str, at: Instance) -> Values:
        """Return what names stand for in a field: the forward pass, and gradients before it.

        What the answer says of these counts, where it says something.
        """
        found = dict(at.names)
        for one in self.before(name):
            said = self.answer.fields.get(one)
            if one in at.gradients:
                found[one] = at.gradients[one]
            if isinstance(said, Formula) and one != name:
                try:
                    found[one] = np.asarray(evaluate(one, without_name(one, said), found), float)
                except InvalidAnswer:
                    continue
        for one, array in at.gradients.items():  # what comes back to the heads, also as G
            if one.startswith("dY") and one != name:
                found.setdefault(one, array)
        return found

    def value(self, name: str, at: Instance) -> Float64:
        """Return what a formula comes to; InvalidAnswer where it cannot be computed."""
        said = without_name(name, self.answer.need(name))
        if not isinstance(said, Formula):
            if isinstance(said, np.ndarray | float):
                return np.asarray(said, float)
            raise InvalidAnswer(f"answer: {name} must be a formula or rows of numbers.")
        names = self.names(name, at)
        wanted = at.gradients[name].shape
        unknown = sorted(said.names - set(names))
        if unknown:
            hint = f" {unknown[0]} is what is asked for." if unknown[0] == name else ""
            hint = hint or meant(unknown[0], names, unknown)
            raise InvalidAnswer(
                f"answer: {name}: {unknown[0]} is no name here.{hint} Use "
                f"{', '.join(sorted(one for one in names if not one.startswith('dY')))}."
            )
        for expected in (wanted, None):
            try:
                found = evaluate_tree(said.tree, said.text, names, expected)
            except FormulaError as error:
                reason = error
                continue
            if isinstance(found, bool):
                raise InvalidAnswer(f"answer: {name} must be a formula and no condition.")
            return np.asarray(found, float)
        raise Misfit(name, reason)

    def array(self, name: str, at: Instance) -> tuple[Float64, Decimals]:
        """Return numbers with the decimals that they are written with."""
        said = without_name(name, self.answer.need(name))
        wanted = at.gradients[name]
        if isinstance(said, Formula):
            values = self.value(name, at)
            return _fitted(values, wanted), _fitted(digits.of_formula(said, values), wanted)
        if isinstance(said, list):
            values, places = self._entries(name, said)
            return _fitted(values, wanted), _fitted(digits.in_one_list(places), wanted)
        if not isinstance(said, np.ndarray | float):
            raise InvalidAnswer(f"answer: {name} must be rows of numbers.")
        values = np.asarray(said, float)
        places = digits.in_one_list(digits.of_numbers(values, self.answer.decimals.get(name)))
        return _fitted(values, wanted), _fitted(places, wanted)

    def _entries(self, name: str, said: list[Any]) -> tuple[Float64, Decimals]:
        """Return a list in which some numbers are written as formulas, such as "1/3"."""
        rows = [one if isinstance(one, list | np.ndarray) else [one] for one in said]
        if len({len(row) for row in rows}) > 1:
            raise InvalidAnswer(f"answer: {name}: its rows are of different lengths.")
        flat = [x for row in rows for x in row]
        values = [float(np.asarray(evaluate(name, x, {}), float)) for x in flat]
        places = [digits.WORKED_OUT if isinstance(x, Formula) else 4 for x in flat]
        shape = (
            (len(rows), len(rows[0])) if isinstance(said[0], list | np.ndarray) else (len(rows),)
        )
        return np.array(values).reshape(shape), np.array(places).reshape(shape)


def sizes_of_ones(problem: GradientProblem) -> tuple[str, ...]:
    """Return what may be meant by the length of a vector of ones."""
    sizes = {size: None for shape in problem.given.inputs().values() for size in shape}
    return tuple(sizes)


def has_shape_of(problem: GradientProblem, name: str, formula: Formula) -> bool:
    """Whether a formula has the shape of a gradient, as far as names of sizes tell."""
    shapes = sized(problem.given)
    shapes |= {f"d{one}": shape for one, shape in shapes.items()}
    shapes |= {
        "J": ("n", "n"),
        **dict.fromkeys(sizes_of_ones(problem), ()),
    }
    try:
        return tuple(formula.shape({**shapes, "scale": ()}, shapes.get(name))) == shapes.get(name)
    except FormulaError:
        return False


class Misfit(InvalidAnswer):
    """A formula whose sizes do not fit; `reason` says why, without the place."""

    def __init__(self, name: str, error: FormulaError) -> None:
        super().__init__(f"answer: {name}: {error}", field=name, formula=error)
        self.reason = error.reason


def _fitted(values: Any, wanted: Float64) -> Any:
    """Return a row or a column as the vector that is asked for, or the one number in a list."""
    array = np.asarray(values)
    if wanted.ndim == 0 and array.size == 1:
        return array.reshape(())
    if wanted.ndim == 1 and array.size == wanted.size and max(array.shape, default=1) == array.size:
        return array.reshape(wanted.shape)
    return array
