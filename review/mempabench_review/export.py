"""Writing what was decided: all of a batch or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from mempabench.artifacts import write_records
from mempabench.catalog import PROPOSED_SUBSTITUTES, SUBSTITUTES, load
from mempabench.domain.personas import Substitute
from mempabench.domain.review import Decision, Mode, ReviewerKind
from mempabench.domain.transcripts import Source
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.desk import Desk
from mempabench_review.guide import guide_version
from mempabench_review.log import BatchRow, enter
from mempabench_review.store import Store
from mempabench_review.substitutes import enter_substitutes


def save_decisions(
    workspace: Workspace,
    batch: Iterable[BatchRow],
    *,
    reviewer: str,
    reviewer_kind: ReviewerKind,
    decided_at: datetime,
    mode: Mode = Mode.ASSISTED,
) -> tuple[Decision, ...]:
    """Enter a batch into the project's log and return the new events.

    Other writers are waited for.

    Raises:
        InputError: when a row is refused, or the log isn't whole; nothing is written then.
    """
    rows = tuple(batch)
    with Store.open(workspace) as store:
        desk = Desk.load(workspace)

        def make(log: Sequence[Decision]) -> tuple[Decision, ...]:
            return enter(
                rows,
                desk.items,
                log,
                reviewer=reviewer,
                reviewer_kind=reviewer_kind,
                decided_at=decided_at,
                mode=mode,
                guide_version=guide_version(workspace),
                also_shown={item.cell: [seen.id for seen in desk.uncited(item)] for item in desk.items},
            )

        return store.append_all(make)


def save_substitutes(
    workspace: Workspace,
    batch: Iterable[BatchRow],
    source_id: str,
    *,
    reviewer: str,
    reviewer_kind: ReviewerKind,
) -> tuple[Substitute, ...]:
    """Enter a batch into the project's registry of substitutes and return the new entries.

    Raises:
        InputError: when a row is refused, the source is unknown, or somebody else is writing; nothing is
            written then.
    """
    with workspace.writing("mempabench review substitutes"):
        source = _named(workspace, source_id)
        registry: Sequence[Substitute] = load(workspace, SUBSTITUTES)
        new = enter_substitutes(
            batch,
            source,
            registry,
            reviewer=reviewer,
            reviewer_kind=reviewer_kind,
            proposed=load(workspace, PROPOSED_SUBSTITUTES),
        )
        if new:
            write_records(SUBSTITUTES.path(workspace.root), (*registry, *new))
    return new


def _named(workspace: Workspace, source_id: str) -> Source:
    for source in workspace.sources:
        if source.id == source_id:
            return source
    known = ", ".join(source.id for source in workspace.sources)
    raise InputError(f"there is no source '{source_id}'; there are {known}")
