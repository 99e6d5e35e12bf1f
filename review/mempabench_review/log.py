"""Entering decisions: rows of a batch become chained events of the log, all of them or none."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mempabench.artifacts import parse_record, read_json_lines
from mempabench.domain.record import Record, digest
from mempabench.domain.review import (
    Action,
    Basis,
    ContextVerdict,
    Decision,
    EvidenceVerdict,
    Mode,
    Outcome,
    Reason,
    ReviewerKind,
    ReviewItem,
    Stance,
    cell_key,
    utc,
)
from mempabench.domain.taxonomy import TAXONOMY_VERSION, Attribute, Context, settings_of
from mempabench.domain.transcripts import Sha256
from mempabench.errors import InputError
from mempabench_review.queue import current, disputed, standing, waiting

MIN_WORDS = 20
"""Characters that a reason or a note on circumstances needs to say anything."""

LOG = "review/records/decisions.jsonl"

_OUTCOMES = {
    Action.KEEP: (Outcome.KEPT, Basis.EXTRACTED),
    Action.CHANGE: (Outcome.CHANGED, Basis.REVIEWER),
    Action.SPECIFY: (Outcome.SPECIFIED, Basis.DESIGNED),
}


@dataclass(frozen=True)
class BatchRow:
    """A line of a batch, not yet checked."""

    where: str
    """File and line, as messages name it."""
    value: Any


class DecisionRow(Record):
    """A judgement as a reviewer writes it down."""

    cell: str
    evidence_hash: Sha256
    """Hash shown with the evidence: it binds the judgement to what was seen."""
    setting: str | None = None
    """The chosen setting; left out when deferring."""
    action: Action | None = None
    """Only ``defer`` needs to be given; another one must be what follows from the setting."""
    reason: str
    context_verdict: ContextVerdict | None = None
    evidence: tuple[EvidenceVerdict, ...] = ()
    circumstances: str = ""
    evidence_usable: bool = True
    mode: Mode | None = None
    adjudicates: tuple[str, ...] = ()
    """The events that differ, where this row adjudicates."""
    cause: str = ""
    """Why they differ, where this row adjudicates."""


@dataclass(frozen=True)
class Entering:
    """What is the same for all rows of a batch."""

    items: Mapping[str, ReviewItem]
    decisions: Sequence[Decision]
    reviewer: str
    reviewer_kind: ReviewerKind
    decided_at: datetime
    mode: Mode
    guide_version: str
    also_shown: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_batch(path: Path) -> tuple[BatchRow, ...]:
    """Read a JSON Lines file that a reviewer filled in.

    Raises:
        InputError: when it isn't there, holds nothing, or a line is no JSON.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; give a batch of JSON lines")
    rows = tuple(BatchRow(f"{path}:{number}", value) for number, value in read_json_lines(path))
    if not rows:
        raise InputError(f"{path}: holds no row; give one JSON line for each decision")
    return rows


def enter(
    batch: Iterable[BatchRow],
    items: Iterable[ReviewItem],
    decisions: Sequence[Decision],
    *,
    reviewer: str,
    reviewer_kind: ReviewerKind,
    decided_at: datetime,
    mode: Mode = Mode.ASSISTED,
    guide_version: str,
    also_shown: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Decision, ...]:
    """Return the new events of a batch, chained to the end of the log.

    A row that is in the log already, with the same time, adds nothing.

    Args:
        batch: Rows as the reviewer wrote them.
        items: The whole queue, settled cells too.
        decisions: The log so far.
        reviewer: Pseudonym.
        reviewer_kind: ``human`` or ``model``.
        decided_at: When it was decided, with a zone.
        mode: Whether the reviewer chose before seeing the proposal, where a row doesn't say.
        guide_version: The guideline that was followed.
        also_shown: By cell, observations that were shown without being cited; they may be judged too.

    Raises:
        InputError: naming file and line of the first row that can't be entered; then none is.
    """
    if decided_at.tzinfo is None:
        raise InputError(f"'{decided_at.isoformat()}' has no time zone; write it like 2026-01-31T09:30:00Z")
    entering = Entering(
        items={item.cell: item for item in items},
        decisions=decisions,
        reviewer=reviewer,
        reviewer_kind=reviewer_kind,
        decided_at=decided_at.astimezone(UTC).replace(microsecond=0),
        mode=mode,
        guide_version=guide_version,
        also_shown=also_shown or {},
    )
    drafts = _checked(batch, entering)
    known = {decision.event_id for decision in decisions}
    return tuple(_chained((draft for draft in drafts if draft.event_id not in known), decisions))


