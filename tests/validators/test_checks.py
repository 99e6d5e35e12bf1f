"""Every rule has a fault planted in the small dataset of ``conftest.py`` that it alone finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mempabench.domain.evidence import Confidence, IdentityObservation, Mode, Quote, Resolution
from mempabench.domain.personas import EntityKind, User
from mempabench.domain.review import Action, Basis, Decision, Outcome, Reason
from mempabench.domain.taxonomy import settings_of
from mempabench.domain.transcripts import CastMember, Direction, Scene, SourceFile
from mempabench.testing import a_proposal, a_scene, a_substitute, an_observation
from mempabench.validators import CHECKS
from mempabench.validators.check import Check, Finding, run_checks
from mempabench.validators.data import Absent, Data
from mempabench_review.log import event_id

Plant = Callable[[Data], Data]

ONE_AFTER = "saltmarsh/s01e02/sc03"
"""The scene that could come next."""


def edit(data: Data, name: str, index: int, /, **values: Any) -> Data:
    """Replace fields of one record, unchecked."""
    records = list(getattr(data, name))
    records[index] = records[index].model_copy(update=values)
    return replace(data, **{name: tuple(records)})


def add(data: Data, name: str, *records: Any) -> Data:
    return replace(data, **{name: (*getattr(data, name), *records)})


def drop(data: Data, name: str, index: int) -> Data:
    records = list(getattr(data, name))
    del records[index]
    return replace(data, **{name: tuple(records)})


def add_scene(*lines: tuple[str, str] | str, id: str = ONE_AFTER, **values: Any) -> Plant:
    """Return a plant that adds a scene with changed fields."""
    return lambda data: add(data, "scenes", a_scene(*lines, id=id).model_copy(update=values))


def add_line(**values: Any) -> Plant:
    """Return a plant that adds a scene of one line with changed fields."""
    scene = a_scene(("otto", "Good night."), id=ONE_AFTER)
    return add_scene(("otto", ""), lines=(scene.lines[0].model_copy(update=values),))


def upside_down(data: Data) -> Data:
    first, second = a_scene("Fog.", "Rain.", id=ONE_AFTER).lines
    swapped = (first.changed(source_line=second.source_line), second.changed(source_line=first.source_line))
    return add_scene("Fog.", lines=swapped)(data)


def quote(scene: Scene, number: int, start: int = 0, end: int = 4) -> Quote:
    """Return the first words of a line."""
    line = scene.lines[number - 1]
    return Quote(line=line.id, start=start, end=end, text=line.text[start:end])


def add_reaction(**values: Any) -> Plant:
    """Return a plant that adds what Otto shows in the third scene, with changed fields."""

    def plant(data: Data) -> Data:
        gate = data.scenes[2]
        reaction = an_observation(
            id=f"{gate.id}/otto/o1",
            scene=gate.id,
            character="otto",
            mode=Mode.PRODUCTION,
            quotes=(quote(gate, 2),),
        )
        return add(data, "evidence", reaction.model_copy(update=values))

    return plant


def add_identity(scene: int = 2, who: str = "otto", **values: Any) -> Plant:
    """Return a plant that adds who Otto is in the third scene, or somebody in another."""

    def plant(data: Data) -> Data:
        place = data.scenes[scene].id
        number = 1 + sum(o.scene == place for o in data.identity_observations)
        shown = IdentityObservation(
            id=f"{place}/{who}/i{number}",
            source="saltmarsh",
            scene=place,
            character=who,
            topic="activity",
            statement="Looks after a gate.",
            quotes=(quote(data.scenes[scene], len(data.scenes[scene].lines)),),
        )
        return add(data, "identity_observations", shown.model_copy(update=values))

    return plant


def quoting(plant: Callable[..., Plant], scene: int, line: int) -> Plant:
    """Return a plant of an observation that quotes a line of a scene."""
    return lambda data: plant(quotes=(quote(data.scenes[scene], line),))(data)


def at(data: Data, name: str, **fields: Any) -> int:
    """Return the place of the first record that has these fields."""
    records = getattr(data, name)
    return next(n for n, r in enumerate(records) if all(getattr(r, k) == v for k, v in fields.items()))


def of_otto(data: Data, attribute: str = "verbosity") -> int:
    """Return where Otto's private cell is proposed; of verbosity there is one observation, uncited."""
    return at(data, "proposed_cells", character="otto", context="personal", attribute=attribute)


def propose(attribute: str = "verbosity", **values: Any) -> Plant:
    return lambda data: edit(data, "proposed_cells", of_otto(data, attribute), **values)


