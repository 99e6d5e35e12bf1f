from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mempabench.artifacts import write_records
from mempabench.engines.recorded import Recordings, recording_path, recordings_digest
from mempabench.errors import InputError
from mempabench.testing import a_recording, a_request

if TYPE_CHECKING:
    from tests.conftest import Tiny

PLACE = "find_reactions/saltmarsh.writer.jsonl"


def test_a_recording_is_found_by_the_digest_of_its_request(tmp_path: Path) -> None:
    asked, other = a_request(), a_request(attempt=2)
    write_records(recording_path(tmp_path, asked), [a_recording(asked, {"reactions": []})])

    engine = Recordings.load(tmp_path, "find_reactions").engine(asked.unit)

    assert engine.answer(asked) == a_recording(asked, {"reactions": []})
    assert engine.answer(other) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not a JSON value"),
        ('{"digest": "0"}', "digest: string should match pattern"),
        ("[]", "the value: "),
        ('{"a": NaN}', "not a JSON value"),
    ],
)
def test_a_malformed_line_is_named_with_its_file(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / PLACE
    write_records(path, [a_recording(a_request(), {})])
    path.write_text(path.read_text("utf-8") + line + "\n", "utf-8")

    with pytest.raises(InputError) as refused:
        Recordings.load(tmp_path, "find_reactions")

    assert str(refused.value).startswith(f"recordings/{PLACE}:2: {message}")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "find_reactions").mkdir()
    (tmp_path / PLACE).write_bytes(b'{"answer": "\xff"}\n')

    with pytest.raises(InputError, match=f"^recordings/{PLACE}: byte 12 is not UTF-8"):
        Recordings.load(tmp_path, "find_reactions")


def test_two_answers_to_one_request_are_refused_wherever_they_stand(tmp_path: Path) -> None:
    once, again = a_recording(a_request(), {"a": 1}), a_recording(a_request(), {"a": 2})
    write_records(tmp_path / PLACE, [once])
    write_records(tmp_path / "find_reactions/zeta.writer.jsonl", [again])

    with pytest.raises(InputError, match=rf"zeta\.writer\.jsonl:1: .* at recordings/{PLACE}:1 too; keep one"):
        Recordings.load(tmp_path, "find_reactions")


def test_a_file_of_another_name_is_refused(tmp_path: Path) -> None:
    write_records(tmp_path / "find_reactions/saltmarsh.jsonl", [])

    with pytest.raises(InputError, match=r"named <source or user>\.<seat>\.jsonl"):
        Recordings.load(tmp_path, "find_reactions")


def test_a_stage_without_recordings_has_none(tmp_path: Path) -> None:
    assert Recordings.load(tmp_path, "find_reactions").count() == 0


def test_the_digest_of_a_unit_changes_with_its_own_recordings_only(tmp_path: Path) -> None:
    mine, other = a_request(), a_request(unit="saltmarsh/s01e02/sc01/otto", inputs={"name": "Otto"})
    write_records(tmp_path / PLACE, [a_recording(mine, {})])
    before = Recordings.load(tmp_path, "find_reactions")
    folder_before = recordings_digest(tmp_path, "find_reactions")

    write_records(tmp_path / PLACE, [a_recording(mine, {}), a_recording(other, {})])

    after = Recordings.load(tmp_path, "find_reactions")
    assert after.unit_digest(mine.unit) == before.unit_digest(mine.unit)
    assert after.unit_digest(other.unit) != before.unit_digest(other.unit)
    assert recordings_digest(tmp_path, "find_reactions") != folder_before


def test_recordings_of_another_prompt_version_stay_and_are_not_replayed(built_tiny: Tiny) -> None:
    path = built_tiny.root / "recordings/find_reactions/slack_water.writer.jsonl"
    before = path.read_bytes()
    prompt = built_tiny.root / "prompts/find_reactions.md"
    prompt.write_text(prompt.read_text("utf-8").replace('version = "', 'version = "9', 1), "utf-8")

    built = built_tiny.run("build", "--quiet")

    assert built.code == 1
    assert len(built.told) == 1
    assert "find_reactions: 12 requests have no recording for prompt version 9" in built.err
    assert "run mempabench requests export, have them answered, then mempabench requests import" in built.err
    assert path.read_bytes() == before
    assert built_tiny.answer() == 12
    assert path.read_bytes().startswith(before)
