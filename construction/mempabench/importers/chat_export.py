"""Chats as JSON: Slack channels, Discord channels (as DiscordChatExporter writes them), Telegram, Signal (signal-cli).

Kept: names as people see them where the file has them, else ids; words with links and mentions in their place;
times with the zone that the file gives; attachments, photos and stickers as directions; the order of the file;
JSON pointers. Left out and counted: what the service itself says (joins, calls, pins).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mempabench.domain.transcripts import AS_IT_IS, Direction, Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, Transcript
from mempabench.importers.json_values import objects_in, text_of, value_of
from mempabench.importers.scene_gaps import by_silence
from mempabench.importers.text import clean, decoded

_SLACK_LINK = re.compile(r"<(?P<target>[^<>|]{1,500})(?:\|(?P<label>[^<>]{1,300}))?>")
_SLACK_SPOKEN = frozenset({"", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment"})
_DISCORD_SPOKEN = frozenset({"", "Default", "Reply", "ThreadStarterMessage", "0", "19"})


@dataclass(frozen=True)
class Message:
    """What somebody wrote, as any service has it."""

    pointer: str
    label: str
    text: str
    moment: datetime | None
    raw: str
    attached: tuple[str, ...] = ()


@dataclass
class _Found:
    """Messages, and how much else there was."""

    messages: list[Message] = field(default_factory=list)
    system: int = 0


def read_slack(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a Slack channel: a list of messages, or an object that holds one under ``messages``.

    Raises:
        InputError: when it is no JSON, or holds no message.
    """
    return _read(content, name, reading, _slack)


