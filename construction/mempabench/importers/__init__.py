"""Importers: one module a transcript format, found by name."""

from __future__ import annotations

from mempabench.domain.transcripts import AS_IT_IS, Reading
from mempabench.errors import InputError
from mempabench.importers.chat_export import read_discord, read_signal, read_slack, read_telegram
from mempabench.importers.chat_text import read_chat_text
from mempabench.importers.corpora import read_character_mining, read_convokit
from mempabench.importers.fan_page import read_fan_page
from mempabench.importers.fan_transcript import read_fan_transcript
from mempabench.importers.fountain import read_fountain
from mempabench.importers.importer import Importer, Transcript, unguided
from mempabench.importers.markdown import read_markdown
from mempabench.importers.markup import read_fdx, read_tei, read_ttml
from mempabench.importers.placing import placed
from mempabench.importers.play_text import read_play_text
from mempabench.importers.repairing import repaired
from mempabench.importers.screenplay_text import read_screenplay_text
from mempabench.importers.season_table import read_season_table
from mempabench.importers.subtitles import read_srt, read_webvtt

IMPORTERS: dict[str, Importer] = {
    "fan_transcript": unguided(read_fan_transcript),
    "fan_page": unguided(read_fan_page),
    "fountain": unguided(read_fountain),
    "screenplay_text": unguided(read_screenplay_text),
    "season_table": read_season_table,
    "fdx": unguided(read_fdx),
    "tei": unguided(read_tei),
    "play_text": unguided(read_play_text),
    "srt": read_srt,
    "webvtt": read_webvtt,
    "ttml": read_ttml,
    "markdown": unguided(read_markdown),
    "character_mining": unguided(read_character_mining),
    "convokit": unguided(read_convokit),
    "chat_text": read_chat_text,
    "slack": read_slack,
    "discord": read_discord,
    "telegram": read_telegram,
    "signal": read_signal,
}


MOST_BYTES = 50_000_000
"""Size of the largest file that is read; a read one takes about twenty times its size in memory."""


def importer(name: str) -> Importer:
    """Return the importer of a format.

    Raises:
        InputError: naming the formats there are.
    """
    try:
        return IMPORTERS[name]
    except KeyError as error:
        known = ", ".join(IMPORTERS)
        raise InputError(f"transcripts_raw/sources.toml: no format '{name}'; there are {known}") from error


def read_transcript(format_name: str, content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a file, and repair text that was once saved in the wrong encoding.

    Args:
        format_name: One of ``IMPORTERS``.
        content: The file.
        name: How the file is named in messages.
        reading: What the file doesn't say about how it is to be read.

    Raises:
        InputError: when there is no such format, the file can't be read as it, or it is too large.
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"{name}: {len(content):,} bytes; files of more than {MOST_BYTES:,} are split first")
    transcript = placed(importer(format_name)(content, name, reading), content)
    plain = content.isascii() and b"\\u" not in content and b"&" not in content
    return transcript if plain else repaired(transcript)
