"""The project on disk: what the holder of its lock may sweep away."""

from __future__ import annotations

from pathlib import Path

from mempabench.workspace import Workspace


def test_temporary_files_of_killed_writers_are_swept_by_the_next_one_and_nothing_else(tmp_path: Path) -> None:
    left = tmp_path / "artifacts" / "units" / ".find_reactions.jsonl.4711.part"
    others = [
        tmp_path / "artifacts" / "units" / "find_reactions.part",
        tmp_path / "recordings" / "find_reactions" / ".keep.part",
        tmp_path / "transcripts_raw" / ".mine.12.part",
    ]
    for path in (left, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half", encoding="utf-8")

    with Workspace(tmp_path).writing("test"):
        pass

    assert not left.exists()
    assert all(path.exists() for path in others)
