"""The people the user knows."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import (
    Busy,
    Contact,
    Conversation,
    Document,
    Event,
    Mail,
    Message,
    Project,
    RoomBooking,
    Task,
    Ticket,
    WorldRecord,
)
from mempabench.domain.worlds.base import Body, Email, Line
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Emails = Annotated[tuple[Email, ...], Field(max_length=5)]
Phones = Annotated[tuple[Line, ...], Field(max_length=5)]


@tool(reads=(Contact,), finds=(Contact,))
def contacts_search(
    view: View,
    text: Line | None = None,
    context: Context | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List contacts by name; the beginning of a name is enough.

    Args:
        text: words, or pieces of words, that stand in the name, the relation, the organisation, an address or the notes
        context: only people of work, or of private life
    """
    found = [
        contact
        for contact in view.all(Contact)
        if context in (None, contact.context)
        and matches(
            text, contact.name, contact.relation, contact.organisation, contact.address, contact.notes,
            *contact.emails, *contact.phones,
        )
    ]  # fmt: skip
    found.sort(key=lambda contact: (contact.name.casefold(), contact.id))
    return page(
        found,
        lambda contact: view.show(contact, "name", "relation", "organisation", "emails", "phones"),
        limit,
        after,
    )


@tool(reads=(Contact, Event, Task, Mail, Conversation, Message))
def contacts_get(view: View, contact_id: str) -> dict[str, Any]:
    """Show a contact, what is planned with them, what they have to do, and when one last wrote to the other.

    Args:
        contact_id: the contact
    """
    contact = view.get(Contact, contact_id)
    events = [
        event
        for event in view.all(Event)
        if event.ends > view.now
        and event.status != "cancelled"
        and contact.id in (event.organizer, *(guest.contact for guest in event.guests))
    ]
    tasks = [task for task in view.all(Task) if task.assignee == contact.id and task.status != "done"]
    mails = [
        mail
        for mail in view.all(Mail)
        if mail.sent_at and set(contact.emails) & {mail.sender, *mail.to, *mail.cc}
    ]
    chats = {chat.id for chat in view.all(Conversation) if contact.id in chat.members}
    said = [message.sent_at for message in view.all(Message) if message.conversation in chats]
    written = [mail.sent_at for mail in mails if mail.sent_at] + said
    return {
        **view.show(contact),
        "upcoming_events": [
            view.show(event, "title", "starts")
            for event in sorted(events, key=lambda event: (event.starts, event.id))[:5]
        ],
        "open_tasks": [view.show(task, "title", "due") for task in sorted(tasks, key=lambda task: task.id)],
        "last_written": max(written, default=None),
    }


@tool(writes=(Contact,))
def contacts_add(
    view: View,
    name: Line,
    relation: Line,
    context: Context,
    organisation: Line | None = None,
    emails: Emails = (),
    phones: Phones = (),
    address: Line | None = None,
    birthday: date | None = None,
    notes: Body = "",
) -> dict[str, Any]:
    """Add somebody to the contacts.

    Args:
        name: their name
        relation: what they are to the user, such as sister or supplier
        context: whether they belong to work, or to private life
        organisation: where they work
        emails: their mail addresses
        phones: their telephone numbers
        address: where they live
        birthday: when they were born
        notes: anything else

    Raises:
        known_already: somebody with this name or mail address is among the contacts; change them with contacts_update
    """
    for contact in sorted(view.all(Contact), key=lambda contact: contact.id):
        if contact.name.casefold() == name.casefold() or set(contact.emails) & set(emails):
            raise Refusal("known_already", f"{contact.id}, {contact.name}")
    added = view.add(
        Contact,
        name=name,
        relation=relation,
        context=context,
        organisation=organisation,
        emails=tuple(dict.fromkeys(emails)),
        phones=tuple(dict.fromkeys(phones)),
        address=address,
        birthday=birthday,
        notes=notes,
    )
    return view.show(added)


