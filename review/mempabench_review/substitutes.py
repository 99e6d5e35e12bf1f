"""Entering reviewed substitutes: the fictional name that stands for each name of a source."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import StringConstraints

from mempabench.artifacts import parse_record
from mempabench.domain.personas import EntityKind, ProposedSubstitute, Substitute
from mempabench.domain.record import Record
from mempabench.domain.registry import words
from mempabench.domain.review import ReviewerKind
from mempabench.domain.transcripts import Source
from mempabench.errors import InputError
from mempabench_review.log import BatchRow

Form = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]

_TITLES = frozenset(
    words("mr mrs ms miss dr prof sir madam lady lord uncle aunt auntie grandma grandpa the and")
)
"""Words that stand before a name and say nothing of it."""

_GENERIC = frozenset(
    words(
        """
        and the for with from bar bakery bay bridge building cafe center centre church city clinic club coffee
        college company corner corp council county court diner drive east farm field garage garden great green
        group hall harbor harbour high hill hospital hotel house inc inn island kitchen lake lane library
        limited little ltd main market mill museum new north office old park pizza place point post press pub
        restaurant river road room school service services shop south square station store street studio
        terrace town union university upper valley village west works yard
        """
    )
)
"""Words that say what a place, firm or product is; a substitute may keep them, since roles are kept."""


class SubstituteRow(Record):
    """A reviewed substitute as the reviewer writes it down."""

    kind: EntityKind
    original: Form
    aliases: tuple[Form, ...] = ()
    substitute: Form
    substitute_aliases: tuple[Form, ...] = ()
    note: str = ""
    action: Literal["accept", "edit"]
    """Whether the proposal was taken as it is, or changed by the reviewer."""


def enter_substitutes(
    batch: Iterable[BatchRow],
    source: Source,
    registry: Sequence[Substitute],
    *,
    reviewer: str,
    reviewer_kind: ReviewerKind,
    proposed: Iterable[ProposedSubstitute] = (),
) -> tuple[Substitute, ...]:
    """Return the new entries of a batch for one source.

    A row that is registered already, exactly so, adds nothing.

    Args:
        batch: Rows as the reviewer wrote them.
        source: The source that the names are from.
        registry: All entries so far, of every source.
        reviewer: Pseudonym.
        reviewer_kind: ``human`` or ``model``.
        proposed: What the build proposed; what is accepted must be one of these where there are any.

    Raises:
        InputError: naming file and line of the first row that can't be entered; then none is.
    """
    proposals = {_folded(entry.original): entry for entry in proposed if entry.source == source.id}
    rows = [(row.where, parse_record(row.value, SubstituteRow, row.where)) for row in batch]
    for where, row in rows:
        if len(row.aliases) != len(row.substitute_aliases):
            raise InputError(
                f"{where}: '{row.original}': {len(row.aliases)} aliases and {len(row.substitute_aliases)} "
                "substitutes for them; give one for each"
            )
    entries = [_entry(row, source.id, reviewer, reviewer_kind) for _, row in rows]
    known = list(registry)
    forbidden = name_words(source, [*registry, *entries])
    for (where, row), entry in zip(rows, entries, strict=True):
        if entry in registry:
            continue
        for problem in _problems(row, entry, known, proposals, forbidden):
            raise InputError(f"{where}: '{entry.original}': {problem}")
        known.append(entry)
    return tuple(known[len(registry) :])


def _entry(row: SubstituteRow, source: str, reviewer: str, reviewer_kind: ReviewerKind) -> Substitute:
    return Substitute(
        source=source,
        kind=row.kind,
        original=row.original,
        aliases=row.aliases,
        substitute=row.substitute,
        substitute_aliases=row.substitute_aliases,
        proposed_by="language model" if row.action == "accept" else "reviewer",
        reviewer=reviewer,
        reviewer_kind=reviewer_kind,
        note=row.note,
    )


def name_words(source: Source, entries: Iterable[ProposedSubstitute]) -> frozenset[str]:
    """Return the words of a source's own names, which no substitute may contain.

    Words of persons are names; words of places, firms and products are, unless they only say what the thing
    is. Catchphrases are made of anybody's words.
    """
    found: set[str] = set()
    for member in source.cast:
        if member.named:
            found.update(_capitalised((member.name, *member.aliases), 2) - _TITLES)
    for entry in entries:
        if entry.source != source.id or entry.kind is EntityKind.CATCHPHRASE:
            continue
        forms = (entry.original, *entry.aliases)
        person = entry.kind is EntityKind.PERSON
        found.update(_capitalised(forms, 2) - _TITLES if person else _capitalised(forms, 3) - _GENERIC)
    return frozenset(found)


def _capitalised(forms: Iterable[str], shortest: int) -> set[str]:
    parts = (part.strip("()[]\"'“”‘’.,;:!?") for form in forms for part in form.replace("-", " ").split())
    return {
        word
        for part in parts
        if part[:1].isupper()
        for word in _plain_words(part)
        if len(word) >= shortest and word.isalpha()
    }


def _plain_words(text: str) -> list[str]:
    """Return a text's words in lower case, without accents and possessives."""
    return [_unaccented(word).removesuffix("'s") for word in words(text)]


