"""Text that went through the wrong encoding: repaired where that can be undone, else kept; told either way."""

from __future__ import annotations

import pytest

from mempabench.importers import read_transcript
from mempabench.importers.inspecting import inspect
from mempabench.importers.repairing import repair


def spoilt(text: str) -> str:
    return text.encode("utf-8").decode("cp1252")


FILE = "Scene: The café.\nMara: It’s – (sighs “so”) a café.\nOtto: Yes.\n"


def test_a_spoilt_file_reads_as_the_good_one_and_says_so() -> None:
    good = read_transcript("fan_transcript", FILE.encode(), "marsh.txt")
    bad = read_transcript("fan_transcript", FILE.replace("“", "").replace("”", "").encode(), "marsh.txt")
    mended = read_transcript("fan_transcript", spoilt(FILE.replace("”", "“")).encode(), "marsh.txt")

    assert good.oddities == bad.oddities == ()
    assert mended.scenes[0].heading == good.scenes[0].heading
    assert [line.text for line in mended.spoken()] == [line.text for line in good.spoken()]
    assert [d.at for d in mended.spoken()[0].directions] == [d.at for d in good.spoken()[0].directions]
    assert [(oddity.line, oddity.what) for oddity in mended.oddities] == [
        (None, "'The café.' was in the wrong encoding; repaired"),
        (2, "characters in the wrong encoding; repaired"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "À côté",
        "Ã",
        "naïve – “quoted”…",
        "São Paulo",
        "Größe €5",
        "Žižek’s Ångström",
        "ÃÂ",
        "日本語",
        "A\ufffdÃ",
    ],
)
def test_what_reads_well_or_cannot_be_undone_is_kept(text: str) -> None:
    assert repair(text) == text


@pytest.mark.parametrize(("text", "good"), [("Â£5, she said", "£5, she said"), ("NaÃ¯ve?", "Naïve?")])
def test_what_can_be_undone_is(text: str, good: str) -> None:
    assert repair(text) == good


def test_lost_characters_are_kept_and_counted() -> None:
    found = inspect("Scene: A.\nMara: It\ufffds here.\n".encode(), "marsh.txt")

    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (2, "a character that was lost before (U+FFFD); it is kept")
    ]
