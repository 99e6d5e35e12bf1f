"""Requests that wait for an answer, and calls that were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mempabench.domain.manifests import Request
from mempabench.engines.asking import Pending
from mempabench.errors import InputError
from mempabench.workspace import Workspace

if TYPE_CHECKING:
    from mempabench.domain.manifests import Call
    from mempabench.engines.explaining import Listener

LEDGER = "ledger.jsonl"
"""File below ``artifacts/`` in which every call of a live model stands."""


def refuse_private(project: Workspace, chosen: Sequence[Request]) -> None:
    """Refuse to write out text of a source that isn't marked redistributable, unless somebody consents.

    Raises:
        InputError: naming the source.
    """
    private = {source.id for source in project.sources if not source.redistributable}
    for user in project.plans():
        if user.source in private:
            private.add(user.user)
    count = sum(request.group in private for request in chosen)
    if count:
        first = next(request.group for request in chosen if request.group in private)
        raise InputError(
            f"{first}: {count} requests hold text that isn't marked redistributable; "
            "if it may go to whoever answers them, say --consent"
        )


def pending_requests(project: Workspace) -> list[Pending]:
    """Return every request that waits, over all stages whose inputs are there."""
    from mempabench.pipeline import Run
    from mempabench.stages import PIPELINE

    return [one for report in Run(project, write=False).stages(PIPELINE) for one in report.pending]


def listened(project: Workspace) -> Listener:
    """Return a listener that has heard every request that the pipeline asks, answered or not."""
    from mempabench.engines.explaining import Listener
    from mempabench.pipeline import Run
    from mempabench.stages import PIPELINE

    listener = Listener(project.recordings)
    for _ in Run(project, write=False, anew=True, engine_for=lambda unit: listener).stages(PIPELINE):
        pass
    return listener


def calls(project: Workspace) -> tuple[Call, ...]:
    """Return every call of the ledger."""
    from mempabench.artifacts import read_records
    from mempabench.domain.manifests import Call

    path = project.artifacts / LEDGER
    return tuple(read_records(path, Call, project.shown(path)))
