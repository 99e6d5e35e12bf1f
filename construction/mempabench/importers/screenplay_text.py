"""Screenplays as plain text: what stands where on the page tells heading, action, cue and dialogue apart.

Kept: headings without scene numbers, characters without extensions, dialogue over its line breaks,
parentheticals as directions in their places, action as directions that stand alone, line numbers. Left out:
the title page, page numbers, ``(MORE)``, ``CONTINUED``, transitions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.labels import without_extensions
from mempabench.importers.text import clean, decoded_as_found

_HEADING = re.compile(
    r"^(?:[A-Z]?\d{1,4}[A-Z]?\.?\s+)?(?P<heading>(?:INT|EXT|INT\./EXT|EXT\./INT|INT/EXT|I/E)\b[./ ].*?)"
    r"(?:\s+[A-Z]?\d{1,4}[A-Z]?\.?)?$"
)
_UNREAD = re.compile(
    r"^(?:\(?MORE\)?|\(?CONTINUED:?\)?(?:\s*\(\d+\))?|\(?CONT['’]?D\)?:?|\d{1,4}\.?|[-–— ]*\d{1,4}[-–— ]*)$",
    re.I,
)
_TRANSITION = re.compile(
    r"^(?:FADE (?:IN|OUT|TO BLACK)\b.*|.*\b(?:CUT|DISSOLVE|FADE|WIPE|SMASH CUT|MATCH CUT) TO:?)$"
)
_LONGEST_CUE = 40
_INDENT = 6
"""Columns by which a cue stands to the right of the action, at least."""
_FEWEST = 3


@dataclass(frozen=True)
class _Row:
    """A line that holds something."""

    number: int
    indent: int
    text: str
    after_blank: bool


def read_screenplay_text(content: bytes, name: str) -> Transcript:
    """Read a screenplay.

    Raises:
        InputError: when no cue stands over a line of dialogue in it.
    """
    text, oddities = decoded_as_found(content, name)
    rows = list(_rows(text))
    reader = _Reader(margin=_margin(rows), oddities=oddities)
    for row, following in zip_longest(rows, rows[1:]):
        reader.take(row, following)
    if not reader.spoken:
        raise InputError(
            f"{name}: no character's name indented over a line of dialogue; is this a screenplay?"
        )
    return reader.transcript()


def looks_like_a_screenplay(text: str) -> bool:
    """Return whether a text has headings of scenes and several indented cues over indented dialogue."""
    rows = list(_rows(text))
    margin = _margin(rows)
    cues = sum(_is_cue(row, after, margin) for row, after in zip_longest(rows, rows[1:]))
    return cues >= _FEWEST and any(_HEADING.match(row.text) for row in rows)


def _rows(text: str) -> Iterator[_Row]:
    after_blank = True
    for number, line in enumerate(text.replace("\f", " ").expandtabs(8).split("\n"), start=1):
        found = clean(line)
        if found and not _UNREAD.match(found):
            yield _Row(number, len(line) - len(line.lstrip()), found, after_blank)
        after_blank = not found


def _margin(rows: list[_Row]) -> int:
    """Return the column at which headings and action stand: the one that most headings have, else the leftmost."""
    headings = Counter(row.indent for row in rows if _HEADING.match(row.text))
    if headings:
        return headings.most_common(1)[0][0]
    return min((row.indent for row in rows), default=0)


def _is_cue(row: _Row, following: _Row | None, margin: int) -> bool:
    label, _ = without_extensions(row.text)
    return (
        row.indent >= margin + _INDENT
        and 0 < len(label) <= _LONGEST_CUE
        and label == label.upper()
        and any(char.isalpha() for char in label)
        and not _TRANSITION.match(row.text)
        and following is not None
        and not following.after_blank
        and margin < following.indent <= row.indent
    )


@dataclass
class _Reader:
    """Builds scenes line by line."""

    margin: int
    oddities: list[Oddity]
    headings: list[str] = field(default_factory=list)
    turns: list[list[RawLine]] = field(default_factory=lambda: [[]])
    speaking: bool = False
    aside: bool = False
    spoken: int = 0

    def take(self, row: _Row, following: _Row | None) -> None:
        """Take in one line."""
        heading = _HEADING.match(row.text)
        if heading and row.indent <= self.margin + 1:
            self.headings.append(heading["heading"].strip())
            self.turns.append([])
            self.speaking = False
        elif _is_cue(row, following, self.margin):
            label, extensions = without_extensions(row.text)
            directions = tuple(Direction(at=0, text=extension) for extension in extensions)
            self.turns[-1].append(RawLine(label, "", directions, row.number))
            self.speaking, self.aside = True, False
            self.spoken += 1
        elif self.speaking and not row.after_blank and row.indent > self.margin:
            self._words(row.text, row.number)
        else:
            self.speaking = False
            self._action(row)

    def _words(self, text: str, number: int) -> None:
        """Take in a line of dialogue, or a parenthetical, which may go on over several lines."""
        cue = self.turns[-1][-1]
        if self.aside:
            longer = Direction(
                at=cue.directions[-1].at, text=f"{cue.directions[-1].text} {text.rstrip(') ')}"
            )
            self.turns[-1][-1] = replace(cue, directions=(*cue.directions[:-1], longer), last=number)
            self.aside = not text.endswith(")")
        elif text.startswith("("):
            aside = Direction(at=len(cue.text), text=text.strip("() "))
            self.turns[-1][-1] = replace(cue, directions=(*cue.directions, aside), last=number)
            self.aside = not text.endswith(")")
        else:
            self.turns[-1][-1] = replace(cue, text=f"{cue.text} {text}".strip(), last=number)

    def _action(self, row: _Row) -> None:
        """Take in action: lines of one paragraph are one direction."""
        if _TRANSITION.match(row.text):
            return
        own = self.turns[-1]
        if own and own[-1].label is None and not row.after_blank:
            longer = Direction(at=0, text=f"{own[-1].directions[0].text} {row.text}")
            own[-1] = RawLine(None, "", (longer,), own[-1].number, row.number)
        else:
            own.append(RawLine(None, "", (Direction(at=0, text=row.text),), row.number))

    def transcript(self) -> Transcript:
        """Return what was read; without headings the file is one scene."""
        if not self.headings:
            self.oddities.append(
                Oddity(None, "no headings such as 'INT. PLACE - DAY'; the file is one scene")
            )
        before = [line for line in self.turns[0] if line.label is not None]
        if self.headings and self.turns[0] and not before:
            first, count = self.turns[0][0].number, len(self.turns[0])
            self.oddities.append(Oddity(first, f"{count} paragraphs before the first heading; left out"))
        scenes = tuple(
            RawScene("", "", heading, tuple(lines))
            for heading, lines in zip(["", *self.headings], self.turns, strict=True)
            if heading or any(line.label is not None for line in lines)
        )
        return Transcript(scenes, headings=len(self.headings), oddities=tuple(self.oddities))
