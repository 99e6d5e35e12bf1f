"""Fan-style transcripts: an episode as text, ``Scene:`` headings and ``Name (how): words`` cues.

Kept: headings, cues, directions in round or square brackets in their places, narration as directions that
stand alone, line numbers. Left out, and told: titles and credits, footers of the page. Mended, and told: cues
that lost their colon (only of people who have cues elsewhere), headings and cues that got into the paragraph
before. A file without headings is one scene.

It is the project's own text form too (:func:`as_text`), in which every transcript can be written and read again.
For that a backslash takes the meaning from a bracket or a colon, and at the start of a line says that it is a
cue whatever it looks like; ``?`` stands for a speaker that isn't named, and each episode begins with its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.text import decoded_as_found, episode_of, numbered, shown, split_directions

_HEADING = re.compile(r"^(?:scene:\s*(?P<bare>.*)|[(\[]\s*scene:\s*(?P<set>.*?)\s*[)\]]*)$", re.I)
_CUE = re.compile(
    r"^(?P<label>[^\s:()\[\]][^:()\[\]]{0,60}?)\s*"
    r"(?:[(\[](?P<how>[^()\[\]]{0,300})[)\]]\s*)?:(?!//)\s*(?P<text>.*)$"
)
_ALONE = re.compile(r"^(?:[(\[](?P<text>[^()\[\]]*)[)\]]|<(?P<angle>[^<>]*)>|\{(?P<brace>[^{}]*)\})$")
_CREDIT = re.compile(
    r"^(?:(?:written|directed|transcribed|created|produced|edited) by\b|[^:()\[\]]{1,60}\bby\s*:"
    r"|(?:story|teleplay|screenplay|transcript)\s*:"
    r"|(?:(?:opening |closing |end |ending )?credits(?: sequence)?|commercial(?: break)?|(?:the )?end)\W*$)",
    re.I,
)
_FOOTER = re.compile(
    r"^(?:share this|like this|posted (?:by|in|on)|related|tags|filed under|categories|leave a (?:reply|comment)"
    r"|rate this|previous post|next post|copyright|navigation menu|retrieved from)\b\s*(?::.*|©.*)?$",
    re.I,
)
_ENDED = r"(?<=[.!?…)\]\"”'’-])\s+"
"""After the end of a sentence, where another cue may have slipped in."""
_ESCAPES = {f"\\{char}": chr(0xFDD0 + number) for number, char in enumerate("()[]:\\,.;!?")}
"""Escapes and what stands for them while a line is taken apart: code points that no text holds."""
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))
_PLAIN = str.maketrans({hidden: escape[1] for escape, hidden in _ESCAPES.items()})
_STOPS = ",.;:!?"
_ENDS = ".!?…\"”'’)]-–—:;*~"
"""What a whole speech ends in."""
_UNNAMED = "?"
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
    hidden = [(number, _hidden(text)) for number, text in lines]
    reader = _Reader(_known(hidden), oddities=list(oddities))
    for number, text in hidden:
        if _FOOTER.match(text) and reader.spoken:
            reader.note(number, f"'{shown(text)}' and what follows is the page's footer; left out")
            break
        for part in reader.parts(text, number):
            reader.take(part, number)
    if not reader.spoken:
        raise InputError(f"{name}: no 'Name: words' in it; is this a transcript?")
    return reader.transcript()


def _hidden(text: str) -> str:
    """Return a line with its escapes replaced by what no rule looks for."""
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text) if "\\" in text else text


def _shown(text: str) -> str:
    return text.translate(_PLAIN)


def as_text(transcript: Transcript) -> str:
    """Return a transcript in the project's own text form; reading it gives the same scenes but for line numbers."""
    labels = {line.label for line in transcript.spoken() if line.label}
    slipped = _slipped([_hidden(_escaped(label)) for label in labels])
    lines: list[str] = []
    episode = ""
    for scene in transcript.scenes:
        lines += [""] if lines else []
        if scene.episode and scene.episode != episode:
            season, number = scene.episode[1:].split("e")
            lines += [f"Season {int(season)}, Episode {int(number)}: {scene.title}".removesuffix(": "), ""]
            episode = scene.episode
        lines += [f"Scene: {_escaped(scene.heading)}".strip(), ""]
        lines += [_as_line(line, slipped) for line in scene.lines]
    return "\n".join(lines) + "\n"


