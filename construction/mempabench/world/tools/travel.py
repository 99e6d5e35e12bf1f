"""Journeys: what is offered, booking, changing and cancelling, and what a trip looks like as a whole."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Account, Contact, Event, Fare, Journey, Payment, Reservation, Venue
from mempabench.domain.worlds.base import Line, Money
from mempabench.world.acts import clashes, pay, refund
from mempabench.world.searching import folded
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View, named

People = Annotated[tuple[str, ...], Field(min_length=1, max_length=9)]


@tool(reads=(Fare,), finds=(Fare,))
def travel_search(
    view: View,
    origin: Line,
    destination: Line,
    day: date,
    mode: Literal["train", "coach", "ferry", "flight"] | None = None,
    seats: Annotated[int, Field(ge=1, le=9)] = 1,
    most: Money | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List the journeys that are offered from one town to another on a day and haven't left yet, the earliest first.

    Args:
        origin: where it begins
        destination: where it ends
        day: the day, in the user's zone
        mode: only by this
        seats: how many seats are needed
        most: what one passenger may pay at most
    """
    found = [
        fare
        for fare in view.all(Fare)
        if folded(fare.origin) == folded(origin)
        and folded(fare.destination) == folded(destination)
        and view.local(fare.departs).date() == day
        and fare.departs > view.now
        and mode in (None, fare.mode)
        and fare.seats_left >= seats
        and (most is None or fare.price <= most)
    ]
    found.sort(key=lambda fare: (fare.departs, fare.id))
    return page(found, view.show, limit, after)


def offered(view: View, fare_id: str, seats: int) -> Fare:
    """Return a fare that can be booked for so many.

    Raises:
        Refusal: ``departed``, ``not_sold_here`` or ``sold_out``.
    """
    fare = view.get(Fare, fare_id)
    if fare.departs <= view.now:
        raise Refusal("departed", fare.id)
    if not fare.sold_online:
        raise Refusal("not_sold_here", f"{fare.operator}, {fare.operator_email}")
    if fare.seats_left < seats:
        raise Refusal("sold_out", f"{fare.id} has {fare.seats_left}")
    return fare


def titled(fare: Fare) -> str:
    """Return a journey as the calendar names it."""
    return f"{fare.mode.capitalize()} {fare.origin} to {fare.destination}, {fare.operator}"


@tool(reads=(Contact,), writes=(Fare, Journey, Payment, Account, Event), external=True)
def travel_book(
    view: View, fare_id: str, passenger_ids: People, account_id: str, context: Context
) -> dict[str, Any]:
    """Book a journey, pay for it, and enter it into the calendar where the user travels. The same journey for the same
    people is not booked twice.

    Args:
        fare_id: the journey as travel_search gives it
        passenger_ids: contacts who travel; the user's own id where they do
        account_id: the account to pay from
        context: work, or private life

    Raises:
        departed: it has left already
        clash: another event that the user takes part in is at that time; free the time first
        no_funds: the account would go below what it may

    Limits:
        not_sold_here: this operator doesn't sell over the net; write to the address with mail_send
        sold_out: fewer seats are left than are needed; travel_search has other journeys
        over_daily_limit: more would leave the account today than may; pay from another one, as accounts_list has them
    """
    people = [view.get(Contact, key) for key in dict.fromkeys(passenger_ids)]
    account = view.get(Account, account_id)
    for journey in sorted(view.all(Journey), key=lambda one: one.id):
        same = journey.fare == fare_id and set(journey.passengers) == {person.id for person in people}
        if same and journey.status == "booked":
            return {**view.show(journey), "booked_now": False}
    fare = offered(view, fare_id, len(people))
    travels = view.me in people
    in_the_way = sorted(event.id for event in clashes(view, fare.departs, fare.arrives)) if travels else []
    if in_the_way:
        raise Refusal("clash", ", ".join(in_the_way))
    total = fare.price * len(people)
    journey = view.add(
        Journey,
        fare=fare.id,
        context=context,
        passengers=tuple(person.id for person in people),
        price=total,
    )
    paid = pay(view, account, fare.operator, total, f"Booking {journey.id}", about=journey.id)
    event = entered(view, fare, journey) if travels else None
    view.change(fare, seats_left=fare.seats_left - len(people))
    journey = view.change(journey, payment=paid.id, event=event.id if event else None)
    return {**view.show(journey), "fare_details": view.show(fare), "booked_now": True}


def entered(view: View, fare: Fare, journey: Journey) -> Event:
    """Enter a journey into the calendar."""
    return view.add(
        Event,
        title=titled(fare),
        context=journey.context,
        starts=fare.departs,
        ends=fare.arrives,
        organizer=view.me.id,
        location=fare.origin,
        about=(journey.id,),
    )


def booked(view: View, journey_id: str) -> tuple[Journey, Fare]:
    """Return a booked journey that hasn't left, and its fare.

    Raises:
        Refusal: ``cancelled`` or ``departed``.
    """
    journey = view.get(Journey, journey_id)
    fare = view.get(Fare, journey.fare)
    if journey.status == "cancelled":
        raise Refusal("cancelled", journey.id)
    if fare.departs <= view.now:
        raise Refusal("departed", journey.id)
    return journey, fare


