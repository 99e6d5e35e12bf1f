"""E3xx: proposed cells: complete, resting on their own observations, with the confidence that these earn."""

from __future__ import annotations

from collections.abc import Iterator

from mempabench.domain.evidence import Confidence, Mode, Observation, ProposedCell, Reading
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.validators.check import Check
from mempabench.validators.data import Data
from mempabench.validators.places import repeated


def missing(data: Data) -> Iterator[str]:
    """Yield cells of candidates for which nothing, not even ``none``, is proposed."""
    found = {proposal.key for proposal in data.proposed_cells}
    for source, person in sorted(data.candidates):
        for context in Context:
            for attribute in Attribute:
                if (key := f"{source}/{person}/{context}/{attribute}") not in found:
                    yield key


def given_twice(data: Data) -> Iterator[str]:
    """Yield cells that are proposed more than once."""
    return repeated(proposal.key for proposal in data.proposed_cells)


def not_candidates(data: Data) -> Iterator[str]:
    """Yield proposals for somebody who is no candidate."""
    for proposal in data.proposed_cells:
        if (proposal.source, proposal.character) not in data.candidates:
            yield proposal.key


def unknown_settings(data: Data) -> Iterator[str]:
    """Yield proposals, or second readings, of a setting that the attribute doesn't have."""
    for proposal, reading in _readings(data):
        known = settings_of(proposal.attribute)
        if reading.setting is not None and reading.setting not in known:
            yield f"{proposal.key} ('{reading.setting}'; it has {', '.join(known)})"


def supported_nothing(data: Data) -> Iterator[str]:
    """Yield proposals of nothing that cite support or quotes."""
    for proposal, reading in _readings(data):
        if reading.setting is None and reading.supporting:
            yield proposal.key


def unsupported(data: Data) -> Iterator[str]:
    """Yield proposals of a setting that cite no observation."""
    for proposal, reading in _readings(data):
        if reading.setting is not None and not reading.supporting:
            yield proposal.key


def foreign_support(data: Data) -> Iterator[str]:
    """Yield proposals supported by what is no observation of their cell."""
    for proposal, reading in _readings(data):
        for name in reading.supporting:
            if not _belongs(data, name, proposal):
                yield f"{proposal.key} ({name})"


def foreign_resolutions(data: Data) -> Iterator[str]:
    """Yield proposals that resolve what is no observation of their cell."""
    for proposal, reading in _readings(data):
        for resolution in reading.resolved:
            if not _belongs(data, resolution.observation, proposal):
                yield f"{proposal.key} ({resolution.observation})"


def cited_twice(data: Data) -> Iterator[str]:
    """Yield proposals that cite an observation twice, or both for and against."""
    for proposal, reading in _readings(data):
        cited = [*reading.supporting, *(resolution.observation for resolution in reading.resolved)]
        for name in repeated(cited):
            yield f"{proposal.key} ({name})"


def unearned(data: Data) -> Iterator[str]:
    """Yield proposals whose granted confidence isn't the one that the evidence earns."""
    for proposal in data.proposed_cells:
        earned = earned_confidence(proposal, _of_cell(data, proposal))
        if proposal.confidence is not earned:
            yield f"{proposal.key} (granted {proposal.confidence}, earned {earned})"


def earned_confidence(proposal: ProposedCell, cell: tuple[Observation, ...]) -> Confidence:
    """Return the confidence that a proposal earns from the observations of its cell.

    The rule of granting stated a second time, on purpose without the code of the stage that grants, so that
    a slip in either shows as a difference. ``none``: nothing is proposed. ``high``: how the person takes
    help (reception) speaks for the setting in two episodes or more, and every observation of reception that
    speaks for another one is explained by circumstances. ``medium``: reception speaks for it once, or their
    own manner (production) in two episodes. ``low``: a setting with less than that. Only cited observations
    speak for a setting, and only if it is the one that they were read as.
    """
    if proposal.setting is None:
        return Confidence.NONE
    episodes: dict[Mode, set[str]] = {Mode.RECEPTION: set(), Mode.PRODUCTION: set()}
    against = False
    for observation in cell:
        agrees = observation.setting == proposal.setting
        if agrees and observation.id in proposal.supporting:
            episodes[observation.mode].add(observation.episode)
        if not agrees and observation.mode is Mode.RECEPTION:
            against |= all(observation.id != resolution.observation for resolution in proposal.resolved)
    received, produced = len(episodes[Mode.RECEPTION]), len(episodes[Mode.PRODUCTION])
    if received > 1 and not against:
        return Confidence.HIGH
    return Confidence.MEDIUM if received > 0 or produced > 1 else Confidence.LOW


