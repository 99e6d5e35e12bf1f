"""Branches, checkpoints, locks, the journal: any interleaving equals a simple model."""

from __future__ import annotations

import copy
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.world.cases import CASES
from tests.world.conftest import NOW, done, opened, refused

from mempabench.domain.record import canonical_json
from mempabench.errors import InputError
from mempabench.world.branch import Branch, replay
from mempabench.world.state import Change, State, diff
from mempabench.world.toolbox import world_tools

Model = dict[str, str]
"""What a state holds, as the simplest thing that can say it: canonical JSON by id."""
CALLS = [
    (case.tool, case.arguments) for case in CASES if not case.edits and not case.without and case.at == NOW
]


def modelled(state: State) -> Model:
    return {record.id: canonical_json(record) for record in state.records()}


class AnyInterleaving(RuleBasedStateMachine):
    """Calls, branches, checkpoints and rollbacks in any order, beside deep copies of plain dictionaries."""

    branches: Bundle[int] = Bundle("branches")
    checkpoints: Bundle[tuple[int, Any, Model, int]] = Bundle("checkpoints")

    def __init__(self) -> None:
        super().__init__()
        self.worlds: list[Branch] = []
        self.models: list[Model] = []

    @initialize(target=branches)
    def begin(self) -> int:
        self.worlds.append(opened().branch())
        self.models.append(modelled(self.worlds[0].state))
        return 0

    @rule(which=branches, call=st.sampled_from(CALLS))
    def call(self, which: int, call: tuple[str, dict[str, Any]]) -> None:
        world = self.worlds[which]
        outcome = world.call(*call, NOW)
        changes = world.journal()[-1].changes
        assert outcome.done or not changes
        for change in changes:
            if change.after is None:
                del self.models[which][change.id]
            else:
                self.models[which][change.id] = canonical_json(change.after)

    @rule(target=branches, which=branches)
    def branch(self, which: int) -> int:
        self.worlds.append(self.worlds[which].branch())
        self.models.append(copy.deepcopy(self.models[which]))
        return len(self.worlds) - 1

    @rule(target=checkpoints, which=branches)
    def checkpoint(self, which: int) -> tuple[int, Any, Model, int]:
        world = self.worlds[which]
        return which, world.checkpoint(), copy.deepcopy(self.models[which]), len(world.journal())

    @rule(checkpoint=checkpoints)
    def rollback(self, checkpoint: tuple[int, Any, Model, int]) -> None:
        which, stands, model, calls = checkpoint
        self.worlds[which].rollback(stands)
        self.models[which] = copy.deepcopy(model)
        assert len(self.worlds[which].journal()) == calls

    @invariant()
    def equal_to_the_model(self) -> None:
        for world, model in zip(self.worlds, self.models, strict=True):
            assert modelled(world.state) == model

    @invariant()
    def hash_is_equal_if_and_only_if_the_diff_is_empty(self) -> None:
        for one in self.worlds:
            for other in self.worlds:
                same = modelled(one.state) == modelled(other.state)
                assert (one.state.digest() == other.state.digest()) == same
                assert (diff(one.state, other.state) == ()) == same

    @invariant()
    def the_hash_that_follows_changes_is_the_one_reckoned_anew(self) -> None:
        for world in self.worlds:
            assert world.state.digest() == State.of(world.state.records()).digest()


AnyInterleaving.TestCase.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
TestAnyInterleaving = AnyInterleaving.TestCase


@pytest.mark.soak
def test_long_interleavings_equal_the_model() -> None:
    run_state_machine_as_test(
        AnyInterleaving, settings=settings(max_examples=60, stateful_step_count=40, deadline=None)
    )


def test_the_calls_played_again_reproduce_the_state() -> None:
    world = opened().branch()
    for tool, arguments in CALLS:
        world.call(tool, arguments, NOW)
    again = opened().branch()

    replay(again, world.journal())

    assert again.state.digest() == world.state.digest()
    assert [call.outcome.text for call in again.journal()] == [call.outcome.text for call in world.journal()]


def test_the_changes_of_the_journal_alone_reproduce_the_state() -> None:
    world = opened().branch()
    for tool, arguments in CALLS:
        world.call(tool, arguments, NOW)

    state = world.first
    for call in world.journal():
        state = state.changed(call.changes)

    assert state.digest() == world.state.digest()


