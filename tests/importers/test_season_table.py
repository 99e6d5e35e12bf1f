"""Season tables: the layouts that people have, and their oddities."""

from __future__ import annotations

import json
import re

import pytest

from mempabench.domain.transcripts import Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Transcript
from mempabench.importers.season_table import read_season_table


def read(text: str | bytes) -> Transcript:
    return read_season_table(text if isinstance(text, bytes) else text.encode(), "season.csv")


def lines(found: Transcript) -> list[tuple[str | None, str, int]]:
    return [(line.label, line.text, line.number) for line in found.spoken()]


@pytest.mark.parametrize(
    "text",
    [
        "index,season,episode,episode_name,director,writer,character,text,text_w_direction\n"
        '0,1,2,Tide,X,Y,Mara,"Go on.","Go [waves] on."\n',
        "season,episode,title,scene,speaker,line,\n01,02,Tide,1,Mara,Go [waves] on.,\n",
        "\ufeffid,season,episode,scene,line_text,speaker,deleted\r\n1,1,2,1,Go [waves] on.,Mara,FALSE\r\n",
        "\tseason\tepisode\tspeaker\tline\n0\t1\t2\tMara\tGo [waves] on.\n",
    ],
)
def test_the_usual_headers_are_understood(text: str) -> None:
    found = read(text)

    (line,) = found.spoken()
    assert (line.label, line.text, line.number) == ("Mara", "Go on.", 2)
    assert [(direction.at, direction.text) for direction in line.directions] == [(2, "waves")]
    assert found.scenes[0].episode == "s01e02"


def test_without_a_scene_column_scenes_are_unknown_and_said_to_be() -> None:
    found = read("speaker,line\nMara,Go.\nOtto,No.\n")

    assert found.headings is None
    assert len(found.scenes) == 1
    assert "scenes are unknown" in found.oddities[0].what


def test_scenes_follow_the_scene_column() -> None:
    found = read("season,episode,scene,speaker,line\n1,1,1,A,x\n1,1,1,B,y\n1,1,2,A,z\n1,2,1,A,w\n")

    assert found.headings == 3
    assert [(scene.episode, len(scene.lines)) for scene in found.scenes] == [
        ("s01e01", 2),
        ("s01e01", 1),
        ("s01e02", 1),
    ]


def test_a_field_over_several_lines_is_one_turn_with_the_number_of_its_first() -> None:
    found = read('speaker,line\nMara,"Go\non."\nOtto,No.\n')

    assert lines(found) == [("Mara", "Go on.", 2), ("Otto", "No.", 4)]


def test_repeats_deleted_and_empty_rows_are_kept_and_told() -> None:
    found = read("scene,speaker,line,deleted\n1,A,[nods],\n1,A,Hi.,\n1,A,Hi.,\n1,B,Ha.,TRUE\n")

    assert lines(found) == [("A", "", 2), ("A", "Hi.", 3), ("A", "Hi.", 4), ("B", "Ha.", 5)]
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (4, "the same row as the one before it"),
        (5, "marked as deleted; it is kept"),
    ]


def test_bytes_that_are_no_utf_8_are_read_as_windows_1252_and_said_to_be() -> None:
    found = read("speaker,line\nMara,It’s caf\xe9.\n".encode("cp1252"))

    assert lines(found) == [("Mara", "It’s café.", 2)]
    assert found.oddities[0].what == "not UTF-8; read as Windows-1252"


def test_nested_json_gives_its_scenes() -> None:
    episode = {
        "season": "01",
        "episode": 2,
        "title": "Tide",
        "scenes": [[{"character": "A", "quote": "x"}], []],
    }
    second = {**episode, "episode": 3, "scenes": [[{"character": "B", "quote": "y"}]]}

    found = read(json.dumps([episode, second]))

    assert [(scene.episode, scene.title) for scene in found.scenes] == [
        ("s01e02", "Tide"),
        ("s01e03", "Tide"),
    ]
    assert [line.label for line in found.spoken()] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column for the speaker; there are 'a', 'b'"),
        ("speaker,b\n1,2\n", "no column for the text; there are 'speaker', 'b'"),
        ("speaker,line\n", "a header and no row"),
        ("[1, 2]", "a list of rows or episodes is expected, not int"),
        ("[" * 5000, "not JSON"),
        ("", "no column for the speaker"),
    ],
)
def test_what_is_no_such_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"^season\.csv"):
        read(text)
    with pytest.raises(InputError) as refused:
        read(text)
    assert message in str(refused.value)


ODD = "wer,was,speaker\nMara,Go.,7\nOtto,No.,8\n"


def test_columns_may_be_named() -> None:
    found = read_season_table(ODD.encode(), "x.csv", Reading(columns={"speaker": "wer", "text": "WAS"}))

    assert lines(found) == [("Mara", "Go.", 2), ("Otto", "No.", 3)]


def test_a_named_column_stands_for_nothing_else() -> None:
    reading = Reading(columns={"speaker": "wer", "text": "speaker"})

    assert lines(read_season_table(ODD.encode(), "x.csv", reading)) == [("Mara", "7", 2), ("Otto", "8", 3)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"who": "wer"}, "x.csv: 'who' is no column that is read; those are speaker, text, season"),
        ({"speaker": "qui"}, "x.csv: no column 'qui' for the speaker; there are 'wer', 'was', 'speaker'"),
        (
            {},
            "x.csv: no column for the text; there are 'wer', 'was', 'speaker'; say which one with --column text=NAME",
        ),
    ],
)
def test_a_column_that_is_not_there_is_told(columns: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        read_season_table(ODD.encode(), "x.csv", Reading(columns=columns))


def test_what_hangs_on_a_label_is_a_direction() -> None:
    found = read("speaker,line\nMara (on phone),Go (waves) on.\nOtto [off],No [so.\n")

    assert [(line.label, line.text, [d.text for d in line.directions]) for line in found.spoken()] == [
        ("Mara", "Go on.", ["on phone", "waves"]),
        ("Otto", "No [so.", ["off"]),
    ]
