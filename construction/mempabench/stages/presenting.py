"""How scenes, evidence and the taxonomy are shown to whoever answers a request."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from mempabench.domain.evidence import Observation, Quote
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import TAXONOMY, AttributeSpec
from mempabench.domain.transcripts import Line, Scene, Source


def scene_text(scene: Scene, source: Source) -> str:
    """Return a scene with scene-local line numbers, so that only an edited scene's requests change."""
    names = {member.person: member.name for member in source.cast}
    heading = [f"[{scene.heading}]"] if scene.heading else []
    return "\n".join([*heading, *(_line_text(line, names) for line in scene.lines)])


def _line_text(line: Line, names: dict[str, str]) -> str:
    spoken = with_directions(line)
    if not line.speakers:
        return f"{line.number}. {spoken}"
    return f"{line.number}. {' and '.join(names[person] for person in line.speakers)}: {spoken}"


def with_directions(line: Line) -> str:
    """Return a line's words with its directions, in round brackets, in their places."""
    parts: list[str] = []
    start = 0
    for direction in line.directions:
        parts += [line.text[start : direction.at].strip(), f"({direction.text})"]
        start = direction.at
    parts.append(line.text[start:].strip())
    return " ".join(part for part in parts if part)


def taxonomy_text() -> str:
    """Return all attributes with their settings, for a request."""
    return "\n".join(attribute_text(spec) for spec in TAXONOMY)


def attribute_text(spec: AttributeSpec) -> str:
    """Return one attribute with its settings, for a request."""
    settings = "\n".join(f"    {setting.name}: {setting.definition}" for setting in spec.settings)
    return f"{spec.attribute}: {spec.question}\n{settings}"


def observation_text(observation: Observation) -> str:
    """Return an observation with its quotes, for a request; settings are left for the reader to judge."""
    quotes = " / ".join(f'"{quote.text}"' for quote in observation.quotes)
    return (
        f"{observation.id} [{observation.context}, {observation.mode}]\n"
        f"  what happened: {observation.act}\n"
        f"  words: {quotes}\n"
        f"  reading: {observation.reading} (speaks for: {observation.setting})"
    )


class QuotedWords(Record):
    """A quote as an answer gives it: the number of a line, and words of it."""

    line: int
    words: str


def bind(quote: QuotedWords, scene: Scene, character: str | None) -> Quote | str:
    """Return a quote bound to its place, or one line that says why it can't be.

    Args:
        quote: The quote of an answer: untrusted.
        scene: The scene that was shown.
        character: Who must have spoken the line; None when anybody may have.
    """
    line = scene.line(quote.line)
    words = unicodedata.normalize("NFC", quote.words)
    if line is None:
        return f"line {quote.line} is not in {scene.id}; it has lines 1 to {len(scene.lines)}"
    if not line.speakers:
        return f"line {quote.line} of {scene.id} is a direction; quote spoken words"
    if character is not None and character not in line.speakers:
        return f"line {quote.line} of {scene.id} is spoken by {', '.join(line.speakers)}, not by {character}"
    start = line.text.find(words)
    if not words.strip() or start < 0:
        return (
            f"'{words[:60]}' does not stand in line {quote.line} of {scene.id}; quote it exactly, one stretch"
        )
    return Quote(line=line.id, start=start, end=start + len(words), text=words)


def unbound(quotes: Iterable[QuotedWords], scene: Scene, character: str | None) -> Iterator[str]:
    """Yield why quotes can't be bound; nothing when all can."""
    for quote in quotes:
        found = bind(quote, scene, character)
        if isinstance(found, str):
            yield found


def bound(quotes: Iterable[QuotedWords], scene: Scene, character: str | None) -> tuple[Quote, ...]:
    """Return quotes bound to their places; those that can't be are left out, so check first."""
    found = (bind(quote, scene, character) for quote in quotes)
    return tuple(quote for quote in found if isinstance(quote, Quote))
