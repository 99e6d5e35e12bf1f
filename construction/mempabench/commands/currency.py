"""When the assembled release is current: digests of what shapes it, and of what lies there."""

from __future__ import annotations

from pathlib import Path

from mempabench.artifacts import file_digest
from mempabench.catalog import DECISIONS, SUBSTITUTES, input_digest
from mempabench.domain.record import digest
from mempabench.engines.recorded import recordings_digest
from mempabench.workspace import Workspace


def release_inputs(project: Workspace) -> str:
    """Return a digest of what the release reads besides the stages' output."""
    recorded = sorted(folder.name for folder in project.recordings.glob("*") if folder.is_dir())
    return digest(
        [
            project.config.plain(),
            project.transcripts_digest(),
            [input_digest(project, artifact) for artifact in (DECISIONS, SUBSTITUTES)],
            [recordings_digest(project.recordings, stage) for stage in recorded],
            file_digest(project.root / "DATASHEET.md"),
            _code_digest(),
        ]
    )


def folder_digest(folder: Path) -> str:
    """Return a digest of every file in a folder, names and bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return digest([[path.relative_to(folder).as_posix(), file_digest(path)] for path in files])


def _code_digest() -> str:
    """Return a digest of the code that lays out tables and card, so that its edits show."""
    import mempabench.release

    place = Path(mempabench.release.__path__[0])
    return digest([[path.name, file_digest(path)] for path in sorted(place.glob("*.py"))])