@tool(reads=(Contact,), writes=(Fare, Journey, Payment, Account, Event), external=True)
def travel_change(view: View, journey_id: str, fare_id: str) -> dict[str, Any]:
    """Change a booked journey to another one of the same operator between the same towns: the old one is paid back, the
    new one paid from the same account, the calendar follows.

    Args:
        journey_id: the booking
        fare_id: the journey that takes its place

    Raises:
        cancelled: the booking was cancelled
        departed: one of the two has left already
        other_route: it is of another operator, or between other towns; book it anew with travel_book
        clash: another event that the user takes part in is at that time; free the time first
        no_funds: the account would go below what it may

    Limits:
        not_changeable: this fare can't be changed; cancel with travel_cancel and book anew with travel_book
        not_sold_here: this operator doesn't sell over the net; write to the address with mail_send
        sold_out: fewer seats are left than are needed; travel_search has other journeys
        over_daily_limit: more would leave the account today than may; pay from another one, as accounts_list has them
    """
    journey, before = booked(view, journey_id)
    if fare_id == before.id:
        return view.show(journey)
    fare = offered(view, fare_id, len(journey.passengers))
    if not before.changeable:
        raise Refusal("not_changeable", before.id)
    if (fare.operator, fare.origin, fare.destination) != (before.operator, before.origin, before.destination):
        raise Refusal("other_route", fare.id)
    if journey.event is not None:
        in_the_way = sorted(one.id for one in clashes(view, fare.departs, fare.arrives, journey.event))
        if in_the_way:
            raise Refusal("clash", ", ".join(in_the_way))
        event = view.get(Event, journey.event)
        view.change(event, title=titled(fare), starts=fare.departs, ends=fare.arrives)
    total, old = fare.price * len(journey.passengers), refund(view, journey.payment)
    view.change(before, seats_left=before.seats_left + len(journey.passengers))
    view.change(fare, seats_left=fare.seats_left - len(journey.passengers))
    paid = None
    if old is not None:
        account = view.get(Account, old.account)
        paid = pay(view, account, fare.operator, total, f"Change {journey.id}", about=journey.id)
    new = view.change(journey, fare=fare.id, price=total, payment=paid.id if paid else journey.payment)
    return {**view.show(new), "fare_details": view.show(fare)}


@tool(writes=(Fare, Journey, Payment, Account, Event), external=True)
def travel_cancel(view: View, journey_id: str, give_up_price: bool = False) -> dict[str, Any]:
    """Cancel a booked journey, take it out of the calendar, and have it paid back where the fare allows that. One that
    is cancelled already stays so.

    Args:
        journey_id: the booking
        give_up_price: whether to cancel even though nothing is paid back

    Raises:
        departed: it has left already
        nothing_back: this fare is not paid back; say with give_up_price that the price is given up
    """
    journey = view.get(Journey, journey_id)
    if journey.status == "cancelled":
        return {**view.show(journey), "paid_back": None}
    journey, fare = booked(view, journey_id)
    if not (fare.refundable or give_up_price):
        raise Refusal("nothing_back", f"{journey.price} for {journey.id}")
    back = refund(view, journey.payment) if fare.refundable else None
    view.change(fare, seats_left=fare.seats_left + len(journey.passengers))
    event = view.find(Event, journey.event) if journey.event else None
    if event is not None:
        view.change(event, status="cancelled")
    return {**view.show(view.change(journey, status="cancelled")), "paid_back": back.amount if back else None}


@tool(reads=(Journey, Fare, Reservation, Venue, Event, Contact), finds=(Journey,))
def travel_itinerary(
    view: View, since: date | None = None, until: date | None = None, context: Context | None = None
) -> dict[str, Any]:
    """Show booked journeys and nights between two days in the order of time, with the events that overlap with them.

    Args:
        since: the first day; today where it isn't given
        until: the last day
        context: only of work, or of private life
    """
    first = since or view.today
    items: list[dict[str, Any]] = []
    for journey in view.all(Journey):
        fare = view.get(Fare, journey.fare)
        overlapping = sorted(one.id for one in clashes(view, fare.departs, fare.arrives, journey.event))
        items.append(
            {
                **view.show(journey),
                "passenger_names": named(view, journey.passengers),
                "starts": fare.departs,
                "fare_details": view.show(fare),
                "overlaps_with": overlapping,
            }
        )
    hotels = {venue.id for venue in view.all(Venue) if venue.sort == "hotel"}
    items += [
        {**view.show(one), "starts": one.starts} for one in view.all(Reservation) if one.venue in hotels
    ]
    items = [
        item
        for item in items
        if item["status"] == "booked"
        and context in (None, item["context"])
        and first <= view.local(item["starts"]).date() <= (until or date.max)
    ]
    return {"items": sorted(items, key=lambda item: (item["starts"], item["id"]))}