def _as_line(line: RawLine, slipped: re.Pattern[str]) -> str:
    if line.label is None:
        alone = " ".join(f"({_escaped(direction.text)})" for direction in line.directions)
        return alone.replace(":", r"\:", 1) if _HEADING.match(alone) else alone
    text, end = "", 0
    for direction in line.directions:
        text += f"{_piece(line.text[end : direction.at], after=end > 0 or bool(text))} ({_escaped(direction.text)})"
        end = direction.at
    text = f"{text}{_piece(line.text[end:], after=bool(text))}".strip()
    while found := slipped.search(_hidden(text)):
        text = _colon_escaped(text, found.end())
    label = _escaped(line.label or _UNNAMED).replace(":", r"\:")
    plain = f"{label}: {text}".strip()
    means_more = any(rule.match(plain) for rule in (_HEADING, _CREDIT, _FOOTER)) or episode_of(plain)
    return f"\\ {plain}" if means_more or not _CUE.match(_hidden(plain)) else plain


def _piece(text: str, after: bool) -> str:
    """Return a piece of speech; after a direction its space is kept whatever comes next."""
    escaped = _escaped(text)
    if not after or text[:1] in _STOPS:
        return escaped
    rest = escaped.removeprefix(" ")
    return f" \\{rest}" if rest[:1] in _STOPS else f" {rest}"


def _colon_escaped(text: str, start: int) -> str:
    """Return a text with the first bare colon after a place in its hidden form escaped."""
    at = _hidden(text).index(":", start)
    colons = [found.start() for found in re.finditer(r"(?<!\\):", text)]
    nth = _hidden(text)[:at].count(":")
    return f"{text[: colons[nth]]}\\{text[colons[nth] :]}"


def _escaped(text: str) -> str:
    """Return a text with a backslash before every bracket and backslash."""
    return re.sub(r"[()\[\]\\]", r"\\\g<0>", text)


def _slipped(labels: Iterable[str]) -> re.Pattern[str]:
    """Return what finds a heading, or a cue under one of these labels, that got into the paragraph before."""
    label = "|".join(map(re.escape, sorted(labels, key=lambda one: (-len(one), one)))) or r"(?!)"
    return re.compile(rf"{_ENDED}(?=[(\[]?(?i:scene): \S|(?:{label})(?:\s*[(\[][^()\[\]]{{0,300}}[)\]])?: )")


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
class _Scene:
    """A scene that is being read."""

    episode: str = ""
    title: str = ""
    heading: str | None = None
    lines: list[RawLine] = field(default_factory=list)


