"""A process of its own for a submission: its functions are called there, and their results read.

What is right never enters the process: inputs go in, outputs come back, and are compared here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Self

from regard.errors import InvalidAnswer
from regard.sandbox.inside import frames, program
from regard.sandbox.inside.layers import LAYERS
from regard.sandbox.limits import MEGABYTE, Limits, readable
from regard.sandbox.pipes import Ended, Pipes
from regard.sandbox.printable import printable

UNSAFE = "REGARD_UNSAFE"  # in the environment: run it also where nothing keeps it apart
MOST_STARTS = 4  # of processes for one submission
WITH_TORCH = 3  # times the memory
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside.program import main; "
    "main(int(sys.argv[2]), int(sys.argv[3]))"
)
# One thread: what closes a process off closes one thread off.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "LANG": "C.UTF-8",
}
# What comes of reading something that the submission wrote in place of a reply.
NOT_A_REPLY = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
How = Literal["raised", "too long", "ended", "garbled", "missing", "not tried"]


@dataclass(frozen=True)
class Failure:
    """Why a call has no result.

    Attributes:
        how: "raised" an exception; took "too long"; the process "ended"; the reply was "garbled";
            the function is "missing"; "not tried" because earlier calls ended the process.
        sentence: what happened, in words that may be shown.
        kind: the class of the exception, or "".
        line: where in the file, or 0.
    """

    how: How
    sentence: str
    kind: str = ""
    line: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a call came to: a value, or a failure.

    Attributes:
        value: an array, a number, a truth value, a text, None or a tuple of these.
        failure: None where there is a value.
        changed: which arguments the function changed in place.
    """

    value: Any = None
    failure: Failure | None = None
    changed: tuple[int, ...] = ()


