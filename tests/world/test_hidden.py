"""Nothing of a record is knowable before its entry date, through any tool."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from tests.world.cases import CASES, Case
from tests.world.conftest import NOW, specimen

from mempabench.domain.worlds import KINDS, WorldRecord
from mempabench.world.branch import Branch
from mempabench.world.toolbox import open_world, world_tools

LATER = NOW + timedelta(seconds=1)
EVERY_DAY = {"since": "2027-02-01T00:00:00+01:00", "until": "2027-04-01T00:00:00+01:00"}
WIDE: dict[str, dict[str, Any]] = {
    "calendar_search": {**EVERY_DAY, "limit": 50},
    "calendar_find_free": {
        "since": "2027-03-15T00:00:00+01:00",
        "until": "2027-03-18T00:00:00+01:00",
        "minutes": 30,
        "contact_ids": ["con_0002"],
    },
    "rooms_find": {"starts": "2027-03-17T15:00:00+01:00", "ends": "2027-03-17T16:00:00+01:00"},
    "tasks_list": {"status": None, "limit": 50},
    "reminders_list": {"status": None, "limit": 50},
    "travel_search": {"origin": "Port Aldine", "destination": "Veldhaven", "day": "2027-03-18"},
    "bills_list": {"open_only": False, "limit": 50},
    "search_everything": {"text": "open", "limit": 50},
    "weather_forecast": {"place_id": "plc_0001", "since": "2027-03-18"},
    "travel_itinerary": {"since": "2027-02-01"},
}
"""Arguments with which a tool shows as much as it can, where no arguments at all don't do that."""


def world_of(records: list[WorldRecord]) -> Branch:
    return open_world(specimen()[0], records)


def with_and_without_what_comes_later() -> tuple[Branch, Branch]:
    """Return the specimen with a future copy of every record in it, and the specimen without any future."""
    whole, known = built()
    return whole.branch(), known.branch()


@cache
def built() -> tuple[Branch, Branch]:
    known = [record for record in specimen()[1] if record.entered <= NOW]
    later = [
        record.changed(id=f"{record.prefix}_{9000 + number}", entered=LATER)
        for number, record in enumerate(known)
    ]
    future = [record for record in specimen()[1] if record.entered > NOW]
    return world_of([*future, *later, *known]), world_of(known)


def test_the_future_holds_a_record_of_every_kind() -> None:
    whole, _ = with_and_without_what_comes_later()

    assert {record.kind for record in whole.state.records() if record.entered > NOW} == set(KINDS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_call_has_the_same_outcome_whatever_comes_later(case: Case) -> None:
    whole, known = with_and_without_what_comes_later()
    at = min(case.at, NOW)

    for tool, arguments in (*case.before, (case.tool, case.arguments)):
        with_future, without = whole.call(tool, arguments, at), known.call(tool, arguments, at)

        assert with_future.text == without.text


@pytest.mark.parametrize(
    "tool", [tool for tool in world_tools().values() if not tool.writes], ids=lambda tool: tool.name
)
def test_a_list_shows_the_same_whatever_comes_later(tool: Any) -> None:
    whole, known = with_and_without_what_comes_later()
    arguments = WIDE.get(tool.name, {"limit": 50} if "limit" in tool.schema["properties"] else {})
    required = set(tool.schema.get("required", ()))
    if not required <= set(arguments):
        arguments = next(case.arguments for case in CASES if case.tool == tool.name and case.code is None)

    shown = known.call(tool.name, arguments, NOW)

    assert whole.call(tool.name, arguments, NOW).text == shown.text
    assert "_90" not in shown.text


def test_what_comes_later_can_not_be_asked_for_by_its_id() -> None:
    whole, _ = with_and_without_what_comes_later()
    future = {record.kind: record.id for record in whole.state.records() if record.entered > NOW}

    for tool in world_tools().values():
        for name in tool.schema["properties"]:
            kind = {"contact": "con", "event": "cal"}.get(name.removesuffix("_id"), name.removesuffix("_id"))
            hidden = next((key for key in future.values() if key.startswith(f"{kind}_")), None)
            success = next(case for case in CASES if case.tool == tool.name and case.code is None)
            if name.endswith("_id") and hidden and name in success.arguments:
                outcome = whole.branch().call(tool.name, {**success.arguments, name: hidden}, NOW)
                assert outcome.code == "not_found", (tool.name, name, outcome.text)


def test_what_happens_to_an_order_later_shows_when_it_has_happened() -> None:
    branch = world_of(list(specimen()[1]))

    def status(hours: int) -> tuple[str, bool, bool]:
        found = branch.branch().call("orders_list", {"text": "thermos"}, NOW + timedelta(hours=hours))
        order = next(one for one in found.result["items"] if one["id"] == "ord_0003")
        return order["status"], "dispatched_at" in order, "delivered_at" in order

    assert status(0) == ("placed", False, False)
    assert status(31) == ("dispatched", True, False)
    assert status(51) == ("delivered", True, True)


def test_order_of_the_records_has_no_meaning() -> None:
    header, records = specimen()
    one, other = open_world(header, records), open_world(header, list(reversed(records)))

    assert one.state.digest() == other.state.digest()
    for case in CASES:
        if not case.edits and not case.without:
            for tool, arguments in (*case.before, (case.tool, case.arguments)):
                first, second = one.branch(), other.branch()
                assert first.call(tool, arguments, case.at).text == second.call(tool, arguments, case.at).text
                assert first.state.digest() == second.state.digest()
