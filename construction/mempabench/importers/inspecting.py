"""What a transcript file holds: its format and why, counts, and what is odd in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mempabench.domain.transcripts import AS_IT_IS, Reading
from mempabench.errors import InputError
from mempabench.importers import IMPORTERS, chat_export, corpora, read_transcript
from mempabench.importers.chat_text import looks_like_a_chat
from mempabench.importers.fan_page import looks_like_a_page
from mempabench.importers.fan_transcript import looks_like_a_transcript
from mempabench.importers.fountain import looks_like_fountain
from mempabench.importers.importer import Oddity, Transcript
from mempabench.importers.labels import is_collective, near_duplicates, parts, people_of
from mempabench.importers.markdown import looks_like_markdown
from mempabench.importers.play_text import looks_like_a_play
from mempabench.importers.screenplay_text import looks_like_a_screenplay
from mempabench.importers.text import shown


@dataclass(frozen=True)
class Inspection:
    """One file, looked at."""

    format: str
    why: str
    """Why it was taken for this format."""
    scenes: int | None
    """Explicit headings; None where the format can't have any."""
    lines: int
    label_lines: dict[str, int]
    """Distinct labels with their lines, the most frequent first."""
    speakers: tuple[str, ...]
    """Distinct people after joint cues are split, misspellings unmerged."""
    oddities: tuple[Oddity, ...]
    people: dict[str, int] = field(default_factory=dict)
    """How many lines each of them has a part in, the most first."""
    labels_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Labels of each that aren't their name, where the file says who speaks apart from the label."""
    accepted: int = 0
    """How many of the oddities come of reading itself; what the manifest has to accept."""
    names_episodes: bool = True
    """Whether the file itself says of every scene which episode it belongs to."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Distinct labels, the most frequent first."""
        return tuple(self.label_lines)


_BY_NAME = {
    ".fountain": "fountain",
    ".spmd": "fountain",
    ".fdx": "fdx",
    ".srt": "srt",
    ".vtt": "webvtt",
    ".csv": "season_table",
    ".tsv": "season_table",
    ".ttml": "ttml",
    ".dfxp": "ttml",
    ".md": "markdown",
    ".html": "fan_page",
    ".htm": "fan_page",
}


def detect(content: bytes, name: str) -> tuple[str, str]:
    """Return a file's format and why it was taken for that.

    Raises:
        InputError: when no format fits, naming those there are.
    """
    ending = "." + name.lower().rsplit(".", 1)[-1]
    if ending in _BY_NAME:
        return _BY_NAME[ending], f"by its name, which ends in {ending}"
    if ending in (".json", ".jsonl", ".ndjson"):
        return _of_json(content)
    text = content[:_LOOKED_AT].decode("utf-8", "replace").lstrip("\ufeff")
    for format_name, why, fits in _BY_CONTENT:
        if fits(text):
            return format_name, why
    known = ", ".join(IMPORTERS)
    raise InputError(f"{name}: no format fits; give one with --format ({known})")


def _of_json(content: bytes) -> tuple[str, str]:
    """Return the format of a JSON file by the keys that it has."""
    text = content[:_LOOKED_AT].decode("utf-8", "replace")
    shape = corpora.shape_of(text) or chat_export.shape_of(text)
    return (
        (shape, "by the keys that its JSON has")
        if shape
        else ("season_table", "by its name, which ends in .json")
    )


_UNBALANCED = re.compile(r"[\[\]()]")
"""Brackets are directions and gone from speech; one that is left lacks its other half."""
_LOOKED_AT = 200_000
"""Bytes that are looked at to tell the format."""

_BY_CONTENT: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("webvtt", "it begins with WEBVTT", lambda text: text.startswith("WEBVTT")),
    ("fdx", "it is Final Draft XML", lambda text: "<FinalDraft" in text[:2000]),
    ("ttml", "it is TTML", lambda text: bool(re.search(r"<(?:\w{1,20}:)?tt[\s>]", text[:5000]))),
    ("tei", "it is TEI XML", lambda text: "<TEI" in text[:5000]),
    ("fan_page", "it is a web page", looks_like_a_page),
    ("chat_text", "its lines begin with date and time", looks_like_a_chat),
    ("markdown", "its lines begin with names in bold", looks_like_markdown),
    ("srt", "it has lines of times with -->", lambda text: " --> " in text),
    ("fan_transcript", "it has 'Scene:' headings", lambda text: bool(re.search(r"(?im)^\s*scene:", text))),
    ("screenplay_text", "it has scene headings, and names indented over dialogue", looks_like_a_screenplay),
    ("fountain", "it has scene headings such as 'INT. PLACE - DAY'", looks_like_fountain),
    ("play_text", "it has acts and speeches such as 'Name.  words'", looks_like_a_play),
    ("fan_transcript", "most of its lines are 'Name: words'", looks_like_a_transcript),
)
"""What a format is known by, the surest first."""


def inspect(
    content: bytes, name: str, format_name: str | None = None, reading: Reading = AS_IT_IS
) -> Inspection:
    """Return what a file holds.

    Raises:
        InputError: when it can't be read, naming file and line.
    """
    chosen, why = (format_name, "as told") if format_name else detect(content, name)
    transcript = read_transcript(chosen, content, name, reading)
    labels = Counter(line.label for line in transcript.spoken() if line.label)
    people: Counter[str] = Counter()
    labels_of: dict[str, set[str]] = {}
    for line in transcript.spoken():
        for person in people_of(line.label, line.people) if line.label else ():
            people[person] += 1
            labels_of.setdefault(person, set()).update(
                (line.label,) if len(line.people) == 1 and line.label else ()
            )
    return Inspection(
        format=chosen,
        why=why,
        scenes=transcript.headings,
        lines=len(transcript.spoken()),
        label_lines=dict(labels.most_common()),
        speakers=tuple(people),
        people=dict(people.most_common()),
        labels_of={person: tuple(sorted(found - {person})) for person, found in labels_of.items()},
        names_episodes=all(scene.episode for scene in transcript.scenes),
        accepted=len(transcript.oddities),
        oddities=(*transcript.oddities, *_odd_lines(transcript), *_odd_labels(labels)),
    )


def _odd_lines(transcript: Transcript) -> Iterator[Oddity]:
    seen: dict[tuple[str | None, str], int] = {}
    unnamed = sum(not line.label for line in transcript.spoken())
    if unnamed:
        yield Oddity(None, f"{unnamed} lines don't say who speaks; they are kept without a speaker")
    for line in transcript.spoken():
        if not line.text:
            yield Oddity(line.number, f"{line.label} says nothing; the line holds a direction only")
        elif len(line.text) > 40:
            first = seen.setdefault((line.label, line.text), line.number)
            if first != line.number:
                yield Oddity(line.number, f"the same words by {line.label} as in line {first}")
        if not line.time and _UNBALANCED.search(line.text):
            yield Oddity(line.number, f"a bracket without its other half in '{shown(line.text)}'; it is kept")
        if "\ufffd" in line.text:
            yield Oddity(line.number, "a character that was lost before (U+FFFD); it is kept")


def _odd_labels(labels: Counter[str]) -> Iterator[Oddity]:
    for label in labels:
        if is_collective(label):
            yield Oddity(None, f"'{label}' means whoever is there; it has {labels[label]} lines")
        elif len(parts(label)) > 1:
            yield Oddity(None, f"'{label}' is read as {len(parts(label))} people: {', '.join(parts(label))}")
    for first, second in near_duplicates(labels):
        yield Oddity(
            None, f"'{first}' and '{second}' may be one person; merge them with an alias if they are"
        )
