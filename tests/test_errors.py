"""Trouble is told in one line on stderr, ends with exit code 1, and leaves nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Command, Tiny

FIRST = "transcripts_raw/slack_water/s01e01.txt"
MANIFEST = "transcripts_raw/sources.toml"
DECISIONS = "review/records/decisions.jsonl"


def leftovers(root: Path) -> list[str]:
    """Return what looks like half of something."""
    return [path.name for path in root.rglob("*") if path.name.startswith(".") and path.name != ".lock"]


def stray_file(tiny: Tiny) -> None:
    (tiny.root / "transcripts_raw/slack_water/s01e04.txt").write_text("Scene: Nowhere.\n")


def changed_file(tiny: Tiny) -> None:
    with (tiny.root / FIRST).open("a") as stream:
        stream.write("\n")


def missing_file(tiny: Tiny) -> None:
    (tiny.root / FIRST).unlink()


def unknown_speaker(tiny: Tiny) -> None:
    tiny.edit(FIRST, "Brónagh: Does she run?", "Bronagh: Does she run?")


def unreadable_line(tiny: Tiny) -> None:
    tiny.edit(FIRST, "Brónagh: Does she run?", "Does she run?")


def the_same_episode_twice(tiny: Tiny) -> None:
    tiny.edit("transcripts_raw/slack_water/s01e02.txt", "Episode 2", "Episode 1")


def path_out(tiny: Tiny) -> None:
    (tiny.root / FIRST).unlink()
    tiny.edit(MANIFEST, '"slack_water/s01e01.txt"', '"../mempabench.toml"')


def absolute_path_out(tiny: Tiny) -> None:
    (tiny.root / FIRST).unlink()
    tiny.edit(MANIFEST, '"slack_water/s01e01.txt"', '"/etc/hostname"')


def path_out_by_a_link(tiny: Tiny) -> None:
    (tiny.root / FIRST).unlink()
    (tiny.root / FIRST).symlink_to("/etc/hostname")


def unknown_format(tiny: Tiny) -> None:
    tiny.edit(MANIFEST, '"fan_transcript"', '"docx"')


def unknown_candidate(tiny: Tiny) -> None:
    tiny.edit(MANIFEST, '["bronagh", "piet", "sal"]', '["bronagh", "pete", "sal"]')


def candidate_twice(tiny: Tiny) -> None:
    tiny.edit(MANIFEST, '["bronagh", "piet", "sal"]', '["bronagh", "piet", "piet"]')


def label_of_two_people(tiny: Tiny) -> None:
    tiny.edit(MANIFEST, 'aliases = ["Dilys"]', 'aliases = ["Piet"]')


def broken_manifest(tiny: Tiny) -> None:
    tiny.edit(MANIFEST, 'id = "slack_water"', "id = slack_water")


def no_manifest(tiny: Tiny) -> None:
    (tiny.root / MANIFEST).unlink()


def unknown_stage(tiny: Tiny) -> None:
    tiny.edit(
        "mempabench.toml",
        "attempts = 3",
        'attempts = 3\n\n[users.user_c]\nsource = "slack_water"\nthrough = "x"',
    )


def unknown_source(tiny: Tiny) -> None:
    tiny.edit("mempabench.toml", "attempts = 3", 'attempts = 3\n\n[users.user_c]\nsource = "high_water"')


def unknown_key(tiny: Tiny) -> None:
    tiny.edit("mempabench.toml", "attempts = 3", "attemps = 3")


def version_of_two_parts(tiny: Tiny) -> None:
    tiny.edit("mempabench.toml", '"0.0.1"', '"0.1"')


def unknown_name_in_a_prompt(tiny: Tiny) -> None:
    path = tiny.root / "prompts/find_reactions.md"
    path.write_text(path.read_text("utf-8").replace("$scene", "$scenes"), "utf-8")


def no_prompt(tiny: Tiny) -> None:
    (tiny.root / "prompts/find_reactions.md").unlink()


def prompt_without_a_head(tiny: Tiny) -> None:
    (tiny.root / "prompts/find_reactions.md").write_text("You read.\n=====\nRead.\n")


def decision_on_nothing(tiny: Tiny) -> None:
    path = tiny.root / DECISIONS
    last = json.loads(path.read_text("utf-8").splitlines()[-1])
    with path.open("a") as stream:
        stream.write(json.dumps({**last, "cell": "user_z/work/verbosity"}) + "\n")


def malformed_decision(tiny: Tiny) -> None:
    with (tiny.root / DECISIONS).open("a") as stream:
        stream.write('{"cell": \n')


def decision_without_a_field(tiny: Tiny) -> None:
    with (tiny.root / DECISIONS).open("a") as stream:
        stream.write('{"cell": "user_a/work/verbosity"}\n')


def malformed_recording(tiny: Tiny) -> None:
    with (tiny.root / "recordings/find_reactions/slack_water.writer.jsonl").open("a") as stream:
        stream.write("not JSON\n")


def registry_with_two_meanings(tiny: Tiny) -> None:
    path = tiny.root / "review/records/substitutes.jsonl"
    first = json.loads(path.read_text("utf-8").splitlines()[0])
    with path.open("a") as stream:
        stream.write(json.dumps({**first, "substitute": "Ursula Quill"}) + "\n")


FAULTS: list[tuple[Callable[[Tiny], None], str]] = [
    (stray_file, "transcripts_raw/slack_water/s01e04.txt: not in sources.toml"),
    (changed_file, "transcripts_raw/slack_water/s01e01.txt: sha256 is "),
    (missing_file, "transcripts_raw/slack_water/s01e01.txt: can't be read (No such file or directory)"),
    (unknown_speaker, f"{FIRST}:8: unknown speaker 'Bronagh'; did you mean 'brónagh'?"),
    (
        unreadable_line,
        f"{FIRST}:8: 'Does she run?' is neither heading nor cue; kept as a direction; of 1 oddities",
    ),
    (the_same_episode_twice, "episode s01e01 is in transcripts_raw/slack_water/s01e01.txt too; keep one"),
    (path_out, "../mempabench.toml leads out of transcripts_raw/"),
    (absolute_path_out, "/etc/hostname leads out of transcripts_raw/"),
    (path_out_by_a_link, "slack_water/s01e01.txt leads out of transcripts_raw/"),
    (unknown_format, "no format 'docx'; there are fan_transcript"),
    (unknown_candidate, "candidate 'pete' is not in its cast (bronagh, piet, sal"),
    (candidate_twice, "candidate 'piet' is given twice; keep one"),
    (label_of_two_people, "'piet' means both piet and dilys"),
    (broken_manifest, f"{MANIFEST}: not valid TOML ("),
    (no_manifest, f"{MANIFEST}: not found"),
    (
        unknown_stage,
        "mempabench.toml: user_c goes through 'x'; stages are ingest_transcripts, find_reactions",
    ),
    (unknown_source, "mempabench.toml: user_c comes from source 'high_water'; there are slack_water"),
    (unknown_key, "mempabench.toml: engine.attemps: extra inputs are not permitted (given 3)"),
    (version_of_two_parts, "mempabench.toml: release.version: string should match pattern"),
    (unknown_name_in_a_prompt, "prompt 'find_reactions' and its caller disagree on: scene, scenes"),
    (no_prompt, "prompts/find_reactions.md: can't be read (No such file or directory); there are anonymize_"),
    (prompt_without_a_head, "prompts/find_reactions.md: needs a +++ head with a version"),
    (
        decision_on_nothing,
        f"{DECISIONS}:55: there is no cell 'user_z/work/verbosity'; users are user_a, user_b",
    ),
    (malformed_decision, f"{DECISIONS}:55: not a JSON value"),
    (decision_without_a_field, f"{DECISIONS}:55: event_id: field required"),
    (malformed_recording, "recordings/find_reactions/slack_water.writer.jsonl:14: not a JSON value"),
    (registry_with_two_meanings, "'Brónagh Tierney' of slack_water has two substitutes; keep one"),
]


@pytest.mark.parametrize(("plant", "message"), FAULTS, ids=[plant.__name__ for plant, _ in FAULTS])
def test_a_fault_is_told_in_one_line(built_tiny: Tiny, plant: Callable[[Tiny], None], message: str) -> None:
    plant(built_tiny)

    built = built_tiny.run("build", "--quiet")

    assert built.code == 1
    (line,) = built.told
    assert line.startswith("error: ")
    assert message in line
    assert built.out == ""
    assert leftovers(built_tiny.root) == []


def test_a_folder_that_is_no_project_is_told(tmp_path: Path, mempabench: Command) -> None:
    done = mempabench("-C", tmp_path, "build")

    assert done.code == 1
    assert done.told == [
        f"error: {tmp_path}: no mempabench.toml here or above; run mempabench init FOLDER to start a project"
    ]


def test_commands_of_the_review_desk_work_on_the_project_that_was_given(built_once: Tiny) -> None:
    done = built_once.run("review", "status")

    assert done.code == 0
    assert "open: 0" in done.out.splitlines()


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start Python on code that runs the command line, with Ctrl-C as a terminal gives it."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


HOLDING = """
import sys
from pathlib import Path
from mempabench.workspace import Workspace
with Workspace(Path(sys.argv[1])).writing("somebody else's build"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "--quiet"),
        ("requests", "import", "{root}/mempabench.toml", "--writer", "language model"),
        ("review", "substitutes", "--batch", "{tiny}", "--source", "slack_water", "--as", "tester:human"),
    ],
    ids=["build", "import", "review"],
)
def test_a_second_writer_is_kept_out_and_told_by_whom(tiny: Tiny, arguments: tuple[str, ...]) -> None:
    batch = Path(__file__).parent / "data/tiny/substitutes.jsonl"
    given = [argument.format(root=tiny.root, tiny=batch) for argument in arguments]
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tiny.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        done = tiny.run(*given)
    finally:
        holder.communicate("")

    assert done.code == 1
    (line,) = done.told
    assert f"somebody else's build (process {holder.pid} on " in line
    assert line.endswith("is writing here; wait for it or end it, then run again")


