"""The served desk as a process: on this machine only, one writer to a project, and one line for what goes wrong."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mempabench.workspace import Workspace

Serve = Callable[..., tuple["subprocess.Popen[str]", list[str]]]


@pytest.fixture
def serve(project: Workspace) -> Iterator[Serve]:
    """Starts desks; returns each with what it has told before it began to wait."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> tuple[subprocess.Popen[str], list[str]]:
        command = [
            sys.executable,
            "-m",
            "mempabench.cli",
            "-C",
            str(project.root),
            "review",
            "serve",
            *arguments,
        ]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        running.append(process)
        assert process.stderr is not None
        told = []
        for line in process.stderr:
            told.append(line.rstrip("\n"))
            if line.startswith(("Each link", "error", "Error")):
                break
        return process, told

    yield start
    for process in running:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def link(told: list[str], name: str) -> str:
    return next(found[1] for line in told if (found := re.match(rf"{name}: (\S+)", line)))


def get(address: str, path: str, cookie: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(address, timeout=20)
    connection.request("GET", path, headers={"cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.body = answer.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return answer


def came_in(url: str) -> tuple[str, str]:
    """Return address and cookie of a browser that has used a link."""
    parts = urlsplit(url)
    answer = get(parts.netloc, parts.path)
    return parts.netloc, (answer.getheader("set-cookie") or "").split(";")[0]


def test_each_reviewer_gets_a_link_to_the_queue_on_this_machine(serve: Serve) -> None:
    _, told = serve("--as", "ada:human", "--adjudicator", "cyd:model")

    address, cookie = came_in(link(told, "ada"))
    page = get(address, "/queue", cookie)

    assert address.startswith("127.0.0.1:")
    assert page.status == 200
    assert "4 of 4 cells wait" in page.body  # type: ignore[attr-defined]
    assert get(address, "/queue").status == 401
    assert get(*came_in(link(told, "cyd"))[:1], "/disputes").status == 401


def test_a_second_desk_only_reads_until_the_first_has_ended(serve: Serve) -> None:
    first, told = serve("--as", "ada:human")
    _, second = serve("--as", "bea:human")
    address, cookie = came_in(link(second, "bea"))
    page = get(address, "/queue", cookie)
    first.send_signal(signal.SIGINT)
    first.wait(20)
    _, third = serve("--as", "cyd:human")

    assert "another desk has this project open; this one only reads" in second
    assert "This one only reads." in page.body  # type: ignore[attr-defined]
    assert told[0].startswith("ada: http://127.0.0.1:")
    assert third[0].startswith("cyd: ")


def test_a_port_that_is_taken_is_told(serve: Serve) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        process, told = serve("--as", "ada:human", "--port", str(port))

    assert told == [
        f"error: port {port}: can't be used (Address already in use); give another one, or 0 for a free one"
    ]
    assert process.wait(10) == 1


def test_a_desk_without_a_reviewer_or_a_queue_is_told(serve: Serve, project: Workspace) -> None:
    _, nobody = serve()
    (Path(project.root) / "artifacts/review_items.jsonl").unlink()
    _, nothing = serve("--as", "ada:human")

    assert nobody[-1].endswith("say who reviews, such as --as cedar:human")
    assert nothing == ["error: artifacts/review_items.jsonl: there is no queue yet; run mempabench build"]
