"""People, and what is written to and fro: contacts, mail, conversations, messages."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds.base import AnyId, Body, Email, Instant, Line, Ref, SetOf, WorldRecord

ContactId = Annotated[str, Ref("contact")]


class Contact(WorldRecord):
    """Somebody whom the user knows, or the user."""

    kind: ClassVar[str] = "contact"
    prefix: ClassVar[str] = "con"

    name: Line
    relation: Line
    """What they are to the user: ``sister``, ``supplier``; ``self`` for the user."""
    context: Context
    organisation: Line | None = None
    emails: SetOf[Email] = ()
    phones: SetOf[Line] = ()
    address: Line | None = None
    birthday: date | None = None
    bank_account: Line | None = None
    """Number of the account that they are paid to."""
    shares_calendar: bool = False
    """Whether the user sees when they are busy."""
    on_chat: bool = False
    """Whether they can be reached by message."""
    notes: Body = ""


class Mail(WorldRecord):
    """A mail, or the draft of one."""

    kind: ClassVar[str] = "mail"
    prefix: ClassVar[str] = "mail"

    context: Context
    """Of the account that it came to or goes from."""
    folder: Literal["inbox", "sent", "drafts", "archive", "bin"]
    sender: Email
    to: SetOf[Email]
    cc: SetOf[Email] = ()
    subject: Line
    body: Body
    sent_at: Instant | None
    """None for a draft."""
    answers: Annotated[str, Ref("mail")] | None = None
    labels: SetOf[Line] = ()
    attachments: SetOf[AnyId] = ()
    """Ids of files and documents."""
    read: bool = False


class Conversation(WorldRecord):
    """A chat of two or more."""

    kind: ClassVar[str] = "conversation"
    prefix: ClassVar[str] = "conv"

    title: Line
    context: Context
    members: SetOf[ContactId]
    """All of them, the user included."""
    closed: bool = False
    """Whether nobody can write into it any more."""


class Message(WorldRecord):
    """What somebody wrote in a conversation."""

    kind: ClassVar[str] = "message"
    prefix: ClassVar[str] = "msg"

    conversation: Annotated[str, Ref("conversation")]
    sender: ContactId
    text: Body
    sent_at: Instant
