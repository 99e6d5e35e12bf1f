"""``mempabench requests``: model requests out, answers in."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import click

from mempabench.commands.batches import collect, poll, submit
from mempabench.commands.pending import calls, pending_requests, refuse_private
from mempabench.commands.project import workspace
from mempabench.commands.telling import told
from mempabench.errors import EngineError, InputError


@click.group()
def requests() -> None:
    """Export the model requests that wait for an answer, and import answers; send batches to a provider.

    Exports are OpenAI batch files: send them to any service that takes those, or answer them yourself.
    """


@requests.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("exports"), show_default=True)
@click.option("--stage", help="Only this stage.")
@click.option("--seat", help="Only this seat (writer, reader_a, reader_b).")
@click.option("--unit", "units", multiple=True, help="Only units that begin so; may be given several times.")
@click.option("--limit", type=click.IntRange(1), help="At most so many requests.")
@click.option(
    "--size", type=click.IntRange(1), default=None, help="Split into files of at most so many requests."
)
@click.option(
    "--consent", is_flag=True, help="Yes, text of sources that may not be published is written out."
)
@click.option("--packet", is_flag=True, help="Readable Markdown packets instead of batch lines.")
@click.pass_context
def export(
    ctx: click.Context,
    out: Path,
    stage: str | None,
    seat: str | None,
    units: tuple[str, ...],
    limit: int | None,
    size: int | None,
    consent: bool,
    packet: bool,
) -> None:
    """Write every request that has no accepted recording."""
    from mempabench.engines.exchange import export_requests

    project = workspace(ctx)
    chosen = [
        one.request
        for one in pending_requests(project)
        if stage in (None, one.request.stage)
        and seat in (None, one.request.seat)
        and (not units or one.request.unit.startswith(units))
    ][:limit]
    if not chosen:
        click.echo("no request waits", err=True)
        return
    if not consent:
        refuse_private(project, chosen)
    for path, count in export_requests(chosen, out, packet=packet, size=size or 0):
        click.echo(f"{path}\t{count}")


@requests.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--writer", required=True, help='What wrote the answers, such as "language model".')
@click.option("--model", default="undisclosed", show_default=True, help="Name of the model.")
@click.option("--on", "day", help="Day of recording, YYYY-MM-DD; today when not given.")
@click.pass_context
def import_(ctx: click.Context, files: tuple[Path, ...], writer: str, model: str, day: str | None) -> None:
    """Check answers and keep them as recordings; refused ones are kept with the reason and asked again."""
    from mempabench.engines.exchange import import_answers

    project = workspace(ctx)
    recorded_on = _day(day)
    with project.writing("mempabench requests import"):
        refused = 0
        for path in files:
            done = import_answers(
                path,
                pending_requests(project),
                project.recordings,
                writer=writer,
                model=model,
                recorded_on=recorded_on,
            )
            refused += len(done.refused)
            click.echo(
                f"{path}\t{done.accepted} accepted\t{len(done.refused)} refused\t{done.unknown} not waiting"
            )
            for line in done.refused:
                click.echo(f"  refused: {line}", err=True)
    if refused:
        raise EngineError(
            f"{refused} answers were refused and kept; export again to ask them with the findings"
        )


@requests.command()
@click.pass_context
def ledger(ctx: click.Context) -> None:
    """Show what live calls were made: requests, tokens and cost by stage, model and attempt."""
    from collections import Counter, defaultdict

    made = calls(workspace(ctx))
    if not made:
        click.echo("no live call was made here", err=True)
        return
    rows: dict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
    for call in made:
        row = rows[call.stage, call.model, call.attempt]
        outcome = call.outcome if call.outcome == "accepted" else "refused"
        row["no reply" if call.outcome.startswith("no reply") else outcome] += 1
        row["in"] += call.tokens_in
        row["out"] += call.tokens_out
    click.echo(
        _row(
            "stage", "model", "attempt", "accepted", "refused", "no reply", "tokens in", "tokens out", "cost"
        )
    )
    for (stage, model, attempt), row in sorted(rows.items()):
        cost = sum(one.cost for one in made if (one.stage, one.model, one.attempt) == (stage, model, attempt))
        counts = [row[name] for name in ("accepted", "refused", "no reply", "in", "out")]
        click.echo(told(_row(stage, model, attempt, *counts, f"{cost:.4f}")))


def _row(stage: object, model: object, *figures: object) -> str:
    """Return a row of the ledger's table."""
    return f"{stage!s:<20} {model!s:<24}" + "".join(f"{figure!s:>11}" for figure in figures)


for command in (submit, poll, collect):
    requests.add_command(command)


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"--on: '{text}' is no day; give it as YYYY-MM-DD") from error
