"""Projects and their tickets."""

from __future__ import annotations

from typing import Any, Literal

from mempabench.domain.worlds import Contact, Event, Project, Task, Ticket
from mempabench.domain.worlds.base import Body, Line
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View, named

Priority = Literal["low", "normal", "high"]
Status = Literal["open", "in_progress", "in_review", "done", "rejected"]
NEXT: dict[str, tuple[str, ...]] = {
    "open": ("in_progress", "rejected"),
    "in_progress": ("open", "in_review", "rejected"),
    "in_review": ("in_progress", "done"),
    "done": ("open",),
    "rejected": ("open",),
}
"""Where a ticket can go from each status."""
MOST = 6
"""Tickets that somebody can have open at once."""


def brief(view: View, ticket: Ticket) -> dict[str, Any]:
    """Return a ticket as a list shows it."""
    shown = view.show(ticket, "project", "title", "status", "priority")
    return {**shown, "assignee_name": named(view, [ticket.assignee])[0] if ticket.assignee else None}


def blockers(view: View, ticket: Ticket) -> list[Ticket]:
    """Return the tickets that block one and aren't closed."""
    others = (view.find(Ticket, key) for key in ticket.blocked_by)
    return [one for one in others if one is not None and one.status not in ("done", "rejected")]


@tool(reads=(Project, Ticket, Task, Event, Contact), finds=(Project,))
def projects_status(view: View, project_id: str | None = None, text: Line | None = None) -> dict[str, Any]:
    """Show how projects stand: people, milestones and which are late, tickets by status, what blocks, the user's tasks,
    and the next event about each.

    Args:
        project_id: only this project
        text: words that stand in the name or the notes
    """
    found = [view.get(Project, project_id)] if project_id else view.all(Project)
    found = [project for project in found if matches(text, project.name, project.notes)]
    return {"items": [standing(view, one) for one in sorted(found, key=lambda one: one.id)]}


def standing(view: View, project: Project) -> dict[str, Any]:
    """Return how a project stands."""
    tickets = [ticket for ticket in view.all(Ticket) if ticket.project == project.id]
    counts = {status: sum(ticket.status == status for ticket in tickets) for status in NEXT}
    blocked = {
        ticket.id: sorted(one.id for one in blocking)
        for ticket in sorted(tickets, key=lambda one: one.id)
        if (blocking := blockers(view, ticket))
    }
    tasks = [task for task in view.all(Task) if task.project == project.id and task.status == "open"]
    events = [
        event
        for event in view.all(Event)
        if project.id in event.about and event.starts > view.now and event.status != "cancelled"
    ]
    upcoming = min(events, key=lambda event: (event.starts, event.id), default=None)
    return {
        **view.show(project),
        "lead_name": named(view, [project.lead])[0],
        "late": [one.title for one in project.milestones if not one.done and one.due < view.today],
        "tickets": counts,
        "blocked": blocked,
        "my_tasks": sorted(task.id for task in tasks),
        "next_event": view.show(upcoming, "title", "starts") if upcoming else None,
    }


