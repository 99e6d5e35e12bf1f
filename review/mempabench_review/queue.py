"""Which cells are open: items of the queue held against the decisions in the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from mempabench.domain.review import Action, Decision, ReviewItem
from mempabench.domain.taxonomy import Attribute, Context

_ATTRIBUTES = tuple(Attribute)
_CONTEXTS = tuple(Context)


@dataclass(frozen=True)
class OpenItem:
    """A cell that nobody's decision settles now, and why."""

    item: ReviewItem
    why: str
    """``stale`` when a decision was made on other evidence, else the item's own reason."""
    stale: Decision | None = None
    """The latest decision that was made on other evidence."""
    deferred: Decision | None = None
    """The latest deferral that was made on this evidence."""


def standing(item: ReviewItem, decisions: Iterable[Decision]) -> Decision | None:
    """Return the decision that settles an item, or None.

    It is the last one in the log that chose a setting on exactly the evidence that the item shows now,
    whoever made it.
    """
    return _last(
        decision
        for decision in decisions
        if decision.cell == item.cell
        and decision.action is not Action.DEFER
        and decision.evidence_hash == item.evidence_hash
    )


def open_items(items: Iterable[ReviewItem], decisions: Iterable[Decision]) -> tuple[OpenItem, ...]:
    """Return the items that wait, by user, attribute in table order and context, so that twins are neighbours."""
    log = by_cell(decisions)
    return tuple(
        _opened(item, log[item.cell]) for item in in_order(items) if standing(item, log[item.cell]) is None
    )


def in_order(items: Iterable[ReviewItem]) -> list[ReviewItem]:
    """Return items by user, attribute in table order, and context."""
    return sorted(
        items,
        key=lambda item: (item.user, _ATTRIBUTES.index(item.attribute), _CONTEXTS.index(item.context)),
    )


def by_cell(decisions: Iterable[Decision]) -> defaultdict[str, list[Decision]]:
    """Return the events of each cell in the order of the log; a cell without any has none."""
    log: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        log[decision.cell].append(decision)
    return log


def _opened(item: ReviewItem, events: list[Decision]) -> OpenItem:
    chosen = _last(event for event in events if event.action is not Action.DEFER)
    deferred = _last(
        event
        for event in events
        if event.action is Action.DEFER and event.evidence_hash == item.evidence_hash
    )
    return OpenItem(item, "stale" if chosen else item.reason.value, stale=chosen, deferred=deferred)


def _last(events: Iterable[Decision]) -> Decision | None:
    found = None
    for event in events:
        found = event
    return found
