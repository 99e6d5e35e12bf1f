"""Slots in prose: filled when a world is opened, refused when they name nothing."""

from __future__ import annotations

import pytest
from tests.world.conftest import NOW, done, opened, specimen

from mempabench.domain.worlds import Note, WorldRecord
from mempabench.errors import InputError
from mempabench.world.binding import bound


def filled(body: str) -> str:
    """Return a note's text after binding."""
    header, records = specimen()
    note = Note(id="note_0900", entered=NOW, title="T", body=body, context="work", updated_at=NOW)  # type: ignore[arg-type]
    kept: tuple[WorldRecord, ...] = (*records, note)
    last = bound(header, kept)[-1]
    assert isinstance(last, Note)
    return last.body


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        ("{{bill_0001.amount}}", "64.20"),
        ("{{bill_0001.due}}", "Monday 15 March"),
        ("{{bill_0001.due|date}}", "15 March 2027"),
        ("{{cal_0003.starts}}", "Friday 5 March at 14:00"),
        ("{{cal_0003.starts|time}}", "14:00"),
        ("{{cal_0003.starts|weekday}}", "Friday"),
        ("{{cal_0003.starts|day}}", "Friday 5 March"),
        ("{{con_0005.name}}", "Lucía Sandoval"),
        ("{{doc_0001.version}}", "3"),
        ("no {slot} here", "no {slot} here"),
    ],
)
def test_a_slot_says_what_its_record_holds(slot: str, words: str) -> None:
    assert filled(f"See {slot}.") == f"See {words}."


@pytest.mark.parametrize(
    ("slot", "why"),
    [
        ("{{bill_0999.amount}}", "names no field of a record"),
        ("{{bill_0001.total}}", "names no field of a record"),
        ("{{bill 1}}", "names no field of a record"),
        ("{{bill_0001.amount|day}}", "'day' is no form of it"),
        ("{{bill_0001.due|time}}", "a day has no time"),
        ("{{cal_0003.guests}}", "nothing that prose can say"),
        ("{{con_0005.on_chat}}", "nothing that prose can say"),
    ],
)
def test_a_slot_that_names_nothing_is_refused(slot: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        filled(slot)


def test_an_opened_world_has_its_slots_filled() -> None:
    world = opened().branch()

    assert "64.20, due on Monday 15 March." in done(world, "mail_read", mail_id="mail_0005")["body"]
    assert not any("{{" in record.model_dump_json() for record in world.state.records())
