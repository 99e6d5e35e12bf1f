from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from mempabench.artifacts import write_records
from mempabench.catalog import CELLS, EVIDENCE, PERSONAS, SUBSTITUTES
from mempabench.domain.evidence import Observation
from mempabench.domain.record import canonical_json
from mempabench.errors import ReleaseError
from mempabench.release.assemble import assemble, read_material
from mempabench.release.checking import problems
from mempabench.release.folder import MANIFEST, files_below, read_manifest
from mempabench.release.rows import Row, release_rows
from mempabench.release.tables import PREFERENCES, REVIEWS, TABLES, Table

if TYPE_CHECKING:
    from tests.release.conftest import Away, Project


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(folder / "data" / f"{table}.parquet").read().to_pylist()
    return rows


def test_a_release_holds_its_tables_card_licence_schema_and_manifest(project: Project) -> None:
    project.write("DATASHEET.md", "# Datasheet\n")

    manifest = assemble(project.workspace, project.built)

    data = [f"data/{table.name}.parquet" for table in TABLES]
    others = ["DATASHEET.md", "LICENSE", "README.md", "release.json", "schemas/tables.json"]
    assert files_below(project.built) == sorted(data + others)
    assert read_manifest(project.built) == manifest
    for file in manifest.files:
        content = (project.built / file.path).read_bytes()
        assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_the_canary_stands_in_every_file(project: Project) -> None:
    assemble(project.workspace, project.built)

    canary = project.workspace.config.release.canary
    for path in files_below(project.built):
        if path.endswith(".parquet"):
            assert pq.read_schema(project.built / path).metadata[b"canary"] == canary.encode()
        else:
            assert canary in (project.built / path).read_text(encoding="utf-8")


def test_content_hashes_are_over_the_rows_as_they_are_read_back(project: Project) -> None:
    manifest = assemble(project.workspace, project.built)

    for entry in manifest.tables:
        rows = rows_of(project.built, entry.name)
        lines = "".join(canonical_json(row) + "\n" for row in rows)
        assert entry.rows == len(rows)
        assert entry.content_sha256 == hashlib.sha256(lines.encode("utf-8")).hexdigest()


def test_two_builds_elsewhere_give_the_same_bytes(project: Project, away: Away) -> None:
    code = f"""
from pathlib import Path
from mempabench.release.assemble import assemble
from mempabench.workspace import Workspace
assemble(Workspace(Path({str(project.root)!r})), Path("mempabench"))
"""
    assemble(project.workspace, project.built)

    away.run(code, TZ="Asia/Kathmandu", LANG="tr_TR.UTF-8", LC_ALL="C", PYTHONHASHSEED="17")

    for path in files_below(project.built):
        assert (away.root / "cwd/mempabench" / path).read_bytes() == (project.built / path).read_bytes(), path


def test_assembling_does_not_import_datasets(project: Project, away: Away) -> None:
    code = f"""
import sys
from pathlib import Path
from mempabench.release.assemble import assemble
from mempabench.workspace import Workspace
assemble(Workspace(Path({str(project.root)!r})), Path("mempabench"))
print("datasets" in sys.modules)
"""
    assert away.run(code).strip() == "False"


def test_preferences_stand_in_plan_order_and_begin_with_the_cell(project: Project) -> None:
    assemble(project.workspace, project.built)

    rows = rows_of(project.built, "preferences")

    assert [row["id"] for row in rows[:2]] == ["user_a/work/tone_formality", "user_a/work/verbosity"]
    assert [row["user"] for row in rows] == ["user_a"] * 28 + ["user_b"]
    assert [row["context"] for row in rows[:28]] == ["work"] * 14 + ["personal"] * 14
    assert rows[1]["changed_to"] is None
    assert (rows[1]["dimension"], rows[1]["setting"], rows[1]["outcome"]) == (
        "expression_style",
        "terse",
        "confirmed",
    )


def test_proposals_of_candidates_who_were_not_cast_have_no_user(project: Project) -> None:
    assemble(project.workspace, project.built)

    users = {(row["character"], row["user"]) for row in rows_of(project.built, "proposals")}

    assert users == {("ada", "user_a"), ("bert", None), ("cleo", "user_b")}


def test_text_of_a_source_that_may_not_be_redistributed_is_replaced_by_its_hash(project: Project) -> None:
    assemble(project.workspace, project.built)

    (shown, hidden) = rows_of(project.built, "scenes")
    (line,) = hidden["lines"]
    assert [hidden[name] for name in ("heading", "episode_title")] == [None, None]
    assert [line[name] for name in ("text", "label", "directions")] == [None, None, None]
    assert len(line["text_sha256"]) == 64
    assert json.loads(shown["lines"][1]["directions"]) == [{"at": 3, "text": "she points"}]
    (quote,) = rows_of(project.built, "evidence")[2]["quotes"]
    assert (quote["text"], quote["text_sha256"]) == (None, hashlib.sha256(b"nobody").hexdigest())
    assert {row["source"] for row in rows_of(project.built, "substitutes")} == {"mill"}


