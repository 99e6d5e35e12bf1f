"""Reminders: lines that come up at an instant."""

from __future__ import annotations

from typing import Any, Literal

from mempabench.domain.worlds import KINDS, Reminder
from mempabench.domain.worlds.base import Instant, Line
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

ANYTHING = tuple(KINDS.values())


@tool(reads=(Reminder,), finds=(Reminder,))
def reminders_list(
    view: View,
    text: Line | None = None,
    status: Literal["waiting", "dismissed"] | None = "waiting",
    until: Instant | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List reminders in the order in which they come up; only waiting ones where nothing else is asked for.

    Args:
        text: words that stand in them
        status: only those of this status; null for all
        until: only those that come up before it
    """
    found = [
        reminder
        for reminder in view.all(Reminder)
        if status in (None, reminder.status)
        and (until is None or reminder.at < until)
        and matches(text, reminder.text)
    ]
    found.sort(key=lambda reminder: (reminder.at, reminder.id))
    return page(found, view.show, limit, after)


@tool(reads=ANYTHING, writes=(Reminder,))
def reminders_set(view: View, text: Line, at: Instant, about: str | None = None) -> dict[str, Any]:
    """Set a reminder. The same text at the same time is not set again.

    Args:
        text: what it says
        at: when it comes up
        about: id of the record that it is about; a task's reminder goes when the task is done

    Raises:
        in_the_past: that time is over
    """
    if at <= view.now:
        raise Refusal("in_the_past", view.local(at).isoformat())
    if about is not None:
        view.any(about, *ANYTHING)
    for reminder in sorted(view.all(Reminder), key=lambda reminder: reminder.id):
        if (reminder.text, reminder.at, reminder.status) == (text, at, "waiting"):
            return {**view.show(reminder), "created": False}
    return {**view.show(view.add(Reminder, text=text, at=at, about=about)), "created": True}


@tool(writes=(Reminder,))
def reminders_change(
    view: View, reminder_id: str, at: Instant | None = None, dismiss: bool = False
) -> dict[str, Any]:
    """Move a reminder to another time, or dismiss it. One that is dismissed comes back when it gets a time.

    Args:
        reminder_id: the reminder
        at: when it comes up instead
        dismiss: whether it is done with

    Raises:
        one_of_both: give a time, or dismiss it
        in_the_past: that time is over
    """
    reminder = view.get(Reminder, reminder_id)
    if (at is None) == (not dismiss):
        raise Refusal("one_of_both")
    if at is not None and at <= view.now:
        raise Refusal("in_the_past", view.local(at).isoformat())
    changed = {"status": "dismissed"} if at is None else {"status": "waiting", "at": at}
    return view.show(view.change(reminder, **changed))
