"""The nights in which the clocks change: 28 March and 31 October 2027 in the specimen's zone."""

from __future__ import annotations

from datetime import datetime

import pytest
from tests.world.conftest import done, specimen

from mempabench.world.branch import Branch
from mempabench.world.toolbox import open_world

SPRING, AUTUMN = "2027-03-28", "2027-10-31"
"""Two becomes three; three becomes two."""


def at(day: str) -> datetime:
    """Return half past midnight."""
    return datetime.fromisoformat(f"{day}T00:30:00{'+01:00' if day == SPRING else '+02:00'}")


def free(world: Branch, day: str, minutes: int) -> list[dict[str, str]]:
    """Return the free times between one and four in the night."""
    instant = at(day)
    found = done(
        world, "calendar_find_free", instant, since=instant.isoformat(), until=f"{day}T12:00:00+01:00",
        minutes=minutes, from_time="01:00:00", to_time="04:00:00",
    )  # fmt: skip
    return list(found["items"])


@pytest.mark.parametrize(("day", "fits", "is_too_long"), [(SPRING, 120, 125), (AUTUMN, 240, 245)])
def test_free_time_is_as_long_as_it_lasts_and_not_as_the_clock_shows(
    world: Branch, day: str, fits: int, is_too_long: int
) -> None:
    assert len(free(world, day, fits)) == 1
    assert free(world, day, is_too_long) == []


def test_free_time_is_told_in_the_offset_of_its_own_hour(world: Branch) -> None:
    assert free(world, SPRING, 60) == [
        {"starts": "2027-03-28T01:00:00+01:00", "ends": "2027-03-28T04:00:00+02:00"}
    ]
    assert free(world, AUTUMN, 60) == [
        {"starts": "2027-10-31T01:00:00+02:00", "ends": "2027-10-31T04:00:00+01:00"}
    ]


def test_an_event_in_the_hour_that_comes_twice_takes_its_own_hour_only(world: Branch) -> None:
    done(
        world, "calendar_create", at(AUTUMN), title="Second half past two", starts="2027-10-31T02:30:00+01:00",
        ends="2027-10-31T03:00:00+01:00", context="personal",
    )  # fmt: skip

    assert free(world, AUTUMN, 30) == [
        {"starts": "2027-10-31T01:00:00+02:00", "ends": "2027-10-31T02:30:00+01:00"},
        {"starts": "2027-10-31T03:00:00+01:00", "ends": "2027-10-31T04:00:00+01:00"},
    ]


def night_tram() -> Branch:
    """Return the specimen with a tram from home to the workshop that runs each half hour from one to four."""
    header, records = specimen()
    edit = {"places": ("plc_0001", "plc_0002"), "every": 30, "first": "01:00", "last": "04:00", "minutes": 40}
    kept = [record for record in records if record.kind != "link" or record.id == "link_0001"]
    changed = [record.changed(mode="tram", **edit) if record.kind == "link" else record for record in kept]
    return open_world(header, changed)


@pytest.mark.parametrize(
    ("leave", "departs", "arrives"),
    [
        ("2027-03-28T01:40:00+01:00", "2027-03-28T03:00:00+02:00", "2027-03-28T03:40:00+02:00"),
        ("2027-03-28T01:20:00+01:00", "2027-03-28T01:30:00+01:00", "2027-03-28T03:10:00+02:00"),
        ("2027-10-31T02:40:00+02:00", "2027-10-31T02:00:00+01:00", "2027-10-31T02:40:00+01:00"),
        ("2027-10-31T03:40:00+01:00", "2027-10-31T04:00:00+01:00", "2027-10-31T04:40:00+01:00"),
    ],
)
def test_a_ride_through_the_change_takes_its_minutes(leave: str, departs: str, arrives: str) -> None:
    now = at(leave[:10])

    found = done(
        night_tram(), "transport_route", now, origin_id="plc_0001", destination_id="plc_0002", leave=leave
    )

    way = found["items"][0]
    assert (way["departs"], way["arrives"], way["minutes"]) == (departs, arrives, 40)


def test_the_calendar_of_the_day_begins_at_its_midnight(world: Branch) -> None:
    for hour in ("00:10", "23:50"):
        done(
            world, "calendar_create", at(AUTUMN), title=f"At {hour}", context="personal",
            starts=f"{AUTUMN}T{hour}:00{'+02:00' if hour < '02' else '+01:00'}",
            ends=f"{AUTUMN}T{hour[:4]}5:00{'+02:00' if hour < '02' else '+01:00'}".replace("00:15", "00:40"),
        )  # fmt: skip

    found = done(world, "calendar_search", datetime.fromisoformat(f"{AUTUMN}T20:00:00+01:00"))

    assert [event["title"] for event in found["items"]] == ["At 00:10", "At 23:50"]