def second(**values: Any) -> Plant:
    """Return a plant that changes what the second reader says of Otto's verbosity."""

    def plant(data: Data) -> Data:
        reading = data.proposed_cells[of_otto(data)].second
        assert reading is not None
        return propose(second=reading.model_copy(update=values))(data)

    return plant


def second_of_nothing(data: Data) -> Data:
    reading = data.proposed_cells[of_otto(data)].second
    return propose("topic_management", second=reading)(data)


LONG = "saltmarsh/s01e01/sc02/otto/o1"
"""Otto's observation."""
TERSE = "saltmarsh/s01e01/sc01/mara/o1"
"""One of Mara's."""


def cell(**values: Any) -> Plant:
    """Return a plant that changes the cell that was kept."""
    return lambda data: edit(data, "cells", at(data, "cells", outcome=Outcome.KEPT), **values)


def last_cell(**values: Any) -> Plant:
    """Return a plant that changes the last cell, which was specified."""
    return lambda data: edit(data, "cells", -1, **values)


def further(data: Data, cell: str, **values: Any) -> tuple[Data, Decision]:
    """Return the data with one more decision at the end of the log, in order in itself, and that decision."""
    own = [decision for decision in data.decisions if decision.cell == cell] or [data.decisions[-1]]
    draft = own[-1].model_copy(
        update={"cell": cell, "reason": "Seen again.", "previous": data.decisions[-1].chained(), **values}
    )
    parts = (draft.cell, draft.reviewer, draft.decided_at, draft.setting, draft.reason, draft.evidence_hash)
    decision = draft.model_copy(update={"event_id": event_id(*parts)})
    return add(data, "decisions", decision), decision


def decide(cell: str, **values: Any) -> Plant:
    """Return a plant that adds a decision on which no cell rests."""
    return lambda data: further(data, cell, **values)[0]


def rest_on_other_evidence(data: Data) -> Data:
    data, decision = further(data, data.cells[-1].key, evidence_hash="0" * 64)
    return last_cell(decision=decision.event_id)(data)


def keep_something_else(data: Data) -> Data:
    place = at(data, "cells", outcome=Outcome.KEPT)
    data, decision = further(data, data.cells[place].key, setting="consultative")
    return edit(data, "cells", place, setting="consultative", decision=decision.event_id)


def decide_again(data: Data) -> Data:
    return further(data, data.cells[-1].key)[0]


def differ(data: Data) -> Data:
    return further(data, data.cells[-1].key, reviewer="second_reader", setting=_other(data.cells[-1]))[0]


def take_back(data: Data) -> Data:
    own = [decision for decision in data.decisions if decision.cell == data.cells[-1].key][-1]
    nothing = {"setting": None, "action": Action.WITHDRAW, "withdraws": own.event_id}
    data, draft = further(data, data.cells[-1].key, **nothing)
    parts = (
        draft.cell,
        draft.reviewer,
        draft.decided_at,
        None,
        draft.reason,
        draft.evidence_hash,
        own.event_id,
    )
    return edit(data, "decisions", -1, event_id=event_id(*parts))


def _other(cell: Any) -> str:
    return next(name for name in settings_of(cell.attribute) if name != cell.setting)


def repeat_decision(data: Data) -> Data:
    last = data.decisions[-1]
    return add(data, "decisions", last.changed(previous=last.chained()))


def add_user(person: str, coverage: int) -> Plant:
    user = User(user="user_b", source="saltmarsh", character=person, coverage=coverage)
    return lambda data: add(data, "users", user)


def add_substitute(original: str, substitute: str, kind: EntityKind = EntityKind.PLACE) -> Plant:
    return lambda data: add(data, "substitutes", a_substitute(original, substitute, kind=kind))


def persona(**values: Any) -> Plant:
    return lambda data: edit(data, "personas", 0, **values)


def one_note_says(words: str) -> Plant:
    def plant(data: Data) -> Data:
        first, *rest = data.personas[0].reception_guidance
        return persona(reception_guidance=(first.changed(note=words), *rest))(data)

    return plant


def first_facet(data: Data) -> Data:
    first, *rest = data.personas[0].facets
    return persona(facets=(first.changed(level="high"), *rest))(data)


def unsupported_facet(data: Data) -> Data:
    first, *rest = data.identity[1].facets
    return edit(data, "identity", 1, facets=(first.changed(observations=()), *rest))


def foreign_item(data: Data) -> Data:
    (item,) = data.identity[0].items
    items = (item.changed(observations=(data.identity_observations[1].id,)),)
    return edit(data, "identity", 0, items=items)


