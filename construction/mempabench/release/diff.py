"""Differences between two release folders by logical content: tables, columns, rows by id, other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mempabench.artifacts import file_digest
from mempabench.domain.record import canonical_json
from mempabench.errors import ReleaseError
from mempabench.release.folder import MANIFEST, files_below, read_manifest
from mempabench.release.tables import TABLES

_SHOWN = 3
_LISTED = 40


@dataclass(frozen=True)
class Content:
    """A table as it was read: columns with their types, and rows by id in their order."""

    columns: Mapping[str, str]
    rows: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TableChange:
    """What became of one table between two releases."""

    table: str
    added: tuple[str, ...] = ()
    """Ids of the rows that only the new one has."""
    removed: tuple[str, ...] = ()
    changed: Mapping[str, tuple[str, ...]] | None = None
    """Columns that differ, by the id of the row."""
    moved: bool = False
    """Whether the same rows stand in another order."""
    schema: tuple[str, ...] = ()
    """Columns that came, went or have another type, in words."""
    presence: str = ""
    """``added`` or ``removed`` when only one of the two has the table."""

    def lines(self) -> Iterator[str]:
        """Yield what changed, one line each."""
        if self.presence:
            ids = self.added or self.removed
            yield f"{self.table}: table {self.presence} with {_rows(len(ids))}"
            return
        for column in self.schema:
            yield f"{self.table}: {column}"
        for what, ids in (("added", self.added), ("removed", self.removed)):
            if ids:
                yield f"{self.table}: {_rows(len(ids))} {what} ({_first(ids)})"
        if self.changed:
            counts = Counter(column for columns in self.changed.values() for column in columns)
            columns = ", ".join(f"{column} {count}" for column, count in counts.items())
            yield f"{self.table}: {_rows(len(self.changed))} changed ({_first(tuple(self.changed))}) in {columns}"
        if self.moved:
            yield f"{self.table}: the rows stand in another order"


def compare(built: Path, published: Path) -> list[str]:
    """Return how a built release differs from a published one, one line each; nothing when they are the same.

    Raises:
        ReleaseError: when either folder is no release.
    """
    changes = [line for change in table_changes(built, published) for line in change.lines()]
    return [*_manifest_changes(built, published), *changes, *_file_changes(built, published)]


def table_changes(built: Path, published: Path | None) -> list[TableChange]:
    """Return what became of every table that changed; all are added when nothing was published."""
    new, old = _tables(built), _tables(published) if published else {}
    changes = (
        _change(name, new.get(name), old.get(name))
        for name in [*new, *(name for name in old if name not in new)]
    )
    return [change for change in changes if any(change.lines())]


def _change(name: str, new: Content | None, old: Content | None) -> TableChange:
    if old is None or new is None:
        return TableChange(
            name,
            added=tuple(new.rows) if new else (),
            removed=tuple(old.rows) if old else (),
            presence="added" if new else "removed",
        )
    shared = [id_ for id_ in new.rows if id_ in old.rows]
    columns = {id_: _differing(new.rows[id_], old.rows[id_]) for id_ in shared}
    return TableChange(
        name,
        added=tuple(id_ for id_ in new.rows if id_ not in old.rows),
        removed=tuple(id_ for id_ in old.rows if id_ not in new.rows),
        changed={id_: differing for id_, differing in columns.items() if differing},
        moved=shared != [id_ for id_ in old.rows if id_ in new.rows],
        schema=tuple(_schema_changes(new.columns, old.columns)),
    )


def _differing(new: Mapping[str, Any], old: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns of both that differ; columns of one alone are a matter of the schema."""
    return tuple(
        name for name in new if name in old and canonical_json(new[name]) != canonical_json(old[name])
    )


def _schema_changes(new: Mapping[str, str], old: Mapping[str, str]) -> Iterator[str]:
    for name in new:
        if name not in old:
            yield f"column {name} added ({new[name]})"
        elif new[name] != old[name]:
            yield f"column {name} is {new[name]}, was {old[name]}"
    for name in old:
        if name not in new:
            yield f"column {name} removed"


def _manifest_changes(built: Path, published: Path) -> Iterator[str]:
    new, old = read_manifest(built), read_manifest(published)
    for name in ("version", "license", "canary", "schema_version"):
        if getattr(new, name) != getattr(old, name):
            yield f"{MANIFEST}: {name} is {getattr(new, name)}, was {getattr(old, name)}"


def _file_changes(built: Path, published: Path) -> Iterator[str]:
    """Yield files that differ, apart from tables, whose rows were compared, and the manifest of all these."""
    new, old = (
        {path for path in files_below(folder) if path != MANIFEST and not path.endswith(".parquet")}
        for folder in (built, published)
    )
    for path in sorted(new | old):
        if path not in old:
            yield f"{path}: added"
        elif path not in new:
            yield f"{path}: removed"
        elif file_digest(built / path) != file_digest(published / path):
            yield f"{path}: differs"


def changelog(built: Path, published: Path | None) -> str:
    """Return what became of the rows since the published release, by table and row id, as Markdown.

    The first release has nothing to be held against: its rows are counted elsewhere and not listed.
    """
    if published is None:
        return "All rows are new."
    parts = []
    for change in table_changes(built, published):
        lines = [f"### {change.table}", ""]
        lines += [f"- {column}" for column in change.schema]
        lines += _listed("added", change.added)
        lines += [f"- changed {id_}: {', '.join(columns)}" for id_, columns in (change.changed or {}).items()]
        lines += _listed("removed", change.removed)
        lines += ["- the rows stand in another order"] if change.moved else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts) or "No table has changed."


def _listed(what: str, ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return [f"- {what} {_rows(len(ids))}: {', '.join(ids[:_LISTED])}{more}"]


def _tables(folder: Path) -> dict[str, Content]:
    order = [table.name for table in TABLES]
    found = {path.stem: path for path in sorted((folder / "data").glob("*.parquet"))}
    names = [name for name in order if name in found] + [name for name in found if name not in order]
    return {name: read_table(found[name]) for name in names}


def read_table(path: Path) -> Content:
    """Read one table of a release.

    Raises:
        ReleaseError: when the file can't be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
        return Content(
            columns={field.name: str(field.type) for field in table.schema},
            rows={row["id"]: row for row in table.to_pylist()},
        )
    except (OSError, KeyError, pa.ArrowException) as error:
        detail = str(error).splitlines()[0]
        raise ReleaseError(f"{path}: can't be read ({detail}); restore it, or build it again") from error


def _rows(number: int) -> str:
    return f"{number} row" if number == 1 else f"{number} rows"


def _first(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
