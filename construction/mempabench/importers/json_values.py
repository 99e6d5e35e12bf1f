"""Values out of strangers' JSON: whatever stands where a list or a text should, something sensible comes out."""

from __future__ import annotations

from typing import Any

from mempabench.artifacts import parse_json
from mempabench.errors import InputError
from mempabench.importers.text import clean


def value_of(text: str, where: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        InputError: naming file and line, when it is none.
    """
    try:
        return parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({clean(str(error))})") from error


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; none where there is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def list_of(value: Any) -> list[Any]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text or a number as text; nothing for anything else.

    >>> text_of("a"), text_of(7), text_of(None), text_of(True), text_of(["a"])
    ('a', '7', '', '', '')
    """
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int) else ""
