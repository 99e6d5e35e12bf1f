"""Counts of the queue: what is open, and how the settled cells came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mempabench.domain.record import Record
from mempabench.domain.review import Outcome, Reason
from mempabench_review.desk import Desk
from mempabench_review.log import outcome_of
from mempabench_review.queue import standing


class Counts(Record):
    """What the queue holds."""

    cells: int
    open: int
    stale: int
    """Open cells that were decided on other evidence."""
    deferred: int
    """Open cells that somebody deferred on the evidence as it is."""
    open_by_reason: dict[str, int]
    """By the item's own reason, stale or not."""
    open_by_user: dict[str, int]
    settled_by_outcome: dict[str, int]
    audit: int
    """Cells of high confidence that were drawn for the audit."""
    audited: int
    """Those that somebody has judged."""
    reopened: int
    """Those that wait because an auditor has chosen otherwise."""


def count(desk: Desk) -> Counts:
    """Return the counts of a desk."""
    drawn = [item for item in desk.items if item.reason is Reason.AUDIT]
    settled = [decision for item in desk.items if (decision := standing(item, desk.of_cell(item.cell)))]
    users = sorted({item.user for item in desk.items})
    return Counts(
        cells=len(desk.items) - len(drawn),
        open=len(desk.open),
        stale=sum(entry.stale is not None for entry in desk.open),
        deferred=sum(entry.deferred is not None for entry in desk.open),
        open_by_reason=_by(
            [reason.value for reason in Reason if reason is not Reason.AUDIT],
            (e.item.reason.value for e in desk.open),
        ),
        open_by_user=_by(users, (entry.item.user for entry in desk.open)),
        settled_by_outcome=_by(
            [outcome.value for outcome in Outcome if outcome is not Outcome.CONFIRMED],
            (outcome_of(decision).value for decision in settled),
        ),
        audit=len(drawn),
        audited=len(drawn) - len(desk.audit),
        reopened=sum(entry.item.reason is Reason.AUDIT for entry in desk.open),
    )


def _by(names: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in names}
