"""Every rule over a world has a fault planted in the specimen that it alone finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.world.conftest import specimen

from mempabench.domain.worlds import WorldHeader, WorldRecord, parse_record
from mempabench.validators.check import run_checks
from mempabench.validators.worlds import WORLD_CHECKS, WorldData

Plant = Callable[[WorldData], WorldData]


def edit(key: str, **values: Any) -> Plant:
    """Return a plant that replaces fields of one record."""

    def planted(world: WorldData) -> WorldData:
        assert key in world.by_id
        return WorldData(
            world.header,
            tuple(one.changed(**values) if one.id == key else one for one in world.records),
        )

    return planted


def add(kind: str, **values: Any) -> Plant:
    """Return a plant that adds a record."""
    fields = {"entered": "2027-02-15T09:00:00+01:00", **values}
    return lambda world: WorldData(world.header, (*world.records, parse_record(kind, fields)))


def copied(key: str, **values: Any) -> Plant:
    """Return a plant that adds a record like another."""
    return lambda world: WorldData(world.header, (*world.records, world.by_id[key].changed(**values)))


def both(*plants: Plant) -> Plant:
    def planted(world: WorldData) -> WorldData:
        for plant in plants:
            world = plant(world)
        return world

    return planted


def header(**values: Any) -> Plant:
    return lambda world: WorldData(WorldHeader(**{**world.header.plain(), **values}), world.records)


PLANTS: tuple[tuple[str, Plant, str], ...] = (
    ("E701", copied("note_0001"), "note_0001"),
    ("E702", copied("note_0001", id="cal_0900"), "cal_0900 (note)"),
    ("E703", edit("rem_0002", about="task_0999"), "rem_0002.about (task_0999)"),
    ("E703", edit("task_0002", after=("cal_0001",)), "task_0002.after (cal_0001 is no task)"),
    ("E704", edit("rem_0002", about="task_0006"), "rem_0002.about (task_0006)"),
    ("E705", header(name="Marit Sandval"), "con_0001 (Marit Sandval)"),
    ("E705", edit("con_0001", emails=("marit.sandoval@lanternworks.example",)), "con_0001 (marit@sandoval.example)"),
    ("E706", edit("con_0008", emails=("amara.oyelaran@lanternworks.example",)), "amara.oyelaran@lanternworks.example"),
    ("E707", edit("busy_0001", ends="2027-03-04T08:00:00+01:00"), "busy_0001"),
    ("E707", edit("fare_0001", arrives="2027-03-11T07:00:00+01:00"), "fare_0001"),
    ("E708", edit("mail_0004", sent_at="2027-03-02T20:32:00+01:00"), "mail_0004 (inbox)"),
    ("E708", edit("mail_0006", sent_at="2027-03-02T17:00:00+01:00"), "mail_0006 (drafts)"),
    ("E708", edit("msg_0001", sent_at="2027-03-01T08:21:00+01:00"), "msg_0001"),
    ("E709", edit("mail_0002", sent_at="2027-03-01T10:12:00+01:00"), "mail_0002 (mail_0001)"),
    ("E709", edit("mail_0010", answers="mail_0004", to=("marit.sandoval@lanternworks.example",)),
     "mail_0010 (mail_0004)"),
    ("E710", edit("msg_0003", sender="con_0003"), "msg_0003 (con_0003)"),
    ("E710", edit("conv_0003", members=("con_0002", "con_0003")), "conv_0003"),
    ("E711", edit("mail_0004", context="work"), "mail_0004 (work)"),
    ("E711", edit("mail_0002", sender="marit@sandoval.example"), "mail_0002 (work)"),
    ("E712", edit("ord_0002", delivered_at="2027-02-28T09:00:00+01:00"), "ord_0002"),
    ("E712", edit("ord_0005", dispatched_at=None, delivered_at="2027-03-04T09:00:00+01:00"), "ord_0005"),
    ("E712", edit("ord_0003", due_on="2027-03-01"), "ord_0003"),
    ("E713", edit("task_0004", done_at=None), "task_0004 (done)"),
    ("E713", edit("task_0005", assignee=None), "task_0005 (delegated)"),
    ("E713", edit("task_0002", status="done", done_at="2027-02-15T09:00:00+01:00"), "task_0002 (done)"),
    ("E714", edit("task_0001", after=("task_0002",)), "task_0001"),
    ("E714", edit("tick_0002", blocked_by=("tick_0003",)), "tick_0002"),
    ("E715", edit("clm_0001", total="14.10"), "clm_0001 (14.10)"),
    ("E715", edit("jrn_0003", price="39.00"), "jrn_0003 (39.00)"),
    ("E715", edit("ord_0004", total="41.00"), "ord_0004 (41.00)"),
    ("E716", edit("pay_0001", amount="71.00"), "pay_0001 (71.00, bill_0002)"),
    ("E716", edit("ord_0002", payment=None), "pay_0007 (ord_0002)"),
    ("E716", edit("pay_0005", amount="30.00"), "pay_0005 (30.00, res_0001)"),
    ("E717", edit("pay_0001", on="2027-02-25"), "pay_0001 (paid on 2027-02-25)"),
    ("E717", edit("pay_0002", on="2027-02-28"), "pay_0002 (scheduled on 2027-02-28)"),
    ("E718", edit("acct_0003", balance="-0.01"), "acct_0003"),
    ("E719", edit("cal_0003", guests=({"contact": "con_0001"}, {"contact": "con_0001", "reply": "accepted"})),
     "cal_0003"),
    ("E719", edit("cal_0003", guests=({"contact": "con_0003"},)), "cal_0003"),
    ("E719", edit("cal_0002", guests=({"contact": "con_0001"},)), "cal_0002"),
    ("E720", edit("cal_0010", starts="2027-03-11T09:00:00+01:00", ends="2027-03-11T10:00:00+01:00",
                  status="confirmed"), "cal_0010 (cal_0015)"),
    ("E721", edit("rbk_0004", starts="2027-03-04T11:00:00+01:00"), "rbk_0003 (rbk_0004)"),
    ("E721", edit("rbk_0002", room="room_0001"), "rbk_0002 (cal_0013)"),
    ("E721", edit("rbk_0003", ends="2027-03-04T11:00:00+01:00"), "rbk_0003 (cal_0004)"),
    ("E722", edit("cal_0003", starts="2027-03-05T07:00:00+01:00"), "cal_0003 (plc_0003)"),
    ("E722", edit("plc_0012", closed_on=("2027-02-27",)), "res_0003 (plc_0012)"),
    ("E723", edit("plc_0010", hours=({"weekday": 3, "opens": "18:00", "closes": "08:00"},)), "plc_0010"),
    ("E723", edit("plc_0010", hours=tuple({"weekday": 3, "opens": at, "closes": "18:00"}
                                         for at in ("08:00", "12:00"))), "plc_0010"),
    ("E724", edit("slot_0018", starts="2027-03-07T18:30:00+01:00"), "res_0001 (slot_0018)"),
    ("E724", edit("cal_0016", starts="2027-03-12T17:30:00+01:00"), "jrn_0002 (cal_0016)"),
    ("E724", edit("cal_0018", about=()), "res_0002 (cal_0018)"),
    ("E725", edit("ord_0004", shop="Paper Moon"), "ord_0004"),
    ("E725", edit("ord_0004", address=None), "ord_0004"),
    ("E726", edit("dev_0001", setting="purple"), "dev_0001 (purple)"),
    ("E726", edit("dev_0003", by_hand_only=("ajar",)), "dev_0003 (locked)"),
    ("E726", edit("rout_0003", settings=({"device": "dev_0001", "setting": "pink"},)), "rout_0003 (dev_0001: pink)"),
    ("E727", edit("file_0003", path="Ideas.txt"), "ideas.txt"),
    ("E727", edit("file_0003", path="ideas.txt/new.txt"), "ideas.txt/new.txt"),
    ("E727", edit("file_0003", copied_version=4), "file_0003 (doc_0001 has 3)"),
    ("E728", edit("exp_0005", claim=None), "exp_0005 (no claim)"),
    ("E729", edit("min_0001", event="cal_0002"), "min_0001 (cal_0002)"),
    ("E730", edit("rfl_0001", ready_on="2027-03-01"), "rfl_0001 (2027-03-01)"),
    ("E730", edit("rfl_0001", ready_on="2027-03-07"), "rfl_0001 (2027-03-07)"),
    ("E730", edit("rfl_0001", ready_on="2027-03-03"), "rfl_0001 (2027-03-03)"),
    ("E731", edit("note_0003", body="See {{acct_0001.total}}."), "note_0003 (acct_0001.total)"),
    ("E731", edit("note_0003", body="See {{bill 1}}."), "note_0003 (.bill 1)"),
    ("E731", edit("note_0003", body="See {{cal_0001.starts|loud}}."), "note_0003 (cal_0001.starts|loud)"),
    ("E732", edit("note_0003", body="Pay {{bill_0005.amount}}."), "note_0003 (bill_0005)"),
    ("E733", edit("note_0003", body="It was 93.40 in all."), "note_0003 (93.40)"),
    ("E734", edit("note_0003", body="On Friday the 4th of March."), "note_0003 (Friday the 4th of March)"),
    ("E734", edit("mail_0004", body="Sunday 30 February, then."), "mail_0004 (Sunday 30 February)"),
)  # fmt: skip


def found(world: WorldData) -> list[tuple[str, str]]:
    return [(finding.code, finding.place) for finding in run_checks(WORLD_CHECKS, world)]


def test_the_specimen_keeps_every_rule() -> None:
    assert found(WorldData(*specimen())) == []


@pytest.mark.parametrize(
    ("code", "plant", "place"), PLANTS, ids=[f"{number}-{code}" for number, (code, _, _) in enumerate(PLANTS)]
)
def test_each_rule_finds_its_fault_and_no_other_does(code: str, plant: Plant, place: str) -> None:
    told = found(plant(WorldData(*specimen())))

    assert (code, place) in told
    assert {one for one, _ in told} == {code}


def test_every_rule_has_a_planted_fault() -> None:
    assert {code for code, _, _ in PLANTS} == {rule.code for rule in WORLD_CHECKS}
    assert len({rule.code for rule in WORLD_CHECKS}) == len(WORLD_CHECKS)


def test_a_date_with_its_own_weekday_an_hour_and_a_version_are_no_faults() -> None:
    body = "On Thursday 4 March at 10.30, version 2.10.1, from 2027.02.15, Thursday, 4th of March."

    assert found(edit("note_0003", body=body)(WorldData(*specimen()))) == []


def test_records_are_world_records() -> None:
    assert all(isinstance(record, WorldRecord) for record in specimen()[1])
