from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mempabench.errors import ReleaseError
from mempabench.release.assemble import assemble
from mempabench.release.diff import changelog, compare

if TYPE_CHECKING:
    from tests.release.conftest import Project


def cell(key: str, setting: str | None) -> Callable[[Any], Any]:
    """Return a change that gives one cell another setting, or drops it."""

    def change(cell: Any) -> Any:
        if cell.key != key:
            return cell
        return None if setting is None else cell.changed(setting=setting)

    return change


@pytest.fixture
def published(project: Project) -> Path:
    folder = project.root / "published/mempabench"
    assemble(project.workspace, folder)
    return folder


def test_equal_releases_do_not_differ(project: Project, published: Path) -> None:
    assemble(project.workspace, project.built)

    assert compare(project.built, published) == []
    assert changelog(project.built, published) == "No table has changed."


def test_other_bytes_of_the_same_rows_do_not_differ(project: Project, published: Path) -> None:
    assemble(project.workspace, project.built)
    path = project.built / "data/evidence.parquet"
    pq.write_table(pq.ParquetFile(path).read(), path, compression="snappy")

    assert compare(project.built, published) == []


def test_one_changed_row_is_named_with_its_column(project: Project, published: Path) -> None:
    project.rewrite_cells(cell("user_a/work/verbosity", "detailed"))
    assemble(project.workspace, project.built)

    found = compare(project.built, published)

    assert found == [
        "preferences: 1 row changed (user_a/work/verbosity) in setting 1",
        "README.md: differs",
    ]
    assert changelog(project.built, published) == (
        "### preferences\n\n- changed user_a/work/verbosity: setting"
    )


def test_added_and_removed_rows_are_named(project: Project, published: Path) -> None:
    project.rewrite_cells(cell("user_b/work/verbosity", None))
    assemble(project.workspace, project.built)

    assert "preferences: 1 row removed (user_b/work/verbosity)" in compare(project.built, published)
    assert "preferences: 1 row added (user_b/work/verbosity)" in compare(published, project.built)


def test_many_rows_are_counted_and_the_first_named(project: Project, published: Path) -> None:
    project.rewrite_cells(lambda cell: cell if cell.user == "user_b" else None)
    assemble(project.workspace, project.built)

    assert compare(project.built, published)[0] == (
        "preferences: 28 rows removed (user_a/work/tone_formality, user_a/work/verbosity, "
        "user_a/work/emotional_engagement and 25 more)"
    )


def test_tables_columns_order_and_files_are_compared(project: Project, published: Path) -> None:
    assemble(project.workspace, project.built)
    data = project.built / "data"
    evidence = pq.ParquetFile(data / "evidence.parquet").read()
    pq.write_table(evidence.take(pa.array([1, 0, 2])), data / "evidence.parquet")
    personas = pq.ParquetFile(data / "personas.parquet").read()
    pq.write_table(
        personas.drop_columns("summary").append_column("age", pa.array([1, 2])), data / "personas.parquet"
    )
    (data / "substitutes.parquet").unlink()
    (project.built / "NOTES.md").write_text("new", encoding="utf-8")

    assert compare(project.built, published) == [
        "personas: column age added (int64)",
        "personas: column summary removed",
        "evidence: the rows stand in another order",
        "substitutes: table removed with 2 rows",
        "NOTES.md: added",
    ]


def test_another_version_is_told(project: Project, published: Path) -> None:
    project.configure("0.2.0")
    assemble(project.workspace, project.built)

    assert compare(project.built, published)[0] == "release.json: version is 0.2.0, was 0.1.0"


def test_what_is_no_release_is_told_in_one_line(project: Project, published: Path) -> None:
    with pytest.raises(ReleaseError, match="no such folder"):
        compare(project.root / "nowhere", published)
    with pytest.raises(ReleaseError, match=r"no release \(release\.json: No such file"):
        compare(project.root, published)

    (published / "data/personas.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ReleaseError, match=r"personas\.parquet: can't be read"):
        compare(published, published)
