"""What the workers of a cluster consist of, beside this machine: for `regard doctor --cluster`."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from regard.cluster.connection import connected

__all__ = ["describe_cluster"]

PACKAGES = ("regard", "numpy", "scipy", "dask", "distributed")
_NAME = "doctor"


def describe_cluster(cluster: Any) -> dict[str, Any]:
    """Return what a scheduler and its workers consist of, as plain data.

    Args:
        cluster: the address of a scheduler, "local", or a `distributed.Client`.

    Returns:
        `address`; `here`, the versions of this machine; `scheduler`, its versions; `workers`, for
        each its address, versions, kernel, `tasks` (that it runs at a time), `threads` (that regard
        uses in each), `cores`, `memory` (its limit in bytes, 0: none); and `problems`, sentences.
    """
    with connected(_NAME, cluster) as client:
        info = client.scheduler_info(n_workers=-1)
        scheduler = _of_scheduler(client)
        found = client.run(_describe, on_error="return")
        workers = [
            _worker(address, said, info["workers"].get(address, {}))
            for address, said in sorted(found.items())
        ]
        address = client.scheduler.address
    here = _versions()
    described = {"address": address, "here": here, "scheduler": scheduler, "workers": workers}
    return described | {"problems": _problems(here, scheduler, workers)}


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found


def _of_scheduler(client: Any) -> dict[str, str | None]:
    """Return the versions of the scheduler, which need not have regard: by Dask's own question."""
    said = client.get_versions(packages=[*PACKAGES])["scheduler"]["packages"]
    found = {name: said.get(name) for name in ("python", *PACKAGES)}
    return {
        name: None if v in (None, "None") else str(v).split(".final")[0]
        for name, v in found.items()
    }


def _describe() -> dict[str, Any]:
    """Describe the process that this runs in: a worker, as a task would find it."""
    from regard.cluster.thread_limits import hold_threads
    from regard.core import kernels
    from regard.core.kernels import threads

    owner = "REGARD_THREADS" in os.environ
    hold_threads()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "versions": _versions(),
        "kernel": kernels.chosen(),
        "threads": threads.available(),
        "threads_by": "its owner" if owner else "regard",
        "cores": cores,
        "host": platform.node(),
    }


def _worker(address: str, said: Any, info: Mapping[str, Any]) -> dict[str, Any]:
    basics = {
        "address": address,
        "tasks": int(info.get("nthreads", 0)),
        "memory": int(info.get("memory_limit") or 0),
    }
    if isinstance(said, dict):
        return basics | said
    return basics | {"error": f"{type(said).__name__}: {said}"}


def _problems(
    here: dict[str, str | None], scheduler: dict[str, str | None], workers: list[dict[str, Any]]
) -> list[str]:
    """Return what stands in the way, or makes results differ."""
    found = [] if workers else ["There are no workers: `dask worker ADDRESS` adds some."]
    for package in ("python", "dask", "distributed"):
        if scheduler.get(package) != here[package]:
            found.append(_differs("The scheduler", package, scheduler.get(package), here[package]))
    for worker in workers:
        who = f"The worker at {worker['address']}"
        if "error" in worker:
            found.append(f"{who} cannot run regard: {worker['error']}.")
            continue
        found += [
            _differs(who, package, worker["versions"].get(package), mine)
            for package, mine in here.items()
            if worker["versions"].get(package) != mine
        ]
        if worker["tasks"] * worker["threads"] > worker["cores"]:
            found.append(
                f"{who} runs {worker['tasks']} tasks at a time with {worker['threads']} threads "
                f"each on {worker['cores']} cores. Start it with a smaller --nthreads."
            )
    by_host: dict[str, list[dict[str, Any]]] = {}
    for worker in workers:
        if "host" in worker:
            by_host.setdefault(worker["host"], []).append(worker)
    for host, own in by_host.items():
        busy = sum(worker["tasks"] * worker["threads"] for worker in own)
        if len(own) > 1 and busy > own[0]["cores"]:
            found.append(
                f"The {len(own)} workers on {host} use {busy} threads together on "
                f"{own[0]['cores']} cores."
            )
    return found


def _differs(who: str, package: str, theirs: str | None, mine: str | None) -> str:
    name = "Python" if package == "python" else package
    return f"{who} has {name} {theirs or 'not at all'}; here it is {mine or 'not there'}."
