"""Fan-style transcripts: an episode as text, ``Scene:`` headings and ``Name (how): words`` cues.

Kept: headings, cues, directions in round or square brackets in their places, line numbers. Left out: the
series title and credits before the first scene. What is neither heading, cue nor direction is refused with
its line number, never guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import RawLine, RawScene

_EPISODE = re.compile(
    r"^season (?P<season>\d{1,3}),? episode (?P<episode>\d{1,3})(?:\s*[:.-]\s*(?P<title>.*))?$", re.I
)
_HEADING = re.compile(r"^scene:\s*(?P<heading>.*)$", re.I)
_CUE = re.compile(
    r"^(?P<label>[^\s:()\[\]][^:()\[\]]{0,60}?)\s*"
    r"(?:[(\[](?P<how>[^()\[\]]{0,300})[)\]]\s*)?:\s*(?P<text>.*)$"
)
_ALONE = re.compile(r"^[(\[](?P<text>[^()\[\]]*)[)\]]$")
_INLINE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_CREDIT = re.compile(r"^(written|story|teleplay|directed|transcribed) by\b", re.I)


def read_fan_transcript(content: bytes, name: str) -> Iterator[RawScene]:
    """Yield the scenes of one episode.

    Args:
        content: The file, UTF-8 with or without a byte order mark.
        name: How the file is named in messages.

    Raises:
        InputError: naming file and line.
    """
    lines = list(_clean_lines(content, name))
    episode, title = _episode(lines, name)
    heading: str | None = None
    turns: list[RawLine] = []
    for number, text in lines:
        found = _HEADING.match(text)
        if found:
            if heading is not None:
                yield RawScene(episode, title, heading, tuple(turns))
            heading, turns = found["heading"].strip(), []
        elif heading is not None:
            turns.append(_turn(text, number, name))
        else:
            _refuse_speech(text, number, name)
    if heading is None:
        raise InputError(f"{name}: no 'Scene:' heading; a fan transcript needs one before the first line")
    yield RawScene(episode, title, heading, tuple(turns))


def _clean_lines(content: bytes, name: str) -> Iterator[tuple[int, str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}:{number}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        clean = " ".join(unicodedata.normalize("NFC", line).split())
        if clean:
            yield number, clean


def _episode(lines: Iterable[tuple[int, str]], name: str) -> tuple[str, str]:
    for _, text in lines:
        found = _EPISODE.match(text)
        if found:
            episode = f"s{int(found['season']):02d}e{int(found['episode']):02d}"
            return episode, (found["title"] or "").strip()
        if _HEADING.match(text):
            break
    raise InputError(f"{name}: no line 'Season 1, Episode 2: Title' before the first scene; add one")


def _refuse_speech(text: str, number: int, name: str) -> None:
    """Refuse a cue before the first heading; titles, credits and directions may stand there."""
    if _CUE.match(text) and not (_CREDIT.match(text) or _EPISODE.match(text)):
        raise InputError(f"{name}:{number}: speech before the first 'Scene:' heading; put one above it")


def _turn(text: str, number: int, name: str) -> RawLine:
    alone = _ALONE.match(text)
    if alone:
        return RawLine(None, "", (Direction(at=0, text=alone["text"].strip()),), number)
    cue = _CUE.match(text)
    if cue is None or _CREDIT.match(text):
        raise InputError(
            f"{name}:{number}: neither scene heading, 'Name: words' nor (direction): '{_shown(text)}'; mend it"
        )
    speech, directions = _split_directions(cue["text"])
    if any(bracket in speech for bracket in "()[]"):
        raise InputError(
            f"{name}:{number}: a bracket that isn't closed, or stands within another: '{_shown(text)}'; mend it"
        )
    if cue["how"]:
        directions = (Direction(at=0, text=cue["how"].strip()), *directions)
    return RawLine(cue["label"].strip(), speech, directions, number)


def _shown(text: str) -> str:
    return text if len(text) <= 50 else text[:47] + "..."


def _split_directions(text: str) -> tuple[str, tuple[Direction, ...]]:
    """Return speech without its directions, and these with their offsets in it."""
    speech = ""
    directions: list[Direction] = []
    end = 0
    for found in _INLINE.finditer(text):
        speech = _joined(speech, text[end : found.start()])
        directions.append(Direction(at=len(speech), text=(found[1] or found[2] or "").strip()))
        end = found.end()
    return _joined(speech, text[end:]), tuple(directions)


def _joined(speech: str, more: str) -> str:
    more = more.strip()
    if not speech or not more:
        return speech + more
    return speech + more if more[0] in ",.;:!?" else f"{speech} {more}"
