"""E7xx: the records of a world: ids and references, what is known when, sums, hours, capacity, prose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import combinations, pairwise
from typing import TypeVar
from zoneinfo import ZoneInfo

from mempabench.domain.worlds import (
    Account,
    Bill,
    Claim,
    Contact,
    Conversation,
    Device,
    Document,
    Event,
    Expense,
    Fare,
    File,
    Journey,
    Mail,
    Medication,
    Message,
    Minutes,
    Order,
    Payment,
    Place,
    Product,
    Refill,
    Reservation,
    Room,
    RoomBooking,
    Routine,
    Slot,
    Task,
    Ticket,
    Venue,
    WorldHeader,
    WorldRecord,
    kind_of,
    references,
)
from mempabench.validators.check import Rule
from mempabench.validators.places import repeated
from mempabench.world.binding import FORMS, slots, texts

R = TypeVar("R", bound=WorldRecord)
WEEKDAY = re.compile(
    r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? (?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of )?"
    r"(January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
WEEKDAYS = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
AMOUNT = re.compile(r"(?<![\d.,:-])(?<!at )\d{1,6}\.\d{2}(?![\d.])")


@dataclass(frozen=True)
class WorldData:
    """A world as it was written, slots and all."""

    header: WorldHeader
    records: tuple[WorldRecord, ...]

    @cached_property
    def by_id(self) -> dict[str, WorldRecord]:
        """Records by id; the first where an id is given twice."""
        return {record.id: record for record in reversed(self.records)}

    def all(self, kind: type[R]) -> list[R]:
        """Return the records of a kind."""
        return [record for record in self.records if isinstance(record, kind)]

    def get(self, kind: type[R], key: str | None) -> R | None:
        """Return the record of an id, or None where there is none of that kind."""
        record = self.by_id.get(key or "")
        return record if isinstance(record, kind) else None

    def local(self, instant: datetime) -> datetime:
        """Return an instant in the user's zone."""
        return instant.astimezone(ZoneInfo(self.header.zone))


def twice(world: WorldData) -> Iterator[str]:
    """Yield ids that two records have."""
    return repeated(record.id for record in world.records)


def wrong_ids(world: WorldData) -> Iterator[str]:
    """Yield ids that aren't of their record's kind."""
    return (f"{record.id} ({record.kind})" for record in world.records if kind_of(record.id) != record.kind)


def dangling(world: WorldData) -> Iterator[str]:
    """Yield references to records that aren't there, or are of another kind than is meant."""
    for record in world.records:
        for field, kind, key in references(record):
            if key not in world.by_id:
                yield f"{record.id}.{field} ({key})"
            elif kind and kind_of(key) != kind:
                yield f"{record.id}.{field} ({key} is no {kind})"


def from_the_future(world: WorldData) -> Iterator[str]:
    """Yield references to records that come to be known only later."""
    for record in world.records:
        for field, _, key in references(record):
            other = world.by_id.get(key)
            if other is not None and other.entered > record.entered:
                yield f"{record.id}.{field} ({key})"


def not_the_user(world: WorldData) -> Iterator[str]:
    """Yield what of the header isn't borne out by the user's own contact."""
    me = world.get(Contact, world.header.me)
    if me is None or me.relation != "self" or me.name != world.header.name:
        yield f"{world.header.me} ({world.header.name})"
        return
    for address in (world.header.work_email, world.header.personal_email):
        if address not in me.emails:
            yield f"{me.id} ({address})"


def shared_addresses(world: WorldData) -> Iterator[str]:
    """Yield mail addresses that two contacts have."""
    return repeated(address for contact in world.all(Contact) for address in contact.emails)


def ends_first(world: WorldData) -> Iterator[str]:
    """Yield what ends before it begins."""
    for record in world.records:
        begins, closes = getattr(record, "starts", None), getattr(record, "ends", None)
        if isinstance(record, Fare):
            begins, closes = record.departs, record.arrives
        if begins is not None and closes is not None and closes <= begins:
            yield record.id


def known_before_sent(world: WorldData) -> Iterator[str]:
    """Yield mails and messages that are known before they were sent, and drafts that were sent."""
    for mail in world.all(Mail):
        if (mail.folder == "drafts") != (mail.sent_at is None) or (
            mail.sent_at and mail.sent_at > mail.entered
        ):
            yield f"{mail.id} ({mail.folder})"
    for message in world.all(Message):
        if message.sent_at > message.entered:
            yield message.id


