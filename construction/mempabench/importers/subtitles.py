"""Subtitles: SubRip (SRT) and WebVTT. A cue is a line; neither can have scene headings.

Kept: the text of every cue over its line breaks, voices (``<v Name>``, ``NAME:`` at the start of a cue), sound
descriptions in brackets as directions, the line number of the cue. Left out: times, indexes, styles, notes, tags. Empty
cues and malformed parts are told. A file without voices has lines without speakers: ``label`` is then empty, never made
up.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mempabench.domain.transcripts import AS_IT_IS, Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import clean, decoded, decoded_as_found, shown, split_directions

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"^\s*(?P<start>{_TIME})\s*-->\s*(?P<end>{_TIME})")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+(?P<name>[^<>]{0,200})>(?P<text>(?:(?!<v[\s.])[\s\S])*)", re.I)
_DASH = re.compile(r"^\s*[-–—]\s+")
_DASHES = re.compile(r"\n(?=\s*[-–—]\s)")
_LAST_DASH = re.compile(r"\n\s*[-–—]\s*$")
_TAG = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_NAMED = re.compile(r"^(?P<name>[A-Z][A-Z0-9 .'’#-]{0,40}):\s*(?P<text>.*)$", re.DOTALL)


def read_srt(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a SubRip file, UTF-8 or whatever encoding its bytes tell.

    Raises:
        InputError: when its encoding can't be told.
    """
    text, oddities = decoded_as_found(content, name)
    return _transcript(text, name, oddities, reading.scene_gap)


def read_webvtt(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a WebVTT file.

    Raises:
        InputError: when it doesn't begin with ``WEBVTT`` or isn't UTF-8.
    """
    text = decoded(content, name)
    if not text.lstrip().startswith("WEBVTT"):
        raise InputError(f"{name}:1: a WebVTT file begins with 'WEBVTT'; is this an SRT file?")
    return _transcript(text, name, [], reading.scene_gap)


@dataclass(frozen=True)
class _Cue:
    """One cue: the line of its times and its last one, the times in milliseconds, and its text."""

    number: int
    last: int
    start: int
    end: int
    text: str


def _transcript(text: str, name: str, oddities: list[Oddity], scene_gap: float | None) -> Transcript:
    scenes: list[list[RawLine]] = [[]]
    end: int | None = None
    cues = list(_cues(text))
    oddities += _odd_cues(text, cues)
    for cue in cues:
        found = list(_turns(cue))
        if not found:
            oddities.append(Oddity(cue.number, "an empty cue"))
        elif scene_gap is not None and end is not None and cue.start - end >= round(scene_gap * 1000):
            scenes.append([])
        scenes[-1] += found
        end = cue.end
    if not scenes[-1]:
        raise InputError(f"{name}: no cue with a time such as 00:01:02,000 --> 00:01:03,000; nothing to read")
    raw = tuple(RawScene("", "", "", tuple(lines)) for lines in scenes)
    return Transcript(raw, headings=None, oddities=tuple(oddities))


def _cues(text: str) -> Iterator[_Cue]:
    """Yield each cue; a new line of times ends a cue too."""
    opened: tuple[int, re.Match[str]] | None = None
    parts: list[str] = []
    for position, line in enumerate([*text.split("\n"), ""], start=1):
        times = _TIMES.match(line)
        if opened and (times or not line.strip()):
            if times and parts and parts[-1].strip().isdigit():
                parts.pop()
            number, found = opened
            yield _Cue(
                number,
                number + len(parts),
                _milliseconds(found["start"]),
                _milliseconds(found["end"]),
                "\n".join(parts),
            )
            opened = None
        if times:
            opened, parts = (position, times), []
        elif opened:
            parts.append(line)


def _milliseconds(stamp: str) -> int:
    """Return a cue's time.

    >>> _milliseconds("01:02:03,500"), _milliseconds("2:03.5")
    (3723500, 123500)
    """
    clock, _, fraction = stamp.replace(",", ".").partition(".")
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds * 1000 + int(fraction.ljust(3, "0"))


def _turns(cue: _Cue) -> Iterator[RawLine]:
    """Yield the turns of one cue: one, or one for each voice or each dash in it."""
    for label, text in _pieces(cue.text):
        words = clean(html.unescape(_TAG.sub("", text)))
        words = words if _several(text) else _DASH.sub("", words)
        named = None if label else _NAMED.match(words)
        if named:
            label, words = named["name"].strip(), named["text"]
        speech, directions = split_directions(words)
        if speech or directions:
            yield RawLine(label, speech, directions, cue.number, cue.last)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a cue with the voices that it names; what stands before the first voice has none."""
    voices = list(_VOICE.finditer(text))
    if voices:
        yield "", text[: voices[0].start()].strip().strip("-–—")
        yield from (
            (clean(voice["name"]), _LAST_DASH.sub("", _DASH.sub("", voice["text"]))) for voice in voices
        )
        return
    parts = _DASHES.split(text) if _several(text) else [text]
    if all(_NAMED.match(clean(_TAG.sub("", _DASH.sub("", part)))) for part in parts):
        yield from (("", part) for part in parts)
    else:
        yield "", text


def _several(text: str) -> bool:
    """Return whether more than one line of a cue begins with a dash, as where two people speak."""
    return sum(_DASH.match(line) is not None for line in text.split("\n")) > 1


def _odd_cues(text: str, cues: Sequence[_Cue]) -> Iterator[Oddity]:
    """Yield what is malformed, and how many cues repeat words that were on the screen already."""
    read = {cue.number for cue in cues}
    for number, line in enumerate(text.split("\n"), start=1):
        if "-->" in line and number not in read:
            yield Oddity(number, f"'{shown(clean(line))}' is no time of a cue; the cue is left out")
    unnamed = sum(_several(cue.text) and len(list(_pieces(cue.text))) == 1 for cue in cues)
    if unnamed:
        yield Oddity(None, f"{unnamed} cues hold two people who aren't named; each is kept as one line")
    words = [clean(_TAG.sub("", cue.text)) for cue in cues]
    grown = sum(bool(first) and second.startswith(first) for first, second in pairwise(words))
    if grown:
        yield Oddity(None, f"{grown} cues begin with the words of the cue before (growing captions); kept")
