"""A process that answers questions, one after the other: it can be stopped, a thread cannot.

Frames go both ways through its standard streams: 4 bytes that say how long, then JSON. The first
frame that it sends says that it is ready. Its arguments are models that may be looked into.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
from typing import Any, BinaryIO

from regard.lab.table import Refused, ask, questions


def frame(data: Any) -> bytes:
    """Return JSON data as it goes through a stream."""
    text = json.dumps(data, allow_nan=False).encode()
    return len(text).to_bytes(4, "big") + text


def reply(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Answer a question, or say in a sentence why not."""
    try:
        return {"answer": ask(name, arguments).data}
    except Refused as refused:
        return {"problem": str(refused), "malformed": refused.malformed}
    except Exception as fault:  # the page goes on, and the sentence says whose fault it is
        print(f"regard lab: {name}: {fault!r}", file=sys.stderr)
        return {"problem": f"regard failed, and that is a fault of its own: {fault!r}"[:300]}


def _read(stream: BinaryIO) -> Any:
    size = stream.read(4)
    return json.loads(stream.read(int.from_bytes(size, "big"))) if len(size) == 4 else None


def _warm_up(incoming: BinaryIO) -> None:
    """Load what refusals and proofs need, unless somebody is waiting already."""
    with contextlib.suppress(OSError):  # not every system can look into a pipe
        if not select.select([incoming], [], [], 0)[0]:
            line = {"keys": [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], "target": [0.0, 1.0, 0.0]}
            reply("design_query", line)


def main() -> None:
    """Answer until the stream ends, as it does when the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    incoming = sys.stdin.buffer
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no frame
    questions()
    for path in sys.argv[1:]:
        from regard.lab.models.offered_models import offer_model

        offer_model(path)
    import regard.analysis.noise.key_noise
    import regard.design.queries.arguments  # noqa: F401  what most questions need

    outgoing.write(frame({"ready": True}))
    outgoing.flush()
    _warm_up(incoming)
    while (asked := _read(incoming)) is not None:
        outgoing.write(frame(reply(asked["ask"], asked["arguments"])))
        outgoing.flush()


if __name__ == "__main__":
    main()