def read_discord(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a Discord channel.

    Raises:
        InputError: when it is no JSON, or holds no message.
    """
    return _read(content, name, reading, _discord)


def read_telegram(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a Telegram chat, or a full export with a list of them.

    Raises:
        InputError: when it is no JSON, or holds no message.
    """
    return _read(content, name, reading, _telegram)


def read_signal(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read what ``signal-cli --output=json receive`` wrote: an envelope a line.

    Raises:
        InputError: naming the line that is no JSON; when there is no message.
    """
    lines = decoded(content, name).split("\n")
    values = [
        value_of(line, f"{name}:{number}") for number, line in enumerate(lines, start=1) if line.strip()
    ]
    return _transcript(_signal(values), name, reading)


def _read(content: bytes, name: str, reading: Reading, take: Callable[[Any], _Found]) -> Transcript:
    return _transcript(take(value_of(decoded(content, name), name)), name, reading)


def _transcript(found: _Found, name: str, reading: Reading) -> Transcript:
    if not found.messages:
        raise InputError(f"{name}: no message in it; is this such an export?")
    oddities = (
        [Oddity(None, f"{found.system} system line{'s' * (found.system > 1)}; left out")]
        if found.system
        else []
    )
    lines = [
        (_line(message, number), message.moment) for number, message in enumerate(found.messages, start=1)
    ]
    return Transcript(by_silence(lines, reading.scene_gap), headings=None, oddities=tuple(oddities))


def _line(message: Message, number: int) -> RawLine:
    words = clean(message.text)
    return RawLine(
        clean(message.label),
        words,
        tuple(Direction(at=len(words), text=clean(what)) for what in message.attached),
        number,
        pointer=message.pointer,
        raw=message.raw,
        time=message.moment.isoformat() if message.moment else "",
    )


def _objects(value: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a list, or of the list under ``messages``, with their pointers."""
    if isinstance(value, dict):
        value, pointer = value.get("messages"), f"{pointer}/messages"
    for number, one in enumerate(value if isinstance(value, list) else []):
        if isinstance(one, dict):
            yield f"{pointer}/{number}", one


def _slack(value: Any) -> _Found:
    found = _Found()
    entries = list(_objects(value, ""))
    names = {
        text_of(one.get("user")): _slack_name(one)
        for _, one in entries
        if isinstance(one.get("user_profile"), dict)
    }
    for pointer, one in entries:
        attached = tuple(
            f"file: {text_of(file.get('name') or file.get('title') or 'unnamed')}"
            for file in objects_in(one.get("files"))
        )
        raw = text_of(one.get("text"))
        user = text_of(one.get("user"))
        label = names.get(user) or user or _slack_name(one)
        if text_of(one.get("subtype")) not in _SLACK_SPOKEN or not (raw or attached):
            found.system += 1
        else:
            text = html.unescape(_SLACK_LINK.sub(lambda link: _slack_link(link, names), raw))
            found.messages.append(Message(pointer, label, text, _epoch(one.get("ts"), 1), raw, attached))
    return found


def _slack_name(one: dict[str, Any]) -> str:
    profile = one.get("user_profile")
    known = profile if isinstance(profile, dict) else {}
    candidates = (known.get("display_name"), known.get("real_name"), one.get("username"), one.get("user"))
    return next((text_of(name) for name in candidates if text_of(name)), "")


def _slack_link(link: re.Match[str], names: dict[str, str]) -> str:
    target = link["target"]
    if target.startswith(("@", "#", "!")):
        shown = link["label"] or names.get(target[1:]) or target[1:]
        return f"{'#' if target[0] == '#' else '@'}{shown}"
    return link["label"] or target


def _discord(value: Any) -> _Found:
    found = _Found()
    for pointer, one in _objects(value, ""):
        author = one.get("author")
        author = author if isinstance(author, dict) else {}
        label = text_of(
            author.get("nickname")
            or author.get("global_name")
            or author.get("name")
            or author.get("username")
        )
        attached = tuple(
            f"file: {text_of(file.get('fileName') or file.get('filename') or 'unnamed')}"
            for file in objects_in(one.get("attachments"))
        )
        attached += tuple(
            f"sticker: {text_of(sticker.get('name'))}" for sticker in objects_in(one.get("stickers"))
        )
        raw = text_of(one.get("content"))
        if text_of(one.get("type")) not in _DISCORD_SPOKEN or not (raw or attached):
            found.system += 1
        else:
            found.messages.append(Message(pointer, label, raw, _iso(one.get("timestamp")), raw, attached))
    return found


def _telegram(value: Any) -> _Found:
    found = _Found()
    for pointer, chat in _telegram_chats(value):
        for place, one in _objects(chat, pointer):
            raw = _telegram_text(one.get("text"))
            attached = tuple(_telegram_attached(one))
            if text_of(one.get("type")) not in ("", "message") or not (raw or attached):
                found.system += 1
                continue
            label = text_of(one.get("from") or one.get("from_id"))
            found.messages.append(Message(place, label, raw, _iso(one.get("date")), raw, attached))
    return found


def _telegram_chats(value: Any) -> Iterator[tuple[str, Any]]:
    listed = value.get("chats") if isinstance(value, dict) else None
    chats = listed.get("list") if isinstance(listed, dict) else None
    if isinstance(chats, list):
        yield from ((f"/chats/list/{number}", chat) for number, chat in enumerate(chats))
    else:
        yield "", value


def _telegram_text(value: Any) -> str:
    """Return a text that is a string, or a list of strings and marked pieces."""
    return "".join(
        text_of(piece.get("text")) if isinstance(piece, dict) else text_of(piece)
        for piece in (value if isinstance(value, list) else [value])
    )


def _telegram_attached(one: dict[str, Any]) -> Iterator[str]:
    if one.get("photo"):
        yield "photo"
    if one.get("media_type") or one.get("file"):
        kind = text_of(one.get("media_type")).replace("_", " ") or "file"
        name = text_of(one.get("sticker_emoji") or one.get("file_name"))
        yield f"{kind}: {name}" if name else kind


def _signal(values: list[Any]) -> _Found:
    found = _Found()
    for number, value in enumerate(values):
        envelope = value.get("envelope", value) if isinstance(value, dict) else {}
        envelope = envelope if isinstance(envelope, dict) else {}
        sync = envelope.get("syncMessage")
        sent = sync.get("sentMessage") if isinstance(sync, dict) else None
        data = envelope.get("dataMessage") or sent
        data = data if isinstance(data, dict) else {}
        attached = tuple(
            f"file: {text_of(file.get('filename') or file.get('contentType') or 'unnamed')}"
            for file in objects_in(data.get("attachments"))
        )
        raw = text_of(data.get("message"))
        label = text_of(envelope.get("sourceName") or envelope.get("sourceNumber") or envelope.get("source"))
        if not (raw or attached):
            found.system += 1
        else:
            moment = _epoch(data.get("timestamp") or envelope.get("timestamp"), 1000)
            found.messages.append(Message(f"/{number}", label, raw, moment, raw, attached))
    return found


def _epoch(value: Any, per_second: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(value) / per_second, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _iso(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text_of(value))
    except ValueError:
        return None


def shape_of(text: str) -> str | None:
    """Return which of these a JSON text looks like, or None."""
    head = text[:4000]
    if '"envelope"' in head:
        return "signal"
    if '"messages"' in head and ('"guild"' in head or '"channel"' in head):
        return "discord"
    if '"from_id"' in text or ('"messages"' in head and '"date_unixtime"' in text) or '"chats"' in head:
        return "telegram"
    if re.search(r'"ts"\s*:\s*"\d+\.\d+"', head):
        return "slack"
    return None
