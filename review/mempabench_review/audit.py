"""The audit: some cells of high confidence are judged blind all the same, to see whether the confidence holds."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from mempabench.domain.record import digest

SHARE = 0.10
"""Part of the cells of high confidence that is audited."""
LEAST = 5
"""Fewest cells that are audited, where there are so many."""


def audit_sample(cells: Iterable[str]) -> frozenset[str]:
    """Return the cells that are audited: a draw that depends on their keys alone, so that every build draws the same.

    >>> sorted(audit_sample(["user_a/work/verbosity", "user_b/work/verbosity"]))
    ['user_a/work/verbosity', 'user_b/work/verbosity']
    >>> len(audit_sample(f"user_a/work/{number}" for number in range(200)))
    20
    """
    ranked = sorted(cells, key=lambda cell: digest(["audit", cell]))
    return frozenset(ranked[: max(LEAST, ceil(SHARE * len(ranked)))])
