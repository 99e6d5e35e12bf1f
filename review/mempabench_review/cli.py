"""The review desk on the command line; the project's command adds it as ``mempabench review``."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mempabench.domain.review import Decision, ReviewerKind
    from mempabench.workspace import Workspace
    from mempabench_review.desk import Desk
    from mempabench_review.log import BatchRow

_BATCH = click.Path(path_type=Path, dir_okay=False)
_AS = click.option("--as", "who", required=True, metavar="NAME:human|model", help="Pseudonym and kind.")
_AT = click.option("--at", metavar="TIME", help="When it was decided, such as 2026-01-31T09:30:00Z; now.")
_SEEN = click.option("--seen", metavar="HASH", help="First digits of the evidence hash that was shown.")
_BLIND = click.option("--blind", is_flag=True, help="Leave the proposal and its readings out.")


@click.group()
def review() -> None:
    """Settle the cells that the construction left open."""


@review.command("next")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--limit", type=click.IntRange(min=1), default=1, show_default=True)
@_BLIND
def next_cells(as_json: bool, limit: int, blind: bool) -> None:
    """Show the next open cells with their evidence."""
    from mempabench_review.showing import as_data, as_text, json_line

    desk = _desk()
    for number, entry in enumerate(desk.open[:limit]):
        if as_json:
            click.echo(json_line(as_data(entry, desk, blind=blind)))
        else:
            click.echo(("\n" if number else "") + as_text(entry, desk, blind=blind))
    _tell(f"{len(desk.open)} of {len(desk.items)} cells are open")


@review.command()
@click.argument("cell", required=False)
@click.option("--batch", type=_BATCH, help="JSON lines with one decision each.")
@click.option("--setting", help="The chosen setting.")
@click.option("--reason", help="What decided.")
@click.option("--context", type=click.Choice(["warranted", "not_warranted", "no_scenes"]))
@click.option("--circumstances", default="", help="When which holds, where the evidence conflicts.")
@click.option("--evidence", multiple=True, metavar="ID=STANCE", help="A verdict on one observation.")
@click.option("--unusable", is_flag=True, help="The evidence can't carry the cell: specify it by hand.")
@click.option("--mode", type=click.Choice(["assisted", "blind"]), default="assisted", show_default=True)
@_SEEN
@_AS
@_AT
def decide(cell: str | None, batch: Path | None, who: str, at: str | None, mode: str, **given: Any) -> None:
    """Enter a decision on CELL, or a batch of them, all or none."""
    from mempabench_review.log import read_batch

    if (cell is None) == (batch is None):
        raise click.UsageError("name a CELL or give --batch FILE")
    if batch is not None:
        if any(given.values()):
            raise click.UsageError("with --batch the rows say everything; drop the other options")
        _enter(read_batch(batch), who, at, mode)
    elif cell is not None:
        _enter((_decision_row(cell, **given),), who, at, mode)


@review.command()
@click.argument("cell")
@click.option("--reason", required=True, help="What is missing for a decision.")
@_SEEN
@_AS
@_AT
def defer(cell: str, reason: str, seen: str | None, who: str, at: str | None) -> None:
    """Leave CELL open, and say why."""
    value = {
        "cell": cell,
        "action": "defer",
        "reason": reason,
        "evidence_hash": _hash_seen(cell, seen),
    }
    _enter((_row(value),), who, at, "assisted")


@review.command()
@click.option("--user", help="Only this user's cells.")
@click.option("--cells", metavar="CELL,CELL", help="Only these, settled ones too.")
@click.option("--out", type=_BATCH, required=True, help="The Markdown file to write.")
@_BLIND
def packet(user: str | None, cells: str | None, out: Path, blind: bool) -> None:
    """Write open cells as one file for a reviewer without this tool."""
    from mempabench.artifacts import write_bytes
    from mempabench.errors import InputError
    from mempabench_review import showing
    from mempabench_review.guide import guide_text

    desk = _desk()
    chosen = desk.chosen(cells.split(",")) if cells else desk.open
    chosen = tuple(entry for entry in chosen if user in (None, entry.item.user))
    if not chosen:
        raise InputError(f"no open cell{f' of {user}' if user else ''}; see mempabench review status")
    content = showing.packet(chosen, desk, guide_text(_workspace()), blind=blind)
    write_bytes(out, content.encode("utf-8"))
    _tell(f"{out}: {len(chosen)} cells; enter the answers by mempabench review decide --batch FILE")


@review.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def status(as_json: bool) -> None:
    """Count what is open and what was settled."""
    from mempabench_review.showing import json_line
    from mempabench_review.status import count

    counts = count(_desk())
    if as_json:
        click.echo(json_line(counts.plain()))
        return
    for name, value in counts.plain().items():
        if isinstance(value, dict):
            for key, number in value.items():
                click.echo(f"{name} {key}: {number}")
        else:
            click.echo(f"{name}: {value}")


@review.command()
@click.pass_context
def verify(context: click.Context) -> None:
    """Check the log of decisions: its chain, its ids, its lines."""
    from mempabench.catalog import DECISIONS, load
    from mempabench_review.log import verify as findings_of

    decisions = load(_workspace(), DECISIONS)
    findings = list(findings_of(decisions))
    for finding in findings:
        click.echo(finding)
    _tell(f"{len(decisions)} decisions, {len(findings)} findings")
    if findings:
        context.exit(1)


@review.command()
@click.option("--batch", type=_BATCH, required=True, help="JSON lines with one reviewed substitute each.")
@click.option("--source", required=True, help="The source that the names are from.")
@_AS
def substitutes(batch: Path, source: str, who: str) -> None:
    """Enter reviewed substitutes for the names of a source, all or none."""
    from mempabench_review.export import save_substitutes
    from mempabench_review.log import read_batch
    from mempabench_review.showing import plain_text

    reviewer, kind = _reviewer(who)
    entries = save_substitutes(_workspace(), read_batch(batch), source, reviewer=reviewer, reviewer_kind=kind)
    for entry in entries:
        click.echo(plain_text(f"{entry.kind}: {entry.original} -> {entry.substitute}"))
    _tell(f"entered {len(entries)} substitutes of {source}")


def _workspace() -> Workspace:
    """Return the project that the calling command was given, or the one around the current folder."""
    from mempabench.workspace import Workspace

    return click.get_current_context().find_object(Workspace) or Workspace.find(Path.cwd())


def _desk() -> Desk:
    from mempabench_review.desk import Desk

    return Desk.load(_workspace())


def _tell(message: str) -> None:
    click.echo(message, err=True)


def _decision_row(
    cell: str,
    *,
    setting: str | None,
    reason: str | None,
    context: str | None,
    circumstances: str,
    evidence: tuple[str, ...],
    unusable: bool,
    seen: str | None,
) -> BatchRow:
    if setting is None or reason is None:
        raise click.UsageError("a decision needs --setting and --reason")
    return _row(
        {
            "cell": cell,
            "setting": setting,
            "reason": reason,
            "context_verdict": context,
            "circumstances": circumstances,
            "evidence": [_verdict(given) for given in evidence],
            "evidence_usable": not unusable,
            "evidence_hash": _hash_seen(cell, seen),
        }
    )


def _row(value: dict[str, Any]) -> BatchRow:
    from mempabench_review.log import BatchRow

    return BatchRow("command line", value)


def _verdict(given: str) -> dict[str, str]:
    from mempabench.errors import InputError

    observation, equals, stance = given.rpartition("=")
    if not equals:
        raise InputError(f"--evidence '{given}': write it as OBSERVATION=STANCE, such as .../o1=supports")
    return {"observation": observation, "stance": stance}


def _hash_seen(cell: str, seen: str | None) -> str:
    """Return the hash that a decision names: the item's, when it begins with what was seen."""
    from mempabench.errors import InputError
    from mempabench_review.desk import load_queue

    now = next((item.evidence_hash for item in load_queue(_workspace()) if item.cell == cell), "0" * 64)
    if seen is not None and not re.fullmatch(r"[0-9a-f]{8,64}", seen):
        raise InputError(f"--seen '{seen}': give 8 or more digits of the evidence hash")
    if seen is None or now.startswith(seen):
        return now
    return seen.ljust(64, "0")


