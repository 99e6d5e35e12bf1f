"""What a release folder was made from and what it holds, as digests: whether it is current."""

from __future__ import annotations

from pathlib import Path

from mempabench.artifacts import file_digest
from mempabench.catalog import input_digest
from mempabench.domain.record import digest
from mempabench.release.assemble import READS, RECORDED_STAGES
from mempabench.release.folder import files_below
from mempabench.workspace import Workspace


def folder_digest(folder: Path) -> str:
    """Return a digest over the names and contents of all files of a folder."""
    return digest([[path, file_digest(folder / path)] for path in files_below(folder)])


def release_inputs(workspace: Workspace) -> str:
    """Return a digest of all that shapes the release: records, recordings, configuration and this package."""
    recordings = [
        [workspace.shown(path), file_digest(path)]
        for stage in RECORDED_STAGES
        for path in sorted((workspace.recordings / stage).glob("*.jsonl"))
    ]
    code = [[path.name, file_digest(path)] for path in sorted(Path(__file__).parent.glob("*.py"))]
    return digest(
        [
            workspace.config.release.plain(),
            [[artifact.name, input_digest(workspace, artifact)] for artifact in READS],
            recordings,
            file_digest(workspace.root / "DATASHEET.md"),
            code,
        ]
    )
