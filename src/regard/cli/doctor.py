"""`regard doctor`: what this installation consists of, and whether it computes correctly."""

from __future__ import annotations

import json
import os
import platform
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import regard
from regard.core import kernels, reference
from regard.core.kernels import native, threads

if TYPE_CHECKING:
    from rich.table import Table

ALLOWED = 1e-13  # of values near 1, in float64: hundreds of roundings


def doctor(
    cluster: Annotated[
        str | None,
        typer.Option(help="Describe the workers of a scheduler of Dask, tcp://HOST:PORT, instead."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say which kernel and how many threads are in use, what is installed, and test it."""
    if cluster is not None:
        from regard.cli.cluster_doctor import doctor_of_cluster

        doctor_of_cluster(cluster, as_json)
    found = examine()
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        from rich.console import Console  # slow to load

        Console().print(_table(found))
    raise typer.Exit(0 if found["correct"] else 3)


def examine() -> dict[str, Any]:
    """Return what `regard doctor` reports, as plain data."""
    from regard.cli import optional_parts  # slow to load

    error = _largest_error()
    return {
        "regard": regard.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": [f"{blas.internal_api} {blas.version}" for blas in threads.blas_libraries()],
        "kernel": kernels.chosen(),
        "instruction_set": native.instruction_sets()[0] if native.instruction_sets() else None,
        "threads": threads.available(),
        "cores": os.cpu_count(),
        "box": _box(),
        "optional": {one: optional_parts.version(one) for one in optional_parts.LIBRARIES},
        "broken": optional_parts.broken(),
        "extras": optional_parts.extras(),
        "largest_error": error,
        "correct": error <= ALLOWED,
    }


def _box() -> dict[str, Any]:
    """Return what the box for programs keeps them from, found by trying it."""
    from regard.sandbox.protections import QUESTIONS, protections

    found = protections()
    return {
        "stopped": {QUESTIONS[name]: stopped for name, stopped in found.stopped.items()},
        "layers": found.layers,
        "fit": found.fit,
        "sentence": found.sentence,
        "unusable": found.unusable,
    }


def _box_sentence(box: dict[str, Any]) -> str:
    layers = [name for name, missing in box["layers"].items() if not missing]
    said = f"{box['sentence']} ({', '.join(layers) or box['unusable']})"
    rows = [f"{'yes' if stopped else 'NO '}  {name}" for name, stopped in box["stopped"].items()]
    return "\n".join([said, *rows])


def _largest_error() -> float:
    """Return how far the kernel is from the reference on a small problem with every rule in it."""
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal(s) for s in ((2, 4, 5, 3), (2, 2, 7, 3), (2, 2, 7, 6)))
    mask = rng.random((5, 7)) < 0.8
    rules: dict[str, Any] = {
        "is_causal": True,
        "causal_offset": np.array([2, 0]),
        "window": (3, None),
        "key_lengths": np.array([7, 4]),
        "softcap": 2.0,
    }
    expected = reference.attention(query, key, value, mask, **rules)
    output, weights = regard.attention_with_weights(query, key, value, mask, **rules)
    differences = (output - expected.output, weights - expected.weights)
    return float(max(np.abs(one).max() for one in differences))


def _kernel_sentence(found: dict[str, Any]) -> str:
    if found["kernel"] == "native":
        return f"C, for {found['instruction_set']}"
    if found["instruction_set"] is None:
        return "NumPy tiles (the kernel in C is not installed: there was no compiler)"
    return "NumPy tiles (REGARD_KERNEL=numpy)"


def _table(found: dict[str, Any]) -> Table:
    from rich.markup import escape
    from rich.table import Table  # slow to load

    from regard.cli.optional_parts import LIBRARIES, extras_sentence

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("regard", found["regard"])
    table.add_row("Python", found["python"])
    table.add_row("NumPy", f"{found['numpy']} with {', '.join(found['blas']) or 'its own loops'}")
    table.add_row("kernel", _kernel_sentence(found))
    variable = os.environ.get("REGARD_THREADS")
    source = f"REGARD_THREADS={variable}" if variable else "the cores it may use"
    table.add_row("threads", f"{found['threads']} ({source})")
    for name, purpose in LIBRARIES.items():
        version, reason = found["optional"][name], found["broken"].get(name)
        if reason is not None:
            said = f"{version} is installed and cannot be loaded: {reason}"
        else:
            said = f"{version}: {purpose}" if version else f"not installed (with it, {purpose})"
        table.add_row(name, escape(said))
    table.add_row("extras", escape(extras_sentence(found["extras"])))
    table.add_row("programs", _box_sentence(found["box"]))
    verdict = "agrees with the reference" if found["correct"] else "DISAGREES with the reference"
    table.add_row("self-test", f"{verdict} (largest difference {found['largest_error']:.1e})")
    return table
