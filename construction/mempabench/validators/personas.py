"""E5xx: the substitution registry and the personas: complete, and nothing of the source's names or words in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from mempabench.domain.identifiers import TITLES, Identifiers
from mempabench.domain.personas import EntityKind, Persona, Substitute, User
from mempabench.domain.registry import runs, words
from mempabench.domain.taxonomy import FACETS, TAXONOMY, Attribute, Context
from mempabench.domain.transcripts import CastMember, Scene, Source
from mempabench.validators.check import Check
from mempabench.validators.data import Data
from mempabench.validators.places import listed, repeated

_GUIDANCE = frozenset((context, attribute) for context in Context for attribute in Attribute)
_TELLING = frozenset(
    name.replace("_", joint)
    for spec in TAXONOMY
    for name in (spec.attribute, *(setting.name for setting in spec.settings))
    if "_" in name
    for joint in ("_", " ", "-")
)
"""Names of attributes and settings that are no everyday words."""


def unregistered(data: Data) -> Iterator[str]:
    """Yield forms of a used source's named persons for which no substitute stands."""
    for source in _used(data):
        known = {_folded(form) for entry in _of(data, source) for form in (entry.original, *entry.aliases)}
        for member in source.cast:
            for form in (member.name, *member.aliases) if member.named else ():
                if _folded(form) not in known:
                    yield f"{source.id}/{member.person} ({form})"


def uneven_aliases(data: Data) -> Iterator[str]:
    """Yield entries whose aliases and substitutes differ in number."""
    for entry in data.substitutes:
        if len(entry.aliases) != len(entry.substitute_aliases):
            yield f"{entry.source}: {entry.original}"


def two_meanings(data: Data) -> Iterator[str]:
    """Yield forms of a source for which two different substitutes stand."""
    first: dict[tuple[str, str], str] = {}
    for entry in data.substitutes:
        for form, substitute in _pairs(entry):
            known = first.setdefault((entry.source, _folded(form)), _folded(substitute))
            if known != _folded(substitute):
                yield f"{entry.source}: {form} ('{known}' and '{_folded(substitute)}')"


def two_origins(data: Data) -> Iterator[str]:
    """Yield substitutes that stand for two different names, which makes two of the source into one."""
    first: dict[str, tuple[str, str, str]] = {}
    for entry in data.substitutes:
        for form, substitute in _pairs(entry):
            meant = (entry.source, _folded(entry.original), _folded(form))
            known = first.setdefault(_folded(substitute), meant)
            if known[:2] != meant[:2] and known[::2] != meant[::2]:
                yield f"{entry.source}: {substitute} ('{known[2]}' and '{meant[2]}')"


def kept_initials(data: Data) -> Iterator[str]:
    """Yield persons whose substitute keeps the first letter of the first or the last name."""
    for entry in data.substitutes:
        if entry.kind is EntityKind.PERSON:
            original, substitute = _name_words(entry.original), _name_words(entry.substitute)
            for end in (0, -1):
                if original and substitute and original[end][0] == substitute[end][0]:
                    yield f"{entry.source}: {entry.original} ('{entry.substitute}')"
                    break


def borrowed_names(data: Data) -> Iterator[str]:
    """Yield substitutes in which a name of their source stands."""
    for entry in data.substitutes:
        forms = {
            form for other in data.substitutes if other.source == entry.source for form, _ in _pairs(other)
        }
        for substitute in (entry.substitute, *entry.substitute_aliases):
            if found := list(standing(substitute, forms)):
                yield f"{entry.source}: {substitute} ({listed(found)})"


def missing_personas(data: Data) -> Iterator[str]:
    """Yield users built so far who have no persona."""
    found = {persona.user for persona in data.personas}
    return (user for user in data.users_with_personas if user not in found)


def personas_given_twice(data: Data) -> Iterator[str]:
    """Yield personas given more than once, and personas of nobody."""
    yield from repeated(persona.user for persona in data.personas)
    yield from (p.user for p in data.personas if p.user not in data.users_with_personas)


