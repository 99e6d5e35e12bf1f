"""The desk's log on disk: one order of events for any number of writers, and the same in a file for the build.

The truth for the build, and for everybody who clones the project, is ``review/records/decisions.jsonl``. Beside it
``review/desk.sqlite3`` (not in git, disposable) gives what a text file can't: one writer at a time without refusing the
others, comparison of what a reviewer saw with what is there, and drafts. Its table of events takes new rows only; a
row and its line in the file are written in one transaction, the line first. Whatever a crash leaves, opening the store
brings the two together, or says where they part.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mempabench.artifacts import read_records, write_bytes
from mempabench.catalog import DECISIONS
from mempabench.domain.record import canonical_json
from mempabench.domain.review import Decision
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.log import LOG, verify

PATIENCE_S = 30.0
"""Seconds that a writer waits for its turn."""
LARGE = 4_000_000
"""Bytes (some five thousand events) up to which the file is replaced as a whole, so that not even a power cut leaves a
part of a line; beyond that lines are appended, and a torn one is cut off when the store is opened."""

_SCHEMA = """
create table if not exists event (
    seq integer primary key,
    event_id text not null unique,
    cell text not null,
    reviewer text not null,
    body text not null,
    hash text not null
);
create index if not exists event_of_cell on event (cell, reviewer);
create trigger if not exists no_update before update on event begin
    select raise(abort, 'events are never changed');
end;
create trigger if not exists no_delete before delete on event begin
    select raise(abort, 'events are never deleted');
