"""Corpora of dialogue as JSON: the character-mining layout, and ConvoKit's ``utterances.jsonl``.

Character mining: episodes hold scenes, scenes hold utterances with a list of speakers; the text with notes is
taken where there is one. ConvoKit: an utterance a line; those of a conversation are brought together in the
order of the file, and each conversation is a scene. Kept: names as the corpus has them, notes in brackets as
directions, JSON pointers or line numbers. Told: empty texts, replies to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mempabench.domain.transcripts import Direction
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.json_values import list_of, text_of, value_of
from mempabench.importers.text import clean, decoded, episode_of, split_directions

_SCENE = re.compile(r"^\[\s*scene:\s*(?P<heading>.*?)\s*\]$", re.I | re.DOTALL)
_NAME_FIELDS = ("name", "character_name", "character name", "character", "username")
"""Where corpora keep the name of a speaker."""


def read_character_mining(content: bytes, name: str) -> Transcript:
    """Read a season or an episode in the character-mining layout.

    Raises:
        InputError: when it is no JSON, or holds no utterance.
    """
    value = value_of(decoded(content, name), name)
    reader = _Mining()
    for pointer, episode in _episodes(value):
        reader.episode(episode, pointer)
    if not reader.count:
        raise InputError(f"{name}: no scenes with utterances in it; is this a character-mining file?")
    return Transcript(tuple(reader.scenes), headings=len(reader.scenes), oddities=tuple(reader.oddities))


def _episodes(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the episodes of a season, a list of them, or the one that the file is."""
    if isinstance(value, dict) and not isinstance(value.get("episodes"), list):
        yield "", value
        return
    listed, above = (value["episodes"], "/episodes") if isinstance(value, dict) else (value, "")
    for number, one in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(one, dict):
            yield f"{above}/{number}", one


class _Mining:
    """Gathers scenes."""

    def __init__(self) -> None:
        self.scenes: list[RawScene] = []
        self.oddities: list[Oddity] = []
        self.count = 0

    def episode(self, episode: dict[str, Any], pointer: str) -> None:
        """Take in an episode."""
        named = episode_of(text_of(episode.get("episode_id")).replace("_", ""))
        title = clean(text_of(episode.get("title")))
        for number, scene in enumerate(list_of(episode.get("scenes"))):
            utterances = list_of(scene.get("utterances")) if isinstance(scene, dict) else []
            lines = [
                self._line(one, f"{pointer}/scenes/{number}/utterances/{place}")
                for place, one in enumerate(utterances)
                if isinstance(one, dict)
            ]
            set_in = _SCENE.match(lines[0].raw) if lines and lines[0].label is None else None
            heading = clean(set_in["heading"]) if set_in else ""
            self.scenes.append(
                RawScene(named[0] if named else "", title, heading, tuple(lines[1:] if set_in else lines))
            )

    def _line(self, one: dict[str, Any], pointer: str) -> RawLine:
        self.count += 1
        speakers = [clean(text_of(speaker)) for speaker in list_of(one.get("speakers"))]
        raw = text_of(one.get("transcript_with_note")) or text_of(one.get("transcript"))
        text, directions = split_directions(clean(raw))
        label = " and ".join(speaker for speaker in speakers if speaker)
        if not label:
            alone = (Direction(at=0, text=clean(raw).strip("()[] ")),) if raw else ()
            return RawLine(None, "", alone, self.count, pointer=pointer, raw=raw)
        if not text and not directions:
            self.oddities.append(Oddity(None, f"{pointer}: an empty utterance by {label}; kept"))
        return RawLine(label, text, directions, self.count, pointer=pointer, raw=raw)


def read_convokit(content: bytes, name: str) -> Transcript:
    """Read ConvoKit's ``utterances.jsonl``, of either age.

    Raises:
        InputError: naming the line that is no JSON object; when there is no utterance.
    """
    conversations: dict[str, list[RawLine]] = {}
    replies: list[tuple[int, str]] = []
    known: set[str] = set()
    oddities: list[Oddity] = []
    for number, text in enumerate(decoded(content, name).split("\n"), start=1):
        if not text.strip():
            continue
        one = value_of(text, f"{name}:{number}")
        if not isinstance(one, dict) or "text" not in one:
            raise InputError(
                f"{name}:{number}: not an utterance with a text; is this utterances.jsonl of ConvoKit?"
            )
        own = text_of(one.get("id"))
        conversation = text_of(one.get("conversation_id") or one.get("root")) or own
        known.add(own)
        reply = text_of(one.get("reply-to") or one.get("reply_to"))
        if reply:
            replies.append((number, reply))
        line = RawLine(
            clean(_id(one.get("speaker") or one.get("user"))), clean(text_of(one["text"])), (), number
        )
        if not line.text:
            oddities.append(Oddity(number, f"an empty text by {line.label}; kept"))
        conversations.setdefault(conversation, []).append(line)
    if not conversations:
        raise InputError(f"{name}: no utterance in it; is this utterances.jsonl of ConvoKit?")
    oddities += [
        Oddity(number, f"a reply to '{reply}', which isn't there")
        for number, reply in replies
        if reply not in known
    ]
    scenes = tuple(RawScene("", "", "", tuple(lines)) for lines in conversations.values())
    return Transcript(scenes, headings=None, oddities=tuple(oddities))


def convokit_names(content: bytes, name: str) -> dict[str, str]:
    """Return the names that ``speakers.json`` (once ``users.json``) gives to ids, where it gives any.

    Raises:
        InputError: when it is no JSON object.
    """
    value = value_of(decoded(content, name), name)
    if not isinstance(value, dict):
        raise InputError(f"{name}: an object of speakers is expected; is this of ConvoKit?")
    names: dict[str, str] = {}
    for key, speaker in value.items():
        about = speaker if isinstance(speaker, dict) else {}
        about = about["meta"] if isinstance(about.get("meta"), dict) else about
        found = next((clean(text_of(about[field])) for field in _NAME_FIELDS if about.get(field)), "")
        if found:
            names[key] = found
    return names


def _id(value: Any) -> str:
    """Return an id; ConvoKit's newest dumps hold the speaker as an object with one."""
    return text_of(value.get("id") if isinstance(value, dict) else value)


def shape_of(text: str) -> str | None:
    """Return which of these a JSON text looks like, or None."""
    first = text.lstrip().split("\n", 1)[0]
    if '"utterances"' in text and '"transcript' in text:
        return "character_mining"
    if '"text"' in first and ('"conversation_id"' in first or '"root"' in first):
        return "convokit"
    return None