def answers_first(world: WorldData) -> Iterator[str]:
    """Yield mails that answer a later one, or one that neither of the two wrote to the other."""
    for mail in world.all(Mail):
        first = world.get(Mail, mail.answers)
        if first is None or mail.sent_at is None or first.sent_at is None:
            continue
        people = {mail.sender, *mail.to, *mail.cc} & {first.sender, *first.to, *first.cc}
        if first.sent_at >= mail.sent_at or not people:
            yield f"{mail.id} ({first.id})"


def strangers(world: WorldData) -> Iterator[str]:
    """Yield messages of somebody who isn't in the conversation, and conversations without the user or anybody else."""
    for chat in world.all(Conversation):
        if world.header.me not in chat.members or len(chat.members) < 2:
            yield chat.id
    for message in world.all(Message):
        conversation = world.get(Conversation, message.conversation)
        if conversation is not None and message.sender not in conversation.members:
            yield f"{message.id} ({message.sender})"


def misaddressed(world: WorldData) -> Iterator[str]:
    """Yield mails that the user neither wrote nor got, or that lie in the wrong account."""
    for mail in world.all(Mail):
        mine = world.header.work_email if mail.context == "work" else world.header.personal_email
        wrote = mail.folder in ("sent", "drafts")
        if (wrote and mail.sender != mine) or (not wrote and mine not in (*mail.to, *mail.cc, mail.sender)):
            yield f"{mail.id} ({mail.context})"


def order_dates(world: WorldData) -> Iterator[str]:
    """Yield orders whose dates don't follow one another."""
    for order in world.all(Order):
        steps = [order.placed_at, order.dispatched_at, order.delivered_at]
        given = [step for step in steps if step is not None]
        due_before = order.due_on < world.local(order.placed_at).date()
        skipped = order.delivered_at is not None and order.dispatched_at is None
        if given != sorted(given) or due_before or skipped or order.placed_at > order.entered:
            yield order.id


def task_dates(world: WorldData) -> Iterator[str]:
    """Yield tasks whose status doesn't fit their time, their assignee or the tasks that come first."""
    for task in world.all(Task):
        before = [world.get(Task, key) for key in task.after]
        early = task.status == "done" and any(one is not None and one.status != "done" for one in before)
        untimed = (task.status == "done") != (task.done_at is not None)
        unassigned = task.status != "done" and (task.status == "delegated") != (task.assignee is not None)
        if untimed or unassigned or early:
            yield f"{task.id} ({task.status})"


def circles(world: WorldData) -> Iterator[str]:
    """Yield tasks, tickets and mails that wait for, are blocked by or answer themselves."""
    ways: dict[str, tuple[str, ...]] = {task.id: task.after for task in world.all(Task)}
    ways |= {ticket.id: ticket.blocked_by for ticket in world.all(Ticket)}
    ways |= {mail.id: (mail.answers,) for mail in world.all(Mail) if mail.answers}
    for start in ways:
        seen, waiting = set[str](), list(ways[start])
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += ways.get(one, ())
        if start in seen:
            yield start


def bad_sums(world: WorldData) -> Iterator[str]:
    """Yield orders, journeys and claims whose total isn't the sum of their parts."""
    for order in world.all(Order):
        if order.total != sum((line.price * line.quantity for line in order.lines), Decimal(0)):
            yield f"{order.id} ({order.total})"
    for journey in world.all(Journey):
        fare = world.get(Fare, journey.fare)
        if fare is not None and journey.price != fare.price * len(journey.passengers):
            yield f"{journey.id} ({journey.price})"
    for claim in world.all(Claim):
        expenses = [world.get(Expense, key) for key in claim.expenses]
        if claim.total != sum((one.amount for one in expenses if one), Decimal(0)):
            yield f"{claim.id} ({claim.total})"


def amount_of(world: WorldData, record: WorldRecord | None) -> Decimal | None:
    """Return what a record costs."""
    match record:
        case Order(total=amount) | Bill(amount=amount) | Journey(price=amount):
            return amount
        case Reservation(venue=venue, party=party):
            found = world.get(Venue, venue)
            return None if found is None else found.deposit * party
    return None


