"""Take a source out of a project, with all that was made of its text."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mempabench.artifacts import to_lines, write_bytes
from mempabench.catalog import DECISIONS, SUBSTITUTES, load
from mempabench.errors import InputError
from mempabench.workspace import CONFIG_NAME, Workspace

_HEADER = re.compile(r"^\[", re.MULTILINE)


@dataclass(frozen=True)
class Removal:
    """What goes with a source."""

    source: str
    users: tuple[str, ...]
    files: tuple[Path, ...]
    recordings: tuple[Path, ...]
    decisions: int
    substitutes: int

    def told(self, project: Workspace) -> Iterator[str]:
        """Yield a line for each thing that goes."""
        for path in (*self.files, *self.recordings):
            yield project.shown(path)
        yield f"transcripts_raw/sources.toml: source '{self.source}'"
        if self.users:
            yield f"{CONFIG_NAME}: {', '.join(self.users)}"
        if self.decisions:
            yield f"review/records/decisions.jsonl: {self.decisions} decisions; the others are chained anew"
        if self.substitutes:
            yield f"review/records/substitutes.jsonl: {self.substitutes} substitutes"
        yield "artifacts/: all of it; mempabench build makes what is left anew"


def removal(project: Workspace, source: str) -> Removal:
    """Return what goes with a source.

    Raises:
        InputError: when there is no such source.
    """
    known = {one.id: one for one in project.sources}
    if source not in known:
        raise InputError(f"no source '{source}'; there are {', '.join(known) or 'none'}")
    users = tuple(plan.user for plan in project.plans() if plan.source == source)
    listed = (project.transcripts / file.path for file in known[source].files)
    groups = (source, *users)
    return Removal(
        source=source,
        users=users,
        files=tuple(path for path in listed if path.is_file()),
        recordings=tuple(
            path
            for path in sorted(project.recordings.glob("*/*.jsonl"))
            if path.name.split(".", 1)[0] in groups
        ),
        decisions=sum(decision.user in users for decision in load(project, DECISIONS)),
        substitutes=sum(entry.source == source for entry in load(project, SUBSTITUTES)),
    )


def remove(project: Workspace, found: Removal) -> None:
    """Carry a removal out; one that was broken off is finished by another call."""
    from mempabench_review.log import without_users
    from mempabench_review.store import forget

    for child in project.artifacts.iterdir():
        if child.is_dir():
            shutil.rmtree(child)
        elif child.name != ".lock":
            child.unlink()
    if found.decisions:
        kept = without_users(load(project, DECISIONS), found.users)
        forget(project)
        write_bytes(DECISIONS.path(project.root), to_lines(kept).encode())
    if found.substitutes:
        entries = (entry for entry in load(project, SUBSTITUTES) if entry.source != found.source)
        write_bytes(SUBSTITUTES.path(project.root), to_lines(entries).encode())
    for path in (*found.recordings, *found.files):
        path.unlink()
        _remove_empty(path.parent, (project.recordings, project.transcripts))
    _edit(
        project.root / CONFIG_NAME,
        lambda table: _users_of(table) <= set(found.users) and bool(_users_of(table)),
    )
    _edit(
        project.transcripts / "sources.toml",
        lambda table: any(one.get("id") == found.source for one in table.get("source", ())),
    )


def _remove_empty(folder: Path, roots: tuple[Path, ...]) -> None:
    """Remove a folder that holds nothing any more, and those above it."""
    while folder not in roots and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _users_of(table: dict[str, Any]) -> set[str]:
    users: dict[str, Any] = table.get("users", {})
    return set(users)


def _edit(path: Path, goes: Callable[[dict[str, Any]], bool]) -> None:
    """Take tables out of a TOML file; everything else, comments too, stays as it is."""
    text = path.read_text(encoding="utf-8")
    try:
        kept = without_tables(text, goes)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: can't be taken apart ({error}); take the table out by hand") from error
    write_bytes(path, kept.encode())


def without_tables(text: str, goes: Callable[[dict[str, Any]], bool]) -> str:
    """Return a TOML text without the tables for which ``goes`` is true.

    A table reaches from its header to the comments above the next one.

    >>> text = "a = 1\\n\\n# one\\n[x.one]\\nb = 2\\n\\n# two\\n[x.two]\\nb = 3\\n"
    >>> print(without_tables(text, lambda table: "one" in table.get("x", {})))
    a = 1
    <BLANKLINE>
    # two
    [x.two]
    b = 3
    <BLANKLINE>
    """
    starts = [_above(text, found.start()) for found in _HEADER.finditer(text)]
    pieces = [text[: starts[0]] if starts else text]
    pieces += [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return "".join(
        piece for number, piece in enumerate(pieces) if number == 0 or not goes(tomllib.loads(piece))
    )


def _above(text: str, start: int) -> int:
    """Return where the comment lines directly above a header begin."""
    while True:
        line = text.rfind("\n", 0, start - 1) + 1
        if start == 0 or not text[line:start].startswith("#"):
            return start
        start = line
