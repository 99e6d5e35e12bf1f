"""Pass one: scenes -> reactions to being helped, with verbatim quotes (paper §B.2).

Production is not reception: how a character speaks is only a prior; how they take being helped, told,
asked, interrupted or reminded decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pydantic import Field

from mempabench.catalog import EVIDENCE, SCENES, SOURCES
from mempabench.domain.evidence import Mode, Observation
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.domain.transcripts import Scene, Source
from mempabench.engines.asking import Asker, Question
from mempabench.stages.presenting import QuotedWords, bound, scene_text, taxonomy_text, unbound
from mempabench.stages.stage import Stage, Unit, Work


class Words(QuotedWords):
    """Words of one line."""

    line: int = Field(ge=1, le=999)
    words: str = Field(min_length=1, max_length=400)


class Reaction(Record):
    """One thing the scene shows."""

    context: Context
    mode: Mode
    act: str = Field(min_length=8, max_length=300)
    quotes: tuple[Words, ...] = Field(min_length=1, max_length=4)
    reading: str = Field(min_length=20, max_length=500)
    attribute: Attribute
    setting: str = Field(min_length=3, max_length=30)


class ReactionsAnswer(Record):
    """All that the scene shows; often nothing."""

    reactions: tuple[Reaction, ...] = Field(max_length=8)


class Candidate(Record):
    """A character that a unit is about."""

    person: str
    name: str


def find_reactions(
    scenes: tuple[Scene, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[Observation]:
    """Yield what every scene shows of every candidate who speaks in it."""
    yield from work.each(candidate_units(scenes, sources), observe)


def candidate_units(scenes: Iterable[Scene], sources: Iterable[Source]) -> Iterator[Unit]:
    """Yield one unit for each scene and each candidate who speaks in it."""
    by_id = {source.id: source for source in sources}
    for scene in scenes:
        source = by_id[scene.source]
        names = {member.person: member.name for member in source.cast}
        for person in source.candidates:
            if person in scene.speakers():
                candidate = Candidate(person=person, name=names[person])
                yield Unit(f"{scene.id}/{person}", source.id, (scene, shown_cast(source, scene), candidate))


def shown_cast(source: Source, scene: Scene) -> Source:
    """Return the source with only what a request about this scene shows, so that other edits don't touch it."""
    present = scene.speakers()
    return source.changed(
        files=(), candidates=(), cast=tuple(member for member in source.cast if member.person in present)
    )


def observe(unit: Unit, asker: Asker) -> Iterator[Observation]:
    """Ask for the reactions of one character in one scene."""
    scene, source, candidate = unit.payload
    assert isinstance(scene, Scene)
    assert isinstance(source, Source)
    assert isinstance(candidate, Candidate)
    answer = asker.ask(
        Question(
            prompt="find_reactions",
            inputs={
                "taxonomy": taxonomy_text(),
                "name": candidate.name,
                "scene": scene_text(scene, source),
            },
            answer=ReactionsAnswer,
            check=partial(findings, scene, candidate.person),
        )
    )
    for number, reaction in enumerate(answer.reactions, start=1):
        yield Observation(
            id=f"{unit.id}/o{number}",
            source=scene.source,
            scene=scene.id,
            character=candidate.person,
            context=reaction.context,
            mode=reaction.mode,
            act=reaction.act,
            reading=reaction.reading,
            attribute=reaction.attribute,
            setting=reaction.setting,
            quotes=bound(reaction.quotes, scene, candidate.person),
        )


def findings(scene: Scene, character: str, answer: ReactionsAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer: unknown settings, and quotes that the character didn't say there."""
    for number, reaction in enumerate(answer.reactions, start=1):
        known = settings_of(reaction.attribute)
        if reaction.setting not in known:
            yield (
                f"reaction {number}: '{reaction.setting}' is no setting of {reaction.attribute}; "
                f"it has {', '.join(known)}"
            )
        for problem in unbound(reaction.quotes, scene, character):
            yield f"reaction {number}: {problem}"
    said = [(r.attribute, r.mode, r.quotes) for r in answer.reactions]
    for number, claim in enumerate(said, start=1):
        if claim in said[: number - 1]:
            yield f"reaction {number}: the same words are given twice for {claim[0]}"


FIND_REACTIONS = Stage(
    "find_reactions",
    version="1",
    reads=(SCENES, SOURCES),
    writes=EVIDENCE,
    run=find_reactions,
    prompts=("find_reactions",),
)
