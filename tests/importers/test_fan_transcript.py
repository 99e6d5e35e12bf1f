from __future__ import annotations

import unicodedata

import pytest

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers import importer
from mempabench.importers.fan_transcript import read_fan_transcript
from mempabench.importers.importer import Oddity, RawLine, RawScene

HEAD = "Saltmarsh\nSeason 1, Episode 2: The Gate\nWritten by: nobody\n\nScene: The sluice, morning.\n"


def read(text: str) -> list[RawScene]:
    return list(read_fan_transcript(text.encode(), "marsh.txt").scenes)


def line(text: str) -> RawLine:
    (scene,) = read(HEAD + "Otto: Here.\n" + text + "\n")
    return scene.lines[1]


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


BOTH = HEAD + "Mara: One.\nOtto: Two.\nMara: Three.\nOtto (low): Four.\n"


@pytest.mark.parametrize(
    ("text", "label", "said", "told"),
    [
        ("She goes.", None, "", "'She goes.' is neither heading nor cue; kept as a direction"),
        ("Later.", None, "", "'Later.' is neither heading nor cue; kept as a direction"),
        ("(She goes.", None, "", "'(She goes.' is neither heading nor cue; kept as a direction"),
        ("Mara; Shut it.", "Mara", "Shut it.", "'Mara; Shut it.' lacks its colon; read as said by Mara"),
        ("MaraShut it.", "Mara", "Shut it.", "'MaraShut it.' lacks its colon; read as said by Mara"),
        (
            "Otto (on phone) Shut.",
            "Otto",
            "Shut.",
            "'Otto (on phone) Shut.' lacks its colon; read as said by Otto",
        ),
        (
            "Mara: Go (she waves.",
            "Mara",
            "Go (she waves.",
            "a bracket that isn't closed, or stands within another",
        ),
        (
            "Mara: Go ((she) waves)",
            "Mara",
            "Go ( waves)",
            "a bracket that isn't closed, or stands within another",
        ),
    ],
)
def test_what_is_mended_or_kept_is_told_with_its_line(
    text: str, label: str | None, said: str, told: str
) -> None:
    found = read_fan_transcript(f"{BOTH}{text}\n".encode(), "marsh.txt")

    last = found.scenes[0].lines[-1]
    assert (last.label, last.text, last.number) == (label, said, 10)
    assert [(oddity.line, oddity.what[: len(told)]) for oddity in found.oddities[1:]] == [(10, told)]


@pytest.mark.parametrize(
    "text", ["Marabou stands there.", "Ottoman; broken.", "Ines; Shut it.", "InesShut it."]
)
def test_only_people_who_have_cues_get_a_colon(text: str) -> None:
    found = read_fan_transcript(f"{BOTH}{text}\n".encode(), "marsh.txt")

    assert found.scenes[0].lines[-1].label is None


def test_cues_and_headings_within_a_paragraph_are_taken_apart() -> None:
    text = BOTH + "Mara: Who? Otto (low): Me. Note: none. Scene: The bank.\nOtto: Now.\n"

    found = read_fan_transcript(text.encode(), "marsh.txt")

    assert [scene.heading for scene in found.scenes] == ["The sluice, morning.", "The bank."]
    assert [(line.label, line.text) for line in found.scenes[0].lines[4:]] == [
        ("Mara", "Who?"),
        ("Otto", "Me. Note: none."),
    ]
    assert [oddity.line for oddity in found.oddities] == [3, 10, 10]


def test_a_heading_in_brackets_after_speech_is_taken_apart() -> None:
    found = read_fan_transcript(
        f"{BOTH}Mara: So. [Scene: The bank, later.]\nOtto: Now.\n".encode(), "marsh.txt"
    )

    assert [(scene.heading, len(scene.lines)) for scene in found.scenes] == [
        ("The sluice, morning.", 5),
        ("The bank, later.", 1),
    ]
    assert found.scenes[0].lines[-1].text == "So."


def test_a_direction_before_a_cue_is_taken_apart() -> None:
    found = read_fan_transcript(f"{BOTH}(Rain.) Mara: So.\n(Otto: a dog.)\n".encode(), "marsh.txt")

    assert [
        (line.label, line.text, [d.text for d in line.directions]) for line in found.scenes[0].lines[4:]
    ] == [
        (None, "", ["Rain."]),
        ("Mara", "So.", []),
        (None, "", ["Otto: a dog."]),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "[Scene: The bank, (later).]",
        "(Scene: The bank, (later).)",
        "scene:  The bank, (later).",
        "[ Scene: The bank, (later). ]",
    ],
)
def test_a_heading_may_stand_in_brackets(heading: str) -> None:
    found = read_fan_transcript(f"{heading}\nMara: Go.\n".encode(), "marsh.txt")

    assert [scene.heading for scene in found.scenes] == ["The bank, (later)."]
    assert found.headings == 1


