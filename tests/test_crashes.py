"""Killed at any write, the project is never left with something that looks finished and isn't.

This module is its own harness: run as a program, it forks a command that kills itself at its n-th change of
the file system, looks at what is left, runs the command again and looks at the end. A tenth of the points is
tried in every test run, all of them by ``make soak``.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Tiny

CHANGES = ("replace", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "pwrite")
SHARE = 10
"""One point of so many is tried in a normal run."""

Files = dict[str, str]
"""SHA-256 of files by their path."""


class Dying:
    """Counts changes of the file system, and kills the process at one of them."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.count = 0

    def step(self, last_words: Callable[[], object] = lambda: None) -> None:
        """Count a change that is about to happen; at the point, do half of it and die."""
        self.count += 1
        if self.count == self.point:
            last_words()
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Stand between the program and everything that changes the file system."""
        for name in CHANGES:
            setattr(os, name, self._counted(getattr(os, name)))
        os.fsync = self._counted(lambda handle: None)  # a kill, unlike a power cut, loses nothing written
        real_open = io.open

        def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            if not set(mode) & set("wax+"):
                return real_open(file, mode, *arguments, **options)
            self.step()
            return Torn(real_open(file, mode, *arguments, **options), self)

        io.open = opened

    def _counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.step()
            return real(*arguments, **options)

        return counted


class Torn:
    """A stream of which a killed writer leaves half."""

    def __init__(self, stream: Any, dying: Dying) -> None:
        self.stream = stream
        self.dying = dying

    def write(self, content: Any) -> Any:
        self.dying.step(lambda: (self.stream.write(content[: len(content) // 2]), self.stream.flush()))
        return self.stream.write(content)

    def __enter__(self) -> Torn:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@dataclass(frozen=True)
class Trial:
    """A command on a project, and what it leaves when nobody kills it."""

    base: Path
    arguments: list[str]
    expected: Files
    before: Files

    def attempt(self, root: Path, point: int) -> list[str]:
        """Kill the command at a point, and return what is wrong then and after a second run."""
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.base, root)
        died = forked(root, self.arguments, point)
        if died != -signal.SIGKILL:
            return [f"point {point}: ended with {died} instead of being killed"]
        problems = [f"point {point}: after the kill: {problem}" for problem in self.half_written(root)]
        ended = forked(root, self.arguments)
        if ended != 0:
            told = (root.parent / "told").read_text("utf-8")
            problems.append(f"point {point}: the next run ended with {ended}: {told}")
        elif files(root) != self.expected:
            problems.append(f"point {point}: the next run gave something else")
        return problems

    def half_written(self, root: Path) -> Iterable[str]:
        """Yield what looks finished and is neither what was there before nor what the command makes."""
        left = files(root)
        for path, sha256 in left.items():
            if sha256 not in (self.before.get(path), self.expected.get(path)):
                yield f"{path} is half-written"
        for state in (self.before, self.expected):
            if {p: s for p, s in left.items() if "/release/" in p} == {
                p: s for p, s in state.items() if "/release/" in p
            }:
                return
        if any("/release/" in path for path in left):
            yield "the release folder is neither absent nor whole"


def files(root: Path) -> Files:
    """Return what looks finished: records, recordings, artifacts that stages hand on, the release."""
    kept = [
        *root.glob("artifacts/*.jsonl"),
        *root.glob("recordings/*/*.jsonl"),
        *root.glob("review/records/*"),
    ]
    kept += [path for path in root.glob("artifacts/release/mempabench/**/*") if path.is_file()]
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(kept)
        if not path.name.startswith(".")
    }


def forked(root: Path, arguments: list[str], point: int = 0) -> int:
    """Run a command in a child; return its exit code, or minus the signal that killed it."""
    child = os.fork()
    if child == 0:
        run_and_leave(root, arguments, Dying(point))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run_and_leave(root: Path, arguments: list[str], dying: Dying) -> None:
    """Run a command in this process and leave it, the count of changes written beside the project."""
    from mempabench.cli import main

    code = 0
    told = (root.parent / "told").open("w")
    counted = (root.parent / "count").open("w")
    sys.stdout = sys.stderr = told
    dying.install()
    try:
        main(["-C", str(root), *arguments])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException as error:
        told.write(repr(error))
        code = 70
    told.close()
    counted.write(str(dying.count))
    counted.close()
    os._exit(code)


def warm_up(base: Path, root: Path) -> None:
    """Build once here, so that no child has to import and compile anything."""
    from mempabench.cli import main

    shutil.copytree(base, root)
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main(["-C", str(root), "build", "--quiet"])
    gc.disable()


def tried(base: Path, work: Path, arguments: list[str], share: int, which: int) -> dict[str, Any]:
    """Try every ``share``-th point of a command, in an order that a seed shuffles; return what was wrong."""
    warm_up(base, work / "warm")
    whole = work / "whole"
    shutil.copytree(base, whole)
    assert forked(whole, arguments) == 0, (work / "told").read_text("utf-8")
    trial = Trial(base, arguments, files(whole), files(base))
    points = list(range(1, int((work / "count").read_text("utf-8")) + 1))
    random.Random(20261201).shuffle(points)
    chosen = points[which::share]
    problems = [problem for point in chosen for problem in trial.attempt(work / "tiny", point)]
    return {"points": len(points), "tried": len(chosen), "problems": problems}


def harness(base: Path, work: Path, arguments: list[str], share: int, which: int) -> subprocess.Popen[str]:
    """Start this module as a program."""
    work.mkdir()
    job = {"base": str(base), "work": str(work), "arguments": arguments, "share": share, "which": which}
    return subprocess.Popen(
        [sys.executable, __file__, json.dumps(job)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results(base: Path, work: Path, arguments: list[str], share: int) -> dict[str, int]:
    """Try the points of a command in two processes; fail with what was wrong."""
    work.mkdir()
    halves = [harness(base, work / str(which), arguments, 2 * share, which) for which in range(2)]
    found = []
    for half in halves:
        out, err = half.communicate()
        assert half.returncode == 0, err
        found.append(json.loads(out))
    assert [problem for half in found for problem in half["problems"]] == []
    return {"points": found[0]["points"], "tried": sum(half["tried"] for half in found)}


@pytest.fixture
def unbuilt(built_tiny: Tiny) -> Path:
    """Everything that a build needs, and nothing that it makes."""
    shutil.rmtree(built_tiny.root / "artifacts")
    return built_tiny.root


@pytest.fixture
def of_another_version(built_tiny: Tiny) -> Path:
    """A built project whose release is to be replaced."""
    built_tiny.edit("mempabench.toml", '"0.0.1"', '"0.0.2"')
    return built_tiny.root


def test_a_build_killed_at_some_write_is_made_whole_by_the_next(unbuilt: Path, tmp_path: Path) -> None:
    done = results(unbuilt, tmp_path / "work", ["build"], SHARE)

    assert done["points"] > 300
    assert done["tried"] >= done["points"] // SHARE


@pytest.mark.soak
def test_a_build_killed_at_any_write_is_made_whole_by_the_next(unbuilt: Path, tmp_path: Path) -> None:
    done = results(unbuilt, tmp_path / "work", ["build"], 1)

    assert done["tried"] == done["points"]


def test_a_release_replaced_is_the_old_one_the_new_one_or_absent(
    of_another_version: Path, tmp_path: Path
) -> None:
    done = results(of_another_version, tmp_path / "work", ["build"], SHARE)

    assert done["tried"] >= done["points"] // SHARE > 0


@pytest.mark.soak
def test_a_release_replaced_is_never_a_mixture(of_another_version: Path, tmp_path: Path) -> None:
    done = results(of_another_version, tmp_path / "work", ["build"], 1)

    assert done["tried"] == done["points"]


def test_a_log_of_decisions_is_the_old_one_or_the_new_one(built_tiny: Tiny, tmp_path: Path) -> None:
    (built_tiny.root / "review/records/decisions.jsonl").unlink()
    batch = built_tiny.root / "exports/decisions.jsonl"
    entry = ["--as", "tester:human", "--at", "2026-01-30T10:00:00Z"]

    done = results(built_tiny.root, tmp_path / "work", ["review", "decide", "--batch", str(batch), *entry], 1)

    assert done["tried"] == done["points"] > 3


def test_recordings_are_the_old_ones_or_the_new_ones(built_tiny: Tiny, tmp_path: Path) -> None:
    for path in (built_tiny.root / "recordings/anonymize_personas").iterdir():
        path.unlink()
    answers = built_tiny.root / "exports/answers.jsonl"

    done = results(
        built_tiny.root,
        tmp_path / "work",
        ["requests", "import", str(answers), "--writer", "language model", "--on", "2026-01-30"],
        1,
    )

    assert done["tried"] == done["points"] > 6


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    outcome = tried(Path(job["base"]), Path(job["work"]), job["arguments"], job["share"], job["which"])
    print(json.dumps(outcome))
