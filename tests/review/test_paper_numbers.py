"""The paper's own numbers, 112 cells of four users, come out of queue, decisions and settling as they went in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.personas import User
from mempabench.domain.review import Cell, Decision, Outcome, Reason, ReviewItem
from mempabench.domain.taxonomy import TAXONOMY, Context, settings_of
from mempabench.stages.queue_review import queue_review
from mempabench.stages.settle_cells import settle_cells
from mempabench.testing import a_proposal, an_observation
from mempabench_review.log import BatchRow, enter
from mempabench_review.queue import open_items

CONFIRMED, KEPT, CHANGED, BY_HAND, NOTHING = 53, 34, 18, 2, 5
"""Cells by what becomes of them; seven are specified: five without a proposal, two whose evidence can't carry them."""
USERS = tuple(
    User(user=f"user_{letter}", source="saltmarsh", character=f"person_{letter}", coverage=1)
    for letter in "abcd"
)


class Counting:
    """Keeps a stage's account."""

    def __init__(self) -> None:
        self.done = self.in_review = 0

    def each(self, *_: Any) -> Iterator[Any]:
        raise AssertionError("neither stage maps units")

    def tally(self, *, done: int = 0, in_review: int = 0) -> None:
        self.done += done
        self.in_review += in_review


def fates() -> Iterator[str]:
    """Yield what becomes of each cell."""
    plan = {"confirmed": CONFIRMED, "kept": KEPT, "changed": CHANGED, "by hand": BY_HAND, "nothing": NOTHING}
    for fate, count in plan.items():
        yield from [fate] * count


def proposed(fate: str, user: User, context: Context, attribute: Any) -> ProposedCell:
    none = fate == "nothing"
    confidence = {"confirmed": Confidence.HIGH, "nothing": Confidence.NONE}.get(fate, Confidence.LOW)
    return a_proposal(
        character=user.character,
        attribute=attribute,
        setting=None if none else settings_of(attribute)[0],
        confidence=confidence,
        context=context,
        supporting=() if none else (an_observation().id,),
        quotes=() if none else an_observation().quotes,
    )


@pytest.fixture(scope="module")
def proposals() -> dict[str, tuple[ProposedCell, ...]]:
    """The proposals of all 112 cells, by what becomes of them."""
    cells = [(user, context, spec.attribute) for user in USERS for context in Context for spec in TAXONOMY]
    found: dict[str, list[ProposedCell]] = {}
    for (user, context, attribute), fate in zip(cells, fates(), strict=True):
        found.setdefault(fate, []).append(proposed(fate, user, context, attribute))
    return {fate: tuple(own) for fate, own in found.items()}


def everything(proposals: dict[str, tuple[ProposedCell, ...]]) -> tuple[ProposedCell, ...]:
    return tuple(proposal for own in proposals.values() for proposal in own)


def row(item: ReviewItem, fate: str) -> BatchRow:
    value = {
        "cell": item.cell,
        "evidence_hash": item.evidence_hash,
        "setting": settings_of(item.attribute)[fate == "changed"],
        "reason": "What the cited lines show decides it here.",
        "context_verdict": "warranted" if item.scenes else "no_scenes",
        "evidence": [
            {"observation": name, "stance": "irrelevant" if fate == "by hand" else "supports"}
            for name in item.observations
        ],
        "evidence_usable": fate != "by hand",
    }
    return BatchRow("the paper", value)


def decided(items: Iterable[ReviewItem], fate_of: dict[str, str]) -> tuple[Decision, ...]:
    """Decide one cell after the other, each on the log so far."""
    queue = tuple(items)
    log: tuple[Decision, ...] = ()
    for number, item in enumerate(queue):
        log += enter(
            [row(item, fate_of[item.cell])],
            queue,
            log,
            reviewer="reader_one",
            reviewer_kind="human",
            decided_at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=number),
            guide_version="1-0123456789ab",
        )
    return log


def test_the_matrix_of_the_paper_comes_out_as_it_went_in(
    proposals: dict[str, tuple[ProposedCell, ...]],
) -> None:
    queueing, settling = Counting(), Counting()
    user_of = {user.character: user.user for user in USERS}
    fate_of = {
        f"{user_of[one.character]}/{one.context}/{one.attribute}": fate
        for fate, own in proposals.items()
        for one in own
    }

    items = tuple(queue_review(everything(proposals), USERS, queueing))
    waiting = [item for item in items if item.reason is not Reason.AUDIT]
    log = decided(waiting, fate_of)
    cells: tuple[Cell, ...] = tuple(settle_cells(everything(proposals), USERS, items, log, settling))

    assert len(waiting) == queueing.in_review == 59
    assert len(items) - len(waiting) == 6, "a tenth of 53 cells of high confidence, rounded up"
    assert Counter(item.reason for item in items)[Reason.NO_EVIDENCE] == NOTHING
    assert len(open_items(items, ())) == 59
    assert open_items(items, log) == ()
    assert len(cells) == settling.done == 112
    assert Counter(cell.outcome for cell in cells) == {
        Outcome.CONFIRMED: 53,
        Outcome.KEPT: 34,
        Outcome.CHANGED: 18,
        Outcome.SPECIFIED: 7,
    }
    assert Counter(cell.user for cell in cells) == {user.user: 28 for user in USERS}
    assert all(
        (cell.setting == cell.proposal) is (cell.outcome in (Outcome.CONFIRMED, Outcome.KEPT))
        or cell.outcome is Outcome.SPECIFIED
        for cell in cells
    )
