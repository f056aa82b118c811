"""`regard mcp`: the questions of the lab for assistants."""

from __future__ import annotations

import contextlib


def mcp() -> None:
    """Answer assistants and editors over stdin and stdout (MCP): verified attention as tools."""
    from regard.lab.mcp_server import serve_tools

    with contextlib.suppress(KeyboardInterrupt):
        serve_tools()
