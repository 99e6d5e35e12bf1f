"""A manifest entry for new transcript files: hashes, format, and a cast with suggestions."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mempabench.domain.transcripts import AS_IT_IS, Reading
from mempabench.errors import InputError
from mempabench.importers.inspecting import Inspection, inspect
from mempabench.importers.labels import is_collective, near_duplicates

_EXTRA = re.compile(
    r"^(?:\d|[a-z])|(?i:\b(?:man|woman|voice|boy|girl|driver|waiter|waitress|nurse|customer)\b)"
)

_EPISODE = re.compile(r"(?i:\bs?0*(\d{1,2})\s?[ex]\s?0*(\d{1,3})\b)|^(\d{2})(\d{2})$")
"""Season and episode in a file's name: s01e02, 1x02, 0102."""


@dataclass(frozen=True)
class Terms:
    """What a person has to say of a source."""

    title: str
    origin: str
    license: str
    redistributable: bool
    candidates: tuple[str, ...] = ()
    """Labels of those who may become users; the two who speak most when none is given."""
    reading: Reading = AS_IT_IS
    """What the files don't say about how they are to be read."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names by label, where the files have ids only."""


def entry(
    source: str, files: Mapping[str, bytes], terms: Terms, format_name: str | None = None
) -> tuple[str, tuple[Inspection, ...]]:
    """Return the ``[[source]]`` table for some files as TOML text, and what was found in each.

    Args:
        source: Id of the source.
        files: Bytes by path below ``transcripts_raw/``, in reading order.
        terms: What only a person can say.
        format_name: The format, where it can't be told.

    Raises:
        InputError: when a file can't be read, or they are of several formats.
    """
    found = tuple(inspect(content, path, format_name, terms.reading) for path, content in files.items())
    formats = {one.format for one in found}
    if len(formats) > 1:
        raise InputError(
            f"{source}: the files are of several formats ({', '.join(sorted(formats))}); add them apart"
        )
    labels = _people(found)
    names = {label: terms.names.get(label, label) for label in labels}
    chosen = _candidates(terms.candidates, labels, names)
    lines = [
        "",
        "[[source]]",
        f"id = {_quoted(source)}",
        f"title = {_quoted(terms.title)}",
        f"origin = {_quoted(terms.origin)}",
        f"license = {_quoted(terms.license)}",
        f"redistributable = {'true' if terms.redistributable else 'false'}",
        f"format = {_quoted(formats.pop())}",
        *_reading(terms.reading),
        f"candidates = [{', '.join(_quoted(person) for person in chosen)}]",
        "cast = [",
        *_cast(labels, names, _aliases(found)),
        "]",
        "files = [",
        *_files(files, found),
        "]",
    ]
    return "\n".join(lines) + "\n", found


def _reading(reading: Reading) -> list[str]:
    """Return the line for what was said about reading, if anything was."""
    columns = ", ".join(f"{column} = {_quoted(given)}" for column, given in reading.columns.items())
    parts = [f"columns = {{ {columns} }}"] if columns else []
    if reading.scene_gap is not None:
        parts.append(f"scene_gap = {reading.scene_gap}")
    if reading.date_order is not None:
        parts.append(f"date_order = {_quoted(reading.date_order)}")
    return [f"reading = {{ {', '.join(parts)} }}"] if parts else []


def _files(files: Mapping[str, bytes], found: Iterable[Inspection]) -> list[str]:
    """Return the lines for the files; one that names no episode gets that of its name, or of its place."""
    episodes = _episodes(list(files))
    lines = []
    for path, content, one, named in zip(files, files.values(), found, episodes, strict=True):
        episode = "" if one.names_episodes else f', episode = "{named}"'
        odd = f", oddities = {one.accepted}" if one.accepted else ""
        lines.append(f"    {{ path = {_quoted(path)}, sha256 = {_quoted(_sha256(content))}{episode}{odd} }},")
    return lines


