"""How tools find words: each word of the query somewhere in the fields, whatever the case."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

SNIPPET = 160
KEPT = 1 << 17
"""How many texts stay folded, so that a search over a whole world folds only what it hasn't seen."""


@lru_cache(maxsize=KEPT)
def folded(text: str) -> str:
    """Return a text as it is compared: without case, compatibility forms and accents made one.

    >>> folded("Café") == folded("CAFE\\u0301")
    True
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char)).casefold()


def matches(query: str | None, *fields: str | None) -> bool:
    """Return whether each word of a query stands in one of the fields; a query of no words matches all.

    >>> matches("grill friday", "Friday at the Grill", None)
    True
    """
    words = folded(query).split() if query else []
    if not words:
        return True
    texts = [folded(field) for field in fields if field]
    return all(any(word in text for text in texts) for word in words)


def snippet(text: str, query: str | None = None) -> str:
    """Return a piece of a text on one line, around the first word of a query that it has."""
    line = " ".join(text.split())
    words = folded(query).split() if query else []
    lowered = line.casefold()
    place = min((at for word in words if (at := lowered.find(word)) >= 0), default=0)
    start = max(0, place - SNIPPET // 3)
    piece = line[start : start + SNIPPET]
    return f"{'…' if start else ''}{piece}{'…' if start + SNIPPET < len(line) else ''}"
