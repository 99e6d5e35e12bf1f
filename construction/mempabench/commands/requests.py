"""``mempabench requests``: model requests out, answers in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mempabench.commands.batches import collect, poll, submit
from mempabench.commands.pending import calls, listened, pending_requests, refuse_private
from mempabench.commands.project import workspace
from mempabench.commands.telling import told
from mempabench.domain.manifests import Recording, Request
from mempabench.errors import EngineError, InputError
from mempabench.workspace import Workspace

if TYPE_CHECKING:
    from mempabench.engines.explaining import Listener


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


@requests.command()
@click.argument("key")
@click.pass_context
def explain(ctx: click.Context, key: str) -> None:
    """Show why requests have an answer or none: hit, miss or stale, and which ingredient changed.

    KEY is a unit, the beginning of one, or the beginning of a request's digest (six characters or more).
    """
    project = workspace(ctx)
    listener = listened(project)
    asked = frozenset(request.digest() for request, _ in listener.heard)
    chosen = [
        (request, found)
        for request, found in listener.heard
        if request.unit == key
        or request.unit.startswith(f"{key}/")
        or (len(key) >= 6 and request.digest().startswith(key))
    ]
    if not chosen:
        raise InputError(
            f"{key}: no request of that unit or digest is asked now; mempabench status shows the stages, "
            "mempabench requests export the units"
        )
    accepted = {_question(request) for request, found in chosen if found is not None and not found.refused}
    for request, found in chosen:
        if found is None and _question(request) in accepted:
            continue
        for line in _explained(request, found, listener, asked):
            click.echo(told(line))


def _question(request: Request) -> tuple[str, str, str]:
    """Return what a request asks, whichever attempt it is."""
    return (request.stage, request.unit, request.seat)


def _explained(
    request: Request, found: Recording | None, listener: Listener, asked: frozenset[str]
) -> Iterator[str]:
    """Yield what is to say of a request, in two lines or more."""
    from mempabench.engines.explaining import changes, stale_answers

    yield f"{request.unit}  {request.stage}, {request.seat}, attempt {request.attempt}, {request.digest()[:12]}"
    if found is not None:
        outcome = f"refused: {'; '.join(found.refused)}" if found.refused else "accepted"
        yield f"  hit    {found.recorded_on}, {found.writer} ({found.model}), {outcome}"
        return
    stale = list(stale_answers(request, listener.recordings(request.stage), asked))
    if not stale:
        yield "  miss   no answer to it was ever recorded"
    for recording in stale:
        what = "; ".join(changes(request, recording))
        yield f"  stale  the answer of {recording.recorded_on} ({recording.digest[:12]}) is to another request: {what}"


@requests.command()
@click.argument("units", nargs=-1, required=True)
@click.option(
    "--attempts", type=click.IntRange(1, 9), default=1, show_default=True, help="How many attempts more."
)
@click.pass_context
def again(ctx: click.Context, units: tuple[str, ...], attempts: int) -> None:
    """Order that refused units are asked again: they wait for answers then, like new ones.

    The order is kept beside the recordings, so that every build replays it.
    """
    from mempabench.artifacts import append_line
    from mempabench.domain.manifests import Again
    from mempabench.domain.record import canonical_json
    from mempabench.engines.recorded import again_path

    project = workspace(ctx)
    with project.writing("mempabench requests again"):
        refused = _refused_units(project)
        for unit in units:
            if unit not in refused:
                known = f"; refused are {', '.join(sorted(refused))}" if refused else "; no unit is"
                raise InputError(f"{unit}: not a refused unit{known}")
        for unit in units:
            stage, group = refused[unit]
            append_line(
                again_path(project.recordings, stage, group),
                canonical_json(Again(unit=unit, attempts=attempts)),
            )
            more = "attempt" if attempts == 1 else "attempts"
            click.echo(f"{unit}\t{stage}\t{attempts} {more} more")


def _refused_units(project: Workspace) -> dict[str, tuple[str, str]]:
    """Return stage and group of every unit of which the last attempt was refused."""
    last: dict[tuple[str, str, str], tuple[Request, Recording | None]] = {}
    listener = listened(project)
    for request, found in listener.heard:
        last[_question(request)] = (request, found)
    attempts = project.config.engine.attempts
    return {
        unit: (stage, request.group)
        for (stage, unit, _), (request, found) in last.items()
        if found is not None
        and found.refused
        and request.attempt == attempts + listener.recordings(stage).again.get(unit, 0)
    }


for command in (submit, poll, collect):
    requests.add_command(command)


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"--on: '{text}' is no day; give it as YYYY-MM-DD") from error
