import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mempabench.artifacts import write_records
from mempabench.catalog import DECISIONS, PROPOSED_SUBSTITUTES, REVIEW_ITEMS, SUBSTITUTES, load
from mempabench.domain.personas import EntityKind, ProposedSubstitute
from mempabench.domain.review import Decision, ReviewItem
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.export import save_decisions, save_substitutes
from mempabench_review.guide import guide_version
from mempabench_review.log import BatchRow

Row = Callable[..., BatchRow]
MARA = {"kind": "person", "original": "Mara Vidal", "substitute": "Tess Corran", "action": "accept"}


def save(project: Workspace, *rows: BatchRow, **given: Any) -> tuple[Decision, ...]:
    fields = {
        "reviewer": "reader_one",
        "reviewer_kind": "human",
        "decided_at": datetime(2026, 3, 1, 9, tzinfo=UTC),
        **given,
    }
    return save_decisions(project, rows, **fields)


def log_file(project: Workspace) -> Path:
    return DECISIONS.path(project.root)


def test_decisions_are_appended_to_the_log_with_the_guideline_they_followed(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    first = save(project, a_row(queue[3]))
    second = save(project, a_row(queue[0]), reviewer="reader_two")

    assert load(project, DECISIONS) == first + second
    assert second[0].previous == first[0].chained()
    assert first[0].guide_version == guide_version(project)


def test_the_log_is_the_same_bytes_in_every_project(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    save(project, a_row(queue[3]))
    once = log_file(project).read_bytes()
    log_file(project).unlink()

    save(project, a_row(queue[3]))

    assert log_file(project).read_bytes() == once


def test_a_repeated_batch_leaves_the_file_untouched(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    save(project, a_row(queue[3]))
    os.utime(log_file(project), (0, 0))

    assert save(project, a_row(queue[3])) == ()
    assert log_file(project).stat().st_mtime == 0


def test_a_refused_batch_leaves_no_log(project: Workspace, queue: list[ReviewItem], a_row: Row) -> None:
    with pytest.raises(InputError, match="'loud' is no setting"):
        save(project, a_row(queue[3]), a_row(queue[0], "loud", line=2))

    assert not log_file(project).exists()


def test_a_broken_log_takes_no_more_decisions(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    (decision,) = save(project, a_row(queue[3]))
    write_records(log_file(project), [decision.changed(setting="detailed")])

    with pytest.raises(InputError, match=r"decisions\.jsonl:1: .* the line was edited"):
        save(project, a_row(queue[0]))


def test_a_project_without_a_queue_says_how_to_get_one(project: Workspace, a_row: Row) -> None:
    REVIEW_ITEMS.path(project.root).unlink()

    with pytest.raises(InputError, match=r"review_items\.jsonl: there is no queue yet; run mempabench build"):
        save(project)


def test_an_observation_that_was_shown_uncited_may_be_judged(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    scene = "quay/s01e01/sc01/mara"
    evidence = [
        {"observation": f"{scene}/o1", "stance": "supports"},
        {"observation": f"{scene}/o2", "stance": "irrelevant"},
    ]

    (decision,) = save(project, a_row(queue[3], evidence=evidence))

    assert len(decision.evidence) == 2


def test_substitutes_are_appended_to_the_registry(project: Workspace) -> None:
    proposal = ProposedSubstitute(
        source="quay", kind=EntityKind.PERSON, original="Mara Vidal", substitute="Tess Corran"
    )
    write_records(PROPOSED_SUBSTITUTES.path(project.root), [proposal])
    rows = [BatchRow("names.jsonl:1", MARA)]

    entries = save_substitutes(project, rows, "quay", reviewer="reader_one", reviewer_kind="human")

    assert load(project, SUBSTITUTES) == entries
    assert entries[0].substitute == "Tess Corran"
    assert save_substitutes(project, rows, "quay", reviewer="reader_one", reviewer_kind="human") == ()


def test_substitutes_of_an_unknown_source_are_refused(project: Workspace) -> None:
    with pytest.raises(InputError, match="there is no source 'mill'; there are quay"):
        save_substitutes(project, (), "mill", reviewer="reader_one", reviewer_kind="human")
