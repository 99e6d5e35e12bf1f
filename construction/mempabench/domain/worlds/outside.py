"""Places and what is offered there: routes, fares, journeys, venues, reservations, shops, orders, weather."""

from __future__ import annotations

from datetime import date, time
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds.base import (
    Body,
    Email,
    Emerging,
    Hours,
    Instant,
    Line,
    Money,
    MultisetOf,
    Ref,
    SetOf,
    WorldRecord,
)
from mempabench.domain.worlds.people import ContactId

Count = Annotated[int, Field(ge=0, le=10_000)]


class Place(WorldRecord):
    """Somewhere with an address."""

    kind: ClassVar[str] = "place"
    prefix: ClassVar[str] = "plc"

    name: Line
    address: Line
    area: Line
    """The part of the world whose weather it has."""
    hours: SetOf[Hours] = ()
    """None where it has no opening hours: a home, a street."""
    closed_on: SetOf[date] = ()


class Link(WorldRecord):
    """How one gets from a place to another, both ways."""

    kind: ClassVar[str] = "link"
    prefix: ClassVar[str] = "link"

    places: SetOf[Annotated[str, Ref("place")]]
    """The two ends."""
    mode: Literal["walk", "bus", "tram", "train", "car"]
    minutes: Annotated[int, Field(ge=1, le=1440)]
    every: Annotated[int, Field(ge=1, le=1440)] | None = None
    """Minutes between departures; None where one leaves when one likes."""
    first: time | None = None
    last: time | None = None
    """First and last departure of a day."""
    fare: Money


class Forecast(WorldRecord):
    """The weather that is forecast for a day; a later forecast for the same day supersedes an earlier one."""

    kind: ClassVar[str] = "forecast"
    prefix: ClassVar[str] = "wx"

    area: Line
    day: date
    text: Line
    low: Annotated[int, Field(ge=-60, le=60)]
    high: Annotated[int, Field(ge=-60, le=60)]
    """Degrees Celsius."""
    rain: Annotated[int, Field(ge=0, le=100)]
    """Chance of rain in per cent."""


class Fare(WorldRecord):
    """A journey that an operator offers."""

    kind: ClassVar[str] = "fare"
    prefix: ClassVar[str] = "fare"

    mode: Literal["train", "coach", "ferry", "flight"]
    operator: Line
    origin: Line
    destination: Line
    departs: Instant
    arrives: Instant
    price: Money
    """For one passenger."""
    seats_left: Count
    sold_online: bool = True
    """Whether it can be booked here; else only by writing to the operator."""
    changeable: bool = False
    refundable: bool = False
    operator_email: Email


class Journey(WorldRecord):
    """A booking of a fare."""

    kind: ClassVar[str] = "journey"
    prefix: ClassVar[str] = "jrn"

    fare: Annotated[str, Ref("fare")]
    context: Context
    passengers: SetOf[ContactId]
    price: Money
    """For all passengers together."""
    status: Literal["booked", "cancelled"] = "booked"
    payment: Annotated[str, Ref("payment")] | None = None
    event: Annotated[str, Ref("event")] | None = None


class Venue(WorldRecord):
    """Somewhere that takes reservations."""

    kind: ClassVar[str] = "venue"
    prefix: ClassVar[str] = "ven"

    place: Annotated[str, Ref("place")]
    sort: Literal["restaurant", "hotel", "cinema", "sports", "hairdresser", "workshop", "clinic", "hall"]
    about: Body = ""
    online: bool = True
    """Whether it can be booked here; else only by writing to it."""
    largest_party: Annotated[int, Field(ge=1, le=500)]
    """That can be booked here; larger ones are arranged by writing."""
    deposit: Money
    """For each person; paid with the reservation, lost after the time of free cancelling."""
    free_cancelling: Annotated[int, Field(ge=0, le=720)]
    """Hours before the time until which cancelling costs nothing."""
    email: Email


class Slot(WorldRecord):
    """A time that a venue offers, and how many places are left."""

    kind: ClassVar[str] = "slot"
    prefix: ClassVar[str] = "slot"

    venue: Annotated[str, Ref("venue")]
    starts: Instant
    minutes: Annotated[int, Field(ge=5, le=1440)]
    left: Count
    what: Line | None = None
    """What is offered, where it is more than a place: a film, a course, a consultation."""
    needs_referral: bool = False


class Reservation(WorldRecord):
    """Places that were reserved at a venue."""

    kind: ClassVar[str] = "reservation"
    prefix: ClassVar[str] = "res"

    venue: Annotated[str, Ref("venue")]
    slot: Annotated[str, Ref("slot")] | None
    context: Context
    starts: Instant
    party: Annotated[int, Field(ge=1, le=500)]
    name: Line
    status: Literal["booked", "cancelled"] = "booked"
    note: Body = ""
    payment: Annotated[str, Ref("payment")] | None = None
    """The deposit."""
    event: Annotated[str, Ref("event")] | None = None


class Product(WorldRecord):
    """Something that a shop sells."""

    kind: ClassVar[str] = "product"
    prefix: ClassVar[str] = "prod"

    name: Line
    shop: Line
    shop_email: Email
    category: Line
    details: Body = ""
    price: Money
    stock: Count
    delivery_days: Annotated[int, Field(ge=0, le=120)] | None
    """None where it is only handed over in the shop."""
    pickup: Annotated[str, Ref("place")] | None = None
    """Where it can be fetched."""
    return_days: Annotated[int, Field(ge=0, le=365)]
    """After delivery; 0 where it can't be returned."""


class OrderLine(Record):
    """So many of a product at a price."""

    product: Annotated[str, Ref("product")]
    quantity: Annotated[int, Field(ge=1, le=100)]
    price: Money
    """Of one."""


class Order(WorldRecord):
    """What was ordered of a shop."""

    kind: ClassVar[str] = "order"
    prefix: ClassVar[str] = "ord"

    shop: Line
    context: Context
    lines: MultisetOf[OrderLine]
    total: Money
    address: Line | None
    """None where it is fetched."""
    pickup: Annotated[str, Ref("place")] | None = None
    status: Literal["placed", "cancelled", "returned"] = "placed"
    placed_at: Instant
    due_on: date
    """When it is to be delivered or can be fetched."""
    dispatched_at: Emerging = None
    delivered_at: Emerging = None
    payment: Annotated[str, Ref("payment")] | None = None
