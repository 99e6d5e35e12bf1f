"""The recorded engine: replays answers that were given before, and never asks anybody.

Recordings lie in ``recordings/<stage>/<source or user>.<seat>.jsonl``; orders to ask refused units again in
``<source or user>.again.jsonl`` beside them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mempabench.artifacts import file_digest, parse_record, read_json_lines, read_records
from mempabench.domain.manifests import Again, Recording, Request
from mempabench.domain.record import digest
from mempabench.errors import InputError

AGAIN = ".again.jsonl"
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
    again: Mapping[str, int] = field(default_factory=dict)
    """Attempts that a refused unit is given beside those of the configuration."""

    @classmethod
    def load(cls, folder: Path, stage: str) -> Recordings:
        """Read a stage's recordings.

        Raises:
            InputError: naming file and line, for a malformed line, a misplaced file, or a digest answered twice.
        """
        by_unit: dict[str, list[Recording]] = defaultdict(list)
        again: dict[str, int] = defaultdict(int)
        seen: dict[str, str] = {}
        for path in _files(folder, stage):
            shown = f"recordings/{stage}/{path.name}"
            if path.name.endswith(AGAIN):
                for order in read_records(path, Again, shown):
                    again[order.unit] += order.attempts
                continue
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
        return cls({unit: tuple(recordings) for unit, recordings in by_unit.items()}, dict(again))

    def engine(self, unit: str) -> RecordedEngine:
        """Return an engine that knows one unit's recordings only; it is small and travels."""
        return RecordedEngine({recording.digest: recording for recording in self.by_unit.get(unit, ())})

    def unit_digest(self, unit: str) -> str:
        """Return a digest of all that was recorded for a unit."""
        return digest([[one.plain() for one in self.by_unit.get(unit, ())], self.again.get(unit, 0)])

    def count(self) -> int:
        """Return how many recordings there are."""
        return sum(map(len, self.by_unit.values()))


def recordings_digest(folder: Path, stage: str) -> str:
    """Return a digest of a stage's recordings files, without reading them as records."""
    return digest([[path.name, file_digest(path)] for path in _files(folder, stage)])


def again_path(folder: Path, stage: str, group: str) -> Path:
    """Return the file in which orders to ask again are kept."""
    return folder / stage / f"{group}{AGAIN}"


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
