"""Scenes of files that have times and no headings: one, unless a silence is said to part them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from mempabench.importers.importer import RawLine, RawScene


def by_silence(lines: Iterable[tuple[RawLine, datetime | None]], gap: float | None) -> tuple[RawScene, ...]:
    """Return lines as scenes.

    Args:
        lines: Every line with its time; a line without one belongs to the scene of the line before it.
        gap: Silence in seconds that parts two scenes, or None for a single scene.
    """
    scenes: list[list[RawLine]] = [[]]
    last: datetime | None = None
    for line, moment in lines:
        if gap is not None and last and moment and _seconds(last, moment) >= gap:
            scenes.append([])
        scenes[-1].append(line)
        last = moment or last
    return tuple(RawScene("", "", "", tuple(own)) for own in scenes)


def _seconds(first: datetime, second: datetime) -> float:
    """Return the time between two moments; none where only one of them has a zone."""
    if (first.tzinfo is None) != (second.tzinfo is None):
        return 0.0
    return abs((second - first).total_seconds())