def bad_payments(world: WorldData) -> Iterator[str]:
    """Yield payments of another amount than what they pay, and records of which only one of the two names the other."""
    for payment in world.all(Payment):
        paid = world.by_id.get(payment.about or "")
        amount = amount_of(world, paid)
        if amount is not None and amount != payment.amount:
            yield f"{payment.id} ({payment.amount}, {payment.about})"
        elif (
            amount is not None
            and getattr(paid, "payment", None) != payment.id
            and payment.status != "cancelled"
        ):
            yield f"{payment.id} ({payment.about})"
    for record in world.records:
        key = getattr(record, "payment", None)
        named = world.get(Payment, key)
        if named is not None and named.about not in (record.id, None):
            yield f"{record.id} ({named.id})"


def payment_days(world: WorldData) -> Iterator[str]:
    """Yield payments that were made after they were known of, or are scheduled for a day before."""
    for payment in world.all(Payment):
        day = world.local(payment.entered).date()
        if (payment.status in ("paid", "refunded") and payment.on > day) or (
            payment.status == "scheduled" and payment.on <= day
        ):
            yield f"{payment.id} ({payment.status} on {payment.on})"


def overdrawn(world: WorldData) -> Iterator[str]:
    """Yield accounts that are below what they may be."""
    return (one.id for one in world.all(Account) if one.balance < -one.overdraft)


def invited_twice(world: WorldData) -> Iterator[str]:
    """Yield events to which somebody is asked twice, or the organizer is, or that the user has no part in."""
    for event in world.all(Event):
        guests = [guest.contact for guest in event.guests]
        people = (event.organizer, *guests)
        if len(set(people)) < len(people) or world.header.me not in people:
            yield event.id


def in_two_places(world: WorldData) -> Iterator[str]:
    """Yield events that take the user's time while another does."""
    me = world.header.me
    taken = [
        event
        for event in world.all(Event)
        if event.status == "confirmed"
        and (
            event.organizer == me
            or any(guest.contact == me and guest.reply == "accepted" for guest in event.guests)
        )
    ]
    for one, other in combinations(sorted(taken, key=lambda event: event.starts), 2):
        if one.starts < other.ends and other.starts < one.ends:
            yield f"{one.id} ({other.id})"


def double_rooms(world: WorldData) -> Iterator[str]:
    """Yield bookings of a room that is taken, too small, or booked for another time than its event's."""
    bookings = world.all(RoomBooking)
    for one, other in combinations(bookings, 2):
        if one.room == other.room and one.starts < other.ends and other.starts < one.ends:
            yield f"{one.id} ({other.id})"
    for booking in bookings:
        event, room = world.get(Event, booking.event), world.get(Room, booking.room)
        if event is None or room is None:
            continue
        if len(event.guests) + 1 > room.seats or (event.starts, event.ends) != (booking.starts, booking.ends):
            yield f"{booking.id} ({event.id})"


def open_then(world: WorldData, place: Place, starts: datetime, ends: datetime) -> bool:
    """Return whether a place is open from an instant to another on the same day."""
    first, last = world.local(starts), world.local(ends)
    if not place.hours:
        return True
    return first.date() not in place.closed_on and any(
        hours.weekday == first.weekday() and hours.opens <= first.time() and last.time() <= hours.closes
        for hours in place.hours
        if first.date() == last.date()
    )


def closed(world: WorldData) -> Iterator[str]:
    """Yield events and booked reservations at a time when their place is closed."""
    for event in world.all(Event):
        place = world.get(Place, event.place)
        if (
            place is not None
            and event.status != "cancelled"
            and not open_then(world, place, event.starts, event.ends)
        ):
            yield f"{event.id} ({place.id})"
    for made in world.all(Reservation):
        venue = world.get(Venue, made.venue)
        place = world.get(Place, venue.place) if venue else None
        if venue is None or place is None or venue.sort == "hotel" or made.status != "booked":
            continue
        slot = world.get(Slot, made.slot)
        ends = made.starts + timedelta(minutes=slot.minutes if slot else 0)
        if not open_then(world, place, made.starts, ends):
            yield f"{made.id} ({place.id})"


def bad_hours(world: WorldData) -> Iterator[str]:
    """Yield places that close before they open, or whose hours of a day overlap."""
    for place in world.all(Place):
        days = defaultdict(list)
        for hours in place.hours:
            days[hours.weekday].append((hours.opens, hours.closes))
        for spans in days.values():
            ordered = sorted(spans)
            if any(closes <= opens for opens, closes in ordered) or any(
                later[0] < earlier[1] for earlier, later in pairwise(ordered)
            ):
                yield place.id
                break


