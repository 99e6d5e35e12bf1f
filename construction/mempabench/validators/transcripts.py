"""E1xx: scenes and lines: ids, numbers, speakers, files."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from mempabench.domain.transcripts import Line
from mempabench.validators.check import Check
from mempabench.validators.data import Data
from mempabench.validators.places import in_steps, listed, repeated

_NUMBER = re.compile(r"sc(\d{2,})")
_EPISODE = re.compile(r"s\d{2,}e\d{2,}")


def misnamed_scenes(data: Data) -> Iterator[str]:
    """Yield scenes whose id isn't ``<source>/<episode>/scNN``."""
    for scene in data.scenes:
        *place, last = scene.id.split("/")
        episode = _EPISODE.fullmatch(scene.episode)
        if place != [scene.source, scene.episode] or not episode or not _NUMBER.fullmatch(last):
            yield scene.id


def gaps_between_scenes(data: Data) -> Iterator[str]:
    """Yield episodes whose scenes don't count up from 1."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for scene_id in dict.fromkeys(scene.id for scene in data.scenes):
        episode, _, last = scene_id.rpartition("/")
        if found := _NUMBER.fullmatch(last):
            numbers[episode].append(int(found[1]))
    for episode, given in numbers.items():
        if not in_steps(given):
            yield f"{episode} (scenes {listed(given)})"


def repeated_scenes(data: Data) -> Iterator[str]:
    """Yield the id of each scene given more than once."""
    return repeated(scene.id for scene in data.scenes)


def misnamed_lines(data: Data) -> Iterator[str]:
    """Yield lines whose id isn't that of their scene and number."""
    for scene in data.scenes:
        for line in scene.lines:
            if line.id != f"{scene.id}/l{line.number:03d}":
                yield f"{line.id} (line {line.number} of {scene.id})"


def gaps_between_lines(data: Data) -> Iterator[str]:
    """Yield scenes whose lines don't count up from 1."""
    for scene in data.scenes:
        given = [line.number for line in scene.lines]
        if not in_steps(given):
            yield f"{scene.id} (lines {listed(given)})"


def unknown_sources(data: Data) -> Iterator[str]:
    """Yield scenes of a source that the manifest doesn't have."""
    for scene in data.scenes:
        if scene.source not in data.source_by_id:
            yield f"{scene.id} (sources are {listed(data.source_by_id)})"


def unknown_files(data: Data) -> Iterator[str]:
    """Yield scenes read from a file that their source doesn't list."""
    for scene in data.scenes:
        source = data.source_by_id.get(scene.source)
        if source and scene.file not in [file.path for file in source.files]:
            yield f"{scene.id} ({scene.file})"


def barren_files(data: Data) -> Iterator[str]:
    """Yield listed files that gave no scene."""
    read = {scene.file for scene in data.scenes}
    for source in data.sources:
        for file in source.files:
            if file.path not in read:
                yield f"transcripts_raw/{file.path}"


def shared_episodes(data: Data) -> Iterator[str]:
    """Yield episodes whose scenes come from several files."""
    files: dict[str, set[str]] = defaultdict(set)
    for scene in data.scenes:
        files[f"{scene.source}/{scene.episode}"].add(scene.file)
    for episode, found in files.items():
        if len(found) > 1:
            yield f"{episode} ({listed(sorted(found))})"


def strangers(data: Data) -> Iterator[str]:
    """Yield lines spoken by somebody whom the cast doesn't have."""
    for scene in data.scenes:
        source = data.source_by_id.get(scene.source)
        known = {member.person for member in source.cast} if source else set(scene.speakers())
        for line in scene.lines:
            if missing := [person for person in line.speakers if person not in known]:
                yield f"{line.id} ({listed(missing)})"


def unlabelled_speech(data: Data) -> Iterator[str]:
    """Yield lines with a speaker but no label, or the reverse, and words that nobody speaks."""
    for line in _lines(data):
        if (line.label is None) != (not line.speakers) or (line.text and not line.speakers):
            yield line.id


def empty_lines(data: Data) -> Iterator[str]:
    """Yield lines that hold neither words nor a direction."""
    return (line.id for line in _lines(data) if not line.text and not line.directions)


def untidy_text(data: Data) -> Iterator[str]:
    """Yield lines whose text isn't NFC with single spaces."""
    for line in _lines(data):
        for text in (line.text, *(direction.text for direction in line.directions)):
            if text != " ".join(unicodedata.normalize("NFC", text).split()):
                yield f"{line.id} ({text[:40]!r})"


def misplaced_directions(data: Data) -> Iterator[str]:
    """Yield lines with a direction beyond their text, or directions out of order."""
    for line in _lines(data):
        offsets = [direction.at for direction in line.directions]
        if offsets != sorted(offsets) or any(offset > len(line.text) for offset in offsets):
            yield f"{line.id} (at {listed(offsets)} of {len(line.text)})"


def disordered_lines(data: Data) -> Iterator[str]:
    """Yield scenes whose lines don't stand in the order of their file."""
    for scene in data.scenes:
        given = [line.source_line for line in scene.lines]
        if given != sorted(set(given)):
            yield scene.id


def _lines(data: Data) -> Iterator[Line]:
    for scene in data.scenes:
        yield from scene.lines


CHECKS = (
    Check("E101", "a scene's id is not made of its source, its episode and a number", misnamed_scenes),
    Check("E102", "the scenes of an episode don't count up from 1 without holes", gaps_between_scenes),
    Check("E103", "a scene is given twice", repeated_scenes),
    Check("E104", "a line's id is not that of its scene and number", misnamed_lines),
    Check("E105", "the lines of a scene don't count up from 1 without holes", gaps_between_lines),
    Check("E106", "a scene is of a source that sources.toml doesn't have", unknown_sources),
    Check("E107", "a scene is of a file that its source doesn't list", unknown_files),
    Check("E108", "a listed file gave no scene", barren_files),
    Check("E109", "an episode is spread over several files", shared_episodes),
    Check("E110", "a speaker is not in the cast", strangers),
    Check("E111", "words without a speaker, or a speaker without a label", unlabelled_speech),
    Check("E112", "a line holds neither words nor a direction", empty_lines),
    Check("E113", "a text is not NFC with single spaces", untidy_text),
    Check("E114", "a direction stands outside its line's text or out of order", misplaced_directions),
    Check("E115", "lines don't stand in the order of their file", disordered_lines),
)
"""Checks of transcripts."""
