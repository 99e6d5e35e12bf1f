import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mempabench.artifacts import write_records
from mempabench.catalog import DECISIONS, REVIEW_ITEMS, SUBSTITUTES, load
from mempabench.domain.review import Action, ContextVerdict, Decision, Mode, ReviewItem, Stance
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.cli import review
from mempabench_review.log import BatchRow

CELL = "user_a/work/verbosity"
CITED = "quay/s01e01/sc01/mara/o1"
WHO = ("--as", "reader_one:human")
AT = ("--at", "2026-03-01T10:00:00+01:00")
CHOICE = ("--setting", "terse", "--context", "warranted", "--evidence", f"{CITED}=supports")
REASON = ("--reason", "She takes the short answer and leaves.")

Run = Callable[..., Result]


def log(project: Workspace) -> tuple[Decision, ...]:
    found: tuple[Decision, ...] = load(project, DECISIONS)
    return found


def refused(result: Result) -> str:
    assert isinstance(result.exception, InputError)
    return str(result.exception)


def test_next_prints_the_first_open_cell_and_tells_how_many_there_are(run: Run) -> None:
    result = run("next")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{CELL}\n")
    assert result.stderr == "4 of 4 cells are open\n"


def test_next_gives_one_json_object_a_line(run: Run) -> None:
    lines = run("next", "--json", "--limit", "9").stdout.splitlines()

    assert [json.loads(line)["cell"] for line in lines][:2] == [CELL, "user_a/personal/verbosity"]
    assert len(lines) == 4


def test_next_on_an_empty_queue_prints_nothing(run: Run, project: Workspace) -> None:
    write_records(REVIEW_ITEMS.path(project.root), [])

    result = run("next")

    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 of 0 cells are open\n")


def test_a_decision_is_entered_from_the_command_line(run: Run, project: Workspace) -> None:
    result = run("decide", CELL, *CHOICE, *REASON, *WHO, *AT, "--mode", "blind")

    (decision,) = log(project)
    assert result.stdout == f"{CELL}\tkeep\tterse\n"
    assert (decision.action, decision.mode, decision.reviewer) == (Action.KEEP, Mode.BLIND, "reader_one")
    assert decision.evidence[0].stance is Stance.SUPPORTS
    assert decision.context_verdict is ContextVerdict.WARRANTED
    assert decision.plain()["decided_at"] == "2026-03-01T09:00:00Z"


def test_unusable_evidence_makes_a_decision_specify(run: Run) -> None:
    choice = ("--setting", "terse", "--context", "not_warranted", "--evidence", f"{CITED}=irrelevant")

    result = run("decide", CELL, *choice, "--unusable", *REASON, *WHO, *AT)

    assert result.stdout == f"{CELL}\tspecify\tterse\n"


def test_entering_the_same_decision_twice_tells_so(run: Run, project: Workspace) -> None:
    run("decide", CELL, *CHOICE, *REASON, *WHO, *AT)

    result = run("decide", CELL, *CHOICE, *REASON, *WHO, *AT)

    assert result.stderr == "entered 0 decisions; 1 stood in the log already\n"
    assert len(log(project)) == 1


def test_the_clock_is_read_where_no_time_is_given(run: Run, project: Workspace) -> None:
    run("decide", CELL, *CHOICE, *REASON, *WHO)

    assert log(project)[0].decided_at.year >= 2025


def test_a_deferred_cell_stays_open(run: Run, project: Workspace) -> None:
    result = run("defer", CELL, "--reason", "The scene before this one is missing.", *WHO, *AT)

    assert result.stdout == f"{CELL}\tdefer\t-\n"
    assert "deferred: The scene before this one is missing." in run("next").stdout


