"""Anonymise: cells, identity and the reviewed registry -> personas (paper §B.4).

Names are replaced by code, from the reviewed registry, before anything is asked: whoever writes the
guidance never sees the source's names. What comes back is searched for them again, for runs of eight words
of the source, and for names that nobody gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeVar

from pydantic import Field

from mempabench.catalog import CELLS, IDENTITY, PERSONAS, SCENES, SOURCES, SUBSTITUTES, USERS
from mempabench.domain.evidence import Facet, Identity
from mempabench.domain.identifiers import Identifiers
from mempabench.domain.personas import Guidance, Persona, PersonaItem, Substitute, User
from mempabench.domain.record import Record
from mempabench.domain.registry import Registry, runs
from mempabench.domain.review import Cell
from mempabench.domain.taxonomy import Attribute, attribute_spec
from mempabench.domain.transcripts import Scene, Source
from mempabench.engines.asking import Asker, Question
from mempabench.errors import InputError, ReviewPending
from mempabench.stages.stage import Stage, Unit, Work

R = TypeVar("R", bound=Record)

_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+")
_MANNER_NAMES = frozenset(
    name.replace("_", joint)
    for spec in [attribute_spec(attribute) for attribute in Attribute]
    for name in (spec.attribute, *(setting.name for setting in spec.settings))
    for joint in ("_", " ", "-")
    if "_" in name
) | {"verbosity", "consultative", "scaffolded", "bookend"}


class Note(Record):
    """Guidance on one point."""

    point: int = Field(ge=1, le=28)
    note: str = Field(min_length=30, max_length=400)


class PersonaAnswer(Record):
    """What somebody needs to play the person."""

    summary: str = Field(min_length=200, max_length=1200)
    production_guidance: tuple[str, ...] = Field(min_length=4, max_length=8)
    reception_guidance: tuple[Note, ...] = Field(min_length=28, max_length=28)


def anonymize_personas(
    cells: tuple[Cell, ...],
    identities: tuple[Identity, ...],
    substitutes: tuple[Substitute, ...],
    users: tuple[User, ...],
    sources: tuple[Source, ...],
    scenes: tuple[Scene, ...],
    work: Work,
) -> Iterator[Persona]:
    """Yield the persona of every user.

    Raises:
        ReviewPending: when a named person of a used source has no reviewed substitute.
    """
    used = {user.source for user in users}
    _refuse_gaps([source for source in sources if source.id in used], substitutes)
    identity_of = {(identity.source, identity.character): identity for identity in identities}
    units = (
        Unit(
            user.user,
            user.user,
            (
                user,
                next(source for source in sources if source.id == user.source).changed(files=()),
                identity_of[user.source, user.character],
                *(entry for entry in substitutes if entry.source == user.source),
                *(cell for cell in cells if cell.user == user.user),
                *(scene for scene in scenes if scene.source == user.source),
            ),
        )
        for user in users
    )
    yield from work.each(units, anonymize)


def _refuse_gaps(sources: Iterable[Source], substitutes: tuple[Substitute, ...]) -> None:
    for source in sources:
        registry = Registry(entry for entry in substitutes if entry.source == source.id)
        gaps = [
            form
            for member in source.cast
            if member.named
            for form in (member.name, *member.aliases)
            if not registry.knows(form)
        ]
        if gaps:
            raise ReviewPending(
                f"{source.id}: {len(gaps)} names have no reviewed substitute (first: {gaps[0]}); "
                f"see artifacts/proposed_substitutes.jsonl, then run mempabench review substitutes"
            )
        if registry.ambiguous:
            raise InputError(
                f"review/records/substitutes.jsonl: '{registry.ambiguous[0]}' of {source.id} has two substitutes; "
                "keep one"
            )


def anonymize(unit: Unit, asker: Asker) -> Iterator[Persona]:
    """Write one user's persona under fictional names."""
    user = _only(unit, User)
    source = _only(unit, Source)
    registry = Registry(part for part in unit.payload if isinstance(part, Substitute))
    identity = renamed(_only(unit, Identity), registry)
    cells = [part for part in unit.payload if isinstance(part, Cell)]
    said = frozenset(run for scene in unit.payload if isinstance(scene, Scene) for run in _runs_of(scene))
    name = registry.apply(next(member.name for member in source.cast if member.person == user.character))
    identifiers = Identifiers(part for part in unit.payload if isinstance(part, Substitute))
    _refuse_leaks(user, identity, identifiers, said)
    inputs = _inputs(name, identity, cells, registry)
    answer = asker.ask(
        Question(
            prompt="anonymize_personas",
            inputs=inputs,
            answer=PersonaAnswer,
            check=partial(findings, identifiers, said, " ".join(inputs.values())),
        )
    )
    notes = {note.point: note.note for note in answer.reception_guidance}
    yield Persona(
        user=user.user,
        name=name,
        summary=answer.summary,
        roles=identity.roles,
        items=tuple(PersonaItem(kind=item.kind, statement=item.statement) for item in identity.items),
        facets=identity.facets,
        language_style=identity.language_style,
        act_repertoire=identity.act_repertoire,
        interaction_dynamics=identity.interaction_dynamics,
        production_guidance=answer.production_guidance,
        reception_guidance=tuple(
            Guidance(context=cell.context, attribute=cell.attribute, note=notes[number])
            for number, cell in enumerate(cells, start=1)
        ),
    )


