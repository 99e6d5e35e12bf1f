from collections.abc import Callable

from mempabench.domain.review import Decision, ReviewItem
from mempabench_review.log import BatchRow
from mempabench_review.queue import open_items, standing

Item = Callable[..., ReviewItem]
Row = Callable[..., BatchRow]
Entered = Callable[..., tuple[Decision, ...]]


def test_twin_cells_lie_side_by_side_in_table_order(queue: list[ReviewItem]) -> None:
    cells = [entry.item.cell for entry in open_items(queue, ())]

    assert cells == [
        "user_a/work/verbosity",
        "user_a/personal/verbosity",
        "user_a/work/topic_management",
        "user_b/work/verbosity",
    ]


def test_an_undecided_cell_is_open_for_its_own_reason(an_item: Item) -> None:
    (entry,) = open_items([an_item(proposal=None)], ())

    assert (entry.why, entry.stale, entry.deferred) == ("no_evidence", None, None)


def test_a_decided_cell_is_not_open(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()

    log = entered([a_row(item)], [item])

    assert open_items([item], log) == ()
    assert standing(item, log) == log[0]


def test_a_later_decision_of_the_same_reviewer_supersedes(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    first = entered([a_row(item)], [item])

    second = entered([a_row(item, "detailed")], [item], first)

    assert standing(item, first + second) == second[0]


def test_reviewers_who_agree_settle_a_cell_by_the_last_of_them(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    first = entered([a_row(item)], [item])

    second = entered([a_row(item)], [item], first, reviewer="reader_two", reviewer_kind="model")

    assert standing(item, first + second) == second[0]


def test_a_deferral_leaves_the_cell_open_and_is_shown(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    row = a_row(item, action="defer", context_verdict=None, evidence=[])
    row.value.pop("setting")

    log = entered([row], [item])
    (entry,) = open_items([item], log)

    assert entry.deferred == log[0]
    assert entry.why == "low_confidence"


def test_changed_evidence_reopens_a_cell_and_carries_the_stale_decision(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    log = entered([a_row(item)], [item])

    (entry,) = open_items([item.changed(evidence_hash="f" * 64)], log)

    assert (entry.why, entry.stale) == ("stale", log[0])


def test_evidence_that_returns_to_what_was_decided_settles_the_cell_again(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item, other = an_item(), an_item(evidence_hash="f" * 64)
    first = entered([a_row(item)], [item])
    second = entered([a_row(other, "detailed")], [other], first)

    assert standing(item, first + second) == first[0]
    assert standing(other, first + second) == second[0]
