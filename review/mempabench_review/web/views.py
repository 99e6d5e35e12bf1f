"""What the pages show, as plain values: everything untrusted has passed :func:`plain_text`, templates escape it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mempabench.domain.evidence import Observation
from mempabench.domain.review import ContextVerdict, Decision, Mode, Reason, ReviewItem, Stance, cell_key, utc
from mempabench.domain.taxonomy import Attribute, Context, attribute_spec
from mempabench.domain.transcripts import Line, Scene
from mempabench_review.desk import Desk
from mempabench_review.queue import OpenItem, in_order
from mempabench_review.showing import plain_text, speaker
from mempabench_review.web.sessions import Seat

AROUND = 3
"""Lines shown before and after a cited one; the rest of the scene is folded."""

LATEST = 30
"""Events of a cell that its page shows; the log has all."""
_PLAIN = re.compile(r"[*`]")
_SENTENCE = re.compile(r"\*\*(?P<name>[^*]+)\.\*\*(?P<text>.*?)(?=\n\n|\Z)", re.DOTALL)


def words(name: str) -> str:
    """Return a machine's name as words.

    >>> words("emotional_engagement")
    'emotional engagement'
    """
    return name.replace("_", " ")


@dataclass(frozen=True)
class Place:
    """A cell as the queue lists it for one reviewer."""

    cell: str
    user: str
    context: str
    attribute: str
    why: str
    """Why it waits, or nothing where it doesn't."""
    proposal: str
    """What is proposed with which confidence; empty for whoever chooses blind."""
    own: str
    """The reviewer's own setting, or nothing."""

    @property
    def title(self) -> str:
        """Attribute and context in words."""
        return f"{words(self.attribute)}, {self.context}"


def places(desk: Desk, seat: Seat) -> list[Place]:
    """Return every cell of the queue as one reviewer may see it."""
    waiting = {entry.item.cell: entry for entry in desk.open}
    return [
        _place(item, waiting.get(item.cell), desk, seat)
        for item in in_order(desk.items)
        if seat.mode is Mode.BLIND or item.reason is not Reason.AUDIT or item.cell in waiting
    ]


def _place(item: ReviewItem, entry: OpenItem | None, desk: Desk, seat: Seat) -> Place:
    own = own_decision(item, desk, seat)
    if seat.mode is Mode.BLIND:
        why = "" if own else "for you to judge"
        proposal = ""
    else:
        why = words(entry.why) if entry else ""
        proposal = f"{words(item.proposal)}, {item.confidence}" if item.proposal else "nothing"
    return Place(
        item.cell,
        item.user,
        item.context.value,
        item.attribute.value,
        why,
        proposal,
        words(own.setting or "") if own else "",
    )


def own_decision(item: ReviewItem, desk: Desk, seat: Seat) -> Decision | None:
    """Return the reviewer's own decision on what the item shows now."""
    return desk.state(item).current.get(seat.reviewer)


def neighbours(desk: Desk, seat: Seat, cell: str) -> tuple[str, str]:
    """Return the open cells before and after a cell, or nothing where there is none."""
    order = places(desk, seat)
    place = next((number for number, one in enumerate(order) if one.cell == cell), -1)
    around = [*order[place + 1 :], *order[: max(place, 0)]]
    open_cells = [one.cell for one in around if one.why]
    return (open_cells[-1], open_cells[0]) if open_cells else ("", "")


def evidence(item: ReviewItem, desk: Desk, shown: bool) -> list[dict[str, Any]]:
    """Return the observations of a cell; where the proposal isn't shown nothing tells which were cited.

    Args:
        item: The cell.
        desk: The desk.
        shown: Whether the proposal is in view.
    """
    cited, uncited = desk.cited(item), desk.uncited(item)
    if shown:
        named = [("cited", seen) for seen in cited] + [("also seen", seen) for seen in uncited]
    else:
        named = [("seen", seen) for seen in sorted((*cited, *uncited), key=lambda seen: seen.id)]
    return [_piece(title, seen, desk, shown) for title, seen in named]


def _piece(title: str, seen: Observation, desk: Desk, shown: bool) -> dict[str, Any]:
    scene = desk.scenes.get(seen.scene)
    lines = list(_lines(scene, seen, desk)) if scene else []
    return {
        "id": seen.id,
        "title": title,
        "must": title != "also seen",
        "mode": seen.mode.value,
        "context": seen.context.value,
        "act": plain_text(seen.act),
        "reading": plain_text(seen.reading) if shown else "",
        "speaks_for": words(plain_text(seen.setting)) if shown else "",
        "scene": plain_text(seen.scene),
        "heading": plain_text(scene.heading) if scene else "",
        "check": _quote_check(scene, seen),
        "parts": _folded(lines),
    }


