"""E4xx: users, the queue, the log of decisions, and the cells that come of them."""

from __future__ import annotations

from collections.abc import Iterator

from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.record import digest
from mempabench.domain.review import Action, Basis, Cell, Decision, Mode, Outcome, Reason, cell_key, utc
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.validators.check import Check
from mempabench.validators.data import Data
from mempabench.validators.places import listed, repeated

_BASIS = {
    Outcome.CONFIRMED: Basis.EXTRACTED,
    Outcome.KEPT: Basis.EXTRACTED,
    Outcome.CHANGED: Basis.REVIEWER,
    Outcome.SPECIFIED: Basis.DESIGNED,
}
_OUTCOME = {
    Action.KEEP: Outcome.KEPT,
    Action.CHANGE: Outcome.CHANGED,
    Action.SPECIFY: Outcome.SPECIFIED,
}
_STRONG = (Confidence.HIGH, Confidence.MEDIUM)


def miscast(data: Data) -> Iterator[str]:
    """Yield users who are no candidate of their source."""
    for user in data.users:
        if (user.source, user.character) not in data.candidates:
            yield f"{user.user} ({user.source}/{user.character})"


def cast_twice(data: Data) -> Iterator[str]:
    """Yield users given twice, and candidates who became two users."""
    yield from repeated(user.user for user in data.users)
    persons = {user.user: f"{user.source}/{user.character}" for user in data.users}
    yield from repeated(persons.values())


def miscounted_coverage(data: Data) -> Iterator[str]:
    """Yield users whose coverage isn't the number of their cells proposed with high or medium confidence."""
    for user in data.users:
        found = sum(
            p.confidence in _STRONG
            for p in data.proposed_cells
            if (p.source, p.character) == (user.source, user.character)
        )
        if found != user.coverage:
            yield f"{user.user} (says {user.coverage}, is {found})"


def misqueued(data: Data) -> Iterator[str]:
    """Yield cells below high confidence that aren't in the queue, and queued ones that needn't be, audits apart."""
    queued = {item.cell for item in data.review_items if item.reason is not Reason.AUDIT}
    waiting = {
        key
        for key, proposal in data.proposal_by_cell.items()
        if proposal.confidence is not Confidence.HIGH and key.split("/")[0] in data.users_with_queue
    }
    high = {key for key, one in data.proposal_by_cell.items() if one.confidence is Confidence.HIGH}
    yield from sorted((queued ^ waiting) | (_audited(data) - high))


def queued_twice(data: Data) -> Iterator[str]:
    """Yield cells that stand in the queue more than once."""
    return repeated(item.cell for item in data.review_items)


def items_at_odds(data: Data) -> Iterator[str]:
    """Yield queued cells that show something else than what is proposed."""
    for item in data.review_items:
        proposal = data.proposal_by_cell.get(item.cell)
        shown = (item.proposal, item.confidence, item.observations, item.quotes, item.evidence_hash)
        if proposal and shown != (
            proposal.setting,
            proposal.confidence,
            proposal.cited,
            proposal.cited_quotes,
            proposal.evidence_hash(),
        ):
            yield item.cell


def unknown_decided_cells(data: Data) -> Iterator[str]:
    """Yield decisions on a cell that no user has."""
    known = {cell_key(user.user, context, a) for user in data.users for context in Context for a in Attribute}
    for decision in data.decisions:
        if decision.cell not in known:
            yield f"{decision.event_id} ({decision.cell})"


def broken_chain(data: Data) -> Iterator[str]:
    """Yield the first decision that doesn't name the hash of the one before it."""
    before = None
    for number, decision in enumerate(data.decisions, start=1):
        if decision.previous != before:
            yield f"{decision.event_id} (line {number})"
            return
        before = decision.chained()


def decided_twice(data: Data) -> Iterator[str]:
    """Yield events that stand in the log more than once."""
    return repeated(decision.event_id for decision in data.decisions)


def edited_decisions(data: Data) -> Iterator[str]:
    """Yield events whose id isn't the digest of what they decide."""
    for decision in data.decisions:
        content = [
            decision.cell,
            decision.reviewer,
            utc(decision.decided_at),
            decision.setting,
            decision.reason,
            decision.evidence_hash,
            *_told_apart(decision),
        ]
        if decision.event_id != digest(content)[:32]:
            yield f"{decision.event_id} ({decision.cell})"


def _told_apart(decision: Decision) -> Iterator[str]:
    """Yield what an id holds beside the judgement, where an earlier event of the same moment could be meant."""
    if decision.action is Action.WITHDRAW:
        yield decision.withdraws
    elif decision.mode is Mode.ADJUDICATED:
        yield "adjudicated " + " ".join(sorted(decision.adjudicates))
    elif decision.mode is Mode.REVISED:
        yield "revised"


