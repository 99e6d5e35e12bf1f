"""Settle: proposals and decisions -> every cell with a setting, an outcome and a basis (paper §B.3)."""

from __future__ import annotations

from collections.abc import Iterator

from mempabench.catalog import CELLS, DECISIONS, PROPOSED_CELLS, REVIEW_ITEMS, USERS
from mempabench.domain.evidence import ProposedCell
from mempabench.domain.personas import User
from mempabench.domain.review import Basis, Cell, Decision, Outcome, ReviewItem, cell_key
from mempabench.domain.taxonomy import TAXONOMY, Context
from mempabench.errors import InputError, ReviewPending
from mempabench.stages.queue_review import cast_proposals
from mempabench.stages.stage import Stage, Work
from mempabench_review.log import basis_of, outcome_of
from mempabench_review.queue import open_items, standing


def settle_cells(
    proposals: tuple[ProposedCell, ...],
    users: tuple[User, ...],
    items: tuple[ReviewItem, ...],
    decisions: tuple[Decision, ...],
    work: Work,
) -> Iterator[Cell]:
    """Yield all 28 cells of every user.

    Raises:
        ReviewPending: when cells wait for a decision.
        InputError: when a decision names a cell that doesn't exist, or a user lacks a proposal.
    """
    _refuse_strangers(decisions, users)
    _refuse_gaps(proposals, users)
    _wait_for_review(items, decisions)
    decided = {item.cell: standing(item, decisions) for item in items}
    for user, proposal in cast_proposals(proposals, users):
        key = cell_key(user.user, proposal.context, proposal.attribute)
        work.tally(done=1)
        yield settled(user, proposal, decided.get(key))


def settled(user: User, proposal: ProposedCell, decision: Decision | None) -> Cell:
    """Return a cell from its proposal and, where it was below high confidence, its decision."""
    outcome = Outcome.CONFIRMED if decision is None else outcome_of(decision)
    setting = proposal.setting if decision is None else decision.setting
    if setting is None:
        raise InputError(f"{proposal.key}: no setting, neither proposed nor decided; decide it")
    kept = outcome in (Outcome.CONFIRMED, Outcome.KEPT)
    return Cell(
        user=user.user,
        context=proposal.context,
        attribute=proposal.attribute,
        setting=setting,
        outcome=outcome,
        basis=Basis.EXTRACTED if decision is None else basis_of(decision),
        confidence=proposal.confidence,
        proposal=proposal.setting,
        rationale=proposal.rationale if kept or decision is None else decision.reason,
        observations=proposal.cited,
        decision=None if decision is None else decision.event_id,
    )


def _wait_for_review(items: tuple[ReviewItem, ...], decisions: tuple[Decision, ...]) -> None:
    waiting = list(open_items(items, decisions))
    if waiting:
        first = waiting[0].item
        cells = "cell waits" if len(waiting) == 1 else "cells wait"
        raise ReviewPending(
            f"{len(waiting)} {cells} for review (first: {first.cell}); run mempabench review next"
        )


def _refuse_strangers(decisions: tuple[Decision, ...], users: tuple[User, ...]) -> None:
    known = {
        cell_key(user.user, context, spec.attribute)
        for user in users
        for context in Context
        for spec in TAXONOMY
    }
    for number, decision in enumerate(decisions, start=1):
        if decision.cell not in known:
            raise InputError(
                f"review/records/decisions.jsonl:{number}: there is no cell '{decision.cell}'; "
                f"users are {', '.join(user.user for user in users)}"
            )


def _refuse_gaps(proposals: tuple[ProposedCell, ...], users: tuple[User, ...]) -> None:
    found = {
        cell_key(user.user, proposal.context, proposal.attribute)
        for user, proposal in cast_proposals(proposals, users)
    }
    for user in users:
        for context in Context:
            for spec in TAXONOMY:
                key = cell_key(user.user, context, spec.attribute)
                if key not in found:
                    raise InputError(
                        f"propose_cells: no proposal for {key}; its request was refused at every attempt, "
                        "see mempabench status"
                    )


SETTLE_CELLS = Stage(
    "settle_cells",
    version="2",
    reads=(PROPOSED_CELLS, USERS, REVIEW_ITEMS, DECISIONS),
    writes=CELLS,
    run=settle_cells,
)
