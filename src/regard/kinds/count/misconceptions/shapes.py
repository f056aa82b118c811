"""Shapes that come out wrong: heads not merged, widths not split, axes lost or exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from regard.certify.formulas.rational_functions import Ratio
from regard.checking.mistakes import Mistake
from regard.kinds.count.misconceptions.case import Case, spoiled, written
from regard.kinds.count.reading import Side
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task

Axes = Callable[[Task, str, Mapping[str, Ratio]], Iterator[list[Ratio]]]


def _shape_shows(wrong: Axes) -> Callable[[Case], bool]:
    def shows(case: Case) -> bool:
        if not case.is_shape:
            return False
        task, said = case.task, case.sides
        for place_of, other in enumerate(wrong(task, case.name, {})):
            if len(other) == len(said) and all(
                _axis_is(task, case.name, wrong, place_of, place, side)
                or _number_is(task, side, other[place])
                for place, side in enumerate(said)
            ):
                return True
        return False

    return shows


def _axis_is(task: Task, name: str, wrong: Axes, which: int, place: int, side: Side) -> bool:
    """Whether an axis is what one of the wrong shapes has there, whatever the other sizes are."""
    for fixed in task.readings(side):
        others = list(wrong(task, name, fixed))
        if which < len(others) and task.same(side, others[which][place]):
            return True
    return False


def _number_is(task: Task, side: Side, axis: Ratio) -> bool:
    value = task.symbols.here(axis)
    return value is not None and side.ratio is not None and side.ratio == task.symbols.number(value)


def _shape_answers(wrong: Axes) -> Callable[[CountProblem], dict[str, Any] | None]:
    def field(task: Task, name: str) -> list[str] | None:
        axes = next(wrong(task, name, {}), None)
        return (
            None if axes is None else [written(task, axis, task.problem.goal.form) for axis in axes]
        )

    return spoiled(field, shapes=True)


def _differs(task: Task, name: str, axes: list[Ratio]) -> bool:
    right = task.shape(name)
    same = len(axes) == len(right) and all(a == b for a, b in zip(axes, right, strict=True))
    return not same


def _unmerged(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    quantity, other = task.problem.split(name)
    mark = f"_{other}" if other else ""
    if quantity in ("shape_output", "shape_concat"):
        yield task.shape(f"shape_heads{mark}", fixed)


def _not_split(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    quantity, _ = task.problem.split(name)
    if quantity in ("shape_Q", "shape_K", "shape_V", "shape_heads") and "heads" in task.sizes:
        *batch, heads, length, width = task.shape(name, fixed)
        yield [*batch, heads, length, heads * width]
        yield [*batch, length, heads * width]


def _permuted(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    axes = task.shape(name, fixed)
    for i in range(len(axes) - 1):
        for j in range(i + 1, len(axes)):
            other = list(axes)
            other[i], other[j] = other[j], other[i]
            if _differs(task, name, other):
                yield other


def _no_batch(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    axes = task.shape(name, fixed)
    if "batch" in task.sizes and len(axes) > 2:
        yield axes[1:]


def _shape_mistake(tag: str, wrong: Axes, idea: str, sentence: str) -> Mistake[CountProblem, Case]:
    return Mistake(tag, sentence, _shape_shows(wrong), _shape_answers(wrong), idea)


SHAPE_MISTAKES: tuple[Mistake[CountProblem, Case], ...] = (
    _shape_mistake(
        "heads-not-merged",
        _unmerged,
        "The heads not put side by side again",
        "The heads were not put side by side again:\n"
        "their outputs are concatenated along the width.",
    ),
    _shape_mistake(
        "width-not-split",
        _not_split,
        "The full width for every head",
        "The width was not divided among the heads:\neach has d_model/heads columns.",
    ),
    _shape_mistake(
        "batch-axis-forgotten",
        _no_batch,
        "The batch left out",
        "The axis of the batch was left out.\nA batch keeps an axis of its own.",
    ),
    _shape_mistake(
        "axes-in-another-order",
        _permuted,
        "Two axes exchanged",
        "Two of the axes have changed places.\nTheir sizes are right.",
    ),
)
