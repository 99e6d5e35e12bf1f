"""Every turn knows where it stands in its file, and how the file has it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from tests.importers.test_fan_page import PAGE
from tests.importers.test_play_text import PLAY
from tests.importers.test_screenplay_text import SCRIPT
from tests.importers.test_subtitles import SRT, VTT
from tests.importers.test_text_form import FDX, TEI

from mempabench.importers import read_transcript
from mempabench.importers.importer import RawLine

FAN = "Scene: A café.\n\nMara (low): It’s “so”.\n(Rain.)\nOtto:  Two   spaces.\n"
FOUNTAIN = "INT. CAFÉ - DAY\n\nRain.\nMore rain.\n\nMARA\n(low)\nIt’s so.\nYes.\n"
TABLE = 'speaker,line\nMara,"It’s\nso"\nOtto,No.\n'

FILES = {
    "fan_transcript": FAN,
    "fan_page": PAGE,
    "fountain": FOUNTAIN,
    "screenplay_text": SCRIPT,
    "season_table": TABLE,
    "play_text": PLAY,
    "srt": SRT,
    "webvtt": VTT,
}


def turns(name: str, content: bytes) -> list[RawLine]:
    return [line for scene in read_transcript(name, content, "x").scenes for line in scene.lines]


def at(line: RawLine, content: bytes) -> bytes:
    found = re.fullmatch(r"bytes (\d+)-(\d+)", line.pointer)
    assert found, line.pointer
    return content[int(found[1]) : int(found[2])]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", FILES)
def test_the_bytes_of_a_turn_are_its_raw_text(name: str, end: str, encoding: str) -> None:
    content = FILES[name].replace("\n", end).encode(encoding)

    found = turns(name, content)

    assert found
    for line in found:
        decoded = at(line, content).decode("utf-16-le" if encoding == "utf-16" else "utf-8")
        assert decoded.replace(end, "\n") == line.raw
        assert line.raw.strip()


def test_raw_text_is_that_of_the_whole_turn() -> None:
    assert [line.raw for line in turns("fan_transcript", FAN.encode())] == [
        "Mara (low): It’s “so”.",
        "(Rain.)",
        "Otto:  Two   spaces.",
    ]
    assert [line.raw for line in turns("fountain", FOUNTAIN.encode())] == [
        "Rain.\nMore rain.",
        "MARA\n(low)\nIt’s so.\nYes.",
    ]
    assert [line.raw for line in turns("season_table", TABLE.encode())] == ['Mara,"It’s\nso"', "Otto,No."]


def test_a_turn_in_another_encoding_has_its_bytes() -> None:
    content = FAN.encode("cp1252")

    assert next(at(line, content).decode("cp1252") for line in turns("fan_transcript", content)) == (
        "Mara (low): It’s “so”."
    )


def test_xpaths_lead_to_the_turns() -> None:
    for name, content in (("tei", TEI), ("fdx", FDX)):
        root = ElementTree.fromstring(content)
        for line in turns(name, content.encode()):
            element = root.find("." + line.pointer.removeprefix(f"/{root.tag}"))
            assert element is not None
            assert "".join(element.itertext()).strip()[:5] == line.raw[:5]


def test_json_pointers_lead_to_the_turns() -> None:
    value = [
        {"episode": 1, "scenes": [[], [{"character": "Mara", "quote": " Go.  "}]]},
        {"character": "A", "quote": "b"},
    ]

    (first, second) = turns("season_table", json.dumps(value).encode())

    assert (first.pointer, first.raw) == ("/0/scenes/1/0", "Mara:  Go.  ")
    assert (second.pointer, second.raw) == ("/1", "A: b")
