"""Fountain screenplays: what is kept, what is left out, and where things stand."""

from __future__ import annotations

import pytest

from mempabench.importers.fountain import read_fountain
from mempabench.importers.importer import RawLine, Transcript

PLAY = """\
Title: _**The Lock**_
Episode: Season 1, Episode 4: High Water
Credit: by nobody

= A synopsis that nobody says.

The river, before anything.

INT. LOCK COTTAGE - DAY #1#

# A section

INES (O.S.)(cont'd)
Is it *really* up?
(listening)
It can't be.
<two spaces>
Not by noon.

@McTavish
It's up.

INES ^
Don't.

CUT TO:

.THE TOWPATH

/* INT. NEVER - DAY

NOBODY
Gone. */

! INES WALKS
away from it.

ODA [[a note]]
Wait. [[and
another]] Wait!
""".replace("<two spaces>", "  ")


def read(text: str) -> Transcript:
    return read_fountain(text.encode(), "lock.fountain")


def spoken(transcript: Transcript) -> list[tuple[str | None, str, int]]:
    return [(line.label, line.text, line.number) for line in transcript.spoken()]


def test_cues_dialogue_and_line_numbers_are_those_of_the_file() -> None:
    found = read(PLAY)

    assert spoken(found) == [
        ("INES", "Is it really up? It can't be. Not by noon.", 13),
        ("McTavish", "It's up.", 20),
        ("INES", "Don't.", 23),
        ("ODA", "Wait. Wait!", 38),
    ]


def test_extensions_and_parentheticals_are_directions_in_their_places() -> None:
    line = read(PLAY).spoken()[0]

    assert [(direction.at, direction.text) for direction in line.directions] == [
        (0, "O.S."),
        (0, "cont'd"),
        (len("Is it really up?"), "listening"),
    ]


def test_scenes_follow_the_headings_and_what_stands_before_them_has_none() -> None:
    found = read(PLAY)

    assert found.headings == 2
    assert [(scene.heading, len(scene.lines)) for scene in found.scenes] == [
        ("", 1),
        ("INT. LOCK COTTAGE - DAY", 3),
        ("THE TOWPATH", 2),
    ]
    assert {(scene.episode, scene.title) for scene in found.scenes} == {("s01e04", "High Water")}


def test_action_is_a_direction_that_stands_alone() -> None:
    action = read(PLAY).scenes[2].lines[0]

    assert action == RawLine(None, "", action.directions, 35)
    assert [direction.text for direction in action.directions] == ["INES WALKS away from it."]


@pytest.mark.parametrize(
    "text", ["CUT TO:", "> FADE OUT", "> THE END <", "===", "~", "[[note]]", "/* INT. X */"]
)
def test_what_nobody_says_or_does_is_left_out(text: str) -> None:
    assert read(f"INT. X - DAY\n\n{text}\n").spoken() == ()


def test_an_episode_that_is_none_is_told_with_its_line() -> None:
    found = read("Title: X\nEpisode: the second one\n\nINT. X\n\nA\nHi.\n")

    assert [(oddity.line, "names no episode" in oddity.what) for oddity in found.oddities] == [(2, True)]
    assert found.scenes[0].episode == ""


def test_capitals_without_dialogue_are_action() -> None:
    found = read("INT. X - DAY\n\nTHE DOOR SLAMS.\n\nSILENCE\n\nA\nHi.\n")

    assert spoken(found) == [("A", "Hi.", 7)]
