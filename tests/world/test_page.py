"""The page about the world: what it shows can be run, and what it lists is all there is."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mempabench.world
from mempabench.domain.worlds import KINDS
from mempabench.validators.check import run_checks
from mempabench.validators.worlds import WORLD_CHECKS, WorldData
from mempabench.world.loading import read_world
from mempabench.world.toolbox import open_world, world_tools

PAGE = Path(str(mempabench.world.__file__)).parent / "README.md"
TEXT = PAGE.read_text("utf-8")
ENV = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_walk_runs_as_it_stands(tmp_path: Path) -> None:
    walk = re.search(r"## A look around\n\n((?:    .*\n)+)", TEXT)
    assert walk
    lines = [line.strip() for line in walk[1].splitlines()]
    said = []

    for line in lines:
        done = subprocess.run(
            ["bash", "-ec", line], cwd=tmp_path, env={**ENV, "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said.append(done.stdout)

    assert len(lines) == 9
    assert "cal_0004" in said[6]
    assert said[7].count("calendar_") == 2


def test_the_python_of_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks("python")[0]

    exec(compile(code, str(PAGE), "exec"), {})

    assert capsys.readouterr().out.splitlines() == re.findall(r"^print\(.*  # (.*)$", code, re.MULTILINE)


def test_the_tools_of_every_domain_are_listed() -> None:
    table = TEXT.split("<!-- domains -->")[1].split("<!-- end -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()]
    listed = {
        name: domain
        for domains, names in rows
        for name in re.findall(r"`(\w+)`", names)
        for domain in [domains]
    }

    assert list(listed) == list(world_tools())
    for tool in world_tools().values():
        assert tool.domain in listed[tool.name].split(", ")


def test_every_kind_is_named_with_how_its_ids_begin() -> None:
    part = TEXT.split("<!-- kinds -->")[1].split("<!-- end -->")[0]

    assert dict(re.findall(r"`(\w+)`\s+(\w+)_", part)) == {kind: one.prefix for kind, one in KINDS.items()}


def test_the_world_of_the_page_opens_and_is_plausible() -> None:
    header, records = read_world(blocks("json")[0], "page.jsonl")

    mail = open_world(header, records).state.shelf("mail").records["mail_0001"]

    assert "It comes to 84.50" in mail.plain()["body"]
    assert "Thursday 20 May" in mail.plain()["body"]
    assert list(run_checks(WORLD_CHECKS, WorldData(header, records))) == []
    assert f"{len(WORLD_CHECKS)} rules" in TEXT


def scripted(calls: list[tuple[str, dict[str, Any]]], heard: list[Any]) -> Any:
    """Return a model for the OpenAI Agents SDK that makes these calls, one a turn, and then says that it is done."""
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Scripted(Model):
        async def get_response(self, *asked: Any, **more: Any) -> ModelResponse:
            heard.append((asked, more))
            if calls:
                name, arguments = calls.pop(0)
                item: Any = ResponseFunctionToolCall(
                    type="function_call", call_id=f"call_{len(calls)}", name=name, arguments=json.dumps(arguments)
                )  # fmt: skip
            else:
                text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
                item = ResponseOutputMessage(
                    id="msg", type="message", role="assistant", status="completed", content=[text]
                )
            return ModelResponse(output=[item], usage=Usage(), response_id=None)

        def stream_response(self, *asked: Any, **more: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def test_the_agent_of_the_page_acts_in_the_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("agents", reason="needs openai-agents")
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    monkeypatch.setenv("HOME", str(tmp_path))  # all that the SDK passes on to the server, beside PATH
    monkeypatch.setenv("PATH", ENV["PATH"])
    monkeypatch.chdir(tmp_path)
    page: dict[str, Any] = {"__name__": "page"}
    exec(compile(blocks("python")[1], str(PAGE), "exec"), page)
    heard: list[Any] = []
    calls = [
        ("calendar_search", {"text": "quiet"}),
        ("calendar_update", {"event_id": "cal_0004", "starts": "2027-03-04T11:00:00+01:00"}),
        ("messages_send", {"contact_id": "con_0003", "text": "I sit down at eleven instead."}),
    ]

    said = asyncio.run(
        page["errand"]("Move my quiet hour to eleven, and tell Amara.", scripted(calls, heard))
    )

    assert said == "Done."
    assert "Marit Sandoval" in repr(heard[0])
    assert "overlaps_with" in repr(heard[-1])
    kept = next(tmp_path.rglob("specimen.jsonl")).read_text("utf-8").splitlines()
    assert [json.loads(line)["tool"] for line in kept[1:]] == [
        "calendar_search", "calendar_update", "messages_send",
    ]  # fmt: skip