def _unaccented(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _problems(
    row: SubstituteRow,
    entry: Substitute,
    known: Sequence[Substitute],
    proposals: dict[str, ProposedSubstitute],
    forbidden: frozenset[str],
) -> Iterator[str]:
    """Yield why an entry can't stand beside those before it."""
    if len(entry.aliases) != len(entry.substitute_aliases):
        yield (
            f"{len(entry.aliases)} aliases, but {len(entry.substitute_aliases)} substitute_aliases; "
            "give one for each, in the same order"
        )
        return
    if row.action == "accept" and proposals:
        yield from _not_as_proposed(entry, proposals.get(_folded(entry.original)))
    yield from _twins(entry, known)
    if entry.kind is EntityKind.PERSON:
        yield from _kept_initials(entry)
    for form in (entry.substitute, *entry.substitute_aliases):
        kept = [word for word in _plain_words(form) if word in forbidden]
        if kept:
            yield f"'{form}' contains '{kept[0]}', a name of the source; choose another"


def _not_as_proposed(entry: Substitute, proposal: ProposedSubstitute | None) -> Iterator[str]:
    if proposal is None:
        yield "nothing was proposed for it, so it can't be accepted; give the action 'edit'"
    elif entry.pairs() != proposal.pairs() or entry.kind is not proposal.kind:
        yield f"'{proposal.substitute}' was proposed, with other forms or kind; give the action 'edit'"


def _twins(entry: Substitute, known: Sequence[Substitute]) -> Iterator[str]:
    """Yield where a form is given twice, or a substitute would stand for two forms."""
    for earlier in known:
        if earlier.source == entry.source and _folded(earlier.original) == _folded(entry.original):
            yield f"it has a substitute already ('{earlier.substitute}'); keep one"
    stands_as: dict[tuple[str, str], str] = {}
    stands_for: dict[str, tuple[str, str, str]] = {}
    for earlier in known:
        for original, substitute in earlier.pairs():
            stands_as[earlier.source, _folded(original)] = substitute
            stands_for[_folded(substitute)] = (earlier.source, _folded(original), original)
    for original, substitute in entry.pairs():
        form = (entry.source, _folded(original))
        if stands_as.setdefault(form, substitute) != substitute:
            yield f"'{original}' stands as '{stands_as[form]}' elsewhere, not '{substitute}'; use that"
        holder = stands_for.setdefault(_folded(substitute), (*form, original))
        if holder[:2] != form:
            yield f"'{substitute}' stands for '{holder[2]}' of {holder[0]} already; choose another"


def _kept_initials(entry: Substitute) -> Iterator[str]:
    before, after = _bare_name(entry.original), _bare_name(entry.substitute)
    if not before or not after:
        yield f"'{entry.original}' or '{entry.substitute}' is no name; give both as words"
        return
    for which, place in (("first", 0), ("last", -1)):
        if before[place][0] == after[place][0]:
            yield (
                f"'{entry.substitute}' keeps the initial of the {which} name "
                f"('{before[place][0].upper()}'); choose another"
            )


def _bare_name(name: str) -> list[str]:
    return [word for word in _plain_words(name) if word not in _TITLES]


def _folded(form: str) -> str:
    return " ".join(form.casefold().replace("’", "'").split())
