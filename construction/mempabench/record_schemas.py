"""JSON Schemas of the records, generated from the domain."""

from __future__ import annotations

import json
import re

from mempabench import catalog
from mempabench.artifacts import Artifact
from mempabench.domain.manifests import Account, Again, Batch, Call, Recording, ReleaseManifest, Request
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import AttributeSpec, ScenarioType

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MORE: tuple[type[Record], ...] = (
    AttributeSpec,
    ScenarioType,
    Request,
    Recording,
    Account,
    Call,
    Batch,
    Again,
    ReleaseManifest,
)


def schema_files() -> dict[str, str]:
    """Return file names and texts of the schemas, one a record that is kept or exchanged."""
    kept = [value.record for value in vars(catalog).values() if isinstance(value, Artifact)]
    records = dict.fromkeys([*kept, *_MORE])
    return {f"{_snake(record.__name__)}.json": schema_text(record) for record in records}


def schema_text(record: type[Record]) -> str:
    """Return one record's JSON Schema 2020-12."""
    schema = {"$schema": _DRAFT, "$id": f"mempabench:{_snake(record.__name__)}", **record.model_json_schema()}
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
