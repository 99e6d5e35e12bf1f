"""``mempabench build``: the main job, stage by stage, with a summary at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tqdm import tqdm

from mempabench.commands.executors import executor
from mempabench.commands.live import ask_live
from mempabench.commands.project import workspace
from mempabench.commands.routing import ENGINES, Choice, routing_options
from mempabench.domain.record import digest
from mempabench.errors import EngineError, MemPABenchError
from mempabench.pipeline import Run, StageReport
from mempabench.stages import PIPELINE
from mempabench.stages.stage import Stage
from mempabench.workspace import Workspace

Talk = Callable[[str], object]
"""Says a line to whoever watches."""


@click.command()
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes for the work."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Do the work on a dask.distributed cluster; see recordings/README.md for when that helps.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the last line.")
@routing_options(ENGINES, default="recorded")
@click.pass_context
def build(ctx: click.Context, /, jobs: int, scheduler: str | None, quiet: bool, **live: Any) -> None:
    """Rebuild the dataset: transcripts to a release folder, offline, from recorded answers and decisions.

    What is current is skipped; what an edit touches is done again. Stop it whenever you like and run it
    again. Ends with a summary, and with "identical to release X" or the list of what differs.

    With another engine than the recorded one, a live model is asked for what has no recording; its answers are
    kept as recordings the moment they come, and every call stands in the ledger (mempabench requests ledger).
    """
    project = workspace(ctx)
    talk: Talk = str if quiet else partial(click.echo, err=True)
    with project.writing("mempabench build"):
        if live["engine"] != "recorded" and not ask_live(
            project, Choice(**live), partial(click.echo, err=True)
        ):
            return
        with executor(jobs, scheduler) as workers:
            reports = run_stages(project, workers, talk)
        raise_what_waits(reports)
        summary = finish(project, reports, talk)
    for line in summary:
        click.echo(line)


def run_stages(project: Workspace, workers: Executor, talk: Talk) -> list[StageReport]:
    """Run the pipeline, telling what each stage did."""
    bar = Bar()
    reports = []
    for report in Run(project, executor=workers, progress=bar).stages(PIPELINE):
        bar.close()
        talk(told(report))
        reports.append(report)
    return reports


class Bar:
    """A progress bar for work that is long, on a terminal only."""

    def __init__(self) -> None:
        """Start without a bar."""
        self._bar: tqdm[NoReturn] | None = None

    def __call__(self, stage: Stage, number: int, total: int) -> None:
        """Show that ``number`` of ``total`` units are done."""
        if total < 20 or not sys.stderr.isatty():
            return
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(total=total, desc=stage.name, unit="unit", leave=False, file=sys.stderr)
        self._bar.update(1)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def told(report: StageReport) -> str:
    """Return what a stage did, in a line."""
    name = f"{report.stage.name:<20}"
    if report.state == "blocked":
        return f"{name} blocked   what it reads isn't there yet"
    if report.problem is not None:
        return f"{name} waiting   {report.problem}"
    if report.pending:
        count = len(report.pending)
        return f"{name} waiting   {count} {'request has' if count == 1 else 'requests have'} no answer"
    account = report.account
    assert account is not None
    if report.state == "current":
        return f"{name} current   {account.rows} rows"
    units = f"{report.worked} of {account.units} units, " if account.units else ""
    refused = f", {account.refused} refused" if account.refused else ""
    again = f", {len(account.refusals)} answers refused on the way" if account.refusals else ""
    return f"{name} built     {units}{account.rows} rows{refused}{again}"


def raise_what_waits(reports: Sequence[StageReport]) -> None:
    """Raise the first thing that stops the build.

    Raises:
        EngineError: when requests have no current recording, with the ways on.
        ReviewPending: when decisions are missing.
    """
    for report in reports:
        if report.problem is not None:
            raise report.problem
        if report.pending:
            raise missing(report)


def missing(report: StageReport) -> MemPABenchError:
    """Return the error that says which requests have no current recording, and the ways on."""
    first = report.pending[0].request
    count = len(report.pending)
    requests = "request has" if count == 1 else "requests have"
    return EngineError(
        f"{report.stage.name}: {count} {requests} no recording for prompt version {first.prompt_version} "
        f"(first: {first.unit}, {first.seat}); run mempabench requests export, have them answered, "
        "then mempabench requests import"
    )


def finish(project: Workspace, reports: Sequence[StageReport], talk: Talk) -> list[str]:
    """Assemble the release, compare it, and return the summary."""
    from mempabench.commands.summary import compared, summarise

    built = all(report.state == "current" for report in reports)
    out, fresh = assembled(project, reports, talk)
    lines = summarise(project, out)
    lines.append(compared(project, out))
    if built and not fresh:
        lines.append("nothing to do: everything was current")
    return lines


def assembled(project: Workspace, reports: Sequence[StageReport], talk: Talk) -> tuple[Path, bool]:
    """Assemble the release folder unless it is current; return it and whether it was made anew."""
    import json

    from mempabench.artifacts import write_bytes
    from mempabench.commands.currency import folder_digest, release_inputs
    from mempabench.domain.record import canonical_json

    out = project.artifacts / "release" / "mempabench"
    state = project.artifacts / "state" / "release.json"
    key = digest([[report.key for report in reports], release_inputs(project)])
    try:
        known = json.loads(state.read_bytes())
    except (OSError, ValueError):
        known = {}
    if known.get("key") == key and out.is_dir() and known.get("folder") == folder_digest(out):
        talk(f"{'release':<20} current   {project.shown(out)}")
        return out, False
    from mempabench.release.assemble import assemble

    manifest = assemble(project, out)
    content = {"key": key, "folder": folder_digest(out)}
    write_bytes(state, (canonical_json(content) + "\n").encode())
    rows = sum(table.rows for table in manifest.tables)
    talk(f"{'release':<20} built     {len(manifest.tables)} tables, {rows} rows")
    return out, True
