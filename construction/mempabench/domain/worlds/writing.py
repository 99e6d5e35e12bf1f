"""What is written and kept: notes, files of the working copy, shared documents, projects, tickets."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints

from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds.base import Body, Instant, Line, ListOf, Ref, SetOf, WorldRecord
from mempabench.domain.worlds.people import ContactId

FILE_PATH = r"^[^/\\\x00-\x1f]{1,80}(/[^/\\\x00-\x1f]{1,80}){0,5}$"


def _below(path: str) -> str:
    if any(not name.strip(". ") for name in path.split("/")):
        raise ValueError("a path is made of names below the working copy, none of them '.' or '..'")
    return path


FilePath = Annotated[str, StringConstraints(pattern=FILE_PATH, max_length=300), AfterValidator(_below)]
"""A path below the working copy: one to six names joined by ``/``."""


class Note(WorldRecord):
    """Something the user wrote down."""

    kind: ClassVar[str] = "note"
    prefix: ClassVar[str] = "note"

    title: Line
    body: Body
    context: Context
    tags: SetOf[Line] = ()
    updated_at: Instant


class File(WorldRecord):
    """A text file of the assistant's working copy."""

    kind: ClassVar[str] = "file"
    prefix: ClassVar[str] = "file"

    path: FilePath
    text: Body
    updated_at: Instant
    copy_of: Annotated[str, Ref("document")] | None = None
    """The document that it was checked out from."""
    copied_version: Annotated[int, Field(ge=1)] | None = None


class Document(WorldRecord):
    """A shared document; the assistant works on a copy of it."""

    kind: ClassVar[str] = "document"
    prefix: ClassVar[str] = "doc"

    title: Line
    body: Body
    context: Context
    owner: ContactId
    access: Literal["read", "edit"] = "edit"
    """What the user may do with it."""
    shared_with: SetOf[ContactId] = ()
    version: Annotated[int, Field(ge=1)] = 1
    edited_by: ContactId | None = None
    """Who has it open for editing, so that nobody else can publish to it."""
    confidential: bool = False
    """Whether it has to stay within the organisation."""
    megabytes: Annotated[Decimal, Field(gt=0, le=500, max_digits=5, decimal_places=1)] = Decimal("0.1")


class Milestone(Record):
    """A step of a project."""

    title: Line
    due: date
    done: bool = False


class Project(WorldRecord):
    """Work that several people do towards a date."""

    kind: ClassVar[str] = "project"
    prefix: ClassVar[str] = "proj"

    name: Line
    lead: ContactId
    members: SetOf[ContactId] = ()
    """All but the lead."""
    milestones: ListOf[Milestone] = ()
    status: Literal["active", "frozen", "closed"] = "active"
    """Frozen: no new tickets until the freeze is lifted."""
    notes: Body = ""


class Comment(Record):
    """A word on a ticket."""

    author: ContactId
    at: Instant
    text: Body


class Ticket(WorldRecord):
    """A piece of a project's work."""

    kind: ClassVar[str] = "ticket"
    prefix: ClassVar[str] = "tick"

    project: Annotated[str, Ref("project")]
    title: Line
    text: Body
    status: Literal["open", "in_progress", "in_review", "done", "rejected"] = "open"
    assignee: ContactId | None = None
    reviewer: ContactId | None = None
    """Who has to see it before it is done."""
    priority: Literal["low", "normal", "high"] = "normal"
    blocked_by: SetOf[Annotated[str, Ref("ticket")]] = ()
    comments: ListOf[Comment] = ()
