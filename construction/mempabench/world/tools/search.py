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

KINDS: dict[type[WorldRecord], tuple[tuple[str, ...], tuple[str, ...]]] = {
    Contact: (("name",), ("notes", "address", "relation", "organisation")),
    Mail: (("subject",), ("body",)),
    Message: ((), ("text",)),
    Event: (("title",), ("notes", "location")),
    Task: (("title",), ("notes",)),
    Minutes: ((), ("text",)),
    Note: (("title",), ("body",)),
    File: (("path",), ("text",)),
    Document: (("title",), ("body",)),
    Ticket: (("title",), ("text",)),
    Reservation: (("name",), ("note",)),
    Bill: (("issuer",), ("about", "reference")),
    Place: (("name",), ("address",)),
}
"""The kinds that are looked through: the fields that are titles, and those that are texts."""
Kind = Literal[
    "contact", "mail", "message", "event", "task", "minutes", "note", "file", "document", "ticket", "reservation",
    "bill", "place",
]  # fmt: skip


def said(record: WorldRecord) -> tuple[list[str], list[str]]:
    """Return what stands in a record's titles, and in its texts."""
    titles, texts = KINDS[type(record)]
    return (
        [text for name in titles if (text := getattr(record, name))],
        [text for name in texts if (text := getattr(record, name))],
    )


@tool(reads=tuple(KINDS), finds=(Place,))
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
            titles, texts = said(record)
            if (since is None or record.entered >= since) and matches(text, *titles, *texts):
                found.append((not matches(text, *titles), record))
    found.sort(key=lambda one: one[1].id)
    found.sort(key=lambda one: one[1].entered, reverse=True)
    found.sort(key=lambda one: one[0])

    def shown(record: WorldRecord) -> dict[str, Any]:
        titles, texts = said(record)
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
