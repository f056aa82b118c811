"""The program in the box: closes itself in, loads a submission, and calls its functions.

It answers on a pipe of its own; what the submission prints goes elsewhere. A submission can write
on that pipe too. What it forges there is then its answer, and is compared like any other.
"""

from __future__ import annotations

import linecache
import os
import sys
import traceback
import types
from importlib.machinery import PathFinder
from typing import Any

from . import frames, layers

MOST_TEXT = 2000  # characters of an exception
MOST_NAMES = 100_000  # that a submission defines
Cells = list[dict[str, str]]


class Channel:
    """Two pipes: requests in, replies out."""

    def __init__(self, requests: int, replies: int) -> None:
        self.requests, self.replies = requests, replies

    def read(self) -> Any:
        """Return the next request; the process ends where there is none."""
        import json

        return json.loads(self._bytes(frames.length(self._bytes(4))))

    def _bytes(self, count: int) -> bytes:
        parts = b""
        while len(parts) < count:
            more = os.read(self.requests, count - len(parts))
            if not more:
                os._exit(0)
            parts += more
        return parts

    def write(self, data: Any) -> None:
        """Send a reply to the grader as one frame."""
        rest = frames.frame(data)
        while rest:
            rest = rest[os.write(self.replies, rest) :]


class Installed:
    """Finds the packages that are left open, and no others: these are as if not installed."""

    def __init__(self, site: str, packages: frozenset[str]) -> None:
        self.site, self.packages = site, packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return where a package is; what is within one is found without this."""
        if path is not None or name not in self.packages:
            return None
        return PathFinder.find_spec(name, [self.site], target)


def main(requests: int, replies: int) -> None:
    """Serve one submission until the pipe is closed."""
    channel = Channel(requests, replies)
    setup = channel.read()
    sys.path[:] = [path for path in sys.path if path != setup["own"]]
    sys.meta_path.append(Installed(setup["site"], frozenset(setup["packages"])))
    tensors: bool = setup["tensors"]

    def load() -> None:
        import numpy
        import numpy.linalg
        import numpy.random  # noqa: F401

        if tensors:
            import torch

            torch.set_num_threads(1)

    done = layers.apply(setup, (requests, replies, 1, 2), load)
    channel.write({"layers": done})
    request = channel.read()
    module, failed = _loaded(request["cells"], request["name"])
    channel.write({"defined": sorted(map(str, module.__dict__))[:MOST_NAMES], "failed": failed})
    while True:
        request = channel.read()
        channel.write(called(module, request, tensors))


def _loaded(cells: Cells, name: str) -> tuple[types.ModuleType, list[dict[str, Any]]]:
    """Run the cells of a submission one after the other; also those after one that failed."""
    module = types.ModuleType("submission")
    sys.modules["submission"] = module
    module.__dict__["__file__"] = name
    failed = []
    for cell in cells:
        source = cell["source"]
        linecache.cache[cell["name"]] = (len(source), None, source.splitlines(True), cell["name"])
        try:
            exec(compile(source, cell["name"], "exec", dont_inherit=True), module.__dict__)
        except BaseException as error:
            failed.append(_told(error, cells))
    return module, failed


def called(module: types.ModuleType, request: dict[str, Any], tensors: bool) -> dict[str, Any]:
    """Call a function and return its value, or the exception that it raised."""
    arguments = [frames.decode(argument) for argument in request["arguments"]]
    before = [frames.encode(argument) for argument in arguments]
    if tensors:
        arguments = [_tensor(argument) for argument in arguments]
    try:
        function = module.__dict__[request["call"]]
        reply: dict[str, Any] = {"value": frames.encode(function(*arguments))}
    except BaseException as error:
        return {"raised": _told(error, [])}
    # Whether an argument was changed in place.
    reply["changed"] = [
        i for i, argument in enumerate(arguments) if frames.encode(argument) != before[i]
    ]
    return reply


def _tensor(value: Any) -> Any:
    import numpy
    import torch

    return torch.from_numpy(value) if isinstance(value, numpy.ndarray) else value


def _told(error: BaseException, cells: Cells) -> dict[str, Any]:
    """Return an exception as texts: its kind, what it says, and where in the submission."""
    try:
        said = str(error)[:MOST_TEXT]
    except BaseException:
        said = "(it cannot be printed)"
    place = {"file": "", "line": 0, "text": ""}
    try:
        frames_ = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
        own = [f for f in frames_ if f.filename in linecache.cache and _is_submitted(f.filename)]
        if isinstance(error, SyntaxError) and error.lineno:
            place = {"file": error.filename, "line": error.lineno, "text": error.text or ""}
        elif own:
            last = own[-1]
            place = {"file": last.filename, "line": last.lineno or 0, "text": last.line or ""}
    except BaseException:
        pass
    return {
        "kind": type(error).__name__[:80],
        "said": said,
        "file": str(place["file"])[:200],
        "line": place["line"],
        "text": str(place["text"])[:200],
    }


def _is_submitted(name: str) -> bool:
    return linecache.cache[name][1] is None  # type: ignore[misc]
