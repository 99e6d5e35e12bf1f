"""The runner on the specimen: what is current is skipped, what an edit touches is done again."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from mempabench.commands.pending import pending_requests
from mempabench.domain.manifests import Request
from mempabench.errors import EngineError
from mempabench.pipeline import Run, StageReport
from mempabench.stages import PIPELINE
from mempabench.testing import ScriptedEngine

if TYPE_CHECKING:
    from tests.conftest import Tiny

STAGES = [stage.name for stage in PIPELINE]
PASS_ONE = "transcripts_raw/slack_water/s01e03.txt"


def reports(tiny: Tiny) -> dict[str, StageReport]:
    """Run the pipeline for real and return its reports."""
    return {report.stage.name: report for report in Run(tiny.workspace).stages(PIPELINE)}


def states(tiny: Tiny) -> dict[str, str]:
    return {name: report.state for name, report in reports(tiny).items()}


def worked(tiny: Tiny) -> dict[str, int]:
    return {name: report.worked for name, report in reports(tiny).items() if report.worked}


def waiting(tiny: Tiny) -> list[Request]:
    return [one.request for one in pending_requests(tiny.workspace)]


def test_a_second_build_does_nothing(built_tiny: Tiny) -> None:
    files = {path: path.stat().st_mtime_ns for path in built_tiny.root.rglob("*") if path.is_file()}

    built = built_tiny.run("build")

    after = {path: path.stat().st_mtime_ns for path in built_tiny.root.rglob("*") if path.is_file()}
    assert built.code == 0
    assert "nothing to do: everything was current" in built.out
    assert [line.split()[1] for line in built.err.splitlines()] == ["current"] * (len(STAGES) + 1)
    assert {path.name for path in after if after[path] != files.get(path)} <= {".lock"}


def test_every_stage_accounts_for_its_units(built_once: Tiny) -> None:
    found = reports(built_once)

    accounts = [report.account for report in found.values() if report.account]
    refusals = [(refusal.unit, refusal.seat, refusal.attempt) for one in accounts for refusal in one.refusals]
    assert len(accounts) == len(STAGES)
    assert all(one.units == one.done + one.refused + one.in_review for one in accounts)
    assert {one.stage: (one.units, one.rows) for one in accounts} == {
        "ingest_transcripts": (3, 6),
        "find_reactions": (12, 13),
        "observe_identity": (6, 10),
        "merge_identity": (3, 3),
        "propose_cells": (42, 84),
        "cast_users": (3, 2),
        "queue_review": (56, 56),
        "settle_cells": (56, 56),
        "propose_substitutes": (1, 6),
        "anonymize_personas": (2, 2),
    }
    assert {one.stage: one.in_review for one in accounts if one.in_review} == {"queue_review": 54}
    assert refusals == [("slack_water/s01e02/sc01/bronagh", "writer", 1)]


def test_a_stage_that_waits_blocks_only_what_needs_it(tiny: Tiny) -> None:
    found = states(tiny)

    assert found["ingest_transcripts"] == "built"
    assert found["find_reactions"] == found["observe_identity"] == "waiting"
    assert {found[name] for name in STAGES[3:]} == {"blocked"}


def test_an_edited_line_works_only_on_the_units_that_depend_on_it(built_tiny: Tiny) -> None:
    built_tiny.edit(PASS_ONE, "In the engine room. It’s warm.", "In the engine room. It’s warm there.")

    assert worked(built_tiny) == {"ingest_transcripts": 1, "find_reactions": 2, "observe_identity": 1}


def test_an_edited_line_asks_for_its_scene_only(built_tiny: Tiny) -> None:
    built_tiny.edit(PASS_ONE, "In the engine room. It’s warm.", "In the engine room. It’s warm there.")

    asked = {(request.stage, request.unit) for request in waiting(built_tiny)}

    assert asked == {
        ("find_reactions", "slack_water/s01e03/sc02/bronagh"),
        ("find_reactions", "slack_water/s01e03/sc02/sal"),
        ("observe_identity", "slack_water/s01e03/sc02"),
    }


def test_an_edited_recording_works_on_its_unit_and_on_the_one_that_reads_it(built_tiny: Tiny) -> None:
    built_tiny.edit(
        "recordings/find_reactions/slack_water.writer.jsonl",
        "At home she refuses the short form and settles down",
        "At home she refuses the short form and sits down",
    )

    found = worked(built_tiny)

    assert found == {"find_reactions": 1, "propose_cells": 1}
    assert "sits down for the long one" in (built_tiny.root / "artifacts/evidence.jsonl").read_text("utf-8")


def test_a_blank_line_between_scenes_asks_nothing_anew(built_tiny: Tiny) -> None:
    before = built_tiny.artifacts()
    built_tiny.edit(PASS_ONE, "\n\nScene: The slip", "\n\n\n\nScene: The slip")

    built = built_tiny.run("build", "--quiet")

    assert built.code == 0, built.err
    after = built_tiny.artifacts()
    assert {name for name in after if after[name] != before[name]} == {"scenes.jsonl"}


def test_an_edited_scene_is_answered_and_the_rest_replays(built_tiny: Tiny) -> None:
    before = built_tiny.artifacts()
    built_tiny.edit(PASS_ONE, "In the engine room. It’s warm.", "In the engine room. It’s warm there.")
    built_tiny.run("build")

    asked = built_tiny.answer()
    built = built_tiny.run("build", "--quiet")

    after = built_tiny.artifacts()
    assert asked == 3
    assert built.code == 0, built.err
    assert {name for name in after if after[name] != before[name]} == {"scenes.jsonl"}


def test_an_edit_that_moves_no_quote_leaves_its_decision_standing(built_tiny: Tiny) -> None:
    built_tiny.edit(PASS_ONE, "Tidy the shed as you like, but", "Tidy the shed as you like, Piet, but")
    built_tiny.run("build")
    while built_tiny.answer():
        built = built_tiny.run("build", "--quiet")

    assert built.code == 0
    assert built.told == []


def test_an_edit_that_moves_a_quote_makes_its_decision_stale_and_the_cell_queues_again(
    built_tiny: Tiny,
) -> None:
    old = "You shifted the public moorings"
    built_tiny.edit(PASS_ONE, f"Brónagh: {old}", f"Brónagh: Piet. {old}")
    built_tiny.run("build")
    while built_tiny.answer():
        built = built_tiny.run("build", "--quiet")

    shown = built_tiny.run("review", "next", "--limit", 9).out

    assert built.code == 1
    assert built.told == [
        "error: 1 cell waits for review (first: user_a/work/autonomy_level); run mempabench review next"
    ]
    assert "user_a/work/autonomy_level" in shown
    assert "stale" in shown


@pytest.mark.parametrize("through", ["propose_cells", "queue_review", "settle_cells"])
def test_a_user_who_stops_early_is_no_error(built_tiny: Tiny, through: str) -> None:
    built_tiny.edit(
        "mempabench.toml",
        '[users.user_b]\nsource = "slack_water"\n',
        f'[users.user_b]\nsource = "slack_water"\nthrough = "{through}"\n',
    )

    found = states(built_tiny)

    reached = STAGES.index(through)
    users = {
        name: {row["user"] for row in built_tiny.rows(artifact)}
        for name, artifact in [
            ("cast_users", "users"),
            ("queue_review", "review_items"),
            ("settle_cells", "cells"),
            ("anonymize_personas", "personas"),
        ]
    }
    assert set(found.values()) <= {"current", "built"}
    for name, who in users.items():
        both = name == "cast_users" or STAGES.index(name) <= reached  # who is cast doesn't hang on who stops
        assert who == ({"user_a", "user_b"} if both else {"user_a"}), name


def test_a_stage_of_which_nothing_comes_is_an_error(tiny: Tiny) -> None:
    wrong = {"reactions": [{"context": "work"}]}
    engine = ScriptedEngine([wrong, wrong, wrong])

    with pytest.raises(EngineError, match="find_reactions: the answers to all 12 units were refused"):
        list(Run(tiny.workspace, engine_for=lambda unit: engine).stages(PIPELINE))

    assert {request.attempt for request in engine.asked} == {1, 2, 3}


def test_a_unit_whose_attempts_are_all_refused_stands_in_the_account(tiny: Tiny) -> None:
    nothing: dict[str, list[object]] = {"reactions": []}
    one = {
        "context": "personal",
        "mode": "reception",
        "act": "Dilys sums up the letter.",
        "quotes": [{"line": 3, "words": "No, read me the whole of it"}],
        "reading": "She refuses the short form.",
        "attribute": "verbosity",
        "setting": "detailed",
    }
    tiny.run("build")
    units = dict.fromkeys(request.unit for request in waiting(tiny) if request.stage == "find_reactions")
    script: dict[tuple[str, str], Sequence[object]] = {(unit, "writer"): [nothing] for unit in units}
    script["slack_water/s01e01/sc02/bronagh", "writer"] = [{"reactions": [one]}]
    script["slack_water/s01e03/sc02/sal", "writer"] = ["no", "still no", "never"]
    engine = ScriptedEngine(script)

    run = Run(tiny.workspace, engine_for=lambda unit: engine)
    *_, report = itertools.islice(run.stages(PIPELINE), 2)

    account = report.account
    assert account is not None
    assert (account.units, account.done, account.refused, account.rows) == (12, 11, 1, 1)
    assert [(refusal.unit, refusal.attempt) for refusal in account.refusals] == [
        ("slack_water/s01e03/sc02/sal", attempt) for attempt in (1, 2, 3)
    ]


def test_a_dry_run_writes_nothing(tiny: Tiny) -> None:
    found = [report.state for report in Run(tiny.workspace, write=False).stages(PIPELINE)]

    assert found[:3] == ["built", "waiting", "waiting"]
    assert not (tiny.root / "artifacts").exists()


@pytest.mark.parametrize("damage", ["{", "", "[]\n", '{"key": 5}'])
def test_a_damaged_state_or_journal_is_made_anew(built_tiny: Tiny, damage: str) -> None:
    before = built_tiny.artifacts()
    (built_tiny.root / "artifacts/state/propose_cells.json").write_text(damage)
    (built_tiny.root / "artifacts/units/propose_cells.jsonl").write_text(damage)

    found = states(built_tiny)

    assert found["propose_cells"] == "built"
    assert {state for name, state in found.items() if name != "propose_cells"} == {"current"}
    assert built_tiny.artifacts() == before


def test_a_damaged_artifact_is_made_anew_without_asking(built_tiny: Tiny) -> None:
    before = built_tiny.artifacts()
    (built_tiny.root / "artifacts/evidence.jsonl").write_text("half a li")
    (built_tiny.root / "artifacts/cells.jsonl").unlink()

    built = built_tiny.run("build", "--quiet")

    assert built.code == 0, built.err
    assert built_tiny.artifacts() == before


def test_a_build_from_recordings_and_decisions_alone_gives_the_same(built_tiny: Tiny) -> None:
    before = built_tiny.artifacts()
    shutil.rmtree(built_tiny.root / "artifacts")

    built = built_tiny.run("build", "--quiet")

    assert built.code == 0, built.err
    assert built_tiny.artifacts() == before
