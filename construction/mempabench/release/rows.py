"""Rows: from records to the values of each table, in plan order. No files here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mempabench.domain.evidence import Observation, ProposedCell, Quote, Reading, Resolution
from mempabench.domain.personas import EntityKind, Persona, Substitute, User
from mempabench.domain.record import canonical_json
from mempabench.domain.review import Cell, Decision, cell_key
from mempabench.domain.taxonomy import Attribute, Context, attribute_spec
from mempabench.domain.transcripts import Line, Scene, Source
from mempabench.release import tables
from mempabench.release.provenance import Origins, by_code
from mempabench.release.tables import Table
from mempabench.world.toolbox import all_tools

Row = dict[str, Any]

_CONTEXTS, _ATTRIBUTES = list(Context), list(Attribute)


@dataclass(frozen=True)
class Material:
    """All records that a release is made from."""

    sources: tuple[Source, ...]
    scenes: tuple[Scene, ...]
    evidence: tuple[Observation, ...]
    proposals: tuple[ProposedCell, ...]
    users: tuple[User, ...]
    decisions: tuple[Decision, ...]
    cells: tuple[Cell, ...]
    personas: tuple[Persona, ...]
    substitutes: tuple[Substitute, ...]
    origins: Origins

    @cached_property
    def source(self) -> dict[str, Source]:
        """Sources by id."""
        return {source.id: source for source in self.sources}

    @cached_property
    def user_of(self) -> dict[tuple[str, str], str]:
        """The user whom a character of a source became."""
        return {(user.source, user.character): user.user for user in self.users}

    def may_show(self, source: str) -> bool:
        """Return whether text of a source may be published."""
        return self.source[source].redistributable


def release_rows(material: Material) -> dict[Table, list[Row]]:
    """Return the rows of every table; without the registry's when no source may be redistributed."""
    rows = {table: list(make(material)) for table, make in _ROWS.items()}
    if not any(source.redistributable for source in material.sources):
        del rows[tables.SUBSTITUTES]
    return rows


def preferences(material: Material) -> Iterator[Row]:
    """Yield one row a settled cell, by user, context and attribute."""
    for cell in sorted(material.cells, key=lambda cell: (cell.user, *_place(cell.context, cell.attribute))):
        yield {
            "id": cell.key,
            "user": cell.user,
            "context": cell.context.value,
            "attribute": cell.attribute.value,
            "dimension": attribute_spec(cell.attribute).dimension.value,
            "setting": cell.setting,
            "changed_to": None,
            "changed_on": None,
            "outcome": cell.outcome.value,
            "basis": cell.basis.value,
            "confidence": cell.confidence.value,
            **by_code("settle_cells"),
        }


def personas(material: Material) -> Iterator[Row]:
    """Yield one row a user; ids of source observations stay out of this view."""
    for persona in sorted(material.personas, key=lambda persona: persona.user):
        values = persona.plain()
        for facet in values["facets"]:
            del facet["observations"]
        yield {
            "id": persona.user,
            **values,
            **material.origins.of("anonymize_personas", persona.user),
        }


def scenes(material: Material) -> Iterator[Row]:
    """Yield one row a scene, in the order of the manifest."""
    for scene in material.scenes:
        shown = material.may_show(scene.source)
        yield {
            "id": scene.id,
            "user": None,
            "source": scene.source,
            "license": material.source[scene.source].license,
            "episode": scene.episode,
            "episode_title": scene.episode_title if shown else None,
            "heading": scene.heading if shown else None,
            "lines": [_line(line, shown) for line in scene.lines],
            **by_code("ingest_transcripts"),
        }


def _line(line: Line, shown: bool) -> Row:
    directions = [direction.plain() for direction in line.directions]
    return {
        "id": line.id,
        "number": line.number,
        "label": line.label if shown else None,
        "speakers": list(line.speakers),
        "text": line.text if shown else None,
        "directions": canonical_json(directions) if shown else None,
        "text_sha256": _sha256(line.text),
    }


def evidence(material: Material) -> Iterator[Row]:
    """Yield one row an observation, in the order of the scenes."""
    for observation in material.evidence:
        shown = material.may_show(observation.source)
        yield {
            "id": observation.id,
            "user": material.user_of.get((observation.source, observation.character)),
            "source": observation.source,
            "scene": observation.scene,
            "character": observation.character,
            "context": observation.context.value,
            "attribute": observation.attribute.value,
            "setting": observation.setting,
            "mode": observation.mode.value,
            "act": observation.act,
            "reading": observation.reading,
            "quotes": [_quote(quote, shown) for quote in observation.quotes],
            **material.origins.of("find_reactions", observation.id.rsplit("/", 1)[0]),
        }


def _quote(quote: Quote, shown: bool) -> Row:
    return {
        "line": quote.line,
        "start": quote.start,
        "end": quote.end,
        "text": quote.text if shown else None,
        "text_sha256": _sha256(quote.text),
    }


