"""Who wrote a row: looked up in the recordings of its stage by the unit of work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mempabench.artifacts import read_records
from mempabench.domain.manifests import Recording
from mempabench.errors import ReleaseError
from mempabench.workspace import Workspace

SEATS = ("writer", "reader_a")
"""Seats whose answer becomes the row; other seats only judge it."""


def by_code(stage: str) -> dict[str, Any]:
    """Return the provenance of a row that no model had a part in."""
    return {"stage": stage, "prompt_version": None, "writer": None, "model": None, "input_hash": None}


@dataclass(frozen=True)
class Origins:
    """The recording behind each unit of the stages that ask a model."""

    recordings: Mapping[tuple[str, str], Recording]

    @classmethod
    def load(cls, workspace: Workspace, stages: Iterable[str]) -> Origins:
        """Read the recordings of stages.

        A unit's newest answer counts that was not refused when it came; recordings are only ever appended.
        """
        found: dict[tuple[str, str], Recording] = {}
        for stage in stages:
            for path in sorted((workspace.recordings / stage).glob("*.jsonl")):
                for recording in read_records(path, Recording, workspace.shown(path)):
                    older = found.get((stage, recording.unit))
                    if recording.seat in SEATS and (older is None or older.refused or not recording.refused):
                        found[stage, recording.unit] = recording
        return cls(found)

    def of(self, stage: str, unit: str) -> dict[str, Any]:
        """Return the provenance of a unit's rows.

        Raises:
            ReleaseError: when the stage has no recording of the unit.
        """
        if (stage, unit) not in self.recordings:
            raise ReleaseError(
                f"recordings/{stage}: no answer for {unit}, so the release can't say who wrote its rows; "
                "run mempabench build"
            )
        recording = self.recordings[stage, unit]
        return {
            "stage": stage,
            "prompt_version": recording.prompt_version,
            "writer": recording.writer,
            "model": recording.model,
            "input_hash": recording.digest,
        }

    def of_any(self, stage: str, unit: str) -> dict[str, Any]:
        """Return the provenance of a unit's rows, which may have been made without a model."""
        return self.of(stage, unit) if (stage, unit) in self.recordings else by_code(stage)
