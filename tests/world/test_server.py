"""The MCP door, tried with the SDK's own client: in one process, over standard input and output, over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="needs the extra 'world'")

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.types import TextContent
from tests.world.conftest import NOW

from mempabench.server import world_server
from mempabench.world.branch import Branch
from mempabench.world.toolbox import all_tools

COMMAND = [sys.executable, "-m", "mempabench.cli", "world", "serve", "specimen", "--at", NOW.isoformat()]


def text_of(result: Any) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


async def tried(target: Any) -> list[str]:
    """List the tools, read, write, be refused; return the names of the tools."""
    async with Client(target) as client:
        listed = (await client.list_tools()).tools
        read = await client.call_tool("mail_search", {"text": "dimmers"})
        assert not read.is_error
        assert json.loads(text_of(read))["items"][0]["subject"] == "Offer for the dimmers"
        written = await client.call_tool("home_set", {"device_id": "dev_0001", "setting": "dim"})
        assert json.loads(text_of(written))["setting"] == "dim"
        after = await client.call_tool("home_status", {"text": "ceiling"})
        assert json.loads(text_of(after))["devices"][0]["setting"] == "dim"
        refused = await client.call_tool("home_set", {"device_id": "dev_0004", "setting": "down"})
        assert refused.is_error
        assert json.loads(text_of(refused))["error"]["code"] == "offline"
        wrong = await client.call_tool("home_set", {"device": "dev_0004"})
        assert json.loads(text_of(wrong))["error"]["code"] == "invalid_arguments"
        return [one.name for one in listed]


def test_an_agent_lists_reads_writes_and_is_refused(world: Branch) -> None:
    names = anyio.run(tried, world_server(world, NOW))

    assert names == list(all_tools())
    assert [call.tool for call in world.journal()] == [
        "mail_search", "home_set", "home_status", "home_set", "home_set",
    ]  # fmt: skip


def test_a_listed_tool_has_its_schema_its_refusals_and_says_what_it_does(world: Branch) -> None:
    async def listed() -> dict[str, Any]:
        async with Client(world_server(world, NOW)) as client:
            return {one.name: one for one in (await client.list_tools()).tools}

    found = anyio.run(listed)

    assert found["mail_send"].input_schema == all_tools()["mail_send"].schema
    assert "Refused with sent_already" in found["mail_send"].description
    assert found["mail_send"].annotations.open_world_hint
    assert found["mail_search"].annotations.read_only_hint
    assert not found["mail_file"].annotations.read_only_hint


def test_it_serves_standard_input_and_output(tmp_path: Path) -> None:
    parameters = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], cwd=str(tmp_path), env=dict(os.environ)
    )

    assert len(anyio.run(tried, parameters)) == 97


@contextmanager
def http(tmp_path: Path, *more: str) -> Iterator[str]:
    """Serve over HTTP in a process of its own; give the address."""
    process = subprocess.Popen(
        [*COMMAND, "--http", "0", *more], cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    try:
        assert process.stderr is not None
        yield next(line.strip() for line in process.stderr if line.startswith("http://127.0.0.1:"))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)
        if process.stderr is not None:
            process.stderr.close()


def test_it_serves_http_on_the_loopback_without_the_interaction_tools(tmp_path: Path) -> None:
    with http(tmp_path, "--no-interaction") as address:
        names = anyio.run(tried, address)

    assert len(names) == 83
    assert not list(tmp_path.rglob("specimen.jsonl"))


def test_what_an_agent_did_is_kept_when_that_is_asked_for(tmp_path: Path) -> None:
    with http(tmp_path, "--keep") as address:
        anyio.run(tried, address)

    kept = next(tmp_path.rglob("specimen.jsonl")).read_text("utf-8").splitlines()
    assert [json.loads(line)["tool"] for line in kept[1:]] == [
        "mail_search", "home_set", "home_status", "home_set", "home_set",
    ]  # fmt: skip


def test_a_page_of_another_site_can_not_reach_it(tmp_path: Path) -> None:
    import urllib.error
    import urllib.request

    with http(tmp_path) as address:
        ask = urllib.request.Request(
            address,
            data=b"{}",
            headers={"Origin": "https://elsewhere.example", "Content-Type": "application/json"},
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(ask, timeout=10)

    assert refused.value.code in (403, 421)
    refused.value.close()
