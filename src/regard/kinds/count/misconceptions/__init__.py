"""What wrong counts come from: each mistake is made on purpose, and the results compared."""

from __future__ import annotations

from typing import Any

from regard.checking.answers import Answer
from regard.checking.mistakes import Mistake
from regard.kinds.count.misconceptions.case import Case, alike, degree, right_fields
from regard.kinds.count.misconceptions.counts import COUNT_MISTAKES
from regard.kinds.count.misconceptions.shapes import SHAPE_MISTAKES
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task

__all__ = ["MISTAKES", "OFTEN", "Case", "alike", "degree"]


def _denied(problem: CountProblem, same: bool) -> dict[str, Any] | None:
    """Return the right counts with the opposite verdict, where all are the same (or not)."""
    task = Task(problem, Answer({}))
    chosen = [name for name in problem.goal.same if alike(task, name) is same]
    if not chosen:
        return None
    return {**right_fields(task), f"same_{chosen[0]}": not same}


def _orders(problem: CountProblem, more: int) -> dict[str, Any] | None:
    """Return the right answer with another power."""
    task = Task(problem, Answer({}))
    for name, order in problem.goal.orders.items():
        power = (degree(task, task.right(order.of), order.symbol) or 0) + more
        if power >= 0:
            return {**right_fields(task), name: f"{order.symbol}^{power}"}
    return None


MISTAKES: tuple[Mistake[CountProblem, Case], ...] = (
    *COUNT_MISTAKES,
    *SHAPE_MISTAKES,
    Mistake(
        "more-heads-more-parameters",
        "The number of heads does not change the count.\n"
        "That is so while all heads together are as wide: each then has as many fewer "
        "columns.",
        lambda case: case.claimed is False,
        lambda problem: _denied(problem, True),
        "More heads, more parameters",
    ),
    Mistake(
        "different-counts-taken-for-equal",
        "The counts of the configurations differ.\nThe answer says that they are the same.",
        lambda case: case.claimed is True,
        lambda problem: _denied(problem, False),
        "The configurations taken for equal",
    ),
    Mistake(
        "order-too-small",
        "It grows faster than that:\none more size of the same length is a factor.",
        lambda case: (
            case.powers is not None
            and None not in case.powers
            and (case.powers[0] or 0) < (case.powers[1] or 0)
        ),
        lambda problem: _orders(problem, -1),
        "A factor of the length left out",
    ),
    Mistake(
        "order-too-large",
        "It does not grow as fast as that.",
        lambda case: (
            case.powers is not None
            and None not in case.powers
            and (case.powers[0] or 0) > (case.powers[1] or 0)
        ),
        lambda problem: _orders(problem, 1),
        "A factor of the length too many",
    ),
)
OFTEN = (
    "one-of-keys-and-values",
    "query-heads-for-key-heads",
    "every-head-as-wide-as-the-model",
    "output-projection-forgotten",
    "feed-forward-forgotten",
    "layers-forgotten",
    "biases-wrong",
    "multiplications-for-flops",
    "flops-for-multiplications",
    "backward-pass-forgotten",
    "multiplications-for-additions",
    "linear-in-the-length",
    "numbers-for-bytes",
    "embedding-forgotten",
    "tied-wrong",
    "multiplied-instead-of-divided",
    "position-table-forgotten",
    "heads-not-merged",
    "axes-in-another-order",
    "more-heads-more-parameters",
    "different-counts-taken-for-equal",
    "order-too-small",
    "order-too-large",
    "bits-for-bytes",
)
