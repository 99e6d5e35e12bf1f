"""The journal: what a crash leaves in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mempabench.journal import Journal


def entry(unit: str, word: str = "é") -> dict[str, object]:
    return {"unit": unit, "key": "k", "rows": [{"word": word}], "refused": False, "refusals": []}


@pytest.mark.parametrize("torn", [1, 2, 3, 10, 40, 80])
def test_a_torn_line_is_cut_off_and_the_units_before_it_stay(tmp_path: Path, torn: int) -> None:
    journal = Journal(tmp_path / "stage.jsonl")
    journal.append(entry("one"))
    journal.append(entry("two", "éééééééééé"))
    content = journal.growing.read_bytes()
    journal.growing.write_bytes(content[:-torn])

    assert set(journal.units()) == {"one"}
    journal.mend()
    journal.append(entry("three"))

    assert set(journal.units()) == {"one", "three"}


def test_a_finished_stage_keeps_its_units_and_ends_the_growing_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "stage.jsonl")
    journal.append(entry("old"))

    journal.finish([entry("new")])

    assert set(journal.units()) == {"new"}
    assert not journal.growing.exists()


def test_a_line_that_is_no_entry_only_means_that_its_unit_is_done_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "stage.jsonl")
    journal.append(entry("one"))
    with journal.growing.open("ab") as stream:
        stream.write(b'\xff\xfe\n[]\n{"unit": "two"}\n')
    journal.append(entry("three"))

    assert set(journal.units()) == {"one", "three"}
