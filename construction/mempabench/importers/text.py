"""Bytes to clean numbered lines, and directions out of speech: what text formats share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from charset_normalizer import from_bytes

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity

_INLINE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_EPISODE = re.compile(
    r"^season (?P<season>\d{1,3}),? episode (?P<episode>\d{1,3})(?:\s*[:.-]\s*(?P<title>.*))?$", re.I
)
_SHORT = re.compile(r"^s(?P<season>\d{1,3})\s?e(?P<episode>\d{1,3})(?:\s*[:.-]\s*(?P<title>.*))?$", re.I)

_ENCODINGS = [
    *("cp1252", "cp1251", "cp1253", "cp1255", "cp1256"),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "utf_16_le", "utf_16_be"),
]
"""What files come in; of the Western ones only the one that holds the others."""


_FEW = 0.08
"""Share of its letters that a Western text has outside of ASCII, at most."""


def decoded(content: bytes, name: str) -> str:
    """Return a file's text, UTF-8 or UTF-16 with a byte order mark, else UTF-8; line ends become ``\\n``.

    Raises:
        InputError: naming the line of the first byte that is no UTF-8.
    """
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}:{number}: byte {error.start} is not {encoding.upper().removesuffix('-SIG')}; "
            "save the file as UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decoded_as_found(content: bytes, name: str) -> tuple[str, list[Oddity]]:
    """Return a file's text in whatever encoding its bytes tell, and a word about it where that isn't UTF-8.

    Raises:
        InputError: when the encoding can't be told.
    """
    try:
        return decoded(content, name), []
    except InputError:
        encoding = encoding_of(content)
        if encoding is None:
            raise
        text = content.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
        return text, [Oddity(None, f"not UTF-8; read as {encoding.replace('cp125', 'Windows-125')}")]


def encoding_of(content: bytes) -> str | None:
    """Return the encoding of a file as its bytes tell, or None."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if _is_western(content):
            return "cp1252"
        best = from_bytes(content, cp_isolation=_ENCODINGS).best()
        return best.encoding if best else None
    return "utf-8"


def _is_western(content: bytes) -> bool:
    """Return whether a text is ASCII but for a letter or quotation mark here and there, as Western ones are."""
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    letters = sum(map(str.isalpha, text))
    return sum(not char.isascii() for char in text) < _FEW * letters


def clean(text: str) -> str:
    """Return a text in NFC with one space for each run of white space.

    >>> clean("  a\\u00a0 cafe\\u0301 ")
    'a café'
    """
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold something, cleaned, with their numbers from 1."""
    for number, line in enumerate(text.split("\n"), start=1):
        found = clean(line)
        if found:
            yield number, found


def episode_of(text: str) -> tuple[str, str] | None:
    """Return episode and title of a line that names one, or None.

    >>> episode_of("Season 1, Episode 2: The Ferry"), episode_of("s01e02")
    (('s01e02', 'The Ferry'), ('s01e02', ''))
    """
    found = _EPISODE.match(text) or _SHORT.match(text)
    if found is None:
        return None
    episode = f"s{int(found['season']):02d}e{int(found['episode']):02d}"
    return episode, (found["title"] or "").strip()


def split_directions(text: str) -> tuple[str, tuple[Direction, ...]]:
    """Return speech without its bracketed directions, and these with their offsets in it.

    >>> split_directions("Go (waves) on.")[0]
    'Go on.'
    """
    if "(" not in text and "[" not in text:
        return text.strip(), ()
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


def shown(text: str) -> str:
    """Return a text as messages show it: at most 50 characters."""
    return text if len(text) <= 50 else text[:47] + "..."