def _lines(scene: Scene, seen: Observation, desk: Desk) -> Iterator[dict[str, Any]]:
    quoted = {quote.line for quote in seen.quotes}
    near = [line.number for line in scene.lines if line.id in quoted]
    for line in scene.lines:
        yield {
            "number": line.number,
            "speaker": speaker(line, scene, desk),
            "words": list(_words(line, seen)),
            "cited": line.id in quoted,
            "near": any(abs(line.number - number) <= AROUND for number in near),
        }


def _words(line: Line, seen: Observation) -> Iterator[tuple[str, bool]]:
    """Yield the words of a line in pieces, each with whether it is quoted; directions stand in round brackets."""
    quotes = [quote for quote in seen.quotes if quote.line == line.id]
    good = [quote for quote in quotes if line.text[quote.start : quote.end] == quote.text]
    directions = sorted(line.directions, key=lambda one: one.at)
    edges = {0, len(line.text), *(edge for quote in good for edge in (quote.start, quote.end))}
    cuts = sorted({edge for edge in edges | {one.at for one in directions} if edge <= len(line.text)})
    for start, end in zip(cuts, [*cuts[1:], len(line.text)], strict=True):
        for direction in directions:
            if direction.at == start:
                yield f" ({plain_text(direction.text)}) ", False
        if end > start:
            quoted = any(quote.start <= start and end <= quote.end for quote in good)
            yield _spaced(line.text[start:end]), quoted


def _spaced(text: str) -> str:
    """Return a piece of a line as plain text with the spaces at its ends."""
    return (" " if text[:1].isspace() else "") + plain_text(text) + (" " if text[-1:].isspace() else "")