def test_a_lock_whose_holder_is_gone_holds_nobody_up(tiny: Tiny) -> None:
    (tiny.root / "artifacts").mkdir()
    (tiny.root / "artifacts/.lock").write_text("mempabench build (process 1 on elsewhere)")

    done = tiny.run("build", "--quiet")

    assert "is writing here" not in done.err


LIMITED = """
import resource, sys
from mempabench.cli import main
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
main(["-C", sys.argv[1], "build", "--quiet"])
"""


@pytest.mark.parametrize("limit", [500, 6_000, 20_000, 34_000])
def test_a_full_disk_is_told_and_leaves_nothing_half_written(built_tiny: Tiny, limit: int) -> None:
    before = built_tiny.artifacts()
    shutil.rmtree(built_tiny.root / "artifacts")

    stopped = python(LIMITED, built_tiny.root, limit)
    _, err = stopped.communicate()

    (line,) = err.splitlines()
    whole = built_tiny.artifacts()
    assert stopped.returncode == 1
    assert line.startswith("error: ")
    assert "no room" in line or "File too large" in line
    assert leftovers(built_tiny.root) == []
    assert whole == {name: before[name] for name in whole}
    assert not (built_tiny.root / "artifacts/release/mempabench").exists()
    assert built_tiny.run("build", "--quiet").code == 0
    assert built_tiny.artifacts() == before


