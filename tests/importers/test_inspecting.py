"""Looking at a file: format, counts, people, and what is odd."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import Command

from mempabench.errors import InputError
from mempabench.importers.inspecting import detect, inspect
from mempabench.importers.labels import near_duplicates

EPISODE = """\
Season 1, Episode 1: Tide

Scene: The quay.

Mara: The boat won't go without me, and I won't go without it either.
Otto and Mara: Go!
Ottto: Wait.
Mara: (She waves.)
Everyone: Hooray!
Mara: The boat won't go without me, and I won't go without it either.
"""


def test_counts_people_and_oddities_are_told_with_their_lines() -> None:
    found = inspect(EPISODE.encode(), "tide.txt")

    assert (found.format, found.scenes, found.lines) == ("fan_transcript", 1, 6)
    assert set(found.labels) == {"Mara", "Otto and Mara", "Ottto", "Everyone"}
    assert set(found.speakers) == {"Mara", "Otto", "Ottto", "Everyone"}
    assert [(oddity.line, oddity.what.split(";")[0]) for oddity in found.oddities] == [
        (8, "Mara says nothing"),
        (10, "the same words by Mara as in line 5"),
        (None, "'Otto and Mara' is read as 2 people: Otto, Mara"),
        (None, "'Everyone' means whoever is there"),
    ]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Gwendolen", "Gwendolin"], [("Gwendolen", "Gwendolin")]),
        (["MARTIN", "Martin"], [("MARTIN", "Martin")]),
        (["Will", "William"], []),
        (["1st Driver", "2nd Driver"], []),
        (["Mara", "Mira"], []),
    ],
)
def test_likely_misspellings_are_found_and_nicknames_are_not(
    labels: list[str], expected: list[tuple[str, str]]
) -> None:
    assert list(near_duplicates(labels)) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.fountain", "anything", "fountain"),
        ("x.txt", "INT. QUAY - DAY\n\nMARA\nHi.\n", "fountain"),
        ("x.txt", EPISODE, "fan_transcript"),
    ],
)
def test_the_format_is_told_from_name_or_content(name: str, text: str, expected: str) -> None:
    assert detect(text.encode(), name)[0] == expected


def test_what_fits_no_format_is_refused_with_the_way_on() -> None:
    with pytest.raises(
        InputError,
        match=r"x\.txt: no format fits; give one with --format \(fan_transcript, fan_page, fountain, ",
    ):
        detect(b"just words\n", "x.txt")


def test_the_command_prints_one_json_object(tmp_path: Path, mempabench: Command) -> None:
    path = tmp_path / "tide.txt"
    path.write_text(EPISODE, encoding="utf-8")

    done = mempabench("transcripts", "inspect", path, "--json")

    assert done.code == 0
    found = json.loads(done.out)
    assert {name: found[name] for name in ("format", "scenes", "lines", "labels", "speakers")} == {
        "format": "fan_transcript",
        "scenes": 1,
        "lines": 6,
        "labels": 4,
        "speakers": 4,
    }
