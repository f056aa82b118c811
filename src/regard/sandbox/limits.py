"""What a submission may use, and which files it may read."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes:
        load: seconds for starting, importing NumPy and running the file itself.
        call: seconds for one call of a function.
        calls: seconds for all calls together: what waits a little in each is stopped too.
        cpu: seconds of computing in all, for one process.
        memory: bytes of address space. NumPy takes 192 MB of it, torch 640.
        disk: bytes in its temporary folder, and of one file.
        files: in its temporary folder.
        output: bytes of what it prints that are kept, of either stream.
    """

    load: float = 20.0
    call: float = 5.0
    calls: float = 30.0
    cpu: int = 30
    memory: int = 1024 * MEGABYTE
    disk: int = 8 * MEGABYTE
    files: int = 256
    output: int = 64_000


# torch imports these, where they are installed.
WITH_TORCH = (
    *("torch", "torchgen", "functorch", "sympy", "mpmath", "networkx", "jinja2", "markupsafe"),
    *("filelock", "fsspec", "typing_extensions.py", "triton", "nvidia", "setuptools", "optree"),
)
SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/sys/devices/system/cpu",
    "/proc/cpuinfo",
)


@dataclass(frozen=True)
class Readable:
    """Files and folders that the box leaves open.

    Attributes:
        site: the folder of installed packages.
        packages: those that can be imported.
        readable: may be read, folders with all that is in them.
        listable: folders of which only the names in them may be read, which importing needs.
    """

    site: str
    packages: tuple[str, ...]
    readable: tuple[str, ...]
    listable: tuple[str, ...]


@cache
def readable(torch: bool) -> Readable:
    """Return what Python, NumPy and, if wanted, torch need, and nothing beside them.

    Packages beside NumPy stay closed, regard among them.
    """
    import numpy

    site = Path(numpy.__file__).parents[1]
    names = ["numpy", "numpy.libs", *(WITH_TORCH if torch else ())]
    open_ = [site / name for name in names]
    standard = {Path(sysconfig.get_path(which)) for which in ("stdlib", "platstdlib")}
    standard.add(Path(os.__file__).parent)
    for folder in standard:
        if folder.is_dir():
            closed = ("site-packages", "dist-packages")
            open_ += [entry for entry in folder.iterdir() if entry.name not in closed]
    open_ += [Path(sys.base_prefix) / "lib" / name for name in _libraries()]
    listable = [site, *standard, *(site.parents[:1])]
    return Readable(
        str(site),
        tuple(name.removesuffix(".py") for name in names),
        tuple(map(str, [*open_, *SYSTEM])),
        tuple(map(str, dict.fromkeys(listable))),
    )


def _libraries() -> list[str]:
    folder = Path(sys.base_prefix) / "lib"
    try:
        return [entry.name for entry in folder.iterdir() if ".so" in entry.name]
    except OSError:
        return []
