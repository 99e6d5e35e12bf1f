"""Whether an answer is written in English, as every prompt asks; its quotes may be in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

VERBATIM = frozenset({"words", "original", "aliases"})
"""Fields that repeat the source."""
ENOUGH = 24
"""Words below which nothing is judged."""
SHARE = 0.22
"""Least part of the words that are among :data:`COMMON`; plain English prose has some four tenths."""
LATIN = "\u024f"
"""Last of the Latin letters, as languages of one script share them."""
_LINES = (
    "a about after all and are as at back before but by can do does for from had has have he her him his how if",
    "in into is it its made more no not of on one only or other out own says she so than that the their them then",
    "there they this to up was what when where which while who with without would",
)
COMMON = frozenset(word for line in _LINES for word in line.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def is_english(answer: Any) -> bool:
    """Return whether an answer's own prose is English, as far as its commonest words tell.

    >>> is_english({"reading": "She cuts the story off, and it shows that she has had enough of it by now. " * 2})
    True
    >>> is_english({"reading": "Sie schneidet ihm das Wort ab, denn sie hat genug davon und will nichts hören. " * 2})
    False
    >>> is_english({"reading": "Kurz."})
    True
    """
    texts = list(_prose(answer))
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    if sum(letter > LATIN for letter in letters) > len(letters) / 2:
        return False
    words = [word.casefold() for text in texts for word in _WORD.findall(text)]
    if len(words) < ENOUGH:
        return True
    return sum(word in COMMON for word in words) >= SHARE * len(words)


def _prose(value: Any) -> Iterator[str]:
    """Yield the sentences of an answer; names and settings, of a word or two, are none."""
    if isinstance(value, str):
        if len(value.split()) > 3 or len(value) > 40:
            yield value
    elif isinstance(value, list):
        for part in value:
            yield from _prose(part)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in VERBATIM:
                yield from _prose(part)
