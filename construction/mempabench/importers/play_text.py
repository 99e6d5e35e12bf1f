"""Plays as plain text: ``Name.  speech`` over hard-wrapped lines, directions in ``[ ]``.

Kept: acts and scenes by their headings, speeches joined over line ends, directions in their places, line numbers. A
paragraph that opens with a direction and goes on with speech continues the speech before it. What stands before the
first act (cast list, credits) and after the end is left out. Names count as names when the cast uses them for several
speeches, so that a sentence that begins with one word and a stop is no cue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import clean, decoded_as_found, shown

_ACT = re.compile(
    r"^(?:(?:the )?(?:first|second|third|fourth|fifth|last) act|act (?:[ivx]+|\d+|one|two|three|four|five))\b",
    re.I,
)
_END = re.compile(r"^(?:act drop|curtain|tableau|the end|finis|\*\*\* end of)\b", re.I)
_NAME = r"[A-Z][\w’'.-]*(?: (?:and |& )?[A-Z][\w’'-]*){0,4}"
_CUE = re.compile(rf"^(?P<label>{_NAME})\.\s{{1,3}}(?P<text>\S.*)$", re.DOTALL)
_JOINT_CUE = re.compile(rf"^(?P<label>{_NAME} and {_NAME})\s+(?P<text>\[[^\[\]]*\]\s*\S.*)$", re.DOTALL)
_DIRECTION = re.compile(r"\[([^\[\]]*)\]")
_SCENE = re.compile(r"^SCENE\W*$", re.I)
_FEWEST = 3
Span = tuple[int, int]
"""Numbers of a paragraph's first and last line."""


def read_play_text(content: bytes, name: str) -> Transcript:
    """Read a play.

    Raises:
        InputError: when it has no act heading, or nobody speaks after one.
    """
    decoded, oddities = decoded_as_found(content, name)
    paragraphs = list(_paragraphs(decoded))
    names = _names(text for _, text in paragraphs)
    scenes: list[tuple[str, list[RawLine]]] = []
    for span, text in paragraphs:
        if (found := _ACT.match(text)) and (not text.endswith(".") or text == f"{found[0]}."):
            scenes.append((text, []))
        elif scenes and not _END.match(text) and not _take(scenes[-1][1], text, span, names):
            if not any(line.label for line in scenes[-1][1]):
                _set(scenes[-1][1], text, span)
            else:
                oddities.append(Oddity(span[0], f"'{shown(text)}' is neither speech nor direction; left out"))
    if not any(line.label for _, lines in scenes for line in lines):
        raise InputError(f"{name}: no act with speeches such as 'Name.  words'; nothing was read")
    return Transcript(
        tuple(RawScene("", "", heading, tuple(lines)) for heading, lines in scenes),
        headings=len(scenes),
        oddities=tuple(oddities),
    )


def looks_like_a_play(text: str) -> bool:
    """Return whether a text has an act heading and names that speak several times."""
    lines = text.split("\n")
    return any(_ACT.match(line.strip()) for line in lines) and bool(
        _names(one for _, one in _paragraphs(text))
    )


def _paragraphs(text: str) -> Iterator[tuple[Span, str]]:
    """Yield paragraphs, joined over line ends, with the numbers of their first and last line."""
    first, parts = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            first = first if parts else number
            parts.append(line.strip())
        elif parts:
            yield (first, number - 1), " ".join(parts)
            parts = []


def _names(paragraphs: Iterator[str]) -> frozenset[str]:
    counts = Counter(found["label"] for text in paragraphs if (found := _CUE.match(text)))
    return frozenset(label for label, count in counts.items() if count >= _FEWEST)


def _take(lines: list[RawLine], text: str, span: Span, names: frozenset[str]) -> bool:
    """Take in a paragraph, and return whether it was understood."""
    found = _CUE.match(text)
    if found is None or not _known(found["label"], names):
        joint = _JOINT_CUE.match(text)
        found = joint if joint and _known(joint["label"], names) else None
    if found:
        speech, directions = _split(found["text"])
        lines.append(RawLine(found["label"], speech, directions, *span))
        return True
    speech, directions = _split(text)
    if not speech and directions:
        lines.append(RawLine(None, "", directions, *span))
    elif lines and text.startswith("[") and (last := _last_spoken(lines)) is not None:
        lines[last] = _continued(lines[last], speech, directions, span[1])
    else:
        return False
    return True


def _set(lines: list[RawLine], text: str, span: Span) -> None:
    """Take in what an act says of its place before anybody speaks."""
    if not _SCENE.match(text):
        lines.append(RawLine(None, "", (Direction(at=0, text=clean(text)),), *span))


def _known(label: str, names: frozenset[str]) -> bool:
    return label in names or all(part.strip() in names for part in re.split(r" and | & ", label))


def _last_spoken(lines: list[RawLine]) -> int | None:
    return next((index for index in range(len(lines) - 1, -1, -1) if lines[index].label), None)


def _continued(line: RawLine, speech: str, directions: tuple[Direction, ...], last: int) -> RawLine:
    end = len(line.text)
    start = end + 1 if line.text else 0
    moved = tuple(Direction(at=start + one.at if one.at else end, text=one.text) for one in directions)
    return RawLine(line.label, f"{line.text} {speech}".strip(), (*line.directions, *moved), line.number, last)


def _split(text: str) -> tuple[str, tuple[Direction, ...]]:
    speech, directions, end = "", list[Direction](), 0
    for found in _DIRECTION.finditer(text):
        speech = f"{speech} {clean(text[end : found.start()])}".strip()
        directions.append(Direction(at=len(speech), text=clean(found[1]).strip("_. ")))
        end = found.end()
    return f"{speech} {clean(text[end:])}".strip(), tuple(directions)
