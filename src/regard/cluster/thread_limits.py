"""One thread for each worker, in regard and in the libraries that a cell may load.

`REGARD_THREADS` says it to regard. BLAS has threads of its own, one per core: sums then depend on
how many those are, and two workers on two cores would run four. Libraries read their variables
when they are loaded, which SciPy's BLAS or PyTorch may be in the middle of a cell: so these are set
before, and what is loaded already is told.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from regard.core.kernels.threads import available

__all__ = ["hold_threads", "limited_environment", "one_thread_for_libraries", "threads_of_a_worker"]

_BLAS = (
    "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
_OTHERS = ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS")  # their owner may know better


def threads_of_a_worker(asked: int, workers: int) -> int:
    """Return how many threads regard uses in each worker process of this machine.

    One, unless fewer processes are started than were asked for because there are fewer cells, or
    the owner of this process has said more by REGARD_THREADS: then all of them share these.
    """
    cores = available()
    whole = cores if os.environ.get("REGARD_THREADS", "").strip() else min(asked, cores)
    return max(1, whole // workers)


def limited_environment(threads: int) -> dict[str, str]:
    """Return the environment of a process in which regard uses so many threads, and BLAS one."""
    return {**os.environ, **_libraries(os.environ), "REGARD_THREADS": str(threads)}


def hold_threads() -> None:
    """Have this process use one thread, regard's unless its owner has said how many."""
    os.environ.setdefault("REGARD_THREADS", "1")
    os.environ.update(_libraries(os.environ))


def _libraries(given: Mapping[str, str]) -> dict[str, str]:
    return dict.fromkeys(_BLAS, "1") | {name: given.get(name, "1") for name in _OTHERS}


@contextmanager
def one_thread_for_libraries() -> Iterator[None]:
    """Hold BLAS in this process to one thread, also what is loaded meanwhile; then let it go."""
    from threadpoolctl import ThreadpoolController, threadpool_limits

    known = {one.filepath for one in ThreadpoolController().lib_controllers}
    before = {name: os.environ.get(name) for name in (*_BLAS, *_OTHERS)}
    os.environ.update(_libraries(os.environ))
    modules = len(sys.modules)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if len(sys.modules) > modules:
            for one in ThreadpoolController().lib_controllers:
                if one.filepath not in known:
                    one.set_num_threads(available())
                    # Else this thread alone could set it from now on.
                    getattr(one, "clear_controlling_thread", lambda **_: None)(force=True)
