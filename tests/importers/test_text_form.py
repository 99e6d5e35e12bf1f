"""The project's own text form: whatever was read can be written in it and read again."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import Command
from tests.importers.test_chats import DISCORD, SIGNAL, SLACK, TELEGRAM, WHATSAPP, as_lines
from tests.importers.test_corpora import EPISODE, MARKDOWN, TTML
from tests.importers.test_fan_page import PAGE
from tests.importers.test_screenplay_text import SCRIPT
from tests.importers.test_subtitles import SRT, VTT

from mempabench.domain.transcripts import Direction
from mempabench.importers import read_transcript
from mempabench.importers.fan_transcript import as_text, read_fan_transcript
from mempabench.importers.importer import RawLine, RawScene, Transcript
from mempabench.importers.inspecting import detect


def scenes(transcript: Transcript) -> list[RawScene]:
    """Return the scenes without line numbers and times."""
    return [
        replace(scene, lines=tuple(replace(line, number=0, time="") for line in scene.lines))
        for scene in transcript.scenes
    ]


def again(transcript: Transcript) -> list[RawScene]:
    return scenes(read_fan_transcript(as_text(transcript).encode(), "again.txt"))


NAMES = [
    "Mara",
    "Otto",
    "Dr. Ames",
    "1st Sailor",
    "A and B",
    "Mara (old)",
    "Scene",
    "Story",
    "Tags",
    "Season 1, Episode 2",
    "a:b",
    "C\\d",
    "(x)",
    "x" * 80,
]
PIECES = [
    "Go.",
    "no",
    "Mara: so",
    "Scene: a",
    "(aside)",
    "[x",
    "so ?",
    ":",
    "\\(",
    "C:\\",
    "Otto (low): hm.",
    "…",
    "“a”",
    "- b",
]
text = st.lists(st.sampled_from(PIECES), max_size=5).map(" ".join)


@st.composite
def lines(draw: st.DrawFn) -> RawLine:
    if draw(st.booleans()):
        return RawLine(None, "", (Direction(at=0, text=draw(text)),), 0)
    said = draw(text)
    places = sorted({0, len(said), *(at for at, char in enumerate(said) if char == " ")})
    chosen = sorted(draw(st.lists(st.sampled_from(places), max_size=3)))
    directions = tuple(Direction(at=at, text=draw(text)) for at in chosen)
    return RawLine(draw(st.sampled_from(["", *NAMES])), said, directions, 0)


episodes = st.sampled_from([("s01e01", "One: a"), ("s02e10", ""), ("", "")])


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    found: list[RawScene] = []
    for _ in range(draw(st.integers(1, 4))):
        episode, title = draw(episodes) if not found or found[-1].episode else ("", "")
        spoken = (
            RawLine("Mara", "One.", (), 0),
            RawLine("Mara", "Two.", (), 0),
            RawLine("Otto", "Three.", (), 0),
        )
        found.append(RawScene(episode, title, draw(text), (*spoken, *draw(st.lists(lines(), max_size=5)))))
    known = [scene for scene in found if scene.episode] or found
    return Transcript(tuple(known), headings=len(known))


@settings(max_examples=400, deadline=None)
@given(transcripts())
def test_what_is_written_reads_the_same(transcript: Transcript) -> None:
    assert again(transcript) == scenes(transcript)


TABLE = (
    "season,episode,scene,speaker,line\n1,1,1,Mara,Go (waves) on.\n1,1,2,Otto,No: never.\n1,2,1,Mara,(nods)\n"
)
TEI = (
    "<TEI><text><body><div type='scene'><head>SCENE 1</head><stage>Rain.</stage><sp who='#a #b'><speaker>A.</speaker>"
    "<l>Go <stage>waves</stage> on</l><l>(so they say)</l></sp></div></body></text></TEI>"
)
FDX = (
    "<FinalDraft><Content><Paragraph Type='Scene Heading'><Text>INT. X</Text></Paragraph><Paragraph Type='Character'>"
    "<Text>MARA (V.O.)</Text></Paragraph><Paragraph Type='Dialogue'><Text>Go.</Text></Paragraph></Content></FinalDraft>"
)
PLAY = "FIRST ACT\n\nMara.  Go.\n\nOtto.  [Rising.] No.\n\nMara.  Why?\n\nOtto.  So.\n\nMara.  Oh.\n\nOtto.  Ah.\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.html", PAGE),
        ("x.txt", SCRIPT),
        ("x.srt", SRT),
        ("x.vtt", VTT),
        ("x.csv", TABLE),
        ("x.tei.xml", TEI),
        ("x.fdx", FDX),
        ("x.txt", PLAY),
        ("x.fountain", "INT. X - DAY\n\nRain.\n\nMARA (V.O.)\n(low)\nGo.\n"),
        ("x.ttml", TTML),
        ("x.md", MARKDOWN),
        ("x.json", json.dumps(EPISODE)),
        ("x.jsonl", '{"id": "1", "conversation_id": "1", "text": "One (so).", "speaker": "Mara"}'),
        ("x.txt", WHATSAPP),
        ("x.json", json.dumps(SLACK)),
        ("x.json", json.dumps(DISCORD)),
        ("x.json", json.dumps(TELEGRAM)),
        ("x.jsonl", as_lines(SIGNAL)),
        ("x.txt", "Season 1, Episode 1: A\nScene: B\nMara (low): Go (waves) on.\n(Rain.)\n"),
    ],
)
def test_every_format_comes_through_the_text_form(name: str, content: str) -> None:
    transcript = read_transcript(detect(content.encode(), name)[0], content.encode(), name)

    assert transcript.spoken()
    assert again(transcript) == scenes(transcript)


SAMPLES = os.environ.get("MEMPABENCH_SAMPLES")


@pytest.mark.skipif(not SAMPLES, reason="needs other people's files, see MEMPABENCH_SAMPLES")
@pytest.mark.parametrize("folder", ["tei", "gutenberg_text", "fountain", "fdx", "srt", "webvtt", "chat"])
def test_files_of_others_come_through_the_text_form(folder: str) -> None:
    for path in sorted(Path(SAMPLES or "", folder).iterdir()):
        transcript = read_transcript(detect(path.read_bytes(), path.name)[0], path.read_bytes(), path.name)
        if transcript.spoken():
            assert again(transcript) == scenes(transcript), path.name


def test_the_text_form_is_pleasant_to_read() -> None:
    lines = (
        RawLine(None, "", (Direction(at=0, text="Rain."),), 1),
        RawLine(
            "Mara",
            "It is ten past: late. Well, go.",
            (Direction(at=0, text="low"), Direction(at=21, text="waves")),
            2,
        ),
        RawLine("", "Who?", (), 3),
        RawLine("Story", "Mine.", (), 4),
    )
    transcript = Transcript((RawScene("s01e02", "The Gate", "The bank, later.", lines),), headings=1)

    assert as_text(transcript) == (
        "Season 1, Episode 2: The Gate\n\nScene: The bank, later.\n\n(Rain.)\n"
        "Mara: (low) It is ten past: late. (waves) Well, go.\n?: Who?\n\\ Story: Mine.\n"
    )


def test_a_file_is_converted_once(tmp_path: Path, mempabench: Command) -> None:
    (tmp_path / "x.csv").write_text(TABLE, encoding="utf-8")
    arguments = ("transcripts", "convert", tmp_path / "x.csv", "--out", tmp_path / "x.txt")

    done, refused = mempabench(*arguments), mempabench(*arguments)

    assert done.code == 0
    assert "3 scenes, 3 lines" in done.out
    assert (
        (tmp_path / "x.txt")
        .read_text("utf-8")
        .startswith("Season 1, Episode 1\n\nScene:\n\nMara: Go (waves) on.")
    )
    assert refused.code == 1
    assert "x.txt: is there already; give another name" in refused.told[0]
