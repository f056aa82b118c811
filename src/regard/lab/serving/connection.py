"""A connection that must say what it wants in time: who trickles bytes does not hold a place."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 15.0  # that a request, its body included, may take to arrive
ARRIVING = (h11.IDLE, h11.SEND_BODY)


class TimedConnection(H11Protocol):
    """uvicorn's connection over h11, closed if a request has not arrived within SECONDS."""

    due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self.due = self.loop.call_later(SECONDS, self.late)

    def data_received(self, data: bytes) -> None:
        """Read on; the time ends when the request is whole, and begins with the next one."""
        super().data_received(data)
        if self.conn.their_state not in ARRIVING:
            self.in_time()
        elif self.due is None:
            self.due = self.loop.call_later(SECONDS, self.late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock of a request that will not come."""
        self.in_time()
        super().connection_lost(exc)

    def in_time(self) -> None:
        """Stop the clock: the request came in time."""
        if self.due is not None:
            self.due.cancel()
            self.due = None

    def late(self) -> None:
        """Close, unless the connection has become a socket, which may be silent."""
        self.due = None
        if self.transport.get_protocol() is self:
            self.transport.close()