def _reviewer(who: str) -> tuple[str, ReviewerKind]:
    from mempabench.errors import InputError

    found = re.fullmatch(r"([a-z][a-z0-9_-]{1,39}):(human|model)", who)
    if found is None:
        raise InputError(
            f"--as '{who}': give a pseudonym and its kind, such as reader_one:human or reader_two:model"
        )
    return found[1], "human" if found[2] == "human" else "model"


def _moment(at: str | None) -> datetime:
    from datetime import UTC

    from mempabench.errors import InputError

    if at is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise InputError(f"--at '{at}': no time; write it like 2026-01-31T09:30:00Z") from error
    if moment.tzinfo is None:
        raise InputError(f"--at '{at}': has no time zone; write it like 2026-01-31T09:30:00Z")
    return moment


def _enter(rows: tuple[BatchRow, ...], who: str, at: str | None, mode: str) -> None:
    from mempabench.domain.review import Mode
    from mempabench_review.export import save_decisions

    reviewer, kind = _reviewer(who)
    entered = save_decisions(
        _workspace(),
        rows,
        reviewer=reviewer,
        reviewer_kind=kind,
        decided_at=_moment(at),
        mode=Mode(mode),
    )
    for decision in entered:
        click.echo(_told(decision))
    repeated = len(rows) - len(entered)
    _tell(
        f"entered {len(entered)} decisions" + (f"; {repeated} stood in the log already" if repeated else "")
    )


def _told(decision: Decision) -> str:
    return f"{decision.cell}\t{decision.action}\t{decision.setting or '-'}"
