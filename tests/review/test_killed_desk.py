"""The desk killed under load: whatever it has acknowledged is in the log afterwards, once, and the chain holds."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from tests.conftest import Tiny, a_copy_of_the_specimen

from mempabench.artifacts import read_records
from mempabench.domain.review import Decision
from mempabench.domain.taxonomy import settings_of
from mempabench_review.log import verify

pytestmark = pytest.mark.soak

ROUNDS, REVIEWERS = 25, 6


@pytest.fixture(scope="module")
def queued(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """The specimen, built as far as its queue."""
    tiny = a_copy_of_the_specimen(tmp_path_factory.mktemp("queued") / "tiny")
    while "wait for review" not in tiny.run("build").err:
        assert tiny.answer()
    return tiny


class Reviewer(threading.Thread):
    """Saves one decision after the other until the desk is gone; remembers what was acknowledged."""

    def __init__(self, link: str, name: str, cells: list[str], run: int) -> None:
        super().__init__(daemon=True)
        self.parts, self.who, self.cells, self.run_number = urlsplit(link), name, cells, run
        self.acknowledged: list[str] = []

    def run(self) -> None:
        """Work until the connection breaks."""
        connection = http.client.HTTPConnection(self.parts.netloc, timeout=20)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            self._work(connection)

    def _work(self, connection: http.client.HTTPConnection) -> None:
        host = self.parts.netloc
        connection.request("GET", self.parts.path)
        answer = connection.getresponse()
        answer.read()
        headers = {"cookie": (answer.getheader("set-cookie") or "").split(";")[0]}
        for number in range(10_000):
            cell = self.cells[number % len(self.cells)]
            connection.request("GET", f"/cell/{cell}", headers=headers)
            page = connection.getresponse().read().decode()
            form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.split("</form>")[0]))
            reason = f"Round {self.run_number}, {self.who}, number {number} of this run."
            form |= {"setting": settings_of(cell.rsplit("/")[-1])[0], "reason": reason, "action": "save"}
            connection.request(
                "POST",
                f"/save/{cell}",
                urlencode(form),
                {**headers, "origin": f"http://{host}", "content-type": "application/x-www-form-urlencoded"},
            )
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 303, answer.status
            self.acknowledged.append(reason)


def test_a_desk_killed_under_load_loses_no_acknowledged_decision(queued: Tiny, tmp_path: Path) -> None:
    root = tmp_path / "tiny"
    shutil.copytree(queued.root, root)
    rows = (root / "artifacts/review_items.jsonl").read_text("utf-8").splitlines()
    cells = [item["cell"] for item in map(json.loads, rows) if not item["scenes"]]
    names = [f"reader_{number}" for number in range(REVIEWERS)]
    dice = random.Random(7)
    acknowledged: list[str] = []

    for run in range(ROUNDS):
        command = [sys.executable, "-m", "mempabench.cli", "-C", str(root), "review", "serve"]
        for name in names:
            command += ["--as", f"{name}:human"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        assert process.stderr is not None
        links: dict[str, str] = {}
        for line in process.stderr:
            if found := re.match(r"(\w+): (http://\S+)", line):
                links[found[1]] = found[2]
            if line.startswith(("Each link", "error")):
                break
        assert len(links) == REVIEWERS, line
        reviewers = [
            Reviewer(links[name], name, cells[number:] + cells[:number], run)
            for number, name in enumerate(names)
        ]
        for reviewer in reviewers:
            reviewer.start()
        time.sleep(dice.uniform(0.2, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
        for reviewer in reviewers:
            reviewer.join(30)
            acknowledged += reviewer.acknowledged

    subprocess.run(
        [sys.executable, "-m", "mempabench.cli", "-C", str(root), "review", "verify"],
        check=True,
        capture_output=True,
    )
    log = read_records(root / "review/records/decisions.jsonl", Decision, "log")
    entered = [event.reason for event in log]
    assert len(acknowledged) > ROUNDS * REVIEWERS
    assert set(acknowledged) <= set(entered)
    assert len(entered) == len(set(entered))
    assert len(entered) <= len(acknowledged) + ROUNDS * REVIEWERS
    assert list(verify(log)) == []