def built(**values: Any) -> Plant:
    return lambda data: replace(data, built=(replace(data.built[0], **values),))


def account(**values: Any) -> Plant:
    def plant(data: Data) -> Data:
        given = data.built[0].account
        assert given is not None
        return built(account=given.changed(**values))(data)

    return plant


def recording(change: Callable[[str], str], name: str = "saltmarsh.writer.jsonl") -> Plant:
    return lambda data: replace(
        data, recordings=(replace(data.recordings[0], text=change(data.recordings[0].text), name=name),)
    )


def more_files(data: Data) -> Data:
    (source,) = data.sources
    return edit(
        data, "sources", 0, files=(*source.files, SourceFile(path="saltmarsh/s01e04.txt", sha256="0" * 64))
    )


def more_cast(data: Data) -> Data:
    (source,) = data.sources
    return edit(data, "sources", 0, cast=(*source.cast, CastMember(person="nils", name="Nils Berg")))


FAULTS: dict[str, Plant] = {
    # scenes and lines
    "E101": add_scene("Fog.", id="saltmarsh/s01e02/scene3"),
    "E102": add_scene("Fog.", id="saltmarsh/s01e02/sc07"),
    "E103": lambda data: add(data, "scenes", data.scenes[0]),
    "E104": add_line(id=f"{ONE_AFTER}/l099"),
    "E105": add_line(number=2, id=f"{ONE_AFTER}/l002"),
    "E106": add_scene("Fog.", id="harbour/s01e01/sc01"),
    "E107": add_scene("Fog.", id="saltmarsh/s01e03/sc01"),
    "E108": more_files,
    "E109": add_scene("Fog.", file="saltmarsh/s01e01.txt"),
    "E110": add_scene(("nobody", "Good night.")),
    "E111": add_line(label=None),
    "E112": add_scene(("otto", "")),
    "E113": add_scene(("otto", "Good  night.")),
    "E114": add_line(directions=(Direction(at=99, text="leaves"),)),
    "E115": upside_down,
    # reactions
    "E201": lambda data: add(data, "evidence", data.evidence[0]),
    "E202": add_reaction(id="saltmarsh/s01e02/sc01/otto/reaction"),
    "E203": add_reaction(id="saltmarsh/s01e02/sc01/otto/o7"),
    "E204": add_reaction(scene="saltmarsh/s01e02/sc09", id="saltmarsh/s01e02/sc09/otto/o1"),
    "E205": lambda data: add_reaction(
        scene=data.scenes[1].id,
        character="driver",
        id=f"{data.scenes[1].id}/driver/o1",
        quotes=(quote(data.scenes[1], 3),),
    )(data),
    "E206": add_reaction(quotes=()),
    "E207": quoting(add_reaction, scene=0, line=2),
    "E208": lambda data: add_reaction(
        quotes=(quote(data.scenes[2], 2).changed(text="It was"),),
    )(data),
    "E209": lambda data: add_reaction(
        scene=data.scenes[0].id,
        id=f"{data.scenes[0].id}/otto/o1",
        quotes=(Quote(line=data.scenes[0].lines[0].id, start=0, end=4, text="Rain"),),
    )(data),
    "E210": quoting(add_reaction, scene=2, line=1),
    "E211": add_reaction(setting="loud"),
    # identity
    "E221": lambda data: add(data, "identity_observations", data.identity_observations[0]),
    "E222": add_identity(id="saltmarsh/s01e02/sc01/otto/observation"),
    "E223": add_identity(id="saltmarsh/s01e02/sc01/otto/i7"),
    "E224": lambda data: add(
        data,
        "identity_observations",
        data.identity_observations[2].changed(
            scene="saltmarsh/s01e02/sc09", id="saltmarsh/s01e02/sc09/mara/i1"
        ),
    ),
    "E225": add_identity(1, "driver"),
    "E226": add_identity(3, "mara"),
    "E227": add_identity(quotes=()),
    "E228": quoting(add_identity, scene=0, line=2),
    "E229": lambda data: add_identity(quotes=(quote(data.scenes[2], 2).changed(start=1, end=5),))(data),
    "E230": lambda data: add_identity(
        0, quotes=(Quote(line=data.scenes[0].lines[0].id, start=0, end=4, text="Rain"),)
    )(data),
    "E231": add_identity(topic="weather"),
    "E232": lambda data: drop(data, "identity", 1),
    "E233": foreign_item,
    "E234": lambda data: edit(data, "identity", 1, facets=data.identity[1].facets[1:]),
    "E235": unsupported_facet,
    # proposals
    "E301": lambda data: drop(data, "proposed_cells", of_otto(data)),
    "E302": lambda data: add(data, "proposed_cells", data.proposed_cells[of_otto(data)]),
    "E303": lambda data: add(
        data, "proposed_cells", a_proposal("driver", setting=None, confidence=Confidence.NONE)
    ),
    "E304": second(setting="loud", supporting=(LONG,), claimed=Confidence.LOW),
    "E305": second(supporting=(LONG,)),
    "E306": second(setting="detailed", claimed=Confidence.LOW),
    "E307": second(setting="detailed", supporting=(TERSE,), claimed=Confidence.LOW),
    "E308": second(resolved=(Resolution(observation=TERSE, circumstances="it rained"),)),
    "E309": second(setting="detailed", supporting=(LONG, LONG), claimed=Confidence.LOW),
    "E310": propose(confidence=Confidence.LOW),
    "E311": second(claimed=Confidence.HIGH),
    "E312": lambda data: propose(quotes=data.evidence[3].quotes)(data),
    "E313": second_of_nothing,
    "E314": second(rationale=" "),
    # users, queue, decisions
    "E401": add_user("driver", 0),
    "E402": add_user("mara", 2),
    "E403": lambda data: edit(data, "users", 0, coverage=9),
    "E404": lambda data: drop(data, "review_items", 0),
    "E405": lambda data: add(data, "review_items", data.review_items[0]),
    "E406": lambda data: edit(data, "review_items", -1, confidence=Confidence.LOW),
    "E411": decide("user_z/work/topic_management"),
    "E412": lambda data: edit(data, "decisions", -1, previous="0" * 64),
    "E413": repeat_decision,
    "E414": lambda data: edit(data, "decisions", -1, reviewer="somebody"),
    "E415": decide("user_a/personal/verbosity", action=Action.DEFER),
    # cells
    "E421": lambda data: drop(data, "cells", -1),
    "E422": lambda data: add(data, "cells", data.cells[0]),
    "E423": lambda data: add(
        data, "cells", data.cells[at(data, "cells", decision=None)].changed(user="user_z")
    ),
    "E424": last_cell(setting="loud"),
    "E425": last_cell(basis=Basis.REVIEWER),
    "E426": cell(outcome=Outcome.CONFIRMED, decision=None),
    "E427": cell(decision=None),
    "E428": cell(observations=()),
    "E429": cell(decision="f" * 32),
    "E430": rest_on_other_evidence,
    "E431": decide_again,
    "E432": last_cell(setting="one_at_a_time"),
    "E433": keep_something_else,
    "E434": last_cell(rationale=" "),
    # registry and personas
    "E501": more_cast,
    "E502": lambda data: edit(data, "substitutes", -1, aliases=("the sluice",)),
    "E503": add_substitute("Otto", "Nils", EntityKind.PERSON),
    "E504": add_substitute("Mill Row", "Reedham Lock"),
    "E505": add_substitute("Karl Benn", "Kurt Wenn", EntityKind.PERSON),
    "E506": add_substitute("Mill Row", "Otto Street"),
    "E511": lambda data: drop(data, "personas", 0),
    "E512": lambda data: add(data, "personas", data.personas[0]),
    "E513": lambda data: persona(reception_guidance=data.personas[0].reception_guidance[1:])(data),
    "E514": lambda data: persona(facets=data.personas[0].facets[::-1])(data),
    "E515": first_facet,
    "E516": persona(name="Berta Kvist"),
    "E517": persona(summary="She minds otto's gate."),
    "E518": persona(summary="They knew the gate is open because of the tide, and left."),
    "E519": one_note_says("She is put off by Task Expansion of any kind."),
    "E520": persona(summary="It was M.F. again, on the Salt-marsh Sluice."),
    # accounts, outputs, recordings
    "E601": built(account=None),
    "E602": account(done=4),
    "E603": account(refusals=()),
    "E604": built(rows=1),
    "E605": built(as_written=False),
    "E611": recording(lambda text: text + "{\n"),
    "E612": recording(str, name="saltmarsh.reader_a.jsonl"),
    "E613": recording(lambda text: text + text.splitlines()[0] + "\n"),
    "E614": recording(lambda text: text.splitlines()[1] + "\n"),
    "E615": lambda data: replace(data, prompts=()),
}


