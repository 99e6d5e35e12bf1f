"""The user's calendar: what is planned, when there is time, who is asked and what they reply."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Busy, Contact, Event, Mail, Place, RoomBooking
from mempabench.domain.worlds.base import Body, Instant, Line
from mempabench.world.acts import address_of, busy_times, clashes, is_open, send_mail, taking_part
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View, named

Contacts = Annotated[tuple[str, ...], Field(min_length=1, max_length=20)]
LONGEST = timedelta(days=31)
QUARTER = timedelta(minutes=15)


def spoken(view: View, instant: datetime) -> str:
    """Return an instant as one writes it in a mail, such as ``Tuesday 2 March 2027, 08:20``."""
    there = view.local(instant)
    return f"{there:%A} {there.day} {there:%B %Y, %H:%M}"


def upright(starts: datetime, ends: datetime) -> None:
    """Refuse a time that ends before it begins."""
    if ends <= starts:
        raise Refusal("ends_before_start", ends.isoformat())


def brief(view: View, event: Event) -> dict[str, Any]:
    """Return an event as a list shows it."""
    return view.show(event, "title", "context", "starts", "ends", "location", "status")


def mine(view: View, event: Event) -> Event:
    """Return an event that the user organizes and that isn't cancelled.

    Raises:
        Refusal: ``not_organizer`` or ``cancelled``.
    """
    if event.status == "cancelled":
        raise Refusal("cancelled", event.id)
    if event.organizer != view.me.id:
        raise Refusal("not_organizer", event.id)
    return event


@tool(reads=(Event,), finds=(Event,))
def calendar_search(
    view: View,
    text: Line | None = None,
    since: Instant | None = None,
    until: Instant | None = None,
    context: Context | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List the events of the user's calendar in the order in which they start, from today on where no time is given.

    Args:
        text: words that stand in the title, the location or the notes
        since: only events that end after it; the beginning of today when neither time is given
        until: only events that start before it
        context: only events of work, or of private life
    """
    if since is None and until is None:
        since = view.instant(view.today, time())
    found = [
        event
        for event in view.all(Event)
        if (since is None or event.ends > since)
        and (until is None or event.starts < until)
        and context in (None, event.context)
        and matches(text, event.title, event.location, event.notes)
    ]
    found.sort(key=lambda event: (event.starts, event.id))
    return page(found, lambda event: brief(view, event), limit, after)


@tool(reads=(Event, Contact, Place, RoomBooking))
def calendar_get(view: View, event_id: str) -> dict[str, Any]:
    """Show an event and what belongs to it: who comes, where it is, whether that is open, what else is at the time.

    Args:
        event_id: the event
    """
    event = view.get(Event, event_id)
    place = view.find(Place, event.place) if event.place else None
    rooms = [booking.room for booking in view.all(RoomBooking) if booking.event == event.id]
    return {
        **view.show(event),
        "organizer_name": named(view, [event.organizer])[0],
        "guests": [{**view.show(guest), "name": named(view, [guest.contact])[0]} for guest in event.guests],
        "address": place.address if place else None,
        "open_then": is_open(view, place, event.starts, event.ends) if place else None,
        "rooms": sorted(rooms),
        "overlaps_with": sorted(other.id for other in clashes(view, event.starts, event.ends, event.id)),
    }


@tool(reads=(Event, Contact, Busy))
def calendar_find_free(
    view: View,
    since: Instant,
    until: Instant,
    minutes: Annotated[int, Field(ge=5, le=720)],
    contact_ids: Annotated[tuple[str, ...], Field(max_length=20)] = (),
    from_time: time = time(9),
    to_time: time = time(17, 30),
    limit: Limit = 10,
) -> dict[str, Any]:
    """Find times at which the user is free, and the contacts that are named too.

    Args:
        since: where to begin
        until: where to end, 31 days later at most
        minutes: how long it takes
        contact_ids: contacts who have to be free too
        from_time: the earliest time of day, in the user's zone
        to_time: the latest time of day by which it is over

    Raises:
        ends_before_start: the end doesn't lie after the beginning
        too_long: more than 31 days are asked for; ask for less at a time

    Limits:
        calendar_not_shared: this contact doesn't share their calendar, so that their times can't be known; ask them
            with messages_send or mail_send, or leave them out here
    """
    upright(since, until)
    if until - since > LONGEST:
        raise Refusal("too_long", (until - since).days)
    taken = [(event.starts, event.ends) for event in view.all(Event) if taking_part(view, event)]
    for key in contact_ids:
        contact = view.get(Contact, key)
        if not contact.shares_calendar:
            raise Refusal("calendar_not_shared", contact.name)
        taken += busy_times(view, contact)
    free = free_times(
        view, max(since, view.now), until, timedelta(minutes=minutes), taken, (from_time, to_time)
    )
    return {
        "items": [
            {"starts": view.local(starts), "ends": view.local(ends)} for starts, ends in islice(free, limit)
        ]
    }


