"""Pass two: evidence -> one proposed setting a cell, with a rationale and granted confidence (paper §B.2, §B.3).

The answerer's confidence is only claimed. ``high`` is granted by code: two or more reception observations
from different episodes, agreeing, and no contrary one unresolved. A second reader judges the same
observations independently; the proposal is the first reader's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal

from pydantic import Field

from mempabench.catalog import EVIDENCE, PROPOSED_CELLS, SOURCES
from mempabench.domain.evidence import Confidence, Mode, Observation, ProposedCell, Reading, Resolution
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import TAXONOMY, AttributeSpec, Context, settings_of
from mempabench.domain.transcripts import CastMember, Source
from mempabench.engines.asking import Asker, Question
from mempabench.stages.presenting import attribute_text, observation_text
from mempabench.stages.stage import Stage, Unit, Work

SEATS = ("reader_a", "reader_b")
"""The proposing reader and the independent second one."""


class Contrary(Record):
    """A contrary observation and what explains it."""

    observation: str = Field(min_length=3, max_length=120)
    circumstances: str = Field(min_length=12, max_length=400)


class CellAnswer(Record):
    """What one reader makes of one cell."""

    setting: str | None = Field(max_length=30)
    rationale: str = Field(min_length=20, max_length=900)
    supporting: tuple[str, ...] = Field(max_length=24)
    resolved: tuple[Contrary, ...] = Field(max_length=12)
    claimed: Literal["high", "medium", "low", "none"]


class CellsAnswer(Record):
    """Both contexts of one attribute."""

    work: CellAnswer
    personal: CellAnswer


def propose_cells(
    evidence: tuple[Observation, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[ProposedCell]:
    """Yield both cells of every candidate and attribute."""
    yield from work.each(_units(evidence, sources), propose)


def _units(evidence: tuple[Observation, ...], sources: tuple[Source, ...]) -> Iterator[Unit]:
    for source in sources:
        members = {member.person: member for member in source.cast}
        for person in source.candidates:
            own = [o for o in evidence if o.source == source.id and o.character == person]
            for spec in TAXONOMY:
                relevant = (o for o in own if o.attribute is spec.attribute)
                unit_id = f"{source.id}/{person}/{spec.attribute}"
                yield Unit(unit_id, source.id, (members[person], spec, *relevant))


def propose(unit: Unit, asker: Asker) -> Iterator[ProposedCell]:
    """Propose the work and the personal cell of one candidate and attribute."""
    member, spec, *rest = unit.payload
    assert isinstance(member, CastMember)
    assert isinstance(spec, AttributeSpec)
    evidence = tuple(o for o in rest if isinstance(o, Observation))
    if not evidence:
        for context in Context:
            yield _without_evidence(unit.group, member.person, context, spec)
        return
    questions = [_question(member, spec, evidence, seat) for seat in SEATS]
    first, second = asker.ask_all(questions)
    for context in Context:
        mine = tuple(o for o in evidence if o.context is context)
        yield proposed_cell(
            unit.group,
            member.person,
            context,
            spec,
            mine,
            _reading(first, context),
            _reading(second, context),
        )


def _question(
    member: CastMember, spec: AttributeSpec, evidence: tuple[Observation, ...], seat: str
) -> Question[CellsAnswer]:
    shown = {context: _shown(o for o in evidence if o.context is context) for context in Context}
    return Question(
        prompt="propose_cells",
        inputs={
            "name": member.name,
            "attribute": attribute_text(spec),
            "work": shown[Context.WORK],
            "personal": shown[Context.PERSONAL],
        },
        answer=CellsAnswer,
        seat=seat,
        check=partial(findings, spec, evidence),
    )


def _shown(evidence: Iterable[Observation]) -> str:
    return "\n".join(observation_text(o) for o in evidence) or "(none)"


def _reading(answer: CellsAnswer, context: Context) -> Reading:
    cell = answer.work if context is Context.WORK else answer.personal
    return Reading(
        setting=cell.setting,
        rationale=cell.rationale,
        supporting=cell.supporting,
        resolved=tuple(
            Resolution(observation=contrary.observation, circumstances=contrary.circumstances)
            for contrary in cell.resolved
        ),
        claimed=Confidence(cell.claimed),
    )


def findings(spec: AttributeSpec, evidence: tuple[Observation, ...], answer: CellsAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer, cell by cell."""
    for context, cell in ((Context.WORK, answer.work), (Context.PERSONAL, answer.personal)):
        known = {o.id: o for o in evidence if o.context is context}
        for problem in _cell_findings(spec, known, cell):
            yield f"{context}: {problem}"


