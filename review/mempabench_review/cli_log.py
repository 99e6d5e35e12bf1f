"""Commands about the log as a whole: cells again, disputes, agreement, freezing, copies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mempabench_review.cli_parts import (
    AS,
    AT,
    BLIND,
    FILE,
    JSON,
    as_row,
    enter_rows,
    hash_seen,
    moment_of,
    open_desk,
    project_here,
    reviewer_of,
    tell,
    verdict_of,
)

if TYPE_CHECKING:
    from mempabench.domain.review import Decision


@click.command()
@click.argument("cell")
@BLIND
@JSON
def show(cell: str, blind: bool, as_json: bool) -> None:
    """Show CELL with its evidence, open or settled."""
    from mempabench_review.showing import as_data, as_text, json_line

    lying = open_desk()
    (entry,) = lying.chosen([cell])
    if as_json:
        click.echo(json_line(as_data(entry, lying, blind=blind)))
        return
    click.echo(as_text(entry, lying, blind=blind))
    if not blind:
        for event in lying.decisions:
            if event.cell == cell:
                click.echo(_line(event))


@click.command()
@click.argument("cell")
@BLIND
def skip(cell: str, blind: bool) -> None:
    """Leave CELL as it is and show the next open one after it; nothing is entered."""
    from mempabench_review.queue import in_order
    from mempabench_review.showing import as_text

    lying = open_desk()
    order = [item.cell for item in in_order(lying.items)]
    place = order.index(lying.item(cell).cell)
    later = [entry for entry in lying.open if order.index(entry.item.cell) > place]
    earlier = [entry for entry in lying.open if entry not in later and entry.item.cell != cell]
    if not later and not earlier:
        tell("no other cell is open")
        return
    click.echo(as_text((*later, *earlier)[0], lying, blind=blind))


@click.command()
@click.argument("cell")
@AS
@AT
def undo(cell: str, who: str, at: str | None) -> None:
    """Take your latest decision on CELL back; what stood before it stands again, and the log keeps both."""
    from mempabench_review.guide import guide_version
    from mempabench_review.log import withdrawal
    from mempabench_review.store import Store

    project = project_here()
    open_desk().item(cell)
    name, kind = reviewer_of(who)
    with Store.open(project) as store:
        (event,) = store.append(
            cell,
            lambda log: [
                withdrawal(
                    cell,
                    log,
                    reviewer=name,
                    reviewer_kind=kind,
                    decided_at=moment_of(at),
                    guide_version=guide_version(project),
                )
            ],
        )
    click.echo(_line(event))


@click.command()
@JSON
def disputes(as_json: bool) -> None:
    """List the cells on which reviewers differ."""
    from mempabench_review.showing import json_line

    found = [entry for entry in open_desk().open if entry.disputed]
    for entry in found:
        views = [{"reviewer": e.reviewer, "setting": e.setting, "event": e.event_id} for e in entry.disputed]
        if as_json:
            click.echo(json_line({"cell": entry.item.cell, "decisions": views}))
        else:
            settings = ", ".join(f"{view['reviewer']}: {view['setting']}" for view in views)
            click.echo(f"{entry.item.cell}\t{settings}")
    tell(f"{len(found)} {'cell is' if len(found) == 1 else 'cells are'} disputed")


@click.command()
@click.argument("cell")
@click.option("--setting", required=True, help="The setting that holds.")
@click.option("--cause", required=True, help="Why the others differ.")
@click.option("--reason", required=True, help="What decided.")
@click.option("--context", type=click.Choice(["warranted", "not_warranted", "no_scenes"]))
@click.option("--circumstances", default="", help="When which holds, where the evidence conflicts.")
@click.option("--evidence", multiple=True, metavar="ID=STANCE", help="A verdict on one observation.")
@click.option("--unusable", is_flag=True, help="The evidence can't carry the cell: specify it by hand.")
@AS
@AT
def adjudicate(
    cell: str, who: str, at: str | None, evidence: tuple[str, ...], unusable: bool, **given: Any
) -> None:
    """Settle CELL, on which reviewers differ; somebody who isn't one of them decides."""
    lying = open_desk()
    (entry,) = lying.chosen([cell])
    value = {
        "cell": cell,
        "evidence_hash": hash_seen(cell, None),
        "setting": given["setting"],
        "reason": given["reason"],
        "cause": given["cause"],
        "context_verdict": given["context"],
        "circumstances": given["circumstances"],
        "evidence": [verdict_of(one) for one in evidence],
        "evidence_usable": not unusable,
        "adjudicates": [event.event_id for event in entry.disputed],
    }
    enter_rows((as_row(value),), who, at, "adjudicated")


