"""Sources, scenes and lines: the raw material, as read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from mempabench.domain.record import Record

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""A short lower-case name that may stand in an id."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class SourceFile(Record):
    """One file of a source, bound to its content."""

    path: str
    """Path below ``transcripts_raw/``, with forward slashes."""
    sha256: Sha256
    """SHA-256 of the file's bytes."""
    episode: Annotated[str, StringConstraints(pattern=r"^s\d{2,3}e\d{2,3}$")] | None = None
    """Episode, such as ``s01e03``; needed only where the file itself doesn't say."""
    oddities: int = Field(default=0, ge=0)
    """How many oddities of its reading (mended cues, lines left out, …) its owner has looked at and accepted."""


class Reading(Record):
    """What the files of a source don't say about how they are to be read."""

    columns: dict[str, str] = Field(default_factory=dict)
    """For season tables: what the file calls the columns speaker, text, season, episode, title, scene, deleted."""
    scene_gap: float | None = Field(default=None, gt=0, le=86_400)
    """For files with times and no headings: silence in seconds that parts two scenes; they are one otherwise."""
    date_order: Literal["dmy", "mdy", "ymd", "ydm"] | None = None
    """For chats whose dates can be read in several ways: which comes first of day, month and year."""


AS_IT_IS = Reading()
"""Nothing needs to be said."""


class CastMember(Record):
    """One person of a source and the labels under which they speak."""

    person: Slug
    """Identifier of the person within the source, such as ``zdenka``."""
    name: str
    """Full name as the source has it."""
    named: bool = True
    """False for extras known by what they are, such as ``1st Driver``, and for collectives."""
    aliases: tuple[str, ...] = ()
    """Labels and spellings that mean this person, besides the full name; case doesn't count."""


class Source(Record):
    """A body of transcripts with one origin, one licence and one cast."""

    id: Slug
    """Name of the source, first part of every line id."""
    title: str
    """Title as people know it."""
    origin: str
    """Who made it and how it came here, in a sentence."""
    license: str
    """SPDX identifier of the licence, or ``LicenseRef-…``."""
    redistributable: bool
    """Whether text and quotes may be published; else only ids and hashes are."""
    format: str
    """Name of the importer that reads the files."""
    reading: Reading = AS_IT_IS
    """What the files don't say about how they are to be read."""
    files: tuple[SourceFile, ...]
    """The files, in the order in which they are read."""
    cast: tuple[CastMember, ...]
    """Everybody who may speak; collectives such as ``Everyone`` too."""
    candidates: tuple[Slug, ...]
    """Persons who may become users, in the order that breaks ties."""


class RawFile(Record):
    """A transcript file as it lies on disk, with the source it belongs to."""

    source: Source
    path: str
    """Path below ``transcripts_raw/``."""
    content: str
    """The bytes as Latin-1 text, so that every byte survives; see ``raw``."""

    def raw(self) -> bytes:
        """Return the file's bytes."""
        return self.content.encode("latin-1")


class Direction(Record):
    """What is done rather than said."""

    at: int = Field(ge=0)
    """Offset in the line's text before which it stands."""
    text: str
    """The direction, without brackets."""


class Line(Record):
    """One turn of speech, or a direction that stands alone."""

    id: str
    """Id such as ``gross_and_tare/s01e03/sc04/l012``."""
    number: int = Field(ge=1)
    """Position within its scene, from 1; what requests show."""
    label: str | None
    """Speaker label as it stands in the file; null for a direction that stands alone or an unnamed speaker."""
    speakers: tuple[Slug, ...] = ()
    """Persons of the cast who speak; empty for a direction."""
    text: str
    """What is said, NFC, one space for each run of white space; empty for a direction."""
    directions: tuple[Direction, ...] = ()
    """Directions in the turn, in their places."""
    source_line: int = Field(ge=1)
    """Line number in the file; in XML and JSON the turn's place among the turns."""
    position: str = ""
    """Where the turn stands in the file: ``bytes 12-40``, the last one excluded, an XPath or a JSON pointer."""
    raw: str = ""
    """The turn as the file has it, label and all."""
    time: str = ""
    """When it was said, in ISO 8601 with a zone only where the file has one; empty where it has no dates."""


class Scene(Record):
    """A scene: where it plays and what is said."""

    id: str
    """Id such as ``gross_and_tare/s01e03/sc04``."""
    source: Slug
    episode: str
    """Episode, such as ``s01e03``."""
    episode_title: str
    heading: str
    """Place and time as the heading has them; empty when the scene has no heading."""
    file: str
    """Path of the file below ``transcripts_raw/``."""
    lines: tuple[Line, ...]

    def speakers(self) -> tuple[str, ...]:
        """Return the persons who speak, in order of first speech."""
        return tuple(dict.fromkeys(person for line in self.lines for person in line.speakers))

    def line(self, number: int) -> Line | None:
        """Return the line with this number, or None."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else None
