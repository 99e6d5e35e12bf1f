"""SRT and WebVTT: cues, voices, encodings, and what is malformed."""

from __future__ import annotations

import pytest

from mempabench.domain.transcripts import Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Transcript
from mempabench.importers.subtitles import read_srt, read_webvtt


def lines(found: Transcript) -> list[tuple[str | None, str, int]]:
    return [(line.label, line.text, line.number) for line in found.spoken()]


SRT = """\
1
00:00:01,000 --> 00:00:02,000
MARA: <i>Go</i>
on.

7
00:00:03,000 --> 00:00:04,000

3
00:00:05,000 --> 00:00:06,000
[thunder]
4
00:00:07,000 --> 00:00:08,000
Just &amp; so, 12:30.
"""


def test_cues_are_joined_over_line_ends_and_nothing_hangs_on_indexes_or_blank_lines() -> None:
    found = read_srt(SRT.encode(), "x.srt")

    assert lines(found) == [("MARA", "Go on.", 2), ("", "", 10), ("", "Just & so, 12:30.", 13)]
    assert [direction.text for direction in found.spoken()[1].directions] == ["thunder"]
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [(7, "an empty cue")]
    assert found.headings is None


def test_another_encoding_is_told() -> None:
    found = read_srt(
        "1\n00:00:01,000 --> 00:00:02,000\nÇa va, très bien, là-bas à l’été ?\n".encode("cp1252"), "x.srt"
    )

    assert lines(found)[0][1] == "Ça va, très bien, là-bas à l’été ?"
    assert found.oddities[0].what.startswith("not UTF-8; read as Windows-125")


VTT = """\
WEBVTT

NOTE nobody
says this

00:01.000 --> 00:02.000 align:start
<v Mara>Go <c.red>on</c>.</v><v.loud Otto>No.

00:03.000 --> 00:04.000
<v Mara>
Why?
"""


def test_voices_make_turns_even_unclosed_alone_on_a_line_or_two_in_a_cue() -> None:
    found = read_webvtt(VTT.encode(), "x.vtt")

    assert lines(found) == [("Mara", "Go on.", 6), ("Otto", "No.", 6), ("Mara", "Why?", 9)]


@pytest.mark.parametrize(
    ("text", "message"), [("1\n00:00:01,000 -> 2\nHi\n", "no cue with a time"), ("", "no cue with a time")]
)
def test_a_file_without_cues_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_srt(text.encode(), "x.srt")


def test_webvtt_has_to_begin_so() -> None:
    with pytest.raises(InputError, match=r"x\.vtt:1: a WebVTT file begins with 'WEBVTT'"):
        read_webvtt(SRT.encode(), "x.vtt")


TIMED = """\
1
00:00:01,000 --> 00:00:02,000
One.

2
00:00:12,000 --> 00:00:13,000
Two.

3
00:00:22,900 --> 00:00:23,000
Three.
"""


@pytest.mark.parametrize(("gap", "scenes"), [(None, 1), (10.5, 1), (10.0, 2), (9.9, 3)])
def test_a_silence_parts_scenes_only_when_told(gap: float | None, scenes: int) -> None:
    found = read_srt(TIMED.encode(), "x.srt", Reading(scene_gap=gap))

    assert len(found.scenes) == scenes
    assert found.headings is None
    assert [text for _, text, *_ in lines(found)] == ["One.", "Two.", "Three."]


def timed(*cues: str) -> bytes:
    return "\n".join(
        f"{number}\n00:00:{number:02d},000 --> 00:00:{number:02d},900\n{cue}\n"
        for number, cue in enumerate(cues, 1)
    ).encode()


@pytest.mark.parametrize(
    ("cue", "wanted"),
    [
        ("- MARA: Is it\nshut?\n– OTTO: Nearly.", [("MARA", "Is it shut?"), ("OTTO", "Nearly.")]),
        ("- Is it shut?", [("", "Is it shut?")]),
        ("Well - no.\nNever.", [("", "Well - no. Never.")]),
        ("MARA:\nIs it shut?", [("MARA", "Is it shut?")]),
        ("- MARA: Shut?\n- OTTO: Nearly.", [("MARA", "Shut?"), ("OTTO", "Nearly.")]),
        ("- <v Mara>Shut?\n- <v Otto>Nearly.", [("Mara", "Shut?"), ("Otto", "Nearly.")]),
        ("So. <v Mara>Shut?</v>", [("", "So."), ("Mara", "Shut?")]),
        ("<v Mara>\nShut?", [("Mara", "Shut?")]),
    ],
)
def test_several_people_in_a_cue_are_several_turns(cue: str, wanted: list[tuple[str, str]]) -> None:
    found = read_srt(timed(cue), "x.srt")

    assert [(line.label, line.text) for line in found.spoken()] == wanted
    assert found.oddities == ()


def test_two_people_without_names_are_one_line_and_told() -> None:
    found = read_srt(timed("- Is it shut?\n- Nearly.", "- MARA: So?\n- Oh."), "x.srt")

    assert [line.text for line in found.spoken()] == ["- Is it shut? - Nearly.", "- MARA: So? - Oh."]
    assert [oddity.what for oddity in found.oddities] == [
        "2 cues hold two people who aren't named; each is kept as one line"
    ]


def test_malformed_times_and_growing_captions_are_told() -> None:
    text = timed("it", "it is", "it is shut", "now").decode() + "\n5\n00:00:09 -> x --> 3\nLost.\n"

    found = read_srt(text.encode(), "x.srt")

    assert [line.text for line in found.spoken()] == ["it", "it is", "it is shut", "now"]
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (18, "'00:00:09 -> x --> 3' is no time of a cue; the cue is left out"),
        (None, "2 cues begin with the words of the cue before (growing captions); kept"),
    ]