def _cell_findings(spec: AttributeSpec, known: dict[str, Observation], cell: CellAnswer) -> Iterator[str]:
    names = settings_of(spec.attribute)
    if cell.setting is not None and cell.setting not in names:
        yield f"'{cell.setting}' is no setting of {spec.attribute}; it has {', '.join(names)}"
    if (cell.setting is None) != (cell.claimed == "none"):
        yield "claimed must be none exactly when setting is null"
    if (cell.setting is None) == bool(cell.supporting):
        yield "a setting needs supporting observations, and null has none"
    for name in cell.supporting:
        if name in known and known[name].setting != cell.setting:
            yield f"'{name}' speaks for {known[name].setting}, so it can't support {cell.setting}; leave it out"
    for contrary in cell.resolved:
        if contrary.observation in known and known[contrary.observation].setting == cell.setting:
            yield f"'{contrary.observation}' speaks for {cell.setting} and is not contrary; cite it as supporting"
    cited = [*cell.supporting, *(contrary.observation for contrary in cell.resolved)]
    for name in cited:
        if name not in known:
            yield f"'{name}' is no observation of this context; there are {', '.join(known) or 'none'}"
        if cited.count(name) > 1:
            yield f"'{name}' is cited twice"


def _without_evidence(source: str, person: str, context: Context, spec: AttributeSpec) -> ProposedCell:
    return ProposedCell(
        source=source,
        character=person,
        context=context,
        attribute=spec.attribute,
        setting=None,
        confidence=Confidence.NONE,
        grounds="no observation speaks for this attribute",
        claimed=Confidence.NONE,
        rationale="No scene shows anything for this attribute in either context.",
        supporting=(),
    )


def proposed_cell(
    source: str,
    person: str,
    context: Context,
    spec: AttributeSpec,
    evidence: tuple[Observation, ...],
    first: Reading,
    second: Reading,
) -> ProposedCell:
    """Return the first reader's proposal with granted confidence and the second reader's beside it."""
    by_id = {o.id: o for o in evidence}
    confidence, grounds = granted(first, evidence)
    return ProposedCell(
        source=source,
        character=person,
        context=context,
        attribute=spec.attribute,
        setting=first.setting,
        confidence=confidence,
        grounds=grounds,
        claimed=first.claimed,
        rationale=first.rationale,
        supporting=first.supporting,
        resolved=first.resolved,
        quotes=tuple(quote for name in first.supporting for quote in by_id[name].quotes),
        contrary_quotes=tuple(quote for r in first.resolved for quote in by_id[r.observation].quotes),
        second=second,
    )


def granted(reading: Reading, evidence: Iterable[Observation]) -> tuple[Confidence, str]:
    """Return the confidence that the evidence earns a reading, and why.

    ``high``: supporting reception observations that agree, from two episodes or more, and every contrary
    reception observation of the cell resolved by circumstances. ``medium``: one supporting reception
    observation that agrees, or agreeing production from two episodes. ``low``: anything else with a setting.
    An observation agrees when the setting it speaks for is the proposed one.
    """
    if reading.setting is None:
        return Confidence.NONE, "no setting is proposed"
    by_id = {o.id: o for o in evidence}
    cited = [by_id[name] for name in reading.supporting if by_id[name].setting == reading.setting]
    reception = {o.episode for o in cited if o.mode is Mode.RECEPTION}
    production = {o.episode for o in cited if o.mode is Mode.PRODUCTION}
    resolved = {resolution.observation for resolution in reading.resolved}
    contrary = [
        o.id
        for o in by_id.values()
        if o.mode is Mode.RECEPTION and o.setting != reading.setting and o.id not in resolved
    ]
    episodes = f"reception in {len(reception)} and production in {len(production)} episodes agree"
    if len(reception) >= 2 and not contrary:
        return Confidence.HIGH, f"{episodes}; none contrary unresolved"
    if reception or len(production) >= 2:
        return Confidence.MEDIUM, f"{episodes}; {len(contrary)} contrary unresolved"
    return Confidence.LOW, f"{episodes}; {len(contrary)} contrary unresolved"


PROPOSE_CELLS = Stage(
    "propose_cells",
    version="1",
    reads=(EVIDENCE, SOURCES),
    writes=PROPOSED_CELLS,
    run=propose_cells,
    prompts=("propose_cells",),
)
