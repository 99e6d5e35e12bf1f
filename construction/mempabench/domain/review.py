"""Review: what waits, what was decided, and the cell that results."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints, model_validator

from mempabench.domain.evidence import Confidence, Quote
from mempabench.domain.personas import UserId
from mempabench.domain.record import Record, digest
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.domain.transcripts import Sha256

Pseudonym = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{1,39}$")]
ReviewerKind = Literal["human", "model"]


class Reason(StrEnum):
    """Why a cell is in the queue."""

    NO_EVIDENCE = "no_evidence"
    """Nothing was proposed: the setting has to be specified by hand."""
    LOW_CONFIDENCE = "low_confidence"
    MEDIUM_CONFIDENCE = "medium_confidence"
    AUDIT = "audit"
    """High confidence, drawn to be judged blind: no audit settles the cell, one that differs reopens it."""


class ReviewItem(Record):
    """A cell that waits for somebody's decision, or was settled by one."""

    cell: str
    """Key such as ``user_a/work/verbosity``."""
    user: UserId
    context: Context
    attribute: Attribute
    reason: Reason
    proposal: str | None
    confidence: Confidence
    rationale: str
    observations: tuple[str, ...] = ()
    """Ids of the cited observations."""
    quotes: tuple[Quote, ...]
    scenes: tuple[str, ...]
    """Ids of the cited scenes."""
    evidence_hash: Sha256
    """Hash that a decision must name."""


class Action(StrEnum):
    """What a decision does; all but ``defer`` and ``withdraw`` are derived from setting and proposal."""

    KEEP = "keep"
    CHANGE = "change"
    SPECIFY = "specify"
    DEFER = "defer"
    WITHDRAW = "withdraw"
    """Takes an earlier decision of the same reviewer back; what stood before it stands again."""


class Mode(StrEnum):
    """What the reviewer had seen when they chose; figures never mix the modes."""

    BLIND = "blind"
    """Chosen before the proposal was shown."""
    REVISED = "revised"
    """Kept or changed after the proposal was shown to somebody who had chosen blind."""
    ASSISTED = "assisted"
    """Chosen with the proposal in view."""
    ADJUDICATED = "adjudicated"
    """Chosen with the differing decisions of others in view."""


class ContextVerdict(StrEnum):
    """Whether the cited scenes warrant the cell's context."""

    WARRANTED = "warranted"
    NOT_WARRANTED = "not_warranted"
    NO_SCENES = "no_scenes"
    """The cell cites none."""
    UNDECIDED = "undecided"
    """The cell was deferred before this was judged."""


class Stance(StrEnum):
    """What one cited observation does for the setting that was chosen."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    IRRELEVANT = "irrelevant"
    OWN_STYLE = "own_style"
    """It shows how the person talks, not how they take help."""


class EvidenceVerdict(Record):
    """A reviewer's verdict on one observation."""

    observation: str
    stance: Stance


class Decision(Record):
    """One event of the review log: what somebody decided, and what they saw."""

    event_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    """Digest-made id; the same event imported twice is one event."""
    previous: Sha256 | None
    """Hash of the event before it in the log; null for the first."""
    cell: str
    """Key such as ``user_a/work/verbosity``."""
    action: Action
    setting: str | None
    """The chosen setting; null only when deferred."""
    reason: str
    context_verdict: ContextVerdict
    evidence: tuple[EvidenceVerdict, ...] = ()
    circumstances: str = ""
    """Note that resolves conflicting evidence; required where there is some."""
    evidence_usable: bool = True
    """False where the reviewer finds that the cited evidence can't carry the cell: it is then specified by hand."""
    mode: Mode
    reviewer: Pseudonym
    reviewer_kind: ReviewerKind
    decided_at: AwareDatetime
    """When, in UTC: entered, never computed by a build."""
    evidence_hash: Sha256
    """Hash of (setting, confidence, cited lines and quotes) that the reviewer saw."""
    taxonomy_version: str
    guide_version: str
    withdraws: str = ""
    """Event that is taken back; empty but for ``withdraw``."""
    adjudicates: tuple[str, ...] = ()
    """Events whose difference this one settles; it stands as long as these are all there are."""
    cause: str = ""
    """Why the others differed, where this one adjudicates."""

    @property
    def user(self) -> str:
        """User part of the cell's key."""
        return self.cell.split("/")[0]

    def chained(self) -> str:
        """Return the hash under which the next event names this one."""
        return digest(self)


class Outcome(StrEnum):
    """How a cell came to its setting (paper §B.3)."""

    CONFIRMED = "confirmed"
    """High confidence: no review was needed."""
    KEPT = "kept"
    CHANGED = "changed"
    SPECIFIED = "specified"


class Basis(StrEnum):
    """What a setting rests on (``validity.md``: extracted, reviewer, designed)."""

    EXTRACTED = "extracted"
    """The transcripts' own evidence: confirmed or kept."""
    REVIEWER = "reviewer"
    """A reviewer read the evidence otherwise."""
    DESIGNED = "designed"
    """No usable evidence: specified by hand."""


class Cell(Record):
    """One settled cell of the preference matrix."""

    user: UserId
    context: Context
    attribute: Attribute
    setting: str
    outcome: Outcome
    basis: Basis
    confidence: Confidence
    proposal: str | None
    rationale: str
    """The proposal's rationale, or the reviewer's reason where they chose."""
    observations: tuple[str, ...]
    decision: str | None
    """``event_id`` of the decision; null when confirmed by code."""

    @property
    def key(self) -> str:
        """Key such as ``user_a/work/verbosity``."""
        return cell_key(self.user, self.context, self.attribute)

    @model_validator(mode="after")
    def _setting_is_known(self) -> Cell:
        if self.setting not in settings_of(self.attribute):
            known = ", ".join(settings_of(self.attribute))
            raise ValueError(f"'{self.setting}' is no setting of {self.attribute}; it has {known}")
        return self


def cell_key(user: str, context: str, attribute: str) -> str:
    """Return the key of a cell.

    >>> cell_key("user_a", "work", "verbosity")
    'user_a/work/verbosity'
    """
    return f"{user}/{context}/{attribute}"


def utc(moment: datetime) -> str:
    """Return a moment as an ISO string of whole seconds ending in ``Z``."""
    from datetime import UTC

    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
