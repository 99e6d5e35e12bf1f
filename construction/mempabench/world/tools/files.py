"""The assistant's working copy: text files below one folder, and nothing else of any machine."""

from __future__ import annotations

from typing import Any

from mempabench.domain.worlds import Document, File
from mempabench.domain.worlds.base import Body, Line
from mempabench.domain.worlds.writing import FilePath
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View


def at_path(view: View, path: str) -> File | None:
    """Return the file of a path, whatever the case of its letters."""
    return next((file for file in view.all(File) if file.path.casefold() == path.casefold()), None)


@tool(reads=(File, Document), finds=(File,))
def files_list(
    view: View,
    folder: FilePath | None = None,
    text: Line | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List the files of the working copy by path, and say which of them are behind the document they are a copy of.

    Args:
        folder: only those below this folder
        text: words that stand in the path or the text
    """
    below = f"{folder.casefold()}/" if folder else ""
    found = [
        file
        for file in view.all(File)
        if file.path.casefold().startswith(below) and matches(text, file.path, file.text)
    ]
    found.sort(key=lambda file: (file.path.casefold(), file.id))

    def shown(file: File) -> dict[str, Any]:
        document = view.find(Document, file.copy_of) if file.copy_of else None
        behind = document is not None and document.version > (file.copied_version or 0)
        size = len(file.text.encode())
        return {**view.show(file, "path", "updated_at", "copy_of"), "bytes": size, "behind": behind or None}

    return page(found, shown, limit, after)


@tool(reads=(File,))
def files_read(view: View, path: FilePath) -> dict[str, Any]:
    """Show a file of the working copy.

    Args:
        path: its path

    Raises:
        no_such_file: there is no file at this path; files_list has those there are
    """
    file = at_path(view, path)
    if file is None:
        raise Refusal("no_such_file", path)
    return view.show(file)


@tool(writes=(File,))
def files_write(view: View, path: FilePath, text: Body, overwrite: bool = False) -> dict[str, Any]:
    """Write a text file into the working copy. The same text at the same path changes nothing.

    Args:
        path: where; folders that aren't there yet come about
        text: what it says
        overwrite: whether a file that is there may be replaced

    Raises:
        there_already: a file with another text is at this path; give overwrite, or another path
        below_a_file: a part of this path is a file, not a folder
    """
    file = at_path(view, path)
    if file is not None and file.text == text:
        return {**view.show(file), "written": False}
    if file is not None and not overwrite:
        raise Refusal("there_already", file.path)
    place = path.casefold()
    for other in sorted(view.all(File), key=lambda other: other.path):
        known = other.path.casefold()
        if place.startswith(f"{known}/") or known.startswith(f"{place}/"):
            raise Refusal("below_a_file", other.path)
    if file is None:
        file = view.add(File, path=path, text=text, updated_at=view.now)
    else:
        file = view.change(file, text=text, updated_at=view.now)
    return {**view.show(file), "written": True}
