"""Fan-style transcripts: an episode as text, ``Scene:`` headings and ``Name (how): words`` cues.

Kept: headings, cues, directions in round or square brackets in their places, line numbers. Left out: the
series title and credits before the first scene. What is neither heading, cue nor direction is refused with
its line number, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import RawLine, RawScene, Transcript
from mempabench.importers.text import decoded, episode_of, numbered, shown, split_directions

_HEADING = re.compile(r"^scene:\s*(?P<heading>.*)$", re.I)
_CUE = re.compile(
    r"^(?P<label>[^\s:()\[\]][^:()\[\]]{0,60}?)\s*"
    r"(?:[(\[](?P<how>[^()\[\]]{0,300})[)\]]\s*)?:\s*(?P<text>.*)$"
)
_ALONE = re.compile(r"^[(\[](?P<text>[^()\[\]]*)[)\]]$")
_CREDIT = re.compile(r"^(written|story|teleplay|directed|transcribed) by\b", re.I)


def read_fan_transcript(content: bytes, name: str) -> Transcript:
    """Read one episode.

    Args:
        content: The file, UTF-8 with or without a byte order mark.
        name: How the file is named in messages.

    Raises:
        InputError: naming file and line.
    """
    lines = list(numbered(decoded(content, name)))
    episode, title = _episode(lines, name)
    headings: list[str] = []
    turns: list[list[RawLine]] = []
    for number, text in lines:
        found = _HEADING.match(text)
        if found:
            headings.append(found["heading"].strip())
            turns.append([])
        elif turns:
            turns[-1].append(_turn(text, number, name))
        else:
            _refuse_speech(text, number, name)
    if not headings:
        raise InputError(f"{name}: no 'Scene:' heading; a fan transcript needs one before the first line")
    scenes = tuple(
        RawScene(episode, title, heading, tuple(own)) for heading, own in zip(headings, turns, strict=True)
    )
    return Transcript(scenes, headings=len(scenes))


def _episode(lines: Iterable[tuple[int, str]], name: str) -> tuple[str, str]:
    for _, text in lines:
        found = episode_of(text)
        if found:
            return found
        if _HEADING.match(text):
            break
    raise InputError(f"{name}: no line 'Season 1, Episode 2: Title' before the first scene; add one")


def _refuse_speech(text: str, number: int, name: str) -> None:
    """Refuse a cue before the first heading; titles, credits and directions may stand there."""
    if _CUE.match(text) and not (_CREDIT.match(text) or episode_of(text)):
        raise InputError(f"{name}:{number}: speech before the first 'Scene:' heading; put one above it")


def _turn(text: str, number: int, name: str) -> RawLine:
    alone = _ALONE.match(text)
    if alone:
        return RawLine(None, "", (Direction(at=0, text=alone["text"].strip()),), number)
    cue = _CUE.match(text)
    if cue is None or _CREDIT.match(text):
        raise InputError(
            f"{name}:{number}: neither scene heading, 'Name: words' nor (direction): '{shown(text)}'; mend it"
        )
    speech, directions = split_directions(cue["text"])
    if any(bracket in speech for bracket in "()[]"):
        raise InputError(
            f"{name}:{number}: a bracket that isn't closed, or stands within another: '{shown(text)}'; mend it"
        )
    if cue["how"]:
        directions = (Direction(at=0, text=cue["how"].strip()), *directions)
    return RawLine(cue["label"].strip(), speech, directions, number)