@pytest.mark.parametrize("text", ["<Otto waits.>", "{Otto waits.}", "[Otto waits.]", "(Otto waits.)"])
def test_a_direction_may_stand_in_any_brackets(text: str) -> None:
    found = read_fan_transcript(f"{BOTH}{text}\n".encode(), "marsh.txt")

    assert [direction.text for direction in found.scenes[0].lines[-1].directions] == ["Otto waits."]
    assert len(found.oddities) == 1


@pytest.mark.parametrize(
    ("speech", "rest", "joined"),
    [
        ("It is a long way", "Home from here.", "It is a long way Home from here."),
        ("It is long.", "and cold (shivers), too.", "It is long. and cold, too."),
        ("It is a", "(waits) gate.", "It is a gate."),
    ],
)
def test_a_speech_that_goes_on_in_the_next_paragraph_is_joined(speech: str, rest: str, joined: str) -> None:
    found = read_fan_transcript(f"{BOTH}Mara: {speech}\n{rest}\n".encode(), "marsh.txt")

    last = found.scenes[0].lines[-1]
    assert (last.label, last.text, last.number, last.last) == ("Mara", joined, 10, 11)
    assert found.oddities[-1] == Oddity(11, f"'{rest}' goes on from the line before; joined to it")
    assert all(
        direction.at == len("It is long. and cold" if "cold" in rest else speech)
        for direction in last.directions
    )


@pytest.mark.parametrize(
    "credit",
    [
        "With minor changes by: Nobody",
        "Additional transcribing by: Nobody",
        "Closing credits.",
        "THE END",
        "Commercial Break",
        "Story: Nobody",
    ],
)
def test_credits_of_all_kinds_are_left_out(credit: str) -> None:
    found = read_fan_transcript(f"{BOTH}{credit}\n".encode(), "marsh.txt")

    assert len(found.scenes[0].lines) == 4
    assert found.oddities[-1].what == f"'{credit}' is a credit; left out"


def test_credits_and_footers_are_left_out_and_told() -> None:
    text = "Saltmarsh\nStory: A. Nobody & B. Nobody\nTeleplay: C. Nobody\n" + BOTH
    text += "Directed by: D. Nobody\nShare this:\nMara: Never read.\n"

    found = read_fan_transcript(text.encode(), "marsh.txt")

    assert [line.text for line in found.spoken()] == ["One.", "Two.", "Three.", "Four."]
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (2, "'Story: A. Nobody & B. Nobody' is a credit; left out"),
        (3, "'Teleplay: C. Nobody' is a credit; left out"),
        (4, "'Saltmarsh' stands before the first scene; left out"),
        (6, "'Written by: nobody' is a credit; left out"),
        (13, "'Directed by: D. Nobody' is a credit; left out"),
        (14, "'Share this:' and what follows is the page's footer; left out"),
    ]


def test_a_file_without_headings_is_one_scene_and_says_so() -> None:
    found = read_fan_transcript(b"Season 1, Episode 2\nMara: Go.\n(She goes.)\n", "marsh.txt")

    assert [(scene.episode, scene.heading, len(scene.lines)) for scene in found.scenes] == [("s01e02", "", 2)]
    assert found.headings == 0
    assert found.oddities[-1].what == "no 'Scene:' headings; the episode is one scene"


def test_speech_before_the_first_heading_is_a_scene_of_its_own() -> None:
    found = read_fan_transcript(b"Mara: Go.\nScene: The bank.\nMara: Gone.\n", "marsh.txt")

    assert [(scene.episode, scene.heading) for scene in found.scenes] == [("", ""), ("", "The bank.")]
    assert found.oddities[-1].what == "speech before the first 'Scene:' heading; a scene without one"


@pytest.mark.parametrize("text", ["", "Saltmarsh\n", HEAD, HEAD + "(She goes.)\n"])
def test_a_file_in_which_nobody_speaks_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^marsh\.txt: no 'Name: words' in it; is this a transcript\?$"):
        read(text)


def test_bytes_that_are_not_utf8_are_read_and_said_to_be() -> None:
    found = read_fan_transcript(HEAD.encode() + b"Mara: A caf\xe9.\nOtto: It\x92s shut.\n", "marsh.txt")

    assert [line.text for line in found.spoken()] == ["A café.", "It’s shut."]
    assert found.oddities[0].what == "not UTF-8; read as Windows-1252"


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no format 'docx'; there are fan_transcript"):
        importer("docx")


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("Mara: It’s a café – so.\nOtto: Yes.\n", "cp1252", "Windows-1252"),
        (
            "Мара: Шлюз закрыт, вода стоит высоко.\nОтто: Почти.\nМара: Кто его закрыл?\n",
            "cp1251",
            "Windows-1251",
        ),
    ],
)
def test_the_encoding_is_what_the_bytes_tell(text: str, encoding: str, told: str) -> None:
    found = read_fan_transcript(text.encode(encoding), "marsh.txt")

    assert [line.text for line in found.spoken()] == [line.split(": ")[1] for line in text.splitlines()]
    assert found.oddities[0].what == f"not UTF-8; read as {told}"
