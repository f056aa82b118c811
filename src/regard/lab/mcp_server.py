"""`regard mcp`: the table of questions as tools for assistants, over the standard streams.

What an assistant tells about attention is then computed and verified, not guessed. The questions
run in processes like those of the page: time is limited here too, and a call taken back is stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from regard import __version__
from regard.errors import ParameterError
from regard.lab.serving.workers import Workers
from regard.lab.table import Question, questions

if TYPE_CHECKING:
    from mcp.server import Server

ABOUT = (
    "Attention, computed and verified. Ask before you state a number, a verdict, or that something "
    "is impossible, and say 'proved' only where the answer does. A problem is a bundled one by its "
    "id, or `file`, the text of a problem file in TOML. Help a student with `hint` and `check`; "
    "`solve` gives everything away. The bundled problems: "
)


def serve_tools() -> None:
    """Offer the questions as tools until the standard input ends.

    Raises:
        ParameterError: the extra `mcp` is not installed.
    """
    try:
        import mcp.server.stdio  # noqa: F401  loaded only where it is used
    except ModuleNotFoundError as missing:
        raise ParameterError(
            f"regard mcp: {missing.name} is not installed. pip install 'regard[mcp]'."
        ) from None
    asyncio.run(_serve())


async def _serve() -> None:
    from mcp.server.stdio import stdio_server

    workers = Workers()
    server = tools_server(workers)
    await workers.open()
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await workers.close()


def tools_server(workers: Workers) -> Server[Any]:
    """Return the server: each question a tool, answered by these processes."""
    from mcp import types
    from mcp.server import Server

    from regard.problems.loading import bundled_ids

    def tool(question: Question) -> types.Tool:
        schema = question.asked.model_json_schema()
        return types.Tool(
            name=question.name,
            description=f"{question.says} Arguments: {schema['description']}",
            input_schema=schema,
            annotations=types.ToolAnnotations(
                read_only_hint=True, idempotent_hint=True, open_world_hint=False
            ),
        )

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool(question) for question in questions().values()])

    async def call_tool(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        found = await workers.ask(asked.name, dict(asked.arguments or {}))
        if "problem" in found:
            said = types.TextContent(type="text", text=found["problem"])
            return types.CallToolResult(content=[said], is_error=True)
        data = without_html(found["answer"])
        text = types.TextContent(type="text", text=json.dumps(data, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=data)

    return Server(
        "regard",
        version=__version__,
        instructions=ABOUT + ", ".join(sorted(bundled_ids())) + ".",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def without_html(data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is only for the eye: it says in markup what the rest says as data."""
    return {name: part for name, part in data.items() if not name.endswith("html")}