@dataclass(eq=False)
class Box:
    """A submission that can be called; a context manager that leaves no process behind.

    Args:
        cells: names and texts of what is run, in order: one for a file, one per cell of a notebook.
        name: what the file is called in messages.
        tensors: whether arrays are given to functions as torch tensors.
        unsafe: run it also where nothing keeps it from the files of this user.

    Attributes:
        layers: "" for each protection that is in place, or why it is not.
        defined: the names that the submission defines.
        failed: exceptions of cells that did not run to their end.
        folder: its temporary folder, and the only one.
        printed: what it printed, at most `limits.output` bytes of each stream.
    """

    cells: Sequence[tuple[str, str]]
    name: str
    tensors: bool = False
    limits: Limits = field(default_factory=Limits)
    unsafe: bool = False
    wanted: Sequence[str] = LAYERS
    layers: dict[str, str] = field(default_factory=dict)
    defined: frozenset[str] = frozenset()
    failed: tuple[Failure, ...] = ()
    _pipes: Pipes | None = None
    folder: str = ""
    _starts: int = 0
    _waited: float = 0.0  # seconds for results of calls

    def __enter__(self) -> Self:
        if not hasattr(os, "fork"):
            raise InvalidAnswer("check: programs are run on Linux and macOS only.")
        self.folder = tempfile.mkdtemp(prefix="regard-box-")
        self.printed = {"stdout": "", "stderr": ""}
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, function: str, *arguments: Any) -> Outcome:
        """Call a function of the submission; another process is started where one has ended."""
        if self._pipes is None:
            if self._starts >= MOST_STARTS:
                sentence = "was not tried: calls before it ended the process again and again"
                return Outcome(failure=Failure("not tried", sentence))
            try:
                self._start()
            except InvalidAnswer as error:
                return Outcome(failure=Failure("ended", str(error)))
        if function not in self.defined:
            return Outcome(failure=Failure("missing", "is not defined in the file"))
        if self._waited > self.limits.calls:
            sentence = f"was not tried: calls took longer than {self.limits.calls:g} s together"
            return Outcome(failure=Failure("not tried", sentence))
        request = {"call": function, "arguments": [frames.encode(a) for a in arguments]}
        started = time.monotonic()
        try:
            reply = self._ask(request, self.limits.call)
            if "raised" in reply:
                return Outcome(failure=_failure_of_exception(reply["raised"]))
            changed = tuple(i for i in reply.get("changed", ()) if i in range(len(arguments)))
            return Outcome(frames.decode(reply["value"]), changed=changed)
        except Ended as end:
            self._stop()
            return Outcome(failure=self._ended(end))
        except NOT_A_REPLY:
            self._stop()
            return Outcome(failure=Failure("garbled", "sent something that is no result"))
        finally:
            self._waited += time.monotonic() - started

    def _ask(self, request: Any, seconds: float) -> Any:
        assert self._pipes is not None
        return self._pipes.ask(request, time.monotonic() + seconds)

    def _start(self) -> None:
        self._starts += 1
        own = Path(__file__).parent
        requests, to_child = os.pipe()
        from_child, replies = os.pipe()
        command = [sys.executable, "-I", "-S", "-B", "-u", "-c", _START, str(own), str(requests)]
        try:
            process = subprocess.Popen(
                [*command, str(replies)],
                env=_ENVIRONMENT | {"TMPDIR": self.folder},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(requests, replies),
                start_new_session=True,
            )
        except OSError as error:  # such as in a browser, where there are no processes
            for end in (to_child, from_child):
                os.close(end)
            reason = error.strerror or str(error)
            raise InvalidAnswer(
                f"{self.name}: a program is judged in a process of its own, and none can be "
                f"started here: {reason.rstrip('.')}. Answers that are formulas need none."
            ) from None
        finally:
            os.close(requests)
            os.close(replies)
        self._pipes = Pipes(process, to_child, from_child, self.limits.output)
        open_ = readable(self.tensors)
        memory = self.limits.memory * (WITH_TORCH if self.tensors else 1)
        setup = {
            "own": str(own),
            "site": open_.site,
            "packages": open_.packages,
            "tensors": self.tensors,
            "layers": list(self.wanted),
            "limits": {
                "cpu": self.limits.cpu,
                "memory": memory,
                "disk": self.limits.disk,
                "files": self.limits.files,
            },
            "folder": self.folder,
            "parent": os.getpid(),
            "readable": open_.readable,
            "listable": open_.listable,
        }
        try:
            found = self._ask(setup, self.limits.load)["layers"]
            self.layers = {name: str(found[name]) for name in LAYERS}
            self._refuse()
            cells = [{"name": name, "source": source} for name, source in self.cells]
            reply = self._ask({"cells": cells, "name": self.name}, self.limits.load)
            self.defined = frozenset(map(str, reply["defined"]))
            self.failed = tuple(_failure_of_exception(error) for error in reply["failed"])
        except InvalidAnswer:
            raise
        except Ended as end:
            loading = bool(self.layers)
            self._stop()
            why = self._ended(end).sentence
            said = "" if loading else f" {printable(self.printed['stderr'][-300:])}"
            what = "running the file" if loading else "starting the box"
            raise InvalidAnswer(f"{self.name}: {what} {why}.{said}".rstrip()) from None
        except NOT_A_REPLY:
            self._stop()
            raise InvalidAnswer(f"{self.name}: the file did not run to its end.") from None

    def _refuse(self) -> None:
        """Refuse to run a stranger's file where nothing keeps it apart."""
        apart = not self.layers["landlock"] or not self.layers["user"]
        if (apart and not self.layers["seccomp"]) or self.unsafe or os.environ.get(UNSAFE):
            return
        self._stop()
        raise InvalidAnswer(
            f"{self.name}: this system offers nothing that keeps a program from your files and the "
            "network (`regard doctor` says what is missing). If the file is your own, run it with "
            f"--unsafe, or with {UNSAFE}=1 in the environment."
        )

    def _ended(self, end: Ended) -> Failure:
        if end.late:
            return Failure("too long", f"took longer than {end.seconds:.0f} s and was stopped")
        if end.code in (-signal.SIGKILL, 128 + signal.SIGKILL, -signal.SIGXCPU):
            limit = self.limits
            sentence = (
                f"was stopped by the system, as happens past {limit.cpu} s of computing or "
                f"{limit.memory // MEGABYTE} MB"
            )
            return Failure("ended", sentence)
        code = end.code if end.code is not None and end.code >= 0 else f"signal {-(end.code or 0)}"
        return Failure("ended", f"ended the process (exit code {code})")

    def _stop(self) -> None:
        if self._pipes is not None:
            for name, data in self._pipes.close().items():
                self.printed[name] += data.decode("utf-8", "replace")[: self.limits.output]
            self._pipes = None


class Direct:
    """Functions of this very process, called as a box calls its own, and without its protection."""

    def __init__(self, module: ModuleType, tensors: bool) -> None:
        self.module, self.tensors = module, tensors
        self.defined = frozenset(module.__dict__)
        self.failed: tuple[Failure, ...] = ()
        self.printed: dict[str, str] = {}

    def call(self, function: str, *arguments: Any) -> Outcome:
        """Call a function; its arguments are copies."""
        if function not in self.defined:
            return Outcome(failure=Failure("missing", "is not defined in the file"))
        request = {"call": function, "arguments": [frames.encode(a) for a in arguments]}
        reply = program.called(self.module, request, self.tensors)
        if "raised" in reply:
            failure = _failure_of_exception(reply["raised"])
            if failure.kind == "KeyboardInterrupt":  # how a notebook's time limit comes
                failure = Failure("too long", "took too long and was stopped")
            return Outcome(failure=failure)
        return Outcome(frames.decode(reply["value"]), changed=tuple(reply["changed"]))


def _failure_of_exception(data: dict[str, Any]) -> Failure:
    kind, line = printable(str(data["kind"]), 60), data["line"]
    line = line if type(line) is int and 0 <= line < 10**7 else 0
    said = printable(" ".join(str(data["said"]).split()), 300)
    where = f" (line {line}: {printable(str(data['text']).strip(), 120)})" if line else ""
    sentence = f"raises {kind}{f': {said}' if said else ''}{where}"
    return Failure("raised", sentence, kind, line)