def undecided_decisions(data: Data) -> Iterator[str]:
    """Yield deferrals and withdrawals that choose a setting, and other decisions that choose none or an unknown one."""
    for decision in data.decisions:
        attribute = decision.cell.rsplit("/", 1)[-1]
        known = settings_of(attribute) if attribute in tuple(Attribute) else (decision.setting,)
        expected = (None,) if decision.action in (Action.DEFER, Action.WITHDRAW) else known
        if decision.setting not in expected:
            yield f"{decision.event_id} ({decision.action} {decision.setting} for {decision.cell})"


def missing_cells(data: Data) -> Iterator[str]:
    """Yield cells that a user built so far doesn't have."""
    found = {cell.key for cell in data.cells}
    for user in data.users_with_cells:
        for context in Context:
            for attribute in Attribute:
                if (key := cell_key(user, context, attribute)) not in found:
                    yield key


def cells_given_twice(data: Data) -> Iterator[str]:
    """Yield cells that are given more than once."""
    return repeated(cell.key for cell in data.cells)


def cells_of_nobody(data: Data) -> Iterator[str]:
    """Yield cells of somebody who isn't built as far as cells."""
    for cell in data.cells:
        if cell.user not in data.users_with_cells:
            yield f"{cell.key} (users with cells are {listed(data.users_with_cells)})"


def unknown_settings(data: Data) -> Iterator[str]:
    """Yield cells with a setting that the attribute doesn't have."""
    for cell in data.cells:
        if cell.setting not in settings_of(cell.attribute):
            yield f"{cell.key} ('{cell.setting}'; it has {listed(settings_of(cell.attribute))})"


def wrong_basis(data: Data) -> Iterator[str]:
    """Yield cells whose basis doesn't follow from their outcome."""
    for cell in data.cells:
        if cell.basis is not _BASIS[cell.outcome]:
            yield f"{cell.key} ({cell.outcome} on basis {cell.basis})"


def wrongly_confirmed(data: Data) -> Iterator[str]:
    """Yield cells confirmed without high confidence, and cells with high confidence that aren't."""
    for cell in data.cells:
        if (cell.outcome is Outcome.CONFIRMED) != (cell.confidence is Confidence.HIGH) and not (
            cell.confidence is Confidence.HIGH and cell.key in _audited(data)
        ):
            yield f"{cell.key} ({cell.outcome} with {cell.confidence} confidence)"


def wrongly_decided(data: Data) -> Iterator[str]:
    """Yield confirmed cells that name a decision, and other cells that name none."""
    for cell in data.cells:
        if (cell.outcome is Outcome.CONFIRMED) != (cell.decision is None):
            yield f"{cell.key} ({cell.outcome} by decision {cell.decision})"


def unlike_proposal(data: Data) -> Iterator[str]:
    """Yield cells whose confidence, proposal or observations aren't those of what was proposed."""
    for cell in data.cells:
        proposal = data.proposal_by_cell.get(cell.key)
        given = (cell.confidence, cell.proposal, cell.observations)
        if proposal and given != (proposal.confidence, proposal.setting, proposal.cited):
            yield cell.key


def missing_decisions(data: Data) -> Iterator[str]:
    """Yield cells that name a decision that isn't in the log, or is about another cell."""
    for cell in data.cells:
        if cell.decision is not None:
            decision = data.decision_by_id.get(cell.decision)
            if decision is None or decision.cell != cell.key:
                yield f"{cell.key} ({cell.decision})"


def stale_decisions(data: Data) -> Iterator[str]:
    """Yield cells whose decision was made on other evidence than what is proposed now."""
    for cell, decision, proposal in _decided(data):
        if decision.evidence_hash != proposal.evidence_hash():
            yield f"{cell.key} ({decision.event_id})"


def overtaken_decisions(data: Data) -> Iterator[str]:
    """Yield cells that rest on a decision which was taken back, overtaken, or from which other reviewers differ."""
    for cell, decision, _ in _decided(data):
        events = [other for other in data.decisions if other.cell == cell.key]
        taken = {other.withdraws for other in events if other.action is Action.WITHDRAW}
        counting = [
            other
            for other in events
            if other.action not in (Action.DEFER, Action.WITHDRAW)
            and other.evidence_hash == decision.evidence_hash
            and other.event_id not in taken
        ]
        why = _overtaken(decision, counting)
        if why:
            yield f"{cell.key} ({decision.event_id}, {why})"


