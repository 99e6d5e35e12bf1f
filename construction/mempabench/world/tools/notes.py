"""What the user wrote down."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Note
from mempabench.domain.worlds.base import Body, Line
from mempabench.world.searching import matches, snippet
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Tags = Annotated[tuple[Line, ...], Field(max_length=8)]
LONGEST = 20_000


@tool(reads=(Note,), finds=(Note,))
def notes_search(
    view: View,
    text: Line | None = None,
    tag: Line | None = None,
    context: Context | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List notes, the one that was last changed first, each with the piece in which the words stand.

    Args:
        text: words that stand in the title, the text or a tag
        tag: only those with this tag
        context: only of work, or of private life
    """
    found = [
        note
        for note in view.all(Note)
        if context in (None, note.context)
        and (tag is None or tag.casefold() in {one.casefold() for one in note.tags})
        and matches(text, note.title, note.body, *note.tags)
    ]
    found.sort(key=lambda note: note.id)
    found.sort(key=lambda note: note.updated_at, reverse=True)
    return page(
        found,
        lambda note: {
            **view.show(note, "title", "context", "tags", "updated_at"),
            "text": snippet(note.body, text),
        },
        limit,
        after,
    )


@tool(reads=(Note,))
def notes_read(view: View, note_id: str) -> dict[str, Any]:
    """Show a note in full.

    Args:
        note_id: the note
    """
    return view.show(view.get(Note, note_id))


@tool(writes=(Note,))
def notes_create(view: View, title: Line, body: Body, context: Context, tags: Tags = ()) -> dict[str, Any]:
    """Write a new note.

    Args:
        title: its title
        body: its text
        context: whether it belongs to work, or to private life
        tags: tags to find it by

    Raises:
        title_taken: a note of the same context has this title; add to it with notes_append
    """
    for note in view.all(Note):
        if (note.title.casefold(), note.context) == (title.casefold(), context):
            raise Refusal("title_taken", note.id)
    tags = tuple(dict.fromkeys(tags))
    return view.show(view.add(Note, title=title, body=body, context=context, tags=tags, updated_at=view.now))


@tool(writes=(Note,))
def notes_append(
    view: View,
    note_id: str,
    text: Annotated[str, StringConstraints(min_length=1, max_length=8000)],
    add_tags: Tags = (),
) -> dict[str, Any]:
    """Add to the end of a note, on a line of its own. What is its last line already is not added again.

    Args:
        note_id: the note
        text: what to add
        add_tags: tags that it gets

    Raises:
        full: the note would be longer than 20,000 characters; begin another with notes_create
    """
    note = view.get(Note, note_id)
    body = note.body
    if body != text and not body.endswith(f"\n{text}"):
        body = f"{body.rstrip()}\n{text}" if body.strip() else text
    if len(body) > LONGEST:
        raise Refusal("full", note.id)
    tags = tuple({*note.tags, *add_tags})
    if (body, set(tags)) == (note.body, set(note.tags)):
        return view.show(note)
    return view.show(view.change(note, body=body, tags=tags, updated_at=view.now))