def _checked(batch: Iterable[BatchRow], entering: Entering) -> list[Decision]:
    drafts: list[Decision] = []
    problems: list[str] = []
    first_at: dict[str, str] = {}
    for row in batch:
        try:
            draft = _draft(row, entering)
            if draft.cell in first_at:
                raise InputError(
                    f"{row.where}: {draft.cell} stands at {first_at[draft.cell]} already; keep one row a cell"
                )
            first_at[draft.cell] = row.where
            drafts.append(draft)
        except InputError as problem:
            problems.append(str(problem))
    if problems:
        others = len(problems) - 1
        more = f"{others} more {'row' if others == 1 else 'rows'} refused; " if others else ""
        raise InputError(f"{problems[0]} ({more}nothing was entered)")
    return drafts


def _draft(raw: BatchRow, entering: Entering) -> Decision:
    """Return a checked row as an event that isn't chained yet."""
    row = parse_record(raw.value, DecisionRow, raw.where)
    item = _item(row, raw.where, entering.items)
    action = derived_action(row, item)
    event = _event_id(row, entering)
    entered_before = any(decision.event_id == event for decision in entering.decisions)
    if not entered_before:
        shown = (*item.observations, *entering.also_shown.get(item.cell, ()))
        for problem in (
            *_problems(row, item, action, shown, entering.decisions),
            *_mode_problems(row, item, entering),
        ):
            raise InputError(f"{raw.where}: {item.cell}: {problem}")
    return Decision(
        event_id=event,
        previous=None,
        cell=item.cell,
        action=action,
        setting=row.setting,
        reason=row.reason.strip(),
        context_verdict=row.context_verdict or ContextVerdict.UNDECIDED,
        evidence=row.evidence,
        circumstances=row.circumstances.strip(),
        evidence_usable=row.evidence_usable,
        mode=row.mode or entering.mode,
        reviewer=entering.reviewer,
        reviewer_kind=entering.reviewer_kind,
        decided_at=entering.decided_at,
        evidence_hash=row.evidence_hash,
        taxonomy_version=TAXONOMY_VERSION,
        guide_version=entering.guide_version,
        adjudicates=tuple(sorted(row.adjudicates)),
        cause=row.cause.strip(),
    )


def withdrawal(
    cell: str,
    decisions: Sequence[Decision],
    *,
    reviewer: str,
    reviewer_kind: ReviewerKind,
    decided_at: datetime,
    guide_version: str,
    reason: str = "Taken back by the reviewer who made it.",
) -> Decision:
    """Return the event that takes a reviewer's latest decision on a cell back, chained to the end of the log.

    Args:
        cell: Key of the cell.
        decisions: The log so far, or the cell's part of it with the log's last event at its end.
        reviewer: Pseudonym; only one's own decisions can be taken back.
        reviewer_kind: ``human`` or ``model``.
        decided_at: When it is taken back, with a zone.
        guide_version: The guideline that was followed.
        reason: Why.

    Raises:
        InputError: when there is nothing to take back.
    """
    taken = {event.withdraws for event in decisions}
    own = [
        event
        for event in decisions
        if (event.cell, event.reviewer) == (cell, reviewer)
        and event.action is not Action.WITHDRAW
        and event.event_id not in taken
    ]
    if not own:
        raise InputError(f"{cell}: {reviewer} has no decision on it that could be taken back")
    last = own[-1]
    moment = decided_at.astimezone(UTC).replace(microsecond=0)
    draft = Decision(
        event_id=event_id(cell, reviewer, moment, None, reason, last.evidence_hash, last.event_id),
        previous=None,
        cell=cell,
        action=Action.WITHDRAW,
        setting=None,
        reason=reason,
        context_verdict=ContextVerdict.UNDECIDED,
        mode=last.mode,
        reviewer=reviewer,
        reviewer_kind=reviewer_kind,
        decided_at=moment,
        evidence_hash=last.evidence_hash,
        taxonomy_version=TAXONOMY_VERSION,
        guide_version=guide_version,
        withdraws=last.event_id,
    )
    return next(_chained([draft], decisions))


