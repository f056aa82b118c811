"""A wrong field, and the right answer beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from regard.certify.formulas.rational_functions import Ratio
from regard.checking.answers import Answer
from regard.kinds.count.reading import Side, is_shape
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong field that one mistake has to explain.

    Attributes:
        task: the problem beside the answer.
        name: of the field.
        sides: those that are wrong, or the axes of a shape.
        claimed: what is said of whether counts are the same; None for anything else.
        powers: for an order: the power that is said, and the one that it is.
    """

    task: Task
    name: str
    sides: tuple[Side, ...]
    claimed: bool | None = None
    powers: tuple[int | None, int | None] | None = None

    @property
    def is_count(self) -> bool:
        """Whether the field is a number or a formula."""
        return (
            bool(self.sides) and self.powers is None and not is_shape(self.task.problem, self.name)
        )

    @property
    def is_shape(self) -> bool:
        """Whether the field is a shape."""
        return self.claimed is None and is_shape(self.task.problem, self.name)


def right_fields(task: Task) -> dict[str, Any]:
    """Return the right answer in every field."""
    problem, found = task.problem, dict[str, Any]()
    form = problem.goal.form
    for name in problem.goal.find:
        if is_shape(problem, name):
            found[name] = [written(task, axis, form) for axis in task.shape(name)]
        else:
            found[name] = written(task, task.right(name), form)
    for name in problem.goal.same:
        found[f"same_{name}"] = alike(task, name)
    for name, order in problem.goal.orders.items():
        power = degree(task, task.right(order.of), order.symbol)
        found[name] = f"{order.symbol}^{power}"
    return found


def alike(task: Task, quantity: str) -> bool:
    """Whether all configurations have the same count."""
    others = task.problem.given.others
    every = [task.right(quantity), *(task.right(f"{quantity}_{other}") for other in others)]
    values = [task.symbols.here(one) for one in every]
    if None in values:
        return all(one == every[0] for one in every)
    return len(set(values)) == 1


def degree(task: Task, ratio: Ratio | None, symbol: str) -> int | None:
    """Return how fast a function grows in a symbol; None where it is not rational."""
    if ratio is None:
        return None
    place = task.symbols.names.index(symbol)
    above, below = (
        max((powers[place] for powers in poly.to_dict()), default=0)
        for poly in (ratio.above, ratio.below)
    )
    return int(above - below)


def spoiled(
    wrong: Callable[[Task, str], Any], *, shapes: bool
) -> Callable[[CountProblem], dict[str, Any] | None]:
    """Return the right answer with wrong counts, or wrong shapes, where there are some."""

    def answer(problem: CountProblem) -> dict[str, Any] | None:
        task = Task(problem, Answer({}))
        asked = [name for name in problem.goal.find if is_shape(problem, name) == shapes]
        found = {name: other for name in asked if (other := wrong(task, name)) is not None}
        return right_fields(task) | found if found else None

    return answer


def written(task: Task, ratio: Ratio, form: str) -> Any:
    """Write a count as an answer has it: a number where it is known."""
    value = task.symbols.here(ratio)
    if value is None or form == "formula":
        return task.symbols.text(ratio)
    if form == "both" and task.symbols.used(ratio):
        return f"{task.symbols.text(ratio)} = {value}"
    return int(value) if value.denominator == 1 else str(value)
