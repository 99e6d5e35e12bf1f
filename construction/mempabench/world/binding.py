"""Prose that names what a record holds: values stand once, in the record, and the prose is bound to them.

A text of a world may hold slots such as ``{{bill_0001.amount}}``, ``{{cal_0003.starts}}`` or, with a form,
``{{cal_0003.starts|time}}``. They are filled when the world is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from mempabench.domain.record import Record
from mempabench.domain.worlds import WorldHeader, WorldRecord
from mempabench.errors import InputError

SLOT = re.compile(r"\{\{([^{}|]*?)(?:\|([^{}]*))?\}\}")
NAME = re.compile(r"([a-z]+_n?\d+)\.([a-z_]+)")
FORMS = ("day", "date", "time", "weekday")
"""``day``: Friday 5 March; ``date``: 5 March 2027; ``time``: 14:00; ``weekday``: Friday."""


class Slot(NamedTuple):
    """A slot in a text."""

    record: str
    field: str
    form: str
    """Empty for the usual form."""


def texts(record: Record) -> Iterator[str]:
    """Yield every string of a record that isn't an id, nested ones included."""
    for name in type(record).model_fields:
        value = getattr(record, name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Record):
                yield from texts(one)
            elif isinstance(one, str) and name != "id":
                yield one


def slots(record: Record) -> Iterator[Slot]:
    """Yield the slots of a record's texts; a slot without a proper name has an empty record."""
    for text in texts(record):
        for match in SLOT.finditer(text):
            name = NAME.fullmatch(match[1].strip())
            yield Slot(name[1], name[2], match[2] or "") if name else Slot("", match[1], match[2] or "")


def bound(header: WorldHeader, records: Iterable[WorldRecord]) -> tuple[WorldRecord, ...]:
    """Return records whose slots are filled.

    Raises:
        InputError: when a slot names no record, no field of it, or no form.
    """
    kept = tuple(records)
    by_id = {record.id: record for record in kept}
    return tuple(
        type(record).model_validate(_filled(record.id, header, dict(record), by_id))
        if any(True for _ in slots(record))
        else record
        for record in kept
    )


def _filled(place: str, header: WorldHeader, value: Any, by_id: Mapping[str, WorldRecord]) -> Any:
    if isinstance(value, str):
        return SLOT.sub(lambda match: _value(place, header, match, by_id), value)
    if isinstance(value, Record):
        return _filled(place, header, dict(value), by_id)
    if isinstance(value, dict):
        return {name: _filled(place, header, one, by_id) for name, one in value.items()}
    return tuple(_filled(place, header, one, by_id) for one in value) if isinstance(value, tuple) else value


def _value(place: str, header: WorldHeader, match: re.Match[str], by_id: Mapping[str, WorldRecord]) -> str:
    name = NAME.fullmatch(match[1].strip())
    record = by_id.get(name[1]) if name else None
    if name is None or record is None or name[2] not in type(record).model_fields:
        raise InputError(f"{place}: the slot {match[0]} names no field of a record")
    try:
        return spoken(header, getattr(record, name[2]), match[2] or "")
    except ValueError as error:
        raise InputError(f"{place}: the slot {match[0]}: {error}") from error


def spoken(header: WorldHeader, value: Any, form: str = "") -> str:
    """Return a value as people write it.

    Raises:
        ValueError: when it can't be written so.
    """
    if form and (form not in FORMS or not isinstance(value, date)):
        raise ValueError(f"{form!r} is no form of it; dates and times have {', '.join(FORMS)}")
    match value:
        case datetime():
            there = value.astimezone(ZoneInfo(header.zone))
            usual = f"{there:%A} {there.day} {there:%B} at {there:%H:%M}"
            return {"time": f"{there:%H:%M}"}.get(form) or (_day(there.date(), form) if form else usual)
        case date():
            return _day(value, form or "day")
        case Decimal() | int() | str() if not isinstance(value, bool):
            return str(value)
    raise ValueError("it is nothing that prose can say")


def _day(day: date, form: str) -> str:
    if form == "time":
        raise ValueError("a day has no time")
    forms = {"date": f"{day.day} {day:%B %Y}", "weekday": f"{day:%A}", "day": f"{day:%A} {day.day} {day:%B}"}
    return forms[form]
