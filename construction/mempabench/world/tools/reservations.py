"""Venues: who has a place when, reserving, cancelling, arranging by letter."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import (
    Account,
    Event,
    Mail,
    Payment,
    Place,
    Reservation,
    Slot,
    Venue,
)
from mempabench.domain.worlds.base import Body, Instant, Line
from mempabench.world.acts import clashes, is_open, pay, refund, send_mail
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Sort = Literal["restaurant", "hotel", "cinema", "sports", "hairdresser", "workshop", "clinic", "hall"]
Party = Annotated[int, Field(ge=1, le=500)]


@tool(reads=(Venue, Place, Slot), finds=(Venue, Slot))
def venues_search(
    view: View,
    text: Line | None = None,
    sort: Sort | None = None,
    since: Instant | None = None,
    until: Instant | None = None,
    party: Party = 1,
    limit: Limit = 10,
    after: After = None,
) -> dict[str, Any]:
    """List venues by name, with what they ask and the times that they still offer.

    Args:
        text: words that stand in the name, the address, what is said of it or what it offers
        sort: only of this sort
        since: only times at or after it; now where it isn't given
        until: only times before it
        party: only times with so many places left
    """
    begin = max(since or view.now, view.now)
    offers: dict[str, list[Slot]] = {}
    for slot in view.all(Slot):
        if slot.starts >= begin and (until is None or slot.starts < until) and slot.left >= party:
            offers.setdefault(slot.venue, []).append(slot)
    places = {venue.id: view.get(Place, venue.place) for venue in view.all(Venue)}
    found = [
        venue
        for venue in view.all(Venue)
        if sort in (None, venue.sort)
        and matches(
            text, places[venue.id].name, places[venue.id].address, venue.about,
            *(slot.what for slot in offers.get(venue.id, ())),
        )
    ]  # fmt: skip
    found.sort(key=lambda venue: (places[venue.id].name.casefold(), venue.id))

    def shown(venue: Venue) -> dict[str, Any]:
        slots = sorted(offers.get(venue.id, ()), key=lambda slot: (slot.starts, slot.id))
        place = places[venue.id]
        hours = [view.show(one) for one in place.hours]
        return {
            **view.show(venue),
            "name": place.name,
            "address": place.address,
            "hours": hours,
            "slots": [
                view.show(slot, "starts", "minutes", "left", "what", "needs_referral") for slot in slots[:20]
            ],
        }

    return page(found, shown, limit, after)


@tool(reads=(Venue, Place), writes=(Reservation, Slot, Event, Payment, Account), external=True)
def reservations_make(
    view: View,
    slot_id: str,
    party: Party,
    context: Context,
    account_id: str | None = None,
    note: Body = "",
) -> dict[str, Any]:
    """Reserve places at a venue at a time that it offers, pay the deposit, and enter it into the calendar. What is
    reserved for the user at that time already is not reserved twice.

    Appointments at a clinic are made with health_book.

    Args:
        slot_id: the time as venues_search gives it
        party: how many come
        context: work, or private life
        account_id: the account to pay the deposit from, where there is one
        note: a word to the venue

    Raises:
        in_the_past: that time is over
        at_a_clinic: appointments there are made with health_book
        closed_then: the venue is closed then
        clash: another event that the user takes part in is at that time; free the time first
        deposit_due: the venue takes a deposit; name the account to pay it from
        no_funds: the account would go below what it may

    Limits:
        no_online_booking: the venue takes no reservations over the net; reservations_request writes to it
        party_too_large: the venue arranges for so many by letter only; reservations_request writes to it
        full: fewer places are left then than are needed; venues_search has other times
        over_daily_limit: more would leave the account today than may; pay from another one, as accounts_list has them
    """
    slot = view.get(Slot, slot_id)
    venue = view.get(Venue, slot.venue)
    place = view.get(Place, venue.place)
    for one in sorted(view.all(Reservation), key=lambda one: one.id):
        if (one.slot, one.status) == (slot.id, "booked"):
            return {**view.show(one), "reserved_now": False}
    if slot.starts <= view.now:
        raise Refusal("in_the_past", slot.id)
    if venue.sort == "clinic":
        raise Refusal("at_a_clinic", place.name)
    if not venue.online:
        raise Refusal("no_online_booking", place.name)
    if party > venue.largest_party:
        raise Refusal("party_too_large", f"{place.name} takes {venue.largest_party}")
    if slot.left < party:
        raise Refusal("full", f"{slot.id} has {slot.left}")
    ends = slot.starts + timedelta(minutes=slot.minutes)
    if venue.sort != "hotel" and not is_open(view, place, slot.starts, ends):
        raise Refusal("closed_then", place.name)
    in_the_way = (
        sorted(event.id for event in clashes(view, slot.starts, ends)) if venue.sort != "hotel" else []
    )
    if in_the_way:
        raise Refusal("clash", ", ".join(in_the_way))
    event = view.add(
        Event,
        title=f"{slot.what}, {place.name}" if slot.what else place.name,
        context=context,
        starts=slot.starts,
        ends=ends,
        organizer=view.me.id,
        location=place.address,
        place=place.id,
    )
    made = view.add(
        Reservation,
        venue=venue.id,
        slot=slot.id,
        context=context,
        starts=slot.starts,
        party=party,
        name=view.me.name,
        note=note,
        event=event.id,
    )
    view.change(event, about=(made.id,))
    view.change(slot, left=slot.left - party)
    if venue.deposit:
        if account_id is None:
            raise Refusal("deposit_due", f"{venue.deposit * party}")
        account, amount = view.get(Account, account_id), venue.deposit * party
        paid = pay(view, account, place.name, amount, f"Deposit {made.id}", about=made.id)
        made = view.change(made, payment=paid.id)
    return {**view.show(made), "reserved_now": True}


@tool(reads=(Venue,), writes=(Reservation, Slot, Event, Payment, Account), external=True)
def reservations_cancel(view: View, reservation_id: str, give_up_deposit: bool = False) -> dict[str, Any]:
    """Cancel a reservation or an appointment, give its places back, take it out of the calendar, and have the deposit
    paid back where it is still time. One that is cancelled already stays so.

    Args:
        reservation_id: the reservation
        give_up_deposit: whether to cancel even though the deposit is lost

    Raises:
        in_the_past: it has begun already
        deposit_lost: the time of free cancelling is over; say with give_up_deposit that the deposit is given up
    """
    made = view.get(Reservation, reservation_id)
    if made.status == "cancelled":
        return {**view.show(made), "paid_back": None}
    if made.starts <= view.now:
        raise Refusal("in_the_past", made.id)
    venue = view.get(Venue, made.venue)
    late = made.starts - view.now < timedelta(hours=venue.free_cancelling)
    if late and made.payment and not give_up_deposit:
        raise Refusal("deposit_lost", made.id)
    back = None if late else refund(view, made.payment)
    slot = view.find(Slot, made.slot) if made.slot else None
    if slot is not None:
        view.change(slot, left=slot.left + made.party)
    event = view.find(Event, made.event) if made.event else None
    if event is not None:
        view.change(event, status="cancelled")
    return {**view.show(view.change(made, status="cancelled")), "paid_back": back.amount if back else None}


@tool(reads=(Venue, Place), writes=(Mail,), external=True)
def reservations_request(
    view: View,
    venue_id: str,
    starts: Instant,
    party: Party,
    context: Context,
    text: Annotated[str, StringConstraints(min_length=1, max_length=2000)],
) -> dict[str, Any]:
    """Write to a venue that one would like to come; nothing is reserved before it answers.

    Args:
        venue_id: the venue
        starts: when the party would come
        party: how many would come
        context: work, or private life
        text: what to write

    Raises:
        in_the_past: that time is over
        closed_then: the venue is closed then
        asked_already: the venue was written to about this time already
    """
    venue = view.get(Venue, venue_id)
    place = view.get(Place, venue.place)
    if starts <= view.now:
        raise Refusal("in_the_past", view.local(starts).isoformat())
    if venue.sort != "hotel" and not is_open(view, place, starts, starts):
        raise Refusal("closed_then", place.name)
    there = view.local(starts)
    subject = f"Request for {party} on {there:%A} {there.day} {there:%B}, {there:%H:%M}"
    for mail in sorted(view.all(Mail), key=lambda mail: mail.id):
        if mail.folder == "sent" and (mail.subject, mail.to) == (subject, (venue.email,)):
            raise Refusal("asked_already", mail.id)
    return view.show(send_mail(view, context, (venue.email,), subject, text))
