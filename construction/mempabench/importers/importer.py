"""What every importer returns: scenes as the file has them, before names are resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mempabench.domain.transcripts import Direction, Reading


@dataclass(frozen=True, slots=True)
class RawLine:
    """A turn as the file has it."""

    label: str | None
    """Speaker label without extensions such as (V.O.); empty where the file doesn't say who speaks; None for a
    direction that stands alone."""
    text: str
    directions: tuple[Direction, ...]
    number: int
    """Line number in the file, from 1; in XML and JSON the turn's place among the turns."""
    last: int = field(default=0, compare=False)
    """Number of its last line; 0 when it has one only."""
    pointer: str = field(default="", compare=False)
    """Where it stands: an XPath or a JSON pointer, ``bytes 12-40`` in a file of lines."""
    raw: str = field(default="", compare=False)
    """The turn as the file has it."""
    people: tuple[str, ...] = field(default=(), compare=False)
    """Who speaks, where the file says that apart from the label."""
    time: str = ""
    """When it was said, in ISO 8601 with a zone only where the file has one; empty where it has no times."""


@dataclass(frozen=True, slots=True)
class RawScene:
    """A scene as the file has it."""

    episode: str
    """Such as ``s01e03``; empty where the file doesn't say."""
    title: str
    heading: str
    """As the file has it; empty for what stands before the first heading."""
    lines: tuple[RawLine, ...]


@dataclass(frozen=True)
class Oddity:
    """Something in a file that its owner may want to know."""

    line: int | None
    """Line number in the file, or None for the file as a whole."""
    what: str


@dataclass(frozen=True)
class Transcript:
    """What an importer read."""

    scenes: tuple[RawScene, ...]
    headings: int | None
    """Explicit scene headings; None where the format can't have any."""
    oddities: tuple[Oddity, ...] = ()

    def spoken(self) -> tuple[RawLine, ...]:
        """Return all turns of speech."""
        return tuple(line for scene in self.scenes for line in scene.lines if line.label is not None)


Importer = Callable[[bytes, str, Reading], Transcript]
"""Reads a file's bytes, named so in messages, with what its owner says of it."""


def unguided(read: Callable[[bytes, str], Transcript]) -> Importer:
    """Return the importer for a format of which nothing needs to be said."""
    return lambda content, name, _: read(content, name)
