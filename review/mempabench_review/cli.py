"""The review desk on the command line; the project's command adds it as ``mempabench review``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mempabench_review.cli_log import COMMANDS
from mempabench_review.cli_parts import (
    AS,
    AT,
    BLIND,
    FILE,
    SEEN,
    as_row,
    enter_rows,
    hash_seen,
    open_desk,
    project_here,
    reviewer_of,
    tell,
    verdict_of,
)

if TYPE_CHECKING:
    from mempabench_review.log import BatchRow


@click.group()
def review() -> None:
    """Settle the cells that the construction left open."""


@review.command("next")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--limit", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--audit", is_flag=True, help="Cells of high confidence that are drawn to be judged blind.")
@BLIND
def next_cells(as_json: bool, limit: int, audit: bool, blind: bool) -> None:
    """Show the next open cells with their evidence."""
    from mempabench_review.showing import as_data, as_text, json_line
    from mempabench_review.status import count

    desk = open_desk()
    chosen = desk.audit if audit else desk.open
    for number, entry in enumerate(chosen[:limit]):
        if as_json:
            click.echo(json_line(as_data(entry, desk, blind=blind or audit)))
        else:
            click.echo(("\n" if number else "") + as_text(entry, desk, blind=blind or audit))
    if audit:
        tell(f"{len(chosen)} cells wait for the audit; decide them with --mode blind")
    else:
        counts = count(desk)
        tell(f"{counts.open} of {counts.cells} cells are open")


@review.command()
@click.argument("cell", required=False)
@click.option("--batch", type=FILE, help="JSON lines with one decision each.")
@click.option("--setting", help="The chosen setting.")
@click.option("--reason", help="What decided.")
@click.option("--context", type=click.Choice(["warranted", "not_warranted", "no_scenes"]))
@click.option("--circumstances", default="", help="When which holds, where the evidence conflicts.")
@click.option("--evidence", multiple=True, metavar="ID=STANCE", help="A verdict on one observation.")
@click.option("--unusable", is_flag=True, help="The evidence can't carry the cell: specify it by hand.")
@click.option("--mode", type=click.Choice(["assisted", "blind"]), default="assisted", show_default=True)
@SEEN
@AS
@AT
def decide(cell: str | None, batch: Path | None, who: str, at: str | None, mode: str, **given: Any) -> None:
    """Enter a decision on CELL, or a batch of them, all or none."""
    from mempabench_review.log import read_batch

    if (cell is None) == (batch is None):
        raise click.UsageError("name a CELL or give --batch FILE")
    if batch is not None:
        if any(given.values()):
            raise click.UsageError("with --batch the rows say everything; drop the other options")
        enter_rows(read_batch(batch), who, at, mode)
    elif cell is not None:
        enter_rows((_decision_row(cell, **given),), who, at, mode)


@review.command()
@click.argument("cell")
@click.option("--reason", required=True, help="What is missing for a decision.")
@SEEN
@AS
@AT
def defer(cell: str, reason: str, seen: str | None, who: str, at: str | None) -> None:
    """Leave CELL open, and say why."""
    value = {
        "cell": cell,
        "action": "defer",
        "reason": reason,
        "evidence_hash": hash_seen(cell, seen),
    }
    enter_rows((as_row(value),), who, at, "assisted")


@review.command()
@click.option("--user", help="Only this user's cells.")
@click.option("--cells", metavar="CELL,CELL", help="Only these, settled ones too.")
@click.option("--out", type=FILE, required=True, help="The Markdown file to write.")
@click.option("--audit", is_flag=True, help="The cells of the audit, blind.")
@BLIND
def packet(user: str | None, cells: str | None, out: Path, audit: bool, blind: bool) -> None:
    """Write open cells as one file for a reviewer without this tool."""
    from mempabench.artifacts import write_bytes
    from mempabench.errors import InputError
    from mempabench_review import showing
    from mempabench_review.guide import guide_text

    desk = open_desk()
    chosen = desk.chosen(cells.split(",")) if cells else desk.audit if audit else desk.open
    chosen = tuple(entry for entry in chosen if user in (None, entry.item.user))
    if not chosen:
        raise InputError(f"no open cell{f' of {user}' if user else ''}; see mempabench review status")
    content = showing.packet(chosen, desk, guide_text(project_here()), blind=blind or audit)
    write_bytes(out, content.encode("utf-8"))
    tell(f"{out}: {len(chosen)} cells; enter the answers by mempabench review decide --batch FILE")


@review.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def status(as_json: bool) -> None:
    """Count what is open and what was settled."""
    from mempabench_review.showing import json_line
    from mempabench_review.status import count

    counts = count(open_desk())
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

    decisions = load(project_here(), DECISIONS)
    findings = list(findings_of(decisions))
    for finding in findings:
        click.echo(finding)
    tell(f"{len(decisions)} decisions, {len(findings)} findings")
    if findings:
        context.exit(1)


@review.command()
@click.option("--batch", type=FILE, required=True, help="JSON lines with one reviewed substitute each.")
@click.option("--source", required=True, help="The source that the names are from.")
@AS
def substitutes(batch: Path, source: str, who: str) -> None:
    """Enter reviewed substitutes for the names of a source, all or none."""
    from mempabench_review.export import save_substitutes
    from mempabench_review.log import read_batch
    from mempabench_review.showing import plain_text

    reviewer, kind = reviewer_of(who)
    entries = save_substitutes(
        project_here(), read_batch(batch), source, reviewer=reviewer, reviewer_kind=kind
    )
    for entry in entries:
        click.echo(plain_text(f"{entry.kind}: {entry.original} -> {entry.substitute}"))
    tell(f"entered {len(entries)} substitutes of {source}")


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
    return as_row(
        {
            "cell": cell,
            "setting": setting,
            "reason": reason,
            "context_verdict": context,
            "circumstances": circumstances,
            "evidence": [verdict_of(given) for given in evidence],
            "evidence_usable": not unusable,
            "evidence_hash": hash_seen(cell, seen),
        }
    )


for command in COMMANDS:
    review.add_command(command)
