from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mempabench.release.tables import (
    PROVENANCE,
    TABLES,
    ListOf,
    Struct,
    Table,
    arrow_schema,
    card_features,
    tables_json,
)

if TYPE_CHECKING:
    from tests.release.conftest import Away

NAMES = [table.name for table in TABLES]

ASK_DATASETS = """
import json
from datasets import Features
from mempabench.release.tables import TABLES, arrow_schema
found = {}
for table in TABLES:
    schema = arrow_schema(table, "canary")
    read = Features.from_arrow_schema(schema)
    bare = Features.from_arrow_schema(schema.remove_metadata())
    found[table.name] = {
        "same as inferred": read == bare,
        "metadata": json.loads(read.arrow_schema.metadata[b"huggingface"]),
        "card": read._to_yaml_list(),
    }
print(json.dumps(found))
"""


def test_the_handwritten_features_are_what_datasets_writes_itself(away: Away) -> None:
    found = json.loads(away.run(ASK_DATASETS))

    for table in TABLES:
        metadata = json.loads(arrow_schema(table, "canary").metadata[b"huggingface"])
        assert found[table.name] == {
            "same as inferred": True,
            "metadata": metadata,
            "card": card_features(table.columns),
        }


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_every_table_begins_with_id_and_user_and_ends_with_its_provenance(table: Table) -> None:
    names = [column.name for column in table.columns]

    assert names[:2] == ["id", "user"]
    assert names[-5:] == ["stage", "prompt_version", "writer", "model", "input_hash"]
    assert table.columns[-5:] == PROVENANCE
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_every_column_and_every_field_says_in_one_line_what_it_is(table: Table) -> None:
    for column in table.columns:
        assert column.about.endswith(".")
        assert "\n" not in column.about
        if isinstance(column.type, ListOf) and isinstance(column.type.item, Struct):
            assert all(field.about.endswith(".") for field in column.type.item.fields)


def test_the_machine_readable_tables_name_views_types_and_the_canary() -> None:
    described = json.loads(tables_json(TABLES, "the canary"))

    assert described["canary"] == "the canary"
    assert [table["name"] for table in described["tables"]] == NAMES
    assert [table["name"] for table in described["tables"] if table["default"]] == ["preferences"]
    setting = next(c for c in described["tables"][0]["columns"] if c["name"] == "setting")
    assert (setting["view"], setting["type"], setting["required"]) == ("grader", "string", True)
