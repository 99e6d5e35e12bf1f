"""The queue: every proposal below high confidence waits for somebody's decision (paper §B.3).

Some of high confidence are in it too, for the audit: they wait for nobody, unless an auditor has chosen otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from mempabench.catalog import PROPOSED_CELLS, REVIEW_ITEMS, USERS
from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.personas import User
from mempabench.domain.review import Reason, ReviewItem, cell_key
from mempabench.stages.stage import Stage, Work
from mempabench_review.audit import audit_sample

_REASONS = {
    Confidence.NONE: Reason.NO_EVIDENCE,
    Confidence.LOW: Reason.LOW_CONFIDENCE,
    Confidence.MEDIUM: Reason.MEDIUM_CONFIDENCE,
}


def queue_review(
    proposals: tuple[ProposedCell, ...], users: tuple[User, ...], work: Work
) -> Iterator[ReviewItem]:
    """Yield an item for each user's cell that is short of high confidence, and for those drawn for the audit."""
    cells = {key_of(user, proposal): proposal for user, proposal in cast_proposals(proposals, users)}
    audited = audit_sample(key for key, proposal in cells.items() if proposal.confidence is Confidence.HIGH)
    for key, proposal in cells.items():
        if proposal.confidence is not Confidence.HIGH:
            work.tally(in_review=1)
            yield review_item(key, proposal, _REASONS[proposal.confidence])
            continue
        work.tally(done=1)
        if key in audited:
            yield review_item(key, proposal, Reason.AUDIT)


def key_of(user: User, proposal: ProposedCell) -> str:
    """Return the key of a user's cell."""
    return cell_key(user.user, proposal.context, proposal.attribute)


def review_item(key: str, proposal: ProposedCell, reason: Reason) -> ReviewItem:
    """Return the item that puts a proposal before reviewers."""
    return ReviewItem(
        cell=key,
        user=key.split("/")[0],
        context=proposal.context,
        attribute=proposal.attribute,
        reason=reason,
        proposal=proposal.setting,
        confidence=proposal.confidence,
        rationale=proposal.rationale,
        observations=proposal.cited,
        quotes=proposal.cited_quotes,
        scenes=tuple(dict.fromkeys(quote.line.rsplit("/", 1)[0] for quote in proposal.cited_quotes)),
        evidence_hash=proposal.evidence_hash(),
    )


def cast_proposals(
    proposals: tuple[ProposedCell, ...], users: tuple[User, ...]
) -> Iterator[tuple[User, ProposedCell]]:
    """Yield the proposals of candidates who were cast, user by user."""
    for user in users:
        for proposal in proposals:
            if (proposal.source, proposal.character) == (user.source, user.character):
                yield user, proposal


QUEUE_REVIEW = Stage(
    "queue_review", version="2", reads=(PROPOSED_CELLS, USERS), writes=REVIEW_ITEMS, run=queue_review
)
