"""What every record of a world is made of: instants, money, references, collections that have an order or none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    Field,
    PlainSerializer,
    SerializationInfo,
    StringConstraints,
)

from mempabench.domain.record import Record, canonical_json
from mempabench.domain.taxonomy import Context

T = TypeVar("T")


class Ref(NamedTuple):
    """Marks a field that holds ids of records of a kind; ``""`` stands for any kind."""

    kind: str


class Collection(NamedTuple):
    """Marks what the order and the repetition of a field's members mean."""

    sort: Literal["list", "set", "multiset"]


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC).replace(microsecond=0)


def _shown(value: datetime | None, info: SerializationInfo) -> str | None:
    """Return an instant as ISO text: in the zone of the reader where one is given, else in UTC."""
    if value is None:
        return None
    zone = (info.context or {}).get("zone", UTC)
    return value.astimezone(zone).isoformat().replace("+00:00", "Z" if zone is UTC else "+00:00")


def _emerged(value: datetime | None, info: SerializationInfo) -> str | None:
    """Return an instant as ISO text, and nothing of it to a reader for whom it hasn't come yet."""
    now = (info.context or {}).get("now")
    return None if value is None or (now is not None and value > now) else _shown(value, info)


def _cents(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)


def _key(value: Any) -> str:
    """Return what members are sorted by."""
    if isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, date) else canonical_json(value)


def _as_set(values: tuple[T, ...]) -> tuple[T, ...]:
    """Return the members in canonical order; one that is given twice is refused."""
    keyed = {_key(value): value for value in values}
    if len(keyed) != len(values):
        raise ValueError("a member of a set is given twice")
    return tuple(keyed[key] for key in sorted(keyed))


def _as_multiset(values: tuple[T, ...]) -> tuple[T, ...]:
    """Return the members in canonical order, repetitions kept."""
    return tuple(sorted(values, key=_key))


Instant = Annotated[AwareDatetime, AfterValidator(_utc), PlainSerializer(_shown)]
"""A point of time, held in UTC to the second; a time without an offset is refused."""
Emerging = Annotated[
    AwareDatetime | None,
    AfterValidator(lambda value: value and _utc(value)),
    PlainSerializer(_emerged),
]
"""An instant at which something of the record comes about; nobody sees it before."""
Money = Annotated[
    Decimal,
    Field(ge=0, le=Decimal("1000000"), max_digits=9, decimal_places=2),
    AfterValidator(_cents),
]
"""An amount in the currency of the world, with two decimals."""
Balance = Annotated[
    Decimal,
    Field(ge=Decimal("-1000000"), le=Decimal("1000000"), max_digits=9, decimal_places=2),
    AfterValidator(_cents),
]
"""An amount that may be below nothing."""
Line = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A short text on one line: a name, a title, a subject."""
Body = Annotated[str, StringConstraints(max_length=20_000)]
"""A text of any number of lines."""
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]{1,64}@[^@\s]{1,120}$", max_length=160)]
AnyId = Annotated[str, Ref("")]

SetOf = Annotated[tuple[T, ...], AfterValidator(_as_set), Collection("set")]
"""Members without order, each once."""
MultisetOf = Annotated[tuple[T, ...], AfterValidator(_as_multiset), Collection("multiset")]
"""Members without order, which may recur."""
ListOf = Annotated[tuple[T, ...], Collection("list")]
"""Members whose order means something."""


class WorldRecord(Record):
    """Something that a world holds: known from an instant on, and found by its id."""

    kind: ClassVar[str]
    """What the record is, such as ``mail``."""
    prefix: ClassVar[str]
    """How ids of the kind begin: ``cal_0042``; one that a call created is ``cal_n0001``."""

    id: str
    entered: Instant
    """When it came to be known; no tool shows anything of it before."""


class Hours(Record):
    """When a place is open on a weekday."""

    weekday: Annotated[int, Field(ge=0, le=6)]
    """0 is Monday."""
    opens: time
    closes: time
    """After ``opens``; a place that closes after midnight closes at 23:59 here."""


def members(annotation: Any) -> Iterator[Any]:
    """Yield the marks of a field's annotation, those of its members included."""
    yield from getattr(annotation, "__metadata__", ())
    for part in getattr(annotation, "__args__", ()):
        yield from members(part)


__all__ = [
    "AnyId",
    "Balance",
    "Body",
    "Collection",
    "Context",
    "Email",
    "Emerging",
    "Hours",
    "Instant",
    "Line",
    "ListOf",
    "Money",
    "MultisetOf",
    "Ref",
    "SetOf",
    "WorldRecord",
    "date",
]