OTHER_FACES: list[tuple[str, Plant]] = [
    ("E111", add_line(speakers=())),
    ("E114", add_line(directions=(Direction(at=3, text="a"), Direction(at=1, text="b")))),
    ("E202", add_reaction(source="harbour", scene="saltmarsh/s01e02/sc01", attribute="verbosity")),
    ("E234", lambda data: edit(data, "identity", 1, facets=_rated(data, "huge"))),
    ("E235", lambda data: edit(data, "identity", 1, items=_kind(data, "rumour"))),
    ("E304", propose(setting="loud", supporting=(LONG,), claimed=Confidence.LOW, confidence=Confidence.LOW)),
    ("E402", lambda data: add(data, "users", data.users[0])),
    ("E415", decide("user_a/personal/verbosity", setting=None)),
    ("E404", lambda data: edit(data, "review_items", 0, reason=Reason.AUDIT)),
    ("E431", differ),
    ("E431", take_back),
    ("E512", lambda data: add(data, "personas", data.personas[0].changed(user="user_z"))),
    ("E612", recording(lambda text: text.replace("saltmarsh/s01e01", "harbour/s01e01"))),
    ("E611", recording(lambda text: text + '{"digest": "1"}\n')),
]
"""Faults that a rule finds beside the one above, perhaps with others."""


