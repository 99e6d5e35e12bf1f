"""Fan-style transcripts: an episode as text, ``Scene:`` headings and ``Name (how): words`` cues.

Kept: headings, cues, directions in round or square brackets in their places, narration as directions that
stand alone, line numbers. Left out, and told: titles and credits, footers of the page. Mended, and told: cues
that lost their colon (only of people who have cues elsewhere), headings and cues that got into the paragraph
before. A file without headings is one scene.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import decoded_as_found, episode_of, numbered, shown, split_directions

_HEADING = re.compile(r"^scene:\s*(?P<heading>.*)$", re.I)
_CUE = re.compile(
    r"^(?P<label>[^\s:()\[\]][^:()\[\]]{0,60}?)\s*"
    r"(?:[(\[](?P<how>[^()\[\]]{0,300})[)\]]\s*)?:(?!//)\s*(?P<text>.*)$"
)
_ALONE = re.compile(r"^[(\[](?P<text>[^()\[\]]*)[)\]]$")
_CREDIT = re.compile(
    r"^(?:(?:written|directed|transcribed|created|produced|edited) by|story(?: by)?\s*:|teleplay(?: by)?\s*:"
    r"|screenplay(?: by)?\s*:|transcript(?: by)?\s*:|credits sequence|opening credits|closing credits|end credits)",
    re.I,
)
_FOOTER = re.compile(
    r"^(?:share this|like this|posted (?:by|in|on)|related|tags|filed under|categories|leave a (?:reply|comment)"
    r"|rate this|previous post|next post|copyright|navigation menu|retrieved from)\b\s*(?::.*|©.*)?$",
    re.I,
)
_ENDED = r"(?<=[.!?…)\]\"”'’-])\s+"
"""After the end of a sentence, where another cue may have slipped in."""
_MIN_CUES = 2
"""Cues with a colon that make a label known, so that its other cues may be mended."""


def read_fan_transcript(content: bytes, name: str) -> Transcript:
    """Read one episode.

    Args:
        content: The file, in UTF-8, UTF-16 or what its bytes tell.
        name: How the file is named in messages.

    Raises:
        InputError: when nobody says a word in it, or its encoding can't be told.
    """
    text, oddities = decoded_as_found(content, name)
    return read_lines(list(numbered(text)), name, oddities)


def read_lines(lines: list[tuple[int, str]], name: str, oddities: Iterable[Oddity] = ()) -> Transcript:
    """Read an episode from numbered lines, each a paragraph.

    Raises:
        InputError: when nobody says a word in them.
    """
    reader = _Reader(_known(lines), oddities=list(oddities))
    for number, text in lines:
        if _FOOTER.match(text) and reader.spoken:
            reader.note(number, f"'{shown(text)}' and what follows is the page's footer; left out")
            break
        for part in reader.parts(text, number):
            reader.take(part, number)
    if not reader.spoken:
        raise InputError(f"{name}: no 'Name: words' in it; is this a transcript?")
    return reader.transcript()


def looks_like_a_transcript(text: str) -> bool:
    """Return whether a good part of a text's lines are cues, and somebody speaks more than once."""
    lines = [line for _, line in numbered(text)]
    cues = Counter(found["label"] for line in lines if (found := _CUE.match(line)))
    return bool(lines) and cues.total() > len(lines) / 3 and any(count > 1 for count in cues.values())


def _known(lines: Iterable[tuple[int, str]]) -> list[str]:
    """Return the labels that have cues enough to be trusted, the longest first."""
    cues = Counter(
        found["label"] for _, text in lines if (found := _CUE.match(text)) and not _HEADING.match(text)
    )
    known = [label for label, count in cues.items() if count >= _MIN_CUES]
    return sorted(known, key=lambda label: (-len(label), label))


