"""What a tool sees of a world at an instant, and what it does to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo

from mempabench.domain.record import Record
from mempabench.domain.worlds import KINDS, Contact, WorldHeader, WorldRecord, kind_of
from mempabench.world.state import Change, State

R = TypeVar("R", bound=WorldRecord)


class Shown(dict[str, Any]):
    """A record as an agent sees it, JSON-ready."""


_READY = frozenset({str, int, bool, float, type(None), Shown})


class Refusal(Exception):
    """A call that a tool doesn't carry out; the tool's docstring has the words for the code."""

    def __init__(self, code: str, subject: object = "") -> None:
        super().__init__(code, subject)
        self.code = code
        self.subject = subject
        """What it is about: an id, a name, an amount."""


class View:
    """The records that are known at an instant, and the changes of one call.

    Nothing reaches the state before the call is over: one that is refused leaves no trace. A tool reads and writes
    only the kinds that it declares.
    """

    def __init__(
        self,
        state: State,
        header: WorldHeader,
        now: datetime,
        reads: frozenset[str],
        writes: frozenset[str],
        created: dict[str, int],
    ) -> None:
        self.header = header
        self.zone = ZoneInfo(header.zone)
        self.now = now
        self.created = created
        """How many records of each kind calls created so far."""
        self._state = state
        self._reads = reads | writes
        self._writes = writes
        self._changes: dict[tuple[str, str], WorldRecord | None] = {}

    @property
    def today(self) -> date:
        """The user's date."""
        return self.now.astimezone(self.zone).date()

    @property
    def me(self) -> Contact:
        """The user's own contact."""
        return cast("Contact", self._state.shelf("contact").records[self.header.me])

    def all(self, kind: type[R]) -> list[R]:
        """Return the known records of a kind, in no order that means anything."""
        name = self._readable(kind.kind)
        found = cast("list[R]", self._state.shelf(name).visible(self.now))
        mine = {key: record for (other, key), record in self._changes.items() if other == name}
        if not mine:
            return found
        kept = [mine.pop(record.id, record) for record in found]
        return [cast("R", record) for record in (*kept, *mine.values()) if record is not None]

    def find(self, kind: type[R], key: str) -> R | None:
        """Return the known record of an id, or None."""
        name = self._readable(kind.kind)
        if (name, key) in self._changes:
            return cast("R | None", self._changes[name, key])
        record = self._state.shelf(name).records.get(key)
        return cast("R", record) if record is not None and record.entered <= self.now else None

    def get(self, kind: type[R], key: str) -> R:
        """Return the known record of an id.

        Raises:
            Refusal: ``not_found``, when no record is known by that id.
        """
        record = self.find(kind, key)
        if record is None:
            raise Refusal("not_found", key)
        return record

    def any(self, key: str, *kinds: type[WorldRecord]) -> WorldRecord:
        """Return the known record of an id that may be of any of some kinds.

        Raises:
            Refusal: ``not_found``, when no record is known by that id, or it is of another kind.
        """
        kind = KINDS.get(kind_of(key) or "")
        if kind is None or kind not in kinds:
            raise Refusal("not_found", key)
        return self.get(kind, key)

    def add(self, kind: type[R], **values: Any) -> R:
        """Create a record, known from now on."""
        number = self.created.get(kind.kind, 0) + 1
        self.created[kind.kind] = number
        record = kind(id=f"{kind.prefix}_n{number:04d}", entered=self.now, **values)
        self._put(kind.kind, record.id, record)
        return record

    def change(self, record: R, **values: Any) -> R:
        """Give fields of a record other values; return the new record."""
        new = record.changed(**values)
        if new != record:
            self._put(record.kind, record.id, new)
        return new

    def remove(self, record: WorldRecord) -> None:
        """Take a record out of the world."""
        self._put(record.kind, record.id, None)

    def _put(self, kind: str, key: str, record: WorldRecord | None) -> None:
        if kind not in self._writes:
            raise AssertionError(f"a tool writes {kind}, which it doesn't declare")
        self._changes[kind, key] = record

    def _readable(self, kind: str) -> str:
        if kind not in self._reads:
            raise AssertionError(f"a tool reads {kind}, which it doesn't declare")
        return kind

    def changes(self) -> tuple[Change, ...]:
        """Return what was changed, in the order in which it was first touched."""
        return tuple(
            Change(kind, key, before, after)
            for (kind, key), after in self._changes.items()
            for before in (self._state.shelf(kind).records.get(key),)
            if before != after
        )

    def instant(self, day: date, at: time) -> datetime:
        """Return the instant of a time of day in the user's zone, in UTC: on it, hours can be reckoned.

        Of a time that the clock shows twice this is the first; one that it leaves out comes an hour later.
        """
        return datetime.combine(day, at, self.zone).astimezone(UTC)

    def local(self, instant: datetime) -> datetime:
        """Return an instant in the user's zone."""
        return instant.astimezone(self.zone)

    def show(self, record: Record, *fields: str) -> Shown:
        """Return a record as an agent sees it: times in the user's zone, what isn't set left out.

        With fields, only these, and the id.
        """
        shown = record.model_dump(
            mode="json",
            context={"zone": self.zone, "now": self.now},
            include={"id", *fields} if fields else None,
            exclude={"entered"},
            exclude_none=True,
        )
        return Shown({"id": shown.pop("id"), **shown} if "id" in shown else shown)

    def plain(self, value: Any) -> Any:
        """Return what a tool gives back as JSON-ready values."""
        sort = type(value)
        if sort in _READY:
            return value
        if sort is dict:
            return {key: self.plain(one) for key, one in value.items() if one is not None}
        if sort is list or sort is tuple:
            return [self.plain(one) for one in value]
        if isinstance(value, Record):
            return self.show(value)
        if isinstance(value, datetime):
            return self.local(value).isoformat()
        return value.isoformat() if isinstance(value, date) else str(value)


def named(view: View, contacts: Iterable[str]) -> list[str]:
    """Return the names of contacts, the id where one isn't known."""
    return [contact.name if (contact := view.find(Contact, key)) else key for key in contacts]