@dataclass
class _Reader:
    """Builds scenes paragraph by paragraph."""

    known: list[str]
    oddities: list[Oddity]
    headings: int = 0
    scenes: list[_Scene] = field(default_factory=lambda: [_Scene()])
    spoken: int = 0

    def __post_init__(self) -> None:
        any_known = "|".join(map(re.escape, self.known)) or r"(?!)"
        self._slipped = _slipped(self.known)
        self._lost = re.compile(
            rf"^(?P<label>{any_known})(?:;\s+|\s*[(\[](?P<how>[^()\[\]]{{0,300}})[)\]]\s+(?=[A-Z“\"])"
            r"|(?=[A-Z“\"]))(?P<text>.*)$"
        )

    def note(self, number: int, what: str) -> None:
        """Tell something odd."""
        self.oddities.append(Oddity(number, _shown(what)))

    def parts(self, text: str, number: int) -> Iterator[str]:
        """Yield a paragraph, or each of several that stand in one."""
        cue, alone = _CUE.match(text), _ALONE.match(text)
        mixed = (cue and not _HEADING.match(text)) or (text[:1] in "([" and not alone)
        found = self._slipped.split(text) if mixed else [text]
        for part in found[1:]:
            self.note(number, f"'{shown(part)}' stands within the paragraph before it; taken apart")
        yield from found

    def take(self, text: str, number: int) -> None:
        """Take in one paragraph."""
        heading = _HEADING.match(text)
        cue = _CUE.match(text)
        alone = _ALONE.match(text)
        if text.startswith("\\ ") and ":" in text:
            label, _, words = text[1:].partition(":")
            self._say(label, None, words, number)
        elif heading:
            last = self.scenes[-1]
            self.scenes.append(
                _Scene(last.episode, last.title, _shown((heading["bare"] or heading["set"] or "").strip()))
            )
            self.headings += 1
        elif episode := episode_of(text):
            self.scenes.append(_Scene(episode[0], _shown(episode[1])))
        elif _CREDIT.match(text):
            self.note(number, f"'{shown(text)}' is a credit; left out")
        elif alone:
            self._direct(alone["text"] or alone["angle"] or alone["brace"] or "", number)
        elif cue:
            self._say(cue["label"], cue["how"], cue["text"], number)
        elif lost := self._lost.match(text):
            self.note(number, f"'{shown(text)}' lacks its colon; read as said by {lost['label']}")
            self._say(lost["label"], lost["how"], lost["text"], number)
        else:
            self._narration(text, number)

    def _narration(self, text: str, number: int) -> None:
        """Take in a paragraph that nothing marks: the rest of a speech, a title before the first scene, narration."""
        last = self.scenes[-1].lines[-1] if self.scenes[-1].lines else None
        if (
            last
            and last.label is not None
            and last.text
            and (text[0].islower() or last.text[-1] not in _ENDS)
        ):
            self.note(number, f"'{shown(text)}' goes on from the line before; joined to it")
            words, directions = split_directions(text)
            moved = (
                Direction(at=len(last.text) + 1 + one.at if one.at else len(last.text), text=_shown(one.text))
                for one in directions
            )
            self.scenes[-1].lines[-1] = replace(
                last,
                text=f"{last.text} {_shown(words)}".strip(),
                directions=(*last.directions, *moved),
                last=number,
            )
        elif self.spoken or self.headings:
            self.note(number, f"'{shown(text)}' is neither heading nor cue; kept as a direction")
            self._direct(text, number)
        elif number > 1:
            self.note(number, f"'{shown(text)}' stands before the first scene; left out")

    def _direct(self, text: str, number: int) -> None:
        self.scenes[-1].lines.append(RawLine(None, "", (Direction(at=0, text=_shown(text.strip())),), number))

    def _say(self, label: str, how: str | None, text: str, number: int) -> None:
        speech, directions = split_directions(text)
        if any(bracket in speech for bracket in "()[]"):
            self.note(
                number, f"a bracket that isn't closed, or stands within another, in '{shown(text)}'; kept"
            )
        if how:
            directions = (Direction(at=0, text=how.strip()), *directions)
        said = tuple(Direction(at=one.at, text=_shown(one.text)) for one in directions)
        who = _shown(label.strip())
        self.scenes[-1].lines.append(RawLine("" if who == _UNNAMED else who, _shown(speech), said, number))
        self.spoken += 1

    def transcript(self) -> Transcript:
        """Return what was read; lines that stand before a heading are a scene without one."""
        kept = [scene for scene in self.scenes if scene.heading is not None or _speaks(scene)]
        if not self.headings:
            self.oddities.append(Oddity(None, "no 'Scene:' headings; the episode is one scene"))
        elif any(scene.heading is None for scene in kept):
            self.oddities.append(
                Oddity(None, "speech before the first 'Scene:' heading; a scene without one")
            )
        scenes = tuple(
            RawScene(scene.episode, scene.title, scene.heading or "", tuple(scene.lines)) for scene in kept
        )
        return Transcript(scenes, headings=self.headings, oddities=tuple(self.oddities))


def _speaks(scene: _Scene) -> bool:
    return any(line.label is not None for line in scene.lines)
