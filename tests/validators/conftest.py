"""A whole small dataset that keeps every rule: two candidates of *Saltmarsh*, one of them cast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import pytest

from mempabench.domain.evidence import (
    Confidence,
    Facet,
    Identity,
    IdentityItem,
    IdentityObservation,
    Mode,
    ProposedCell,
    Quote,
    Reading,
)
from mempabench.domain.manifests import Account, Refusal
from mempabench.domain.personas import EntityKind, Guidance, Persona, PersonaItem, Substitute, User
from mempabench.domain.record import canonical_json
from mempabench.domain.review import (
    Action,
    Basis,
    Cell,
    ContextVerdict,
    Decision,
    Outcome,
    Reason,
    ReviewItem,
    cell_key,
)
from mempabench.domain.review import Mode as ReviewMode
from mempabench.domain.taxonomy import FACETS, Attribute, Context, settings_of
from mempabench.domain.transcripts import Scene, SourceFile
from mempabench.testing import (
    a_prompt,
    a_proposal,
    a_reading,
    a_recording,
    a_request,
    a_scene,
    a_source,
    a_substitute,
    an_observation,
)
from mempabench.validators.data import BuiltStage, Data, RecordedFile
from mempabench_review.log import event_id

SOURCE = a_source(
    files=tuple(SourceFile(path=f"saltmarsh/s01e0{n}.txt", sha256="0" * 64) for n in (1, 2)),
)
SLUICE = a_scene(
    "Rain on the sluice.",
    ("otto", "The gate is open because of the tide, and the tide because of the moon."),
    ("mara", "Just say whether it is open."),
)
KITCHEN = a_scene(
    ("mara", "Nobody calls me Miss Field at home, thank you."),
    ("otto", "Fine by me, and long may it last."),
    ("driver", "Mind the step."),
    id="saltmarsh/s01e01/sc02",
)
GATE = a_scene(
    ("mara", "Open or shut, that is all I asked. And good evening to you, sir."),
    ("otto", "It is shut."),
    id="saltmarsh/s01e02/sc01",
)
YARD = a_scene(("otto", "Nobody here but me."), id="saltmarsh/s01e02/sc02")


def quoted(scene: Scene, words: str) -> Quote:
    """Return words of a scene, bound to the line that has them."""
    line = next(line for line in scene.lines if words in line.text)
    start = line.text.index(words)
    return Quote(line=line.id, start=start, end=start + len(words), text=words)


TERSE = an_observation(quotes=(quoted(SLUICE, "Just say whether"),))
STIFF = an_observation(
    id=f"{SLUICE.id}/mara/o2",
    mode=Mode.PRODUCTION,
    attribute=Attribute.TONE_FORMALITY,
    setting="formal",
    quotes=(quoted(SLUICE, "whether it is open"),),
)
CASUAL = an_observation(
    id=f"{KITCHEN.id}/mara/o1",
    scene=KITCHEN.id,
    context=Context.PERSONAL,
    attribute=Attribute.TONE_FORMALITY,
    setting="casual",
    quotes=(quoted(KITCHEN, "Nobody calls me"), quoted(KITCHEN, "thank you")),
)
LONG = an_observation(
    id=f"{KITCHEN.id}/otto/o1",
    scene=KITCHEN.id,
    character="otto",
    context=Context.PERSONAL,
    mode=Mode.PRODUCTION,
    setting="detailed",
    quotes=(quoted(KITCHEN, "long may it last"),),
)
TERSE_AGAIN = an_observation("s01e02", quotes=(quoted(GATE, "Open or shut"),))
FORMAL = an_observation(
    "s01e02",
    id=f"{GATE.id}/mara/o2",
    context=Context.PERSONAL,
    attribute=Attribute.TONE_FORMALITY,
    setting="formal",
    quotes=(quoted(GATE, "good evening to you, sir"),),
)
EVIDENCE = (TERSE, STIFF, CASUAL, LONG, TERSE_AGAIN, FORMAL)

NOTHING = Reading(setting=None, rationale="None of it is about this respect.", claimed=Confidence.NONE)
PROPOSED = {
    ("mara", Context.WORK, Attribute.VERBOSITY): (a_reading([TERSE, TERSE_AGAIN]), Confidence.HIGH),
    ("mara", Context.WORK, Attribute.TONE_FORMALITY): (a_reading([STIFF], "formal"), Confidence.LOW),
    ("mara", Context.PERSONAL, Attribute.TONE_FORMALITY): (
        a_reading([CASUAL], "casual", resolved=[FORMAL.id]),
        Confidence.MEDIUM,
    ),
}


def proposals() -> Iterator[ProposedCell]:
    """Yield both cells of every candidate and attribute."""
    observed = {(o.character, o.attribute) for o in EVIDENCE}
    by_id = {o.id: o for o in EVIDENCE}
    for person in SOURCE.candidates:
        for attribute in Attribute:
            for context in Context:
                reading, confidence = PROPOSED.get((person, context, attribute), (NOTHING, Confidence.NONE))
                yield a_proposal(
                    person,
                    attribute,
                    reading.setting,
                    confidence,
                    context=context,
                    claimed=reading.claimed,
                    rationale=reading.rationale,
                    supporting=reading.supporting,
                    resolved=reading.resolved,
                    quotes=tuple(quote for name in reading.supporting for quote in by_id[name].quotes),
                    contrary_quotes=tuple(q for r in reading.resolved for q in by_id[r.observation].quotes),
                    second=reading if (person, attribute) in observed else None,
                )


REASONS = {
    Confidence.NONE: Reason.NO_EVIDENCE,
    Confidence.LOW: Reason.LOW_CONFIDENCE,
    Confidence.MEDIUM: Reason.MEDIUM_CONFIDENCE,
}


def an_item(proposal: ProposedCell) -> ReviewItem:
    """Return the cell of user_a as it waits."""
    return ReviewItem(
        cell=cell_key("user_a", proposal.context, proposal.attribute),
        user="user_a",
        context=proposal.context,
        attribute=proposal.attribute,
        reason=REASONS[proposal.confidence],
        proposal=proposal.setting,
        confidence=proposal.confidence,
        rationale=proposal.rationale,
        observations=proposal.cited,
        quotes=proposal.cited_quotes,
        scenes=tuple(dict.fromkeys(quote.line.rsplit("/", 1)[0] for quote in proposal.cited_quotes)),
        evidence_hash=proposal.evidence_hash(),
    )


def a_decision(
    cell: str, setting: str | None, action: Action, evidence_hash: str, reason: str = "The tests need it."
) -> Decision:
    """Return a decision that isn't chained yet, under its right id."""
    at = datetime(2026, 1, 30, 9, 30, tzinfo=UTC)
    return Decision(
        event_id=event_id(cell, "tester", at, setting, reason, evidence_hash),
        previous=None,
        cell=cell,
        action=action,
        setting=setting,
        reason=reason,
        context_verdict=ContextVerdict.WARRANTED,
        mode=ReviewMode.ASSISTED,
        reviewer="tester",
        reviewer_kind="human",
        decided_at=at,
        evidence_hash=evidence_hash,
        taxonomy_version="1",
        guide_version="1",
    )


