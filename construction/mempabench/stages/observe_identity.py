"""Identity, step one: scenes -> what they show about who the candidates are (paper §B.2, §I.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

from pydantic import Field

from mempabench.catalog import IDENTITY_OBSERVATIONS, SCENES, SOURCES
from mempabench.domain.evidence import IdentityObservation
from mempabench.domain.record import Record
from mempabench.domain.transcripts import CastMember, Scene, Source
from mempabench.engines.asking import Asker, Question
from mempabench.stages.find_reactions import Words, shown_cast
from mempabench.stages.presenting import bound, scene_text, unbound
from mempabench.stages.stage import Stage, Unit, Work

Topic = Literal["relationship", "activity", "circumstance", "history", "temperament", "speech"]


class Shown(Record):
    """One thing the scene shows about one of the characters asked for."""

    name: str = Field(min_length=2, max_length=60)
    topic: Topic
    statement: str = Field(min_length=12, max_length=300)
    quotes: tuple[Words, ...] = Field(min_length=1, max_length=3)


class IdentityAnswer(Record):
    """What the scene shows; only what is worth keeping."""

    observations: tuple[Shown, ...] = Field(max_length=12)


def observe_identity(
    scenes: tuple[Scene, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[IdentityObservation]:
    """Yield what every scene shows about the candidates who speak in it."""
    yield from work.each(_units(scenes, sources), observe)


def _units(scenes: tuple[Scene, ...], sources: tuple[Source, ...]) -> Iterator[Unit]:
    by_id = {source.id: source for source in sources}
    for scene in scenes:
        source = by_id[scene.source]
        present = [person for person in source.candidates if person in scene.speakers()]
        asked = tuple(member for member in source.cast if member.person in present)
        if asked:
            yield Unit(scene.id, source.id, (scene, shown_cast(source, scene), *asked))


def observe(unit: Unit, asker: Asker) -> Iterator[IdentityObservation]:
    """Ask what one scene shows about the candidates in it."""
    scene, source, *asked = unit.payload
    assert isinstance(scene, Scene)
    assert isinstance(source, Source)
    persons = {member.name: member.person for member in asked if isinstance(member, CastMember)}
    answer = asker.ask(
        Question(
            prompt="observe_identity",
            inputs={"names": ", ".join(persons), "scene": scene_text(scene, source)},
            answer=IdentityAnswer,
            check=partial(findings, scene, tuple(persons)),
        )
    )
    for number, shown in enumerate(answer.observations, start=1):
        person = persons[shown.name]
        yield IdentityObservation(
            id=f"{scene.id}/{person}/i{number}",
            source=scene.source,
            scene=scene.id,
            character=person,
            topic=shown.topic,
            statement=shown.statement,
            quotes=bound(shown.quotes, scene, None),
        )


def findings(scene: Scene, names: tuple[str, ...], answer: IdentityAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer: a name that wasn't asked for, or words that don't stand there."""
    for number, shown in enumerate(answer.observations, start=1):
        if shown.name not in names:
            yield f"observation {number}: '{shown.name}' was not asked for; give {', '.join(names)}"
        for problem in unbound(shown.quotes, scene, None):
            yield f"observation {number}: {problem}"


OBSERVE_IDENTITY = Stage(
    "observe_identity",
    version="1",
    reads=(SCENES, SOURCES),
    writes=IDENTITY_OBSERVATIONS,
    run=observe_identity,
    prompts=("observe_identity",),
)
