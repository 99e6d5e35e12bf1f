"""A branch of a world that outlives the command: the calls made on it, in a file, played again when it is opened."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from mempabench.artifacts import append_line, unwritable
from mempabench.assets import specimen_world
from mempabench.domain.record import canonical_json
from mempabench.domain.worlds import WorldHeader, WorldRecord
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench.world.branch import Branch, Call
from mempabench.world.loading import read_world
from mempabench.world.tool import Outcome
from mempabench.world.toolbox import open_world

SPECIMEN = "specimen"
"""Name of the world that is shipped."""


class World(NamedTuple):
    """A world as it was made, and its name."""

    given: str
    """How it was asked for."""
    name: str
    header: WorldHeader
    records: tuple[WorldRecord, ...]


def find_world(project: Workspace | None, name: str) -> World:
    """Return the world of a user of the project, the specimen, or the one in a file.

    Raises:
        InputError: when there is none, naming those there are.
    """
    if name == SPECIMEN:
        path = specimen_world()
    elif name.endswith(".jsonl"):
        path = Path(name)
    else:
        path = _worlds(project) / f"{name}.jsonl" if project else Path(f"{name}.jsonl")
    if not path.is_file():
        made = sorted(one.stem for one in _worlds(project).glob("*.jsonl")) if project else []
        known = ", ".join((SPECIMEN, *made))
        raise InputError(f"{name}: no world; there is {known}, or name a file that ends in .jsonl")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: can't be read as UTF-8 text") from error
    return World(name, path.stem, *read_world(text, path.name))


def _worlds(project: Workspace | None) -> Path:
    return project.artifacts / "worlds" if project else Path()


class Kept:
    """The file of a branch."""

    def __init__(self, world: World, path: Path) -> None:
        self.world = world
        self.path = path

    @classmethod
    def of(cls, project: Workspace | None, world: World) -> Kept:
        """Return the scratch branch of a world: in the project, or in the user's cache where there is none."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mempabench"
        folder = (project.artifacts if project else cache) / "branches"
        return cls(world, folder / f"{world.name}.jsonl")

    def open(self, *, interaction: bool = True) -> Branch:
        """Return the branch after all its calls.

        Raises:
            InputError: when the world isn't the one that it began with, or a call has another outcome than it had.
        """
        branch = open_world(self.world.header, self.world.records, interaction=interaction)
        if not self.path.is_file():
            return branch
        again = f"begin anew with mempabench world reset {self.world.given}"
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                entry = json.loads(line)
                if "world" in entry:
                    if entry["world"] != branch.first.digest():
                        raise InputError(f"{self.path.name}: the world has changed since; {again}")
                    continue
                outcome = branch.call(entry["tool"], entry["arguments"], datetime.fromisoformat(entry["at"]))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{self.path.name}:{number}: no call; {again}") from error
            if branch.state.digest() != entry["state"] or outcome.code != entry["code"]:
                raise InputError(
                    f"{self.path.name}:{number}: {entry['tool']} does something else now; {again}"
                )
        return branch

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Keep others from making calls on the branch meanwhile."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = self.path.with_suffix(".lock").open("w")
        except OSError as error:
            raise unwritable(self.path, error) from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def call(self, tool: str, arguments: dict[str, Any], at: datetime | None) -> Outcome:
        """Make a call on the branch and keep it, at the time of the one before where none is given.

        Raises:
            InputError: when there is neither a time nor a call before.
        """
        with self.writing():
            branch = self.open()
            before = branch.journal()
            if at is None and not before:
                raise InputError("say when the call is made, such as --at 2027-03-03T10:00+01:00")
            outcome = branch.call(tool, arguments, at or before[-1].at)
            self.add(branch)
        return outcome

    def add(self, branch: Branch) -> None:
        """Keep the last call of a branch."""
        if not self.path.is_file():
            append_line(self.path, canonical_json({"world": branch.first.digest()}), sync=False)
        append_line(self.path, _entry(branch.journal()[-1], branch.state.digest()), sync=False)

    def reset(self) -> bool:
        """Forget all calls; return whether there were any."""
        with self.writing():
            there = self.path.is_file()
            self.path.unlink(missing_ok=True)
        return there


def _entry(call: Call, state: str) -> str:
    return canonical_json(
        {
            "at": call.at.isoformat(),
            "tool": call.tool,
            "arguments": dict(call.arguments),
            "code": call.outcome.code,
            "state": state,
        }
    )
