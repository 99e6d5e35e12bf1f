"""The text form of a world: a line for whose it is, then a line a record."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from mempabench.domain.record import canonical_json
from mempabench.domain.worlds import KINDS, WorldHeader, WorldRecord, parse_record
from mempabench.errors import InputError


def read_world(text: str, name: str) -> tuple[WorldHeader, tuple[WorldRecord, ...]]:
    """Return whose world a text holds, and its records.

    Args:
        text: JSON Lines: ``{"header": {…}}``, then ``{"kind": …, "id": …, …}`` for each record
        name: of the file, for messages

    Raises:
        InputError: naming the line and what is wrong with it.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{name}: empty; the first line says whose world it is")
    header = _parsed(f"{name}:{lines[0][0]}", lines[0][1], _header)
    return header, tuple(_parsed(f"{name}:{number}", line, _record) for number, line in lines[1:])


def _parsed(place: str, line: str, parse: Any) -> Any:
    try:
        return parse(json.loads(line))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{place}: {field}: {first['msg'][:1].lower()}{first['msg'][1:]}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{place}: {error}") from error


def _header(value: Any) -> WorldHeader:
    if not isinstance(value, dict) or set(value) != {"header"}:
        raise ValueError('the first line of a world is {"header": {…}}')
    return WorldHeader.model_validate(value["header"])


def _record(value: Any) -> WorldRecord:
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        known = ", ".join(KINDS)
        kind = value.get("kind") if isinstance(value, dict) else value
        raise ValueError(f"{kind!r} is no kind of record; there are {known}")
    return parse_record(value.pop("kind"), value)


def write_world(header: WorldHeader, records: Iterable[WorldRecord]) -> str:
    """Return the text form of a world: records in the order of kinds, then of ids."""
    order = {kind: place for place, kind in enumerate(KINDS)}
    lines = [canonical_json({"header": header.plain()})]
    lines += [
        canonical_json({"kind": record.kind, **record.plain()})
        for record in sorted(records, key=lambda record: (order[record.kind], record.id))
    ]
    return "\n".join(lines) + "\n"