end;
create table if not exists submission (nonce text primary key, first integer not null, last integer not null);
create table if not exists draft (
    reviewer text not null,
    cell text not null,
    body text not null,
    primary key (reviewer, cell)
);
"""

Make = Callable[[Sequence[Decision]], Sequence[Decision]]
"""Makes new events from the cell's events so far, the log's last event at their end."""


class Conflict(Exception):
    """Somebody entered another event on the cell in between; holds what is there now."""

    def __init__(self, events: Sequence[Decision]) -> None:
        super().__init__("the cell has changed meanwhile")
        self.events = tuple(events)


class Store:
    """The log of one project, open; used by one thread at a time."""

    def __init__(self, workspace: Workspace, connection: sqlite3.Connection) -> None:
        """Use an open connection; :meth:`open` makes one."""
        self._workspace, self._sql = workspace, connection
        self._file = DECISIONS.path(workspace.root)
        self._cache: list[Decision] = []

    @classmethod
    @contextmanager
    def open(cls, workspace: Workspace) -> Iterator[Store]:
        """Open the store of a project and bring database and file together.

        Raises:
            InputError: when the file's log isn't whole, or the two part ways.
        """
        path = database(workspace)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            connection = sqlite3.connect(
                path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
            )
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{workspace.shown(path)}: can't be used ({error}); remove it, decisions.jsonl holds every decision"
            ) from error
        try:
            store = cls(workspace, connection)
            store.reconcile()
            yield store
        finally:
            connection.close()

    def events(self) -> tuple[Decision, ...]:
        """Return the whole log, in order; only what is new is read."""
        self._sql.execute("begin")
        try:
            rows = self._sql.execute(
                "select body from event where seq > ? order by seq", (len(self._cache),)
            ).fetchall()
        finally:
            self._sql.execute("commit")
        self._cache += [Decision.model_validate_json(body) for (body,) in rows]
        return tuple(self._cache)

    def of_cell(self, cell: str) -> tuple[Decision, ...]:
        """Return the events of one cell, in order."""
        rows = self._sql.execute("select body from event where cell = ? order by seq", (cell,)).fetchall()
        return tuple(Decision.model_validate_json(body) for (body,) in rows)

    def append(
        self, cell: str, make: Make, *, nonce: str = "", reviewer: str = "", seen: int | None = None
    ) -> tuple[Decision, ...]:
        """Enter events on one cell: all of them, in the log and in the file, or none.

        Args:
            cell: Key of the cell.
            make: Makes them from what the log holds at that moment.
            nonce: Names the submission; one that was entered before gives its first result.
            reviewer: Whose stream the events belong to, where ``seen`` is given.
            seen: How many events of that stream the reviewer had seen; None where that doesn't matter.

        Raises:
            Conflict: when the stream holds other events by now.
            InputError: when ``make`` refuses, or the file can't be written.
        """
        with self._writing():
            done = self._sql.execute(
                "select first, last from submission where nonce = ?", (nonce,)
            ).fetchone()
            if nonce and done:
                return self._between(*done)
            events = self.of_cell(cell)
            if seen is not None and sum(event.reviewer == reviewer for event in events) != seen:
                raise Conflict(events)
            return self._enter(make(self._with_last(events)), nonce)

    def append_all(self, make: Make) -> tuple[Decision, ...]:
        """Enter events made from the whole log: all of them, in the log and in the file, or none."""
        with self._writing():
            rows = self._sql.execute("select body from event order by seq").fetchall()
            return self._enter(make([Decision.model_validate_json(body) for (body,) in rows]), "")

    def append_all_of(self, new: Sequence[Decision]) -> None:
        """Enter events that are chained to the log's last one already, such as those of a copy.

        Raises:
            InputError: when they aren't.
        """
        with self._writing():
            last = self.last()
            if new and new[0].previous != (last.chained() if last else None):
                raise InputError(f"{LOG}: the events don't follow its last one, so none was entered")
            self._enter(new, "")

    def last(self) -> Decision | None:
        """Return the log's last event, if there is one."""
        found = self._sql.execute("select body from event order by seq desc limit 1").fetchone()
        return Decision.model_validate_json(found[0]) if found else None

    def draft(self, reviewer: str, cell: str) -> str:
        """Return what a reviewer has written so far about a cell, or nothing."""
        found = self._sql.execute(
            "select body from draft where reviewer = ? and cell = ?", (reviewer, cell)
        ).fetchone()
        return str(found[0]) if found else ""

    def save_draft(self, reviewer: str, cell: str, body: str) -> None:
        """Keep what a reviewer has written so far; an empty body drops it."""
        if body:
            self._sql.execute("insert or replace into draft values (?, ?, ?)", (reviewer, cell, body))
        else:
            self._sql.execute("delete from draft where reviewer = ? and cell = ?", (reviewer, cell))

    def backup(self, path: Path) -> None:
        """Write a copy of the database, whole at every moment of it; it reads by itself, so that nobody waits."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.unlink(missing_ok=True)
        source = sqlite3.connect(f"file:{database(self._workspace)}?mode=ro", uri=True)
        copy = sqlite3.connect(part)
        try:
            source.backup(copy)
        finally:
            copy.close()
            source.close()
        part.replace(path)

    def reconcile(self) -> None:
        """Bring database and file together.

        Raises:
            InputError: when the file's log isn't whole, or the two part ways.
        """
        with self._writing():
            self._cut_torn_line()
            logged = [str(body) for (body,) in self._sql.execute("select body from event order by seq")]
            shown = self._workspace.shown(self._file)
            filed: tuple[Decision, ...] = read_records(self._file, Decision, shown)
            for finding in verify(filed, shown):
                raise InputError(finding)
            lines = [canonical_json(event) for event in filed]
            common = min(len(logged), len(lines))
            if logged[:common] != lines[:common]:
                number = next(n for n in range(common) if logged[n] != lines[n]) + 1
                raise InputError(
                    f"{shown}:{number}: another event than in {self._workspace.shown(database(self._workspace))}; "
                    f"restore the file, or remove the database to go on with the file as it is"
                )
            self._insert(filed[common:])
            self._write_lines(logged[common:])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the one place of a writer; others wait for it."""
        try:
            self._sql.execute("begin immediate")
        except sqlite3.OperationalError as error:
            raise InputError(
                f"{self._workspace.shown(database(self._workspace))}: {error}; try again"
            ) from error
        try:
            yield
        except BaseException:
            self._sql.execute("rollback")
            raise
        self._sql.execute("commit")

    def _enter(self, new: Sequence[Decision], nonce: str) -> tuple[Decision, ...]:
        """Write new events: their lines first, so that no acknowledged one is missing from the file."""
        self._write_lines([canonical_json(event) for event in new])
        first, last = self._insert(new)
        if nonce and new:
            self._sql.execute("insert into submission values (?, ?, ?)", (nonce, first, last))
        return tuple(new)

    def _insert(self, new: Sequence[Decision]) -> tuple[int, int]:
        (last,) = self._sql.execute("select coalesce(max(seq), 0) from event").fetchone()
        for number, event in enumerate(new, start=last + 1):
            self._sql.execute(
                "insert into event values (?, ?, ?, ?, ?, ?)",
                (number, event.event_id, event.cell, event.reviewer, canonical_json(event), event.chained()),
            )
        return last + 1, last + len(new)

    def _between(self, first: int, last: int) -> tuple[Decision, ...]:
        rows = self._sql.execute(
            "select body from event where seq between ? and ? order by seq", (first, last)
        ).fetchall()
        return tuple(Decision.model_validate_json(body) for (body,) in rows)

    def _with_last(self, events: tuple[Decision, ...]) -> tuple[Decision, ...]:
        """Return a cell's events with the log's last one at their end, to which new ones are chained."""
        last = self.last()
        if last is None:
            return events
        return (*(event for event in events if event.event_id != last.event_id), last)

    def _write_lines(self, lines: Sequence[str]) -> None:
        if not lines:
            return
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
        size = self._file.stat().st_size if self._file.is_file() else 0
        if size < LARGE:
            write_bytes(self._file, (self._file.read_bytes() if size else b"") + content)
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab") as stream:
                try:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                except OSError:
                    stream.truncate(size)
                    raise
        except OSError as error:
            raise InputError(f"{LOG}: can't be written ({error.strerror}); nothing was entered") from error

    def _cut_torn_line(self) -> None:
        """Cut off what a killed writer left of a line; its event was never acknowledged."""
        if not self._file.is_file():
            return
        content = self._file.read_bytes()
        if content and not content.endswith(b"\n"):
            with self._file.open("r+b") as stream:
                stream.truncate(content.rfind(b"\n") + 1)


def database(workspace: Workspace) -> Path:
    """Return where a project's database lies."""
    return workspace.root / "review" / "desk.sqlite3"


def restored(workspace: Workspace, copy: Path) -> int:
    """Take a copy of the database in place of the present one, and return how many events it holds.

    Raises:
        InputError: when the copy is none, or lacks an event that is here: nothing is ever lost by restoring.
    """
    try:
        source = sqlite3.connect(f"file:{copy}?mode=ro", uri=True)
        rows = [str(body) for (body,) in source.execute("select body from event order by seq")]
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"{copy}: not a copy of a desk ({error}); give a file that 'backup' wrote"
        ) from error
    finally:
        source.close()
    with Store.open(workspace) as store:
        here = [canonical_json(event) for event in store.events()]
        if rows[: len(here)] != here:
            raise InputError(
                f"{copy}: lacks events that are here ({len(here)} here, {len(rows)} there), so nothing was changed"
            )
        new = [Decision.model_validate_json(body) for body in rows[len(here) :]]
        store.append_all_of(new)
    return len(rows)


def forget(workspace: Workspace) -> None:
    """Remove the database, because the file was written anew; the next desk is made from the file."""
    for end in ("", "-wal", "-shm"):
        path = database(workspace)
        path.with_name(path.name + end).unlink(missing_ok=True)