def _event_id(row: DecisionRow, entering: Entering) -> str:
    return event_id(
        row.cell,
        entering.reviewer,
        entering.decided_at,
        row.setting,
        row.reason.strip(),
        row.evidence_hash,
        _beside(row.mode or entering.mode, row.adjudicates),
    )


def event_id(
    cell: str,
    reviewer: str,
    decided_at: datetime,
    setting: str | None,
    reason: str,
    evidence_hash: str,
    beside: str = "",
) -> str:
    """Return the id of an event: the same judgement at the same time is the same event.

    Args:
        cell: Key of the cell.
        reviewer: Pseudonym.
        decided_at: When.
        setting: The chosen setting, if any.
        reason: What decided.
        evidence_hash: What was seen.
        beside: What else tells events of one moment apart: the event that is taken back, or the later mode.
    """
    told = [cell, reviewer, utc(decided_at), setting, reason, evidence_hash]
    return digest([*told, beside] if beside else told)[:32]


def _beside(mode: Mode, adjudicates: Sequence[str]) -> str:
    """Return what tells a second look at a cell from the first one of the same moment."""
    if mode is Mode.ADJUDICATED:
        return "adjudicated " + " ".join(sorted(adjudicates))
    return mode.value if mode is Mode.REVISED else ""


def _item(row: DecisionRow, where: str, items: Mapping[str, ReviewItem]) -> ReviewItem:
    if row.cell in items:
        return items[row.cell]
    possible = {
        cell_key(user, context, attribute)
        for user in {item.user for item in items.values()}
        for context in Context
        for attribute in Attribute
    }
    if row.cell in possible:
        raise InputError(
            f"{where}: {row.cell} is not in the queue; its evidence confirms it with high confidence, "
            "so remove the row"
        )
    near = difflib.get_close_matches(row.cell, sorted(possible), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {len(items)} cells in the queue"
    raise InputError(f"{where}: there is no cell '{row.cell}'; {hint}")


def derived_action(row: DecisionRow, item: ReviewItem) -> Action:
    """Return what a row does: defer when it says so, else what follows from its setting and the proposal."""
    if row.action is Action.DEFER:
        return Action.DEFER
    if item.proposal is None or not row.evidence_usable:
        return Action.SPECIFY
    return Action.KEEP if row.setting == item.proposal else Action.CHANGE


def _problems(
    row: DecisionRow, item: ReviewItem, action: Action, shown: Sequence[str], decisions: Sequence[Decision]
) -> Iterator[str]:
    """Yield why a row can't be entered."""
    if row.evidence_hash != item.evidence_hash:
        yield (
            f"the evidence changed (seen {row.evidence_hash[:12]}…, now {item.evidence_hash[:12]}…); "
            "look at the cell again and decide on what it shows now"
        )
    if len(row.reason.strip()) < MIN_WORDS:
        yield f"the reason '{row.reason.strip()}' is too short; say in {MIN_WORDS} characters or more what decided"
    yield from _verdict_problems(row, shown)
    if action is Action.DEFER:
        yield from _defer_problems(row, item, decisions)
    else:
        yield from _setting_problems(row, item, action)
        yield from _context_problems(row, item)
        yield from _evidence_problems(row, item)


def _mode_problems(row: DecisionRow, item: ReviewItem, entering: Entering) -> Iterator[str]:
    """Yield why a row can't be entered in its mode: a revision without a blind choice, a dispute that has moved."""
    mode = row.mode or entering.mode
    if row.action is Action.WITHDRAW:
        yield "a decision is taken back by 'undo', not by a row"
    own = current(item, entering.decisions)
    if item.reason is Reason.AUDIT and mode is Mode.ASSISTED and not waiting(item, entering.decisions):
        yield "it is drawn for the audit, which is judged blind; open the desk with --blind, or give the mode blind"
    if mode is Mode.REVISED and (
        entering.reviewer not in own or own[entering.reviewer].mode not in (Mode.BLIND, Mode.REVISED)
    ):
        yield "it is revised, but nothing was chosen blind before; choose blind first"
    if mode is not Mode.ADJUDICATED:
        if row.adjudicates:
            yield "it names decisions to adjudicate, but its mode is another one"
        return
    seen, now = set(row.adjudicates), {event.event_id for event in disputed(item, entering.decisions)}
    if not now:
        yield "there is no dispute about it; decide it as any other cell"
    elif seen != now:
        yield "other decisions came in meanwhile; look at the dispute again"
    elif entering.reviewer in own:
        yield f"{entering.reviewer} is one of those who differ; somebody else has to adjudicate"
    elif len(row.cause.strip()) < MIN_WORDS:
        yield f"the cause of the difference is missing; say in {MIN_WORDS} characters or more why they differ"


def _verdict_problems(row: DecisionRow, shown: Sequence[str]) -> Iterator[str]:
    judged = [verdict.observation for verdict in row.evidence]
    for name in judged:
        if name not in shown:
            yield f"'{name}' is no observation of this cell; it has {', '.join(shown) or 'none'}"
        if judged.count(name) > 1:
            yield f"'{name}' is judged twice; keep one verdict"


def _defer_problems(row: DecisionRow, item: ReviewItem, decisions: Sequence[Decision]) -> Iterator[str]:
    if row.setting is not None:
        yield f"a deferral names no setting, this one names '{row.setting}'; drop one of the two"
    settled = standing(item, decisions)
    if settled is not None:
        yield (
            f"it stands at {settled.setting} (decided by {settled.reviewer}), so there is nothing to defer; "
            "decide it anew instead"
        )


def _setting_problems(row: DecisionRow, item: ReviewItem, action: Action) -> Iterator[str]:
    known = ", ".join(settings_of(item.attribute))
    if row.setting is None:
        yield f"no setting is chosen; {item.attribute} has {known}, or give the action 'defer'"
    elif row.setting not in settings_of(item.attribute):
        yield f"'{row.setting}' is no setting of {item.attribute}; it has {known}"
    if row.action not in (None, action):
        yield (
            f"the action is {action}, not {row.action} (proposed: {item.proposal or 'nothing'}, "
            f"chosen: {row.setting}); leave the action out, it is derived"
        )


def _context_problems(row: DecisionRow, item: ReviewItem) -> Iterator[str]:
    verdict = row.context_verdict
    if verdict is None or verdict is ContextVerdict.UNDECIDED:
        yield "the context is not judged; give context_verdict warranted, not_warranted or no_scenes"
    elif (verdict is ContextVerdict.NO_SCENES) != (not item.scenes):
        scenes = f"{len(item.scenes)} scenes" if item.scenes else "no scene"
        yield f"context_verdict is {verdict}, but the cell cites {scenes}; judge what it cites"
    elif verdict is ContextVerdict.NOT_WARRANTED and item.proposal is not None and row.evidence_usable:
        yield (
            "scenes that don't warrant the context can't carry the cell; specify it by hand "
            "(evidence_usable false)"
        )


def _evidence_problems(row: DecisionRow, item: ReviewItem) -> Iterator[str]:
    stances = {verdict.observation: verdict.stance for verdict in row.evidence}
    missing = [name for name in item.observations if name not in stances]
    if missing:
        yield f"no verdict on {', '.join(missing)}; give each cited observation a stance"
    given = set(stances.values())
    if {Stance.SUPPORTS, Stance.CONTRADICTS} <= given and len(row.circumstances.strip()) < MIN_WORDS:
        yield (
            "the evidence conflicts (supports and contradicts) without circumstances; "
            f"say in {MIN_WORDS} characters or more when which holds"
        )
    if item.proposal and item.observations and row.evidence_usable and Stance.SUPPORTS not in given:
        yield (
            f"nothing supports {row.setting}; choose what the evidence supports, "
            "or specify it by hand (evidence_usable false)"
        )


def without_users(decisions: Iterable[Decision], users: Container[str]) -> tuple[Decision, ...]:
    """Return a log without the events on some users' cells, the others chained anew."""
    kept = (decision for decision in decisions if decision.user not in users)
    return tuple(_chained(kept, ()))


def _chained(drafts: Iterable[Decision], decisions: Sequence[Decision]) -> Iterator[Decision]:
    previous = decisions[-1].chained() if decisions else None
    for draft in drafts:
        event = draft.changed(previous=previous)
        previous = event.chained()
        yield event


def outcome_of(decision: Decision) -> Outcome:
    """Return how a decision leaves its cell: kept, changed or specified.

    Raises:
        ValueError: for a deferral, which leaves it open.
    """
    return _resulting(decision)[0]


def basis_of(decision: Decision) -> Basis:
    """Return what the cell's setting then rests on: extracted, reviewer or designed.

    Raises:
        ValueError: for a deferral, which gives no setting.
    """
    return _resulting(decision)[1]


def _resulting(decision: Decision) -> tuple[Outcome, Basis]:
    if decision.action not in _OUTCOMES:
        raise ValueError(f"{decision.cell} was left open ({decision.action}): there is no outcome")
    return _OUTCOMES[decision.action]


def verify(decisions: Iterable[Decision], shown: str = LOG) -> Iterator[str]:
    """Yield where a log was edited, cut or doubled; nothing when it is whole.

    Args:
        decisions: The log, in its order.
        shown: How the file is named in findings.
    """
    first_at: dict[str, int] = {}
    expected = None
    for number, event in enumerate(decisions, start=1):
        where = f"{shown}:{number}"
        if event.previous != expected:
            before = f"line {number - 1} was edited, or a line before this one" if number > 1 else "a line"
            yield f"{where}: the chain breaks here: {before} was removed or moved; restore the file from git"
        if first_at.setdefault(event.event_id, number) != number:
            yield f"{where}: event {event.event_id} stands in line {first_at[event.event_id]} already; keep one"
        for problem in _edits(event):
            yield f"{where}: {event.cell}: {problem}; restore the line from git"
        expected = event.chained()


def _edits(event: Decision) -> Iterator[str]:
    """Yield what in an event can't have been entered like that."""
    made = event_id(
        event.cell,
        event.reviewer,
        event.decided_at,
        event.setting,
        event.reason,
        event.evidence_hash,
        event.withdraws or _beside(event.mode, event.adjudicates),
    )
    if event.event_id != made:
        yield f"the line was edited (its id {event.event_id[:12]}… is not that of its content)"
    if (event.action in (Action.DEFER, Action.WITHDRAW)) != (event.setting is None):
        yield f"action {event.action} with setting {event.setting}"
    attribute = event.cell.rsplit("/", 1)[-1]
    if attribute not in tuple(Attribute):
        yield f"'{attribute}' is no attribute"
    elif event.setting is not None and event.setting not in settings_of(attribute):
        known = ", ".join(settings_of(attribute))
        yield f"'{event.setting}' is no setting of {attribute}; it has {known}"
