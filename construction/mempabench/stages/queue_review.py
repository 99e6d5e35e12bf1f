"""The queue: every proposal below high confidence waits for somebody's decision (paper §B.3)."""

from __future__ import annotations

from collections.abc import Iterator

from mempabench.catalog import PROPOSED_CELLS, REVIEW_ITEMS, USERS
from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.personas import User
from mempabench.domain.review import Reason, ReviewItem, cell_key
from mempabench.stages.stage import Stage, Work

_REASONS = {
    Confidence.NONE: Reason.NO_EVIDENCE,
    Confidence.LOW: Reason.LOW_CONFIDENCE,
    Confidence.MEDIUM: Reason.MEDIUM_CONFIDENCE,
}


def queue_review(
    proposals: tuple[ProposedCell, ...], users: tuple[User, ...], work: Work
) -> Iterator[ReviewItem]:
    """Yield a review item for each user's cell whose evidence is short of high confidence."""
    for user, proposal in cast_proposals(proposals, users):
        if proposal.confidence is Confidence.HIGH:
            work.tally(done=1)
        else:
            work.tally(in_review=1)
            yield ReviewItem(
                cell=cell_key(user.user, proposal.context, proposal.attribute),
                user=user.user,
                context=proposal.context,
                attribute=proposal.attribute,
                reason=_REASONS[proposal.confidence],
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
    "queue_review", version="1", reads=(PROPOSED_CELLS, USERS), writes=REVIEW_ITEMS, run=queue_review
)
