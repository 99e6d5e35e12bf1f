"""The state of a world: records by kind and id, never changed once made, with one hash and one diff.

A new state shares everything with the one it comes from but the kinds that changed, so that keeping an old state
costs nothing. The hash of a kind is the sum of its records' digests: it doesn't depend on their order, and follows a
change without reading the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from mempabench.domain.record import canonical_json, digest
from mempabench.domain.worlds import KINDS, WorldRecord, kind_of
from mempabench.errors import InputError

_MODULUS = 1 << 256


class Change(NamedTuple):
    """What became of a record; ``before`` is None for a new one, ``after`` for one that was removed."""

    kind: str
    id: str
    before: WorldRecord | None
    after: WorldRecord | None


class Shelf:
    """All records of a kind by their id."""

    __slots__ = ("_seen", "_total", "records")

    def __init__(self, records: Mapping[str, WorldRecord], total: int | None = None) -> None:
        self.records = records
        self._total = total
        self._seen: tuple[datetime, list[WorldRecord]] | None = None

    def total(self) -> int:
        """Return the sum of the records' digests, modulo 2 to the 256."""
        if self._total is None:
            self._total = sum(map(_number, self.records.values())) % _MODULUS
        return self._total

    def visible(self, now: datetime) -> list[WorldRecord]:
        """Return the records that are known at an instant, in the order in which they came."""
        if self._seen is None or self._seen[0] != now:
            self._seen = (now, [record for record in self.records.values() if record.entered <= now])
        return self._seen[1]

    def changed(self, changes: Iterable[Change]) -> Shelf:
        """Return a shelf on which the changes were made."""
        records, total = dict(self.records), self._total
        for change in changes:
            if change.after is None:
                del records[change.id]
            else:
                records[change.id] = change.after
            if total is not None:
                total += _number(change.after) - _number(change.before)
        return Shelf(records, None if total is None else total % _MODULUS)


def _number(record: WorldRecord | None) -> int:
    return 0 if record is None else int(digest(record), 16)


_EMPTY = Shelf({}, 0)


class State:
    """All records of a world."""

    __slots__ = ("_digest", "_shelves")

    def __init__(self, shelves: Mapping[str, Shelf]) -> None:
        self._shelves = shelves
        self._digest: str | None = None

    @classmethod
    def of(cls, records: Iterable[WorldRecord]) -> State:
        """Return the state that holds some records.

        Raises:
            InputError: when an id is given twice, or isn't one of its record's kind.
        """
        shelves: dict[str, dict[str, WorldRecord]] = {}
        for record in records:
            if kind_of(record.id) != record.kind:
                raise InputError(f"{record.id}: no id for {record.kind}; these look like {_example(record)}")
            shelf = shelves.setdefault(record.kind, {})
            if record.id in shelf:
                raise InputError(f"{record.id}: a record with this id is there already")
            shelf[record.id] = record
        return cls({kind: Shelf(found) for kind, found in shelves.items()})

    def shelf(self, kind: str) -> Shelf:
        """Return the records of a kind."""
        return self._shelves.get(kind, _EMPTY)

    def records(self) -> Iterator[WorldRecord]:
        """Yield all records, kind by kind, sorted by id."""
        for kind in KINDS:
            found = self.shelf(kind).records
            yield from (found[key] for key in sorted(found))

    def digest(self) -> str:
        """Return the SHA-256 of the state, as 64 hexadecimal digits; equal if and only if the diff is empty."""
        if self._digest is None:
            totals = {kind: f"{shelf.total():x}" for kind, shelf in self._shelves.items() if shelf.records}
            self._digest = digest(totals)
        return self._digest

    def changed(self, changes: Iterable[Change]) -> State:
        """Return the state after some changes."""
        by_kind: dict[str, list[Change]] = {}
        for change in changes:
            by_kind.setdefault(change.kind, []).append(change)
        if not by_kind:
            return self
        shelves = dict(self._shelves)
        for kind, some in by_kind.items():
            shelves[kind] = self.shelf(kind).changed(some)
        return State(shelves)

    def as_of(self, now: datetime) -> State:
        """Return what of the state is known at an instant."""
        seen = {kind: shelf.visible(now) for kind, shelf in self._shelves.items()}
        return State({kind: Shelf({one.id: one for one in found}) for kind, found in seen.items()})


def diff(before: State, after: State) -> tuple[Change, ...]:
    """Return what differs between two states, sorted by kind and id."""
    return tuple(
        change for kind in KINDS for change in _differing(kind, before.shelf(kind), after.shelf(kind))
    )


def _differing(kind: str, before: Shelf, after: Shelf) -> Iterator[Change]:
    if before is after:
        return
    for key in sorted(before.records.keys() | after.records.keys()):
        old, new = before.records.get(key), after.records.get(key)
        if old is not new and (old is None or new is None or canonical_json(old) != canonical_json(new)):
            yield Change(kind, key, old, new)


def _example(record: WorldRecord) -> str:
    return f"{record.prefix}_0001"
