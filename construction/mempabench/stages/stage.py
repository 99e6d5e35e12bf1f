"""What a stage is, and how it maps its units of work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from mempabench.artifacts import Artifact
from mempabench.domain.record import Record
from mempabench.engines.asking import Asker


@dataclass(frozen=True)
class Unit:
    """A piece of a stage's work that is done, cached and asked for by itself."""

    id: str
    """Such as ``gross_and_tare/s01e03/sc04/mara``; stable over edits elsewhere."""
    group: str
    """Source or user to which it belongs."""
    payload: tuple[Record, ...]
    """All that the work reads."""


Step = Callable[[Unit, Asker], Iterable[Record]]
"""What is done with a unit: a module-level function, so that it can travel to another process."""


class Work(Protocol):
    """Maps a step over units; the runner decides where, what is current, and keeps the account."""

    def each(self, units: Iterable[Unit], step: Step) -> Iterator[Any]:
        """Yield the records of every unit that is done, in the order of the units."""

    def tally(self, *, done: int = 0, in_review: int = 0) -> None:
        """Account for work that isn't mapped over units: in = out + refused + in review."""


@dataclass(frozen=True)
class Stage:
    """A declared step of the pipeline: one verb, from records to records."""

    name: str
    version: str
    """Raised whenever the same input gives another output."""
    reads: tuple[Artifact, ...]
    writes: Artifact
    run: Callable[..., Iterable[Record]]
    """Called with one tuple of records for each artifact read, then the work."""
    prompts: tuple[str, ...] = ()
