"""The closed, frozen record that every other record is, and its one canonical form."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value with known fields only; two records are equal when their fields are."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_enum_values=False,
        validate_default=True,
        use_attribute_docstrings=True,
    )

    def plain(self) -> dict[str, Any]:
        """Return the record as JSON-ready values (dates as ISO strings, tuples as lists)."""
        return self.model_dump(mode="json")

    def changed(self, **values: Any) -> Self:
        """Return a validated copy with some fields replaced.

        Unlike pydantic's ``model_copy(update=...)``, the new values are checked.
        """
        return type(self).model_validate({**dict(self), **values})


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, NFC, real characters.

    >>> canonical_json({"b": 1, "a": "caf\\u0065\\u0301"})
    '{"a":"café","b":1}'
    """
    if isinstance(value, Record):
        value = value.plain()
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return unicodedata.normalize("NFC", text)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()
