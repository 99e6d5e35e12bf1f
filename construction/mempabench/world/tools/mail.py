"""The user's mail: finding, reading, drafting, sending, filing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Contact, Document, File, Mail
from mempabench.domain.worlds.base import Body, Email, Instant, Line
from mempabench.world.acts import my_address
from mempabench.world.searching import matches, snippet
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Addresses = Annotated[tuple[Email, ...], Field(min_length=1, max_length=30)]
Attachments = Annotated[tuple[str, ...], Field(max_length=5)]
LARGEST = 20
"""Megabytes that one mail carries."""


def brief(view: View, mail: Mail, text: str | None = None) -> dict[str, Any]:
    """Return a mail as a list shows it."""
    shown = view.show(mail, "context", "folder", "sender", "to", "subject", "sent_at", "labels", "read")
    return {**shown, "text": snippet(mail.body, text), "attachments": len(mail.attachments) or None}


@tool(reads=(Mail,), finds=(Mail,))
def mail_search(
    view: View,
    text: Line | None = None,
    person: Line | None = None,
    folder: Literal["inbox", "sent", "drafts", "archive", "bin"] | None = None,
    context: Context | None = None,
    since: Instant | None = None,
    until: Instant | None = None,
    unread: bool | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List mails, the newest first; the bin is left out where it isn't asked for.

    Args:
        text: words that stand in the subject, the text or a label
        person: part of an address that it is from or to
        folder: only of this folder
        context: only of work, or of private life
        since: only sent at or after it
        until: only sent before it
        unread: only those that are unread, or only those that are read
    """
    found = [
        mail
        for mail in view.all(Mail)
        if (mail.folder == folder if folder else mail.folder != "bin")
        and context in (None, mail.context)
        and unread in (None, not mail.read)
        and (since is None or (mail.sent_at or mail.entered) >= since)
        and (until is None or (mail.sent_at or mail.entered) < until)
        and matches(person, mail.sender, *mail.to, *mail.cc)
        and matches(text, mail.subject, mail.body, *mail.labels)
    ]
    found.sort(key=lambda mail: mail.id)
    found.sort(key=lambda mail: mail.sent_at or mail.entered, reverse=True)
    return page(found, lambda mail: brief(view, mail, text), limit, after)


@tool(reads=(Mail, File, Document, Contact))
def mail_read(view: View, mail_id: str) -> dict[str, Any]:
    """Show a mail in full, what is attached to it, and the mails of the same exchange. It stays as unread as it was.

    Args:
        mail_id: the mail
    """
    mail = view.get(Mail, mail_id)
    known = {address: contact for contact in view.all(Contact) for address in contact.emails}
    sender = known.get(mail.sender)
    return {
        **view.show(mail),
        "sender_name": sender.name if sender else None,
        "attachments": [attached(view, key) for key in mail.attachments],
        "exchange": [brief(view, other) for other in exchange(view, mail) if other.id != mail.id],
    }


def attached(view: View, key: str) -> dict[str, Any]:
    """Return what a mail says of something attached to it."""
    item = view.any(key, File, Document)
    return {"id": key, "name": item.path if isinstance(item, File) else getattr(item, "title", key)}


def exchange(view: View, mail: Mail) -> list[Mail]:
    """Return the mails that answer one another, the oldest first, drafts excepted."""
    by_id = {one.id: one for one in view.all(Mail)}

    def root(one: Mail) -> str:
        seen = set()
        while one.answers in by_id and one.id not in seen:
            seen.add(one.id)
            one = by_id[one.answers]
        return one.id

    first = root(mail)
    found = [one for one in by_id.values() if one.folder != "drafts" and root(one) == first]
    return sorted(found, key=lambda one: (one.sent_at or one.entered, one.id))


def checked(
    view: View, context: Context, to: tuple[str, ...], attachments: tuple[str, ...]
) -> tuple[str, ...]:
    """Return attachments that may go to some addresses.

    Raises:
        Refusal: ``too_large`` or ``confidential``.
    """
    items = [view.any(key, File, Document) for key in dict.fromkeys(attachments)]
    size = sum(float(item.megabytes) for item in items if isinstance(item, Document))
    if size > LARGEST:
        raise Refusal("too_large", f"{size:.1f} MB")
    house = view.header.work_email.rpartition("@")[2]
    leaves = [address for address in to if address.rpartition("@")[2] != house]
    for item in items:
        if isinstance(item, Document) and item.confidential and leaves:
            raise Refusal("confidential", f"{item.id} to {leaves[0]}")
    return tuple(item.id for item in items)


def answered(view: View, key: str | None) -> str | None:
    """Return the id of the mail that is answered, once it is known."""
    return None if key is None else view.get(Mail, key).id