def _folded(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines in runs that are shown or folded."""
    runs: list[dict[str, Any]] = []
    for line in lines:
        if not runs or runs[-1]["shown"] != line["near"]:
            runs.append({"shown": line["near"], "lines": []})
        runs[-1]["lines"].append(line)
    return runs


def _quote_check(scene: Scene | None, seen: Observation) -> str:
    """Return whether quotes stand in their lines: ``matches``, ``differs`` or ``not found``."""
    lines = {line.id: line for line in scene.lines} if scene else {}
    if any(quote.line not in lines for quote in seen.quotes):
        return "not found"
    same = all(lines[quote.line].text[quote.start : quote.end] == quote.text for quote in seen.quotes)
    return "matches" if same else "differs"


def known(item: ReviewItem, desk: Desk) -> list[str]:
    """Return what is known of a cell's user, apart from how they take help."""
    identity = desk.identity(item.user)
    if identity is None:
        return []
    facets = [f"{words(facet.name)}: {facet.level}. {facet.note}" for facet in identity.facets if facet.level]
    lines = [*identity.roles, *(one.statement for one in identity.items), *facets]
    return [plain_text(line) for line in lines]


def settings(item: ReviewItem) -> list[dict[str, str]]:
    """Return the settings of a cell's attribute with their definitions and signs."""
    return [
        {"name": one.name, "label": words(one.name), "definition": one.definition, "sign": one.sign}
        for one in attribute_spec(item.attribute).settings
    ]


def twin(item: ReviewItem) -> str:
    """Return the cell of the same attribute in the other context."""
    other = next(context for context in Context if context is not item.context)
    return cell_key(item.user, other.value, item.attribute.value)


def guideline(guide: str, attribute: Attribute) -> str:
    """Return what the guideline says of an attribute, without Markdown's stars; nothing where it has no such part."""
    sought = set(words(attribute.value).split())
    for found in _SENTENCE.finditer(guide):
        if set(found["name"].casefold().split()) - {"and"} == sought:
            return plain_text(_PLAIN.sub("", found["text"]))
    return ""


def guide_blocks(guide: str) -> list[tuple[str, list[tuple[str, bool]]]]:
    """Return a guideline's blocks: kind (``h1``, ``h2``, ``li``, ``p``) and its words, each piece with its weight."""
    blocks = []
    for block in guide.strip().split("\n\n"):
        for line in block.split("\n") if block.startswith("- ") else [block]:
            mark, _, text = line.partition(" ")
            kind = {"#": "h1", "##": "h2", "-": "li"}.get(mark, "p")
            pieces = re.split(r"\*\*", text if kind != "p" else line)
            blocks.append(
                (
                    kind,
                    [
                        (_spaced(_PLAIN.sub("", piece)), number % 2 == 1)
                        for number, piece in enumerate(pieces)
                    ],
                )
            )
    return blocks


def history(item: ReviewItem, desk: Desk, seat: Seat) -> list[dict[str, str]]:
    """Return the latest that was decided on a cell; somebody who chooses blind sees their own events only."""
    events = [
        event
        for event in desk.of_cell(item.cell)
        if seat.mode is not Mode.BLIND or event.reviewer == seat.reviewer
    ]
    return [told(event) for event in events[-LATEST:]]


def told(event: Decision) -> dict[str, str]:
    """Return an event as a page shows it."""
    return {
        "at": utc(event.decided_at),
        "id": event.event_id[:12],
        "cell": event.cell,
        "action": event.action.value,
        "setting": words(event.setting or ""),
        "reviewer": event.reviewer,
        "kind": event.reviewer_kind,
        "mode": event.mode.value,
        "reason": plain_text(event.reason),
        "cause": plain_text(event.cause),
    }


def moment(at: str, zone: str) -> str:
    """Return an event's time as a page shows it: in UTC, or as this machine's clock has it (``local``).

    >>> moment("2026-03-01T09:00:00Z", "utc")
    '2026-03-01 09:00:00'
    """
    entered = datetime.fromisoformat(at)
    return f"{entered.astimezone(None if zone == 'local' else UTC):%Y-%m-%d %H:%M:%S}"


def form_values(decision: Decision | None) -> dict[str, str]:
    """Return the fields of a form as a decision filled them."""
    if decision is None:
        return {}
    return {
        "setting": decision.setting or "",
        "reason": typed(decision.reason),
        "circumstances": typed(decision.circumstances),
        "context_verdict": decision.context_verdict.value,
        "unusable": "" if decision.evidence_usable else "yes",
        **{f"ev:{one.observation}": one.stance.value for one in decision.evidence},
    }


def typed(text: str) -> str:
    """Return what somebody typed, line by line, without escape sequences and control characters.

    >>> typed("one\\r\\n\\x1b[31mtwo")
    'one\\ntwo'
    """
    return "\n".join(plain_text(line) for line in text.splitlines())


def row_of(item: ReviewItem, form: dict[str, str], mode: Mode, action: str) -> dict[str, Any]:
    """Return what a form says as the row of a decision; what is missing is left for the checks to name."""
    if action == "defer":
        return {
            "cell": item.cell,
            "evidence_hash": form.get("evidence_hash", ""),
            "action": "defer",
            "reason": form.get("reason", ""),
            "mode": mode.value,
        }
    stances = {
        name.removeprefix("ev:"): value for name, value in form.items() if name.startswith("ev:") and value
    }
    return {
        "cell": item.cell,
        "evidence_hash": form.get("evidence_hash", ""),
        "setting": form.get("setting") or None,
        "reason": form.get("reason", ""),
        "context_verdict": form.get("context_verdict") or (None if item.scenes else "no_scenes"),
        "circumstances": form.get("circumstances", ""),
        "evidence": [{"observation": name, "stance": stance} for name, stance in stances.items()],
        "evidence_usable": form.get("unusable") != "yes",
        "mode": mode.value,
    }


def found_lines(desk: Desk, sought: str, cells: Iterable[str]) -> set[str]:
    """Return the cells among whose observations' scenes a line holds the words."""
    needle = sought.casefold()
    scenes = {
        scene.id
        for scene in desk.scenes.values()
        if any(needle in line.text.casefold() for line in scene.lines)
    }
    return {cell for cell in cells if any(name in scenes for name in _scenes_of(desk, cell))}


def _scenes_of(desk: Desk, cell: str) -> set[str]:
    item = desk.item(cell)
    return {seen.scene for seen in (*desk.cited(item), *desk.uncited(item))}


STANCES = tuple((stance.value, words(stance.value)) for stance in Stance)
VERDICTS = (
    (ContextVerdict.WARRANTED.value, "the scenes show this part of life"),
    (ContextVerdict.NOT_WARRANTED.value, "they belong to the other part of life"),
)