def incomplete_guidance(data: Data) -> Iterator[str]:
    """Yield personas that don't have one note for each of the 28 cells."""
    for persona in data.personas:
        given = [(note.context, note.attribute) for note in persona.reception_guidance if note.note.strip()]
        if len(given) != len(_GUIDANCE) or set(given) != _GUIDANCE:
            yield f"{persona.user} ({len(set(given))} of {len(_GUIDANCE)} cells in {len(given)} notes)"


def incomplete_facets(data: Data) -> Iterator[str]:
    """Yield personas that don't have each facet once, in order."""
    for persona in data.personas:
        given = [facet.name for facet in persona.facets]
        if given != list(FACETS):
            yield f"{persona.user} ({listed(given)})"


def other_facets(data: Data) -> Iterator[str]:
    """Yield personas with a facet on another level than in the identity that they come from."""
    levels = {(i.source, i.character): {f.name: f.level for f in i.facets} for i in data.identity}
    for persona, user in _with_user(data):
        known = levels.get((user.source, user.character), {})
        for facet in persona.facets:
            if facet.name in known and known[facet.name] != facet.level:
                yield f"{persona.user} ({facet.name} is {facet.level}, was {known[facet.name]})"


def other_names(data: Data) -> Iterator[str]:
    """Yield personas whose name isn't the substitute of their character's name."""
    for persona, user in _with_user(data):
        name = next(
            (m.name for m in data.source_by_id[user.source].cast if m.person == user.character),
            user.character,
        )
        registered = [
            substitute
            for entry in data.substitutes
            if entry.source == user.source
            for form, substitute in _pairs(entry)
            if _folded(form) == _folded(name)
        ]
        if persona.name not in registered:
            yield f"{persona.user} ('{persona.name}'; registered is {listed(registered)})"


def surviving_names(data: Data) -> Iterator[str]:
    """Yield texts of a persona in which a name of its source still stands.

    Looked for: every registered form and every name of the named cast, in any case, with or without accents,
    with what hangs on it (``Pashley's``, ``Pashleys``, ``ex-Pashley``); and single parts of persons' names
    where they are written with a capital.
    """
    for persona, user in _with_user(data):
        source = data.source_by_id[user.source]
        named = [member for member in source.cast if member.named]
        forms = {form for entry in _of(data, source) for form in (entry.original, *entry.aliases)}
        forms |= {form for member in named for form in (member.name, *member.aliases)}
        parts = {part for member in named for part in _parts(member)}
        for place, text in persona_texts(persona):
            found = dict.fromkeys([*standing(text, forms), *standing(text, parts, capital=True)])
            if found:
                yield f"{persona.user} {place} ({listed(found)})"


def disguised_names(data: Data) -> Iterator[str]:
    """Yield texts of a persona in which a registered name comes back as initials, cut up or inside a word."""
    for persona, user in _with_user(data):
        identifiers = Identifiers(_of(data, data.source_by_id[user.source]))
        for place, text in persona_texts(persona):
            found = [f for f in identifiers.find(text) if f.certain and f.kind != "name"]
            if found:
                yield f"{persona.user} {place} ({listed(f'{f.words}: {f.form}' for f in found)})"


def repeated_runs(data: Data) -> Iterator[str]:
    """Yield texts of a persona that share eight words in a row with the source."""
    said = {
        source.id: frozenset(
            run
            for scene in data.scenes
            if scene.source == source.id
            for text in _said(scene)
            for run in runs(text)
        )
        for source in _used(data)
    }
    for persona, user in _with_user(data):
        for place, text in persona_texts(persona):
            for run in sorted(runs(text) & said[user.source])[:1]:
                yield f"{persona.user} {place} ({' '.join(run)})"


def telling_notes(data: Data) -> Iterator[str]:
    """Yield notes that name an attribute or a setting."""
    for persona in data.personas:
        for note in persona.reception_guidance:
            if found := sorted(name for name in _TELLING if name in note.note.casefold()):
                yield f"{persona.user}/{note.context}/{note.attribute} ({listed(found)})"