def test_nothing_of_a_closed_source_is_readable_in_any_file(project: Project) -> None:
    assemble(project.workspace, project.built)

    rows = [row for table in TABLES for row in rows_of(project.built, table.name)]

    assert "breakfast" not in canonical_json(rows)
    assert "Cleo Rask" not in canonical_json(rows)


def test_a_reading_that_repeats_eight_words_of_a_closed_source_is_refused(project: Project) -> None:
    observations = read_material(project.workspace).evidence
    leaky = observations[2].changed(
        reading="She says nobody outside this house shall ever hear what was said."
    )
    write_records(EVIDENCE.path(project.root), [*observations[:2], leaky])

    with pytest.raises(
        ReleaseError, match=r"closed/.*o1: 'nobody outside .*' is a run of eight words of 'closed'"
    ):
        assemble(project.workspace, project.built)


@pytest.mark.parametrize(
    ("summary", "problem"),
    [
        ("Writes to ada.hohn@post.example.", "'ada.hohn' gives 'Ada Höhn' of the source away (name)"),
        ("Signs her mail Cleo_Ra_sk.", "'Cleo_Ra_sk' gives 'Cleo Rask' of the source away (cut up)"),
    ],
)
def test_a_persona_that_gives_a_name_away_is_refused(project: Project, summary: str, problem: str) -> None:
    written = read_material(project.workspace).personas
    write_records(PERSONAS.path(project.root), [written[0].changed(summary=summary), *written[1:]])

    with pytest.raises(ReleaseError, match=re.escape(f"personas: user_a: summary: {problem}")):
        assemble(project.workspace, project.built)


def test_rows_name_the_newest_answer_that_was_not_refused(project: Project) -> None:
    assemble(project.workspace, project.built)

    ada = rows_of(project.built, "evidence")[0]
    unseen, read = rows_of(project.built, "proposals")[0], rows_of(project.built, "proposals")[1]

    assert (ada["stage"], ada["prompt_version"], ada["writer"]) == ("find_reactions", "2", "language model")
    assert (unseen["stage"], unseen["writer"], unseen["input_hash"]) == ("propose_cells", None, None)
    assert (read["attribute"], read["model"]) == ("verbosity", "undisclosed")
    assert len(read["input_hash"]) == 64


def test_a_row_without_a_recording_is_refused(project: Project) -> None:
    (project.root / "recordings/anonymize_personas/user_b.writer.jsonl").unlink()

    with pytest.raises(ReleaseError, match="recordings/anonymize_personas: no answer for user_b"):
        assemble(project.workspace, project.built)


def test_each_decision_says_whether_it_stands(project: Project) -> None:
    assemble(project.workspace, project.built)

    rows = rows_of(project.built, "reviews")

    assert [row["standing"] for row in rows] == ["stale", "superseded", "stands"]
    assert {(row["user"], row["cell"]) for row in rows} == {("user_a", "user_a/personal/verbosity")}


def test_the_persona_keeps_no_trail_into_the_source(project: Project) -> None:
    assemble(project.workspace, project.built)

    (facet,) = rows_of(project.built, "personas")[0]["facets"]

    assert facet == {"name": "patience", "level": None, "note": "nothing shows it"}


def a_sound_table(project: Project, table: Table) -> list[Row]:
    return release_rows(read_material(project.workspace))[table]


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        (PREFERENCES, "id", "user_a/work/verbosity", "user_a/work/verbosity: id is given twice"),
        (PREFERENCES, "basis", None, "tone_formality: basis is null, but required"),
        (PREFERENCES, "user", "user_z", "there is no user 'user_z'; there are user_a, user_b"),
        (
            PREFERENCES,
            "setting",
            "loud",
            "'loud' is no setting of tone_formality; it has casual, consultative",
        ),
        (PREFERENCES, "changed_to", "low", "changed_to: 'low' is no setting of tone_formality"),
        (PREFERENCES, "outcome", "guessed", "outcome is 'guessed'; it may be confirmed, kept"),
        (PREFERENCES, "setting", 3, "setting is 3, not of type string"),
        (PREFERENCES, "mood", "good", "column mood is not declared"),
        (REVIEWS, "evidence", [{"observation": "o"}], "evidence[0].column stance is missing"),
        (REVIEWS, "evidence_usable", "yes", "evidence_usable is 'yes', not of type bool"),
    ],
)
def test_a_broken_row_is_told_in_one_line(
    project: Project, table: Table, column: str, value: object, message: str
) -> None:
    rows = a_sound_table(project, table)
    rows[0][column] = value

    found = list(problems(table, rows, ["user_a", "user_b"]))

    assert any(message in problem for problem in found), found


