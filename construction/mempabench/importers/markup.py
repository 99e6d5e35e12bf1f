"""XML scripts: TEI drama (as DraCor has it) and Final Draft. Entities are never expanded, nothing is fetched.

TEI: kept are scenes (``div`` of type scene, else act), speeches with every id of ``who``, the speaker's label,
verse and prose with a space for each break, ``stage`` inside a speech as a direction in its place and outside as one of
its own.
Final Draft: only ``FinalDraft/Content`` is read; kept are scene headings, characters without extensions, dialogue,
parentheticals, action.
TTML subtitles: kept are the cues with a space for each break and span, agents by their names, sound descriptions in
brackets as directions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mempabench.domain.transcripts import AS_IT_IS, Direction, Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.labels import without_extensions
from mempabench.importers.text import clean, split_directions

_BREAKS = frozenset({"l", "lb", "p", "ab", "lg", "pb"})
_OFFSET = re.compile(r"^(?P<count>\d{1,9}(?:\.\d{1,9})?)(?P<unit>h|ms|m|s)$")
_CLOCK = re.compile(r"^(\d{2,3}):(\d{2}):(\d{2}(?:\.\d{1,9})?)$")
_UNSAID = frozenset({"speaker", "note", "fw", "head", "figDesc"})


def read_tei(content: bytes, name: str) -> Transcript:
    """Read a TEI play.

    Raises:
        InputError: when it isn't well-formed XML, declares entities, or holds no speech.
    """
    root = _root(content, name)
    reader = _Play(_paths(root), _persons(root))
    for body in root.iter():
        if _tag(body) == "body":
            reader.walk(body, "")
    reader.close()
    if not any(scene.lines for scene in reader.scenes):
        raise InputError(f"{name}: no <sp> in a <body>; is this a TEI play?")
    return Transcript(tuple(reader.scenes), headings=reader.headings, oddities=tuple(reader.oddities))


def _root(content: bytes, name: str) -> Element:
    try:
        found: Element = fromstring(content, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except ParseError as error:
        raise InputError(
            f"{name}:{error.position[0]}: not well-formed XML ({str(error).split(':')[0]})"
        ) from error
    except DefusedXmlException as error:
        raise InputError(
            f"{name}: declares entities, which are never expanded; save it without them"
        ) from error
    except (ValueError, LookupError, RecursionError) as error:
        raise InputError(f"{name}: can't be read as XML ({clean(str(error))})") from error
    return found


def _paths(root: Element) -> dict[Element, str]:
    """Return the XPath of every element, without namespaces."""
    paths = {root: f"/{_tag(root)}"}
    for element in root.iter():
        seen: Counter[str] = Counter()
        for child in element:
            tag = _tag(child)
            seen[tag] += 1
            paths[child] = f"{paths[element]}/{tag}[{seen[tag]}]"
    return paths


def _persons(root: Element) -> dict[str, str]:
    """Return the name of every person in the list of persons by id; the id where two have one name."""
    names: dict[str, str] = {}
    for element in root.iter():
        if _tag(element) in ("person", "personGrp") and (key := _attribute(element, "id")):
            found = [
                clean("".join(part.itertext()))
                for part in element.iter()
                if _tag(part) in ("persName", "name")
            ]
            names[key] = found[0] if found and found[0] else key
    often = Counter(name.casefold() for name in names.values())
    return {key: name if often[name.casefold()] == 1 else key for key, name in names.items()}


def _raw(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _tag(element: Element) -> str:
    name: object = element.tag
    return name.rsplit("}", 1)[-1] if isinstance(name, str) else ""  # a comment's is a function


@dataclass
class _Play:
    """Gathers scenes while walking a play; speeches are counted, since XML keeps no line numbers."""

    paths: dict[Element, str]
    persons: dict[str, str]
    scenes: list[RawScene] = field(default_factory=list)
    oddities: list[Oddity] = field(default_factory=list)
    headings: int = 0
    heading: str = ""
    lines: list[RawLine] = field(default_factory=list)
    position: int = 0

    def walk(self, element: Element, above: str) -> None:
        """Walk a body or division."""
        for child in element:
            tag = _tag(child)
            if tag in ("div", "div1", "div2", "div3"):
                self._division(child, above)
            elif tag == "sp":
                self._speech(child)
            elif tag == "stage":
                self._stage(child)
            else:
                self.walk(child, above)

    def _division(self, element: Element, above: str) -> None:
        head = next((clean("".join(part.itertext())) for part in element if _tag(part) == "head"), "")
        named = f"{above}, {head}".strip(", ") if head else above
        kind = element.get("type", "")
        inner = any(_tag(part).startswith("div") for part in element)
        if kind == "scene" or (not inner and any(_tag(part) == "sp" for part in element)):
            self.close()
            self.heading = named
            self.headings += 1
        self.walk(element, named)

    def close(self) -> None:
        """End the scene that is being read."""
        if self.lines or self.heading:
            self.scenes.append(RawScene("", "", self.heading, tuple(self.lines)))
        self.lines, self.heading = [], ""

    def _stage(self, element: Element) -> None:
        self.position += 1
        words = clean("".join(element.itertext()))
        if words:
            direction = (Direction(at=0, text=words),)
            self.lines.append(
                RawLine(None, "", direction, self.position, pointer=self.paths[element], raw=_raw(element))
            )

    def _speech(self, element: Element) -> None:
        self.position += 1
        labels = [clean("".join(part.itertext())).rstrip(".") for part in element if _tag(part) == "speaker"]
        ids = [one.lstrip("#") for one in (element.get("who") or "").split()]
        people = [self.persons.get(one, one) for one in ids]
        label = " and ".join(people) if len(people) > 1 else (labels[0] if labels else "".join(people))
        if not label:
            self.oddities.append(
                Oddity(None, f"speech {self.position} has neither who nor speaker; it is kept")
            )
        speech = _Speech()
        speech.walk(element)
        self.lines.append(
            RawLine(
                label,
                speech.text(),
                tuple(speech.directions),
                self.position,
                pointer=self.paths[element],
                raw=_raw(element),
                people=tuple(people),
            )
        )


@dataclass
class _Speech:
    """Gathers the words of one speech, and the directions within it."""

    parts: list[str] = field(default_factory=list)
    directions: list[Direction] = field(default_factory=list)

    def walk(self, element: Element) -> None:
        """Walk a speech or a part of it."""
        self.parts.append(element.text or "")
        for child in element:
            tag = _tag(child)
            if tag == "stage":
                words = clean("".join(child.itertext()))
                if words:
                    self.directions.append(Direction(at=len(self.text()), text=words))
            elif tag not in _UNSAID and tag:
                if tag in _BREAKS:
                    self.parts.append(" ")
                self.walk(child)
                if tag in _BREAKS:
                    self.parts.append(" ")
            self.parts.append(child.tail or "")

    def text(self) -> str:
        """Return the words so far."""
        return clean("".join(self.parts))


def read_fdx(content: bytes, name: str) -> Transcript:
    """Read a Final Draft script.

    Raises:
        InputError: when it isn't well-formed XML or has no ``FinalDraft/Content``.
    """
    root = _root(content, name)
    body = root.find("Content") if _tag(root) == "FinalDraft" else None
    if body is None:
        raise InputError(f"{name}: no FinalDraft/Content in it; is this a Final Draft file?")
    script = _Script()
    paths = _paths(root)
    for number, (element, text) in enumerate(_paragraphs(body), start=1):
        script.paragraph(element.get("Type", ""), text, number, paths[element])
    return Transcript(script.scenes(), headings=len(script.headings))


def _paragraphs(body: Element) -> Iterator[tuple[Element, str]]:
    """Yield every paragraph with its text, those of dual dialogue in their order."""
    for paragraph in body.iter("Paragraph"):
        if paragraph.find("DualDialogue") is None:
            text = clean("".join(part.text or "" for part in paragraph.iterfind("Text")))
            if text:
                yield paragraph, text


@dataclass
class _Script:
    """Gathers the scenes of a screenplay paragraph by paragraph."""

    headings: list[str] = field(default_factory=list)
    turns: list[list[RawLine]] = field(default_factory=lambda: [[]])
    speaking: bool = False

    def paragraph(self, kind: str, text: str, number: int, path: str) -> None:
        """Take in one paragraph."""
        if kind == "Scene Heading":
            self.headings.append(text)
            self.turns.append([])
        elif kind == "Character":
            self._cue(text, number, path)
        elif kind in ("Dialogue", "Parenthetical") and self.speaking:
            self._words(kind, text)
        elif kind in ("Action", "General"):
            direction = (Direction(at=0, text=text),)
            self.turns[-1].append(RawLine(None, "", direction, number, pointer=path, raw=text))
        self.speaking = kind in ("Character", "Dialogue", "Parenthetical")

    def _cue(self, text: str, number: int, path: str) -> None:
        label, extensions = without_extensions(text)
        directions = tuple(Direction(at=0, text=extension) for extension in extensions)
        self.turns[-1].append(RawLine(label, "", directions, number, pointer=path, raw=text))

    def _words(self, kind: str, text: str) -> None:
        cue = self.turns[-1][-1]
        if kind == "Parenthetical":
            added = Direction(at=len(cue.text), text=text.strip("()").strip())
            changed = replace(cue, directions=(*cue.directions, added), raw=f"{cue.raw}\n{text}")
        else:
            changed = replace(cue, text=f"{cue.text} {text}".strip(), raw=f"{cue.raw}\n{text}")
        self.turns[-1][-1] = changed

    def scenes(self) -> tuple[RawScene, ...]:
        """Return the scenes; what stands before the first heading is one without, if it has any line."""
        return tuple(
            RawScene("", "", heading, tuple(lines))
            for heading, lines in zip(["", *self.headings], self.turns, strict=True)
            if heading or lines
        )


def read_ttml(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read TTML subtitles.

    Raises:
        InputError: when it isn't well-formed XML, declares entities, or holds no cue.
    """
    root = _root(content, name)
    agents = dict(_agents(root))
    paths = _paths(root)
    oddities: list[Oddity] = []
    scenes: list[list[RawLine]] = [[]]
    end: float | None = None
    for number, (cue, inherited) in enumerate(_cues(root, ""), start=1):
        speech, directions = split_directions(clean(" ".join(cue.itertext())))
        if not (speech or directions):
            oddities.append(Oddity(None, f"{paths[cue]}: an empty cue"))
            continue
        begin = _seconds(cue.get("begin", ""))
        if reading.scene_gap is not None and None not in (begin, end) and begin - end >= reading.scene_gap:  # type: ignore[operator]
            scenes.append([])
        labels = [agents.get(one, one) for one in (_attribute(cue, "agent") or inherited).split()]
        line = RawLine(" and ".join(labels), speech, directions, number, pointer=paths[cue], raw=_raw(cue))
        scenes[-1].append(line)
        end = _seconds(cue.get("end", "")) or begin
    if not scenes[-1]:
        raise InputError(f"{name}: no <p> with words in a <body>; are these TTML subtitles?")
    raw = tuple(RawScene("", "", "", tuple(lines)) for lines in scenes)
    return Transcript(raw, headings=None, oddities=tuple(oddities))


