"""Season tables: CSV, TSV and JSON with one line of dialogue a row, under any sensible column names.

Kept: raw labels, words, directions in brackets in their places, scenes where the table has a scene column, the row's
line number. Nothing is dropped: empty rows, exact repeats and lost characters are told. Without a scene column an
episode is one scene and scenes count as unknown; they are never invented.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mempabench.domain.transcripts import AS_IT_IS, Direction, Reading
from mempabench.errors import InputError
from mempabench.importers.importer import Oddity, RawLine, RawScene, Transcript
from mempabench.importers.json_values import value_of
from mempabench.importers.labels import without_extensions
from mempabench.importers.text import clean, decoded_as_found, shown, split_directions

COLUMNS: dict[str, tuple[str, ...]] = {
    "speaker": ("speaker", "character", "name", "person", "who"),
    "text": (
        "text_w_direction",
        "line",
        "line_text",
        "text",
        "dialogue",
        "quote",
        "raw_text",
        "utterance",
        "words",
    ),
    "season": ("season", "season_id", "season_number"),
    "episode": ("episode", "episode_id", "episode_number", "ep"),
    "title": ("title", "episode_name", "episode_title"),
    "scene": ("scene", "scene_id", "scene_number"),
    "deleted": ("deleted", "is_deleted"),
}
"""What a column may be called, the best name first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row, its columns under the names of ``COLUMNS``."""

    number: int
    """Line number in the file; of the first line where a field holds several. For JSON, the row's position."""
    values: Mapping[str, str]
    last: int = 0
    """Number of its last line; 0 where the row is one of JSON."""
    pointer: str = ""
    """JSON pointer to it; empty in a table of lines."""

    def of(self, column: str) -> str:
        """Return a column's value, cleaned; empty where there is none."""
        value = self.values.get(column)
        return clean(value) if value else ""


def read_season_table(content: bytes, name: str, reading: Reading = AS_IT_IS) -> Transcript:
    """Read a table.

    Args:
        content: The file.
        name: How the file is named in messages.
        reading: What the file calls its columns, where that isn't one of ``COLUMNS``.

    Raises:
        InputError: when it has no column for speaker or words, naming the columns that it has.
    """
    text, oddities = decoded_as_found(content, name)
    read = _json_rows if text.lstrip()[:1] in ("[", "{") else _csv_rows
    rows, given = read(text, name, reading.columns)
    found = list(rows)
    if not found:
        raise InputError(f"{name}: a header and no row")
    scenes = tuple(_scenes(found))
    counted = len(scenes) if "scene" in given else None
    if counted is None:
        oddities.append(Oddity(None, "no scene column: scenes are unknown, an episode is one scene"))
    return Transcript(scenes, headings=counted, oddities=(*oddities, *_odd_rows(found)))


def columns_of(header: Sequence[str], name: str, told: Mapping[str, str]) -> dict[str, int]:
    """Return where each known column stands.

    Args:
        header: The columns that the file has.
        name: How the file is named in messages.
        told: What the file calls a column of ``COLUMNS``, where its owner says so.

    Raises:
        InputError: when there is none for speaker or words, or not the one that was told.
    """
    names = [_folded(column) for column in header]
    there = ", ".join(f"'{shown(clean(one))}'" for one in header)
    for column, given in told.items():
        if column not in COLUMNS:
            raise InputError(f"{name}: '{column}' is no column that is read; those are {', '.join(COLUMNS)}")
        if _folded(given) not in names:
            raise InputError(f"{name}: no column '{given}' for the {column}; there are {there}")
    found = {
        column: names.index(alias)
        for column, aliases in COLUMNS.items()
        for alias in [next((alias for alias in aliases if alias in names), None)]
        if alias is not None
    }
    taken = {names.index(_folded(given)) for given in told.values()}
    found = {column: place for column, place in found.items() if place not in taken}
    found |= {column: names.index(_folded(given)) for column, given in told.items()}
    for column in ("speaker", "text"):
        if column not in found:
            raise InputError(
                f"{name}: no column for the {column}; there are {there}; say which one with --column {column}=NAME"
            )
    return found


def _folded(column: str) -> str:
    return clean(column).casefold().replace(" ", "_")


