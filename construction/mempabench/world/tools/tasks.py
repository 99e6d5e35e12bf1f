"""What the user has to do."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Contact, Mail, Project, Reminder, Task
from mempabench.domain.worlds.base import Body, Line
from mempabench.world.acts import address_of, send_mail
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Priority = Literal["low", "normal", "high"]
Ids = Annotated[tuple[str, ...], Field(max_length=10)]
Steps = Annotated[tuple[Line, ...], Field(max_length=20)]


def waits_for(view: View, task: Task) -> list[Task]:
    """Return the tasks that have to be done before one and aren't."""
    before = (view.find(Task, key) for key in task.after)
    return [one for one in before if one is not None and one.status != "done"]


def brief(view: View, task: Task) -> dict[str, Any]:
    """Return a task as a list shows it."""
    shown = view.show(
        task, "title", "context", "list_name", "status", "due", "priority", "assignee", "project"
    )
    late = task.status != "done" and task.due is not None and task.due < view.today
    return {**shown, "late": late, "waits_for": [one.id for one in waits_for(view, task)] or None}


@tool(reads=(Task,), finds=(Task,))
def tasks_list(
    view: View,
    text: Line | None = None,
    list_name: Line | None = None,
    context: Context | None = None,
    status: Literal["open", "done", "delegated"] | None = "open",
    due_until: date | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List tasks, those that are due first before the others; only open ones where nothing else is asked for.

    Args:
        text: words that stand in the title, the steps or the notes
        list_name: only those of this list
        context: only of work, or of private life
        status: only those of this status; null for all
        due_until: only those due on this day or earlier
    """
    found = [
        task
        for task in view.all(Task)
        if status in (None, task.status)
        and context in (None, task.context)
        and (list_name is None or list_name.casefold() == task.list_name.casefold())
        and (due_until is None or (task.due is not None and task.due <= due_until))
        and matches(text, task.title, task.notes, *(step.text for step in task.steps))
    ]
    found.sort(key=lambda task: (task.due or date.max, task.id))
    return page(found, lambda task: brief(view, task), limit, after)


@tool(reads=(Project,), writes=(Task,))
def tasks_create(
    view: View,
    title: Line,
    context: Context,
    list_name: Line,
    due: date | None = None,
    priority: Priority = "normal",
    steps: Steps = (),
    after_tasks: Ids = (),
    project_id: str | None = None,
    notes: Body = "",
) -> dict[str, Any]:
    """Put a task on a list. An open task with the same title on the same list is not put there again.

    Args:
        title: what is to be done
        context: work, or private life
        list_name: the list; one that isn't there yet begins with it
        due: by when
        priority: how much it matters
        steps: its parts, in order
        after_tasks: ids of tasks that have to be done before it
        project_id: the project that it belongs to
        notes: anything else

    Raises:
        due_in_the_past: that day is over
        project_closed: the project is closed
    """
    if due is not None and due < view.today:
        raise Refusal("due_in_the_past", due.isoformat())
    if project_id is not None and view.get(Project, project_id).status == "closed":
        raise Refusal("project_closed", project_id)
    before = tuple(view.get(Task, key).id for key in dict.fromkeys(after_tasks))
    for task in sorted(view.all(Task), key=lambda task: task.id):
        same = (task.title.casefold(), task.list_name.casefold()) == (title.casefold(), list_name.casefold())
        if same and task.status == "open":
            return {**view.show(task), "created": False}
    task = view.add(
        Task,
        title=title,
        context=context,
        list_name=list_name,
        due=due,
        priority=priority,
        steps=tuple({"text": step} for step in steps),
        after=before,
        project=project_id,
        notes=notes,
    )
    return {**view.show(task), "created": True}


@tool(writes=(Task,))
def tasks_update(
    view: View,
    task_id: str,
    title: Line | None = None,
    list_name: Line | None = None,
    due: date | None = None,
    priority: Priority | None = None,
    add_steps: Steps = (),
    done_steps: Steps = (),
    after_tasks: Ids | None = None,
    notes: Body | None = None,
) -> dict[str, Any]:
    """Change an open or delegated task; what isn't given stays.

    Args:
        task_id: the task
        title: what is to be done
        list_name: the list that it goes to
        due: by when
        priority: how much it matters
        add_steps: parts to add at the end
        done_steps: texts of parts that are done
        after_tasks: ids of the tasks that have to be done before it, in place of the ones that were
        notes: takes the place of the notes

    Raises:
        done_already: the task is done
        no_such_step: the task has no part with this text
        due_in_the_past: that day is over
        in_a_circle: each of these tasks would wait for the other
    """
    task = view.get(Task, task_id)
    if task.status == "done":
        raise Refusal("done_already", task.id)
    if due is not None and due < view.today:
        raise Refusal("due_in_the_past", due.isoformat())
    texts = {step.text for step in task.steps} | set(add_steps)
    unknown = [step for step in done_steps if step not in texts]
    if unknown:
        raise Refusal("no_such_step", unknown[0])
    before = task.after if after_tasks is None else tuple(dict.fromkeys(after_tasks))
    for key in before:
        if task.id in chain(view, view.get(Task, key)):
            raise Refusal("in_a_circle", f"{task.id}, {key}")
    steps = [(step.text, step.done) for step in task.steps] + [(step, False) for step in add_steps]
    new = view.change(
        task,
        title=title or task.title,
        list_name=list_name or task.list_name,
        due=due or task.due,
        priority=priority or task.priority,
        steps=tuple({"text": text, "done": done or text in done_steps} for text, done in steps),
        after=before,
        notes=task.notes if notes is None else notes,
    )
    return view.show(new)


def chain(view: View, task: Task) -> set[str]:
    """Return the ids of a task and of all that have to be done before it."""
    found: set[str] = set()
    waiting = [task]
    while waiting:
        one = waiting.pop()
        if one.id not in found:
            found.add(one.id)
            waiting += [before for key in one.after if (before := view.find(Task, key))]
    return found


@tool(writes=(Task, Reminder))
def tasks_complete(view: View, task_id: str) -> dict[str, Any]:
    """Mark a task as done, all its parts too, and dismiss the reminders about it. One that is done stays so.

    Args:
        task_id: the task

    Raises:
        waits_for_others: these tasks have to be done before it
    """
    task = view.get(Task, task_id)
    if task.status == "done":
        return {**view.show(task), "reminders_dismissed": [], "now_free": []}
    waiting = waits_for(view, task)
    if waiting:
        raise Refusal("waits_for_others", ", ".join(sorted(one.id for one in waiting)))
    steps = tuple({"text": step.text, "done": True} for step in task.steps)
    done = view.change(task, status="done", done_at=view.now, steps=steps)
    dismissed = [
        view.change(reminder, status="dismissed").id
        for reminder in view.all(Reminder)
        if reminder.about == task.id and reminder.status == "waiting"
    ]
    free = [one.id for one in view.all(Task) if task.id in one.after and not waits_for(view, one)]
    return {**view.show(done), "reminders_dismissed": sorted(dismissed), "now_free": sorted(free)}


@tool(reads=(Contact,), writes=(Task, Mail), external=True)
def tasks_delegate(view: View, task_id: str, contact_id: str, message: Body = "") -> dict[str, Any]:
    """Give a task to somebody, and write it to them by mail with its due date and its parts.

    Args:
        task_id: the task
        contact_id: who is to do it
        message: a word to them

    Raises:
        done_already: the task is done
        theirs_already: they have it already
        oneself: it is the user's own; nothing to delegate
        no_address: no mail address of this contact is known; add one with contacts_update
    """
    task, contact = view.get(Task, task_id), view.get(Contact, contact_id)
    if task.status == "done":
        raise Refusal("done_already", task.id)
    if contact.id == view.me.id:
        raise Refusal("oneself")
    if task.assignee == contact.id:
        raise Refusal("theirs_already", contact.name)
    lines = [message] if message else []
    lines += [f"Due on {task.due:%A} {task.due.day} {task.due:%B}."] if task.due else []
    lines += [f"- {step.text}" for step in task.steps if not step.done]
    body = "\n".join(lines) or f"Could you take this on: {task.title}?"
    address = address_of(view, contact)
    send_mail(view, task.context, (address,), f"For you: {task.title}", body)
    return {**view.show(view.change(task, status="delegated", assignee=contact.id)), "written_to": address}
