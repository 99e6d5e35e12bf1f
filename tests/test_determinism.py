"""The same bytes everywhere: other zone, language, hash seed, folder, file order, processes, day."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mempabench
import mempabench_review

if TYPE_CHECKING:
    from tests.conftest import Tiny

ELSEWHERE = {
    "another zone": {"TZ": "Pacific/Kiritimati"},
    "another language": {"LANG": "C", "LC_ALL": "C"},
    "no UTF-8 mode": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "another hash seed": {"PYTHONHASHSEED": "4711"},
}


def build(root: Path, *options: str, cwd: Path | None = None, **environment: str) -> str:
    """Build a project in a process of its own; return what it wrote to stderr."""
    command = [sys.executable, "-m", "mempabench.cli", "-C", str(root), "build", "--quiet", *options]
    done = subprocess.run(
        command,
        cwd=cwd or root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def release(root: Path) -> dict[str, bytes]:
    """Return the files of the built release."""
    folder = root / "artifacts/release/mempabench"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def unbuilt(built: Tiny, root: Path) -> Path:
    """Copy what a build needs, in another order of the files."""
    paths = [path for path in built.root.rglob("*") if path.is_file() and "artifacts" not in path.parts]
    for path in sorted(paths, reverse=True):
        target = root / path.relative_to(built.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return root


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_build_elsewhere_gives_the_same_bytes(built_once: Tiny, tmp_path: Path, where: str) -> None:
    root = unbuilt(built_once, tmp_path / "some where else")

    build(root, cwd=tmp_path, **ELSEWHERE[where])

    assert built_once.artifacts() == type(built_once)(root).artifacts()
    assert release(root) == release(built_once.root)


def test_two_processes_give_the_same_bytes(built_once: Tiny, tmp_path: Path) -> None:
    root = unbuilt(built_once, tmp_path / "tiny")

    build(root, "--jobs", "2")

    assert built_once.artifacts() == type(built_once)(root).artifacts()
    assert release(root) == release(built_once.root)


ON_ANOTHER_DAY = """\
import sys

import time_machine

time_machine.travel("2043-02-28T23:59:58Z", tick=True).start()
import datetime
print(f"today is {datetime.date.today()}", file=sys.stderr)
"""


def test_a_build_on_another_day_gives_the_same_bytes(built_once: Tiny, tmp_path: Path) -> None:
    root = unbuilt(built_once, tmp_path / "tiny")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(ON_ANOTHER_DAY)

    said = build(root, PYTHONPATH=str(tmp_path / "site"))

    assert "today is 2043-" in said, "the process must have lived on that day"
    assert built_once.artifacts() == type(built_once)(root).artifacts()
    assert release(root) == release(built_once.root)


CLOCKED = {
    "mempabench/engines/pacing.py": {"time.monotonic"},
    "mempabench/commands/batches.py": {"datetime.now"},
    "mempabench/commands/live.py": {"datetime.now"},
    "mempabench/commands/requests.py": {"datetime.now"},
    "mempabench_review/cli_parts.py": {"datetime.now"},
    "mempabench_review/web/app.py": {"datetime.now", "secrets.token_hex"},
    "mempabench_review/web/sessions.py": {"secrets.token_urlsafe"},
    "mempabench_review/agreement.py": {"random.Random"},
}
"""Who may ask for the day, or draw: imports and decisions are dated; the bootstrap's seed is a parameter."""

CHANCES = ("random", "secrets", "uuid", "numpy.random", "os.urandom", "time")
CLOCKS = ("datetime.now", "datetime.today", "datetime.utcnow", "date.today")


def clocks_and_chances(tree: ast.AST) -> set[str]:
    """Return the calls that give another value at another time, and imports of what makes them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.startswith(tuple(f"{chance}." for chance in CHANCES)) or name.endswith(CLOCKS):
                found.add(name)
        if isinstance(node, ast.ImportFrom) and node.module in CHANCES:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_nobody_but_the_dated_entries_asks_clock_or_chance() -> None:
    found = {}

    for package in (mempabench, mempabench_review):
        place = Path(package.__path__[0])
        for path in sorted(place.rglob("*.py")):
            calls = clocks_and_chances(ast.parse(path.read_text("utf-8")))
            if calls:
                found[path.relative_to(place.parent).as_posix()] = calls

    assert found == CLOCKED


@pytest.mark.parametrize(
    "code",
    [
        "import datetime; datetime.datetime.now()",
        "from datetime import date; date.today()",
        "import time; time.time()",
        "import random; random.choice([1])",
        "import uuid; uuid.uuid4()",
        "from random import choice",
        "from time import time",
    ],
)
def test_a_planted_clock_or_chance_is_found(code: str) -> None:
    assert clocks_and_chances(ast.parse(code))