@tool(reads=(Ticket, Project, Contact), finds=(Ticket,))
def tickets_search(
    view: View,
    text: Line | None = None,
    project_id: str | None = None,
    status: Status | None = None,
    assignee_id: str | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List tickets in full, those of high priority first.

    Args:
        text: words that stand in the title, the text or a comment
        project_id: only of this project
        status: only of this status
        assignee_id: only those of this contact
    """
    rank = ("high", "normal", "low")
    found = [
        ticket
        for ticket in view.all(Ticket)
        if project_id in (None, ticket.project)
        and status in (None, ticket.status)
        and assignee_id in (None, ticket.assignee)
        and matches(text, ticket.title, ticket.text, *(comment.text for comment in ticket.comments))
    ]
    found.sort(key=lambda ticket: (rank.index(ticket.priority), ticket.id))

    def shown(ticket: Ticket) -> dict[str, Any]:
        names = {"assignee_name": named(view, [ticket.assignee])[0] if ticket.assignee else None}
        return {**view.show(ticket), **names, "blocked": bool(blockers(view, ticket))}

    return page(found, shown, limit, after)


def fits(view: View, project: Project, contact_id: str | None) -> None:
    """Check that somebody can take a ticket of a project on.

    Raises:
        Refusal: ``not_a_member`` or ``too_many``.
    """
    if contact_id is None:
        return
    contact = view.get(Contact, contact_id)
    if contact.id not in (project.lead, *project.members):
        raise Refusal("not_a_member", contact.name)
    theirs = [
        ticket
        for ticket in view.all(Ticket)
        if ticket.assignee == contact.id and ticket.status in ("open", "in_progress", "in_review")
    ]
    if len(theirs) >= MOST:
        raise Refusal("too_many", f"{contact.name} has {len(theirs)}")


@tool(reads=(Project, Contact), writes=(Ticket,), external=True)
def tickets_create(
    view: View,
    project_id: str,
    title: Line,
    text: Body,
    priority: Priority = "normal",
    assignee_id: str | None = None,
    reviewer_id: str | None = None,
) -> dict[str, Any]:
    """Open a ticket in a project, where all its members see it.

    Args:
        project_id: the project
        title: what is to be done
        text: what there is to know
        priority: how much it matters
        assignee_id: who does it
        reviewer_id: who has to see it before it is done

    Raises:
        project_closed: the project is closed
        not_a_member: this contact isn't of the project
        open_already: a ticket with this title is open in the project; change it with tickets_update
        reviews_own: nobody reviews their own work

    Limits:
        frozen: no ticket can be opened while the project is frozen; write it down with tasks_create until then, or ask
            the lead with mail_send
        too_many: nobody takes on more than six at a time; tickets_search shows who has fewer
    """
    project = view.get(Project, project_id)
    if project.status == "closed":
        raise Refusal("project_closed", project.name)
    if project.status == "frozen":
        raise Refusal("frozen", project.name)
    for ticket in sorted(view.all(Ticket), key=lambda one: one.id):
        same = ticket.project == project.id and ticket.title.casefold() == title.casefold()
        if same and ticket.status not in ("done", "rejected"):
            raise Refusal("open_already", ticket.id)
    if reviewer_id is not None and view.get(Contact, reviewer_id).id == assignee_id:
        raise Refusal("reviews_own", named(view, [reviewer_id])[0])
    fits(view, project, assignee_id)
    ticket = view.add(
        Ticket,
        project=project.id,
        title=title,
        text=text,
        priority=priority,
        assignee=assignee_id,
        reviewer=reviewer_id,
    )
    return view.show(ticket)


@tool(reads=(Project, Contact), writes=(Ticket,), external=True)
def tickets_update(
    view: View,
    ticket_id: str,
    status: Status | None = None,
    assignee_id: str | None = None,
    priority: Priority | None = None,
    comment: Body | None = None,
) -> dict[str, Any]:
    """Move a ticket on, give it to somebody, or add a word to it; its project's members see all of it.

    open goes to in_progress or rejected; in_progress to open, in_review or rejected; in_review to in_progress or done;
    done and rejected back to open.

    Args:
        ticket_id: the ticket
        status: where it goes
        assignee_id: who does it from now on
        priority: how much it matters
        comment: a word on it

    Raises:
        no_such_step: it doesn't go from its status to this one
        blocked: these tickets have to be closed before it is done
        nobody_does_it: a ticket is begun by somebody; name an assignee
        not_a_member: this contact isn't of the project
        project_closed: the project is closed

    Limits:
        awaits_review: its reviewer has to see it before it is done; ask them with messages_send or mail_send
        too_many: nobody takes on more than six at a time; tickets_search shows who has fewer
    """
    ticket = view.get(Ticket, ticket_id)
    project = view.get(Project, ticket.project)
    if project.status == "closed":
        raise Refusal("project_closed", project.name)
    if assignee_id not in (None, ticket.assignee):
        fits(view, project, assignee_id)
    assignee = assignee_id or ticket.assignee
    if status not in (None, ticket.status):
        moves(view, ticket, str(status), assignee)
    words = {"author": view.me.id, "at": view.now, "text": comment}
    comments = (*ticket.comments, words) if comment else ticket.comments
    new = view.change(
        ticket,
        status=status or ticket.status,
        assignee=assignee,
        priority=priority or ticket.priority,
        comments=comments,
    )
    return view.show(new)


def moves(view: View, ticket: Ticket, status: str, assignee: str | None) -> None:
    """Check that a ticket can go to a status.

    Raises:
        Refusal: ``no_such_step``, ``nobody_does_it``, ``blocked`` or ``awaits_review``.
    """
    if status not in NEXT[ticket.status]:
        raise Refusal(
            "no_such_step", f"{ticket.id} is {ticket.status}, not {' or '.join(NEXT[ticket.status])}"
        )
    if status == "in_progress" and assignee is None:
        raise Refusal("nobody_does_it", ticket.id)
    if status == "done":
        waiting = blockers(view, ticket)
        if waiting:
            raise Refusal("blocked", ", ".join(sorted(one.id for one in waiting)))
        if ticket.reviewer not in (None, view.me.id):
            raise Refusal("awaits_review", named(view, [ticket.reviewer])[0])