@tool(writes=(Contact,))
def contacts_update(
    view: View,
    contact_id: str,
    name: Line | None = None,
    relation: Line | None = None,
    organisation: Line | None = None,
    add_emails: Emails = (),
    remove_emails: Emails = (),
    add_phones: Phones = (),
    remove_phones: Phones = (),
    address: Line | None = None,
    bank_account: Line | None = None,
    notes: Body | None = None,
) -> dict[str, Any]:
    """Change what is known of a contact; what isn't given stays.

    Args:
        contact_id: the contact
        name: their name
        relation: what they are to the user
        organisation: where they work
        add_emails: mail addresses to add
        remove_emails: mail addresses to take out
        add_phones: telephone numbers to add
        remove_phones: telephone numbers to take out
        address: where they live
        bank_account: number of the account that they are paid to
        notes: takes the place of the notes

    Raises:
        address_of_another: this mail address is another contact's; merge the two with contacts_merge if they are one
    """
    contact = view.get(Contact, contact_id)
    for other in sorted(view.all(Contact), key=lambda other: other.id):
        if other.id != contact.id and (both := set(other.emails) & set(add_emails)):
            raise Refusal("address_of_another", f"{min(both)} of {other.name}")
    new = view.change(
        contact,
        name=name or contact.name,
        relation=relation or contact.relation,
        organisation=organisation or contact.organisation,
        emails=tuple({*contact.emails, *add_emails} - set(remove_emails)),
        phones=tuple({*contact.phones, *add_phones} - set(remove_phones)),
        address=address or contact.address,
        bank_account=bank_account or contact.bank_account,
        notes=contact.notes if notes is None else notes,
    )
    return view.show(new)


NAMING: tuple[type[WorldRecord], ...] = (
    Event, Busy, RoomBooking, Conversation, Message, Task, Document, Project, Ticket,
)  # fmt: skip
"""Kinds of record that name contacts in what the user can change."""


@tool(writes=(Contact, *NAMING))
def contacts_merge(view: View, keep_id: str, merge_id: str) -> dict[str, Any]:
    """Make one contact of two that are the same person; everything that names the second names the first then.

    What is known of the first stays; what only the second has is added.

    Args:
        keep_id: the contact that stays
        merge_id: the contact that is merged into it and goes

    Raises:
        same_contact: that is one contact, not two
        oneself: the user's own contact can't be merged away
        both_named: the two stand side by side in this record, so that they can't be the same person
    """
    keep, gone = view.get(Contact, keep_id), view.get(Contact, merge_id)
    if keep.id == gone.id:
        raise Refusal("same_contact", keep.id)
    if gone.id == view.me.id:
        raise Refusal("oneself", gone.id)
    touched = [
        changed
        for kind in NAMING
        for record in view.all(kind)
        if (changed := renamed(view, record, gone, keep))
    ]
    kept = view.change(
        keep,
        emails=tuple({*keep.emails, *gone.emails}),
        phones=tuple({*keep.phones, *gone.phones}),
        organisation=keep.organisation or gone.organisation,
        address=keep.address or gone.address,
        birthday=keep.birthday or gone.birthday,
        bank_account=keep.bank_account or gone.bank_account,
        notes="\n".join(part for part in (keep.notes, gone.notes) if part),
    )
    view.remove(gone)
    return {**view.show(kept), "merged": gone.id, "records_changed": sorted(touched)}


def renamed(view: View, record: WorldRecord, gone: Contact, keep: Contact) -> str | None:
    """Put a contact in the place of another throughout a record; return its id where it named that one.

    Raises:
        Refusal: ``both_named``, where a set would hold the same contact twice.
    """
    text = record.model_dump_json()
    if f'"{gone.id}"' not in text:
        return None
    for name in ("members", "shared_with", "guests"):
        people = [getattr(one, "contact", one) for one in getattr(record, name, ())]
        if gone.id in people and keep.id in (*people, getattr(record, "organizer", None)):
            raise Refusal("both_named", record.id)
    new = type(record).model_validate_json(text.replace(f'"{gone.id}"', f'"{keep.id}"'))
    return view.change(record, **dict(new)).id