def proposals(material: Material) -> Iterator[Row]:
    """Yield one row a cell of every candidate, by source and candidate in manifest order."""
    candidates = [(source.id, person) for source in material.sources for person in source.candidates]

    def place(proposal: ProposedCell) -> tuple[int, int, int]:
        candidate = candidates.index((proposal.source, proposal.character))
        return candidate, *_place(proposal.context, proposal.attribute)

    for proposal in sorted(material.proposals, key=place):
        yield {
            "id": proposal.key,
            "user": material.user_of.get((proposal.source, proposal.character)),
            "source": proposal.source,
            "character": proposal.character,
            "context": proposal.context.value,
            "attribute": proposal.attribute.value,
            "setting": proposal.setting,
            "confidence": proposal.confidence.value,
            "grounds": proposal.grounds,
            "claimed": proposal.claimed.value,
            "rationale": proposal.rationale,
            "supporting": list(proposal.supporting),
            "resolved": _resolved(proposal.resolved),
            **_second(proposal.second),
            **_proposal_origin(material.origins, proposal),
        }


def _second(reading: Reading | None) -> Row:
    return {
        "second_setting": reading.setting if reading else None,
        "second_claimed": reading.claimed.value if reading else None,
        "second_rationale": reading.rationale if reading else None,
        "second_supporting": list(reading.supporting) if reading else [],
        "second_resolved": _resolved(reading.resolved) if reading else [],
    }


def _resolved(resolutions: Iterable[Resolution]) -> list[Row]:
    return [resolution.plain() for resolution in resolutions]


def _proposal_origin(origins: Origins, proposal: ProposedCell) -> Row:
    """Return who proposed; a cell without any observation is settled by code and has no second reader."""
    if proposal.second is None:
        return by_code("propose_cells")
    return origins.of("propose_cells", f"{proposal.source}/{proposal.character}/{proposal.attribute}")


def reviews(material: Material) -> Iterator[Row]:
    """Yield one row a decision event, in the order of the log."""
    for decision in material.decisions:
        user, context, attribute = decision.cell.split("/")
        values = decision.plain()
        yield {
            "id": values.pop("event_id"),
            "user": user,
            "context": context,
            "attribute": attribute,
            "standing": standing(material, decision),
            **{name: values[name] for name in values if name != "evidence_hash"},
            **by_code("review"),
            "writer": "language model" if decision.reviewer_kind == "model" else "human",
            "input_hash": decision.evidence_hash,
        }


def standing(material: Material, decision: Decision) -> str:
    """Return what became of a decision.

    ``stale``: the cell's evidence is no longer what the reviewer saw. ``stands``: it settles the cell, or is the
    latest about a cell that no decision settles. ``superseded``: another decision came in its place.
    """
    if decision.evidence_hash != _evidence_hash(material, decision.cell):
        return "stale"
    settled_by = next((cell.decision for cell in material.cells if cell.key == decision.cell), None)
    latest = [other.event_id for other in material.decisions if other.cell == decision.cell][-1]
    return "stands" if decision.event_id == (settled_by or latest) else "superseded"


def _evidence_hash(material: Material, cell: str) -> str | None:
    for proposal in material.proposals:
        user = material.user_of.get((proposal.source, proposal.character))
        if user and cell_key(user, proposal.context, proposal.attribute) == cell:
            return proposal.evidence_hash()
    return None


def substitutes(material: Material) -> Iterator[Row]:
    """Yield one row a registered name of the sources that may be redistributed, in the order of the registry."""
    for entry in material.substitutes:
        if not material.may_show(entry.source):
            continue
        yield {
            "id": f"{entry.source}/{entry.kind}/{_slug(entry.original)}",
            "user": _named_user(material, entry),
            "source": entry.source,
            "kind": entry.kind.value,
            "original": entry.original,
            "substitute": entry.substitute,
            "aliases": [
                {"original": original, "substitute": substitute} for original, substitute in entry.pairs()[1:]
            ],
            "proposed_by": entry.proposed_by,
            "reviewer": entry.reviewer,
            "reviewer_kind": entry.reviewer_kind,
            "note": entry.note,
            **material.origins.of_any("propose_substitutes", entry.source),
        }


def _named_user(material: Material, entry: Substitute) -> str | None:
    if entry.kind is not EntityKind.PERSON:
        return None
    cast = material.source[entry.source].cast
    person = next((member.person for member in cast if member.name == entry.original), "")
    return material.user_of.get((entry.source, person))


def _place(context: Context, attribute: Attribute) -> tuple[int, int]:
    return _CONTEXTS.index(context), _ATTRIBUTES.index(attribute)


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.casefold()).strip("_")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def tools(material: Material) -> Iterator[Row]:
    """Yield one row a tool, by domain, the interaction tools last; they are the same whatever the material."""
    for tool in all_tools().values():
        yield {
            "id": tool.name,
            "user": None,
            "name": tool.name,
            "domain": tool.domain,
            "effect": tool.effect,
            "description": tool.description,
            "arguments": canonical_json(tool.schema),
            "errors": _codes(tool.refusals),
            "limits": _codes(tool.limits),
            "looks_at": sorted(tool.reads),
            "changes": sorted(tool.writes),
            **by_code("world"),
        }


def _codes(words: Mapping[str, str]) -> list[Row]:
    return [{"code": code, "about": about} for code, about in words.items()]


_ROWS: dict[Table, Callable[[Material], Iterator[Row]]] = {
    tables.PREFERENCES: preferences,
    tables.PERSONAS: personas,
    tables.SCENES: scenes,
    tables.EVIDENCE: evidence,
    tables.PROPOSALS: proposals,
    tables.REVIEWS: reviews,
    tables.SUBSTITUTES: substitutes,
    tables.TOOLS: tools,
}
