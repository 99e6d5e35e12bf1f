"""The reviewer's guideline and its version, which every decision names."""

from __future__ import annotations

import hashlib

from mempabench.errors import InputError
from mempabench.workspace import Workspace


def guide_version(workspace: Workspace) -> str:
    """Return the version and content of the guideline, such as ``1-0f3a6c…``.

    Raises:
        InputError: when the project has none.
    """
    return "1-" + hashlib.sha256(_guide(workspace)).hexdigest()[:12]


def guide_text(workspace: Workspace) -> str:
    """Return the guideline, for a reviewer without the project.

    Raises:
        InputError: when the project has none.
    """
    return _guide(workspace).decode("utf-8", "replace")


def _guide(workspace: Workspace) -> bytes:
    path = workspace.root / "review" / "GUIDE.md"
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{workspace.shown(path)}: can't be read ({error.strerror}); decisions name it, so put it back"
        ) from error
