"""Looking across everything, and the weather."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from mempabench.domain.worlds import (
    Bill,
    Contact,
    Document,
    Event,
    File,
    Forecast,
    Mail,
    Message,
    Minutes,
    Note,
    Place,
    Reservation,
    Task,
    Ticket,
    WorldRecord,
)
from mempabench.domain.worlds.base import Instant
from mempabench.world.searching import matches, snippet
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

KINDS: tuple[type[WorldRecord], ...] = (
    Contact, Mail, Message, Event, Task, Minutes, Note, File, Document, Ticket, Reservation, Bill, Place,
)  # fmt: skip
Kind = Literal[
    "contact", "mail", "message", "event", "task", "minutes", "note", "file", "document", "ticket", "reservation",
    "bill", "place",
]  # fmt: skip
TITLES = ("title", "subject", "name", "path", "issuer")
TEXTS = (
    "body",
    "text",
    "notes",
    "note",
    "about",
    "address",
    "location",
    "reference",
    "relation",
    "organisation",
)


def words(record: WorldRecord, names: tuple[str, ...]) -> list[str]:
    """Return what a record says in some of its fields."""
    found = (getattr(record, name, None) for name in names)
    return [text for text in found if isinstance(text, str) and text]


@tool(reads=KINDS, finds=(Place,))
def search_everything(
    view: View,
    text: Annotated[str, StringConstraints(min_length=2, max_length=200)],
    kinds: Annotated[tuple[Kind, ...], Field(max_length=13)] = (),
    since: Instant | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """Look for words in contacts, mails, messages, events, tasks, minutes, notes, files, documents, tickets,
    reservations, bills and places at once; what has them in its title comes first.

    Args:
        text: words, each of which stands somewhere in what is found
        kinds: only of these kinds
        since: only what came to be known at or after it
    """
    found = []
    for kind in KINDS:
        if kinds and kind.kind not in kinds:
            continue
        for record in view.all(kind):
            titles, texts = words(record, TITLES), words(record, TEXTS)
            if matches(text, *titles, *texts) and (since is None or record.entered >= since):
                found.append((not matches(text, *titles), record))
    found.sort(key=lambda one: one[1].id)
    found.sort(key=lambda one: one[1].entered, reverse=True)
    found.sort(key=lambda one: one[0])

    def shown(record: WorldRecord) -> dict[str, Any]:
        titles, texts = words(record, TITLES), words(record, TEXTS)
        return {
            "id": record.id,
            "kind": record.kind,
            "title": titles[0] if titles else None,
            "text": snippet("\n".join(texts), text),
            "known_since": record.entered,
        }

    return page([record for _, record in found], shown, limit, after)


@tool(reads=(Forecast, Place))
def weather_forecast(
    view: View, place_id: str, since: date | None = None, until: date | None = None
) -> dict[str, Any]:
    """Show the weather that is forecast where a place is, day by day, as it was forecast last.

    Args:
        place_id: the place
        since: the first day; today where it isn't given
        until: the last day; a week after the first where it isn't given

    Raises:
        no_forecast: nothing is forecast for these days
    """
    place = view.get(Place, place_id)
    first = since or view.today
    newest: dict[date, Forecast] = {}
    for one in sorted(view.all(Forecast), key=lambda one: (one.entered, one.id)):
        within = (
            first <= one.day and (one.day - first).days <= 7 if until is None else first <= one.day <= until
        )
        if one.area == place.area and within:
            newest[one.day] = one
    if not newest:
        raise Refusal("no_forecast", place.area)
    days = [view.show(newest[day], "day", "text", "low", "high", "rain") for day in sorted(newest)]
    return {"area": place.area, "issued": max(one.entered for one in newest.values()), "days": days}
