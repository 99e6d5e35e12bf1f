"""A proposal for the substitution registry; what counts is the reviewed registry (paper §B.4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pydantic import Field

from mempabench.catalog import IDENTITY, PROPOSED_SUBSTITUTES, SOURCES
from mempabench.domain.evidence import Identity
from mempabench.domain.personas import EntityKind, ProposedSubstitute
from mempabench.domain.record import Record
from mempabench.domain.registry import words
from mempabench.domain.transcripts import Source
from mempabench.engines.asking import Asker, Question
from mempabench.stages.stage import Stage, Unit, Work

_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "sir", "old", "aunt", "uncle", "st"})


class Swap(Record):
    """One name and what may stand for it."""

    kind: EntityKind
    original: str = Field(min_length=2, max_length=80)
    aliases: tuple[str, ...] = Field(max_length=8)
    substitute: str = Field(min_length=2, max_length=80)
    substitute_aliases: tuple[str, ...] = Field(max_length=8)
    note: str = Field(max_length=200)


class SubstitutesAnswer(Record):
    """All names."""

    substitutes: tuple[Swap, ...] = Field(min_length=1, max_length=120)


def propose_substitutes(
    identities: tuple[Identity, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[ProposedSubstitute]:
    """Yield a substitute for every name of every source."""
    units = (
        Unit(
            source.id,
            source.id,
            (source.changed(files=()), *(i for i in identities if i.source == source.id)),
        )
        for source in sources
    )
    yield from work.each(units, propose)


def propose(unit: Unit, asker: Asker) -> Iterator[ProposedSubstitute]:
    """Ask for the substitutes of one source."""
    source, *rest = unit.payload
    assert isinstance(source, Source)
    identities = [identity for identity in rest if isinstance(identity, Identity)]
    names = tuple(member.name for member in source.cast if member.named)
    answer = asker.ask(
        Question(
            prompt="propose_substitutes",
            inputs={
                "names": "\n".join(names),
                "statements": "\n".join(statement for i in identities for statement in _statements(i)),
            },
            answer=SubstitutesAnswer,
            check=partial(findings, names),
        )
    )
    for swap in answer.substitutes:
        yield ProposedSubstitute(source=source.id, **swap.plain())


def _statements(identity: Identity) -> Iterator[str]:
    yield from identity.roles
    yield from (item.statement for item in identity.items)
    yield from (facet.note for facet in identity.facets)
    yield from (*identity.language_style, *identity.act_repertoire, *identity.interaction_dynamics)


def findings(names: tuple[str, ...], answer: SubstitutesAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer: names left out, used twice, or still recognisable."""
    given = {swap.original.casefold() for swap in answer.substitutes}
    for name in names:
        if name.casefold() not in given:
            yield f"'{name}' was asked for and is missing"
    used: dict[str, str] = {}
    for swap in answer.substitutes:
        if len(swap.aliases) != len(swap.substitute_aliases):
            yield f"'{swap.original}': aliases and substitute_aliases differ in number"
        first = used.setdefault(swap.substitute.casefold(), swap.original)
        if first != swap.original:
            yield f"'{swap.substitute}' stands for both '{first}' and '{swap.original}'"
        yield from _recognisable(swap)


def _recognisable(swap: Swap) -> Iterator[str]:
    if swap.kind in (EntityKind.CATCHPHRASE,):
        return
    shared = {word for word in set(words(swap.original)) & set(words(swap.substitute)) if len(word) > 3}
    if swap.kind is EntityKind.PERSON:
        originals, substitutes = _bare(swap.original), _bare(swap.substitute)
        for position in {0, -1}:
            if originals and substitutes and originals[position][0] == substitutes[position][0]:
                yield f"'{swap.substitute}' keeps an initial of '{swap.original}'"
        if shared:
            yield f"'{swap.substitute}' keeps {', '.join(sorted(shared))} of '{swap.original}'"


def _bare(name: str) -> list[str]:
    """Return a person's names without a title."""
    return [word for word in words(name) if word not in _TITLES]


PROPOSE_SUBSTITUTES = Stage(
    "propose_substitutes",
    version="1",
    reads=(IDENTITY, SOURCES),
    writes=PROPOSED_SUBSTITUTES,
    run=propose_substitutes,
    prompts=("propose_substitutes",),
)
