"""Fountain screenplays (the syntax of fountain.io): headings, character cues, dialogue, parentheticals.

Kept: scene headings (their numbers left out), characters without extensions, dialogue over line breaks and
over a blank line that holds two spaces, parentheticals as directions in their places, action as directions
that stand alone, line numbers. Left out: boneyard, notes, sections, synopses, page breaks, transitions,
centred text and emphasis marks. A title page may name the episode (``Episode: s01e02`` or ``Episode: Season
1, Episode 2: Title``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mempabench.domain.transcripts import Direction
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.labels import without_extensions
from mempabench.importers.text import clean, decoded_as_found, episode_of

_HEADING = re.compile(r"^(?:INT|EXT|EST|INT\./EXT|INT/EXT|EXT/INT|EXT\./INT|I/E)(?:\.|\s)", re.I)
_FORCED_HEADING = re.compile(r"^\.(?=[^.])")
_SCENE_NUMBER = re.compile(r"\s*#[\w.-]+#\s*$")
_TITLE_KEY = re.compile(r"^(?P<key>[A-Za-z][A-Za-z ]{0,30}):\s*(?P<value>.*)$")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|_)(?=\S)((?:[^*_\\]|\\.)+)(?<=\S)\1")
_BLANK_LINE = re.compile(r"\n[ \t]?\n")
_LONGEST_NOTE = 20_000


def read_fountain(content: bytes, name: str) -> Transcript:
    """Read a screenplay.

    Raises:
        InputError: when the file is no text.
    """
    text, oddities = decoded_as_found(content, name)
    lines = _without_notes(_without_boneyard(text)).split("\n")
    reader = _Reader(oddities=oddities)
    start = reader.title_page(lines)
    reader.body(lines, start)
    return reader.transcript()


_GONE = "\x00"
"""Stands where a note was, so that a line that held nothing else doesn't end a turn as a blank one does."""


def looks_like_fountain(text: str) -> bool:
    """Return whether a text has a scene heading as screenplays have them."""
    return any(
        _HEADING.match(line.strip()) and line.strip() == line.strip().upper() for line in text.split("\n")
    )


def _without_boneyard(text: str) -> str:
    """Take out what stands between ``/*`` and ``*/``; what is never closed stays."""
    kept: list[str] = []
    end = 0
    while (start := text.find("/*", end)) >= 0 and (closed := text.find("*/", start + 2)) >= 0:
        kept += [text[end:start], "\n" * text.count("\n", start, closed)]
        end = closed + 2
    return "".join([*kept, text[end:]])


def _without_notes(text: str) -> str:
    """Take out what stands between ``[[`` and ``]]`` within a paragraph, leaving a mark on each of its lines."""
    kept: list[str] = []
    end, closed = 0, -1
    while (start := text.find("[[", end)) >= 0:
        if closed < start + 2:
            closed = text.find("]]", start + 2)
        if closed < 0:
            break
        blank = _BLANK_LINE.search(text, start + 2, min(closed, start + _LONGEST_NOTE))
        if blank or closed > start + _LONGEST_NOTE:
            unclosed = blank.start() if blank else start + _LONGEST_NOTE
            kept.append(text[end:unclosed])
            end = unclosed
        else:
            kept += [text[end:start], _GONE + f"\n{_GONE}" * text.count("\n", start, closed)]
            end = closed + 2
    return "".join([*kept, text[end:]])


