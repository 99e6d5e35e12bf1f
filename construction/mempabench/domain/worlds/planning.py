"""What is planned: events and who is busy when, rooms, tasks, reminders, minutes."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds.base import AnyId, Body, Instant, Line, ListOf, Ref, SetOf, WorldRecord
from mempabench.domain.worlds.people import ContactId

Reply = Literal["none", "accepted", "tentative", "declined"]


class Guest(Record):
    """Somebody who is asked to an event, and what they replied."""

    contact: ContactId
    reply: Reply = "none"


class Event(WorldRecord):
    """Something in the user's calendar."""

    kind: ClassVar[str] = "event"
    prefix: ClassVar[str] = "cal"

    title: Line
    context: Context
    starts: Instant
    ends: Instant
    organizer: ContactId
    guests: SetOf[Guest] = ()
    """All but the organizer; the user is one where somebody else organizes."""
    location: Line | None = None
    place: Annotated[str, Ref("place")] | None = None
    notes: Body = ""
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    about: SetOf[AnyId] = ()
    """Ids of what it is about: a booking, a ticket, a task."""


class Busy(WorldRecord):
    """A time at which a contact who shares their calendar is busy."""

    kind: ClassVar[str] = "busy"
    prefix: ClassVar[str] = "busy"

    contact: ContactId
    starts: Instant
    ends: Instant


class Room(WorldRecord):
    """A room at work that can be booked."""

    kind: ClassVar[str] = "room"
    prefix: ClassVar[str] = "room"

    name: Line
    seats: Annotated[int, Field(ge=1, le=500)]
    equipment: SetOf[Line] = ()


class RoomBooking(WorldRecord):
    """A time for which a room is taken."""

    kind: ClassVar[str] = "room_booking"
    prefix: ClassVar[str] = "rbk"

    room: Annotated[str, Ref("room")]
    starts: Instant
    ends: Instant
    by: ContactId
    event: Annotated[str, Ref("event")] | None = None


class Step(Record):
    """A part of a task."""

    text: Line
    done: bool = False


class Task(WorldRecord):
    """Something to be done."""

    kind: ClassVar[str] = "task"
    prefix: ClassVar[str] = "task"

    title: Line
    context: Context
    list_name: Line
    """The list that it stands on."""
    status: Literal["open", "done", "delegated"] = "open"
    due: date | None = None
    priority: Literal["low", "normal", "high"] = "normal"
    steps: ListOf[Step] = ()
    after: SetOf[Annotated[str, Ref("task")]] = ()
    """Tasks that have to be done before it."""
    assignee: ContactId | None = None
    """Who does it where it is delegated."""
    project: Annotated[str, Ref("project")] | None = None
    notes: Body = ""
    done_at: Instant | None = None


class Reminder(WorldRecord):
    """A line that the user wants to be shown at an instant."""

    kind: ClassVar[str] = "reminder"
    prefix: ClassVar[str] = "rem"

    text: Line
    at: Instant
    about: AnyId | None = None
    status: Literal["waiting", "dismissed"] = "waiting"


class Minutes(WorldRecord):
    """What a meeting came to."""

    kind: ClassVar[str] = "minutes"
    prefix: ClassVar[str] = "min"

    event: Annotated[str, Ref("event")]
    text: Body
    decisions: ListOf[Line] = ()
    actions: SetOf[Annotated[str, Ref("task")]] = ()
    """Tasks that it gave the user."""
