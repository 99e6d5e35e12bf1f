"""The JSON Schemas in ``schemas/`` are the ones that the records give, and the records keep to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from mempabench import catalog
from mempabench.artifacts import Artifact, read_json_lines
from mempabench.domain.taxonomy import SCENARIO_TYPES, TAXONOMY
from mempabench.record_schemas import schema_files, schema_text
from mempabench.release.tables import TABLES, tables_json
from mempabench.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Tiny

SCHEMAS = Path(__file__).parents[1] / "schemas"
GENERATED = schema_files()
KEPT = [value for value in vars(catalog).values() if isinstance(value, Artifact)]


def refusals(schema: str, value: Any) -> list[str]:
    """Return why a value doesn't keep to a schema."""
    checker = jsonschema.Draft202012Validator(json.loads(schema))
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]


def test_schemas_are_those_of_the_records_and_no_others() -> None:
    found = {path.name: path.read_text("utf-8") for path in SCHEMAS.glob("*.json")}
    canary = Workspace(SCHEMAS.parent).config.release.canary

    assert found.pop("tables.json") == tables_json(TABLES, canary), "run mempabench schemas"
    assert found.keys() == GENERATED.keys(), "run mempabench schemas"
    assert [name for name in found if found[name] != GENERATED[name]] == [], "run mempabench schemas"


@pytest.mark.parametrize("name", GENERATED)
def test_each_schema_is_one(name: str) -> None:
    schema = json.loads(GENERATED[name])

    jsonschema.Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    assert schema["additionalProperties"] is False


def test_no_two_schemas_have_one_id() -> None:
    ids = [json.loads(text)["$id"] for text in GENERATED.values()]

    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", GENERATED)
def test_every_field_is_described_or_speaks_for_itself(name: str) -> None:
    assert json.loads(GENERATED[name])["description"]


@pytest.mark.parametrize("artifact", KEPT, ids=lambda artifact: artifact.name)
def test_every_record_of_the_specimen_keeps_to_its_schema(artifact: Artifact, built_once: Tiny) -> None:
    schema = schema_text(artifact.record)
    records = catalog.load(built_once.workspace, artifact)

    told = [told for record in records for told in refusals(schema, record.plain())]

    assert records
    assert told == []


@pytest.mark.parametrize(
    "artifact", [one for one in KEPT if not one.place], ids=lambda artifact: artifact.name
)
def test_every_line_that_was_written_keeps_to_its_schema(artifact: Artifact, built_once: Tiny) -> None:
    schema = schema_text(artifact.record)

    lines = list(read_json_lines(artifact.path(built_once.root)))

    assert lines
    assert [told for _, value in lines for told in refusals(schema, value)] == []


def test_recordings_requests_accounts_and_the_manifest_keep_to_theirs(built_once: Tiny) -> None:
    recordings = [
        value for path in built_once.root.glob("recordings/*/*.jsonl") for _, value in read_json_lines(path)
    ]
    accounts = [json.loads(path.read_bytes())["account"] for path in _states(built_once)]
    manifest = json.loads((built_once.root / "artifacts/release/mempabench/release.json").read_bytes())
    found = {"recording": recordings, "account": accounts, "release_manifest": [manifest]}

    for name, values in found.items():
        assert values, name
        assert [told for value in values for told in refusals(GENERATED[f"{name}.json"], value)] == []


def _states(tiny: Tiny) -> list[Path]:
    return [path for path in (tiny.root / "artifacts/state").glob("*.json") if path.stem != "release"]


def test_the_taxonomy_keeps_to_its_schemas() -> None:
    rows = [refusals(GENERATED["attribute_spec.json"], spec.plain()) for spec in TAXONOMY]
    types = [refusals(GENERATED["scenario_type.json"], kind.plain()) for kind in SCENARIO_TYPES]

    assert not any(rows + types)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"setting": 3}, "3 is not"),
        ({"loudness": "high"}, "'loudness' was unexpected"),
        ({"user": "somebody"}, "does not match"),
    ],
)
def test_a_schema_refuses_what_the_record_would(change: dict[str, Any], words: str, built_once: Tiny) -> None:
    row = built_once.rows("cells")[0]

    assert refusals(GENERATED["cell.json"], row) == []
    assert words in refusals(GENERATED["cell.json"], {**row, **change})[0]
