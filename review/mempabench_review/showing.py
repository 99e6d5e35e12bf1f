"""How a cell is shown: its question, its proposal, and the cited lines in their scenes.

Words of transcripts and models are untrusted: control characters go before anything is printed, and
Markdown shows them as text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from mempabench.domain.evidence import Observation, Quote
from mempabench.domain.review import Decision, ReviewItem
from mempabench.domain.taxonomy import attribute_spec
from mempabench.domain.transcripts import Line, Scene
from mempabench_review.desk import Desk
from mempabench_review.queue import OpenItem

AROUND = 3
"""Lines shown before and after a cited one."""

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b.?|\x9b[0-?]*[ -/]*[@-~]", re.S
)
_MARKDOWN = re.compile(r"([\\`*\[\]<>#|~]|(?<!\w)_|_(?!\w))")


def plain_text(text: str) -> str:
    """Return untrusted text as one line without escape sequences, control and invisible characters.

    >>> plain_text("a \\x1b[31mred\\x1b[0m word\\r\\n")
    'a red word'
    """
    text = _ESCAPE.sub("", text)
    text = "".join(" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in text if unicodedata.category(char)[0] != "C").split())


def escaped(text: str) -> str:
    """Return untrusted text so that Markdown shows it as it is.

    >>> escaped("<b>*no*</b>")
    '\\\\<b\\\\>\\\\*no\\\\*\\\\</b\\\\>'
    """
    return _MARKDOWN.sub(r"\\\1", plain_text(text))


def as_text(entry: OpenItem, desk: Desk, *, blind: bool = False) -> str:
    """Return a cell as a reviewer reads it in a terminal."""
    item = entry.item
    parts = [
        item.cell,
        _indented(_standing(entry, blind)),
        attribute_spec(item.attribute).question,
        _indented(_settings(item)),
    ]
    if not blind:
        parts.append(_indented(_proposal(item)))
    for title, seen in _evidence(item, desk, blind):
        parts += [f"{title}: {plain_text(seen.id)}", _indented(_observation(seen, desk, blind))]
    parts += [f"evidence hash: {item.evidence_hash}", _how_to_decide(item, _to_judge(item, desk, blind))]
    return "\n".join(parts)


def as_data(entry: OpenItem, desk: Desk, *, blind: bool = False) -> dict[str, Any]:
    """Return a cell as JSON-ready values."""
    item = entry.item
    shown = item.plain()
    if blind:
        for hidden in ("proposal", "confidence", "rationale", "reason", "observations", "quotes"):
            del shown[hidden]
    spec = attribute_spec(item.attribute)
    return {
        **shown,
        "why": None if blind else entry.why,
        "stale": entry.stale.plain() if entry.stale and not blind else None,
        "deferred": entry.deferred.plain() if entry.deferred and not blind else None,
        "question": spec.question,
        "settings": [setting.plain() for setting in spec.settings],
        "evidence": [
            {**_blinded(seen, blind), "shown_as": title, "lines": _line_data(seen, desk)}
            for title, seen in _evidence(item, desk, blind)
        ],
    }


def packet(entries: Iterable[OpenItem], desk: Desk, guide: str, *, blind: bool = False) -> str:
    """Return cells as one Markdown file with the guideline before and an answer template behind them."""
    chosen = tuple(entries)
    parts = [guide.strip(), *_people(chosen, desk), "# The cells"]
    parts += [_chapter(number, entry, desk, blind) for number, entry in enumerate(chosen, start=1)]
    template = "\n".join(json_line(blank_row(e.item, _to_judge(e.item, desk, blind))) for e in chosen)
    parts += ["# Your answers", _ANSWERING, f"```json\n{template}\n```"]
    return "\n\n".join(parts) + "\n"


def _people(entries: Iterable[OpenItem], desk: Desk) -> list[str]:
    """Return what is known of the users whose cells are shown, apart from how they take help."""
    parts = []
    for user in dict.fromkeys(entry.item.user for entry in entries):
        identity = desk.identity(user)
        if identity is None:
            continue
        facets = [f"{facet.name}: {facet.level}. {facet.note}" for facet in identity.facets if facet.level]
        known = [*identity.roles, *(item.statement for item in identity.items), *facets]
        parts += [f"# What is known of {user}", "\n".join(f"- {escaped(line)}" for line in known)]
    return parts


_ANSWERING = """Copy the lines below into a file and fill them in: one JSON object a line, one line a cell. Leave
`evidence_hash` as it is; it says what you saw.