def _episodes(paths: Sequence[str]) -> list[str]:
    """Return the episodes that files' names tell, if they tell different ones; else they are counted.

    >>> _episodes(["a/Show - 1x02.srt", "a/s01e03.srt"]), _episodes(["a/0102.html", "a/0103.html"])
    (['s01e02', 's01e03'], ['s01e02', 's01e03'])
    >>> _episodes(["a/0102.html", "a/0102-2.html", "a/end.html"])
    ['s01e01', 's01e02', 's01e03']
    """
    found = [_EPISODE.search(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]) for path in paths]
    told = [f"s{int(one[1] or one[3]):02d}e{int(one[2] or one[4]):02d}" for one in found if one]
    if len(set(told)) == len(paths):
        return told
    return [f"s01e{number:02d}" for number in range(1, len(paths) + 1)]


def _people(found: Iterable[Inspection]) -> Counter[str]:
    """Return everybody who speaks, with how many lines they have a part in; case makes nobody another one."""
    spelt: dict[str, Counter[str]] = {}
    for one in found:
        for person, count in one.people.items():
            spelt.setdefault(person.casefold(), Counter())[person] += count
    return Counter({forms.most_common(1)[0][0]: forms.total() for forms in spelt.values()})


def _aliases(found: Iterable[Inspection]) -> dict[str, list[str]]:
    """Return for each person the labels under which nobody else speaks."""
    owners: dict[str, set[str]] = {}
    for one in found:
        for person, labels in one.labels_of.items():
            for label in labels:
                owners.setdefault(label.casefold(), set()).add(person)
    aliases: dict[str, list[str]] = {}
    for one in found:
        for person, labels in one.labels_of.items():
            alone = [
                label
                for label in labels
                if owners[label.casefold()] == {person} and label.casefold() != person.casefold()
            ]
            aliases.setdefault(person, []).extend(
                label for label in alone if label not in aliases.get(person, [])
            )
    return aliases


def _candidates(wanted: Sequence[str], people: Counter[str], names: Mapping[str, str]) -> list[str]:
    slugs = _slugs(names)
    if not wanted:
        named = [label for label, _ in people.most_common() if _is_named(names[label])]
        return [slugs[label] for label in named[:2]]
    known = {form.casefold(): slug for label, slug in slugs.items() for form in (label, names[label])}
    for name in wanted:
        if name.casefold() not in known:
            raise InputError(f"candidate '{name}' speaks in none of the files; there are {', '.join(people)}")
    return [known[name.casefold()] for name in wanted]


def _cast(people: Counter[str], names: Mapping[str, str], labels: Mapping[str, Sequence[str]]) -> list[str]:
    slugs = _slugs(names)
    alike = dict(near_duplicates(names.values()))
    lines = []
    for label, count in people.most_common():
        name = names[label]
        forms = [label] if name != label else list(labels.get(label, ()))
        aliases = f", aliases = [{', '.join(map(_quoted, forms))}]" if forms else ""
        named = "" if _is_named(name) else ", named = false"
        hint = f"  # {count} lines"
        same = alike.get(name) or longer_name(name, names.values())
        if same:
            hint += f"; the same as {same}? then make one an alias of the other"
        lines.append(
            f"    {{ person = {_quoted(slugs[label])}, name = {_quoted(name)}{aliases}{named} }},{hint}"
        )
    return lines


def longer_name(label: str, people: Iterable[str]) -> str | None:
    """Return the one longer name that begins or ends with a label as a whole word, or None; extras have none.

    >>> longer_name("Mara", ["Mara", "Mara Field", "Otto"]), longer_name("Will", ["William", "Will A", "Will B"])
    ('Mara Field', None)
    """
    longer = [name for name in people if name.startswith(f"{label} ") or name.endswith(f" {label}")]
    return longer[0] if len(longer) == 1 and _is_named(label) and _is_named(longer[0]) else None


def _is_named(label: str) -> bool:
    return not (is_collective(label) or _EXTRA.search(label))


def _slugs(names: Mapping[str, str]) -> dict[str, str]:
    """Return an id for each label, made of its name, all different."""
    slugs: dict[str, str] = {}
    for label, name in names.items():
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
        slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:36] or "somebody"
        slug = slug if slug[0].isalpha() else f"x_{slug}"
        taken = set(slugs.values())
        number = 2
        base = slug
        while slug in taken:
            slug = f"{base}_{number}"
            number += 1
        slugs[label] = slug
    return slugs


def _quoted(text: str) -> str:
    """Return a TOML basic string; JSON's escapes are TOML's too."""
    return json.dumps(text, ensure_ascii=False)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
