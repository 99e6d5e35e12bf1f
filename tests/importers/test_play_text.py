"""Plays as plain text."""

from __future__ import annotations

import pytest

from mempabench.errors import InputError
from mempabench.importers.play_text import read_play_text

PLAY = """\
THE LOCK

Ines: Miss Nobody.
Mac: Mr. Nobody.

FIRST ACT

A cottage.

[Ines is alone.]

Ines.  Is it up?  [She looks at a
gauge.]  It can't be.

Mac.  It is.

Ines.  Then shut it.

[Goes to the wheel.]  I shall.

Mac.  Oh. Why.

Mac.  Never.  No.

Ines.  Because.

Ines and Mac [Together.]  There!

ACT II.

Mac.  Water.

ACT DROP
"""


def test_speeches_are_joined_continued_and_told_from_directions() -> None:
    found = read_play_text(PLAY.encode(), "lock.txt")

    assert [(line.label, line.text, line.number) for line in found.spoken()] == [
        ("Ines", "Is it up? It can't be.", 12),
        ("Mac", "It is.", 15),
        ("Ines", "Then shut it. I shall.", 17),
        ("Mac", "Oh. Why.", 21),
        ("Mac", "Never. No.", 23),
        ("Ines", "Because.", 25),
        ("Ines and Mac", "There!", 27),
        ("Mac", "Water.", 31),
    ]
    assert [(d.at, d.text) for d in found.spoken()[0].directions] == [(9, "She looks at a gauge")]
    assert [(scene.heading, len(scene.lines)) for scene in found.scenes] == [("FIRST ACT", 9), ("ACT II.", 1)]
    assert [line.directions[0].text for line in found.scenes[0].lines[:2]] == ["A cottage.", "Ines is alone"]


def test_a_text_without_acts_is_refused() -> None:
    with pytest.raises(InputError, match="no act with speeches"):
        read_play_text(b"Just words.\n", "x.txt")