def test_a_replay_with_another_outcome_names_the_call(world: Branch) -> None:
    done(world, "home_set", device_id="dev_0001", setting="dim")
    other = opened().branch()
    done(other, "home_set", device_id="dev_0001", setting="bright")
    done(world, "home_status")

    with pytest.raises(InputError, match=r"call 2 \(home_status\)"):
        replay(other, world.journal()[1:])


def test_every_change_names_its_call(world: Branch) -> None:
    done(world, "tasks_complete", task_id="task_0001")
    done(world, "home_set", device_id="dev_0001", setting="dim")

    changed = {change.id: call.tool for call in world.journal() for change in call.changes}

    assert changed == {"task_0001": "tasks_complete", "rem_0003": "tasks_complete", "dev_0001": "home_set"}
    assert {change.id for change in diff(world.first, world.state)} == set(changed)


def test_a_diff_has_before_and_after_sorted_by_kind_and_id(world: Branch) -> None:
    done(world, "home_set", device_id="dev_0002", setting="17")
    done(world, "home_set", device_id="dev_0001", setting="dim")
    done(world, "notes_create", title="Glue", body="Bone.", context="work")

    changes = diff(world.first, world.state)

    assert [(change.kind, change.id) for change in changes] == [
        ("note", "note_n0001"), ("device", "dev_0001"), ("device", "dev_0002"),
    ]  # fmt: skip
    assert changes[0].before is None
    assert isinstance(changes[1], Change)


def test_while_locked_what_writes_is_refused_and_what_reads_is_not(world: Branch) -> None:
    world.lock()

    for tool in world_tools().values():
        arguments = next(case.arguments for case in CASES if case.tool == tool.name and case.code is None)
        outcome = world.call(tool.name, arguments, NOW)
        assert (outcome.code == "locked") == bool(tool.writes), tool.name
    world.lock(on=False)
    done(world, "home_set", device_id="dev_0001", setting="dim")


def test_as_of_knows_what_was_entered_and_done_until_then(world: Branch) -> None:
    done(world, "notes_append", note_id="note_0003", text="Serviced in May.")
    day = timedelta(days=1)
    done(world, "notes_append", NOW + day, note_id="note_0003", text="Or June.")

    before, between = world.as_of(NOW - day), world.as_of(NOW + day / 2)

    assert "Serviced" not in canonical_json(before.shelf("note").records["note_0003"])
    assert "Serviced in May." in canonical_json(between.shelf("note").records["note_0003"])
    assert "note_0004" not in between.shelf("note").records
    assert "note_0004" in world.as_of(datetime.fromisoformat("2027-03-14T00:00:00Z")).shelf("note").records


def test_a_time_without_an_offset_and_one_before_the_last_call_are_refused(world: Branch) -> None:
    done(world, "home_status")

    with pytest.raises(InputError, match="without an offset"):
        world.call("home_status", {}, datetime(2027, 3, 3, 10))
    with pytest.raises(InputError, match="before the last call"):
        world.call("home_status", {}, NOW - timedelta(seconds=1))


def test_ids_of_created_records_do_not_depend_on_what_was_read_or_refused(world: Branch) -> None:
    other = world.branch()
    done(other, "notes_search")
    refused(other, "notes_create", title="boiler", body="", context="personal")

    first = done(world, "notes_create", title="Glue", body="Bone.", context="work")
    second = done(other, "notes_create", title="Glue", body="Bone.", context="work")

    assert first["id"] == second["id"] == "note_n0001"
    assert world.state.digest() == other.state.digest()


def test_an_id_is_never_given_twice_even_when_its_record_is_gone(world: Branch) -> None:
    first = done(world, "rooms_book", room_id="room_0002", event_id="cal_0002")
    done(world, "rooms_book", room_id="room_0003", event_id="cal_0004")

    assert first["id"] == "rbk_n0001"
    done(world, "calendar_cancel", event_id="cal_0002")
    done(world, "calendar_create", title="Again", starts="2027-03-16T09:00:00+01:00",
         ends="2027-03-16T10:00:00+01:00", context="work")  # fmt: skip
    again = done(world, "rooms_book", room_id="room_0002", event_id="cal_n0001")
    assert again["id"] == "rbk_n0002"
