"""Run the cells that are missing: in batches, through failures, until all have a row.

Batches are as long as it takes a worker some tenths of a second: a task costs Dask a fraction of a
millisecond, and a short cell costs less. Where a worker ends, everything that it was handed is
suspect, although at most one cell did it. Suspects are run alone, one at a time: what ends a
worker then did it itself, and that is its row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from regard.cluster.sweeps.cells import KILLED, Outcome
from regard.cluster.sweeps.engines import Engine
from regard.cluster.sweeps.settings import Cell

__all__ = ["run_cells"]

BATCH = 0.25  # seconds that a batch should take
LEAST = 0.02  # seconds that even the last ones should take: handing one out costs some milliseconds
MOST = 4096  # cells in a batch
GROWTH = 8  # by which one batch may be longer than what was measured before

_ENDED = (
    "ended its worker process when it ran alone: killed for want of memory, by a signal, or by the "
    "code itself"
)


def run_cells(
    engine: Engine, cells: Sequence[Cell], done: Callable[[Sequence[Outcome]], None]
) -> None:
    """Run all cells; `done` is told what came of some as soon as it is known."""
    todo, suspects, running = deque(cells), deque[Cell](), 0
    measured = 0.0  # seconds that a cell takes
    least = most = 1  # cells of the next batch
    while todo or running:
        slots = engine.slots
        while todo and running < slots:
            fair = -(-len(todo) // (2 * slots))  # so that all have something to do to the end
            size = max(1, min(most, max(fair, least), MOST, len(todo)))
            engine.submit([todo.popleft() for _ in range(size)])
            running += 1
        answer = engine.wait()
        running -= 1
        if answer.outcomes is None:
            suspects.extend(answer.cells)
            continue
        done(answer.outcomes)
        each = answer.seconds / len(answer.cells)
        measured = each if not measured else (measured + each) / 2
        least = int(LEAST / max(measured, 1e-9))
        most = min(int(BATCH / max(measured, 1e-9)), GROWTH * max(most, len(answer.cells)))
    for cell in suspects:
        done([_alone(engine, cell)])


def _alone(engine: Engine, cell: Cell) -> Outcome:
    for _ in range(engine.tries):
        engine.submit([cell])
        answer = engine.wait()
        if answer.outcomes is not None:
            return answer.outcomes[0]
    return Outcome(cell.name, KILLED, {}, _ENDED)
