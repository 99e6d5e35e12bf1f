"""Fan transcripts as web pages: the text of the page, read as a fan transcript.

Kept: what a reader sees, a paragraph, list item or line break a line, with the line number in the file. Left
out: scripts, styles, navigation, footers, forms. A page that declares ISO-8859-1 is read as
Windows-1252, as browsers do; so are numeric references such as ``&#146;``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from mempabench.importers.fan_transcript import read_lines
from mempabench.importers.importer import Oddity, Transcript
from mempabench.importers.text import clean, decoded_as_found

_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*(?P<name>[A-Za-z0-9_.:-]{1,40})", re.I)
_WESTERN = frozenset(
    {"iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "windows-1252", "cp1252"}
)
_BREAKS = frozenset(
    {
        "p",
        "br",
        "div",
        "li",
        "tr",
        "td",
        "th",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "hr",
        "dd",
        "dt",
    }
    | {"section", "article", "main", "ul", "ol", "table", "pre", "center", "body"}
)
_UNREAD = frozenset(
    {"script", "style", "head", "nav", "footer", "form", "noscript", "aside", "button", "select", "title"}
    | {"template", "svg", "iframe"}
)
_PARAGRAPHS = re.compile(r"<(?:p|br|li|tr|div)\b", re.I)
_SHAPE = re.compile(r"<(?:!doctype html|html|body|p|div|br)\b", re.I)


def read_fan_page(content: bytes, name: str) -> Transcript:
    """Read one episode.

    Raises:
        InputError: when nobody says a word in it, or its encoding can't be told.
    """
    text, oddities = _decoded(content, name)
    page = _Page(wraps=bool(_PARAGRAPHS.search(text)))
    page.feed(text)
    page.close()
    page.end_line()
    return read_lines(page.lines, name, oddities)


def looks_like_a_page(text: str) -> bool:
    """Return whether a text is marked up as a web page."""
    return bool(_SHAPE.search(text[:5000]))


def _decoded(content: bytes, name: str) -> tuple[str, list[Oddity]]:
    """Return the page's text: UTF-8 where it is, else as it declares, else as its bytes tell."""
    declared = _DECLARED.search(content[:5000])
    charset = declared["name"].decode("ascii") if declared else ""
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"))
    if charset.casefold() in _WESTERN and not marked and not _is_utf8(content):
        text = content.decode("cp1252", "replace").replace("\r\n", "\n").replace("\r", "\n")
        return text, [Oddity(None, f"declares {charset}; read as Windows-1252")]
    return decoded_as_found(content, name)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@dataclass
class _Page(HTMLParser):
    """Gathers the lines that a reader sees."""

    wraps: bool
    """Whether a line end is no more than a space, as where paragraphs are marked."""
    lines: list[tuple[int, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    number: int = 1
    pre: int = 0
    unread: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, or a part that isn't read."""
        if tag == "body":
            self.unread.clear()
        if tag in _UNREAD:
            self.unread.append(tag)
        self.pre += tag == "pre"
        if tag in _BREAKS:
            self.end_line()

    def handle_endtag(self, tag: str) -> None:
        """End a line, or a part that isn't read; an end without a beginning means nothing."""
        if tag in self.unread:
            del self.unread[self.unread.index(tag) :]
        self.pre = max(0, self.pre - (tag == "pre"))
        if tag in _BREAKS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        """Take in text; a blank line ends a line too, and any line end where paragraphs aren't marked."""
        if self.unread:
            return
        above = self.getpos()[0]
        for piece in re.split(r"(\n[ \t]*\n)" if self.wraps and not self.pre else r"(\n)", data):
            if piece.strip():
                if not self.words:
                    self.number = above + piece[: len(piece) - len(piece.lstrip())].count("\n")
                self.words.append(piece)
            elif "\n" in piece:
                self.end_line()
            else:
                self.words.append(piece)
            above += piece.count("\n")

    def end_line(self) -> None:
        """End the line that is being read."""
        text = clean("".join(self.words))
        self.words = []
        if text:
            self.lines.append((self.number, text))
