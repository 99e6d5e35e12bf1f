"""The world's door for agent frameworks: an MCP server over a branch (official SDK; stdio and streamable HTTP)."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from mempabench.world.branch import Branch
from mempabench.world.tool import Tool


def described(tool: Tool) -> types.Tool:
    """Return a tool as the protocol lists it: name, description, schema, and what it does to the world."""
    refusals = {**tool.refusals, **tool.limits}
    lines = [tool.description]
    lines += [f"Refused with {code}: {words}." for code, words in refusals.items()]
    return types.Tool(
        name=tool.name,
        description="\n".join(lines),
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.external,
            open_world_hint=tool.external,
        ),
    )


def world_server(branch: Branch, at: datetime, kept: Callable[[Branch], None] | None = None) -> Server[Any]:
    """Return a server whose tools act on a branch.

    Args:
        branch: what the calls are made on
        at: the instant at which all of them are made; the clock stands still
        kept: is given the branch after each call, to keep it
    """
    listed = [described(tool) for tool in branch.tools.values()]

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        outcome = branch.call(asked.name, asked.arguments or {}, at)
        if kept is not None:
            kept(branch)
        content = types.TextContent(type="text", text=outcome.text)
        return types.CallToolResult(
            content=[content], structured_content=outcome.result, is_error=not outcome.done
        )

    return Server(
        "mempabench-world",
        version="1",
        instructions=(
            f"The world of {branch.header.name}, whose assistant you are. It is {at.isoformat()}, "
            f"zone {branch.header.zone}; amounts are in {branch.header.currency}. Times need an offset."
        ),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(server: Server[Any]) -> None:
    """Serve on standard input and output until the other end closes; nothing else may be written there."""

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def serve_http(server: Server[Any], port: int) -> None:
    """Serve streamable HTTP on the loopback, at ``/mcp``, until stopped; port 0 takes a free one, which is told."""
    import uvicorn

    with socket.create_server(("127.0.0.1", port)) as door:
        taken = door.getsockname()[1]
        print(f"http://127.0.0.1:{taken}/mcp", file=sys.stderr, flush=True)
        config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
        uvicorn.Server(config).run(sockets=[door])