@click.command()
@JSON
def agreement(as_json: bool) -> None:
    """Show how far reviewers who judged the same cells agree, mode by mode."""
    from mempabench_review.agreement import agreement as measured
    from mempabench_review.pairs import COMPARED, pairs
    from mempabench_review.showing import json_line

    lying = open_desk()
    for mode in COMPARED:
        found = measured(pairs(lying.items, lying.decisions, mode))
        if as_json:
            click.echo(json_line({"mode": mode.value, **found.plain()}))
            continue
        head, interval = found.headline, found.interval
        if head.kappa is None:
            click.echo(f"{mode.value}: {head.undefined}")
            continue
        span = interval.undefined or f"{interval.low:.2f} to {interval.high:.2f} at {interval.level:.0%}"
        click.echo(
            f"{mode.value}: kappa {head.kappa:.2f} within attributes ({span}), {head.n} pairs, "
            f"observed {head.observed:.2f}, expected {head.expected:.2f}"
        )
        for name, own in found.by_attribute.items():
            click.echo(f"  {name}: {own.undefined or f'kappa {own.kappa:.2f}, {own.n} pairs'}")


@click.command("log")
@click.option("--cell", help="Only this cell.")
@click.option("--as-of", metavar="TIME", help="Only what was entered by then, such as 2026-01-31T09:30:00Z.")
@JSON
def show_log(cell: str | None, as_of: str | None, as_json: bool) -> None:
    """List what was decided, in order."""
    from mempabench_review.showing import json_line

    until = moment_of(as_of) if as_of else None
    for event in open_desk().decisions:
        if cell in (None, event.cell) and (until is None or event.decided_at <= until):
            click.echo(json_line(event.plain()) if as_json else _line(event))


@click.command()
def freeze() -> None:
    """Say what still stands in the way of a release, or that nothing does; then a copy is kept."""
    from mempabench.errors import EngineError
    from mempabench_review.status import count
    from mempabench_review.store import Store

    project = project_here()
    with Store.open(project) as store:
        lying = open_desk()
        for entry in lying.open:
            click.echo(f"{entry.item.cell}\t{entry.why.replace('_', ' ')}")
        if lying.open:
            raise EngineError(f"{len(lying.open)} cells stand in the way of freezing; settle them first")
        path = project.root / "review" / "backups" / f"frozen-{len(lying.decisions)}.sqlite3"
        store.backup(path)
    counts = count(lying)
    tell(f"nothing stands in the way: {counts.cells} cells, {len(lying.decisions)} events; copy in {path}")


@click.command()
@click.option("--out", type=FILE, required=True, help="The file to write.")
def export(out: Path) -> None:
    """Write the log as one file, the same bytes as review/records/decisions.jsonl."""
    from mempabench.artifacts import write_records
    from mempabench_review.store import Store

    with Store.open(project_here()) as store:
        events = store.events()
    write_records(out, events)
    tell(f"{out}: {len(events)} events")


@click.command()
@click.option("--out", type=FILE, required=True, help="The file to write.")
def backup(out: Path) -> None:
    """Copy the desk's database, drafts included."""
    from mempabench_review.store import Store

    with Store.open(project_here()) as store:
        store.backup(out)
        tell(f"{out}: {len(store.events())} events")


@click.command()
@click.argument("copy", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def restore(copy: Path) -> None:
    """Take a COPY of the desk back, if it holds all that is here and perhaps more."""
    from mempabench_review.store import restored

    project = project_here()
    tell(f"{restored(project, copy)} events were taken from {copy}")


@click.command()
@click.option(
    "--as",
    "reviewers",
    multiple=True,
    metavar="NAME:human|model",
    help="A reviewer; may be given several times.",
)
@click.option(
    "--adjudicator",
    "adjudicators",
    multiple=True,
    metavar="NAME:human|model",
    help="Somebody who settles disputes.",
)
@click.option("--blind", is_flag=True, help="Reviewers choose before they see what is proposed.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on this machine; a free one.")
def serve(reviewers: tuple[str, ...], adjudicators: tuple[str, ...], blind: bool, port: int) -> None:
    """Open the desk in a browser: prints a link for each reviewer and serves until it is stopped."""
    from mempabench.domain.review import Mode
    from mempabench.errors import InputError

    if not reviewers and not adjudicators:
        raise click.UsageError("say who reviews, such as --as cedar:human")
    try:
        from mempabench_review.web.server import serve as serving
        from mempabench_review.web.sessions import Seat
    except ImportError as error:
        raise InputError(f"the desk in a browser needs {error.name}; install mempabench[review]") from error
    mode = Mode.BLIND if blind else Mode.ASSISTED
    seats = [Seat(*reviewer_of(who), mode) for who in reviewers]
    seats += [Seat(*reviewer_of(who), Mode.ASSISTED, adjudicates=True) for who in adjudicators]
    serving(project_here(), seats, port, tell)


def _line(event: Decision) -> str:
    from mempabench.domain.review import utc
    from mempabench_review.showing import plain_text

    said = f"{event.action} {event.setting}" if event.setting else event.action.value
    return plain_text(
        f"{utc(event.decided_at)} {event.event_id[:12]} {event.cell} {said} "
        f"({event.reviewer}, {event.reviewer_kind}, {event.mode}): {event.reason}"
    )


COMMANDS = (
    serve,
    show,
    skip,
    undo,
    disputes,
    adjudicate,
    agreement,
    show_log,
    freeze,
    export,
    backup,
    restore,
)
