"""Rooms at work: which are free, and booking one for an event."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Event, Room, RoomBooking
from mempabench.domain.worlds.base import Instant, Line
from mempabench.world.tool import tool
from mempabench.world.tools.calendar import upright
from mempabench.world.view import Refusal, View


def taken(view: View, room: Room, starts: datetime, ends: datetime) -> RoomBooking | None:
    """Return a booking of a room that overlaps with a time."""
    return next(
        (
            booking
            for booking in sorted(view.all(RoomBooking), key=lambda one: (one.starts, one.id))
            if booking.room == room.id and booking.starts < ends and starts < booking.ends
        ),
        None,
    )


@tool(reads=(Room, RoomBooking), finds=(Room,))
def rooms_find(
    view: View,
    starts: Instant,
    ends: Instant,
    seats: Annotated[int, Field(ge=1, le=500)] = 1,
    equipment: Annotated[tuple[Line, ...], Field(max_length=5)] = (),
) -> dict[str, Any]:
    """List the rooms at work that are free at a time, the smallest that is large enough first.

    Args:
        starts: from when on
        ends: until when
        seats: how many have to find a seat
        equipment: what the room has to have

    Raises:
        ends_before_start: the end doesn't lie after the beginning
    """
    upright(starts, ends)
    wanted = {item.casefold() for item in equipment}
    found = [
        room
        for room in view.all(Room)
        if room.seats >= seats
        and wanted <= {item.casefold() for item in room.equipment}
        and taken(view, room, starts, ends) is None
    ]
    return {"items": [view.show(room) for room in sorted(found, key=lambda room: (room.seats, room.id))]}


@tool(reads=(Room,), writes=(RoomBooking, Event), external=True)
def rooms_book(view: View, room_id: str, event_id: str) -> dict[str, Any]:
    """Book a room at work for an event of the user's, and write it into the event; another room is released.

    A room that is booked for the event already stays so.

    Args:
        room_id: the room
        event_id: the event that it is for

    Raises:
        not_at_work: rooms are for events of work only
        not_organizer: somebody else organizes the event
        in_the_past: the event is over already
        cancelled: the event was cancelled

    Limits:
        room_taken: it is booked by somebody else then; rooms_find has the free ones
        too_small: fewer find a seat in it than are asked to the event; rooms_find has larger ones
    """
    room, event = view.get(Room, room_id), view.get(Event, event_id)
    if event.context is not Context.WORK:
        raise Refusal("not_at_work", event.id)
    if event.organizer != view.me.id:
        raise Refusal("not_organizer", event.id)
    if event.status == "cancelled":
        raise Refusal("cancelled", event.id)
    if event.ends <= view.now:
        raise Refusal("in_the_past", event.id)
    booking = taken(view, room, event.starts, event.ends)
    if booking is not None and booking.event != event.id:
        raise Refusal("room_taken", room.name)
    if len(event.guests) + 1 > room.seats:
        raise Refusal("too_small", f"{room.name} has {room.seats} seats")
    for other in [one for one in view.all(RoomBooking) if one.event == event.id and one.room != room.id]:
        view.remove(other)
    if booking is None:
        booking = view.add(
            RoomBooking, room=room.id, starts=event.starts, ends=event.ends, by=view.me.id, event=event.id
        )
    view.change(event, location=room.name, place=None)
    return {**view.show(booking), "room_name": room.name}