@tool(reads=(File, Document, Contact), writes=(Mail,))
def mail_save_draft(
    view: View,
    to: Addresses,
    subject: Line,
    body: Body,
    context: Context,
    answers: str | None = None,
    attachments: Attachments = (),
    draft_id: str | None = None,
) -> dict[str, Any]:
    """Write a mail and keep it as a draft; nothing is sent.

    Args:
        to: whom it is to
        subject: its subject
        body: its text
        context: whether it goes from the address of work, or of private life
        answers: id of the mail that it answers
        attachments: ids of files and documents that go with it
        draft_id: a draft that this takes the place of

    Raises:
        not_a_draft: this mail was sent already
        confidential: the document has to stay within the organisation

    Limits:
        too_large: that is more than a mail carries; give access with documents_share instead
    """
    fields = {
        "context": context,
        "folder": "drafts",
        "sender": my_address(view, context),
        "to": tuple(dict.fromkeys(to)),
        "subject": subject,
        "body": body,
        "answers": answered(view, answers),
        "attachments": checked(view, context, to, attachments),
    }
    if draft_id is None:
        return view.show(view.add(Mail, sent_at=None, read=True, **fields))
    return view.show(view.change(draft(view, draft_id), **fields))


def draft(view: View, key: str) -> Mail:
    """Return a draft.

    Raises:
        Refusal: ``not_a_draft``, when it is another mail.
    """
    mail = view.get(Mail, key)
    if mail.folder != "drafts":
        raise Refusal("not_a_draft", key)
    return mail


@tool(reads=(File, Document, Contact), writes=(Mail,), external=True)
def mail_send_draft(view: View, draft_id: str) -> dict[str, Any]:
    """Send a draft as it stands.

    Args:
        draft_id: the draft

    Raises:
        not_a_draft: this mail was sent already
        confidential: the document has to stay within the organisation

    Limits:
        too_large: that is more than a mail carries; give access with documents_share instead
    """
    mail = draft(view, draft_id)
    checked(view, mail.context, mail.to, mail.attachments)
    return view.show(view.change(mail, folder="sent", sent_at=view.now))


@tool(reads=(File, Document, Contact), writes=(Mail,), external=True)
def mail_send(
    view: View,
    to: Addresses,
    subject: Line,
    body: Body,
    context: Context,
    answers: str | None = None,
    attachments: Attachments = (),
) -> dict[str, Any]:
    """Write a mail and send it.

    Args:
        to: whom it is to
        subject: its subject
        body: its text
        context: whether it goes from the address of work, or of private life
        answers: id of the mail that it answers; that one counts as read then
        attachments: ids of files and documents that go with it

    Raises:
        sent_already: the same mail went to the same people today; say something else, or leave it
        confidential: the document has to stay within the organisation

    Limits:
        too_large: that is more than a mail carries; give access with documents_share instead
    """
    people = set(to)
    for mail in view.all(Mail):
        same = (mail.subject, mail.body, set(mail.to)) == (subject, body, people)
        if same and mail.sent_at and view.local(mail.sent_at).date() == view.today:
            raise Refusal("sent_already", mail.id)
    if answers is not None:
        view.change(view.get(Mail, answers), read=True)
    sent = view.add(
        Mail,
        context=context,
        folder="sent",
        sender=my_address(view, context),
        to=tuple(dict.fromkeys(to)),
        subject=subject,
        body=body,
        sent_at=view.now,
        answers=answers,
        attachments=checked(view, context, to, attachments),
        read=True,
    )
    return view.show(sent)


@tool(writes=(Mail,))
def mail_file(
    view: View,
    mail_id: str,
    folder: Literal["inbox", "archive", "bin"] | None = None,
    read: bool | None = None,
    add_labels: Annotated[tuple[Line, ...], Field(max_length=5)] = (),
    remove_labels: Annotated[tuple[Line, ...], Field(max_length=5)] = (),
) -> dict[str, Any]:
    """Move a mail to another folder, mark it, label it. What is so already stays so.

    Args:
        mail_id: the mail
        folder: where it goes
        read: whether it counts as read
        add_labels: labels that it gets
        remove_labels: labels that it loses

    Raises:
        sent_stays: what the user sent can be labelled, but stays where it is
    """
    mail = view.get(Mail, mail_id)
    if folder == "inbox" and mail.folder in ("sent", "drafts"):
        raise Refusal("sent_stays", mail.id)
    labels = {*mail.labels, *add_labels} - set(remove_labels)
    new = view.change(
        mail,
        folder=folder or mail.folder,
        read=mail.read if read is None else read,
        labels=tuple(labels),
    )
    return brief(view, new)