- `setting`: one of the settings of the attribute.
- `reason`: what decided, in a sentence or two.
- `context_verdict`: `warranted`, `not_warranted`, or `no_scenes` where the cell cites none.
- `evidence`: for each observation a stance: `supports`, `contradicts`, `irrelevant` or `own_style`.
- `circumstances`: needed where some evidence supports and some contradicts: when does which hold?
- `evidence_usable`: `false` where the evidence can't carry the cell and you specify it by hand.

To leave a cell open, give only `cell`, `evidence_hash`, `"action": "defer"` and the `reason`."""


def blank_row(item: ReviewItem, to_judge: Iterable[str]) -> dict[str, Any]:
    """Return the row that a reviewer fills in for a cell, with the observations that want a verdict."""
    return {
        "cell": item.cell,
        "evidence_hash": item.evidence_hash,
        "setting": "",
        "reason": "",
        "context_verdict": "" if item.scenes else "no_scenes",
        "evidence": [{"observation": name, "stance": ""} for name in to_judge],
        "circumstances": "",
        "evidence_usable": True,
    }


def json_line(value: Any) -> str:
    """Return a value as one line of ASCII JSON, which no terminal takes for a command."""
    return json.dumps(value, ensure_ascii=True)


def _chapter(number: int, entry: OpenItem, desk: Desk, blind: bool) -> str:
    item = entry.item
    facts = [] if blind else [*_standing(entry, blind), *_proposal(item)]
    parts = [
        f"## {number}. {item.cell}",
        f"**{attribute_spec(item.attribute).question}**",
        "\n".join(f"- {escaped(line)}" for line in _settings(item)),
        *(["\n".join(f"- {escaped(line)}" for line in facts)] if facts else []),
    ]
    for title, seen in _evidence(item, desk, blind):
        parts.append(f"### {title}: {escaped(seen.id)}")
        parts.append("\n".join(f"- {escaped(line)}" for line in _claims(seen, blind)))
        parts.append(_fenced(_excerpt(seen, desk)))
    return "\n\n".join([*parts, f"Evidence hash: `{item.evidence_hash}`"])


def _fenced(lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"  {line}" for line in lines)


def _standing(entry: OpenItem, blind: bool) -> Iterator[str]:
    """Yield why a cell is open and what was decided before; nothing that gives the proposal away when blind."""
    if blind:
        return
    yield f"in the queue because: {entry.why.replace('_', ' ')}"
    if entry.stale:
        yield f"decided on other evidence: {entry.stale.action} {entry.stale.setting} ({_reason(entry.stale)})"
    if entry.deferred:
        yield f"deferred: {_reason(entry.deferred)}"


def _reason(decision: Decision) -> str:
    return plain_text(decision.reason)


def _settings(item: ReviewItem) -> Iterator[str]:
    for setting in attribute_spec(item.attribute).settings:
        yield f"{setting.name}: {setting.definition} It shows thus: {setting.sign}"


def _proposal(item: ReviewItem) -> Iterator[str]:
    if item.proposal is None:
        yield "proposed: nothing"
    else:
        yield f"proposed: {plain_text(item.proposal)}, {item.confidence} confidence"
    yield f"rationale: {plain_text(item.rationale)}"


def _evidence(item: ReviewItem, desk: Desk, blind: bool) -> list[tuple[str, Observation]]:
    """Return the observations of a cell with their titles; when blind nothing tells which ones were cited."""
    cited, uncited = desk.cited(item), desk.uncited(item)
    if blind:
        return [("seen", seen) for seen in sorted((*cited, *uncited), key=lambda seen: seen.id)]
    return [("cited", seen) for seen in cited] + [("also seen", seen) for seen in uncited]


def _to_judge(item: ReviewItem, desk: Desk, blind: bool) -> list[str]:
    return [seen.id for title, seen in _evidence(item, desk, blind) if title != "also seen"]


def _observation(seen: Observation, desk: Desk, blind: bool) -> Iterator[str]:
    yield from _claims(seen, blind)
    yield from _excerpt(seen, desk)


def _claims(seen: Observation, blind: bool) -> Iterator[str]:
    yield f"{seen.mode}, {seen.context}: {plain_text(seen.act)}"
    if not blind:
        yield f"reading: {plain_text(seen.reading)} (speaks for {plain_text(seen.setting)})"


def _blinded(seen: Observation, blind: bool) -> dict[str, Any]:
    shown = seen.plain()
    if blind:
        del shown["reading"], shown["setting"]
    return shown


def _excerpt(seen: Observation, desk: Desk) -> Iterator[str]:
    """Yield the quoted lines, marked, with the lines around them."""
    scene = desk.scenes.get(seen.scene)
    if scene is None:
        yield f"(scene {plain_text(seen.scene)} is not there; run mempabench build)"
        return
    yield plain_text(f"[{scene.id}: {scene.heading}]" if scene.heading else f"[{scene.id}]")
    before = 0
    for line in _near(scene, seen.quotes):
        if before and line.number != before + 1:
            yield "  …"
        before = line.number
        quotes = _quotes_of(line, seen.quotes)
        who = speaker(line, scene, desk)
        said = plain_text(marked(line, quotes))
        yield f"{'>' if quotes else ' '} {line.number}. {who + ': ' if who else ''}{said}"
    yield from (f"(quote check: {problem})" for problem in _misquoted(scene, seen.quotes))


def _line_data(seen: Observation, desk: Desk) -> list[dict[str, Any]]:
    scene = desk.scenes.get(seen.scene)
    if scene is None:
        return []
    return [
        {
            "number": line.number,
            "speaker": speaker(line, scene, desk),
            "text": plain_text(marked(line, _quotes_of(line, seen.quotes))),
            "quoted": bool(_quotes_of(line, seen.quotes)),
        }
        for line in _near(scene, seen.quotes)
    ]


def _quotes_of(line: Line, quotes: Iterable[Quote]) -> list[Quote]:
    return [quote for quote in quotes if quote.line == line.id]


def _near(scene: Scene, quotes: Iterable[Quote]) -> list[Line]:
    cited = {quote.line for quote in quotes}
    numbers = [line.number for line in scene.lines if line.id in cited]
    return [line for line in scene.lines if any(abs(line.number - number) <= AROUND for number in numbers)]


def speaker(line: Line, scene: Scene, desk: Desk) -> str:
    """Return who speaks, by the names of the source's cast; nothing for a direction that stands alone."""
    source = desk.sources.get(scene.source)
    names = {member.person: member.name for member in source.cast} if source else {}
    return plain_text(" and ".join(names.get(person, person) for person in line.speakers))


