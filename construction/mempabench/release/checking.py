"""What must hold of every table before it is written: schema, ids, users, settings, and the sources' rights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mempabench.domain.identifiers import Identifiers
from mempabench.domain.registry import runs
from mempabench.domain.taxonomy import settings_of
from mempabench.errors import ReleaseError
from mempabench.release.rows import Material, Row
from mempabench.release.tables import Column, Field, ListOf, Scalar, Struct, Table, Type, View

_PYTHON = {Scalar.STRING: str, Scalar.INTEGER: int, Scalar.FLAG: bool}
_SETTINGS = ("setting", "changed_to", "second_setting")


def check(rows: Mapping[Table, Sequence[Row]], material: Material) -> None:
    """Refuse tables that break their declaration.

    Raises:
        ReleaseError: naming the first table, row, column and value, and how many more there are.
    """
    users = [user.user for user in material.users]
    found = [problem for table in rows for problem in problems(table, rows[table], users)]
    found = found or [*surviving_names(rows, material), *published_runs(rows, material)]
    if found:
        more = f"; {len(found) - 1} more" if len(found) > 1 else ""
        raise ReleaseError(found[0] + more)


def check_sources(material: Material) -> None:
    """Refuse records of sources or candidates that the manifest doesn't have.

    Raises:
        ReleaseError: naming the first.
    """
    known = ", ".join(material.source)
    for kind in ("scenes", "evidence", "proposals", "users", "substitutes"):
        for record in getattr(material, kind):
            if record.source not in material.source:
                raise ReleaseError(f"{kind}: there is no source '{record.source}'; there are {known}")
    for proposal in material.proposals:
        candidates = material.source[proposal.source].candidates
        if proposal.character not in candidates:
            raise ReleaseError(
                f"proposals: {proposal.character} is no candidate of {proposal.source}; "
                f"there are {', '.join(candidates)}; run mempabench build"
            )


def problems(table: Table, rows: Sequence[Row], users: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a table, one line each."""
    if not rows:
        yield f"{table.name}: no rows; a release has none of its tables empty, run mempabench build"
    seen: set[str] = set()
    for row in rows:
        where = f"{table.name}: {row.get('id')}"
        if row.get("id") in seen:
            yield f"{where}: id is given twice; ids must be unique"
        seen.add(str(row.get("id")))
        for problem in _misfits(table.columns, row):
            yield f"{where}: {problem}"
        if row.get("user") is not None and row["user"] not in users:
            yield f"{where}: there is no user '{row['user']}'; there are {', '.join(users) or 'none'}"
        yield from (f"{where}: {problem}" for problem in _unknown_settings(row))


def _misfits(columns: Sequence[Column | Field], row: Mapping[str, Any]) -> Iterator[str]:
    """Yield each column whose value isn't what its declaration says."""
    names = [column.name for column in columns]
    for name in sorted(row.keys() ^ set(names)):
        yield f"column {name} is {'missing' if name in names else 'not declared'}"
    for column in columns:
        value = row.get(column.name)
        if value is None:
            if column.required and column.name in row:
                yield f"{column.name} is null, but required"
            continue
        for problem in _mismatches(column.type, value):
            yield f"{column.name}{problem}"
        if column.allowed and value not in column.allowed:
            yield f"{column.name} is '{value}'; it may be {', '.join(column.allowed)}"


def _mismatches(kind: Type, value: Any) -> Iterator[str]:
    if isinstance(kind, ListOf):
        if not isinstance(value, list):
            yield f" is {value!r}, not a list"
            return
        for number, item in enumerate(value):
            yield from (f"[{number}]{problem}" for problem in _mismatches(kind.item, item))
    elif isinstance(kind, Struct):
        if not isinstance(value, dict):
            yield f" is {value!r}, not a struct"
            return
        yield from (f".{problem}" for problem in _misfits(kind.fields, value))
    elif type(value) is not _PYTHON[kind]:
        yield f" is {value!r}, not of type {kind}"


def _unknown_settings(row: Row) -> Iterator[str]:
    for name in _SETTINGS:
        setting = row.get(name)
        if setting is not None and setting not in settings_of(row["attribute"]):
            known = ", ".join(settings_of(row["attribute"]))
            yield f"{name}: '{setting}' is no setting of {row['attribute']}; it has {known}"


def surviving_names(rows: Mapping[Table, Sequence[Row]], material: Material) -> Iterator[str]:
    """Yield values outside the construction view that give a name of a source away, in whatever dress."""
    identifiers = Identifiers(material.substitutes)
    for table, table_rows in rows.items():
        shown = [column.name for column in table.columns if column.view is not View.CONSTRUCTION]
        for row in table_rows:
            for name in shown:
                for found in (found for text in _texts(row.get(name)) for found in identifiers.find(text)):
                    if found.certain:
                        yield (
                            f"{table.name}: {row['id']}: {name}: '{found.words}' gives '{found.form}' of the source "
                            f"away ({found.kind}); register that form, or have the text asked again"
                        )


def published_runs(rows: Mapping[Table, Sequence[Row]], material: Material) -> Iterator[str]:
    """Yield rows that repeat eight words in a row of a source that may not be redistributed."""
    closed = {
        run: scene.source
        for scene in material.scenes
        if not material.may_show(scene.source)
        for line in scene.lines
        for text in (line.text, *(direction.text for direction in line.directions))
        for run in runs(text)
    }
    if not closed:
        return
    for table, table_rows in rows.items():
        for row in table_rows:
            for text in _texts(row):
                for run in sorted(runs(text) & closed.keys())[:1]:
                    yield (
                        f"{table.name}: {row['id']}: '{' '.join(run)}' is a run of eight words of "
                        f"'{closed[run]}', which may not be redistributed; have it put in other words"
                    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
