"""Appointments with doctors and therapists, and what is taken on prescription."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import (
    Contact,
    Event,
    Medication,
    Place,
    Referral,
    Refill,
    Reservation,
    Slot,
    Venue,
)
from mempabench.domain.worlds.base import Body, Instant, Line
from mempabench.world.acts import clashes
from mempabench.world.searching import matches
from mempabench.world.tool import tool
from mempabench.world.view import Refusal, View, named


@tool(reads=(Venue, Place, Slot, Referral, Reservation))
def health_find_appointments(
    view: View, text: Line | None = None, since: Instant | None = None, until: Instant | None = None
) -> dict[str, Any]:
    """List clinics and practices with their free times, whether the user has the referral that a time needs, and the
    appointments that are made there already.

    Args:
        text: words that stand in the name, what is said of it or what it offers
        since: only times at or after it; now where it isn't given
        until: only times before it
    """
    begin = max(since or view.now, view.now)
    items = []
    for venue in sorted(view.all(Venue), key=lambda one: one.id):
        place = view.get(Place, venue.place)
        slots = [
            slot
            for slot in view.all(Slot)
            if slot.venue == venue.id
            and slot.left
            and slot.starts >= begin
            and (until is None or slot.starts < until)
        ]
        if venue.sort != "clinic" or not matches(
            text, place.name, venue.about, *(slot.what for slot in slots)
        ):
            continue
        made = [
            one for one in view.all(Reservation)
            if one.venue == venue.id and one.status == "booked" and one.starts > view.now
        ]  # fmt: skip
        items.append(
            {
                **view.show(venue),
                "name": place.name,
                "address": place.address,
                "slots": [
                    {**view.show(slot), "referred": referred(view, slot) if slot.needs_referral else None}
                    for slot in sorted(slots, key=lambda one: (one.starts, one.id))[:20]
                ],
                "made": [
                    view.show(one, "starts") for one in sorted(made, key=lambda one: (one.starts, one.id))
                ],
            }
        )
    return {"items": items}


def referred(view: View, slot: Slot) -> bool:
    """Return whether the user has a referral that holds at the time of a slot."""
    day = view.local(slot.starts).date()
    return any(one.venue == slot.venue and one.valid_until >= day for one in view.all(Referral))


@tool(reads=(Venue, Place, Referral), writes=(Reservation, Slot, Event), external=True)
def health_book(view: View, slot_id: str, reason: Body = "", replace_id: str | None = None) -> dict[str, Any]:
    """Make an appointment at a clinic or practice and enter it into the calendar; one that it takes the place of is
    given back. What is made already is not made twice.

    Args:
        slot_id: the time as health_find_appointments gives it
        reason: what it is about, for the practice
        replace_id: an appointment at the same practice that is given up for it

    Raises:
        not_a_clinic: this is no clinic; reserve with reservations_make
        in_the_past: that time is over
        clash: another event that the user takes part in is at that time; free the time first
        other_practice: the appointment to give up isn't a booked one at this practice

    Limits:
        no_online_booking: the practice makes no appointments over the net; reservations_request writes to it
        needs_referral: this time is for people with a referral only; ask a doctor for one with mail_send
        full: the time is taken; health_find_appointments has others
    """
    slot = view.get(Slot, slot_id)
    venue = view.get(Venue, slot.venue)
    place = view.get(Place, venue.place)
    for one in sorted(view.all(Reservation), key=lambda one: one.id):
        if (one.slot, one.status) == (slot.id, "booked"):
            return {**view.show(one), "made_now": False}
    if venue.sort != "clinic":
        raise Refusal("not_a_clinic", place.name)
    if slot.starts <= view.now:
        raise Refusal("in_the_past", slot.id)
    if not venue.online:
        raise Refusal("no_online_booking", place.name)
    if slot.needs_referral and not referred(view, slot):
        raise Refusal("needs_referral", place.name)
    if slot.left < 1:
        raise Refusal("full", slot.id)
    if replace_id is not None:
        given_up(view, view.get(Reservation, replace_id), venue)
    ends = slot.starts + timedelta(minutes=slot.minutes)
    in_the_way = sorted(event.id for event in clashes(view, slot.starts, ends))
    if in_the_way:
        raise Refusal("clash", ", ".join(in_the_way))
    event = view.add(
        Event,
        title=f"{slot.what or 'Appointment'}, {place.name}",
        context=Context.PERSONAL,
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
        context=Context.PERSONAL,
        starts=slot.starts,
        party=1,
        name=view.me.name,
        note=reason,
        event=event.id,
    )
    view.change(event, about=(made.id,))
    view.change(slot, left=slot.left - 1)
    return {**view.show(made), "made_now": True}


def given_up(view: View, made: Reservation, venue: Venue) -> None:
    """Give an appointment back.

    Raises:
        Refusal: ``other_practice``.
    """
    if made.venue != venue.id or made.status != "booked":
        raise Refusal("other_practice", made.id)
    slot = view.find(Slot, made.slot) if made.slot else None
    if slot is not None:
        view.change(slot, left=slot.left + made.party)
    event = view.find(Event, made.event) if made.event else None
    if event is not None:
        view.change(event, status="cancelled")
    view.change(made, status="cancelled")


@tool(reads=(Medication, Refill, Contact, Place), finds=(Medication,))
def medications_list(view: View, text: Line | None = None) -> dict[str, Any]:
    """List what the user takes on prescription: how much is left and until when it lasts, how many packs can still be
    asked for, who prescribes it, where it is fetched, and what was asked for lately.

    Args:
        text: words that stand in the name or the dose
    """
    items = []
    for one in sorted(view.all(Medication), key=lambda one: one.id):
        if not matches(text, one.name, one.dose):
            continue
        asked = [refill for refill in view.all(Refill) if refill.medication == one.id]
        last = max(asked, key=lambda refill: (refill.requested_at, refill.id), default=None)
        items.append(
            {
                **view.show(one),
                "lasts_until": view.today + timedelta(days=one.doses_left // one.doses_a_day),
                "prescriber_name": named(view, [one.prescriber])[0],
                "pharmacy_name": view.get(Place, one.pharmacy).name,
                "last_refill": view.show(last) if last else None,
            }
        )
    return {"items": items}


@tool(reads=(Contact, Place), writes=(Medication, Refill), external=True)
def medications_refill(view: View, medication_id: str) -> dict[str, Any]:
    """Ask the pharmacy for another pack of something on prescription, and say when it can be fetched.

    Args:
        medication_id: what is asked for

    Raises:
        asked_already: a pack was asked for and can't have been fetched yet

    Limits:
        no_refills: the prescription is used up; write to the prescriber for a new one with mail_send
        too_early: more than two weeks' worth is left, the pharmacy gives no more before; reminders_set reminds of it
    """
    one = view.get(Medication, medication_id)
    for refill in sorted(view.all(Refill), key=lambda refill: refill.id):
        if refill.medication == one.id and refill.ready_on >= view.today:
            raise Refusal("asked_already", f"{refill.id}, ready on {refill.ready_on.isoformat()}")
    if one.refills_left == 0:
        raise Refusal("no_refills", f"{one.name}, {address_or_name(view, one.prescriber)}")
    if one.doses_left > 14 * one.doses_a_day:
        raise Refusal("too_early", f"{one.name}, {one.doses_left} doses")
    ready = view.today + timedelta(days=1)
    while ready.weekday() == 6 or ready in view.get(Place, one.pharmacy).closed_on:
        ready += timedelta(days=1)
    view.change(one, refills_left=one.refills_left - 1)
    return view.show(view.add(Refill, medication=one.id, requested_at=view.now, ready_on=ready))


def address_or_name(view: View, contact_id: str) -> str:
    """Return where somebody is written to, or their name where that isn't known."""
    contact = view.find(Contact, contact_id)
    return (contact.emails[0] if contact.emails else contact.name) if contact else contact_id
