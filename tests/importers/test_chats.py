"""Chats: WhatsApp and Signal as text; Slack, Discord, Telegram and Signal as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mempabench.domain.transcripts import Reading
from mempabench.errors import InputError
from mempabench.importers import read_transcript
from mempabench.importers.chat_text import read_chat_text
from mempabench.importers.importer import Transcript
from mempabench.importers.inspecting import detect


def said(found: Transcript) -> list[tuple[str | None, str, str]]:
    return [(line.label, line.text, line.time) for line in found.spoken()]


def chat(text: str, **reading: Any) -> Transcript:
    return read_chat_text(text.encode(), "chat.txt", Reading(**reading))


WHATSAPP = """\
31/12/24, 21:05 - Messages and calls are end-to-end encrypted. Only people in this chat can read them.
31/12/24, 21:05 - Mara created group "Sluice: rota"
31/12/24, 21:06 - Mara: Who has (the) key?

It was here.
31/12/24, 21:07 - Otto Lind: <Media omitted>
01/01/25, 00:01 - Otto Lind: Note: mine. <This message was edited>
01/01/25, 00:02 - +44 7700 900123: So?
"""


def test_a_whatsapp_chat_keeps_names_words_and_times() -> None:
    found = chat(WHATSAPP)

    assert said(found) == [
        ("Mara", "Who has (the) key? It was here.", "2024-12-31T21:06:00"),
        ("Otto Lind", "", "2024-12-31T21:07:00"),
        ("Otto Lind", "Note: mine.", "2025-01-01T00:01:00"),
        ("+44 7700 900123", "So?", "2025-01-01T00:02:00"),
    ]
    assert [[(d.at, d.text) for d in line.directions] for line in found.spoken()] == [
        [],
        [(0, "Media omitted")],
        [(11, "edited")],
        [],
    ]
    assert (found.spoken()[0].number, found.spoken()[0].last) == (3, 5)
    assert (found.headings, len(found.scenes)) == (None, 1)
    assert [oddity.what for oddity in found.oddities] == ["2 system lines; left out"]


@pytest.mark.parametrize(
    ("start", "moment"),
    [
        ("[31/12/2024, 21:05:09] ", "2024-12-31T21:05:09"),
        ("\u200e[31.12.24, 21:05:09] ", "2024-12-31T21:05:09"),
        ("12/31/24, 9:05\u202fPM - ", "2024-12-31T21:05:00"),
        ("12/31/2024, 12:05 a. m. - ", "2024-12-31T00:05:00"),
        ("2024-12-31, 21:05 - ", "2024-12-31T21:05:00"),
        ("[2024-12-31 21:05:09] ", "2024-12-31T21:05:09"),
        ("31.12.24, 21.05 - ", "2024-12-31T21:05:00"),
    ],
)
def test_every_way_to_write_a_time_is_read(start: str, moment: str) -> None:
    assert said(chat(f"{start}\u200eMara:Go.\n")) == [("Mara", "Go.", moment)]


AMBIGUOUS = "03/04/2025, 10:00 - Mara: One.\n05/04/2025, 10:00 - Otto: Two.\n"


def test_ambiguous_dates_are_refused_until_it_is_said_how_they_read() -> None:
    with pytest.raises(
        InputError,
        match=r"^chat\.txt: its dates can be read as dmy or mdy \(first: '03/04/2025'\); say which with --date-order",
    ):
        chat(AMBIGUOUS)

    assert said(chat(AMBIGUOUS, date_order="dmy"))[0][2] == "2025-04-03T10:00:00"
    assert said(chat(AMBIGUOUS, date_order="mdy"))[0][2] == "2025-03-04T10:00:00"
    assert said(chat("24/12/31, 21:05 - A: b\n", date_order="ymd"))[0][2] == "2024-12-31T21:05:00"


@pytest.mark.parametrize(
    ("text", "order", "message"),
    [
        ("", None, "chat.txt: no message such as"),
        ("Mara: Go.\n", None, "chat.txt: no message such as"),
        ("31/12/24, 21:05 - Mara left\n", None, "chat.txt: 1 system lines and nobody who says anything"),
        (AMBIGUOUS + "13/04/2025, 10:00 - Mara: So.\n", "mdy", "chat.txt:3: '13/04/2025' is no date as mdy"),
        (
            "13/04/2025, 10:00 - A: x\n04/13/2025, 10:00 - A: y\n",
            None,
            "chat.txt:2: '04/13/2025' is no date in the order of those before it; mend it",
        ),
        ("31/12/24, 25:05 - Mara: Go.\n", None, "chat.txt:1: '31/12/24' is no date in the order"),
    ],
)
def test_what_is_no_chat_or_no_date_is_refused(text: str, order: str | None, message: str) -> None:
    with pytest.raises(InputError) as refused:
        chat(text, date_order=order)

    assert str(refused.value).startswith(message)


def test_a_silence_parts_scenes_when_told() -> None:
    assert len(chat(WHATSAPP).scenes) == 1
    assert [len(scene.lines) for scene in chat(WHATSAPP, scene_gap=3600).scenes] == [2, 2]


SLACK: list[dict[str, Any]] = [
    {"ts": "1434139102.000002", "user": "U1", "text": "See <https://x.example|this> &amp; <@U2>"},
    {
        "ts": "1434139103.5",
        "user": "U2",
        "text": "",
        "files": [{"name": "map.png"}],
        "user_profile": {"real_name": "Otto"},
    },
    {"ts": "1434139104.5", "user": "U1", "subtype": "channel_join", "text": "has joined"},
    {"text": "beep", "username": "bot", "subtype": "bot_message"},
]
DISCORD = {
    "channel": {"name": "sluice"},
    "messages": [
        {
            "type": "Default",
            "timestamp": "2024-01-04T17:52:39+01:00",
            "content": "blah",
            "author": {"name": "m", "nickname": "Mara"},
        },
        {"type": "Reply", "content": "", "author": {"name": "Otto"}, "attachments": [{"fileName": "a.png"}]},
        {"type": "Call", "content": "Started a call", "author": {"name": "Otto"}},
    ],
}
TELEGRAM = {
    "messages": [
        {
            "type": "message",
            "date": "2024-01-04T17:52:39",
            "from": "Mara",
            "from_id": "user1",
            "text": ["See ", {"type": "bold", "text": "this"}],
        },
        {
            "type": "message",
            "from": None,
            "from_id": "user2",
            "text": "",
            "media_type": "sticker",
            "sticker_emoji": "!",
        },
        {"type": "service", "actor": "Mara", "action": "pin_message", "text": ""},
    ]
}
SIGNAL = [
    {"envelope": {"sourceName": "Mara", "timestamp": 1434139102000, "dataMessage": {"message": "Go."}}},
    {
        "envelope": {
            "sourceNumber": "+44",
            "syncMessage": {"sentMessage": {"message": "No.", "timestamp": 1434139103000}},
        }
    },
    {"envelope": {"sourceName": "Mara", "receiptMessage": {}}},
]


def as_lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize(
    ("name", "text", "wanted", "directions", "pointer"),
    [
        (
            "slack",
            json.dumps(SLACK),
            [
                ("U1", "See this & @Otto", "2015-06-12T19:58:22.000002+00:00"),
                ("Otto", "", "2015-06-12T19:58:23.500000+00:00"),
                ("bot", "beep", ""),
            ],
            [[], ["file: map.png"], []],
            "/3",
        ),
        (
            "discord",
            json.dumps(DISCORD),
            [("Mara", "blah", "2024-01-04T17:52:39+01:00"), ("Otto", "", "")],
            [[], ["file: a.png"]],
            "/messages/1",
        ),
        (
            "telegram",
            json.dumps(TELEGRAM),
            [("Mara", "See this", "2024-01-04T17:52:39"), ("user2", "", "")],
            [[], ["sticker: !"]],
            "/messages/1",
        ),
        (
            "telegram",
            json.dumps({"chats": {"list": [TELEGRAM]}}),
            [("Mara", "See this", "2024-01-04T17:52:39"), ("user2", "", "")],
            [[], ["sticker: !"]],
            "/chats/list/0/messages/1",
        ),
        (
            "signal",
            as_lines(SIGNAL),
            [("Mara", "Go.", "2015-06-12T19:58:22+00:00"), ("+44", "No.", "2015-06-12T19:58:23+00:00")],
            [[], []],
            "/1",
        ),
    ],
)
def test_exports_as_json_keep_names_words_and_times(
    name: str, text: str, wanted: list[tuple[str, str, str]], directions: list[list[str]], pointer: str
) -> None:
    format_name = detect(text.encode(), "chat.json")[0]
    found = read_transcript(format_name, text.encode(), "chat.json")

    assert format_name == name
    assert said(found) == wanted
    assert [[d.text for d in line.directions] for line in found.spoken()] == directions
    assert found.spoken()[-1].pointer == pointer
    assert [oddity.what for oddity in found.oddities] == ["1 system line; left out"]


@pytest.mark.parametrize("name", ["slack", "discord", "telegram", "signal"])
@pytest.mark.parametrize(
    "text", ["[]", "{}", "3", '[{"a": null}]', '{"messages": [{"type": "x"}, 3]}', "{", "NaN"]
)
def test_what_holds_no_message_is_refused(name: str, text: str) -> None:
    with pytest.raises(InputError, match=r"^chat\.json(:1)?: (no message in it|not JSON)"):
        read_transcript(name, text.encode(), "chat.json")
