"""The questions as tools for assistants, asked by the SDK's own client over a real process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import regard
from lab.browsing import needs
from lab.processes import children_of, gone, run_apart
from regard.lab.table import questions

needs("mcp")

from mcp import Client, StdioServerParameters, stdio_client  # noqa: E402

COMMAND = StdioServerParameters(command=sys.executable, args=["-m", "regard", "mcp"])


def conversation(talk: Callable[[Client], Awaitable[None]]) -> None:
    """Start `regard mcp`, talk with it, and end it."""

    async def whole() -> None:
        async with asyncio.timeout(120), Client(stdio_client(COMMAND)) as client:
            await talk(client)

    run_apart(whole())


def test_an_assistant_finds_the_table_and_is_answered_by_the_engine() -> None:
    async def talk(client: Client) -> None:
        assert "average-two-values" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(questions())
        told = tools["design_query"]
        assert (told.description or "").startswith(
            "Find the query that gives keys the weights asked for"
        )
        assert told.input_schema["required"] == ["keys", "target"]
        assert told.input_schema["additionalProperties"] is False

        # The middle of three keys on a line is half of each end, so at most 1/3 can be on it.
        line = {"keys": [[-1, 0], [0, 0], [1, 0]], "target": [0, 1, 0]}
        found: Any = await client.call_tool("design_query", line)
        assert not found.is_error
        assert found.structured_content["status"] == "impossible"
        assert found.structured_content["ceiling"] == pytest.approx(1 / 3)
        assert json.loads(found.content[0].text) == found.structured_content

        wrong = {"problem": "average-two-values", "answer": {"q": "k_a + k_b"}}
        found = await client.call_tool("check", wrong)
        assert found.structured_content["right"] is False
        assert found.structured_content["misconception"]["tag"] == "no-large-scale"
        assert "html" not in found.structured_content
        found = await client.call_tool("check", {**wrong, "answer": {"q": "C (k_a + k_b)"}})
        assert found.structured_content["right"] is True

        found = await client.call_tool("solve", {"problem": "average-two-values"})
        assert found.structured_content["answer"]["q"] == "C (k_a + k_b)"
        assert found.structured_content["outcome"] == "solved and proved"

    conversation(talk)


def test_what_is_refused_is_an_error_of_the_tool_with_its_sentence_and_the_server_goes_on() -> None:
    async def talk(client: Client) -> None:
        for name, arguments, sentence in [
            ("design_query", {"keys": [["x"]], "target": [1]}, "keys[0][0]: must be a number."),
            ("design_query", {"keys": [[1]], "target": [1], "more": 1}, "more: is no argument of this question."),
            ("solve", {"problem": "/etc/passwd"}, "There is no bundled problem '/etc/passwd'."),
            ("nothing", {}, "There is no question 'nothing'."),
        ]:  # fmt: skip
            found: Any = await client.call_tool(name, arguments)
            assert found.is_error
            assert [part.text for part in found.content] == [sentence]
        ragged: Any = await client.call_tool(
            "design_query", {"keys": [[0, 1], [1]], "target": [1, 0]}
        )
        assert ragged.is_error
        assert "keys" in ragged.content[0].text
        found = await client.call_tool("design_query", {"keys": [[1], [0]], "target": [1, 0]})
        assert found.structured_content["status"] == "reached"

    conversation(talk)


def test_a_call_taken_back_is_stopped_and_the_next_is_answered() -> None:
    async def talk(client: Client) -> None:
        arguments = {"keys": [[1], [0]], "target": [1, 0]}
        (server,) = [
            child
            for child in children_of(os.getpid())
            if Path(f"/proc/{child}/cmdline").read_bytes().endswith(b"regard\0mcp\0")
        ]
        while len(children_of(server)) < 2:
            await asyncio.sleep(0.1)
        for _ in range(4):  # in turns, so that both processes are ready
            await client.call_tool("design_query", arguments)
        workers = children_of(server)
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        call = asyncio.create_task(client.call_tool("design_query", arguments))
        await asyncio.sleep(0.2)
        call.cancel()
        while not any(gone(worker) for worker in workers):
            await asyncio.sleep(0.1)
        for worker in workers:
            if not gone(worker):
                os.kill(worker, signal.SIGCONT)
        found: Any = await client.call_tool("design_query", arguments)
        assert found.structured_content["status"] == "reached"

    conversation(talk)


def test_the_command_ends_when_its_input_does_and_prints_nothing_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "regard", "mcp"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from regard.lab.mcp_server import serve_tools

    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(regard.errors.ParameterError, match=r"pip install 'regard\[mcp\]'"):
        serve_tools()