def reserved_otherwise(world: WorldData) -> Iterator[str]:
    """Yield bookings at another time or venue than their slot, their fare or their event."""
    for made in world.all(Reservation):
        slot = world.get(Slot, made.slot)
        if slot is not None and (slot.venue, slot.starts) != (made.venue, made.starts):
            yield f"{made.id} ({slot.id})"
        event = world.get(Event, made.event)
        if event is not None and (event.starts != made.starts or made.id not in event.about):
            yield f"{made.id} ({event.id})"
    for journey in world.all(Journey):
        event, fare = world.get(Event, journey.event), world.get(Fare, journey.fare)
        if event is not None and fare is not None and (
            (event.starts, event.ends) != (fare.departs, fare.arrives) or journey.id not in event.about
        ):  # fmt: skip
            yield f"{journey.id} ({event.id})"


def not_sold(world: WorldData) -> Iterator[str]:
    """Yield orders of another shop's products, and ones that are neither delivered nor fetched, or both."""
    for order in world.all(Order):
        products = [world.get(Product, line.product) for line in order.lines]
        shops = {order.shop, *(product.shop for product in products if product is not None)}
        if len(shops) > 1 or (order.address is None) == (order.pickup is None):
            yield order.id


def off_the_list(world: WorldData) -> Iterator[str]:
    """Yield devices set to what they can't be, and routines that set one so."""
    for device in world.all(Device):
        if device.setting not in device.options or not set(device.by_hand_only) <= set(device.options):
            yield f"{device.id} ({device.setting})"
    for routine in world.all(Routine):
        for one in routine.settings:
            found = world.get(Device, one.device)
            if found is not None and one.setting not in found.options:
                yield f"{routine.id} ({one.device}: {one.setting})"


def same_path(world: WorldData) -> Iterator[str]:
    """Yield paths of two files, or of a file and a folder, and copies that are ahead of their document."""
    paths = sorted(file.path.casefold() for file in world.all(File))
    yield from repeated(paths)
    known = set(paths)
    for path in paths:
        parts = path.split("/")
        if any("/".join(parts[:end]) in known for end in range(1, len(parts))):
            yield path
    for file in world.all(File):
        document = world.get(Document, file.copy_of)
        if document is not None and (file.copied_version or 0) > document.version:
            yield f"{file.id} ({document.id} has {document.version})"


def claimed_otherwise(world: WorldData) -> Iterator[str]:
    """Yield expenses that name another claim than the one that holds them."""
    held = {key: claim.id for claim in world.all(Claim) for key in claim.expenses}
    for expense in world.all(Expense):
        if expense.claim != held.get(expense.id):
            yield f"{expense.id} ({expense.claim or 'no claim'})"


def minutes_first(world: WorldData) -> Iterator[str]:
    """Yield minutes of an event that wasn't over when they were written, or was cancelled."""
    for minutes in world.all(Minutes):
        event = world.get(Event, minutes.event)
        if event is not None and (event.status == "cancelled" or event.ends > minutes.entered):
            yield f"{minutes.id} ({event.id})"


def refilled_otherwise(world: WorldData) -> Iterator[str]:
    """Yield packs that are ready before they were asked for, or on a day when the pharmacy is closed."""
    for refill in world.all(Refill):
        medication = world.get(Medication, refill.medication)
        place = world.get(Place, medication.pharmacy) if medication else None
        asked = world.local(refill.requested_at).date()
        days = {hours.weekday for hours in place.hours} if place else set()
        closed_then = place is not None and (
            refill.ready_on in place.closed_on or (days and refill.ready_on.weekday() not in days)
        )
        if refill.ready_on < asked or closed_then or refill.requested_at > refill.entered:
            yield f"{refill.id} ({refill.ready_on})"


def unbound(world: WorldData) -> Iterator[str]:
    """Yield slots that name no field of a record, or one in no form."""
    for record in world.records:
        for slot in slots(record):
            other = world.by_id.get(slot.record)
            if other is None or slot.field not in type(other).model_fields or slot.form not in ("", *FORMS):
                yield f"{record.id} ({slot.record}.{slot.field}{'|' if slot.form else ''}{slot.form})"


