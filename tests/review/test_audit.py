"""The audit: drawn by the cells alone, judged blind, never settling, and reopening what it doubts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.conftest import Outcome as Done
from tests.conftest import Tiny

from mempabench.domain.evidence import Confidence
from mempabench.domain.review import Action, Decision, Mode, Outcome, Reason, ReviewItem
from mempabench.domain.taxonomy import settings_of
from mempabench.errors import InputError
from mempabench_review.audit import LEAST, audit_sample
from mempabench_review.log import BatchRow, outcome_of
from mempabench_review.queue import disputed, open_items, standing

Item = Callable[..., ReviewItem]
Row = Callable[..., BatchRow]
Entered = Callable[..., tuple[Decision, ...]]


@pytest.fixture
def item(an_item: Item) -> ReviewItem:
    return an_item(reason=Reason.AUDIT, confidence=Confidence.HIGH)


def keys(count: int) -> list[str]:
    return [f"user_a/work/{number}" for number in range(count)]


@pytest.mark.parametrize(("cells", "drawn"), [(0, 0), (3, 3), (5, 5), (40, LEAST), (53, 6), (112, 12)])
def test_a_tenth_is_drawn_and_five_at_least(cells: int, drawn: int) -> None:
    assert len(audit_sample(keys(cells))) == drawn


def test_the_draw_depends_on_the_cells_and_not_on_their_order() -> None:
    assert audit_sample(keys(80)) == audit_sample(reversed(keys(80)))
    assert audit_sample(keys(80)) != audit_sample(f"user_b/work/{number}" for number in range(80))


def test_an_audit_waits_for_nobody(item: ReviewItem) -> None:
    assert open_items([item], ()) == ()


def test_an_audit_that_agrees_settles_nothing(item: ReviewItem, a_row: Row, entered: Entered) -> None:
    log = entered([a_row(item, mode="blind")], [item])

    assert standing(item, log) is None
    assert open_items([item], log) == ()


def test_an_audit_that_differs_reopens_the_cell_and_does_not_settle_it(
    item: ReviewItem, a_row: Row, entered: Entered
) -> None:
    log = entered([a_row(item, "detailed", mode="blind")], [item])

    (waiting,) = open_items([item], log)

    assert waiting.why == "reopened"
    assert standing(item, log) is None


def test_a_second_reviewer_who_agrees_with_the_auditor_changes_the_cell(
    item: ReviewItem, a_row: Row, entered: Entered
) -> None:
    log = entered([a_row(item, "detailed", mode="blind")], [item])

    log += entered([a_row(item, "detailed")], [item], log, reviewer="reader_two")

    assert standing(item, log) == log[1]
    assert outcome_of(log[1]) is Outcome.CHANGED
    assert open_items([item], log) == ()


def test_a_second_reviewer_who_agrees_with_the_proposal_leaves_it_to_an_adjudicator(
    item: ReviewItem, a_row: Row, entered: Entered
) -> None:
    log = entered([a_row(item, "detailed", mode="blind")], [item])
    log += entered([a_row(item)], [item], log, reviewer="reader_two")
    cause = "The auditor took the pause for a wish for more."
    row = a_row(item, mode="adjudicated", adjudicates=[event.event_id for event in log], cause=cause)

    settled = entered([row], [item], log, reviewer="reader_three")

    assert len(disputed(item, log)) == 2
    assert standing(item, log + settled) == settled[0]
    assert settled[0].action is Action.KEEP


def test_the_auditors_own_second_thought_closes_the_cell_again(
    item: ReviewItem, a_row: Row, entered: Entered
) -> None:
    log = entered([a_row(item, "detailed", mode="blind")], [item])

    log += entered([a_row(item, mode="revised")], [item], log)

    assert [event.mode for event in log] == [Mode.BLIND, Mode.REVISED]
    assert open_items([item], log) == ()
    assert standing(item, log) is None


def test_an_audit_is_judged_blind(item: ReviewItem, a_row: Row, entered: Entered) -> None:
    with pytest.raises(InputError, match="it is drawn for the audit, which is judged blind"):
        entered([a_row(item)], [item])


def test_the_queue_of_a_build_holds_the_audit_and_a_difference_stops_the_build(tiny: Tiny) -> None:
    tiny.go_through()
    drawn = [row for row in tiny.rows("review_items") if row["reason"] == "audit"]
    settings = settings_of(drawn[0]["attribute"])
    other = next(name for name in settings if name != drawn[0]["proposal"])
    shown = tiny.run("review", "next", "--audit")
    stances = [f"--evidence={name}=supports" for name in drawn[0]["observations"]]
    assisted = decide(tiny, drawn[0]["cell"], other, *stances)
    blind = decide(tiny, drawn[0]["cell"], other, *stances, "--mode", "blind")

    reopened = tiny.run("build")
    second = decide(tiny, drawn[0]["cell"], other, *stances, who="second:human")
    rebuilt = tiny.run("build")

    assert len(drawn) == 2
    assert all(row["confidence"] == "high" for row in drawn)
    assert shown.told[-1] == "2 cells wait for the audit; decide them with --mode blind"
    assert "proposed:" not in shown.out
    assert "judged blind" in assisted.told[-1]
    assert (blind.code, second.code) == (0, 0)
    assert "review" not in rebuilt.told[-1], "what waits now is another answer on the persona"
    assert f"1 cell waits for review (first: {drawn[0]['cell']})" in reopened.told[-1]
    (cell,) = [
        row
        for row in tiny.rows("cells")
        if f"{row['user']}/{row['context']}/{row['attribute']}" == drawn[0]["cell"]
    ]
    assert (cell["setting"], cell["outcome"], cell["confidence"]) == (other, "changed", "high")


def decide(tiny: Tiny, cell: str, setting: str, *more: str, who: str = "auditor:human") -> Done:
    reason = ("--reason", "The lines cited here show it the other way round.")
    return tiny.run(
        "review", "decide", cell, "--setting", setting, "--context", "warranted", *reason, "--as", who, *more
    )
