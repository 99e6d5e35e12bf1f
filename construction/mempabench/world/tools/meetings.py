"""Meetings: what to know before one, and what it came to."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Contact, Document, Event, Mail, Minutes, Task, Ticket
from mempabench.domain.worlds.base import Body, Line
from mempabench.world.tool import tool
from mempabench.world.tools import calendar, mail, projects
from mempabench.world.view import Refusal, View, named


class Action(BaseModel):
    """Something that a meeting gave somebody to do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Line
    due: date | None = None
    contact_id: str | None = None
    """Who does it; the user where it isn't given."""


Actions = Annotated[tuple[Action, ...], Field(max_length=10)]


@tool(reads=(Event, Contact, Mail, Document, Ticket, Task, Minutes))
def meetings_brief(view: View, event_id: str) -> dict[str, Any]:
    """Gather what to know before an event: who comes, the latest mails with them, what it is about, open tickets and
    tasks of theirs, and the minutes of earlier events of the same title.

    Args:
        event_id: the event
    """
    event = view.get(Event, event_id)
    keys = [key for key in (event.organizer, *(guest.contact for guest in event.guests)) if key != view.me.id]
    people = [contact for key in keys if (contact := view.find(Contact, key))]
    addresses = {address for contact in people for address in contact.emails}
    mails = [one for one in view.all(Mail) if one.sent_at and addresses & {one.sender, *one.to, *one.cc}]
    mails.sort(key=lambda one: (one.sent_at or one.entered, one.id), reverse=True)
    tickets = [
        ticket
        for ticket in view.all(Ticket)
        if ticket.assignee in keys and ticket.status not in ("done", "rejected")
    ]
    earlier = {
        one.id: one.starts
        for one in view.all(Event)
        if one.title == event.title and one.starts < event.starts and one.id != event.id
    }
    minutes = [one for one in view.all(Minutes) if one.event in earlier]
    minutes.sort(key=lambda one: (earlier[one.event], one.id), reverse=True)
    tasks = [task for task in view.all(Task) if task.assignee in keys and task.status != "done"]
    return {
        "event": calendar.brief(view, event),
        "people": [view.show(contact, "name", "relation", "organisation") for contact in people],
        "about": [about(view, key) for key in event.about],
        "mails": [mail.brief(view, one) for one in mails[:5]],
        "tickets": [projects.brief(view, ticket) for ticket in sorted(tickets, key=lambda one: one.id)],
        "tasks": [
            view.show(task, "title", "due", "assignee") for task in sorted(tasks, key=lambda one: one.id)
        ],
        "last_minutes": view.show(minutes[0]) if minutes else None,
    }


def about(view: View, key: str) -> dict[str, Any]:
    """Return what an event says it is about: the record where it is one of those shown here, else the id."""
    for kind in (Document, Ticket, Task, Mail):
        record = view.find(kind, key)
        if record is not None:
            title = getattr(record, "title", None) or getattr(record, "subject", "")
            return {"id": key, "title": title}
    return {"id": key}


@tool(reads=(Event, Contact), writes=(Minutes, Task))
def meetings_record(
    view: View,
    event_id: str,
    text: Body,
    decisions: Annotated[tuple[Line, ...], Field(max_length=20)] = (),
    actions: Actions = (),
) -> dict[str, Any]:
    """Record what an event came to, and make a task of each thing that it gave somebody to do.

    Minutes that are there already are replaced; tasks that they made are kept.

    Args:
        event_id: the event
        text: what was said
        decisions: what was decided
        actions: what is to be done, by when and by whom

    Raises:
        not_yet: the event hasn't begun
        cancelled: the event was cancelled
        not_there: the user declined it
        due_in_the_past: that day is over
        not_a_guest: this contact wasn't asked to it, so that nothing can have been given to them there
    """  # fmt: skip
    event = view.get(Event, event_id)
    if event.status == "cancelled":
        raise Refusal("cancelled", event.id)
    if event.starts > view.now:
        raise Refusal("not_yet", event.id)
    replies = {guest.contact: guest.reply for guest in event.guests}
    if replies.get(view.me.id) == "declined":
        raise Refusal("not_there", event.id)
    tasks = [made(view, event, action, {*replies, event.organizer}) for action in actions]
    before = next((one for one in view.all(Minutes) if one.event == event.id), None)
    kept = before.actions if before else ()
    fields = {
        "event": event.id,
        "text": text,
        "decisions": decisions,
        "actions": tuple({*kept, *(task.id for task in tasks)}),
    }
    minutes = view.change(before, **fields) if before else view.add(Minutes, **fields)
    return {**view.show(minutes), "tasks": [view.show(task, "title", "due", "assignee") for task in tasks]}


def made(view: View, event: Event, action: Action, people: set[str]) -> Task:
    """Return the task of an action; one that is there already with this title isn't made again.

    Raises:
        Refusal: ``due_in_the_past`` or ``not_a_guest``.
    """
    if action.due is not None and action.due < view.today:
        raise Refusal("due_in_the_past", action.due.isoformat())
    theirs = action.contact_id not in (None, view.me.id)
    if theirs and view.get(Contact, str(action.contact_id)).id not in people:
        raise Refusal("not_a_guest", named(view, [str(action.contact_id)])[0])
    listed = "Meetings" if event.context is Context.WORK else "Home"
    for task in sorted(view.all(Task), key=lambda one: one.id):
        if (task.title, task.list_name, task.status) == (
            action.title,
            listed,
            "delegated" if theirs else "open",
        ):
            return task
    return view.add(
        Task,
        title=action.title,
        context=event.context,
        list_name=listed,
        due=action.due,
        status="delegated" if theirs else "open",
        assignee=action.contact_id if theirs else None,
    )
