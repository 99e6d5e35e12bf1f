"""Taking a source out: nothing made of its text is left, and nothing else is touched."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.conftest import Tiny
from tests.importers.test_manifest import SAID, TABLE

from mempabench.catalog import DECISIONS, load
from mempabench.domain.review import Decision


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_a_source_that_was_added_goes_without_a_trace(built_tiny: Tiny, tmp_path: Path) -> None:
    before = bytes_of(built_tiny.root)
    (tmp_path / "season.csv").write_text(TABLE, encoding="utf-8")
    assert built_tiny.run("transcripts", "add", tmp_path / "season.csv", *SAID).code == 0
    config = built_tiny.root / "mempabench.toml"
    config.write_text(
        config.read_text("utf-8") + '\n# mine\n[users.user_z]\nsource = "quay"\n', encoding="utf-8"
    )

    removed = built_tiny.run("transcripts", "remove", "quay", "--yes")
    rebuilt = built_tiny.run("build", "--quiet")

    assert (removed.code, rebuilt.code) == (0, 0)
    assert "mempabench.toml: user_z" in removed.out
    after = bytes_of(built_tiny.root)
    assert {name for name in after if before.get(name) != after[name]} <= {
        "mempabench.toml",
        "transcripts_raw/sources.toml",
        *(name for name in after if name.startswith("artifacts/state/")),
    }
    assert after["mempabench.toml"].strip() == before["mempabench.toml"].strip()
    assert after["transcripts_raw/sources.toml"].strip() == before["transcripts_raw/sources.toml"].strip()


def test_nothing_made_of_its_text_is_left(built_tiny: Tiny) -> None:
    said = b"Does she run?"
    assert any(said in content for content in bytes_of(built_tiny.root).values())

    removed = built_tiny.run("transcripts", "remove", "slack_water", "--yes")

    assert removed.code == 0
    left = bytes_of(built_tiny.root)
    assert [
        name for name, content in left.items() if said in content and not name.startswith("releases/")
    ] == []
    assert [
        name for name in left if name.startswith(("recordings/", "artifacts/")) and name.endswith("l")
    ] == []
    assert load(built_tiny.workspace, DECISIONS) == ()
    assert b"slack_water" not in left["transcripts_raw/sources.toml"]
    assert b"[users." not in left["mempabench.toml"]


def test_the_log_without_a_user_is_chained_again(built_tiny: Tiny) -> None:
    from mempabench_review.log import without_users

    decisions: tuple[Decision, ...] = load(built_tiny.workspace, DECISIONS)
    users = sorted({decision.user for decision in decisions})

    kept = without_users(decisions, users[:1])

    assert [decision.event_id for decision in kept] == [
        decision.event_id for decision in decisions if decision.user != users[0]
    ]
    assert [decision.previous for decision in kept] == [
        None,
        *(decision.chained() for decision in kept[:-1]),
    ][: len(kept)]


def test_an_unknown_source_is_told_and_no_is_no(built_tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bytes_of(built_tiny.root)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    unknown = built_tiny.run("transcripts", "remove", "nobody", "--yes")
    unasked = built_tiny.run("transcripts", "remove", "slack_water")

    assert unknown.told == ["error: no source 'nobody'; there are slack_water"]
    assert (unasked.code, unasked.told) == (0, ["nothing was removed"])
    assert bytes_of(built_tiny.root) == before
