"""Dialogue in Markdown: ``**Name:** words`` under headings, read as a fan transcript.

Kept: headings as scenes (one that names season and episode as such), names in bold with their colon inside or
after it, what stands alone in italics or brackets as a direction, the line number. Emphasis marks within
speech are left out; a heading of the first level before the first other one is the title.
"""

from __future__ import annotations

import re

from mempabench.importers.fan_transcript import read_lines
from mempabench.importers.importer import Transcript
from mempabench.importers.text import decoded_as_found, episode_of, numbered

_HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*$")
_NAMED = re.compile(
    r"^(?:[-*+]\s+|>\s*)*(?P<mark>\*\*|__)(?P<label>[^*_:]{1,80}?)\s*"
    r"(?::\s*(?P=mark)|(?P=mark)\s*(?P<how>[(\[][^()\[\]]{0,300}[)\]])?\s*:)\s*(?P<text>.*)$"
)
_ALONE = re.compile(r"^(?P<mark>[*_])(?P<text>[^*_]+)(?P=mark)$")
_EMPHASIS = re.compile(
    r"(?<![\w\\*_])(?P<mark>\*{1,3}|_{1,3})(?=\S)(?P<text>[^*_]+?)(?<=\S)(?P=mark)(?![\w*_])"
)
_RULE = re.compile(r"^(?:[-*_]\s*){3,}$")


def read_markdown(content: bytes, name: str) -> Transcript:
    """Read one episode.

    Raises:
        InputError: when nobody says a word in it, or its encoding can't be told.
    """
    text, oddities = decoded_as_found(content, name)
    lines = [(number, _as_transcript(line)) for number, line in numbered(text) if not _RULE.match(line)]
    return read_lines(lines, name, oddities)


def looks_like_markdown(text: str) -> bool:
    """Return whether several lines begin with a name in bold and a colon."""
    return sum(_NAMED.match(line) is not None for _, line in numbered(text)) > 1


def _as_transcript(line: str) -> str:
    """Return a line as a fan transcript has it."""
    heading = _HEADING.match(line)
    if heading:
        text = _plain(heading["text"])
        return (
            text
            if len(heading["level"]) == 1 or episode_of(text)
            else f"Scene: {text.removeprefix('Scene: ')}"
        )
    named = _NAMED.match(line)
    if named:
        how = f" {named['how']}" if named["how"] else ""
        return f"{named['label'].strip()}{how}: {_plain(named['text'])}"
    alone = _ALONE.match(line)
    return f"({alone['text'].strip('() ')})" if alone else _plain(line)


def _plain(text: str) -> str:
    return _EMPHASIS.sub(lambda found: found["text"], text)
