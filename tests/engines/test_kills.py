"""Killed again and again on the way, a run of 500 requests ends as the undisturbed one and pays for little twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import command
from tests.engines.fault_server import KEY, Service, serving

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

SCENES = 250
REQUESTS = 2 * SCENES
AT_A_TIME = 8
KILLS = 20
"""Points of a run; all seeds together make two hundred."""


def run_build(root: str, url: str) -> None:
    """Ask for everything that waits; runs in a process that may be killed."""
    os.environ["OPENAI_API_KEY"] = KEY
    command(
        *("-C", root, "build", "--engine", "openai-compatible", "--model", "stub", "--base-url", f"{url}/v1"),
        *("--stage", "find_reactions", "--concurrency", AT_A_TIME),
    )


def answer(_: str, user: str) -> str:
    """Return the one reaction of whoever is asked about, quoted from the scene."""
    found = re.search(r"The character: (\w+)", user)
    assert found, user
    name = found[1]
    line, words = next(
        (int(one[1]), one[2]) for one in re.finditer(rf"^(\d+)\. {name}: (.*)$", user, re.MULTILINE)
    )
    reaction = {
        "context": "work",
        "mode": "production",
        "act": "They speak of the rope on the slip in their own manner.",
        "quotes": [{"line": line, "words": words}],
        "reading": "This is how they talk when nobody has helped them with anything yet.",
        "attribute": "verbosity",
        "setting": "terse",
    }
    return json.dumps({"reactions": [reaction]})


@dataclass
class Executioner:
    """Kills the process under test at certain replies of the service, some moments after they are made."""

    points: list[int]
    delays: random.Random
    replies: int = 0
    process: BaseProcess | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, system: str, user: str) -> str:
        """Answer, and kill when it is time."""
        text = answer(system, user)
        with self.lock:
            self.replies += 1
            due = bool(self.points) and self.replies >= self.points[0]
            if due:
                self.points.pop(0)
        if due:
            threading.Timer(self.delays.random() * 0.01, self._kill, (self.process,)).start()
        return text

    @staticmethod
    def _kill(process: BaseProcess | None) -> None:
        assert process is not None
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose pass one is 500 requests."""
    folder = tmp_path_factory.mktemp("kills")
    rows = [
        f"1,{scene // 25 + 1},{scene},{name},Number {scene} {name.lower()} and the rope."
        for scene in range(SCENES)
        for name in ("Mara", "Otto")
    ]
    season = folder / "season.csv"
    season.write_text("\n".join(["season,episode,scene,character,line", *rows, ""]), encoding="utf-8")
    root = folder / "project"
    for words in (
        ("init", root),
        (
            *("-C", root, "transcripts", "add", season, "--source", "my_series", "--title", "My Series"),
            *("--origin", "mine", "--license", "CC0-1.0", "--redistributable"),
        ),
    ):
        done = command(*words)
        assert done.code == 0, done.err
    return root


def copied(project: Path, place: Path) -> Path:
    shutil.copytree(project, place)
    return place


def asked(root: Path) -> list[dict[str, Any]]:
    found = root.glob("recordings/find_reactions/*.jsonl")
    return [json.loads(line) for path in found for line in path.read_text("utf-8").splitlines()]


def evidence(root: Path) -> bytes:
    command("-C", root, "build")
    return (root / "artifacts/evidence.jsonl").read_bytes()


@pytest.fixture
def processes() -> Any:
    """Starts processes that have everything imported and no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.engines.test_kills", "openai", "mempabench.engines.answering"])
    return context


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 10))])
@pytest.mark.usefixtures("keys")
def test_a_run_killed_at_many_points_ends_as_the_undisturbed_one(
    project: Path, tmp_path: Path, processes: Any, seed: int
) -> None:
    whole, torn = copied(project, tmp_path / "whole"), copied(project, tmp_path / "torn")
    with serving(Service(answer)) as service:
        run_build(str(whole), service.url)
        assert service.replies == REQUESTS == len(asked(whole))
    dice = random.Random(seed)
    points = sorted(dice.sample(range(2, REQUESTS + KILLS), KILLS))
    executioner = Executioner(list(points), dice)
    starts = 0
    with serving(Service(executioner)) as service:
        while starts <= 2 * KILLS:
            starts += 1
            executioner.process = processes.Process(target=run_build, args=(str(torn), service.url))
            executioner.process.start()
            executioner.process.join()
            if executioner.process.exitcode == 0 and len(asked(torn)) == REQUESTS:
                break

    killed = starts - 1
    assert killed >= KILLS * 0.8
    digests = [one["digest"] for one in asked(torn)]
    assert len(digests) == len(set(digests)) == REQUESTS
    assert sorted(map(json.dumps, asked(torn))) == sorted(map(json.dumps, asked(whole)))
    assert REQUESTS <= executioner.replies <= REQUESTS + killed * AT_A_TIME
    assert evidence(torn) == evidence(whole)
