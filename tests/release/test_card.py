from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import yaml

from mempabench.artifacts import write_records
from mempabench.catalog import DECISIONS
from mempabench.domain.taxonomy import TAXONOMY
from mempabench.release.assemble import assemble, read_material
from mempabench.release.tables import TABLES

if TYPE_CHECKING:
    from tests.release.conftest import Project


@pytest.fixture
def card(project: Project) -> str:
    assemble(project.workspace, project.built)
    return (project.built / "README.md").read_text(encoding="utf-8")


def cells_of(project: Project) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(project.built / "data/preferences.parquet").read().to_pylist()
    return rows


def lines_of_table(card: str, heading: str) -> list[list[str]]:
    section = card.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


def test_the_head_is_yaml_that_lists_every_table_once_with_preferences_as_default(card: str) -> None:
    head = yaml.safe_load(card.split("---\n")[1])

    assert head["license"] == "cc-by-4.0"
    assert [config["config_name"] for config in head["configs"]] == [table.name for table in TABLES]
    assert [config["config_name"] for config in head["configs"] if config.get("default")] == ["preferences"]
    assert {config["version"] for config in head["configs"]} == {"0.1.0"}


def test_sizes_in_the_head_are_those_of_the_files(project: Project, card: str) -> None:
    head = yaml.safe_load(card.split("---\n")[1])

    for info in head["dataset_info"]:
        table = pq.ParquetFile(project.built / "data" / f"{info['config_name']}.parquet").read()
        (split,) = info["splits"]
        assert (split["name"], split["num_examples"]) == ("test", table.num_rows)
        assert [feature["name"] for feature in info["features"]] == table.column_names
        assert split["num_bytes"] == info["dataset_size"] == table.nbytes


def test_the_table_of_tables_counts_the_rows(project: Project, card: str) -> None:
    shown = {name.strip("`"): int(rows) for name, rows, *_ in lines_of_table(card, "The tables")}

    found = {
        table.name: pq.ParquetFile(project.built / "data" / f"{table.name}.parquet").metadata.num_rows
        for table in TABLES
    }
    assert shown == found


def test_the_table_of_settings_counts_the_cells(project: Project, card: str) -> None:
    shown = {(row[0], row[1]): [int(count) for count in row[2:]] for row in lines_of_table(card, "Settings")}

    counts = Counter((row["attribute"], row["setting"], row["context"]) for row in cells_of(project))
    assert len(shown) == sum(len(spec.settings) for spec in TAXONOMY)
    for (attribute, setting), (work, personal, both) in shown.items():
        assert work == counts[attribute, setting, "work"]
        assert personal == counts[attribute, setting, "personal"]
        assert both == work + personal


def test_the_table_of_outcomes_counts_the_cells(project: Project, card: str) -> None:
    table = lines_of_table(card, "Confidence and outcomes")

    cells = cells_of(project)
    assert int(table[-1][-1]) == len(cells)
    outcomes = Counter(row["outcome"] for row in cells)
    assert [int(count) for count in table[-1][1:5]] == [
        outcomes[name] for name in ("confirmed", "kept", "changed", "specified")
    ]
    confidence = Counter(row["confidence"] for row in cells)
    assert {row[0]: int(row[-1]) for row in table[:-1]} == {
        name: confidence[name] for name in ("high", "medium", "low", "none")
    }


def test_the_sentences_count_settings_and_differing_pairs(project: Project, card: str) -> None:
    cells = cells_of(project)
    by_pair: dict[tuple[str, str], set[str]] = {}
    for row in cells:
        by_pair.setdefault((row["user"], row["attribute"]), set()).add(row["setting"])

    used = len({(row["attribute"], row["setting"]) for row in cells})
    differing = sum(len(settings) > 1 for settings in by_pair.values())

    assert f"{used} of 32 settings are in use. Of 14 pairs" in card
    assert f"{differing} differ between work and" in card
    assert f"{len(cells)} preferences of 2 users" in card


def test_it_says_plainly_that_no_human_has_reviewed(project: Project, card: str) -> None:
    assert "**no human has reviewed this version.**" in card

    decisions = read_material(project.workspace).decisions
    by_people = [decision.changed(reviewer_kind="human") for decision in decisions]
    write_records(DECISIONS.path(project.root), by_people)
    assemble(project.workspace, project.built)

    again = (project.built / "README.md").read_text(encoding="utf-8")
    assert "no human has reviewed" not in again
    assert "Of 5 judgements by reviewers, 3 are a human's and 2 a model's." in again


def test_each_source_says_whether_its_text_is_here(card: str) -> None:
    assert "*The Mill* (1 scene, CC-BY-4.0): Written for this test. Its text is in this release." in card
    assert "*Closed* (1 scene, LicenseRef-Closed): Belongs to somebody. Only ids and hashes" in card


def test_no_line_of_the_card_holds_an_unfilled_value(card: str) -> None:
    assert not re.search(r"\bNone\b|\{[a-z_]+\}", card.split("---\n", 2)[2])