def _csv_rows(text: str, name: str, told: Mapping[str, str]) -> tuple[Iterator[Row], set[str]]:
    header_line = text.split("\n", 1)[0]
    delimiter = max("\t,;|", key=header_line.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=False)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputError(f"{name}:1: not a table ({error})") from error
    places = columns_of(header, name, told)
    return _csv_body(reader, places, name), set(places)


def _csv_body(reader: Any, places: Mapping[str, int], name: str) -> Iterator[Row]:
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{name}:{number}: not a row ({error}); mend it") from error
        if fields is None:
            return
        if "".join(fields).strip():
            values = {column: fields[place] for column, place in places.items() if place < len(fields)}
            yield Row(number, values, last=reader.line_num)


def _json_rows(text: str, name: str, told: Mapping[str, str]) -> tuple[Iterator[Row], set[str]]:
    value = value_of(text, name)
    many = isinstance(value, list)
    flat = [
        found
        for number, part in enumerate(value if many else [value])
        for found in _flattened(part, f"/{number}" if many else "", name)
    ]
    if not flat:
        raise InputError(f"{name}: no rows in it")
    names = list(flat[0][1])
    places = columns_of(names, name, told)
    rows = (
        Row(
            number,
            {column: _string(entry.get(names[place])) for column, place in places.items()},
            pointer=pointer or "/",
        )
        for number, (pointer, entry) in enumerate(flat, start=1)
    )
    return rows, set(places)


def _flattened(part: Any, pointer: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of an episode with nested scenes, or a flat row itself, with their JSON pointers."""
    if not isinstance(part, dict):
        raise InputError(f"{name}: a list of rows or episodes is expected, not {type(part).__name__}")
    scenes = part.get("scenes")
    if not isinstance(scenes, list):
        yield pointer, part
        return
    about = {key: value for key, value in part.items() if key != "scenes"}
    for number, scene in enumerate(scenes):
        for place, row in enumerate(scene if isinstance(scene, list) else []):
            if isinstance(row, dict):
                yield f"{pointer}/scenes/{number}/{place}", {**about, "scene": number + 1, **row}


def _string(value: Any) -> str:
    return "" if value is None else str(value)


def _scenes(rows: Iterable[Row]) -> Iterator[RawScene]:
    """Yield the scenes: consecutive rows of one season, episode and scene."""
    key: tuple[str, str, str] | None = None
    lines: list[RawLine] = []
    first: Row | None = None
    for row in rows:
        here = (row.values.get("season", ""), row.values.get("episode", ""), row.values.get("scene", ""))
        if first is not None and here != key:
            yield _scene(first, lines)
            lines = []
        if here != key:
            key, first = here, row
        lines.append(_line(row))
    if first is not None:
        yield _scene(first, lines)


def _scene(first: Row, lines: list[RawLine]) -> RawScene:
    season, episode = _number(first.of("season")), _number(first.of("episode"))
    named = f"s{season or 1:02d}e{episode:02d}" if episode else ""
    return RawScene(named, first.of("title"), "", tuple(lines))


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 3 else None


def _line(row: Row) -> RawLine:
    words = row.of("text")
    speech, directions = split_directions(words)
    label, hanging = _label(row.values.get("speaker", ""))
    directions = (*hanging, *directions)
    raw = f"{row.values.get('speaker', '')}: {row.values.get('text', '')}" if row.pointer else ""
    if not label:
        alone = (Direction(at=0, text=words.strip("()[] ")),) if words else ()
        return RawLine(None, "", alone, row.number, row.last, row.pointer, raw)
    return RawLine(label, speech, directions, row.number, row.last, row.pointer, raw)


@lru_cache(maxsize=4096)
def _label(raw: str) -> tuple[str, tuple[Direction, ...]]:
    """Return a label, and what hangs on it as directions; a table has few of them and many rows."""
    label, extensions = without_extensions(clean(raw))
    return label, tuple(Direction(at=0, text=extension) for extension in extensions)


def _odd_rows(rows: Sequence[Row]) -> Iterator[Oddity]:
    before: Mapping[str, str] | None = None
    for row in rows:
        if before == row.values:
            yield Oddity(row.number, "the same row as the one before it")
        if "deleted" in row.values and row.of("deleted").casefold() in ("true", "1", "yes"):
            yield Oddity(row.number, "marked as deleted; it is kept")
        before = row.values
