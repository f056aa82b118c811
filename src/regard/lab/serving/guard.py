"""Who may ask: only this machine's browser, from our own page, with the token of this start.

Pure ASGI and outermost, so that pages, questions and the socket all pass through it. Against DNS
rebinding the Host must be ours; against other sites the Origin and Sec-Fetch-Site; against other
users of this machine there is a token, which is exchanged for a cookie.
"""

from __future__ import annotations

import contextlib
import hmac
import json
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

MOST_BYTES = 256_000  # of a question
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class TooLarge(Exception):
    """A body of more than MOST_BYTES."""


class Guard:
    """An ASGI application in front of another."""

    def __init__(self, app: Any, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"regard-{port}"  # cookies ignore ports

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuse, exchange the token for the cookie, or let through."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name.decode("latin-1"), v.decode("latin-1")) for name, v in scope["headers"]]
        refusal = self.refusal(headers, scope["type"] == "websocket")
        if refusal is not None and refusal[0] == 401 and scope["type"] == "http":
            place = self.exchanged(scope)
            if place is not None:
                await _respond(scope, send, 303, "", {"Location": place, **self.set_cookie()})
                return
        if refusal is not None:
            await _respond(scope, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self.limited(scope, receive, send)

    def refusal(self, headers: list[tuple[str, str]], socket: bool) -> tuple[int, str] | None:
        """Return the status and the sentence, or None for a request that is ours."""

        def all_of(wanted: str) -> list[str]:
            return [value for name, value in headers if name == wanted]

        if len(all_of("host")) != 1 or all_of("host")[0] not in self.hosts:
            return 421, "This address is not the lab's. Use the one that `regard lab` printed."
        origins = all_of("origin")
        if (socket and not origins) or any(origin not in self.origins for origin in origins):
            return 403, "Another site may not ask the lab."
        if any(site not in ("same-origin", "none") for site in all_of("sec-fetch-site")):
            return 403, "Another site may not ask the lab."
        given = []
        for line in all_of("cookie"):
            try:
                jar = SimpleCookie(line)
            except CookieError:
                continue
            given += [jar[self.cookie].value] if self.cookie in jar else []
        if not any(self.right(value) for value in given):
            return 401, "Open the whole address that `regard lab` printed, with its token."
        return None

    def right(self, token: str) -> bool:
        """Compare in a time that does not tell how much of it is right."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def exchanged(self, scope: Any) -> str | None:
        """Return the address without the token, if the address has the right one."""
        parts = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] != "GET" or not any(n == "token" and self.right(v) for n, v in parts):
            return None
        rest = urlencode([part for part in parts if part[0] != "token"])
        path = "/" + scope["raw_path"].decode("latin-1").split("?")[0].lstrip("/\\")
        return path + ("?" + rest if rest else "")

    def set_cookie(self) -> dict[str, str]:
        """Return the header that stores the token in the browser, out of reach of scripts."""
        return {"Set-Cookie": f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"}

    async def limited(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request through, counting the bytes that come: a header can lie or be missing."""
        count, begun = 0, False

        async def counted() -> Any:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            if count > MOST_BYTES:
                raise TooLarge
            return message

        async def with_headers(message: Any) -> None:
            nonlocal begun
            if count > MOST_BYTES and not begun:
                return  # whatever the application makes of it, the answer is below
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", []), *_encoded(HEADERS)]
            await send(message)

        with contextlib.suppress(TooLarge):
            await self.app(scope, counted, with_headers)
        if count > MOST_BYTES and not begun:
            sentence = f"A question may have {MOST_BYTES // 1000} kB; this one has more."
            await _respond(scope, send, 413, sentence, {"Connection": "close"})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers.items()]


async def _respond(
    scope: Any, send: Any, status: int, sentence: str, more: dict[str, str] | None = None
) -> None:
    """Answer instead of the application; on a socket, before it is accepted."""
    start = "http.response" if scope["type"] == "http" else "websocket.http.response"
    body = json.dumps({"problem": sentence}).encode() if sentence else b""
    headers = {**HEADERS, "Content-Type": "application/json", **(more or {})}
    headers["Content-Length"] = str(len(body))
    await send({"type": f"{start}.start", "status": status, "headers": _encoded(headers)})
    await send({"type": f"{start}.body", "body": body})