@dataclass
class _Reader:
    """Builds scenes paragraph by paragraph."""

    known: list[str]
    oddities: list[Oddity]
    episode: str = ""
    title: str = ""
    headings: list[str] = field(default_factory=list)
    turns: list[list[RawLine]] = field(default_factory=lambda: [[]])
    spoken: int = 0

    def __post_init__(self) -> None:
        any_known = "|".join(map(re.escape, self.known)) or r"(?!)"
        self._slipped = re.compile(
            rf"{_ENDED}(?=(?i:scene): \S|(?:{any_known})(?:\s*[(\[][^()\[\]]{{0,300}}[)\]])?: )"
        )
        self._lost = re.compile(
            rf"^(?P<label>{any_known})(?:;\s+|\s*[(\[](?P<how>[^()\[\]]{{0,300}})[)\]]\s+(?=[A-Z“\"])"
            r"|(?=[A-Z“\"]))(?P<text>.*)$"
        )

    def note(self, number: int, what: str) -> None:
        """Tell something odd."""
        self.oddities.append(Oddity(number, what))

    def parts(self, text: str, number: int) -> Iterator[str]:
        """Yield a paragraph, or each of several that stand in one."""
        found = self._slipped.split(text) if _CUE.match(text) or _ALONE.match(text) else [text]
        for part in found[1:]:
            self.note(number, f"'{shown(part)}' stands within the paragraph before it; taken apart")
        yield from found

    def take(self, text: str, number: int) -> None:
        """Take in one paragraph."""
        heading = _HEADING.match(text)
        cue = _CUE.match(text)
        alone = _ALONE.match(text)
        if heading:
            self.headings.append(heading["heading"].strip())
            self.turns.append([])
        elif found := self._episode_of(text):
            self.episode, self.title = found
        elif _CREDIT.match(text):
            self.note(number, f"'{shown(text)}' is a credit; left out")
        elif alone:
            self._direct(alone["text"], number)
        elif cue:
            self._say(cue["label"], cue["how"], cue["text"], number)
        elif lost := self._lost.match(text):
            self.note(number, f"'{shown(text)}' lacks its colon; read as said by {lost['label']}")
            self._say(lost["label"], lost["how"], lost["text"], number)
        else:
            self._narration(text, number)

    def _episode_of(self, text: str) -> tuple[str, str] | None:
        return None if self.spoken or self.headings else episode_of(text)

    def _narration(self, text: str, number: int) -> None:
        """Take in a paragraph that nothing marks: a title before the first scene, else narration."""
        if self.spoken or self.headings:
            self.note(number, f"'{shown(text)}' is neither heading nor cue; kept as a direction")
            self._direct(text, number)
        elif self.episode or number > 1:
            self.note(number, f"'{shown(text)}' stands before the first scene; left out")

    def _direct(self, text: str, number: int) -> None:
        self.turns[-1].append(RawLine(None, "", (Direction(at=0, text=text.strip()),), number))

    def _say(self, label: str, how: str | None, text: str, number: int) -> None:
        speech, directions = split_directions(text)
        if any(bracket in speech for bracket in "()[]"):
            self.note(
                number, f"a bracket that isn't closed, or stands within another, in '{shown(text)}'; kept"
            )
        if how:
            directions = (Direction(at=0, text=how.strip()), *directions)
        self.turns[-1].append(RawLine(label.strip(), speech, directions, number))
        self.spoken += 1

    def transcript(self) -> Transcript:
        """Return what was read; lines before the first heading are a scene without one."""
        if not self.headings:
            self.oddities.append(Oddity(None, "no 'Scene:' headings; the episode is one scene"))
        elif any(line.label is not None for line in self.turns[0]):
            self.oddities.append(
                Oddity(None, "speech before the first 'Scene:' heading; a scene without one")
            )
        scenes = tuple(
            RawScene(self.episode, self.title, heading, tuple(lines))
            for heading, lines in zip(["", *self.headings], self.turns, strict=True)
            if heading or any(line.label is not None for line in lines)
        )
        return Transcript(scenes, headings=len(self.headings), oddities=tuple(self.oddities))
