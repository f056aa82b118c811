"""A visitor that trickles bytes: its connection is closed, and others are served."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lab.browsing import needs
from lab.processes import run_apart

needs("uvicorn")

import uvicorn  # noqa: E402

from regard.lab.serving import connection  # noqa: E402
from regard.lab.serving.server import _bind  # noqa: E402

HOST = b"Host: 127.0.0.1\r\n"
SLOW = {
    "nothing": b"",
    "half a header": b"GET / HTTP/1.1\r\nHo",
    "half a body": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n{",
    "a half request after a whole one": b"GET / HTTP/1.1\r\n" + HOST + b"\r\nGET /",
}


async def page(_: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_a_request_that_does_not_arrive_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connection, "SECONDS", 0.3)

    async def whole() -> None:
        bound = _bind(0)
        port = bound.getsockname()[1]
        config = uvicorn.Config(
            page, http=connection.TimedConnection, lifespan="off", log_level="error",
            timeout_keep_alive=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        running = asyncio.create_task(server._serve([bound]))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        await asyncio.wait_for(reader.read(), 60)  # until the other side closes
        writer.close()
        other, asks = await asyncio.open_connection("127.0.0.1", port)
        asks.write(b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        assert (await asyncio.wait_for(other.read(), 60)).startswith(b"HTTP/1.1 204")
        asks.close()
        server.should_exit = True
        await running

    run_apart(whole())
