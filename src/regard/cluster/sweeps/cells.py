"""Run cells where they are to be run: in a worker process, on a cluster, or here.

Whatever a cell raises becomes its row. BLAS is held to one thread, so that a result does not depend
on how many cores the machine has that it was computed on.
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.cluster.sweeps.columns import Row, columns_of, scalar
from regard.cluster.sweeps.settings import Cell, generator
from regard.core.kernels.threads import one_blas_thread
from regard.errors import InfeasibleDesign, UndecidedDesign

__all__ = ["DONE", "FAILED", "IMPOSSIBLE", "KILLED", "UNDECIDED", "Outcome", "run_batch"]

SEED = "seed"  # a setting that every function may have, to be drawn several times

# What the column `status` says.
DONE = "done"
IMPOSSIBLE = "impossible"  # a design that is proved out of reach; the columns are of the closest
UNDECIDED = "undecided"
FAILED = "failed"  # the function raised: the message says what
KILLED = "killed"  # the process ended, for want of memory or by a signal


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a cell.

    Attributes:
        name: of the cell.
        status: one of the words above.
        result: the columns that it found.
        message: why there is no result, in a sentence; or "".
    """

    name: str
    status: str
    result: Row
    message: str = ""


def run_batch(
    function: Callable[..., Any], seed: int, cells: Sequence[Cell]
) -> tuple[list[Outcome], float]:
    """Run cells one after the other; return what came of each, and the seconds it took."""
    start = time.perf_counter()
    draws, seeded = takes(function, "rng"), takes(function, SEED)
    with one_blas_thread():
        found = [_run(function, seed, cell, draws, seeded) for cell in cells]
    return found, time.perf_counter() - start


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has an argument of this name."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some functions in C do not say
        return False
    catches_all = any(one.kind is one.VAR_KEYWORD for one in known.values())
    return name in known or (catches_all and name == SEED)


def _run(function: Callable[..., Any], seed: int, cell: Cell, draws: bool, seeded: bool) -> Outcome:
    given = dict(cell.settings)
    if not seeded:
        given.pop(SEED, None)
    if draws:
        given["rng"] = generator(seed, cell.stream)
    try:
        with np.errstate(all="ignore"):
            result = function(**given)
            return Outcome(cell.name, DONE, columns_of(result))
    except (InfeasibleDesign, UndecidedDesign) as refused:
        status = IMPOSSIBLE if isinstance(refused, InfeasibleDesign) else UNDECIDED
        best = getattr(function, "columns", columns_of)(refused.best) if refused.best else {}
        return Outcome(cell.name, status, best, _sentence(refused))
    except MemoryError as error:
        return Outcome(cell.name, FAILED, {}, _sentence(error, "out of memory"))
    except BaseException as error:  # sys.exit() in a cell, too, is what became of that cell
        if isinstance(error, KeyboardInterrupt) and _hears_ctrl_c():
            raise
        return Outcome(cell.name, FAILED, {}, _sentence(error, type(error).__name__))


def _hears_ctrl_c() -> bool:
    """Whether Ctrl-C would raise here: not in worker processes, nor in threads."""
    here = threading.current_thread() is threading.main_thread()
    return here and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def _sentence(error: BaseException, first: str = "") -> str:
    """Return what an error says, on one line, whatever happens when it is asked."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = "what it says cannot be written"
    text: str = scalar(": ".join(part for part in (first, said) if part))
    return text
