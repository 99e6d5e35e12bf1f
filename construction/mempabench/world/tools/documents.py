"""Shared documents: finding and reading them, working on a copy, publishing it, giving access."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Contact, Document, File, Mail
from mempabench.domain.worlds.base import Body, Line
from mempabench.domain.worlds.writing import FilePath
from mempabench.world.acts import address_of, send_mail
from mempabench.world.searching import matches, snippet
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.tools.files import at_path
from mempabench.world.view import Refusal, View, named


@tool(reads=(Document, Contact), finds=(Document,))
def documents_search(
    view: View,
    text: Line | None = None,
    owner_id: str | None = None,
    context: Context | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List shared documents by title.

    Args:
        text: words that stand in the title or the text
        owner_id: only those of this contact
        context: only of work, or of private life
    """
    found = [
        document
        for document in view.all(Document)
        if context in (None, document.context)
        and owner_id in (None, document.owner)
        and matches(text, document.title, document.body)
    ]
    found.sort(key=lambda document: (document.title.casefold(), document.id))

    def shown(document: Document) -> dict[str, Any]:
        fields = view.show(document, "title", "context", "version", "access", "confidential")
        owner = named(view, [document.owner])[0]
        return {**fields, "owner_name": owner, "text": snippet(document.body, text)}

    return page(found, shown, limit, after)


@tool(reads=(Document, Contact, File))
def documents_read(view: View, document_id: str) -> dict[str, Any]:
    """Show a shared document in full, who has access, who has it open, and which files are copies of it.

    Args:
        document_id: the document
    """
    document = view.get(Document, document_id)
    copies = [file.path for file in view.all(File) if file.copy_of == document.id]
    return {
        **view.show(document),
        "owner_name": named(view, [document.owner])[0],
        "shared_with_names": named(view, document.shared_with),
        "open_with": named(view, [document.edited_by])[0] if document.edited_by else None,
        "copies": sorted(copies),
    }


@tool(reads=(Document,), writes=(File,))
def documents_check_out(view: View, document_id: str, path: FilePath) -> dict[str, Any]:
    """Copy a shared document into the working copy, where it can be changed with files_write.

    A copy of the same version at the same path stays as it is.

    Args:
        document_id: the document
        path: where the copy goes

    Raises:
        there_already: something else is at this path; give another
    """
    document, file = view.get(Document, document_id), at_path(view, path)
    if file is not None and (file.copy_of, file.copied_version) == (document.id, document.version):
        return view.show(file)
    if file is not None and file.copy_of != document.id:
        raise Refusal("there_already", file.path)
    fields = {
        "text": document.body,
        "updated_at": view.now,
        "copy_of": document.id,
        "copied_version": document.version,
    }
    return view.show(view.change(file, **fields) if file else view.add(File, path=path, **fields))


@tool(reads=(Contact,), writes=(Document, File), external=True)
def documents_publish(view: View, path: FilePath, title: Line | None = None) -> dict[str, Any]:
    """Publish a file of the working copy: a copy becomes the next version of its document, any other a new document.

    A copy without changes publishes nothing.

    Args:
        path: the file
        title: the title of a new document

    Raises:
        no_such_file: there is no file at this path; files_list has those there are
        title_needed: a new document needs a title
        behind: the document has a newer version; check it out again to another path, and put the two together

    Limits:
        read_only: the user may only read this document; send the owner the text with mail_send, or publish it as a
            document of its own from another file
        open_elsewhere: somebody has it open for editing; write to them with messages_send, or publish later
    """
    file = at_path(view, path)
    if file is None:
        raise Refusal("no_such_file", path)
    if file.copy_of is None:
        return published_anew(view, file, title)
    document = view.get(Document, file.copy_of)
    if document.access != "edit":
        raise Refusal("read_only", document.id)
    if document.edited_by not in (None, view.me.id):
        raise Refusal("open_elsewhere", named(view, [document.edited_by])[0])
    if document.version > (file.copied_version or 0):
        raise Refusal("behind", document.id)
    if document.body == file.text:
        return {**view.show(document), "published": False}
    document = view.change(document, body=file.text, version=document.version + 1)
    view.change(file, copied_version=document.version)
    return {**view.show(document), "published": True}


def published_anew(view: View, file: File, title: str | None) -> dict[str, Any]:
    """Make a document of a file, and the file a copy of it.

    Raises:
        Refusal: ``title_needed``.
    """
    if title is None:
        raise Refusal("title_needed", file.path)
    document = view.add(Document, title=title, body=file.text, context=Context.WORK, owner=view.me.id)
    view.change(file, copy_of=document.id, copied_version=document.version)
    return {**view.show(document), "published": True}


@tool(reads=(Contact,), writes=(Document, Mail), external=True)
def documents_share(
    view: View,
    document_id: str,
    contact_ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=20)],
    message: Body = "",
) -> dict[str, Any]:
    """Give contacts access to a shared document, and write it to them by mail. Who has access isn't written to again.

    Args:
        document_id: the document
        contact_ids: who gets access
        message: a word to them

    Raises:
        no_address: no mail address of this contact is known; add one with contacts_update
        confidential: it has to stay within the organisation, and this contact is outside it

    Limits:
        not_owner: only the owner gives access to it; ask them with mail_send or messages_send
    """
    document = view.get(Document, document_id)
    if document.owner != view.me.id:
        raise Refusal("not_owner", f"{document.id} of {named(view, [document.owner])[0]}")
    new = [view.get(Contact, key) for key in dict.fromkeys(contact_ids)]
    new = [contact for contact in new if contact.id not in (*document.shared_with, view.me.id)]
    for contact in new:
        if document.confidential and contact.organisation != view.me.organisation:
            raise Refusal("confidential", contact.name)
    addresses = tuple(address_of(view, contact) for contact in new)
    if new:
        text = message or f"{view.me.name} has given you access to {document.title}."
        send_mail(view, document.context, addresses, f"Shared: {document.title}", text)
        people = (*document.shared_with, *(contact.id for contact in new))
        document = view.change(document, shared_with=people)
    return {**view.show(document, "title", "shared_with"), "written_to": list(addresses)}
