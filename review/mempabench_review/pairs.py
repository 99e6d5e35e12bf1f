"""Who judged the same cell, how often the proposal was kept, and what was taken for what; mode by mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from mempabench.domain.evidence import Confidence
from mempabench.domain.record import Record
from mempabench.domain.review import Decision, Mode, ReviewItem
from mempabench_review.agreement import Pair
from mempabench_review.queue import by_cell

COMPARED = (Mode.BLIND, Mode.ASSISTED)
"""Modes in which two judgements are independent of each other."""
BANDS = tuple(band.value for band in Confidence)


def pairs(items: Iterable[ReviewItem], decisions: Iterable[Decision], mode: Mode) -> Iterator[Pair]:
    """Yield each pair of reviewers who judged one item on its present evidence, both in one mode.

    Args:
        items: The queue.
        decisions: The log.
        mode: The mode of both; a reviewer's last judgement in it counts, revised later or not.
    """
    log = by_cell(decisions)
    for item in items:
        own = judgements(item, log[item.cell], mode)
        for first, second in combinations(sorted(own), 2):
            yield Pair(
                item.attribute.value,
                own[first].setting,
                own[second].setting,
                item.cell,
                {
                    "context": item.context.value,
                    "user": item.user,
                    "band": item.confidence.value,
                    "reviewers": f"{first} and {second}",
                },
            )


def judgements(item: ReviewItem, events: Iterable[Decision], mode: Mode) -> dict[str, Decision]:
    """Return each reviewer's last judgement of an item on its present evidence in one mode, unless it was withdrawn."""
    own = [event for event in events if event.cell == item.cell]
    withdrawn = {event.withdraws for event in own}
    return {
        event.reviewer: event
        for event in own
        if (event.evidence_hash, event.mode) == (item.evidence_hash, mode)
        and event.setting is not None
        and event.event_id not in withdrawn
    }


class Calibration(Record):
    """How often reviewers chose what was proposed, in one band of confidence."""

    band: str
    judged: int
    """Judgements on proposals of that band, each reviewer's last one."""
    same: int
    """Those that chose the proposed setting."""


def calibration(items: Iterable[ReviewItem], decisions: Iterable[Decision], mode: Mode) -> list[Calibration]:
    """Return how far the extractor's confidence holds: the share of kept proposals by band, within one mode.

    Args:
        items: The queue; cells without a proposal say nothing here.
        decisions: The log.
        mode: The mode of the judgements that count.
    """
    judged: Counter[str] = Counter()
    same: Counter[str] = Counter()
    log = by_cell(decisions)
    for item in items:
        if item.proposal is not None:
            for event in judgements(item, log[item.cell], mode).values():
                judged[item.confidence.value] += 1
                same[item.confidence.value] += event.setting == item.proposal
    return [Calibration(band=band, judged=judged[band], same=same[band]) for band in BANDS if judged[band]]


def confusion(found: Iterable[Pair]) -> list[tuple[str, str, str, int]]:
    """Return which settings are taken for which: attribute, both settings in order of name, and how often."""
    counts = Counter(
        (pair.attribute, *sorted((pair.first or "", pair.second or "")))
        for pair in found
        if pair.first != pair.second
    )
    return [(attribute, one, other, count) for (attribute, one, other), count in sorted(counts.items())]
