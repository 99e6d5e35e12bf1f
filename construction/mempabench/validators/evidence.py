"""E2xx: what scenes show: ids, scenes, and quotes that really stand where they say and are the right person's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from mempabench.domain.evidence import Identity, IdentityObservation, Observation, Quote
from mempabench.domain.taxonomy import FACETS, settings_of
from mempabench.validators.check import Check
from mempabench.validators.data import Data
from mempabench.validators.places import in_steps, listed, repeated

Seen = Sequence[Observation] | Sequence[IdentityObservation]
Rule = Callable[[Data, Seen], Iterator[str]]

_TOPICS = ("relationship", "activity", "circumstance", "history", "temperament", "speech")
_ITEM_KINDS = _TOPICS[:4]
_LEVELS = ("low", "medium", "high", None)


def of_reactions(rule: Rule) -> Callable[[Data], Iterator[str]]:
    """Return a rule applied to the observations of pass one."""
    return lambda data: rule(data, data.evidence)


def of_identity(rule: Rule) -> Callable[[Data], Iterator[str]]:
    """Return a rule applied to the observations of identity."""
    return lambda data: rule(data, data.identity_observations)


def given_twice(data: Data, seen: Seen) -> Iterator[str]:
    """Yield ids that are given more than once."""
    return repeated(observation.id for observation in seen)


def misnamed(data: Data, seen: Seen) -> Iterator[str]:
    """Yield ids that aren't made of the observation's source, scene, character and a number."""
    for observation in seen:
        letter = "o" if isinstance(observation, Observation) else "i"
        start = re.escape(f"{observation.scene}/{observation.character}/{letter}")
        of_source = observation.scene.startswith(f"{observation.source}/")
        if not of_source or not re.fullmatch(rf"{start}[1-9]\d*", observation.id):
            yield f"{observation.id} ({observation.character} in {observation.scene} of {observation.source})"


def gaps(data: Data, seen: Seen) -> Iterator[str]:
    """Yield where observations don't count up from 1: of a character in a scene, or of a scene for identity."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for observation in seen:
        if found := re.search(r"/[oi](\d+)$", observation.id):
            asked = observation.id.rsplit("/", 1 if isinstance(observation, Observation) else 2)[0]
            numbers[asked].add(int(found[1]))
    for asked, given in numbers.items():
        if not in_steps(sorted(given)):
            yield f"{asked} (numbers {listed(sorted(given))})"


def sceneless(data: Data, seen: Seen) -> Iterator[str]:
    """Yield observations of a scene that doesn't exist."""
    for observation in seen:
        if observation.scene not in data.scene_by_id:
            yield f"{observation.id} ({observation.scene})"


def not_candidates(data: Data, seen: Seen) -> Iterator[str]:
    """Yield observations of somebody who is no candidate of the source."""
    for observation in seen:
        if (observation.source, observation.character) not in data.candidates:
            yield f"{observation.id} ({observation.character})"


def silent(data: Data, seen: Seen) -> Iterator[str]:
    """Yield observations of somebody who doesn't speak in the scene."""
    for observation in seen:
        scene = data.scene_by_id.get(observation.scene)
        if scene and observation.character not in scene.speakers():
            yield f"{observation.id} ({observation.character})"


def quoteless(data: Data, seen: Seen) -> Iterator[str]:
    """Yield observations without a quote."""
    return (observation.id for observation in seen if not observation.quotes)


def out_of_scene(data: Data, seen: Seen) -> Iterator[str]:
    """Yield quotes of a line that isn't in the observation's scene."""
    for observation in seen:
        scene = data.scene_by_id.get(observation.scene)
        lines = {line.id for line in scene.lines} if scene else {quote.line for quote in observation.quotes}
        for quote in observation.quotes:
            if quote.line not in lines:
                yield f"{observation.id} ({quote.line})"


def misquoted(data: Data, seen: Seen) -> Iterator[str]:
    """Yield quotes whose words don't stand at their offsets in their line."""
    for observation in seen:
        for quote in observation.quotes:
            line = data.line_by_id.get(quote.line)
            if not line or not line.speakers:
                continue
            if not quote.text.strip() or line.text[quote.start : quote.end] != quote.text:
                yield f"{observation.id} ({_shown(quote)})"


def unspoken(data: Data, seen: Seen) -> Iterator[str]:
    """Yield quotes of a line that nobody speaks."""
    for observation in seen:
        for quote in observation.quotes:
            line = data.line_by_id.get(quote.line)
            if line and not line.speakers:
                yield f"{observation.id} ({quote.line})"


def spoken_by_others(data: Data) -> Iterator[str]:
    """Yield reactions that quote a line of another speaker."""
    for observation in data.evidence:
        for quote in observation.quotes:
            line = data.line_by_id.get(quote.line)
            if line and line.speakers and observation.character not in line.speakers:
                yield f"{observation.id} ({quote.line} is spoken by {listed(line.speakers)})"