def _rated(data: Data, level: str) -> tuple[Any, ...]:
    first, *rest = data.identity[1].facets
    return (first.changed(level=level), *rest)


def _kind(data: Data, kind: str) -> tuple[Any, ...]:
    return tuple(item.changed(kind=kind) for item in data.identity[1].items)


def codes(data: Data) -> set[str]:
    return {finding.code for finding in run_checks(CHECKS, data)}


def test_clean_data_stays_silent(clean: Data) -> None:
    assert list(run_checks(CHECKS, clean)) == []


def test_codes_are_given_once_and_in_order() -> None:
    given = [check.code for check in CHECKS]

    assert given == sorted(set(given))


@pytest.mark.parametrize("code", [check.code for check in CHECKS])
def test_each_check_fires_alone_on_its_planted_fault(code: str, clean: Data) -> None:
    broken = FAULTS[code](clean)

    findings = list(run_checks(CHECKS, broken))

    assert {finding.code for finding in findings} == {code}
    assert all(finding.ran and finding.place for finding in findings)


@pytest.mark.parametrize(("code", "plant"), OTHER_FACES)
def test_a_rule_finds_the_other_faces_of_its_fault(code: str, plant: Plant, clean: Data) -> None:
    assert code in codes(plant(clean))


def test_every_fault_has_its_check() -> None:
    assert set(FAULTS) == {check.code for check in CHECKS}


@pytest.mark.parametrize(
    "text",
    [
        "Otto",
        "ask OTTO",
        "Ottos",
        "otto’s gate",
        "the Lind-Dahl row",
        "Mára, once",
        "a Miss  Field",
        "saltmarsh\nsluice",
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, clean: Data) -> None:
    assert codes(persona(summary=text)(clean)) == {"E517"}


@pytest.mark.parametrize("text", ["a lotto ticket", "ottoman", "Lindy", "the fieldfare"])
def test_a_word_that_holds_a_name_is_none(text: str, clean: Data) -> None:
    assert codes(persona(summary=text)(clean)) == set()


def test_a_part_of_an_unregistered_name_is_found_with_a_capital_only(clean: Data) -> None:
    stranger = more_cast(clean)

    assert "E517" in codes(persona(summary="Nobody but Berg knew.")(stranger))
    assert "E517" not in codes(persona(summary="The berg melted.")(stranger))


@pytest.mark.parametrize(
    "name", [name for name in Data.__dataclass_fields__ if not name.startswith("users_")]
)
def test_what_is_absent_is_never_passed(name: str, clean: Data) -> None:
    without = replace(clean, **{name: Absent("not built yet")})

    findings = list(run_checks(CHECKS, without))

    assert findings
    assert {(finding.words, finding.place, finding.ran) for finding in findings} == {
        ("could not be checked", "not built yet", False)
    }


def test_a_check_that_stumbles_is_a_finding_and_stops_no_other(clean: Data) -> None:
    stumbles = Check("E001", "never told", lambda data: [data.scenes[99].id])
    tells = Check("E002", "told", lambda data: [data.scenes[0].id])

    findings = list(run_checks([stumbles, tells], clean))

    assert findings == [
        Finding("E001", "could not be checked", "IndexError: tuple index out of range", ran=False),
        Finding("E002", "told", "saltmarsh/s01e01/sc01"),
    ]
