"""Commands about the log as a whole, from the first decision to the frozen desk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from mempabench.catalog import DECISIONS, load
from mempabench.domain.review import Action, Decision, Mode
from mempabench.errors import EngineError, InputError
from mempabench.workspace import Workspace

CELL = "user_a/work/verbosity"
CITED = "quay/s01e01/sc01/mara/o1"
EVIDENCE = ("--context", "warranted", "--evidence", f"{CITED}=supports")
BARE = ("--context", "no_scenes")
REASON = ("--reason", "She takes the short answer and leaves.")
CAUSE = ("--cause", "One took the pause for relief, the other for offence.")

Run = Callable[..., Result]


def decided(run: Run, who: str, setting: str, *more: str, cell: str = CELL) -> Result:
    evidence = EVIDENCE if cell == CELL else BARE
    result = run("decide", cell, "--setting", setting, *evidence, *REASON, "--as", f"{who}:human", *more)
    assert result.exit_code == 0, result.exception
    return result


def log(project: Workspace) -> tuple[Decision, ...]:
    found: tuple[Decision, ...] = load(project, DECISIONS)
    return found


def test_show_has_the_evidence_and_what_was_decided(run: Run) -> None:
    decided(run, "ada", "terse", "--at", "2026-03-01T09:00:00Z")

    shown = run("show", CELL).stdout

    assert "She wants the time and nothing around it." in shown
    assert shown.splitlines()[-1].endswith(
        "user_a/work/verbosity keep terse (ada, human, assisted): She takes the short answer and leaves."
    )
    assert "keep terse" not in run("show", CELL, "--blind").stdout
    assert json.loads(run("show", CELL, "--json").stdout)["cell"] == CELL


def test_skip_shows_the_next_open_cell_and_enters_nothing(run: Run, project: Workspace) -> None:
    first = run("next").stdout.splitlines()[0]

    skipped = run("skip", first).stdout.splitlines()[0]

    assert skipped != first
    assert run("next").stdout.splitlines()[0] == first
    assert not DECISIONS.path(project.root).exists()


def test_undo_takes_the_own_decision_back_and_opens_the_cell(run: Run, project: Workspace) -> None:
    decided(run, "ada", "terse")

    undone = run("undo", CELL, "--as", "ada:human")
    again = run("undo", CELL, "--as", "ada:human")

    assert undone.exit_code == 0
    assert [event.action for event in log(project)] == [Action.KEEP, Action.WITHDRAW]
    assert run("next").stdout.startswith(CELL)
    assert str(again.exception) == f"{CELL}: ada has no decision on it that could be taken back"


def test_a_dispute_is_listed_adjudicated_and_gone(run: Run, project: Workspace) -> None:
    decided(run, "ada", "terse")
    decided(run, "ben", "detailed")

    listed = run("disputes")
    of_one = run("adjudicate", CELL, "--setting", "terse", *EVIDENCE, *REASON, *CAUSE, "--as", "ada:human")
    settled = run("adjudicate", CELL, "--setting", "terse", *EVIDENCE, *REASON, *CAUSE, "--as", "cyd:human")

    assert listed.stdout == f"{CELL}\tada: terse, ben: detailed\n"
    assert listed.stderr == "1 cell is disputed\n"
    assert "ada is one of those who differ" in str(of_one.exception)
    assert settled.exit_code == 0
    assert log(project)[-1].mode is Mode.ADJUDICATED
    assert log(project)[-1].adjudicates == tuple(sorted(event.event_id for event in log(project)[:2]))
    assert run("disputes").stdout == ""


def test_agreement_is_told_mode_by_mode(run: Run) -> None:
    for who, setting in (("ada", "terse"), ("ben", "detailed")):
        decided(run, who, setting, "--mode", "blind")
    decided(run, "ada", "terse", cell="user_a/personal/verbosity")
    decided(run, "ben", "terse", cell="user_a/personal/verbosity")

    told = run("agreement").stdout.splitlines()
    data = [json.loads(line) for line in run("agreement", "--json").stdout.splitlines()]

    assert told[0].startswith("blind: kappa 0.00 within attributes")
    assert "1 pairs, observed 0.00, expected 0.00" in told[0]
    assert any(line.startswith("assisted: both readers used one and the same setting") for line in told)
    assert [(one["mode"], one["headline"]["n"]) for one in data] == [("blind", 1), ("assisted", 1)]


def test_the_log_is_listed_by_cell_and_as_of_a_moment(run: Run) -> None:
    decided(run, "ada", "terse", "--at", "2026-03-01T09:00:00Z")
    decided(run, "ada", "terse", "--at", "2026-03-02T09:00:00Z", cell="user_a/personal/verbosity")

    assert len(run("log").stdout.splitlines()) == 2
    assert len(run("log", "--as-of", "2026-03-01T12:00:00Z").stdout.splitlines()) == 1
    assert "personal" in run("log", "--cell", "user_a/personal/verbosity").stdout
    assert json.loads(run("log", "--json").stdout.splitlines()[0])["cell"] == CELL


def test_freezing_names_what_stands_in_the_way_and_keeps_a_copy(run: Run, project: Workspace) -> None:
    blocked = run("freeze")
    decided(run, "ada", "terse")
    decided(run, "ada", "terse", cell="user_b/work/verbosity")
    decided(run, "ada", "terse", cell="user_a/personal/verbosity")
    decided(run, "ada", "organize", cell="user_a/work/topic_management")
    frozen = run("freeze")

    assert isinstance(blocked.exception, EngineError)
    assert str(blocked.exception) == "4 cells stand in the way of freezing; settle them first"
    assert f"{CELL}\tlow confidence" in blocked.stdout
    assert "nothing stands in the way: 4 cells, 4 events" in frozen.stderr
    assert (project.root / "review/backups/frozen-4.sqlite3").is_file()


def test_an_export_is_the_file_of_the_build_byte_for_byte(
    run: Run, project: Workspace, tmp_path: Path
) -> None:
    decided(run, "ada", "terse")

    run("export", "--out", str(tmp_path / "out.jsonl"))

    assert (tmp_path / "out.jsonl").read_bytes() == DECISIONS.path(project.root).read_bytes()


def test_a_copy_brings_back_what_is_lost_and_never_takes_anything_away(
    run: Run, project: Workspace, tmp_path: Path
) -> None:
    decided(run, "ada", "terse")
    copy = str(tmp_path / "copy.sqlite3")
    run("backup", "--out", copy)
    whole = DECISIONS.path(project.root).read_bytes()
    for path in (project.root / "review").glob("desk.sqlite3*"):
        path.unlink()
    DECISIONS.path(project.root).unlink()

    restored = run("restore", copy)
    after = DECISIONS.path(project.root).read_bytes()
    decided(run, "ben", "terse")
    refused = run("restore", copy)

    assert restored.stderr == f"1 events were taken from {copy}\n"
    assert after == whole
    assert isinstance(refused.exception, InputError)
    assert "lacks events that are here (2 here, 1 there)" in str(refused.exception)
