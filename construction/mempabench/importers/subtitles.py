"""Subtitles: SubRip (SRT) and WebVTT. A cue is a line; neither can have scene headings.

Kept: the text of every cue over its line breaks, voices (``<v Name>``, ``NAME:`` at the start of a cue), sound
descriptions in brackets as directions, the line number of the cue. Left out: times, indexes, styles, notes, tags. Empty
cues and malformed parts are told. A file without voices has lines without speakers: ``label`` is then empty, never made
up.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import clean, decoded, decoded_as_found, split_directions

_TIMES = re.compile(
    r"^\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+(?P<name>[^>]*)>(?P<text>(?:(?!<v[\s.])[\s\S])*)", re.I)
_TAG = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_NAMED = re.compile(r"^(?P<name>[A-Z][A-Z0-9 .'’#-]{0,40}):\s*(?P<text>.*)$", re.DOTALL)


def read_srt(content: bytes, name: str) -> Transcript:
    """Read a SubRip file, UTF-8 or whatever encoding its bytes tell.

    Raises:
        InputError: when its encoding can't be told.
    """
    text, oddities = decoded_as_found(content, name)
    return _transcript(text, name, oddities)


def read_webvtt(content: bytes, name: str) -> Transcript:
    """Read a WebVTT file.

    Raises:
        InputError: when it doesn't begin with ``WEBVTT`` or isn't UTF-8.
    """
    text = decoded(content, name)
    if not text.lstrip().startswith("WEBVTT"):
        raise InputError(f"{name}:1: a WebVTT file begins with 'WEBVTT'; is this an SRT file?")
    return _transcript(text, name, [])


def _transcript(text: str, name: str, oddities: list[Oddity]) -> Transcript:
    lines: list[RawLine] = []
    for number, cue in _cues(text):
        found = list(_turns(cue, number))
        if not found:
            oddities.append(Oddity(number, "an empty cue"))
        lines += found
    if not lines:
        raise InputError(f"{name}: no cue with a time such as 00:01:02,000 --> 00:01:03,000; nothing to read")
    return Transcript((RawScene("", "", "", tuple(lines)),), headings=None, oddities=tuple(oddities))


def _cues(text: str) -> Iterator[tuple[int, str]]:
    """Yield the text of each cue with the number of its line of times; a new line of times ends a cue too."""
    number, parts, inside = 0, list[str](), False
    for position, line in enumerate([*text.split("\n"), ""], start=1):
        times = _TIMES.match(line)
        if inside and (times or not line.strip()):
            if times and parts and parts[-1].strip().isdigit():
                parts.pop()
            yield number, "\n".join(parts)
            inside = False
        if times:
            number, parts, inside = position, [], True
        elif inside:
            parts.append(line)


def _turns(cue: str, number: int) -> Iterator[RawLine]:
    """Yield the turns of one cue: one, or one for each voice in it."""
    voices = list(_VOICE.finditer(cue))
    pieces = [(clean(voice["name"]), voice["text"]) for voice in voices] or [("", cue)]
    for label, text in pieces:
        words = clean(html.unescape(_TAG.sub("", text)))
        named = None if label else _NAMED.match(words)
        if named:
            label, words = named["name"].strip(), named["text"]
        speech, directions = split_directions(words)
        if speech or directions:
            yield RawLine(label, speech, directions, number)