def _only(unit: Unit, kind: type[R]) -> R:
    return next(part for part in unit.payload if isinstance(part, kind))


def renamed(identity: Identity, registry: Registry) -> Identity:
    """Return an identity with every registered name replaced, and without the trail into the source."""
    return identity.changed(
        roles=_applied(identity.roles, registry),
        items=tuple(
            item.changed(statement=registry.apply(item.statement), observations=()) for item in identity.items
        ),
        facets=tuple(
            Facet(name=facet.name, level=facet.level, note=registry.apply(facet.note))
            for facet in identity.facets
        ),
        language_style=_applied(identity.language_style, registry),
        act_repertoire=_applied(identity.act_repertoire, registry),
        interaction_dynamics=_applied(identity.interaction_dynamics, registry),
    )


def _applied(texts: Iterable[str], registry: Registry) -> tuple[str, ...]:
    return tuple(registry.apply(text) for text in texts)


def _inputs(name: str, identity: Identity, cells: list[Cell], registry: Registry) -> dict[str, str]:
    return {
        "name": name,
        "roles": _listed(identity.roles),
        "items": _listed(f"({item.kind}) {item.statement}" for item in identity.items),
        "facets": _listed(f"{f.name}: {f.level} - {f.note}" for f in identity.facets if f.level is not None),
        "style": _listed(identity.language_style),
        "acts": _listed(identity.act_repertoire),
        "dynamics": _listed(identity.interaction_dynamics),
        "points": "\n".join(_point(number, cell, registry) for number, cell in enumerate(cells, start=1)),
    }


def _point(number: int, cell: Cell, registry: Registry) -> str:
    spec = attribute_spec(cell.attribute)
    meaning = next(setting.definition for setting in spec.settings if setting.name == cell.setting)
    return (
        f"{number}. {cell.context}: {spec.question} {cell.setting}: {meaning}\n"
        f"   Grounds: {registry.apply(cell.rationale)}"
    )


def _listed(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _runs_of(scene: Scene) -> Iterator[tuple[str, ...]]:
    yield from runs(scene.heading)
    for line in scene.lines:
        yield from runs(line.text)
        for direction in line.directions:
            yield from runs(direction.text)


def _refuse_leaks(
    user: User, identity: Identity, identifiers: Identifiers, said: frozenset[tuple[str, ...]]
) -> None:
    texts = (
        *identity.roles,
        *(item.statement for item in identity.items),
        *(facet.note for facet in identity.facets),
        *identity.language_style,
        *identity.act_repertoire,
        *identity.interaction_dynamics,
    )
    for text in texts:
        for problem in leaks(text, identifiers, said):
            raise InputError(
                f"{user.user}: the merged identity says '{text[:80]}', but {problem}; register that form of "
                "the name in review/records/substitutes.jsonl, or ask merge_identity again"
            )


def leaks(text: str, identifiers: Identifiers, said: frozenset[tuple[str, ...]]) -> Iterator[str]:
    """Yield what in a text gives the source away: a name in any dress, or a run of eight words of it."""
    for found in identifiers.find(text):
        if found.certain:
            yield f"'{found.words}' is a name of the source ({found.kind}: {found.form})"
    for run in sorted(runs(text) & said):
        yield f"'{' '.join(run)}' is a run of eight words of the source"


def findings(
    identifiers: Identifiers, said: frozenset[tuple[str, ...]], shown: str, answer: PersonaAnswer
) -> Iterator[str]:
    """Yield what is wrong with an answer: gaps, names of the source or of settings, names nobody gave."""
    points = sorted(note.point for note in answer.reception_guidance)
    if points != list(range(1, 29)):
        yield f"each of the points 1 to 28 needs one note; given {', '.join(map(str, points))}"
    notes = [note.note for note in answer.reception_guidance]
    for text in (answer.summary, *answer.production_guidance, *notes):
        yield from leaks(text, identifiers, said)
        for name in _NAME.findall(text):
            if name.removesuffix("'s").removesuffix("’s") not in shown:
                yield f"'{name}' is a name that was not given"
    for note in answer.reception_guidance:
        for name in sorted(_MANNER_NAMES):
            if name in note.note.casefold():
                yield f"point {note.point} names '{name}'; say what happens to the person instead"


ANONYMIZE_PERSONAS = Stage(
    "anonymize_personas",
    version="1",
    reads=(CELLS, IDENTITY, SUBSTITUTES, USERS, SOURCES, SCENES),
    writes=PERSONAS,
    run=anonymize_personas,
    prompts=("anonymize_personas",),
)
