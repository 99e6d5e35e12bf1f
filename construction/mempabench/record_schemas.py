"""JSON Schemas of the records, generated from the domain."""

from __future__ import annotations

import json
import re

from mempabench import catalog
from mempabench.artifacts import Artifact
from mempabench.domain.manifests import Account, Again, Batch, Call, Recording, ReleaseManifest, Request
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import AttributeSpec, ScenarioType
from mempabench.domain.worlds import KINDS, WorldHeader

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
    WorldHeader,
)


def schema_files() -> dict[str, str]:
    """Return file names and texts of the schemas, one a record that is kept or exchanged."""
    kept = [value.record for value in vars(catalog).values() if isinstance(value, Artifact)]
    named = {_snake(record.__name__): record for record in [*kept, *_MORE]}
    named |= {f"world_{kind}": record for kind, record in KINDS.items()}
    return {f"{name}.json": schema_text(record, name) for name, record in named.items()}


def schema_text(record: type[Record], name: str = "") -> str:
    """Return one record's JSON Schema 2020-12, under its own name where no other is given."""
    name = name or _snake(record.__name__)
    schema = {"$schema": _DRAFT, "$id": f"mempabench:{name}", **record.model_json_schema()}
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
