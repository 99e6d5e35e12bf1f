"""Whatever the bytes, an importer reads them or refuses them in one line."""

from __future__ import annotations

import random
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempabench.errors import InputError
from mempabench.importers import IMPORTERS, read_transcript
from mempabench.importers.importer import Transcript

PIECES = [
    "Season 1, Episode 1: X\n",
    "Scene: a\n",
    "Mara: Go (waves",
    ") on.\n",
    "INT. X - DAY\n\n",
    "MARA\n",
    "[[",
    "]]",
    "/*",
    "*/",
    "\n\n",
    "  \n",
    "speaker,line\n",
    'Mara,"',
    '"\n',
    "WEBVTT\n\n",
    "00:01.000 --> 00:02.000\n",
    "<v Mara>",
    "</v>",
    "1\n",
    "FIRST ACT\n\n",
    "Mara.  Go.\n\n",
    "[",
    "]",
    "<TEI>",
    "<body>",
    "<sp>",
    "</sp></body></TEI>",
    "<FinalDraft><Content>",
    "\x00",
    "\ufeff",
    "\u2028",
    "é",
    "{",
    "}",
    '"scenes": [[{"character": "A", "quote": "b"}]]',
    ",",
    "^",
    "@A\n",
    "~",
    "(",
    "> <",
    "<p>Mara: Go.",
    "<br>",
    "</nav>",
    "<!--",
    "<pre>",
    "&#146;",
    "Mara; Go. ",
    "Mara: Ã©",
    "Share this:\n",
    "          MARA\n     Go.\n",
    "     (so",
    "31/12/24, 21:05 - Mara: Go.\n",
    "01/02/24, 21:05 - ",
    "[2024-12-31 21:05:09] ",
    "**Mara:** Go.\n",
    "## a\n",
    '{"messages": [',
    '{"text": "a", "user": "b", "ts": "1.5"}',
    '{"content": "a", "author": {"name": "b"}}',
    '{"envelope": {"source": 1, "dataMessage": {"message": "a"}}}\n',
    '{"id": "1", "text": ["a", {"text": 3}], "from": "b"}\n',
    "[{",
    "}]",
    '"utterances": [{"speakers": ["A", null], "transcript": "x"}]',
    "<tt><body><p begin='1s'>a<br/>b</p>",
    "</body></tt>",
]


def read_or_refused(name: str, data: bytes) -> tuple[Transcript | None, str]:
    """Return what was read, or the line that says why it wasn't; anything else but that line escapes."""
    try:
        return read_transcript(name, data, "some.file"), ""
    except InputError as error:
        return None, str(error)


@pytest.mark.parametrize("name", IMPORTERS)
@settings(max_examples=150, deadline=None)
@given(
    data=st.lists(st.sampled_from(PIECES), max_size=25).map("".join).map(str.encode) | st.binary(max_size=200)
)
def test_bytes_are_read_or_refused(name: str, data: bytes) -> None:
    found, refused = read_or_refused(name, data)

    assert refused.startswith("some.file") or found is not None
    assert "\n" not in refused
    for line in found.spoken() if found else ():
        assert all(0 <= direction.at <= len(line.text) for direction in line.directions)
        assert line.text == " ".join(line.text.split())


@pytest.mark.soak
@pytest.mark.parametrize("name", IMPORTERS)
def test_a_million_inputs_over_all_importers_are_read_or_refused(name: str) -> None:
    rng = random.Random(name)
    pieces = [piece.encode() for piece in PIECES] + [
        b"\xff",
        b"\xe9",
        b"\x80\x81",
        b"\xfe\xff",
        b"a" * 300,
        b"(" * 90,
    ]

    for _ in range(1_000_000 // len(IMPORTERS)):
        data = b"".join(rng.choices(pieces, k=rng.randrange(14)))
        found, refused = read_or_refused(name, data)
        assert found is not None or refused.startswith("some.file"), data


HEADS = ["", "Mara: a\nMara: b\n", "<p>Mara: a<p>", "INT. A\n\n          M\n     b\n", "speaker,line\n"]
HEADS += ["WEBVTT\n\n00:01.000 --> 00:02.000\n", "FIRST ACT\n\nMara.  Go.\n\n"]
REPEATED = [
    "<!",
    "<!--",
    "<a ",
    "&#",
    "((",
    "/* ",
    "**a",
    "_a ",
    "a: ",
    "Mara: Go. ",
    "(a) ",
    "<v ",
    "\\(",
    "[[",
    "{",
    '"',
]


class TooSlow(Exception):
    """An importer that doesn't come back."""


def give_up(*_: object) -> None:
    raise TooSlow


@pytest.mark.soak
@pytest.mark.parametrize("name", IMPORTERS)
def test_no_importer_hangs_on_what_is_repeated(name: str) -> None:
    signal.signal(signal.SIGALRM, give_up)
    for head in HEADS:
        for piece in [*PIECES, *REPEATED]:
            signal.alarm(30)
            try:
                read_or_refused(name, (head + piece * (120_000 // len(piece))).encode())
            except TooSlow:
                pytest.fail(f"{name} doesn't come back from {head!r} and then {piece!r} again and again")
            finally:
                signal.alarm(0)


@pytest.mark.parametrize("name", IMPORTERS)
def test_a_file_too_large_is_refused_before_it_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mempabench.importers.MOST_BYTES", 5)

    assert read_or_refused(name, b"Mara: ")[1] == "some.file: 6 bytes; files of more than 5 are split first"