def _agents(root: Element) -> Iterator[tuple[str, str]]:
    """Yield id and name of every agent that has a name."""
    for element in root.iter():
        if _tag(element) == "agent" and (key := _attribute(element, "id")):
            names = [clean("".join(part.itertext())) for part in element if _tag(part) == "name"]
            if names:
                yield key, names[0]


def _cues(element: Element, agent: str) -> Iterator[tuple[Element, str]]:
    """Yield every cue with the agent of what it stands in."""
    for child in element:
        own = _attribute(child, "agent") or agent
        if _tag(child) == "p":
            yield child, own
        elif _tag(child) != "head":
            yield from _cues(child, own)


def _attribute(element: Element, name: str) -> str:
    """Return an attribute in whatever namespace."""
    return next((value for key, value in element.attrib.items() if key.rsplit("}", 1)[-1] == name), "")


def _seconds(text: str) -> float | None:
    """Return a clock time or an offset in seconds; None for frames and ticks.

    >>> _seconds("00:01:02.5"), _seconds("1500ms"), _seconds("2s"), _seconds("48f")
    (62.5, 1.5, 2.0, None)
    """
    found = _OFFSET.match(text)
    if found:
        return float(found["count"]) * {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}[found["unit"]]
    clock = _CLOCK.match(text)
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]) if clock else None
