"""Fan transcripts as web pages: the text of the page, read as a fan transcript.

Kept: what a reader sees, a paragraph, list item or line break a line, with the line number in the file. Left
out: scripts, styles, navigation, footers, forms. A page that declares ISO-8859-1 is read as
Windows-1252, as browsers do; so are numeric references such as ``&#146;``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mempabench.importers.fan_transcript import read_lines
from mempabench.importers.importer import Oddity, Transcript
from mempabench.importers.text import clean, decoded_as_found

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
_C1 = {code: bytes([code]).decode("cp1252", "ignore") or None for code in range(0x80, 0xA0)}
"""What browsers make of numeric references to control characters: those of Windows-1252."""
_PARAGRAPHS = re.compile(r"<(?:p|br|li|tr|div)\b", re.I)
_SHAPE = re.compile(r"<(?:!doctype html|html|body|p|div|br)\b", re.I)


def read_fan_page(content: bytes, name: str) -> Transcript:
    """Read one episode.

    Raises:
        InputError: when nobody says a word in it, or its encoding can't be told.
    """
    text, oddities = _decoded(content, name)
    page = _Page(wraps=bool(_PARAGRAPHS.search(text)))
    page.walk(_tree(text))
    return read_lines(page.lines, name, oddities)


def _tree(text: str) -> HtmlElement | None:
    """Return the page as browsers would mend it; None when there is nothing in it."""
    from lxml import etree, html

    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(
            text.replace("\x00", "\ufffd").encode("utf-8", "replace"), parser=parser
        )
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


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
class _Page:
    """Gathers the lines that a reader sees."""

    wraps: bool
    """Whether a line end is no more than a space, as where paragraphs are marked."""
    lines: list[tuple[int, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    number: int = 1
    """Line of the first word of the line that is being read."""
    here: int = 1
    """Line in the file up to which the page was read."""
    pre: int = 0
    unread: int = 0

    def walk(self, root: HtmlElement | None) -> None:
        """Read a page from top to bottom."""
        from lxml import etree

        for event, element in etree.iterwalk(root, events=("start", "end")) if root is not None else ():
            tag = element.tag if isinstance(element.tag, str) else ""
            step = 1 if event == "start" else -1
            self.pre += step * (tag == "pre")
            self.unread += step * (tag in _UNREAD)
            if tag in _BREAKS:
                self._end_line()
            if event == "start":
                self.here = max(self.here, element.sourceline or 1)
            self._text((element.text if event == "start" else element.tail) or "")
        self._end_line()

    def _text(self, text: str) -> None:
        """Take in text; a line end ends a line only where paragraphs aren't marked."""
        text = text.translate(_C1)
        if self.unread:
            self.here += text.count("\n")
            return
        for piece in [text] if self.wraps and not self.pre else re.split(r"(\n)", text):
            if piece.strip():
                if not self.words:
                    self.number = self.here + piece[: len(piece) - len(piece.lstrip())].count("\n")
                self.words.append(piece)
            elif "\n" in piece and (self.pre or not self.wraps):
                self._end_line()
            elif self.words:
                self.words.append(piece)
            self.here += piece.count("\n")

    def _end_line(self) -> None:
        text = clean("".join(self.words))
        self.words = []
        if text:
            self.lines.append((self.number, text))
