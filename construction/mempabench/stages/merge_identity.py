"""Identity, step two: observations -> stable items, rated facets and manner of speech (paper §I.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

from pydantic import Field

from mempabench.catalog import IDENTITY, IDENTITY_OBSERVATIONS, SOURCES
from mempabench.domain.evidence import Facet, Identity, IdentityItem, IdentityObservation
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import FACETS
from mempabench.domain.transcripts import CastMember, Source
from mempabench.engines.asking import Asker, Question
from mempabench.stages.stage import Stage, Unit, Work


class Item(Record):
    """A stable fact."""

    kind: Literal["relationship", "activity", "circumstance", "history"]
    statement: str = Field(min_length=12, max_length=300)
    observations: tuple[int, ...] = Field(min_length=1, max_length=12)


class Rating(Record):
    """A facet's level."""

    facet: str = Field(min_length=3, max_length=40)
    level: Literal["low", "medium", "high"] | None
    note: str = Field(min_length=3, max_length=300)
    observations: tuple[int, ...] = Field(max_length=12)


class MergedAnswer(Record):
    """Who the character is."""

    roles: tuple[str, ...] = Field(min_length=2, max_length=8)
    items: tuple[Item, ...] = Field(min_length=6, max_length=24)
    facets: tuple[Rating, ...] = Field(min_length=len(FACETS), max_length=len(FACETS))
    language_style: tuple[str, ...] = Field(min_length=3, max_length=8)
    act_repertoire: tuple[str, ...] = Field(min_length=3, max_length=10)
    interaction_dynamics: tuple[str, ...] = Field(min_length=3, max_length=8)


def merge_identity(
    observations: tuple[IdentityObservation, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[Identity]:
    """Yield the identity of every candidate."""
    units = (
        _unit(source, person, observations)
        for source in sources
        for person in source.candidates
        if any(o.source == source.id and o.character == person for o in observations)
    )
    yield from work.each(units, merge)


def _unit(source: Source, person: str, observations: tuple[IdentityObservation, ...]) -> Unit:
    member = next(member for member in source.cast if member.person == person)
    own = (o for o in observations if o.source == source.id and o.character == person)
    return Unit(f"{source.id}/{person}", source.id, (member, *own))


def merge(unit: Unit, asker: Asker) -> Iterator[Identity]:
    """Ask for one candidate's identity."""
    member, *rest = unit.payload
    assert isinstance(member, CastMember)
    observations = [o for o in rest if isinstance(o, IdentityObservation)]
    answer = asker.ask(
        Question(
            prompt="merge_identity",
            inputs={
                "name": member.name,
                "observations": "\n".join(_shown(n, o) for n, o in enumerate(observations, start=1)),
                "facets": ", ".join(FACETS),
            },
            answer=MergedAnswer,
            check=partial(findings, len(observations)),
        )
    )
    ids = [o.id for o in observations]
    yield Identity(
        source=unit.group,
        character=member.person,
        roles=answer.roles,
        items=tuple(
            IdentityItem(
                kind=item.kind, statement=item.statement, observations=_cited(item.observations, ids)
            )
            for item in answer.items
        ),
        facets=tuple(
            Facet(
                name=rating.facet,
                level=rating.level,
                note=rating.note,
                observations=_cited(rating.observations, ids),
            )
            for rating in sorted(answer.facets, key=lambda rating: FACETS.index(rating.facet))
        ),
        language_style=answer.language_style,
        act_repertoire=answer.act_repertoire,
        interaction_dynamics=answer.interaction_dynamics,
    )


def _shown(number: int, observation: IdentityObservation) -> str:
    quotes = " / ".join(f'"{quote.text}"' for quote in observation.quotes)
    episode = observation.scene.split("/")[1]
    return f"{number}. ({episode}, {observation.topic}) {observation.statement} {quotes}"


def _cited(numbers: tuple[int, ...], ids: list[str]) -> tuple[str, ...]:
    return tuple(ids[number - 1] for number in numbers)


def findings(count: int, answer: MergedAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer: unknown observations, missing facets, ratings without support."""
    rated = sorted(rating.facet for rating in answer.facets)
    if rated != sorted(FACETS):
        yield f"facets must be each of {', '.join(FACETS)} once; given {', '.join(rated)}"
    cited = [number for item in answer.items for number in item.observations]
    cited += [number for rating in answer.facets for number in rating.observations]
    for number in sorted({number for number in cited if not 1 <= number <= count}):
        yield f"observation {number} was not shown; there are 1 to {count}"
    for part in (*(item.observations for item in answer.items), *(r.observations for r in answer.facets)):
        if len(set(part)) < len(part):
            yield f"an observation is cited twice in {', '.join(map(str, part))}"
    for rating in answer.facets:
        if rating.level is not None and not rating.observations:
            yield f"{rating.facet} is rated {rating.level} without an observation; cite some or give null"


MERGE_IDENTITY = Stage(
    "merge_identity",
    version="1",
    reads=(IDENTITY_OBSERVATIONS, SOURCES),
    writes=IDENTITY,
    run=merge_identity,
    prompts=("merge_identity",),
)
