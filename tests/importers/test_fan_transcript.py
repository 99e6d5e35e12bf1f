from __future__ import annotations

import unicodedata

import pytest

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers import importer
from mempabench.importers.fan_transcript import read_fan_transcript
from mempabench.importers.importer import RawLine, RawScene

HEAD = "Saltmarsh\nSeason 1, Episode 2: The Gate\nWritten by: nobody\n\nScene: The sluice, morning.\n"


def read(text: str) -> list[RawScene]:
    return list(read_fan_transcript(text.encode(), "marsh.txt").scenes)


def line(text: str) -> RawLine:
    (scene,) = read(HEAD + text + "\n")
    (found,) = scene.lines
    return found


def test_an_episode_becomes_scenes_with_headings_and_line_numbers() -> None:
    text = HEAD + "\nMara: Is it shut?\nOtto: Nearly.\n\nScene: The bank.\n(Rain.)\nMara: Now it is.\n"

    first, second = read(text)

    assert (first.episode, first.title, first.heading) == ("s01e02", "The Gate", "The sluice, morning.")
    assert [(line.label, line.text, line.number) for line in first.lines] == [
        ("Mara", "Is it shut?", 7),
        ("Otto", "Nearly.", 8),
    ]
    assert second.heading == "The bank."
    assert second.lines[0] == RawLine(None, "", (Direction(at=0, text="Rain."),), 11)


@pytest.mark.parametrize(
    ("written", "label", "said", "directions"),
    [
        ("Mara (to the gate): Shut.", "Mara", "Shut.", [(0, "to the gate")]),
        ("Mara [to the gate]: Shut.", "Mara", "Shut.", [(0, "to the gate")]),
        ("Mara: One. (She waits.) Two.", "Mara", "One. Two.", [(4, "She waits.")]),
        ("Mara: Well [a splash], no.", "Mara", "Well, no.", [(4, "a splash")]),
        ("Mara: Done. (She goes.)", "Mara", "Done.", [(5, "She goes.")]),
        ("Mara (nods):", "Mara", "", [(0, "nods")]),
        ("Mara and Otto: Both.", "Mara and Otto", "Both.", []),
        ("1st Driver: Ten past: late.", "1st Driver", "Ten past: late.", []),
        ("Zdenka Horáková: Ano.", "Zdenka Horáková", "Ano.", []),
        ("Mara: It’s “fine” – so.", "Mara", "It’s “fine” – so.", []),
        ("[A wave comes.]", None, "", [(0, "A wave comes.")]),
        ("(A wave comes.)", None, "", [(0, "A wave comes.")]),
    ],
)
def test_a_line_keeps_who_what_and_how(
    written: str, label: str | None, said: str, directions: list[tuple[int, str]]
) -> None:
    found = line(written)

    assert (found.label, found.text) == (label, said)
    assert [(direction.at, direction.text) for direction in found.directions] == directions


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xef\xbb\xbf" + HEAD.removeprefix("Saltmarsh\n").encode() + b"\nMara: Shut.\n", "Shut."),
        (HEAD.encode().replace(b"\n", b"\r\n") + b"Mara: Shut.\r\n", "Shut."),
        (HEAD.encode().replace(b"\n", b"\r") + b"Mara: Shut.\r", "Shut."),
        (HEAD.encode() + b"Mara: Shut.", "Shut."),
        (HEAD.encode() + "Mara:\u00a0Shut \u2003 it.\n".encode(), "Shut it."),
        (HEAD.encode() + unicodedata.normalize("NFD", "Mara: Café.\n").encode(), "Café."),
    ],
    ids=["byte order mark", "CRLF", "CR", "no last newline", "odd spaces", "decomposed accents"],
)
def test_bytes_of_any_editor_give_the_same_text(content: bytes, said: str) -> None:
    (scene,) = read_fan_transcript(content, "marsh.txt").scenes

    assert (scene.heading, scene.lines[0].text, scene.lines[0].number) == ("The sluice, morning.", said, 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "She goes.\n",
            "marsh.txt:6: neither scene heading, 'Name: words' nor (direction): 'She goes.'",
        ),
        (HEAD + "Mara: Go.\n\nDirected by: nobody\n", "marsh.txt:8: neither"),
        (HEAD + "(She goes.\n", "marsh.txt:6: neither"),
        (HEAD + "Mara: Go (she (still) waves) on.\n", "marsh.txt:6: a bracket"),
        (HEAD + "Mara: Go (she waves.\n", "marsh.txt:6: a bracket"),
        ("Season 1, Episode 2\n(She goes.)\n", "marsh.txt: no 'Scene:' heading"),
        ("Season 1, Episode 2\nMara: Go.\n", "marsh.txt:2: speech before the first 'Scene:' heading"),
        ("Saltmarsh\nScene: The bank.\nMara: Go.\n", "marsh.txt: no line 'Season 1, Episode 2: Title'"),
        ("", "marsh.txt: no line 'Season 1, Episode 2: Title'"),
    ],
)
def test_what_it_does_not_know_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        read(text)

    assert message in str(refused.value)


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(InputError, match=r"^marsh\.txt:6: byte \d+ is not UTF-8"):
        (read_fan_transcript(HEAD.encode() + b"Mara: Caf\xe9.\n", "marsh.txt"))


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no format 'docx'; there are fan_transcript"):
        importer("docx")