def unknown_settings(data: Data) -> Iterator[str]:
    """Yield reactions that speak for a setting that the attribute doesn't have."""
    for observation in data.evidence:
        if observation.setting not in settings_of(observation.attribute):
            known = listed(settings_of(observation.attribute))
            yield f"{observation.id} ('{observation.setting}'; {observation.attribute} has {known})"


def unknown_topics(data: Data) -> Iterator[str]:
    """Yield identity observations with a topic that there isn't."""
    for observation in data.identity_observations:
        if observation.topic not in _TOPICS:
            yield f"{observation.id} ('{observation.topic}'; there are {listed(_TOPICS)})"


def unmerged(data: Data) -> Iterator[str]:
    """Yield candidates who were observed but don't have exactly one identity."""
    observed = {(o.source, o.character) for o in data.identity_observations} & data.candidates
    merged = [(identity.source, identity.character) for identity in data.identity]
    for source, person in sorted(observed | set(merged)):
        if merged.count((source, person)) != ((source, person) in observed):
            yield f"{source}/{person} ({merged.count((source, person))} identities)"


def uncited_identity(data: Data) -> Iterator[str]:
    """Yield identities that cite what isn't an observation of theirs."""
    owner = {o.id: (o.source, o.character) for o in data.identity_observations}
    for identity in data.identity:
        for name in _cited(identity):
            if owner.get(name) != (identity.source, identity.character):
                yield f"{identity.source}/{identity.character} ({name})"


def incomplete_facets(data: Data) -> Iterator[str]:
    """Yield identities that don't rate each facet once, in order, on the known levels."""
    for identity in data.identity:
        names = tuple(facet.name for facet in identity.facets)
        levels = [facet.level for facet in identity.facets if facet.level not in _LEVELS]
        if names != FACETS or levels:
            yield f"{identity.source}/{identity.character}"


def unsupported_identity(data: Data) -> Iterator[str]:
    """Yield items without an observation or of no known kind, and facets rated without one."""
    for identity in data.identity:
        for item in identity.items:
            if item.kind not in _ITEM_KINDS or not item.observations:
                yield f"{identity.source}/{identity.character} ({item.kind}: {item.statement[:40]})"
        for facet in identity.facets:
            if facet.level is not None and not facet.observations:
                yield f"{identity.source}/{identity.character} ({facet.name} is {facet.level})"


def _cited(identity: Identity) -> Iterator[str]:
    for item in identity.items:
        yield from item.observations
    for facet in identity.facets:
        yield from facet.observations


def _shown(quote: Quote) -> str:
    return f"'{quote.text[:40]}' at {quote.start} to {quote.end} of {quote.line}"


CHECKS = (
    Check("E201", "a reaction's id is given twice", of_reactions(given_twice)),
    Check("E202", "a reaction's id is not made of its source, scene and character", of_reactions(misnamed)),
    Check("E203", "a character's reactions in a scene don't count up from 1", of_reactions(gaps)),
    Check("E204", "a reaction is of a scene that doesn't exist", of_reactions(sceneless)),
    Check("E205", "a reaction is of somebody who is no candidate", of_reactions(not_candidates)),
    Check("E206", "a reaction has no quote", of_reactions(quoteless)),
    Check("E207", "a reaction quotes a line that isn't in its scene", of_reactions(out_of_scene)),
    Check("E208", "a reaction's quote is not what its line says there", of_reactions(misquoted)),
    Check("E209", "a reaction quotes a line that nobody speaks", of_reactions(unspoken)),
    Check("E210", "a reaction quotes another speaker than its character", spoken_by_others),
    Check("E211", "a reaction speaks for a setting that its attribute doesn't have", unknown_settings),
    Check("E221", "an identity observation's id is given twice", of_identity(given_twice)),
    Check(
        "E222",
        "an identity observation's id is not made of its source, scene and character",
        of_identity(misnamed),
    ),
    Check("E223", "a scene's identity observations don't count up from 1", of_identity(gaps)),
    Check("E224", "an identity observation is of a scene that doesn't exist", of_identity(sceneless)),
    Check("E225", "an identity observation is of somebody who is no candidate", of_identity(not_candidates)),
    Check(
        "E226", "an identity observation is of somebody who doesn't speak in the scene", of_identity(silent)
    ),
    Check("E227", "an identity observation has no quote", of_identity(quoteless)),
    Check("E228", "an identity observation quotes a line that isn't in its scene", of_identity(out_of_scene)),
    Check("E229", "an identity observation's quote is not what its line says there", of_identity(misquoted)),
    Check("E230", "an identity observation quotes a line that nobody speaks", of_identity(unspoken)),
    Check("E231", "an identity observation has a topic that there isn't", unknown_topics),
    Check("E232", "a candidate who was observed doesn't have exactly one identity", unmerged),
    Check("E233", "an identity cites what is no observation of this person", uncited_identity),
    Check("E234", "an identity doesn't rate each facet once as low, medium, high or null", incomplete_facets),
    Check("E235", "a fact or a rated facet of an identity rests on nothing", unsupported_identity),
)
"""Checks of evidence and identity."""