def test_sound_tables_have_no_problems(project: Project) -> None:
    for table, rows in release_rows(read_material(project.workspace)).items():
        assert list(problems(table, rows, ["user_a", "user_b"])) == []


def test_an_empty_table_is_refused_and_the_former_release_stays(project: Project) -> None:
    assemble(project.workspace, project.built)
    before = (project.built / MANIFEST).read_bytes()
    write_records(CELLS.path(project.root), [])

    with pytest.raises(ReleaseError, match="preferences: no rows"):
        assemble(project.workspace, project.built)

    assert (project.built / MANIFEST).read_bytes() == before
    assert [path.name for path in project.built.parent.iterdir()] == ["mempabench"]


def test_a_folder_that_is_no_release_is_never_replaced(project: Project) -> None:
    project.write("papers/thesis.txt", "years of work")

    with pytest.raises(ReleaseError, match="is there and is no release"):
        assemble(project.workspace, project.root / "papers")

    assert (project.root / "papers/thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_a_new_release_takes_the_place_of_the_former_with_all_its_files(project: Project) -> None:
    project.write("DATASHEET.md", "# Datasheet\n")
    assemble(project.workspace, project.built)
    (project.root / "DATASHEET.md").unlink()

    assemble(project.workspace, project.built)

    assert "DATASHEET.md" not in files_below(project.built)
    assert [path.name for path in project.built.parent.iterdir()] == ["mempabench"]


def test_a_crash_between_the_two_renames_costs_nothing(project: Project) -> None:
    assemble(project.workspace, project.built)
    project.built.rename(project.built.with_name(".mempabench.old"))
    project.built.with_name(".mempabench.part").write_text("in the way", encoding="utf-8")

    with pytest.raises(ReleaseError, match="can't be written"):
        assemble(project.workspace, project.built)
    assert (project.built / MANIFEST).is_file()


def test_a_full_disk_leaves_the_former_release_and_no_half_one(project: Project, away: Away) -> None:
    assemble(project.workspace, project.built)
    before = {path: (project.built / path).read_bytes() for path in files_below(project.built)}
    code = f"""
import resource, signal
from pathlib import Path
import pyarrow
from mempabench.errors import ReleaseError
from mempabench.release.assemble import assemble
from mempabench.workspace import Workspace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    assemble(Workspace(Path({str(project.root)!r})), Path({str(project.built)!r}))
except ReleaseError as error:
    print(error)
"""
    said = away.run(code)

    assert "can't be written (File too large); it stays as it was" in said
    assert {path: (project.built / path).read_bytes() for path in files_below(project.built)} == before
    assert [path.name for path in project.built.parent.iterdir()] == ["mempabench"]


def test_the_registry_is_left_out_when_no_source_may_be_redistributed(project: Project) -> None:
    sources = project.root / "transcripts_raw/sources.toml"
    closed = sources.read_text(encoding="utf-8").replace("redistributable = true", "redistributable = false")
    project.write(sources, closed)

    manifest = assemble(project.workspace, project.built)

    assert "substitutes" not in [entry.name for entry in manifest.tables]
    assert "config_name: substitutes" not in (project.built / "README.md").read_text(encoding="utf-8")


def test_a_record_of_an_unknown_source_is_refused(project: Project) -> None:
    entry = read_material(project.workspace).substitutes[0]
    write_records(SUBSTITUTES.path(project.root), [entry.changed(source="mil")])

    with pytest.raises(ReleaseError, match="substitutes: there is no source 'mil'; there are mill, closed"):
        assemble(project.workspace, project.built)


def test_an_unknown_licence_is_refused(project: Project) -> None:
    config = project.root / "mempabench.toml"
    project.write(config, config.read_text(encoding="utf-8").replace("CC-BY-4.0", "Proprietary"))

    with pytest.raises(ReleaseError, match=r"release\.license is 'Proprietary'; known are CC-BY-4\.0"):
        assemble(project.workspace, project.built)


def test_artifacts_and_rows_agree_in_number(project: Project) -> None:
    manifest = assemble(project.workspace, project.built)

    counted = {entry.name: entry.rows for entry in manifest.tables}

    assert counted["evidence"] == len(EVIDENCE.path(project.root).read_text("utf-8").splitlines())
    assert counted["personas"] == len(PERSONAS.path(project.root).read_text("utf-8").splitlines())
    assert all(isinstance(o, Observation) for o in read_material(project.workspace).evidence)
