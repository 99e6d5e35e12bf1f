"""The log on disk: one order for all writers, nothing lost, nothing doubled, and never two truths."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mempabench.artifacts import read_records
from mempabench.catalog import DECISIONS
from mempabench.domain.record import canonical_json
from mempabench.domain.review import Decision, ReviewItem
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.export import save_decisions
from mempabench_review.log import BatchRow, enter, verify
from mempabench_review.store import Conflict, Store, database, forget

Row = Callable[..., BatchRow]
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def log_file(project: Workspace) -> Path:
    return DECISIONS.path(project.root)


def made(row: BatchRow, items: list[ReviewItem], **given: Any) -> Callable[[Any], Any]:
    fields = {
        "reviewer": "reader_one",
        "reviewer_kind": "human",
        "decided_at": AT,
        "guide_version": "1-0123456789ab",
        **given,
    }
    return lambda log: enter([row], items, log, **fields)


def test_the_file_is_the_log_line_by_line(project: Workspace, queue: list[ReviewItem], a_row: Row) -> None:
    with Store.open(project) as store:
        first = store.append(queue[3].cell, made(a_row(queue[3]), queue))
        second = store.append(queue[0].cell, made(a_row(queue[0]), queue))

        assert store.events() == first + second

    assert read_records(log_file(project), Decision, "log") == first + second
    assert list(verify(first + second)) == []


def test_a_log_made_anew_from_the_file_is_the_same(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    save_decisions(project, [a_row(queue[3])], reviewer="r1", reviewer_kind="human", decided_at=AT)
    before = log_file(project).read_bytes()
    forget(project)

    with Store.open(project) as store:
        assert len(store.events()) == 1
        store.append(queue[0].cell, made(a_row(queue[0]), queue))

    assert log_file(project).read_bytes().startswith(before)
    assert len(log_file(project).read_bytes().splitlines()) == 2


@pytest.mark.parametrize("sql", ["update event set body = '{}'", "delete from event"])
def test_events_are_never_changed(project: Workspace, queue: list[ReviewItem], a_row: Row, sql: str) -> None:
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
    connection = sqlite3.connect(database(project))

    with pytest.raises(sqlite3.DatabaseError, match="events are never"):
        connection.execute(sql)
    connection.close()


def test_what_was_seen_is_compared_with_what_is_there(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    item = queue[3]
    later = made(a_row(item, "detailed"), queue, decided_at=AT + timedelta(hours=1))
    with Store.open(project) as store:
        (first,) = store.append(item.cell, made(a_row(item), queue), reviewer="reader_one", seen=0)

        with pytest.raises(Conflict) as conflict:
            store.append(item.cell, later, reviewer="reader_one", seen=0)
        other = made(a_row(item), queue, reviewer="reader_two")
        store.append(item.cell, other, reviewer="reader_two", seen=0)
        store.append(item.cell, later, reviewer="reader_one", seen=1)

        assert conflict.value.events == (first,)
        assert len(store.events()) == 3


def test_a_submission_sent_twice_is_entered_once(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    item = queue[3]
    with Store.open(project) as store:
        first = store.append(item.cell, made(a_row(item), queue), nonce="n1", reviewer="reader_one", seen=0)
        later = made(a_row(item), queue, decided_at=AT + timedelta(seconds=5))
        again = store.append(item.cell, later, nonce="n1", reviewer="reader_one", seen=0)

        assert again == first
        assert store.events() == first


def test_what_is_refused_leaves_nothing(project: Workspace, queue: list[ReviewItem], a_row: Row) -> None:
    with Store.open(project) as store:
        with pytest.raises(InputError, match="'loud' is no setting"):
            store.append(queue[3].cell, made(a_row(queue[3], "loud"), queue), nonce="n1")

        assert store.events() == ()
        assert not log_file(project).exists()
        assert len(store.append(queue[3].cell, made(a_row(queue[3]), queue), nonce="n1")) == 1


@pytest.mark.parametrize("large", [0, 4_000_000])
def test_a_long_log_is_appended_to_and_a_short_one_replaced(
    project: Workspace, queue: list[ReviewItem], a_row: Row, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mempabench_review.store.LARGE", large)
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
        node = log_file(project).stat().st_ino
        store.append(queue[0].cell, made(a_row(queue[0]), queue))

        assert read_records(log_file(project), Decision, "log") == store.events()
        assert (log_file(project).stat().st_ino == node) is (large == 0)


def test_a_torn_line_is_cut_off(project: Workspace, queue: list[ReviewItem], a_row: Row) -> None:
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
    whole = log_file(project).read_bytes()
    log_file(project).write_bytes(whole + b'{"event_id": "12')

    with Store.open(project) as store:
        assert len(store.events()) == 1

    assert log_file(project).read_bytes() == whole


def test_a_file_that_others_have_grown_is_read_on(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    with Store.open(project) as store:
        (first,) = store.append(queue[3].cell, made(a_row(queue[3]), queue))
    (pulled,) = made(a_row(queue[0]), queue, reviewer="reader_far")((first,))
    with log_file(project).open("a", encoding="utf-8") as stream:
        stream.write(canonical_json(pulled) + "\n")
    grown = log_file(project).read_bytes()

    with Store.open(project) as store:
        assert store.events() == (first, pulled)

    assert log_file(project).read_bytes() == grown


def test_a_file_cut_short_gets_its_lines_back(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
        store.append(queue[0].cell, made(a_row(queue[0]), queue))
    whole = log_file(project).read_bytes()
    log_file(project).write_bytes(whole.splitlines(keepends=True)[0])

    with Store.open(project):
        pass

    assert log_file(project).read_bytes() == whole


def test_a_file_that_tells_another_story_is_refused(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
    (other,) = enter(
        [a_row(queue[0])], queue, (), reviewer="r9", reviewer_kind="human", decided_at=AT, guide_version="1-0"
    )
    log_file(project).write_text(other.model_dump_json() + "\n", encoding="utf-8")

    with (
        pytest.raises(InputError, match=r"decisions\.jsonl:1: another event than in review/desk\.sqlite3"),
        Store.open(project),
    ):
        pass


def test_a_database_that_is_none_is_told(project: Workspace) -> None:
    database(project).parent.mkdir(exist_ok=True)
    database(project).write_bytes(b"not a database, but long enough to be taken for one" * 40)

    with pytest.raises(InputError, match=r"desk\.sqlite3: can't be used .* remove it"), Store.open(project):
        pass


def write_many(root: str, number: int, items: list[ReviewItem], rows: list[BatchRow]) -> None:
    """Enter a decision on every cell as one of many reviewers; runs in a process of its own."""
    with Store.open(Workspace(Path(root))) as store:
        for item, row in zip(items, rows, strict=True):
            store.append(
                item.cell, made(row, items, reviewer=f"reader_{number}"), nonce=f"{number} {item.cell}"
            )


def test_many_writers_at_once_all_get_in_and_the_chain_holds(
    project: Workspace, queue: list[ReviewItem], a_row: Row
) -> None:
    rows = [a_row(item, item.proposal or "casual" if "tone" in item.cell else None) for item in queue]
    chosen = [(item, row) for item, row in zip(queue, rows, strict=True) if item.proposal]
    items, rows = [item for item, _ in chosen], [row for _, row in chosen]
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=write_many, args=(str(project.root), number, items, rows))
        for number in range(16)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    assert {process.exitcode for process in processes} == {0}
    events = read_records(log_file(project), Decision, "log")
    assert len(events) == 16 * len(items)
    assert list(verify(events)) == []
    with Store.open(project) as store:
        assert store.events() == events


def test_drafts_are_kept_by_reviewer_and_cell_and_dropped(project: Workspace) -> None:
    with Store.open(project) as store:
        store.save_draft("reader_one", "user_a/work/verbosity", "half a thought")
        store.save_draft("reader_two", "user_a/work/verbosity", "another")
    with Store.open(project) as store:
        assert store.draft("reader_one", "user_a/work/verbosity") == "half a thought"
        store.save_draft("reader_one", "user_a/work/verbosity", "")
        assert store.draft("reader_one", "user_a/work/verbosity") == ""
        assert store.draft("reader_two", "user_a/work/verbosity") == "another"


def test_a_backup_opens_and_holds_the_log(
    project: Workspace, queue: list[ReviewItem], a_row: Row, tmp_path: Path
) -> None:
    with Store.open(project) as store:
        store.append(queue[3].cell, made(a_row(queue[3]), queue))
        store.backup(tmp_path / "copies/desk.sqlite3")

    connection = sqlite3.connect(tmp_path / "copies/desk.sqlite3")
    assert connection.execute("select count(*) from event").fetchone() == (1,)
    connection.close()
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["desk.sqlite3"]