def decided(item: ReviewItem) -> Decision:
    """Return what was decided: casual stands, formal becomes consultative, the rest is specified."""
    if item.proposal is None:
        return a_decision(item.cell, settings_of(item.attribute)[0], Action.SPECIFY, item.evidence_hash)
    if item.proposal == "formal":
        return a_decision(item.cell, "consultative", Action.CHANGE, item.evidence_hash)
    return a_decision(item.cell, item.proposal, Action.KEEP, item.evidence_hash)


def chained(log: Sequence[Decision], *more: Decision) -> tuple[Decision, ...]:
    """Return a log with further events at its end."""
    whole = list(log)
    for event in more:
        whole.append(event.changed(previous=whole[-1].chained() if whole else None))
    return tuple(whole)


RESULTS = {
    Action.KEEP: (Outcome.KEPT, Basis.EXTRACTED),
    Action.CHANGE: (Outcome.CHANGED, Basis.REVIEWER),
    Action.SPECIFY: (Outcome.SPECIFIED, Basis.DESIGNED),
}


def a_cell(proposal: ProposedCell, decision: Decision | None) -> Cell:
    """Return the settled cell of user_a."""
    outcome, basis = RESULTS[decision.action] if decision else (Outcome.CONFIRMED, Basis.EXTRACTED)
    return Cell.model_validate(
        {
            "user": "user_a",
            "context": proposal.context,
            "attribute": proposal.attribute,
            "setting": decision.setting if decision else proposal.setting,
            "outcome": outcome,
            "basis": basis,
            "confidence": proposal.confidence,
            "proposal": proposal.setting,
            "rationale": decision.reason if decision else proposal.rationale,
            "observations": proposal.cited,
            "decision": decision.event_id if decision else None,
        }
    )


