"""The grader's end of the pipes: every wait has an end, and every stream a length."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from typing import Any

from regard.sandbox.inside import frames

CHUNK = 1 << 16
GRACE = 2.0  # seconds for a process that was killed to be gone


class Ended(Exception):
    """The process did not answer.

    Attributes:
        late: whether it was too slow; otherwise it has ended.
        code: its exit code, negative for a signal, or None.
        seconds: how long it was waited for.
    """

    def __init__(self, late: bool, code: int | None, seconds: float) -> None:
        super().__init__(f"late: {late}, code: {code}")
        self.late, self.code, self.seconds = late, code, seconds


class Pipes:
    """A process, the pipe to it and the three from it."""

    def __init__(
        self, process: subprocess.Popen[bytes], to: int, back: int, most_output: int
    ) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self.to, self.back, self.most = process, to, back, most_output
        self.streams = {
            process.stdout.fileno(): ("stdout", bytearray()),
            process.stderr.fileno(): ("stderr", bytearray()),
        }
        self.replies = bytearray()
        self.selector = selectors.DefaultSelector()
        for descriptor in (to, back, *self.streams):
            os.set_blocking(descriptor, False)
        for descriptor in (back, *self.streams):
            self.selector.register(descriptor, selectors.EVENT_READ)

    def ask(self, request: Any, deadline: float) -> Any:
        """Send a request and return the reply.

        Raises:
            Ended: there is none by the deadline, or the process has ended.
            ValueError: what came back is no reply.
        """
        begun = time.monotonic()
        unsent = frames.frame(request)
        self.selector.register(self.to, selectors.EVENT_WRITE)
        writing = True
        try:
            while True:
                if (reply := self._reply()) is not None and not unsent:
                    return reply
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Ended(True, None, time.monotonic() - begun)
                for key, _ in self.selector.select(left):
                    if key.fd == self.to:
                        unsent = self._send(unsent)
                        if not unsent:
                            self.selector.unregister(self.to)
                            writing = False
                    elif not self._receive(key.fd) and key.fd == self.back:
                        raise Ended(False, self._code(), time.monotonic() - begun)
        finally:
            if writing:
                self.selector.unregister(self.to)

    def _send(self, data: bytes) -> bytes:
        try:
            return data[os.write(self.to, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return b""  # it has ended, which its other pipes tell

    def _receive(self, descriptor: int) -> bool:
        """Read what is there; False at the end of a pipe."""
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(descriptor)
            return False
        if descriptor == self.back:
            self.replies += data
            if len(self.replies) > 2 * frames.MOST_BYTES:
                raise ValueError("too long a reply")
        else:
            kept = self.streams[descriptor][1]
            kept += data[: max(0, self.most - len(kept))]  # the rest is read and forgotten
        return True

    def _reply(self) -> Any:
        if len(self.replies) < 4:
            return None
        size = frames.length(bytes(self.replies[:4]))
        if len(self.replies) < 4 + size:
            return None
        text = bytes(self.replies[4 : 4 + size])
        del self.replies[: 4 + size]
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("no reply")
        return data

    def _code(self) -> int | None:
        """Return how the process ended, which it has or is about to."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(GRACE)
        return None

    def close(self) -> dict[str, bytes]:
        """End the process and all that it started, and return what it printed."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        for descriptor in list(self.streams):
            with contextlib.suppress(KeyError, OSError, ValueError):
                while self._receive(descriptor) and len(self.streams[descriptor][1]) < self.most:
                    if not self.selector.select(0):
                        break
        self.selector.close()
        for descriptor in (self.to, self.back):
            os.close(descriptor)
        for file in (self.process.stdout, self.process.stderr):
            if file is not None:
                file.close()
        return {name: bytes(data) for name, data in self.streams.values()}