def persona_texts(persona: Persona) -> Iterator[tuple[str, str]]:
    """Yield every text of a persona with the field that it stands in."""
    yield "name", persona.name
    yield "summary", persona.summary
    for field in ("roles", "language_style", "act_repertoire", "interaction_dynamics", "production_guidance"):
        for number, text in enumerate(getattr(persona, field), start=1):
            yield f"{field} {number}", text
    for number, item in enumerate(persona.items, start=1):
        yield f"items {number}", item.statement
    for facet in persona.facets:
        yield f"facets {facet.name}", facet.note
    for note in persona.reception_guidance:
        yield f"{note.context}/{note.attribute}", note.note


def standing(text: str, forms: Iterable[str], *, capital: bool = False) -> Iterator[str]:
    """Yield the forms that stand in a text as words.

    >>> list(standing("Old horáková's till, and Pashleys both", {"Horáková", "Pashley", "Tare"}))
    ['Horáková', 'Pashley']
    >>> list(standing("a graham cracker", {"Graham"}, capital=True))
    []
    """
    plain = _plain(text)
    for form in sorted(forms):
        pattern = r"\s+".join(re.escape(word) for word in _plain(form).split())
        hits = re.finditer(rf"(?<!\w){pattern}(?:'?s)?(?!\w)", plain, re.IGNORECASE) if pattern else ()
        if any(not capital or hit[0][0].isupper() for hit in hits):
            yield form


def _used(data: Data) -> list[Source]:
    """Return the sources from which somebody is built as far as a persona."""
    used = {user.source for user in data.users if user.user in data.users_with_personas}
    return [source for source in data.sources if source.id in used]


def _of(data: Data, source: Source) -> list[Substitute]:
    return [entry for entry in data.substitutes if entry.source == source.id]


def _with_user(data: Data) -> Iterator[tuple[Persona, User]]:
    users = {user.user: user for user in data.users}
    for persona in data.personas:
        if persona.user in users and users[persona.user].source in data.source_by_id:
            yield persona, users[persona.user]


def _pairs(entry: Substitute) -> Iterator[tuple[str, str]]:
    """Yield each form and what stands for it, also where their numbers differ."""
    yield entry.original, entry.substitute
    for form, substitute in zip_longest(entry.aliases, entry.substitute_aliases):
        if form and substitute:
            yield form, substitute


def _parts(member: CastMember) -> Iterator[str]:
    """Yield the parts of a person's name that can give them away by themselves."""
    for part in member.name.split():
        if len(part) > 2 and part[0].isupper() and part.casefold().rstrip(".") not in TITLES:
            yield part


def _name_words(name: str) -> list[str]:
    given = words(_plain(name))
    return [word for word in given if word not in TITLES] or given


def _said(scene: Scene) -> Iterator[str]:
    yield scene.heading
    for line in scene.lines:
        yield line.text
        yield from (direction.text for direction in line.directions)


def _folded(form: str) -> str:
    return " ".join(form.casefold().replace("’", "'").split())


def _plain(text: str) -> str:
    """Return a text with straight apostrophes and without accents."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(char for char in apart if not unicodedata.combining(char))


CHECKS = (
    Check("E501", "a named person of a used source has no registered substitute", unregistered),
    Check("E502", "an entry's aliases and their substitutes differ in number", uneven_aliases),
    Check("E503", "a name has two substitutes", two_meanings),
    Check("E504", "a substitute stands for two names", two_origins),
    Check("E505", "a person's substitute keeps an initial", kept_initials),
    Check("E506", "a name of the source stands in a substitute", borrowed_names),
    Check("E511", "a user's persona is missing", missing_personas),
    Check("E512", "a persona is given twice, or is of somebody who isn't built so far", personas_given_twice),
    Check("E513", "a persona doesn't have one note for each of the 28 cells", incomplete_guidance),
    Check("E514", "a persona doesn't have each facet once, in order", incomplete_facets),
    Check("E515", "a persona's facet is on another level than in the identity", other_facets),
    Check("E516", "a persona's name is not the registered substitute", other_names),
    Check("E517", "a name of the source survives in a persona", surviving_names),
    Check("E518", "a run of eight words of the source stands in a persona", repeated_runs),
    Check("E519", "a note names an attribute or a setting", telling_notes),
    Check("E520", "a name of the source comes back in disguise in a persona", disguised_names),
)
"""Checks of the registry and the personas."""