def test_the_seen_hash_may_be_shortened_and_must_be_the_present_one(
    run: Run, queue: list[ReviewItem]
) -> None:
    now = queue[3].evidence_hash

    stale = run("decide", CELL, *CHOICE, *REASON, *WHO, *AT, "--seen", "deadbeef")
    current = run("decide", CELL, *CHOICE, *REASON, *WHO, *AT, "--seen", now[:12])

    assert "the evidence changed (seen deadbeef" in refused(stale)
    assert current.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--as", "Reader One:human"), "--as 'Reader One:human': give a pseudonym and its kind"),
        (("--as", "reader_one"), "--as 'reader_one': give a pseudonym and its kind"),
        ((*WHO, "--at", "yesterday"), "--at 'yesterday': no time"),
        ((*WHO, "--at", "2026-03-01T10:00:00"), "has no time zone"),
        ((*WHO, "--evidence", CITED), "write it as OBSERVATION=STANCE"),
        ((*WHO, "--seen", "xyz"), "--seen 'xyz': give 8 or more digits"),
    ],
)
def test_a_wrong_option_is_refused_with_what_it_should_be(
    run: Run, project: Workspace, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refused(run("decide", CELL, *CHOICE, *REASON, *arguments))
    assert log(project) == ()


def test_an_unknown_cell_on_the_command_line_names_near_ones(run: Run) -> None:
    result = run("decide", "user_a/work/verbosty", *CHOICE, *REASON, *WHO)

    assert refused(result).startswith("command line: there is no cell 'user_a/work/verbosty'; did you mean")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a CELL or give --batch FILE"),
        ((CELL, "--batch", "x.jsonl"), "name a CELL or give --batch FILE"),
        (("--batch", "x.jsonl", "--setting", "terse"), "drop the other options"),
        ((CELL, "--setting", "terse"), "a decision needs --setting and --reason"),
    ],
)
def test_options_that_dont_go_together_are_a_usage_error(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    result = run("decide", *arguments, *WHO)

    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize("command", [("decide", CELL), ("defer", CELL), ("substitutes",)])
def test_nobody_enters_a_judgement_without_saying_who(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--reason", "x", "--batch", "x", "--source", "quay")
    bare = run(*command)

    assert result.exit_code == bare.exit_code == 2


def test_a_packet_filled_in_and_entered_settles_every_cell(run: Run, tmp_path: Path) -> None:
    out, batch = tmp_path / "packet.md", tmp_path / "answers.jsonl"

    written = run("packet", "--out", str(out))
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines() if line.startswith('{"cell"')]
    for row in rows:
        row["setting"] = "organize" if row["cell"].endswith("topic_management") else "terse"
        row["reason"] = "Filled in from what the packet shows."
        row["context_verdict"] = row["context_verdict"] or "warranted"
        for verdict in row["evidence"]:
            verdict["stance"] = "supports"
    batch.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    entered = run("decide", "--batch", str(batch), "--as", "reader_two:model", *AT)

    assert "4 cells" in written.stderr
    assert entered.stderr == "entered 4 decisions\n"
    assert "open: 0\n" in run("status").stdout


def test_a_packet_not_filled_in_is_refused_with_its_line(run: Run, tmp_path: Path) -> None:
    out, batch = tmp_path / "packet.md", tmp_path / "answers.jsonl"
    run("packet", "--user", "user_b", "--out", str(out))
    rows = [line for line in out.read_text("utf-8").splitlines() if line.startswith('{"cell"')]
    batch.write_text("\n".join(rows), encoding="utf-8")

    result = run("decide", "--batch", str(batch), *WHO)

    assert len(rows) == 1
    assert refused(result).startswith(f"{batch}:1: user_b/work/verbosity: the reason '' is too short")


def test_a_packet_of_chosen_cells_may_hold_settled_ones(run: Run, tmp_path: Path) -> None:
    run("decide", CELL, *CHOICE, *REASON, *WHO, *AT)
    out = tmp_path / "packet.md"

    run("packet", "--cells", f"user_b/work/verbosity,{CELL}", "--out", str(out), "--blind")

    assert [line for line in out.read_text("utf-8").splitlines() if line.startswith("## ")] == [
        f"## 1. {CELL}",
        "## 2. user_b/work/verbosity",
    ]


def test_a_packet_of_nothing_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("packet", "--user", "user_z", "--out", str(tmp_path / "packet.md"))

    assert refused(result) == "no open cell of user_z; see mempabench review status"


def test_status_counts_what_is_open_settled_stale_and_deferred(
    run: Run, project: Workspace, queue: list[ReviewItem]
) -> None:
    run("decide", CELL, *CHOICE, *REASON, *WHO, *AT)
    run("decide", "user_b/work/verbosity", "--setting", "terse", "--context", "no_scenes", *REASON, *WHO, *AT)
    run("defer", "user_a/personal/verbosity", "--reason", "A second pair of eyes, please.", *WHO, *AT)
    write_records(REVIEW_ITEMS.path(project.root), [queue[0].changed(evidence_hash="f" * 64), *queue[1:]])

    counts = json.loads(run("status", "--json").stdout)

    assert counts == {
        "cells": 4,
        "open": 3,
        "stale": 1,
        "deferred": 1,
        "open_by_reason": {"no_evidence": 1, "low_confidence": 2, "medium_confidence": 0},
        "open_by_user": {"user_a": 2, "user_b": 1},
        "settled_by_outcome": {"kept": 1, "changed": 0, "specified": 0},
        "audit": 0,
        "audited": 0,
        "reopened": 0,
    }
    assert "settled_by_outcome kept: 1\n" in run("status").stdout


def test_verify_is_silent_on_a_whole_log_and_fails_on_an_edited_one(run: Run, project: Workspace) -> None:
    run("decide", CELL, *CHOICE, *REASON, *WHO, *AT)
    whole = run("verify")
    write_records(DECISIONS.path(project.root), [log(project)[0].changed(reviewer="reader_two")])

    edited = run("verify")

    assert (whole.exit_code, whole.stdout) == (0, "")
    assert edited.exit_code == 1
    assert edited.stdout.startswith("review/records/decisions.jsonl:1: ")
    assert edited.stderr == "1 decisions, 1 findings\n"


def test_substitutes_are_entered_from_a_batch(run: Run, project: Workspace, tmp_path: Path) -> None:
    batch = tmp_path / "names.jsonl"
    row = {"kind": "person", "original": "Mara Vidal", "substitute": "Tess Corran", "action": "edit"}
    batch.write_text(json.dumps(row), encoding="utf-8")

    result = run("substitutes", "--batch", str(batch), "--source", "quay", *WHO)

    assert result.stdout == "person: Mara Vidal -> Tess Corran\n"
    assert len(load(project, SUBSTITUTES)) == 1


def test_the_project_around_the_current_folder_is_found(
    project: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root / "review")

    assert CliRunner().invoke(review, ["status"]).stdout.startswith("cells: 4\n")


def test_the_commands_are_listed_without_loading_any_record() -> None:
    code = "import sys, mempabench_review.cli; print([m for m in sys.modules if 'pydantic' in m or '.domain' in m])"

    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert found.stdout == "[]\n"


def test_rows_of_a_batch_take_the_modes_of_the_command(
    run: Run, project: Workspace, tmp_path: Path, queue: list[ReviewItem], a_row: Callable[..., BatchRow]
) -> None:
    batch = tmp_path / "batch.jsonl"
    rows = [a_row(queue[3]).value, a_row(queue[0], mode="assisted").value]
    batch.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    run("decide", "--batch", str(batch), *WHO, *AT, "--mode", "blind")

    assert [decision.mode for decision in log(project)] == [Mode.BLIND, Mode.ASSISTED]