def _audited(data: Data) -> set[str]:
    """Return the cells that were drawn for the audit."""
    return {item.cell for item in data.review_items if item.reason is Reason.AUDIT}


def _overtaken(decision: Decision, counting: list[Decision]) -> str:
    """Return why a decision doesn't settle its cell, or nothing."""
    if decision.event_id not in {other.event_id for other in counting}:
        return "taken back"
    latest = {other.reviewer: other for other in counting if other.mode is not Mode.ADJUDICATED}
    seen = sorted(other.event_id for other in latest.values())
    fitting = [
        other.event_id
        for other in counting
        if other.mode is Mode.ADJUDICATED and sorted(other.adjudicates) == seen
    ]
    if fitting:
        return "" if fitting[-1] == decision.event_id else f"then {fitting[-1]}"
    if len({other.setting for other in latest.values()}) > 1:
        return "reviewers differ"
    last = [other.event_id for other in counting if other.event_id in seen][-1]
    return "" if last == decision.event_id else f"then {last}"


def unlike_decision(data: Data) -> Iterator[str]:
    """Yield cells whose setting or outcome isn't what their decision says."""
    for cell, decision, _ in _decided(data):
        known = cell.setting in settings_of(cell.attribute)
        if known and (cell.setting, cell.outcome) != (decision.setting, _OUTCOME.get(decision.action)):
            yield f"{cell.key} ({cell.outcome} {cell.setting}, decided {decision.action} {decision.setting})"


def unlike_outcome(data: Data) -> Iterator[str]:
    """Yield cells confirmed or kept with another setting than the proposed one, or changed to the same."""
    for cell in data.cells:
        same = cell.setting == cell.proposal
        if cell.outcome is not Outcome.SPECIFIED and same != (cell.outcome is not Outcome.CHANGED):
            yield f"{cell.key} ({cell.outcome}: proposed {cell.proposal}, is {cell.setting})"


def without_rationale(data: Data) -> Iterator[str]:
    """Yield cells that say nothing for their setting."""
    return (cell.key for cell in data.cells if not cell.rationale.strip())


def _decided(data: Data) -> Iterator[tuple[Cell, Decision, ProposedCell]]:
    """Yield the cells that rest on a decision of the log, with it and with what was proposed."""
    for cell in data.cells:
        decision = data.decision_by_id.get(cell.decision) if cell.decision else None
        proposal = data.proposal_by_cell.get(cell.key)
        if decision and proposal and decision.cell == cell.key:
            yield cell, decision, proposal


CHECKS = (
    Check("E401", "a user is no candidate of their source", miscast),
    Check("E402", "a user is given twice, or a candidate became two users", cast_twice),
    Check(
        "E403",
        "a user's coverage is not the count of cells proposed with high or medium",
        miscounted_coverage,
    ),
    Check("E404", "a cell below high confidence is not in the queue, or another one is", misqueued),
    Check("E405", "a cell stands twice in the queue", queued_twice),
    Check("E406", "the queue shows something else than what is proposed", items_at_odds),
    Check("E411", "a decision is about a cell that no user has", unknown_decided_cells),
    Check("E412", "the chain of decisions breaks: a line was edited, removed or moved", broken_chain),
    Check("E413", "an event stands twice in the log of decisions", decided_twice),
    Check("E414", "a decision's id is not the digest of what it decides", edited_decisions),
    Check(
        "E415",
        "a deferral chooses a setting, or another decision none of the attribute's",
        undecided_decisions,
    ),
    Check("E421", "a user's cell is missing", missing_cells),
    Check("E422", "a cell is given twice", cells_given_twice),
    Check("E423", "a cell is of somebody who isn't built so far", cells_of_nobody),
    Check("E424", "a cell has a setting that its attribute doesn't have", unknown_settings),
    Check("E425", "a cell's basis doesn't follow from its outcome", wrong_basis),
    Check("E426", "a cell is confirmed without high confidence, or not confirmed with it", wrongly_confirmed),
    Check("E427", "a confirmed cell names a decision, or another one names none", wrongly_decided),
    Check("E428", "a cell's confidence, proposal or observations are not the proposed ones", unlike_proposal),
    Check("E429", "a cell names a decision that isn't in the log for it", missing_decisions),
    Check("E430", "a cell's decision was made on other evidence", stale_decisions),
    Check("E431", "a cell rests on a decision that a later one overtook", overtaken_decisions),
    Check("E432", "a cell's setting or outcome is not what was decided", unlike_decision),
    Check("E433", "a cell's outcome doesn't fit proposal and setting", unlike_outcome),
    Check("E434", "a cell gives no rationale", without_rationale),
)
"""Checks of users, queue, decisions and cells."""
