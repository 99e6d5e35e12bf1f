from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mempabench.artifacts import file_digest
from mempabench.assets import newest_release
from mempabench.errors import ReleaseError
from mempabench.release.assemble import assemble
from mempabench.release.cut import cut, verify
from mempabench.release.folder import files_below

if TYPE_CHECKING:
    from tests.release.conftest import Project


@pytest.fixture
def published(project: Project) -> Path:
    assemble(project.workspace, project.built)
    return cut(project.workspace, "0.1.0")


def release_again(project: Project, version: str, setting: str) -> None:
    project.configure(version)
    project.rewrite_cells(
        lambda cell: cell.changed(setting=setting) if cell.key == "user_a/work/verbosity" else cell
    )
    assemble(project.workspace, project.built)


def test_a_cut_copies_the_built_release_and_enters_it_in_the_index(project: Project, published: Path) -> None:
    index = json.loads((project.root / "releases/INDEX.json").read_text(encoding="utf-8"))

    entry = index["releases"]["0.1.0"]
    assert published == project.root / "releases/0.1.0/mempabench"
    assert entry["released_on"] == "2026-11-30"
    assert entry["files"] == {path: file_digest(project.built / path) for path in files_below(project.built)}
    assert newest_release(project.root / "releases") == published
    assert list(verify(project.workspace)) == []


def test_the_changelog_says_what_became_of_the_rows_and_whether_results_compare(
    project: Project, published: Path
) -> None:
    release_again(project, "0.2.0", "detailed")
    cut(project.workspace, "0.2.0")

    text = (project.root / "releases/CHANGELOG.md").read_text(encoding="utf-8")

    newer, older = text.split("\n## ")[1:]
    assert newer.startswith("0.2.0 (2026-11-30)\n")
    assert "Results don't compare with 0.1.0 where they rest on: user_a/work/verbosity." in newer
    assert "| preferences | 0 | 1 | 0 |" in newer
    assert "- changed user_a/work/verbosity: setting" in newer
    assert older.startswith("0.1.0 (2026-11-30)\n")
    assert "| preferences | 29 | 0 | 0 |" in older
    assert "The first release" in older
    assert list(verify(project.workspace)) == []


def test_a_release_without_other_targets_stays_comparable(project: Project, published: Path) -> None:
    release_again(project, "0.1.1", "terse")
    cut(project.workspace, "0.1.1")

    text = (project.root / "releases/CHANGELOG.md").read_text(encoding="utf-8")

    assert "Results stay comparable with 0.1.0: no target and no persona has changed." in text


def test_a_published_version_is_never_cut_again(project: Project, published: Path) -> None:
    release_again(project, "0.1.0", "detailed")
    before = {path: file_digest(published / path) for path in files_below(published)}

    with pytest.raises(ReleaseError, match=r"0\.1\.0 is published and stays as it is"):
        cut(project.workspace, "0.1.0")

    assert {path: file_digest(published / path) for path in files_below(published)} == before


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0.2.0", r"release\.version is 0\.0\.9, not 0\.2\.0"),
        ("0.0.9", r"0\.0\.9 isn't newer than 0\.1\.0"),
        ("newest", "'newest' is no version"),
    ],
)
def test_a_version_that_does_not_follow_is_refused(
    project: Project, published: Path, version: str, message: str
) -> None:
    project.configure("0.0.9")

    with pytest.raises(ReleaseError, match=message):
        cut(project.workspace, version)


def test_nothing_is_cut_before_the_build_or_from_a_damaged_or_older_one(project: Project) -> None:
    with pytest.raises(ReleaseError, match="nothing is built; run mempabench build"):
        cut(project.workspace, "0.1.0")

    assemble(project.workspace, project.built)
    project.configure("0.2.0")
    with pytest.raises(ReleaseError, match=r"was built as 0\.1\.0, not 0\.2\.0"):
        cut(project.workspace, "0.2.0")

    assemble(project.workspace, project.built)
    (project.built / "README.md").write_text("mended by hand", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"README\.md is not what was published"):
        cut(project.workspace, "0.2.0")
    assert not (project.root / "releases").exists()


def test_an_interrupted_cut_is_no_release_and_can_be_done_again(project: Project, published: Path) -> None:
    (project.root / "releases/INDEX.json").unlink()

    with pytest.raises(ReleaseError, match="a cut was interrupted; remove the folder and cut again"):
        cut(project.workspace, "0.1.0")
    assert any("INDEX.json doesn't name it" in finding for finding in verify(project.workspace))

    for path in files_below(published):
        (published / path).unlink()
    for folder in (published / "data", published / "schemas", published, published.parent):
        folder.rmdir()
    cut(project.workspace, "0.1.0")
    text = (project.root / "releases/CHANGELOG.md").read_text(encoding="utf-8")
    assert text.count("\n## 0.1.0 ") == 1
    assert list(verify(project.workspace)) == []


def test_every_kind_of_tampering_with_what_was_published_is_found(project: Project, published: Path) -> None:
    content = bytearray((published / "data/preferences.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (published / "data/preferences.parquet").write_bytes(content)
    (published / "LICENSE").unlink()
    (published / "data/more.parquet").write_bytes(b"")
    (project.root / "releases/0.0.1/mempabench").mkdir(parents=True)

    found = list(verify(project.workspace))

    where = "releases/0.1.0/mempabench"
    assert found == [
        f"{where}: LICENSE is missing; restore it from version control",
        f"{where}: data/preferences.parquet is not what was published; restore it from version control",
        f"{where}: data/more.parquet doesn't belong there; restore it from version control",
        "releases/0.0.1: INDEX.json doesn't name it; cut it, or remove it",
    ]


def test_a_damaged_index_is_told(project: Project, published: Path) -> None:
    (project.root / "releases/INDEX.json").write_text('{"releases": {"0.1.0": {}}}', encoding="utf-8")

    with pytest.raises(ReleaseError, match=r"releases/INDEX\.json: damaged \(releases\.0\.1\.0"):
        list(verify(project.workspace))
