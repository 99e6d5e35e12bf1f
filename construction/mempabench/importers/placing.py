"""Where in its file each turn stands, byte by byte, and what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mempabench.importers.importer import RawLine, Transcript
from mempabench.importers.text import encoding_of

_WIDE_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


def placed(transcript: Transcript, content: bytes) -> Transcript:
    """Return a transcript whose turns know their bytes and how the file has them.

    Turns of XML and JSON know their place already.
    """
    if all(line.pointer for scene in transcript.scenes for line in scene.lines):
        return transcript
    lines = list(_lines(content))
    scenes = tuple(
        replace(scene, lines=tuple(_placed(line, lines) for line in scene.lines))
        for scene in transcript.scenes
    )
    return replace(transcript, scenes=scenes)


def _placed(line: RawLine, lines: list[tuple[int, int, str]]) -> RawLine:
    if line.pointer or not 0 < line.number <= len(lines):
        return line
    own = lines[line.number - 1 : max(line.number, line.last)]
    raw = own[0][2] if len(own) == 1 else "\n".join(words for _, _, words in own)
    where = f"bytes {own[0][0]}-{own[-1][1]}"
    return RawLine(
        line.label, line.text, line.directions, line.number, line.last, where, raw, line.people, line.time
    )


def _lines(content: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield where each line begins and ends, in bytes, and its text without the line end."""
    encoding = (encoding_of(content) or "utf-8").replace("_", "-")
    if encoding.startswith("utf-16"):
        yield from _wide_lines(content, encoding)
        return
    start = 0
    for line in content.splitlines(keepends=True):
        words = line.rstrip(b"\r\n")
        yield start, start + len(words), words.decode(encoding, "replace").removeprefix("\ufeff")
        start += len(line)


def _wide_lines(content: bytes, encoding: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same of a file in UTF-16, with or without its byte order mark."""
    marked = encoding == "utf-16"
    codec = ("utf-16-be" if content.startswith(b"\xfe\xff") else "utf-16-le") if marked else encoding
    start = 2 if marked else 0
    for words, end in _WIDE_LINE.findall(content[start:].decode(codec, "replace")):
        length = len(words.encode(codec, "replace"))
        yield start, start + length, words
        start += length + 2 * len(end)
