"""Repair text that was UTF-8, was read as Windows-1252, and saved so: ``cafÃ©`` for ``café``.

Only what round-trips is touched: the repaired text, spoilt again in the same way, must give the text as found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mempabench.domain.transcripts import Direction
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import clean


def repaired(transcript: Transcript) -> Transcript:
    """Return a transcript with such text repaired, and a word about every line where that happened."""
    found: list[Oddity] = []
    scenes = tuple(_scene(scene, found) for scene in transcript.scenes)
    if not found:
        return transcript
    return replace(transcript, scenes=scenes, oddities=(*transcript.oddities, *found))


def _scene(scene: RawScene, found: list[Oddity]) -> RawScene:
    title, heading = repair(scene.title), repair(scene.heading)
    if (title, heading) != (scene.title, scene.heading):
        found.append(Oddity(None, f"'{heading or title}' was in the wrong encoding; repaired"))
    lines = tuple(_line(line, found) for line in scene.lines)
    return replace(scene, title=title, heading=heading, lines=lines)


def _line(line: RawLine, found: list[Oddity]) -> RawLine:
    if all(text.isascii() for text in _texts(line)):
        return line
    changed = replace(
        line,
        label=None if line.label is None else repair(line.label),
        text=repair(line.text),
        directions=tuple(
            Direction(at=len(repair(line.text[: direction.at])), text=repair(direction.text))
            for direction in line.directions
        ),
    )
    if changed != line:
        found.append(Oddity(line.number, "characters in the wrong encoding; repaired"))
    return changed


def _texts(line: RawLine) -> Iterator[str]:
    yield line.label or ""
    yield line.text
    yield from (direction.text for direction in line.directions)


def repair(text: str) -> str:
    """Return a text as it was before it was read in the wrong encoding, if it was and that can be told for sure.

    >>> repair("It\u00e2\u20ac\u2122s a caf\u00c3\u00a9."), repair("\u00c0 c\u00f4t\u00e9"), repair("caf\u00c3 (")
    ('It\u2019s a caf\u00e9.', '\u00c0 c\u00f4t\u00e9', 'caf\u00c3 (')
    """
    if text.isascii():
        return text
    import ftfy
    from ftfy import bad_codecs

    bad_codecs.ok()
    fixed: str = ftfy.fix_encoding(text)
    if fixed == text:
        return text
    spoilt = fixed.encode("utf-8").decode("sloppy-windows-1252", "replace")
    return clean(fixed) if spoilt == text else text