def claims_at_odds(data: Data) -> Iterator[str]:
    """Yield proposals that claim ``none`` for a setting, or anything else for nothing."""
    for proposal, reading in _readings(data):
        if (reading.claimed is Confidence.NONE) != (reading.setting is None):
            yield f"{proposal.key} (claimed {reading.claimed} for {reading.setting or 'nothing'})"


def other_quotes(data: Data) -> Iterator[str]:
    """Yield proposals whose quotes aren't those of the observations they cite, in order."""
    for proposal in data.proposed_cells:
        known = (data.observation_by_id.get(name) for name in proposal.cited)
        if proposal.cited_quotes != tuple(quote for o in known if o is not None for quote in o.quotes):
            yield proposal.key


def second_reader_at_odds(data: Data) -> Iterator[str]:
    """Yield proposals without a second reading though there is evidence, or with one though there is none."""
    observed = {(o.source, o.character, o.attribute) for o in data.evidence}
    for proposal in data.proposed_cells:
        asked = (proposal.source, proposal.character, proposal.attribute) in observed
        if asked != (proposal.second is not None):
            yield proposal.key


def without_rationale(data: Data) -> Iterator[str]:
    """Yield proposals that give no rationale or no grounds."""
    for proposal, reading in _readings(data):
        if not reading.rationale.strip() or not proposal.grounds.strip():
            yield proposal.key


def _readings(data: Data) -> Iterator[tuple[ProposedCell, ProposedCell | Reading]]:
    """Yield every proposal with each reader's answer: its own, and the second reader's."""
    for proposal in data.proposed_cells:
        yield proposal, proposal
        if proposal.second is not None:
            yield proposal, proposal.second


def _belongs(data: Data, name: str, proposal: ProposedCell) -> bool:
    observation = data.observation_by_id.get(name)
    return observation is not None and _cell_of(observation) == _cell_of(proposal)


def _of_cell(data: Data, proposal: ProposedCell) -> tuple[Observation, ...]:
    return tuple(o for o in data.evidence if _cell_of(o) == _cell_of(proposal))


def _cell_of(part: Observation | ProposedCell) -> tuple[str, str, Context, Attribute]:
    return part.source, part.character, part.context, part.attribute


CHECKS = (
    Check("E301", "a candidate's cell has no proposal", missing),
    Check("E302", "a cell is proposed twice", given_twice),
    Check("E303", "a cell is proposed for somebody who is no candidate", not_candidates),
    Check("E304", "a reader names a setting that the attribute doesn't have", unknown_settings),
    Check("E305", "a reader proposes nothing, but cites observations for it", supported_nothing),
    Check("E306", "a reader proposes a setting without an observation", unsupported),
    Check("E307", "what supports a setting is no observation of this cell", foreign_support),
    Check("E308", "what is resolved is no observation of this cell", foreign_resolutions),
    Check("E309", "a reader cites an observation twice", cited_twice),
    Check("E310", "the granted confidence is not the one that the evidence earns", unearned),
    Check("E311", "a reader claims none for a setting, or more for nothing", claims_at_odds),
    Check("E312", "the quotes are not those of the supporting observations", other_quotes),
    Check("E313", "the second reading is missing, or there was nothing to read", second_reader_at_odds),
    Check("E314", "a reader gives no rationale, or code no grounds", without_rationale),
)
"""Checks of proposed cells."""