def marked(line: Line, quotes: Iterable[Quote]) -> str:
    """Return a line's words with the quoted ones in «», and its directions in round brackets."""
    inserts = [(direction.at, 1, f" ({direction.text}) ") for direction in line.directions]
    for quote in quotes:
        if line.text[quote.start : quote.end] == quote.text:
            inserts += [(quote.end, 0, "»"), (quote.start, 2, "«")]
    parts: list[str] = []
    done = 0
    for at, _, insert in sorted(inserts):
        parts += [line.text[done:at], insert]
        done = max(done, at)
    return "".join([*parts, line.text[done:]])


def _misquoted(scene: Scene, quotes: Iterable[Quote]) -> Iterator[str]:
    lines = {line.id: line for line in scene.lines}
    for quote in quotes:
        line = lines.get(quote.line)
        if line is None:
            yield f"line {plain_text(quote.line)} not found"
        elif line.text[quote.start : quote.end] != quote.text:
            yield f"line {line.number} differs from the quote «{plain_text(quote.text)}»"


def _how_to_decide(item: ReviewItem, to_judge: Iterable[str]) -> str:
    context = "warranted|not_warranted" if item.scenes else "no_scenes"
    evidence = "".join(f" --evidence {plain_text(name)}=STANCE" for name in to_judge)
    return (
        "decide:\n"
        f"  mempabench review decide {item.cell} --seen {item.evidence_hash[:12]} --setting SETTING \\\n"
        f"    --context {context}{evidence} --reason '...' --as NAME:human\n"
        f"  or leave it open: mempabench review defer {item.cell} --seen {item.evidence_hash[:12]} "
        "--reason '...' --as NAME:human"
    )