def seen(scene: Scene, person: str, number: int, words: str) -> IdentityObservation:
    """Return an observation of who somebody is."""
    return IdentityObservation(
        id=f"{scene.id}/{person}/i{number}",
        source="saltmarsh",
        scene=scene.id,
        character=person,
        topic="activity",
        statement=f"{person.title()} looks after a sluice.",
        quotes=(quoted(scene, words),),
    )


IDENTITY_OBSERVATIONS = (
    seen(SLUICE, "mara", 1, "open"),
    seen(SLUICE, "otto", 2, "the tide"),
    seen(GATE, "mara", 1, "Open or shut"),
)


def an_identity(person: str, observations: Iterable[IdentityObservation]) -> Identity:
    """Return an identity that rests on all that was observed."""
    ids = tuple(o.id for o in observations if o.character == person)
    return Identity(
        source="saltmarsh",
        character=person,
        roles=("keeper of a sluice", "neighbour"),
        items=(IdentityItem(kind="activity", statement="Looks after a sluice.", observations=ids),),
        facets=(
            Facet(name=FACETS[0], level="low", note="Keeps apart.", observations=ids),
            *(Facet(name=name, level=None, note="Nothing shows it.") for name in FACETS[1:]),
        ),
        language_style=("Short sentences.",),
        act_repertoire=("answers a question with a question",),
        interaction_dynamics=("Warms up slowly.",),
    )


def registry() -> tuple[Substitute, ...]:
    """Return the reviewed substitutes."""
    return (
        a_substitute("Mara Field", "Berta Quist", {"Mara": "Berta", "Field": "Quist"}),
        a_substitute("Otto Lind", "Sven Dahl", {"Otto": "Sven", "Lind": "Dahl"}),
        a_substitute("Saltmarsh Sluice", "Reedham Lock", kind=EntityKind.PLACE),
    )


def a_persona() -> Persona:
    """Return the persona of user_a."""
    identity = an_identity("mara", IDENTITY_OBSERVATIONS)
    return Persona(
        user="user_a",
        name="Berta Quist",
        summary="Berta Quist keeps a lock and lives beside it.",
        roles=identity.roles,
        items=(PersonaItem(kind="activity", statement="Looks after a lock."),),
        facets=tuple(facet.changed(observations=()) for facet in identity.facets),
        language_style=identity.language_style,
        act_repertoire=identity.act_repertoire,
        interaction_dynamics=identity.interaction_dynamics,
        production_guidance=("She says what has to be said and stops.",),
        reception_guidance=tuple(
            Guidance(
                context=context, attribute=attribute, note="She looks up, nods, and goes on with the rope."
            )
            for context in Context
            for attribute in Attribute
        ),
    )


def recorded() -> RecordedFile:
    """Return recordings of one request: refused at first, then accepted."""
    answers = (a_recording(a_request(attempt=attempt), {"reactions": []}) for attempt in (1, 2))
    text = "".join(canonical_json(answer) + "\n" for answer in answers)
    return RecordedFile("find_reactions", "saltmarsh.writer.jsonl", text)


@pytest.fixture
def clean() -> Data:
    """The dataset."""
    proposed = tuple(proposals())
    own = [proposal for proposal in proposed if proposal.character == "mara"]
    items = tuple(an_item(proposal) for proposal in own if proposal.confidence is not Confidence.HIGH)
    log = chained((), *(decided(item) for item in items))
    by_cell = {decision.cell: decision for decision in log}
    unit = f"{SLUICE.id}/mara"
    account = Account(
        stage="find_reactions",
        units=6,
        done=5,
        refused=1,
        in_review=0,
        rows=len(EVIDENCE),
        refusals=(Refusal(unit=unit, seat="writer", attempt=1, findings=("line 9 is not there",)),),
    )
    return Data(
        sources=(SOURCE,),
        scenes=(SLUICE, KITCHEN, GATE, YARD),
        evidence=EVIDENCE,
        identity_observations=IDENTITY_OBSERVATIONS,
        identity=tuple(an_identity(person, IDENTITY_OBSERVATIONS) for person in SOURCE.candidates),
        proposed_cells=proposed,
        users=(User(user="user_a", source="saltmarsh", character="mara", coverage=2),),
        review_items=items,
        decisions=log,
        cells=tuple(a_cell(p, by_cell.get(cell_key("user_a", p.context, p.attribute))) for p in own),
        substitutes=registry(),
        personas=(a_persona(),),
        built=(BuiltStage("find_reactions", account, len(EVIDENCE), as_written=True),),
        recordings=(recorded(),),
        prompts=(a_prompt(),),
        users_with_queue=("user_a",),
        users_with_cells=("user_a",),
        users_with_personas=("user_a",),
    )