def told_too_early(world: WorldData) -> Iterator[str]:
    """Yield slots that name a record that comes to be known only later."""
    for record in world.records:
        for slot in slots(record):
            other = world.by_id.get(slot.record)
            if other is not None and other.entered > record.entered:
                yield f"{record.id} ({other.id})"


def free_amounts(world: WorldData) -> Iterator[str]:
    """Yield amounts that stand in prose without a slot, so that nothing holds them to a record."""
    for record in world.records:
        if isinstance(record, Mail | Message | Minutes | File | Document) or record.kind == "note":
            for text in texts(record):
                for match in AMOUNT.finditer(text):
                    yield f"{record.id} ({match[0]})"


def wrong_weekdays(world: WorldData) -> Iterator[str]:
    """Yield dates in prose whose weekday isn't theirs, in the year in which the record came to be known or the next."""
    for record in world.records:
        year = world.local(record.entered).year
        for text in texts(record):
            for match in WEEKDAY.finditer(text):
                weekday, month = WEEKDAYS.index(match[1]), MONTHS.index(match[3]) + 1
                if not any(is_on(year + later, month, int(match[2]), weekday) for later in (-1, 0, 1)):
                    yield f"{record.id} ({match[0]})"


def is_on(year: int, month: int, day: int, weekday: int) -> bool:
    """Return whether a date is there and falls on a weekday."""
    try:
        return date(year, month, day).weekday() == weekday
    except ValueError:
        return False


WorldRule = Rule[WorldData]

WORLD_CHECKS: tuple[WorldRule, ...] = (
    WorldRule("E701", "an id is given to two records", twice),
    WorldRule("E702", "an id isn't one of the record's kind", wrong_ids),
    WorldRule("E703", "a record is named that isn't there", dangling),
    WorldRule("E704", "a record is named before it is known", from_the_future),
    WorldRule("E705", "the header doesn't fit the user's own contact", not_the_user),
    WorldRule("E706", "two contacts have one mail address", shared_addresses),
    WorldRule("E707", "something ends before it begins", ends_first),
    WorldRule(
        "E708", "a mail or message is known before it was sent, or a draft was sent", known_before_sent
    ),
    WorldRule("E709", "a mail answers a later one, or one between other people", answers_first),
    WorldRule("E710", "somebody writes into a conversation that they aren't in", strangers),
    WorldRule("E711", "a mail lies in an account that it neither came to nor went from", misaddressed),
    WorldRule("E712", "the dates of an order don't follow one another", order_dates),
    WorldRule(
        "E713", "a task's status doesn't fit its time, its assignee or what comes before it", task_dates
    ),
    WorldRule("E714", "records wait for one another in a circle", circles),
    WorldRule("E715", "a total isn't the sum of its parts", bad_sums),
    WorldRule("E716", "a payment and what it pays don't fit", bad_payments),
    WorldRule("E717", "a payment's day doesn't fit its status", payment_days),
    WorldRule("E718", "an account is below what it may be", overdrawn),
    WorldRule("E719", "somebody is asked to an event twice, or the user has no part in it", invited_twice),
    WorldRule("E720", "the user is in two places at once", in_two_places),
    WorldRule(
        "E721", "a room is booked twice, too small, or for another time than the event's", double_rooms
    ),
    WorldRule("E722", "something takes place when the place is closed", closed),
    WorldRule("E723", "opening hours overlap or end before they begin", bad_hours),
    WorldRule(
        "E724", "a booking doesn't fit the slot, the fare or the event that it names", reserved_otherwise
    ),
    WorldRule("E725", "an order mixes shops, or is neither delivered nor fetched", not_sold),
    WorldRule("E726", "a device is set to what it can't be", off_the_list),
    WorldRule("E727", "two files are at one path, or a copy is ahead of its document", same_path),
    WorldRule("E728", "an expense and its claim don't fit", claimed_otherwise),
    WorldRule("E729", "there are minutes of an event that wasn't over", minutes_first),
    WorldRule("E730", "a pack is ready when it can't be", refilled_otherwise),
    WorldRule("E731", "a slot in prose names nothing", unbound),
    WorldRule("E732", "prose tells of a record before it is known", told_too_early),
    WorldRule("E733", "an amount in prose is bound to no record", free_amounts),
    WorldRule("E734", "a date in prose has the wrong weekday", wrong_weekdays),
)
"""All rules over a world, in the order of their codes."""
