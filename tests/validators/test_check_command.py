"""``mempabench check`` on the tiny specimen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mempabench.validators import CHECKS
from mempabench.validators.hints import HINTS

if TYPE_CHECKING:
    from tests.conftest import Command, Tiny


def test_the_built_specimen_keeps_every_rule(built_once: Tiny) -> None:
    done = built_once.run("check", "--no-hints")

    assert (done.code, done.out) == (0, "")
    assert done.told == [f"{len(CHECKS)} checks, 0 findings"]


def test_figures_follow_the_findings(built_once: Tiny) -> None:
    done = built_once.run("check")

    assert done.code == 0
    assert "\nH04 settings in use\n    " in done.out


def test_a_finding_is_a_line_with_code_place_and_words(built_tiny: Tiny) -> None:
    first = built_tiny.rows("evidence")[0]
    words = first["quotes"][0]["text"]
    path = built_tiny.root / "artifacts/evidence.jsonl"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([lines[0].replace(words, words[1:] + r"\u001b"), *lines[1:]]), "utf-8")

    done = built_tiny.run("check", "--no-hints")

    assert done.code == 1
    told = [line for line in done.out.splitlines() if line.startswith("E208")]
    assert len(told) == 1
    assert told[0].startswith(f"E208 {first['id']} ('{words[1:]}")
    assert told[0].endswith(": a reaction's quote is not what its line says there")
    assert "\x1b" not in done.out
    assert "E605 find_reactions: " in done.out


def test_findings_and_hints_come_as_json(built_tiny: Tiny) -> None:
    (built_tiny.root / "artifacts/personas.jsonl").unlink()

    done = built_tiny.run("check", "--json")

    told = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert {one["kind"] for one in told} == {"finding", "hint"}
    assert {one["place"] for one in told if one["kind"] == "finding"} == {
        "artifacts/personas.jsonl: not built yet; run mempabench build"
    }
    assert [one["code"] for one in told if one["kind"] == "hint"] == [rule.code for rule in HINTS]


def test_what_is_not_built_is_one_clear_line_and_no_pass(tiny: Tiny) -> None:
    done = tiny.run("check", "--no-hints")

    assert done.code == 1
    assert (
        "E101 and 14 more could not be checked: artifacts/scenes.jsonl: not built yet; run mempabench build"
        in done.out.splitlines()
    )
    assert "recordings/: nothing was recorded yet" in done.out
    ran = 4  # a log without decisions is a whole one
    assert done.told[-1] == f"{len(CHECKS)} checks, 0 findings, {len(CHECKS) - ran} could not be checked"


def test_an_artifact_that_cannot_be_read_stops_only_its_own_checks(built_tiny: Tiny) -> None:
    path = built_tiny.root / "artifacts/cells.jsonl"
    path.write_text("{}\n" + path.read_text("utf-8"), "utf-8")

    done = built_tiny.run("check", "--no-hints")

    assert done.code == 1
    (stopped,) = (line for line in done.out.splitlines() if "could not be checked" in line)
    assert stopped.startswith("E421 and 13 more could not be checked: artifacts/cells.jsonl:1: ")


def test_a_user_who_stops_early_lacks_nothing(tiny: Tiny) -> None:
    tiny.edit("mempabench.toml", "[users.user_b]\n", '[users.user_b]\nthrough = "queue_review"\n')
    tiny.go_through()

    done = tiny.run("check", "--no-hints")

    assert (done.code, done.out) == (0, "")


def test_the_table_of_codes_needs_no_project(mempabench: Command) -> None:
    done = mempabench("check", "--codes")

    lines = done.out.splitlines()
    assert done.code == 0
    assert "E208 a reaction's quote is not what its line says there" in lines
    assert [line.split()[0] for line in lines] == [c.code for c in CHECKS] + [h.code for h in HINTS]
