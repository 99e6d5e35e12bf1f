"""Measure what a user waits for: rebuild, no-op, memory, ingesting, help. Run it with ``make bench``.

Absolute seconds depend on the machine, so each figure is also given as a ratio to something measured in the same
run: a bare interpreter start, or a plain pass over the same bytes. Nothing here asserts on time; the aims are printed.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mempabench.importers import read_transcript
from mempabench.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("transcripts_raw", "prompts", "recordings", "review/records", "releases", "schemas")
FILES = ("mempabench.toml", "DATASHEET.md", "README.md", "review/GUIDE.md")
ROUNDS = 5


class Failed(Exception):
    """A command didn't succeed; says what it said last."""


@dataclass(frozen=True)
class Run:
    """One finished command."""

    seconds: float
    peak_mib: float


def command(*words: str, cwd: Path) -> Run:
    """Run a command to its end and return its wall time and peak memory."""
    start = time.perf_counter()
    process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    talk = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise Failed(talk.decode().strip().split("\n")[-1])
    return Run(seconds, usage.ru_maxrss / 1024)


def median(measure: Callable[[], Run], rounds: int = ROUNDS) -> Run:
    """Return the median time and the largest peak of some rounds, after one that isn't counted."""
    measure()
    runs = [measure() for _ in range(rounds)]
    return Run(statistics.median(run.seconds for run in runs), max(run.peak_mib for run in runs))


def project_copy(folder: Path) -> Path:
    """Copy what a build reads into a fresh folder."""
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
    for name in FILES:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def rebuilds(project: Path) -> Iterator[tuple[str, Run, str]]:
    """Yield cold and no-op rebuild."""
    tool = [sys.executable, "-m", "mempabench.cli", "build", "--quiet"]

    def cold() -> Run:
        shutil.rmtree(project / "artifacts", ignore_errors=True)
        return command(*tool, cwd=project)

    yield "rebuild, cold", median(cold, 3), "under 15 s and 1 GiB"
    yield "rebuild, nothing to do", median(lambda: command(*tool, cwd=project)), "under 2 s"


def ingesting() -> Iterator[tuple[str, float, float, str]]:
    """Yield lines read per second for some inputs, and the ratio of that time to a plain pass over the same bytes."""
    workspace = Workspace(ROOT)
    files = [(file.raw(), file.source.format) for file in workspace.raw_files()]
    yield "series of the dataset", *_reading(files), ""
    yield "season table, 60,000 rows", *_reading([(_table(60_000), "season_table")]), "over 100,000"
    yield "TEI play, 300 kB", *_reading([(_play(3_000), "tei")]), "over 20,000"


def _reading(files: list[tuple[bytes, str]]) -> tuple[float, float]:
    def ours() -> int:
        return sum(len(read_transcript(name, content, "file").spoken()) for content, name in files)

    def plain() -> int:
        return sum(len(content.decode("utf-8").split("\n")) for content, _ in files)

    seconds = min(_seconds(ours) for _ in range(3))
    return ours() / seconds, seconds / min(_seconds(plain) for _ in range(3))


def _table(rows: int) -> bytes:
    lines = []
    for row in range(rows):  # a direction in one row of ten
        place = f"{row // 6000 + 1:02d},{row // 300 % 20 + 1},Title,{row // 20}"
        lines.append(
            f"{place},Person {row % 9},Some words number {row}{' [nods]' if row % 10 == 0 else ''}.,"
        )
    return "\n".join(["season,episode,title,scene,speaker,line,", *lines, ""]).encode()


def _play(speeches: int) -> bytes:
    said = [
        f'<sp who="#p{n % 9}"><speaker>P{n % 9}</speaker><l>Some words of verse {n}</l><l>and more of it.</l></sp>'
        for n in range(speeches)
    ]
    head = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div type="scene"><head>Scene 1</head>'
    return "\n".join([head, *said, "</div></body></text></TEI>"]).encode()


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print every figure, one line each, and the same as JSON at the end."""
    bare = median(lambda: command(sys.executable, "-c", "pass", cwd=ROOT))
    results: dict[str, dict[str, float]] = {}
    help_run = median(lambda: command(sys.executable, "-m", "mempabench.cli", "--help", cwd=ROOT))
    rows = [("bare interpreter", bare, ""), ("mempabench --help", help_run, "under 0.3 s")]
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows += rebuilds(project_copy(Path(folder) / "project"))
        except Failed as why:
            print(f"rebuild not measured: {why}")
    for name, run, aim in rows:
        ratio = run.seconds / bare.seconds
        results[name] = {"seconds": run.seconds, "peak_mib": run.peak_mib, "times_bare": ratio}
        print(f"{name:<24} {run.seconds:8.3f} s  {run.peak_mib:7.0f} MiB  {ratio:7.1f} x bare   {aim}")
    for name, rate, ratio, aim in ingesting():
        results[name] = {"lines_per_second": rate, "times_plain_split": ratio}
        print(f"{name:<26} {rate:9,.0f} lines a second  {ratio:5.0f} x a plain split   {aim}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
