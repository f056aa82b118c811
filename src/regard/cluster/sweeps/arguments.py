"""`regard.cluster.sweep`: one function over many settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regard
from regard.cluster.byte_sizes import read_bytes
from regard.cluster.connection import connected
from regard.cluster.failures import Interrupted
from regard.cluster.progress import Progress, watched
from regard.cluster.sweeps.called import check_cells, identity, read_target, with_defaults
from regard.cluster.sweeps.cells import FAILED, KILLED, Outcome
from regard.cluster.sweeps.checkpoint import Checkpoint
from regard.cluster.sweeps.engines import Dask, Engine, Here
from regard.cluster.sweeps.processes import Processes
from regard.cluster.sweeps.run import run_cells
from regard.cluster.sweeps.settings import NOTHING, Cell, read_cells
from regard.cluster.thread_limits import one_thread_for_libraries, threads_of_a_worker
from regard.core.kernels.threads import available
from regard.errors import ParameterError
from regard.shapes import integer

if TYPE_CHECKING:
    from regard.cluster.sweeps.result import Sweep
    from regard.problems.head import Problem

__all__ = ["sweep"]

_NAME = "cluster.sweep"


def sweep(
    what: Callable[..., Any] | str | Problem,
    settings: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    seed: int = 0,
    paired: Sequence[str] = (),
    draw: Mapping[str, Any] | None = None,
    cluster: Any = None,
    workers: int | None = None,
    memory: int | str | None = None,
    checkpoint: str | Path | None = None,
    retry: bool = False,
    title: str | None = None,
    progress: Progress = None,
) -> Sweep:
    """Call a function for every cell of a grid, and return a table with a row for each.

    Args:
        what: a function; the name of one of regard's, such as "analysis.key_noise" or
            "design.query"; or a problem, or its id or file. A function is called with the settings
            of a cell as keyword arguments, and with `rng`, a NumPy generator, if it has an argument
            of that name. It returns a number, or a mapping or a dataclass of numbers and words.
        settings: a grid, {name: values}, of which every combination is a cell; or a list of cells.
            `regard sweep --list` shows which settings the functions of regard have.
        seed: what all random numbers come from.
        paired: settings that do not change the random numbers: cells that differ in nothing else
            draw the same ones.
        draw: for a function of regard, the laws of its arrays: {name: {"law": …}}.
        cluster: None for processes of this machine; the address of a scheduler of Dask; "local" to
            start one; or a `distributed.Client`.
        workers: how many processes, by default one per core. 0: none, all happens in this one.
        memory: how much memory a cell may take, such as "2GiB", beyond what its process has before.
        checkpoint: a file that keeps what is done. If it is there, only what is missing is done.
        retry: whether to do again what failed before, or ended its process.
        title: what the table is called.
        progress: None: a bar on terminals; True, False, or a function (done, total).

    Returns:
        A :class:`Sweep`. A cell that raises, or ends its process, is a row that says so.

    Raises:
        ParameterError: an argument cannot be used.
        ClusterError: the scheduler is lost, or the checkpoint cannot be written.
        Interrupted: Ctrl-C.

    Guarantee: the same bits for any number of workers, on a cluster or here, in any order, also if
    it was interrupted; and a cell's random numbers depend on the seed and on its settings alone.

    Example:
        >>> table = sweep(lambda n, p: n**p, {"n": [2, 3], "p": [1, 2]}, workers=0)
        >>> table.column("result")
        [2, 4, 3, 9]
    """
    seed = integer(_NAME, "seed", seed, minimum=0)
    _check_words(paired, draw, title, checkpoint)
    target, name = read_target(what, draw or {}, _NAME)
    if isinstance(settings, Mapping) and not settings:
        raise ParameterError(f"{_NAME}: settings are empty: {NOTHING}")
    cells = read_cells(_NAME, with_defaults(target, settings), paired)
    check_cells(target, cells, _NAME)
    limit = None if memory is None else read_bytes(_NAME, "memory", memory)
    if limit is not None and cluster not in (None, "local"):
        raise ParameterError(
            f"{_NAME}: memory is for processes that are started here. Workers of a cluster have "
            "the limit they were started with: `dask worker --memory-limit`."
        )
    count = available() if workers is None else integer(_NAME, "workers", workers, minimum=0)
    if limit is not None and not count and cluster is None:
        raise ParameterError(
            f"{_NAME}: memory is for processes of their own, and workers=0 (--workers 0) has none. "
            "Leave one of the two out."
        )
    header = {
        "sweep": name,
        "what": identity(target),
        "seed": seed,
        "paired": sorted(paired),
        "regard": regard.__version__,
    }
    kept = None if checkpoint is None else Checkpoint.open(Path(checkpoint), header)
    outcomes = _already(cells, kept, retry)
    resumed, go_on = len(outcomes), _go_on(checkpoint)
    missing = [cell for cell in cells if cell.name not in outcomes]
    try:
        if missing:
            with (
                _engine(target, seed, cluster, count, len(missing), limit, go_on) as engine,
                watched(name, resumed, len(cells), progress) as tick,
            ):

                def done(some: Sequence[Outcome]) -> None:
                    if kept:
                        kept.add(some)
                    outcomes.update((one.name, one) for one in some)
                    tick(len(outcomes))

                run_cells(engine, missing, done)
        if kept:
            kept.sync()
    except KeyboardInterrupt:
        there = kept.names() if kept else set(outcomes)
        count = sum(cell.name in there for cell in cells)
        raise Interrupted(f"Stopped after {count} of {len(cells)} cells. {go_on}") from None
    finally:
        if kept:
            kept.close()
    # Loaded here: worker processes that import a module with a sweep in it need no reports.
    from regard.cluster.sweeps.result import Sweep, tidy

    columns, own, rows = tidy(cells, [outcomes[cell.name] for cell in cells])
    damaged = kept.damaged if kept else 0
    return Sweep(title or name, tuple(columns), tuple(rows), own, resumed, damaged)


def _check_words(paired: object, draw: object, title: object, checkpoint: object) -> None:
    if isinstance(paired, str) or not isinstance(paired, Iterable):
        raise ParameterError(
            f"{_NAME}: paired must be a list of names of settings, such as ['scale']. "
            f"Got {paired!r}."
        )
    if draw is not None and not isinstance(draw, Mapping):
        raise ParameterError(
            f"{_NAME}: draw must be a mapping of arrays to laws, such as {{'keys': {{'law': "
            f"'gaussian', 'shape': ['n', 'd']}}}}. Got {draw!r}."
        )
    if title is not None and not isinstance(title, str):
        raise ParameterError(f"{_NAME}: title must be words. Got {title!r}.")
    if checkpoint is not None and not isinstance(checkpoint, str | Path):
        raise ParameterError(f"{_NAME}: checkpoint must be the path of a file. Got {checkpoint!r}.")


def _already(cells: Sequence[Cell], kept: Checkpoint | None, retry: bool) -> dict[str, Outcome]:
    """Return what came of the cells that need not be run, by their names."""
    found = kept.found if kept else {}
    again = (FAILED, KILLED) if retry else ()
    return {
        cell.name: found[cell.name]
        for cell in cells
        if cell.name in found and found[cell.name].status not in again
    }


def _go_on(checkpoint: str | Path | None) -> str:
    if checkpoint is None:
        return "Nothing was kept: with checkpoint=FILE the next run goes on from there."
    return f"What is done is kept in {checkpoint}: run the same again, and it goes on from there."


@contextmanager
def _engine(
    target: Any, seed: int, cluster: Any, asked: int, cells: int, memory: int | None, go_on: str
) -> Iterator[Engine]:
    workers = min(asked, cells)
    if cluster is None and not workers:
        with one_thread_for_libraries():
            yield Here(target, seed)
        return
    if cluster is None:
        threads = threads_of_a_worker(asked, workers)
        processes = Processes(target, seed, workers, memory, threads)
        try:
            yield processes
        finally:
            processes.close()
        return
    with connected(_NAME, cluster, workers=workers or None, memory=memory) as client:
        engine = Dask(client, target, seed, go_on=go_on)
        try:
            yield engine
        finally:
            engine.close()