BUILDING = """
import os, sys, time
import mempabench.journal as journal
from mempabench.cli import main

real = journal.append_line

def slow(path, line):
    real(path, line)
    if path.name == "propose_cells.part":
        print("working", flush=True)
        time.sleep(30)

journal.append_line = slow
main(["-C", sys.argv[1], "build", "--quiet"])
"""


def test_ctrl_c_stops_with_one_line_and_the_next_build_goes_on(built_tiny: Tiny) -> None:
    before = built_tiny.artifacts()
    for folder in ("artifacts/units", "artifacts/state"):
        for path in (built_tiny.root / folder).iterdir():
            path.unlink()
    process = python(BUILDING, built_tiny.root)
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"

    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert time.monotonic() - started < 10
    assert process.returncode == 130
    assert [line for line in err.splitlines() if line.strip()] == [
        "stopped; nothing half-written is left, run the same command again to go on"
    ]
    assert (built_tiny.root / "artifacts/units/propose_cells.part").exists()
    assert leftovers(built_tiny.root) == []
    built = built_tiny.run("build")
    assert built.code == 0, built.err
    assert "41 of 42 units" in built.err
    assert built_tiny.artifacts() == before


def test_a_closed_pipe_ends_quietly(built_once: Tiny) -> None:
    reader, writer = os.pipe()
    os.close(reader)

    done = subprocess.run(
        [sys.executable, "-m", "mempabench.cli", "-C", str(built_once.root), "status"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)

    assert done.returncode == 1
    assert done.stderr == ""
