"""Who judged the same cell: pairs of reviewers' settings, mode by mode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from mempabench.domain.review import Decision, Mode, ReviewItem
from mempabench_review.agreement import Pair

COMPARED = (Mode.BLIND, Mode.ASSISTED)
"""Modes in which two judgements are independent of each other."""


def pairs(items: Iterable[ReviewItem], decisions: Iterable[Decision], mode: Mode) -> Iterator[Pair]:
    """Yield each pair of reviewers who judged one item on its present evidence, both in one mode.

    Args:
        items: The queue.
        decisions: The log.
        mode: The mode of both; a reviewer's last judgement in it counts, revised later or not.
    """
    log = list(decisions)
    withdrawn = {event.withdraws for event in log}
    for item in items:
        own = {
            event.reviewer: event
            for event in log
            if (event.cell, event.evidence_hash, event.mode) == (item.cell, item.evidence_hash, mode)
            and event.setting is not None
            and event.event_id not in withdrawn
        }
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
