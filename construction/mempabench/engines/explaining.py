"""Why a request has an answer or none: a listener at the recordings, and what changed since an answer was given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mempabench.domain.manifests import Recording, Request
from mempabench.engines.recorded import Recordings


@dataclass
class Listener:
    """Replays recordings and remembers every request that is asked."""

    folder: Path
    heard: list[tuple[Request, Recording | None]] = field(default_factory=list)
    _stages: dict[str, Recordings] = field(default_factory=dict)

    def answer(self, request: Request) -> Recording | None:
        """Return the recorded answer to a request, or None where there is none."""
        found = self.recordings(request.stage).engine(request.unit).answer(request)
        self.heard.append((request, found))
        return found

    def recordings(self, stage: str) -> Recordings:
        """Return a stage's recordings, read once."""
        if stage not in self._stages:
            self._stages[stage] = Recordings.load(self.folder, stage)
        return self._stages[stage]


def stale_answers(request: Request, recordings: Recordings, asked: frozenset[str]) -> Iterator[Recording]:
    """Yield recordings that were given to an earlier form of a request, the latest first.

    Args:
        request: The request as it is now.
        recordings: Those of its stage.
        asked: Digests of all requests that are asked now; a recording of one of these is of another attempt.
    """
    for recording in reversed(recordings.by_unit.get(request.unit, ())):
        same = (recording.seat, recording.attempt) == (request.seat, request.attempt)
        if same and recording.digest not in asked:
            yield recording


def changes(request: Request, recording: Recording) -> list[str]:
    """Return which ingredients of a request differ from what a recording answered."""
    found = []
    if recording.prompt_version != request.prompt_version:
        found.append(f"prompt {request.prompt} {recording.prompt_version} -> {request.prompt_version}")
    if not recording.ingredients:
        return found or ["not known which: it was recorded without ingredients"]
    now = request.ingredients()
    for name in sorted({*now, *recording.ingredients}):
        if name not in now:
            found.append(f"{name} is no longer there")
        elif name not in recording.ingredients:
            found.append(f"{name} is new")
        elif now[name] != recording.ingredients[name]:
            found.append(f"{name} changed")
    return found or ["findings of the attempt before"]