def free_times(
    view: View,
    since: datetime,
    until: datetime,
    length: timedelta,
    taken: list[tuple[datetime, datetime]],
    day: tuple[time, time],
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the free stretches of a length or more, day by day, beginning on a quarter of an hour."""
    today = view.local(since).date()
    while today <= view.local(until).date():
        begins, closes = max(view.instant(today, day[0]), since), min(view.instant(today, day[1]), until)
        for starts, ends in sorted(taken):
            if ends <= begins or starts >= closes:
                continue
            if starts - quarter(begins) >= length:
                yield quarter(begins), starts
            begins = max(begins, ends)
        if closes - quarter(begins) >= length:
            yield quarter(begins), closes
        today += timedelta(days=1)


def quarter(instant: datetime) -> datetime:
    """Return the next quarter of an hour."""
    past = timedelta(minutes=instant.minute % 15, seconds=instant.second)
    return instant + (QUARTER - past if past else past)


@tool(reads=(Place, Contact), writes=(Event,))
def calendar_create(
    view: View,
    title: Line,
    starts: Instant,
    ends: Instant,
    context: Context,
    location: Line | None = None,
    place_id: str | None = None,
    notes: Body = "",
    tentative: bool = False,
    about: Annotated[tuple[str, ...], Field(max_length=10)] = (),
) -> dict[str, Any]:
    """Enter an event into the user's own calendar; nobody is asked to it (calendar_invite does that).

    An event with the same title at the same time is not entered again. What overlaps with it is named in the result.

    Args:
        title: what it is
        starts: when it begins
        ends: when it is over
        context: work, or private life
        location: where it is, in words
        place_id: the place where it is, when it is a known one
        notes: anything else
        tentative: whether it is only pencilled in
        about: ids of what it is about

    Raises:
        ends_before_start: it would end before it begins
        in_the_past: it would be over already
        closed_then: the place isn't open then
    """
    upright(starts, ends)
    if ends <= view.now:
        raise Refusal("in_the_past", ends.isoformat())
    place = view.get(Place, place_id) if place_id else None
    if place is not None and not is_open(view, place, starts, ends):
        raise Refusal("closed_then", place.name)
    same = [
        event
        for event in view.all(Event)
        if (event.title, event.starts, event.ends) == (title, starts, ends) and event.status != "cancelled"
    ]
    event = (
        same[0]
        if same
        else view.add(
            Event,
            title=title,
            context=context,
            starts=starts,
            ends=ends,
            organizer=view.me.id,
            location=location or (place.name if place else None),
            place=place_id,
            notes=notes,
            status="tentative" if tentative else "confirmed",
            about=tuple(dict.fromkeys(about)),
        )
    )
    overlaps = sorted(other.id for other in clashes(view, event.starts, event.ends, event.id))
    return {**view.show(event), "created": not same, "overlaps_with": overlaps}


@tool(reads=(Contact, Place), writes=(Event, RoomBooking))
def calendar_update(
    view: View,
    event_id: str,
    title: Line | None = None,
    starts: Instant | None = None,
    ends: Instant | None = None,
    location: Line | None = None,
    notes: Body | None = None,
    tentative: bool | None = None,
) -> dict[str, Any]:
    """Change an event that the user organizes and to which nobody else is asked.

    A room that is booked for it is kept where it is free at the new time, and released where it isn't.

    Args:
        event_id: the event
        title: what it is
        starts: when it begins; its length stays when only this is given
        ends: when it is over
        location: where it is, in words
        notes: anything else
        tentative: whether it is only pencilled in

    Raises:
        cancelled: the event was cancelled
        ends_before_start: it would end before it begins
        in_the_past: it is over already, or would be

    Limits:
        not_organizer: somebody else organizes it; calendar_respond can propose another time to them
        others_invited: others are asked to it, who have to be told; cancel it with calendar_cancel, then make and
            invite to a new one
    """
    event = mine(view, view.get(Event, event_id))
    if event.guests:
        raise Refusal("others_invited", event.id)
    begins = starts or event.starts
    closes = ends or (begins + (event.ends - event.starts))
    upright(begins, closes)
    if closes <= view.now or event.ends <= view.now:
        raise Refusal("in_the_past", event.id)
    status = {None: event.status, True: "tentative", False: "confirmed"}[tentative]
    new = view.change(
        event,
        title=title or event.title,
        starts=begins,
        ends=closes,
        location=event.location if location is None else location,
        notes=event.notes if notes is None else notes,
        status=status,
    )
    released = move_rooms(view, new) if (begins, closes) != (event.starts, event.ends) else []
    overlaps = sorted(other.id for other in clashes(view, begins, closes, event.id))
    return {**view.show(new), "rooms_released": released, "overlaps_with": overlaps}


def move_rooms(view: View, event: Event) -> list[str]:
    """Move an event's room bookings to its time; release and return those whose room is taken then."""
    bookings = view.all(RoomBooking)
    released = []
    for booking in [one for one in bookings if one.event == event.id]:
        taken = any(
            other.room == booking.room and other.id != booking.id
            and other.starts < event.ends and event.starts < other.ends
            for other in bookings
        )  # fmt: skip
        if taken:
            view.remove(booking)
            released.append(booking.room)
        else:
            view.change(booking, starts=event.starts, ends=event.ends)
    return sorted(released)


@tool(reads=(Contact,), writes=(Event, RoomBooking, Mail), external=True)
def calendar_cancel(view: View, event_id: str, message: Body = "") -> dict[str, Any]:
    """Cancel an event that the user organizes, release its rooms, and write to everybody who was asked to it.

    One that is cancelled already stays as it is.

    Args:
        event_id: the event
        message: what to write to those who were asked; a plain notice when it is empty

    Raises:
        in_the_past: it is over already

    Limits:
        not_organizer: somebody else organizes it; calendar_respond can decline it
    """
    event = view.get(Event, event_id)
    if event.status == "cancelled":
        return {**brief(view, event), "written_to": [], "rooms_released": []}
    event = mine(view, event)
    if event.ends <= view.now:
        raise Refusal("in_the_past", event.id)
    for booking in [one for one in view.all(RoomBooking) if one.event == event.id]:
        view.remove(booking)
    guests = [view.get(Contact, guest.contact) for guest in event.guests]
    addresses = tuple(guest.emails[0] for guest in guests if guest.emails)
    if addresses:
        text = message or f"{event.title} on {spoken(view, event.starts)} is cancelled."
        send_mail(view, event.context, addresses, f"Cancelled: {event.title}", text)
    return {**brief(view, view.change(event, status="cancelled")), "written_to": list(addresses)}


@tool(reads=(Contact,), writes=(Event, Mail), external=True)
def calendar_invite(view: View, event_id: str, contact_ids: Contacts, message: Body = "") -> dict[str, Any]:
    """Ask contacts to an event that the user organizes, by mail. Who is asked already isn't written to again.

    Args:
        event_id: the event
        contact_ids: whom to ask
        message: what to write; a plain invitation when it is empty

    Raises:
        cancelled: the event was cancelled
        in_the_past: it has begun already
        no_address: no mail address of this contact is known; add one with contacts_update

    Limits:
        not_organizer: somebody else organizes it; ask them with mail_send or messages_send to invite more people
    """
    event = mine(view, view.get(Event, event_id))
    if event.starts <= view.now:
        raise Refusal("in_the_past", event.id)
    asked = {guest.contact for guest in event.guests} | {view.me.id}
    new = [view.get(Contact, key) for key in dict.fromkeys(contact_ids) if key not in asked]
    addresses = tuple(address_of(view, contact) for contact in new)
    if new:
        text = message or f"You are invited to {event.title} on {spoken(view, event.starts)}."
        send_mail(view, event.context, addresses, f"Invitation: {event.title}", text)
        guests = (*(view.plain(guest) for guest in event.guests), *({"contact": one.id} for one in new))
        event = view.change(event, guests=guests)
    return {**view.show(event), "written_to": list(addresses)}


@tool(reads=(Contact,), writes=(Event, Mail), external=True)
def calendar_respond(
    view: View,
    event_id: str,
    reply: Literal["accepted", "tentative", "declined"],
    message: Body = "",
    propose: Instant | None = None,
) -> dict[str, Any]:
    """Reply to an invitation, and write it to the organizer, with another time where one is proposed.

    The same reply without a message or another time isn't sent again.

    Args:
        event_id: the event that the user is asked to
        reply: what to reply
        message: a word to the organizer
        propose: when the event could begin instead

    Raises:
        not_invited: the user isn't asked to it
        cancelled: the event was cancelled
        in_the_past: it is over already, or the proposed time is
        no_address: no mail address of the organizer is known; add one with contacts_update
        clash: another event that the user takes part in is at that time; decline, or free the time first
    """
    event = view.get(Event, event_id)
    before = next((guest.reply for guest in event.guests if guest.contact == view.me.id), None)
    if before is None:
        raise Refusal("not_invited", event.id)
    if event.status == "cancelled":
        raise Refusal("cancelled", event.id)
    if event.ends <= view.now or (propose and propose <= view.now):
        raise Refusal("in_the_past", event.id)
    in_the_way = sorted(other.id for other in clashes(view, event.starts, event.ends, event.id))
    if reply == "accepted" and in_the_way:
        raise Refusal("clash", ", ".join(in_the_way))
    if reply == before and not message and propose is None:
        return {**view.show(event), "written_to": []}
    organizer = view.get(Contact, event.organizer)
    lines = [f"{view.me.name} has {'accepted' if reply == 'accepted' else reply}: {event.title}."]
    lines += [f"Could it begin on {spoken(view, propose)} instead?"] if propose else []
    lines += [message] if message else []
    address = address_of(view, organizer)
    send_mail(view, event.context, (address,), f"{reply.capitalize()}: {event.title}", "\n".join(lines))
    guests = [
        {**view.plain(guest), "reply": reply} if guest.contact == view.me.id else view.plain(guest)
        for guest in event.guests
    ]
    return {**view.show(view.change(event, guests=tuple(guests))), "written_to": [address]}
