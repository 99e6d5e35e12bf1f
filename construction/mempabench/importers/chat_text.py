"""Chats as text: WhatsApp exports in any order of day, month and year, and Signal's in the same shape.

Kept: names as the file has them, messages over several lines, times without a zone as the file has them, what
stands for media (``<Media omitted>``) as a direction, the line number. Left out and counted: system lines.
Brackets are part of what people write and stay in it. Dates that can be read in two ways are refused until it
is said which comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from mempabench.domain.transcripts import AS_IT_IS, Direction, Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, Transcript
from mempabench.importers.scene_gaps import by_silence
from mempabench.importers.text import clean, decoded_as_found, shown

_START = re.compile(
    r"^\[?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),? (?P<clock>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)"
    r"(?: ?(?P<half>[ap])\.? ?m\b\.?)?(?:\] ?| - )(?P<rest>.*)$",
    re.I,
)
_MESSAGE = re.compile(r"^(?P<label>[^:\"“”„«»]{1,80}?):(?P<text>.*)$", re.DOTALL)
_SYSTEM = re.compile(
    r"end-to-end encrypted|Ende-zu-Ende|chiffrés de bout en bout|cifrado de extremo a extremo"
)
_MEDIA = re.compile(r"^<(?P<what>[^<>]{1,200})>$")
_EDITED = re.compile(r"\s*<This message was edited>$")
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2), "ydm": (0, 2, 1)}
"""Where year, month and day stand."""


@dataclass(frozen=True)
class _Message:
    """A message or system line, not yet taken apart."""

    number: int
    last: int
    date: tuple[str, ...]
    clock: str
    half: str
    rest: str


def read_chat_text(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a chat.

    Args:
        content: The file.
        name: How the file is named in messages.
        reading: The order of day, month and year, where the dates don't tell; a silence that parts scenes.

    Raises:
        InputError: when there is no message in it, or its dates can be read in several ways or in none.
    """
    text, oddities = decoded_as_found(content, name)
    messages = list(_messages(text, oddities))
    if not messages:
        raise InputError(f"{name}: no message such as '31/12/2025, 18:05 - Name: words'; is this a chat?")
    order = _order(messages, reading, name)
    timed: list[tuple[RawLine, datetime | None]] = []
    system = 0
    for message in messages:
        moment = _time(message, order)
        line = _line(message, moment)
        if line is None:
            system += 1
        else:
            timed.append((line, moment))
    if not timed:
        raise InputError(f"{name}: {system} system lines and nobody who says anything")
    if system:
        oddities.append(Oddity(None, f"{system} system line{'s' * (system > 1)}; left out"))
    return Transcript(by_silence(timed, reading.scene_gap), headings=None, oddities=tuple(oddities))


def looks_like_a_chat(text: str) -> bool:
    """Return whether several lines of a text begin with date and time."""
    starts = (_START.match(clean(_MARKS.sub("", line))) for line in text.split("\n")[:200])
    return sum(found is not None for found in starts) > 1


def _messages(text: str, oddities: list[Oddity]) -> Iterator[_Message]:
    opened: tuple[int, re.Match[str]] | None = None
    more: list[str] = []
    last = 0
    for number, line in enumerate(text.split("\n"), start=1):
        words = clean(_MARKS.sub("", line))
        found = _START.match(words)
        if found:
            if opened:
                yield _message(*opened, last, more)
            opened, more, last = (number, found), [], number
        elif opened and words:
            more.append(words)
            last = number
        elif words:
            oddities.append(Oddity(number, f"'{shown(words)}' stands before the first message; left out"))
    if opened:
        yield _message(*opened, last, more)


def _message(number: int, found: re.Match[str], last: int, more: list[str]) -> _Message:
    return _Message(
        number,
        last,
        tuple(re.split(r"[./-]", found["date"])),
        found["clock"].replace(".", ":"),
        (found["half"] or "").lower(),
        " ".join([found["rest"], *more]),
    )


def _line(message: _Message, moment: datetime) -> RawLine | None:
    found = _MESSAGE.match(message.rest)
    if found is None or _SYSTEM.search(message.rest):
        return None
    text, edits = _EDITED.subn("", found["text"].strip())
    media = _MEDIA.match(text)
    directions = [Direction(at=0, text=media["what"])] if media else []
    words = "" if media else text
    directions += [Direction(at=len(words), text="edited")] * edits
    return RawLine(
        found["label"].strip(),
        words,
        tuple(directions),
        message.number,
        message.last,
        time=moment.isoformat(),
    )


def _order(messages: list[_Message], reading: Reading, name: str) -> str:
    """Return the order of day, month and year in which every date is one, as told or as only one fits."""
    if reading.date_order:
        for message in messages:
            if not _fits(message, reading.date_order):
                raise InputError(
                    f"{name}:{message.number}: {_shown(message)} is no date as {reading.date_order}; "
                    "say another --date-order"
                )
        return reading.date_order
    fits = _fitting(messages)
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise InputError(
            f"{name}: its dates can be read as {' or '.join(fits)} (first: {_shown(messages[0])}); "
            f"say which with --date-order {fits[0]}"
        )
    for count, message in enumerate(messages, start=1):
        if not _fitting(messages[:count]):
            raise InputError(
                f"{name}:{message.number}: {_shown(message)} is no date in the order of those before it; mend it"
            )
    raise AssertionError("some message must be the first that fits no order")


def _fitting(messages: list[_Message]) -> list[str]:
    """Return the likely orders in which every date is one: years of two digits stand last, if they can."""
    fits = [order for order in _ORDERS if all(_fits(message, order) for message in messages)]
    short = any(len(part) == 4 for message in messages for part in message.date) is False
    likely = [order for order in fits if order != "ydm" and not (short and order == "ymd")]
    return likely or fits


def _shown(message: _Message) -> str:
    return f"'{'/'.join(message.date)}'"


def _fits(message: _Message, order: str) -> bool:
    try:
        _time(message, order)
    except ValueError:
        return False
    return True


def _time(message: _Message, order: str) -> datetime:
    year, month, day = (message.date[place] for place in _ORDERS[order])
    if len(year) not in (2, 4) or len(month) > 2 or len(day) > 2:
        raise ValueError(f"no date as {order}")
    hour, minute, second = (int(part) for part in f"{message.clock}:0".split(":")[:3])
    if message.half:
        hour = hour % 12 + (12 if message.half == "p" else 0)
    century = 2000 if len(year) == 2 else 0
    return datetime(century + int(year), int(month), int(day), hour, minute, second)
