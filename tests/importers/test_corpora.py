"""Corpora as JSON, Markdown and TTML: what they keep, and what is odd in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mempabench.domain.transcripts import Reading
from mempabench.errors import InputError
from mempabench.importers import read_transcript
from mempabench.importers.importer import Transcript
from mempabench.importers.inspecting import detect


def said(found: Transcript) -> list[tuple[str | None, str]]:
    return [(line.label, line.text) for line in found.spoken()]


def read(text: str, name: str, wanted: str, reading: Reading | None = None) -> Transcript:
    assert detect(text.encode(), name)[0] == wanted
    return read_transcript(wanted, text.encode(), name, reading or Reading())


EPISODE = {
    "episode_id": "s01_e02",
    "title": "The Gate",
    "scenes": [
        {
            "utterances": [
                {
                    "speakers": ["Mara Field", "Otto"],
                    "transcript": "Go.",
                    "transcript_with_note": "(waves) Go.",
                },
                {"speakers": [], "transcript": "", "transcript_with_note": "[Rain.]"},
                {"speakers": ["Otto"], "transcript": ""},
            ]
        },
        {
            "utterances": [
                {"speakers": [], "transcript": "", "transcript_with_note": "[Scene: The bank, later.]"}
            ]
        },
    ],
}


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"season_id": "s01", "episodes": [EPISODE]}, "/episodes/0/scenes/0/utterances/0"),
        ([EPISODE], "/0/scenes/0/utterances/0"),
        (EPISODE, "/scenes/0/utterances/0"),
    ],
)
def test_character_mining_keeps_scenes_speakers_and_notes(value: Any, pointer: str) -> None:
    found = read(json.dumps(value), "season.json", "character_mining")

    assert [(scene.episode, scene.title, scene.heading, len(scene.lines)) for scene in found.scenes] == [
        ("s01e02", "The Gate", "", 3),
        ("s01e02", "The Gate", "The bank, later.", 0),
    ]
    assert said(found) == [("Mara Field and Otto", "Go."), ("Otto", "")]
    assert [d.text for line in found.scenes[0].lines for d in line.directions] == ["waves", "Rain."]
    assert (found.spoken()[0].pointer, found.spoken()[0].raw) == (pointer, "(waves) Go.")
    assert len(found.oddities) == 1
    assert found.oddities[0].what.endswith("/scenes/0/utterances/2: an empty utterance by Otto; kept")


def test_convokit_brings_conversations_together_in_the_order_of_the_file() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1", "conversation_id": "1", "text": "One.", "speaker": "Mara", "reply-to": None},
        {"id": "7", "conversation_id": "7", "text": "Other.", "speaker": {"id": "Ines"}},
        {"id": "2", "root": "1", "text": "Two.", "user": "Otto", "reply_to": "1"},
        {"id": "3", "conversation_id": "7", "text": " ", "speaker": "Otto", "reply-to": "99"},
    ]

    found = read("".join(json.dumps(row) + "\n" for row in rows), "utterances.jsonl", "convokit")

    assert [[line.text for line in scene.lines] for scene in found.scenes] == [
        ["One.", "Two."],
        ["Other.", ""],
    ]
    assert [label for label, _ in said(found)] == ["Mara", "Otto", "Ines", "Otto"]
    assert found.headings is None
    assert [(oddity.line, oddity.what) for oddity in found.oddities] == [
        (4, "an empty text by Otto; kept"),
        (4, "a reply to '99', which isn't there"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("character_mining", "[]", "x: no scenes with utterances in it"),
        ("character_mining", "{", "x: not JSON"),
        ("convokit", "", "x: no utterance in it"),
        ("convokit", '{"id": "1"}', "x:1: not an utterance with a text"),
        ("convokit", '{"text": "a"}\n{', "x:2: not JSON"),
        ("markdown", "# Words\n\nNobody.\n", "x: no 'Name: words' in it"),
        ("ttml", "<tt><body><div><p/></div></body></tt>", "x: no <p> with words in a <body>"),
        ("ttml", "<tt>", "x:1: not well-formed XML"),
    ],
)
def test_what_holds_nothing_is_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_transcript(name, text.encode(), "x")

    assert str(refused.value).startswith(message)


MARKDOWN = """\
# Saltmarsh
## Season 1, Episode 2: The Gate
### The sluice, *morning*
*Rain.*

**Mara:** It is *nearly* shut, 2 * 3.
**Otto** (low): Is it?
- __Mara__: Yes. [shuts it]
---
### Scene: The bank
> **Otto:** So.
"""


def test_markdown_is_read_as_a_transcript() -> None:
    found = read(MARKDOWN, "x.txt", "markdown")

    assert [(scene.episode, scene.title, scene.heading) for scene in found.scenes] == [
        ("s01e02", "The Gate", "The sluice, morning"),
        ("s01e02", "The Gate", "The bank"),
    ]
    assert [(line.label, line.text, line.number) for line in found.scenes[0].lines] == [
        (None, "", 4),
        ("Mara", "It is nearly shut, 2 * 3.", 6),
        ("Otto", "Is it?", 7),
        ("Mara", "Yes.", 8),
    ]
    assert said(found)[-1] == ("Otto", "So.")
    assert found.oddities == ()


TTML = """\
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata">
<head><metadata><ttm:agent xml:id="a1" type="person"><ttm:name type="full">Mara</ttm:name></ttm:agent></metadata></head>
<body><div ttm:agent="a1">
<p begin="00:00:01.000" end="00:00:02.000">It is<br/>shut. <span>(a splash)</span></p>
<p begin="3s" end="4s" ttm:agent="a1 otto"><span>So</span><span>there.</span></p>
<p begin="20s"></p>
<p begin="30s">Oh.</p>
</div></body></tt>
"""


def test_ttml_keeps_agents_breaks_and_places() -> None:
    found = read(TTML, "x.xml", "ttml")

    assert said(found) == [("Mara", "It is shut."), ("Mara and otto", "So there."), ("Mara", "Oh.")]
    assert [d.text for d in found.spoken()[0].directions] == ["a splash"]
    assert found.spoken()[1].pointer == "/tt/body[1]/div[1]/p[2]"
    assert [oddity.what for oddity in found.oddities] == ["/tt/body[1]/div[1]/p[3]: an empty cue"]
    assert len(read(TTML, "x.ttml", "ttml", Reading(scene_gap=26)).scenes) == 2
