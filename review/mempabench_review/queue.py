"""Which cells are open: items of the queue held against the decisions in the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mempabench.domain.review import Action, Decision, Mode, Reason, ReviewItem
from mempabench.domain.taxonomy import Attribute, Context

_ATTRIBUTES = tuple(Attribute)
_CONTEXTS = tuple(Context)


@dataclass(frozen=True)
class OpenItem:
    """A cell that nobody's decision settles now, and why."""

    item: ReviewItem
    why: str
    """``stale`` when decided on other evidence, ``disputed`` when reviewers differ, else the item's own reason."""
    stale: Decision | None = None
    """The latest decision that was made on other evidence."""
    deferred: Decision | None = None
    """The latest deferral that was made on this evidence."""
    disputed: tuple[Decision, ...] = ()
    """The decisions that differ."""


def current(item: ReviewItem, decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Return each reviewer's decision on exactly the evidence that an item shows now.

    It is the last one that chose a setting and wasn't withdrawn; adjudications stand apart (:func:`standing`).
    """
    return {event.reviewer: event for event in _valid(item, decisions) if event.mode is not Mode.ADJUDICATED}


def standing(item: ReviewItem, decisions: Iterable[Decision]) -> Decision | None:
    """Return the decision that settles an item, or None.

    Where all reviewers chose the same setting, it is the last of their decisions. Where they differ, it is the
    adjudication that saw exactly these decisions, if there is one. An audit settles nothing: where it agrees there
    is nothing to settle, and where it differs it takes a second reviewer.
    """
    events = list(_valid(item, decisions))
    own = {event.reviewer: event for event in events if event.mode is not Mode.ADJUDICATED}
    if item.reason is Reason.AUDIT and not _differs(item, own.values()):
        return None
    seen = frozenset(event.event_id for event in own.values())
    settled = _last(
        event for event in events if event.mode is Mode.ADJUDICATED and frozenset(event.adjudicates) == seen
    )
    if settled is not None or not own:
        return settled
    if len({event.setting for event in own.values()}) > 1:
        return None
    if item.reason is Reason.AUDIT and len(own) == 1:
        return None
    return _last(event for event in events if event.event_id in seen)


def _differs(item: ReviewItem, decisions: Iterable[Decision]) -> bool:
    """Return whether somebody chose another setting than what is proposed."""
    return any(event.setting != item.proposal for event in decisions)


def disputed(item: ReviewItem, decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions on an item that differ and that nobody has adjudicated; none where there is no dispute."""
    log = list(decisions)
    own = current(item, log)
    differ = len({event.setting for event in own.values()}) > 1
    return tuple(own.values()) if differ and standing(item, log) is None else ()


def _valid(item: ReviewItem, decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield the events on an item's present evidence that chose a setting and weren't withdrawn."""
    events = [event for event in decisions if event.cell == item.cell]
    withdrawn = {event.withdraws for event in events}
    for event in events:
        if (
            event.setting is not None
            and event.evidence_hash == item.evidence_hash
            and event.event_id not in withdrawn
        ):
            yield event


def open_items(items: Iterable[ReviewItem], decisions: Iterable[Decision]) -> tuple[OpenItem, ...]:
    """Return the items that wait, by user, attribute in table order and context, so that twins are neighbours."""
    log = by_cell(decisions)
    found = (waiting(item, log.get(item.cell, ())) for item in in_order(items))
    return tuple(entry for entry in found if entry is not None)


def waiting(item: ReviewItem, events: Sequence[Decision]) -> OpenItem | None:
    """Return an item as one that waits, given the events of its cell, or None where it is settled.

    A cell of the audit waits for nobody until an auditor has chosen otherwise.
    """
    if item.reason is Reason.AUDIT and not _differs(item, current(item, events).values()):
        return None
    return _opened(item, events) if standing(item, events) is None else None


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


def _opened(item: ReviewItem, events: Sequence[Decision]) -> OpenItem:
    withdrawn = {event.withdraws for event in events}
    kept = [event for event in events if event.event_id not in withdrawn]
    dispute = disputed(item, events)
    other = [event for event in kept if event.evidence_hash != item.evidence_hash]
    stale = None if dispute else _last(event for event in other if event.setting is not None)
    deferred = _last(
        event for event in kept if event.action is Action.DEFER and event.evidence_hash == item.evidence_hash
    )
    own = "reopened" if item.reason is Reason.AUDIT else item.reason.value
    why = "disputed" if dispute else "stale" if stale else own
    return OpenItem(item, why, stale=stale, deferred=deferred, disputed=dispute)


def _last(events: Iterable[Decision]) -> Decision | None:
    found = None
    for event in events:
        found = event
    return found
