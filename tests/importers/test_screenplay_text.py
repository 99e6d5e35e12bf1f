"""Screenplays as plain text: told apart by where things stand on the page."""

from __future__ import annotations

import pytest

from mempabench.errors import InputError
from mempabench.importers.importer import Transcript
from mempabench.importers.inspecting import detect
from mempabench.importers.screenplay_text import read_screenplay_text

SCRIPT = """\
                              SALTMARSH

                            by nobody

     FADE IN:

12   INT. SLUICE HOUSE - MORNING                                 12

     Mara leans on the wheel. Water
     under the boards.

                         MARA (V.O.)
               It's shut.
                    (she looks
                    again)
               Nearly shut, I'd
               say.

                         1ST SAILOR (CONT'D)
               So?

                                                       CUT TO:

\f                                                            2.

13   EXT. BANK - LATER                                           13

                         OTTO
                    (calling)
               MARA!
                         (MORE)

     He runs. OTTO'S HAT
     stays.

                         OTTO
               Well.
"""


def read(text: str) -> Transcript:
    return read_screenplay_text(text.encode(), "marsh.txt")


def test_a_screenplay_becomes_scenes_turns_and_action() -> None:
    found = read(SCRIPT)

    assert [scene.heading for scene in found.scenes] == ["INT. SLUICE HOUSE - MORNING", "EXT. BANK - LATER"]
    first, second = found.scenes
    assert [(line.label, line.text, line.number) for line in first.lines] == [
        (None, "", 9),
        ("MARA", "It's shut. Nearly shut, I'd say.", 12),
        ("1ST SAILOR", "So?", 19),
    ]
    assert first.lines[0].directions[0].text == "Mara leans on the wheel. Water under the boards."
    assert [(direction.at, direction.text) for direction in first.lines[1].directions] == [
        (0, "V.O."),
        (10, "she looks again"),
    ]
    assert [(line.label, line.text) for line in second.lines] == [
        ("OTTO", "MARA!"),
        (None, ""),
        ("OTTO", "Well."),
    ]
    assert second.lines[1].directions[0].text == "He runs. OTTO'S HAT stays."
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (1, "2 paragraphs before the first heading; left out")
    ]


def test_tabs_and_carriage_returns_are_columns_and_line_ends() -> None:
    found = read(SCRIPT.replace("     ", "\t").replace("\n", "\r\n"))

    assert [line.text for line in found.spoken()] == [line.text for line in read(SCRIPT).spoken()]


def test_a_script_without_headings_is_one_scene_and_says_so() -> None:
    found = read("Water.\n\n          MARA\n     Go.\n\n          OTTO\n     No.\n")

    assert (len(found.scenes), found.headings) == (1, 0)
    assert [(line.label, line.text) for line in found.spoken()] == [("MARA", "Go."), ("OTTO", "No.")]
    assert found.oddities[-1].what == "no headings such as 'INT. PLACE - DAY'; the file is one scene"


def test_it_is_known_by_its_shape_and_fountain_by_its_own() -> None:
    flush = "\n".join(line.strip() for line in SCRIPT.replace("12   ", "").replace("13   ", "").split("\n"))

    assert detect(SCRIPT.encode(), "marsh.txt")[0] == "screenplay_text"
    assert detect(flush.replace("  ", "").encode(), "marsh.txt")[0] == "fountain"


@pytest.mark.parametrize(
    "text", ["", "INT. X - DAY\n\nNobody speaks.\n", "MARA\nGo.\n", "     MARA\n\n     Go.\n"]
)
def test_a_text_in_which_nobody_speaks_is_refused(text: str) -> None:
    with pytest.raises(
        InputError, match=r"^marsh\.txt: no character's name indented over a line of dialogue"
    ):
        read(text)
