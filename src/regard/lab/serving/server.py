"""`regard lab`: a page on this machine, behind a guard.

The socket is bound and the address printed before anything slow is imported; visitors that come
early wait in its backlog.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from regard.errors import ParameterError

NEEDS = "The lab needs FastAPI and uvicorn: pip install 'regard[lab]'."


def serve(
    port: int = 0,
    *,
    models: Sequence[str | Path] = (),
    open_browser: bool = False,
    say: Callable[[str], Any] = print,
) -> None:
    """Serve the lab on 127.0.0.1 until Ctrl-C.

    Args:
        port: 0 takes one that is free.
        models: paths of models that the page may look into; it begins with the first.
        open_browser: open the page in the default browser.
        say: takes the address, with the token of this start; by default it is printed.

    Raises:
        ParameterError: the port cannot be used, or the extra `lab` is not installed.
        InvalidModel: a model cannot be read.
    """
    page = _first_page(models)
    bound = _bind(port)
    number = bound.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{number}/{page}token={token}"
    say(f"The lab is at {address}  (Ctrl-C ends it)")
    try:
        paths = [str(path) for path in models]
        _run(bound, number, token, paths, address if open_browser else None)
    finally:
        bound.close()


def _first_page(models: Sequence[str | Path]) -> str:
    """The address of the scene that shows the first model, or of the cards."""
    if not models:
        return "?"
    from regard.lab.models.offered_models import offer_model

    first, *_ = [offer_model(path) for path in models]
    return f"scene/heads-of-a-model?model={quote(json.dumps(first))}&head=%22clearest%22&"


def _bind(port: int) -> socket.socket:
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise ParameterError(
            f"lab.serve: port must be a whole number from 0 to 65535. Got {port!r}."
        )
    # asyncio sends small answers at once (TCP_NODELAY) only if the socket says that it is TCP.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
        bound.listen(1024)
    except OSError as error:
        bound.close()
        reason = (error.strerror or "it cannot be used").lower()
        raise ParameterError(
            f"lab.serve: port {port} cannot be used: {reason}. Leave it out for a free one."
        ) from None
    return bound


def _run(
    bound: socket.socket, port: int, token: str, models: list[str], opened: str | None
) -> None:
    try:
        import uvicorn

        from regard.lab.serving.app import application
        from regard.lab.serving.connection import TimedConnection
    except ModuleNotFoundError as missing:
        raise ParameterError(f"lab.serve: {missing.name} is not installed. {NEEDS}") from None
    from regard.lab.serving.guard import MOST_BYTES, Guard
    from regard.lab.serving.workers import Workers

    app = Guard(application(Workers(models=models)), port, token)
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False,
            ws_max_size=MOST_BYTES, ws="websockets-sansio", timeout_graceful_shutdown=1,
            lifespan="on", http=TimedConnection,
        )
    )  # fmt: skip

    def end(*_: object) -> None:
        server.should_exit = True

    with contextlib.suppress(AttributeError, ValueError):  # no such signal, or not the main thread
        signal.signal(signal.SIGHUP, end)  # the terminal was closed
    if opened is not None:
        import threading
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again when it has ended
        server.run(sockets=[bound])
