"""`regard doctor --cluster ADDRESS`: what the workers are, and whether they fit this machine."""

from __future__ import annotations

import json
from typing import Any

import typer

from regard.cli.console import out


def doctor_of_cluster(address: str, as_json: bool) -> None:
    """Describe a cluster, and compare its versions; exit code 1 where something does not fit."""
    from regard.cluster import describe_cluster

    found = describe_cluster(address)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _print(found)
    raise typer.Exit(1 if found["problems"] else 0)


def _print(found: dict[str, Any]) -> None:
    from rich.table import Table

    from regard.cluster.byte_sizes import written

    out().print(f"scheduler at {found['address']}", style="bold", markup=False)
    versions = Table(box=None, pad_edge=False)
    for column in ("", "here", "scheduler", "workers"):
        versions.add_column(column)
    for package, mine in found["here"].items():
        theirs = {w["versions"].get(package) or "none" for w in found["workers"] if "versions" in w}
        at = found["scheduler"].get(package) or "none"
        versions.add_row(package, mine or "none", at, ", ".join(sorted(theirs)) or "–")
    out().print(versions)
    out().print()
    table = Table(box=None, pad_edge=False)
    for column in ("worker", "tasks at a time", "threads each", "cores", "memory", "kernel"):
        table.add_column(column, justify="left" if column in ("worker", "kernel") else "right")
    for worker in found["workers"]:
        memory = written(worker["memory"]) if worker["memory"] else "no limit"
        if "error" in worker:
            table.add_row(worker["address"], str(worker["tasks"]), "–", "–", memory, "–")
            continue
        threads = f"{worker['threads']} (by {worker['threads_by']})"
        table.add_row(
            worker["address"], str(worker["tasks"]), threads, str(worker["cores"]), memory,
            worker["kernel"],
        )  # fmt: skip
    out().print(table)
    out().print()
    for sentence in found["problems"]:
        out().print(sentence, style="red", markup=False, soft_wrap=True)
    if not found["problems"]:
        out().print("All versions are the same, and no worker uses more threads than it has cores.")
