"""The recorded engine: replays answers that were given before, and never asks anybody.

Recordings lie in ``recordings/<stage>/<source or user>.<seat>.jsonl``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mempabench.artifacts import file_digest, parse_record, read_json_lines
from mempabench.domain.manifests import Recording, Request
from mempabench.domain.record import digest
from mempabench.errors import InputError

_FILE_NAME = re.compile(r"^(?P<group>[a-z][a-z0-9_]*)\.(?P<seat>[a-z][a-z_]*)\.jsonl$")


@dataclass(frozen=True)
class RecordedEngine:
    """Answers from recordings, looked up by request digest."""

    answers: Mapping[str, Recording] = field(default_factory=dict)

    def answer(self, request: Request) -> Recording | None:
        """Return the recording whose digest is the request's, or None."""
        return self.answers.get(request.digest())


@dataclass(frozen=True)
class Recordings:
    """All recordings of one stage, by the unit that asked."""

    by_unit: Mapping[str, tuple[Recording, ...]]

    @classmethod
    def load(cls, folder: Path, stage: str) -> Recordings:
        """Read a stage's recordings.

        Raises:
            InputError: naming file and line, for a malformed line, a misplaced file, or a digest answered twice.
        """
        by_unit: dict[str, list[Recording]] = defaultdict(list)
        seen: dict[str, str] = {}
        for path in _files(folder, stage):
            shown = f"recordings/{stage}/{path.name}"
            for number, value in read_json_lines(path, shown):
                where = f"{shown}:{number}"
                recording = parse_record(value, Recording, where)
                if recording.digest in seen:
                    raise InputError(
                        f"{where}: request {recording.digest[:12]} is answered at {seen[recording.digest]} too; "
                        "keep one"
                    )
                seen[recording.digest] = where
                by_unit[recording.unit].append(recording)
        return cls({unit: tuple(recordings) for unit, recordings in by_unit.items()})

    def engine(self, unit: str) -> RecordedEngine:
        """Return an engine that knows one unit's recordings only; it is small and travels."""
        return RecordedEngine({recording.digest: recording for recording in self.by_unit.get(unit, ())})

    def unit_digest(self, unit: str) -> str:
        """Return a digest of all that was recorded for a unit."""
        return digest([recording.plain() for recording in self.by_unit.get(unit, ())])

    def count(self) -> int:
        """Return how many recordings there are."""
        return sum(map(len, self.by_unit.values()))


def recordings_digest(folder: Path, stage: str) -> str:
    """Return a digest of a stage's recordings files, without reading them as records."""
    return digest([[path.name, file_digest(path)] for path in _files(folder, stage)])


def recording_path(folder: Path, request: Request) -> Path:
    """Return the file in which a request's answer is kept."""
    return folder / request.stage / f"{request.group}.{request.seat}.jsonl"


def _files(folder: Path, stage: str) -> Iterable[Path]:
    place = folder / stage
    if not place.is_dir():
        return []
    files = sorted(place.glob("*.jsonl"))
    for path in files:
        if not _FILE_NAME.match(path.name):
            raise InputError(
                f"recordings/{stage}/{path.name}: recordings are named <source or user>.<seat>.jsonl; rename it"
            )
    return files
