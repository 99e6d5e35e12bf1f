"""Speaker labels: who is meant by one, and which of a file's labels look like each other."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

_JOINT = re.compile(r"\s*(?:,\s*and\b|,|&|\band\b|/)\s*", re.I)
_EXTENSION = re.compile(r"\s*(?:\(([^()]*)\)|\[([^\[\]]*)\])\s*$")
_LONGEST_CUE = 200
"""Characters beyond which a line is no cue, whatever it looks like."""
_COLLECTIVES = frozenset({"all", "everyone", "everybody", "both", "group", "crowd", "together", "chorus"})


def parts(label: str) -> tuple[str, ...]:
    """Return the names in a joint cue, or the label alone.

    >>> parts("Mara, Otto, and Ines"), parts("Sandy"), parts("A/B")
    (('Mara', 'Otto', 'Ines'), ('Sandy',), ('A', 'B'))
    """
    found = tuple(part for part in _JOINT.split(label) if part)
    return found if len(found) > 1 else (label,)


def people_of(label: str, people: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return who speaks: those whom the file names apart from the label, else the names in the label."""
    return people or parts(label)


def without_extensions(cue: str) -> tuple[str, list[str]]:
    """Return a screenplay cue's label and its extensions, in any case and in runs.

    >>> without_extensions("MARA (V.O.)(cont'd)")
    ('MARA', ['V.O.', "cont'd"])
    """
    extensions: list[str] = []
    if len(cue) > _LONGEST_CUE:
        return cue.strip(), extensions
    while found := _EXTENSION.search(cue):
        extensions.insert(0, (found[1] or found[2] or "").strip())
        cue = cue[: found.start()]
    return cue.strip(), extensions


def is_collective(label: str) -> bool:
    """Return whether a label means whoever is there.

    >>> is_collective("#ALL#"), is_collective("Allan")
    (True, False)
    """
    return label.strip("#* ").casefold() in _COLLECTIVES


def near_duplicates(labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of labels that may be one person misspelt; nothing is ever merged by itself.

    A label that begins another as a whole word (``Will`` and ``Will Hart``) or is merely short is no misspelling:
    both have five letters or more, and differ in a letter or two, or in case only.
    """
    known = sorted(set(labels))
    for number, first in enumerate(known):
        for second in known[number + 1 :]:
            if first.casefold() == second.casefold() or _misspelt(first, second):
                yield first, second


def _misspelt(first: str, second: str) -> bool:
    if min(len(first), len(second)) < 5 or abs(len(first) - len(second)) > 2:
        return False
    if first.startswith(second) or second.startswith(first):
        return abs(len(first) - len(second)) == 1
    if re.sub(r"\d", "", first) == re.sub(r"\d", "", second):
        return False
    return difflib.SequenceMatcher(None, first.casefold(), second.casefold()).ratio() >= 0.8
