"""Getting about: routes between places, and a car when one is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Account, Event, Forecast, Link, Payment, Place
from mempabench.domain.worlds.base import Instant
from mempabench.world.acts import clashes, is_open, pay
from mempabench.world.tool import tool
from mempabench.world.view import Refusal, View

Mode = Literal["walk", "bus", "tram", "train", "car"]
CHANGE = timedelta(minutes=4)
"""What changing takes."""


class Leg(NamedTuple):
    """A part of a route."""

    link: Link
    origin: str
    destination: str
    departs: datetime
    arrives: datetime


def departure(view: View, link: Link, at: datetime) -> datetime | None:
    """Return when one can leave by a link at an instant or after it, that day; None when nothing runs any more."""
    if link.every is None or link.first is None or link.last is None:
        return at
    day = view.local(at).date()
    first, last = view.instant(day, link.first), view.instant(day, link.last)
    if at <= first:
        return first
    gap = timedelta(minutes=link.every)
    waited = first + gap * -(-(at - first) // gap)
    return waited if waited <= last else None


def routes(view: View, origin: str, destination: str, leave: datetime) -> Iterator[tuple[Leg, ...]]:
    """Yield the ways from a place to another with one change at most, each leaving as early as it can."""
    links = sorted(view.all(Link), key=lambda one: one.id)
    for first in links:
        if origin not in first.places:
            continue
        middle = next(place for place in first.places if place != origin)
        start = departure(view, first, leave)
        if start is None:
            continue
        leg = Leg(first, origin, middle, start, start + timedelta(minutes=first.minutes))
        if middle == destination:
            yield (leg,)
            continue
        for second in links:
            if set(second.places) == {middle, destination} and second.mode != "car" and first.mode != "car":
                changed = departure(view, second, leg.arrives + CHANGE)
                if changed is not None:
                    arrives = changed + timedelta(minutes=second.minutes)
                    yield (leg, Leg(second, middle, destination, changed, arrives))


@tool(reads=(Link, Place, Forecast, Event))
def transport_route(
    view: View,
    origin_id: str,
    destination_id: str,
    leave: Instant | None = None,
    arrive: Instant | None = None,
    modes: Annotated[tuple[Mode, ...], Field(max_length=5)] = (),
) -> dict[str, Any]:
    """Find ways between two places, with one change at most, the ones that arrive first before the others; what they
    cost, whether the destination is open on arrival, and what rain is forecast.

    Args:
        origin_id: the place where one is
        destination_id: the place where one wants to be
        leave: when one can leave; now where neither time is given
        arrive: when one has to be there; ways that leave last come first then
        modes: only by these

    Raises:
        one_of_both: give the time of leaving or of arriving
        same_place: that is where one is
        no_route: no way is known between these places at that time, by these modes
    """
    origin, destination = view.get(Place, origin_id), view.get(Place, destination_id)
    if leave is not None and arrive is not None:
        raise Refusal("one_of_both")
    if origin.id == destination.id:
        raise Refusal("same_place", origin.name)
    found = list(ways(view, origin.id, destination.id, leave, arrive))
    found = [way for way in found if not modes or all(leg.link.mode in modes for leg in way)]
    if not found:
        raise Refusal("no_route", f"{origin.name} to {destination.name}")
    if arrive is None:
        found.sort(key=lambda way: (way[-1].arrives, len(way), way[0].link.id))
    else:
        found.sort(key=lambda way: (-way[0].departs.timestamp(), len(way), way[0].link.id))
    return {"items": [described(view, way, destination) for way in found[:5]]}


def ways(
    view: View, origin: str, destination: str, leave: datetime | None, arrive: datetime | None
) -> Iterator[tuple[Leg, ...]]:
    """Yield the ways that leave after a time, or the last ones that are there by another."""
    if arrive is None:
        yield from routes(view, origin, destination, leave or view.now)
        return
    best: dict[tuple[str, ...], tuple[Leg, ...]] = {}
    for minutes in range(240, -1, -5):
        start = max(arrive - timedelta(minutes=minutes), view.now)
        for way in routes(view, origin, destination, start):
            if way[-1].arrives <= arrive:
                best[tuple(leg.link.id for leg in way)] = way
    yield from best.values()


def described(view: View, way: tuple[Leg, ...], destination: Place) -> dict[str, Any]:
    """Return a way as an agent sees it."""
    arrives = way[-1].arrives
    day = view.local(arrives).date()
    forecasts = [one for one in view.all(Forecast) if (one.area, one.day) == (destination.area, day)]
    newest = max(forecasts, key=lambda one: (one.entered, one.id), default=None)
    return {
        "departs": view.local(way[0].departs),
        "arrives": view.local(arrives),
        "minutes": int((arrives - way[0].departs).total_seconds() // 60),
        "fare": sum((leg.link.fare for leg in way), Decimal(0)),
        "open_on_arrival": is_open(view, destination, arrives, arrives),
        "rain": newest.rain if newest else None,
        "legs": [
            {
                "mode": leg.link.mode,
                "from": view.get(Place, leg.origin).name,
                "to": view.get(Place, leg.destination).name,
                "departs": view.local(leg.departs),
                "arrives": view.local(leg.arrives),
            }
            for leg in way
        ],
        "overlaps_with": sorted(event.id for event in clashes(view, way[0].departs, arrives)),
    }


@tool(reads=(Link, Place), writes=(Event, Payment, Account), external=True)
def transport_book_ride(
    view: View, origin_id: str, destination_id: str, leave: Instant, account_id: str, context: Context
) -> dict[str, Any]:
    """Book a car from a place to another, pay for it, and enter it into the calendar. The same ride is booked once.

    Args:
        origin_id: the place where it begins
        destination_id: the place where it ends
        leave: when it leaves, a quarter of an hour from now or later
        account_id: the account to pay from
        context: work, or private life

    Raises:
        too_soon: a car needs a quarter of an hour to come
        clash: another event that the user takes part in is at that time; free the time first
        no_funds: the account would go below what it may

    Limits:
        no_car: no car goes between these places at that time; transport_route has other ways
        over_daily_limit: more would leave the account today than may; pay from another one, as accounts_list has them
    """
    origin, destination = view.get(Place, origin_id), view.get(Place, destination_id)
    account = view.get(Account, account_id)
    title = f"Car from {origin.name} to {destination.name}"
    for event in sorted(view.all(Event), key=lambda one: one.id):
        if (event.title, event.starts) == (title, leave) and event.status != "cancelled":
            return {**view.show(event), "booked_now": False}
    if leave < view.now + timedelta(minutes=15):
        raise Refusal("too_soon", view.local(leave).isoformat())
    cars = [
        link
        for link in view.all(Link)
        if link.mode == "car" and set(link.places) == {origin.id, destination.id}
        and departure(view, link, leave) == leave
    ]  # fmt: skip
    if not cars:
        raise Refusal("no_car", f"{origin.name} to {destination.name}")
    car = min(cars, key=lambda link: (link.fare, link.id))
    arrives = leave + timedelta(minutes=car.minutes)
    in_the_way = sorted(event.id for event in clashes(view, leave, arrives))
    if in_the_way:
        raise Refusal("clash", ", ".join(in_the_way))
    event = view.add(
        Event,
        title=title,
        context=context,
        starts=leave,
        ends=arrives,
        organizer=view.me.id,
        location=origin.address,
        place=None,
    )
    paid = pay(view, account, "Car", car.fare, f"Ride {event.id}", about=event.id)
    return {**view.show(view.change(event, about=(paid.id,))), "fare": car.fare, "booked_now": True}
