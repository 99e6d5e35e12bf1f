"""``mempabench world``: tools, show, call, diff, journal, reset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Outcome, Tiny, command

from mempabench.assets import specimen_world

Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in an empty folder, outside of any project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *arguments: command("world", *arguments)


AT = ("--at", "2027-03-03T10:00")
DIM = ("call", "specimen", "home_set", '{"device_id": "dev_0001", "setting": "dim"}')


def test_the_tools_are_listed_a_line_each_and_one_in_full(run: Run) -> None:
    lines = run("tools").out.splitlines()

    assert len(lines) == 97
    assert len(run("tools", "--no-interaction").out.splitlines()) == 83
    assert len(run("tools", "--domain", "rooms").out.splitlines()) == 2
    full = run("tools", "rooms_book").out
    assert "room_taken" in full
    assert "looks at: event, room, room_booking" in full


def test_the_tools_as_json_have_all_that_a_table_needs(run: Run) -> None:
    rows = [json.loads(line) for line in run("tools", "--json").out.splitlines()]

    assert {row["effect"] for row in rows} == {"reads", "writes", "external"}
    one = next(row for row in rows if row["name"] == "rooms_book")
    assert set(one) == {
        "name", "domain", "effect", "description", "arguments", "errors", "limits", "reads", "writes",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("tools", "rooms"), "rooms: no such tool; mempabench world tools lists them"),
        (("tools", "--domain", "sea"), "sea: no such domain; there are calendar"),
        (("show", "nobody"), "nobody: no world; there is specimen"),
        (("show", "specimen", "--id", "mail_0999"), "mail_0999: no such record is known"),
        (("call", "specimen", "home_status"), "say when the call is made"),
        (("call", "specimen", "home_status", "{", *AT), "the arguments are no JSON"),
        (("call", "specimen", "home_status", "[]", *AT), "have to be a JSON object"),
        (("show", "missing.jsonl"), "missing.jsonl: no world"),
    ],
)
def test_bad_input_gets_one_line(run: Run, arguments: tuple[str, ...], line: str) -> None:
    outcome = run(*arguments)

    assert outcome.code == 1
    assert len(outcome.told) == 1
    assert line in outcome.told[0]


def test_records_are_shown_as_they_are_known_at_a_time(run: Run) -> None:
    then = run("show", "specimen", "--kind", "mail", "--at", "2027-03-01").out.splitlines()
    later = run("show", "specimen", "--kind", "mail").out.splitlines()

    assert len(then) == 6
    assert len(later) == 10
    assert then[0] == "mail_0001   2027-03-01 10:12  mail          Walk-through on Friday"
    assert "mail_0010" not in run("show", "specimen", "--at", "2027-03-03T10:00").out


def test_calls_are_kept_on_a_scratch_branch_with_diff_and_journal(run: Run) -> None:
    assert json.loads(run(*DIM, *AT).out)["setting"] == "dim"
    refused = run("call", "specimen", "home_set", '{"device_id": "dev_0004", "setting": "down"}')
    assert refused.code == 1
    assert json.loads(refused.out)["error"]["limit"] is True
    run("call", "specimen", "notes_create", '{"title": "Glue", "body": "Bone.", "context": "work"}')

    assert run("diff", "specimen").out.splitlines() == [
        "+ note_n0001  2027-03-03 10:00  note          Glue",
        "~ dev_0001    2027-02-15 09:00  device        Ceiling lamp",
        '    setting: "off" -> "dim"',
    ]
    assert run("journal", "specimen").out.splitlines()[:4] == [
        '  1  2027-03-03 10:00  home_set  {"device_id":"dev_0001","setting":"dim"}',
        "     done: dev_0001",
        '  2  2027-03-03 10:00  home_set  {"device_id":"dev_0004","setting":"down"}',
        "     offline",
    ]
    assert "note_n0001" in run("show", "specimen").out
    assert "note_n0001" not in run("show", "specimen", "--beginning").out


def test_a_reset_forgets_the_calls(run: Run) -> None:
    run(*DIM, *AT)

    assert "empty again" in run("reset", "specimen").err
    assert run("diff", "specimen").out == ""
    assert "was empty" in run("reset", "specimen").err


def test_a_branch_of_a_world_that_has_changed_is_refused(run: Run, tmp_path: Path) -> None:
    world = tmp_path / "mine.jsonl"
    text = specimen_world().read_text("utf-8")
    world.write_text(text, "utf-8")
    run("call", "mine.jsonl", *DIM[2:], *AT)
    world.write_text(text.replace("Ceiling lamp", "Lamp"), "utf-8")

    outcome = run("diff", "mine.jsonl")

    assert outcome.told == [
        "error: mine.jsonl: the world has changed since; begin anew with mempabench world reset mine.jsonl"
    ]


def test_a_torn_branch_is_named_with_its_line(run: Run, tmp_path: Path) -> None:
    run(*DIM, *AT)
    kept = next(tmp_path.rglob("specimen.jsonl"))
    kept.write_text(kept.read_text("utf-8")[:-30], "utf-8")

    assert "specimen.jsonl:2: no call" in run("diff", "specimen").told[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"kind": "ghost"}', "'ghost' is no kind of record"),
        ('{"kind": "busy", "id": "busy_0001"}', "entered: field required"),
        ('{"kind": "busy", "id": "cal_0777", "entered": "2027-01-01T00:00:00Z", "contact": "con_0001", '
         '"starts": "2027-01-01T00:00:00Z", "ends": "2027-01-01T01:00:00Z"}', "cal_0777: no id for busy"),
        ("{", "Expecting property name"),
    ],
)  # fmt: skip
def test_a_world_that_is_no_world_is_named_with_its_line(
    run: Run, tmp_path: Path, line: str, message: str
) -> None:
    header = specimen_world().read_text("utf-8").splitlines()[0]
    (tmp_path / "mine.jsonl").write_text(f"{header}\n{line}\n", "utf-8")

    told = run("show", "mine.jsonl").told

    assert len(told) == 1
    assert message in told[0]


def test_in_a_project_the_branch_lies_below_its_artifacts(tiny: Tiny) -> None:
    tiny.run("world", *DIM, *AT)

    assert (tiny.root / "artifacts/branches/specimen.jsonl").is_file()


def test_hostile_words_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    text = (
        specimen_world()
        .read_text("utf-8")
        .replace("Walk-through on Friday", "A \\u001b[31mred\\u202e mail", 1)
    )
    (tmp_path / "mine.jsonl").write_text(text, "utf-8")

    shown: Any = run("show", "mine.jsonl", "--kind", "mail").out

    assert "\x1b" not in shown
    assert "\u202e" not in shown
