"""What a world holds: closed, dated records of 37 kinds (paper §C.2).

A record says from which instant on it is known, names other records by their id, and declares for each of its
collections whether order and repetition mean anything. Two records that mean the same are equal and have the same
canonical JSON, so that hash, diff and score can't disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mempabench.domain.record import Record
from mempabench.domain.worlds.base import Email, Line, Ref, WorldRecord, members
from mempabench.domain.worlds.household import (
    Account,
    Bill,
    Claim,
    Device,
    Expense,
    ExpenseRule,
    Medication,
    Payment,
    Referral,
    Refill,
    Routine,
)
from mempabench.domain.worlds.outside import (
    Fare,
    Forecast,
    Journey,
    Link,
    Order,
    Place,
    Product,
    Reservation,
    Slot,
    Venue,
)
from mempabench.domain.worlds.people import Contact, Conversation, Mail, Message
from mempabench.domain.worlds.planning import Busy, Event, Minutes, Reminder, Room, RoomBooking, Task
from mempabench.domain.worlds.writing import Document, File, Note, Project, Ticket

KINDS: dict[str, type[WorldRecord]] = {
    kind.kind: kind
    for kind in (
        Contact, Mail, Conversation, Message,
        Event, Busy, Room, RoomBooking, Task, Reminder, Minutes,
        Note, File, Document, Project, Ticket,
        Place, Link, Forecast, Fare, Journey, Venue, Slot, Reservation, Product, Order,
        Account, Payment, Bill, Expense, Claim, ExpenseRule, Medication, Refill, Referral, Device, Routine,
    )
}  # fmt: skip
"""Every kind of record by its name."""


class WorldHeader(Record):
    """Whose world it is."""

    user: str
    name: Line
    zone: str
    """IANA name of the user's time zone."""
    currency: str
    """Three letters."""
    me: str
    """Id of the user's own contact."""
    work_email: Email
    """The address that mail of work comes to and goes from."""
    personal_email: Email


def kind_of(record_id: str) -> str | None:
    """Return the kind that an id speaks of, or None.

    >>> kind_of("cal_0042")
    'event'
    """
    prefix, _, number = record_id.rpartition("_")
    if not number.removeprefix("n").isdigit():
        return None
    return next((name for name, kind in KINDS.items() if kind.prefix == prefix), None)


def references(record: Record) -> Iterator[tuple[str, str, str]]:
    """Yield (field, kind that is meant or ``""``, id) for each reference of a record, nested ones included."""
    for name, field in type(record).model_fields.items():
        value = getattr(record, name)
        refs = [mark for mark in (*field.metadata, *members(field.annotation)) if isinstance(mark, Ref)]
        values = value if isinstance(value, tuple) else (value,)
        for one in values:
            if isinstance(one, Record):
                yield from references(one)
            elif refs and one is not None:
                yield name, refs[0].kind, one


def parse_record(kind: str, fields: dict[str, Any]) -> WorldRecord:
    """Return a record from its plain fields."""
    return KINDS[kind].model_validate(fields)


__all__ = [
    "KINDS", "Account", "Bill", "Busy", "Claim", "Contact", "Conversation", "Device", "Document", "Event",
    "Expense", "ExpenseRule", "Fare", "File", "Forecast", "Journey", "Link", "Mail", "Medication", "Message",
    "Minutes", "Note", "Order", "Payment", "Place", "Product", "Project", "Referral", "Refill", "Reminder",
    "Reservation", "Room", "RoomBooking", "Routine", "Slot", "Task", "Ticket", "Venue", "WorldHeader",
    "WorldRecord", "kind_of", "parse_record", "references",
]  # fmt: skip
