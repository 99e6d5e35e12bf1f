"""The records of a world: schemas, collections, references, the text form."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from tests.world.conftest import specimen

from mempabench.domain.record import canonical_json
from mempabench.domain.worlds import KINDS, Event, Order, kind_of, parse_record, references
from mempabench.errors import InputError
from mempabench.record_schemas import schema_text
from mempabench.world.loading import read_world, write_world
from mempabench.world.state import State

EVENT = {
    "id": "cal_0900",
    "entered": "2027-02-15T09:00:00+01:00",
    "title": "Talk",
    "context": "work",
    "starts": "2027-03-05T14:00:00+01:00",
    "ends": "2027-03-05T15:00:00+01:00",
    "organizer": "con_0001",
    "guests": [{"contact": "con_0003"}, {"contact": "con_0002"}],
}


def test_the_specimen_has_every_kind_of_record_over_three_weeks() -> None:
    header, records = specimen()
    entered = sorted(record.entered for record in records)

    assert {record.kind for record in records} == set(KINDS)
    assert header.user == "specimen"
    assert 20 <= (entered[-1] - datetime.fromisoformat("2027-02-15T09:00:00+01:00")).days <= 30


@pytest.mark.parametrize("kind", list(KINDS))
def test_records_keep_to_their_schema(kind: str) -> None:
    validator = Draft202012Validator(json.loads(schema_text(KINDS[kind], f"world_{kind}")))

    for record in specimen()[1]:
        if record.kind == kind:
            validator.validate(record.plain())


def test_the_text_form_comes_back_the_same() -> None:
    header, records = specimen()

    again = read_world(write_world(header, reversed(records)), "again")

    assert again == (header, records)


def test_order_in_a_set_means_nothing_and_a_member_stands_once() -> None:
    one = parse_record("event", EVENT)
    other = parse_record("event", {**EVENT, "guests": list(reversed(EVENT["guests"]))})

    assert canonical_json(one) == canonical_json(other)
    with pytest.raises(ValidationError, match="given twice"):
        parse_record("event", {**EVENT, "guests": [{"contact": "con_0002"}, {"contact": "con_0002"}]})


def test_order_in_a_list_means_something_and_in_a_multiset_nothing_but_repetition() -> None:
    order = next(record for record in specimen()[1] if isinstance(record, Order))
    line: dict[str, Any] = {"product": "prod_0001", "quantity": 1, "price": "34.00"}
    more = {**line, "quantity": 2}

    one, other = order.changed(lines=(line, more, line)), order.changed(lines=(line, line, more))

    assert canonical_json(one) == canonical_json(other)
    assert canonical_json(order.changed(lines=(line, more))) != canonical_json(one)
    task = next(record for record in specimen()[1] if record.id == "task_0001")
    steps = task.plain()["steps"]
    assert canonical_json(task.changed(steps=tuple(reversed(steps)))) != canonical_json(task)


def test_one_instant_in_two_zones_is_one_instant_and_without_an_offset_none() -> None:
    same = parse_record("event", {**EVENT, "starts": "2027-03-05T13:00:00Z"})

    assert canonical_json(same) == canonical_json(parse_record("event", EVENT))
    with pytest.raises(ValidationError, match="timezone"):
        parse_record("event", {**EVENT, "starts": "2027-03-05T14:00:00"})


def test_records_are_closed() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        parse_record("event", {**EVENT, "mood": "good"})


def test_references_are_found_in_nested_records_too() -> None:
    event = parse_record("event", {**EVENT, "about": ["task_0001"]})

    assert isinstance(event, Event)
    assert set(references(event)) == {
        ("organizer", "contact", "con_0001"),
        ("contact", "contact", "con_0002"),
        ("contact", "contact", "con_0003"),
        ("about", "", "task_0001"),
    }


def test_an_id_says_its_kind() -> None:
    assert {kind: kind_of(f"{record.prefix}_0001") for kind, record in KINDS.items()} == {
        kind: kind for kind in KINDS
    }
    assert kind_of("cal_n0003") == "event"
    assert kind_of("cal") is None
    assert kind_of("cal_x1") is None


def test_a_state_refuses_an_id_given_twice_and_one_of_another_kind() -> None:
    event = parse_record("event", EVENT)

    with pytest.raises(InputError, match="cal_0900: a record with this id is there already"):
        State.of([event, event])
    with pytest.raises(InputError, match="mail_0900: no id for event"):
        State.of([event.changed(id="mail_0900")])