@dataclass
class _Reader:
    """Builds scenes line by line."""

    episode: str = ""
    title: str = ""
    headings: list[str] = field(default_factory=list)
    scenes: list[list[RawLine]] = field(default_factory=lambda: [[]])
    oddities: list[Oddity] = field(default_factory=list)

    def title_page(self, lines: list[str]) -> int:
        """Read the title page, if there is one, and return the index of the first line after it."""
        if not lines or not _TITLE_KEY.match(lines[0]):
            return 0
        for index, line in enumerate(lines):
            if not line.strip(" \t" + _GONE):
                return index
            found = _TITLE_KEY.match(line)
            if found is None and not line.startswith((" ", "\t")):
                return 0 if index == 0 else index
            if found and found["key"].lower() == "episode":
                self._episode(clean(found["value"]), index + 1)
            elif found and found["key"].lower() == "title":
                self.title = self.title or clean(found["value"].strip("*_ "))
        return len(lines)

    def _episode(self, value: str, number: int) -> None:
        named = episode_of(value)
        if named is None:
            self.oddities.append(Oddity(number, f"'{value}' names no episode; write it as s01e02"))
            return
        self.episode = named[0]
        self.title = named[1] or self.title

    def body(self, lines: list[str], start: int) -> None:
        """Read everything after the title page."""
        index = start
        while index < len(lines):
            raw = lines[index]
            text = clean(raw.replace(_GONE, ""))
            before = _blank(lines, index - 1)
            if not text or text.startswith(("#", "===")) or (text.startswith("=") and text[1:2] != "="):
                index += 1
            elif before and _is_heading(text):
                self._heading(text)
                index += 1
            elif before and _is_character(text) and not _blank(lines, index + 1):
                index = self._dialogue(lines, index)
            elif before and _is_transition(text):
                index += 1
            else:
                index = self._action(lines, index)

    def _heading(self, text: str) -> None:
        self.headings.append(_plain(_SCENE_NUMBER.sub("", _FORCED_HEADING.sub("", text))))
        self.scenes.append([])

    def _action(self, lines: list[str], start: int) -> int:
        """Read a paragraph of action, a direction that stands alone, and return the index after it."""
        parts: list[str] = []
        index = start
        while index < len(lines) and not _blank(lines, index):
            parts.append(clean(lines[index].replace(_GONE, "")))
            index += 1
        text = _plain(" ".join(part for part in parts if part).removeprefix("!").strip())
        centred = text.startswith(">") and text.endswith("<")
        if text and not centred:
            self.scenes[-1].append(RawLine(None, "", (Direction(at=0, text=text),), start + 1, index))
        return max(index, start + 1)

    def _dialogue(self, lines: list[str], start: int) -> int:
        """Read a cue with its dialogue and return the index after it."""
        label, extensions = _character(clean(lines[start].replace(_GONE, "")))
        directions = [Direction(at=0, text=extension) for extension in extensions]
        speech = ""
        index = start + 1
        while index < len(lines) and not _ends_turn(lines[index]):
            text = clean(lines[index].replace(_GONE, ""))
            if text.startswith("(") and text.endswith(")"):
                directions.append(Direction(at=len(speech), text=text[1:-1].strip()))
            elif text:
                words = _plain(text.removeprefix("~").strip())
                speech = f"{speech} {words}" if speech else words
            index += 1
        self.scenes[-1].append(RawLine(label, speech, tuple(directions), start + 1, index))
        return index

    def transcript(self) -> Transcript:
        """Return what was read; what stands before the first heading is a scene without one, if it has any line."""
        all_headings = ["", *self.headings]
        scenes = tuple(
            RawScene(self.episode, self.title, heading, tuple(own))
            for heading, own in zip(all_headings, self.scenes, strict=True)
            if heading or own
        )
        return Transcript(scenes, headings=len(self.headings), oddities=tuple(self.oddities))


def _blank(lines: list[str], index: int) -> bool:
    """Return whether there is no text at an index; a line that held only a note counts as text."""
    return not 0 <= index < len(lines) or not lines[index].strip()


def _ends_turn(line: str) -> bool:
    """Return whether a line ends a turn: blank, and not kept by two spaces."""
    return not line.strip() and line not in ("  ", "\t") and not line.startswith("  ")


def _is_heading(text: str) -> bool:
    return bool(_FORCED_HEADING.match(text) or _HEADING.match(text))


def _is_character(text: str) -> bool:
    if text.startswith("@"):
        return len(text) > 1
    if text.startswith(("!", ">", "(")) or _is_transition(text):
        return False
    bare = without_extensions(text.removesuffix("^").strip())[0]
    return any(char.isalpha() for char in bare) and bare == bare.upper()


def _is_transition(text: str) -> bool:
    if text.startswith(">"):
        return not text.endswith("<")
    return text == text.upper() and text.endswith("TO:")


def _character(text: str) -> tuple[str, list[str]]:
    """Return a cue's label and its extensions, in any case and in runs."""
    return without_extensions(text.removeprefix("@").removesuffix("^").strip())


def _plain(text: str) -> str:
    """Return a text without emphasis marks and with escaped characters as themselves.

    >>> _plain("*Did* you _really_ say 2 \\\\* 3?")
    'Did you really say 2 * 3?'
    """
    for _ in range(3):
        text = _EMPHASIS.sub(r"\2", text)
    return re.sub(r"\\([*_])", r"\1", text)
