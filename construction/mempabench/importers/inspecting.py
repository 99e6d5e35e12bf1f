"""What a transcript file holds: its format and why, counts, and what is odd in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mempabench.errors import InputError
from mempabench.importers import IMPORTERS, importer
from mempabench.importers.fountain import looks_like_fountain
from mempabench.importers.importer import Oddity, Transcript
from mempabench.importers.labels import is_collective, near_duplicates, parts
from mempabench.importers.text import decoded


@dataclass(frozen=True)
class Inspection:
    """One file, looked at."""

    format: str
    why: str
    """Why it was taken for this format."""
    scenes: int | None
    """Explicit headings; None where the format can't have any."""
    lines: int
    labels: tuple[str, ...]
    """Distinct labels, the most frequent first."""
    speakers: tuple[str, ...]
    """Distinct people after joint cues are split, misspellings unmerged."""
    oddities: tuple[Oddity, ...]


def detect(content: bytes, name: str) -> tuple[str, str]:
    """Return a file's format and why it was taken for that.

    Raises:
        InputError: when no format fits, naming those there are.
    """
    lower = name.lower()
    if lower.endswith((".fountain", ".spmd")):
        return "fountain", "by its name"
    if lower.endswith((".csv", ".tsv", ".json")):
        return "season_table", "by its name"
    text = decoded(content, name)
    if any(line.lower().startswith("scene:") for line in text.split("\n")):
        return "fan_transcript", "it has 'Scene:' headings"
    if looks_like_fountain(text):
        return "fountain", "it has scene headings such as 'INT. PLACE - DAY'"
    known = ", ".join(IMPORTERS)
    raise InputError(f"{name}: no format fits; give one with --format ({known})")


def inspect(content: bytes, name: str, format_name: str | None = None) -> Inspection:
    """Return what a file holds.

    Raises:
        InputError: when it can't be read, naming file and line.
    """
    chosen, why = (format_name, "as told") if format_name else detect(content, name)
    transcript = importer(chosen)(content, name)
    labels = Counter(line.label for line in transcript.spoken() if line.label)
    people = dict.fromkeys(part for label in labels for part in parts(label))
    return Inspection(
        format=chosen,
        why=why,
        scenes=transcript.headings,
        lines=len(transcript.spoken()),
        labels=tuple(label for label, _ in labels.most_common()),
        speakers=tuple(people),
        oddities=(*transcript.oddities, *_odd_lines(transcript), *_odd_labels(labels)),
    )


def _odd_lines(transcript: Transcript) -> Iterator[Oddity]:
    seen: dict[tuple[str | None, str], int] = {}
    for line in transcript.spoken():
        if not line.text:
            yield Oddity(line.number, f"{line.label} says nothing; the line holds a direction only")
        elif len(line.text) > 40:
            first = seen.setdefault((line.label, line.text), line.number)
            if first != line.number:
                yield Oddity(line.number, f"the same words by {line.label} as in line {first}")
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
