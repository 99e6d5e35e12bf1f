"""``mempabench check``: everything that was built, held against the rules."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from mempabench.commands.project import workspace
from mempabench.commands.telling import told

if TYPE_CHECKING:
    from mempabench.artifacts import Artifact
    from mempabench.stages.stage import Stage
    from mempabench.validators.check import Finding
    from mempabench.validators.data import BuiltStage, Data, RecordedFile
    from mempabench.validators.hints import Hint
    from mempabench.workspace import Workspace


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding or hint.")
@click.option("--hints/--no-hints", default=True, show_default=True, help="Figures for readers, too.")
@click.option("--codes", is_flag=True, help="Only list the rules: code and words.")
@click.pass_context
def check(ctx: click.Context, as_json: bool, hints: bool, codes: bool) -> None:
    """Check everything that was built against the rules: one finding a line, then figures for readers.

    Exits with 1 when there is a finding, or when something could not be checked.
    """
    from mempabench.validators import CHECKS
    from mempabench.validators.check import run_checks
    from mempabench.validators.hints import HINTS, run_hints

    if codes:
        table = [(one.code, one.words) for one in CHECKS] + [(one.code, one.words) for one in HINTS]
        for code, words in table:
            click.echo(f"{code} {words}")
        return
    data = gathered(workspace(ctx))
    findings = list(run_checks(CHECKS, data))
    told_hints = list(run_hints(HINTS, data)) if hints else []
    for line in as_objects(findings, told_hints) if as_json else as_text(findings, told_hints):
        click.echo(line)
    click.echo(summary(len(CHECKS), findings), err=True)
    if findings:
        sys.exit(1)


def gathered(project: Workspace) -> Data:
    """Read everything that is checked; what can't be read is absent, with the reason."""
    from mempabench import catalog
    from mempabench.prompts import load_prompt
    from mempabench.validators.data import Data

    kept = (catalog.SOURCES, catalog.DECISIONS, catalog.SUBSTITUTES)
    written = (
        catalog.SCENES,
        catalog.EVIDENCE,
        catalog.IDENTITY_OBSERVATIONS,
        catalog.IDENTITY,
        catalog.PROPOSED_CELLS,
        catalog.USERS,
        catalog.REVIEW_ITEMS,
        catalog.CELLS,
        catalog.PERSONAS,
    )
    names = sorted(path.stem for path in project.prompts.glob("*.md") if path.stem != "README")
    return Data(
        **{artifact.name: records(project, artifact) for artifact in (*kept, *written)},
        built=built_stages(project),
        recordings=recorded_files(project),
        prompts=tuple(load_prompt(project.prompts, name) for name in names),
        users_with_queue=users_through(project, "queue_review"),
        users_with_cells=users_through(project, "settle_cells"),
        users_with_personas=users_through(project, "anonymize_personas"),
    )


def records(project: Workspace, artifact: Artifact) -> tuple[Any, ...]:
    """Return an artifact's records, or their absence; a log without decisions is an empty one."""
    from mempabench.catalog import DECISIONS, load
    from mempabench.errors import InputError
    from mempabench.validators.data import Absent

    path = artifact.path(project.root)
    if not path.exists() and artifact is not DECISIONS:
        todo = "not there yet" if artifact.place else "not built yet; run mempabench build"
        return Absent(f"{project.shown(path)}: {todo}")
    try:
        return load(project, artifact)
    except InputError as error:
        return Absent(str(error))


def built_stages(project: Workspace) -> tuple[BuiltStage, ...]:
    """Return what every stage that has an output said of it; their absence when none has."""
    from mempabench.stages import PIPELINE
    from mempabench.validators.data import Absent

    built = [built_stage(project, stage) for stage in PIPELINE if stage.writes.path(project.root).exists()]
    return tuple(built) if built else Absent("artifacts/: nothing is built yet; run mempabench build")


def built_stage(project: Workspace, stage: Stage) -> BuiltStage:
    """Return a stage's account, set against what lies there."""
    import json

    from mempabench.artifacts import file_digest
    from mempabench.domain.manifests import Account
    from mempabench.validators.data import BuiltStage

    output = stage.writes.path(project.root)
    try:
        state = json.loads((project.artifacts / "state" / f"{stage.name}.json").read_bytes())
        account, written = Account.model_validate(state["account"]), state["output"]
    except (OSError, ValueError, LookupError, TypeError):
        account, written = None, file_digest(output)
    rows = sum(1 for line in output.read_bytes().split(b"\n") if line.strip())
    return BuiltStage(stage.name, account, rows, as_written=written == file_digest(output))


def recorded_files(project: Workspace) -> tuple[RecordedFile, ...]:
    """Return every file of recordings; their absence when there is none, or one can't be read."""
    from mempabench.validators.data import Absent, RecordedFile

    found = []
    for path in sorted(project.recordings.glob("*/*.jsonl")):
        try:
            found.append(RecordedFile(path.parent.name, path.name, path.read_bytes().decode("utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            return Absent(f"{project.shown(path)}: can't be read ({error})")
    return tuple(found) if found else Absent("recordings/: nothing was recorded yet")


def users_through(project: Workspace, stage: str) -> tuple[str, ...]:
    """Return the users whom the configuration takes as far as a stage."""
    from mempabench.pipeline import left_out
    from mempabench.stages import PIPELINE

    without = left_out(project, stage, [one.name for one in PIPELINE])
    return tuple(plan.user for plan in project.plans() if plan.user not in without)


def as_text(findings: Sequence[Finding], hints: Sequence[Hint]) -> Iterator[str]:
    """Yield findings a line each, one line for each reason why checks could not run, and a block of hints."""
    for finding in findings:
        if finding.ran:
            yield told(f"{finding.code} {finding.place}: {finding.words}")
    stopped: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for finding in findings:
        if not finding.ran:
            stopped[finding.words, finding.place].append(finding.code)
    for (words, reason), codes in stopped.items():
        more = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
        yield told(f"{codes[0]}{more} {words}: {reason}")
    for hint in hints:
        yield ""
        yield f"{hint.code} {hint.words}"
        yield from (told(f"    {line}") for line in hint.lines)
        yield from (told(f"  ! {alarm}") for alarm in hint.alarms)


def as_objects(findings: Iterable[Finding], hints: Iterable[Hint]) -> Iterator[str]:
    """Yield findings and hints as JSON objects; there every character is escaped that could do harm."""
    import json
    from dataclasses import asdict

    for finding in findings:
        yield json.dumps({"kind": "finding", **asdict(finding)})
    for hint in hints:
        yield json.dumps({"kind": "hint", **asdict(hint)})


def summary(checks: int, findings: Sequence[Finding]) -> str:
    """Return the last word: how many checks, how many findings, how many that could not run."""
    found = sum(finding.ran for finding in findings)
    stopped = len(findings) - found
    said = f"{checks} checks, {found} finding{'' if found == 1 else 's'}"
    return said + (f", {stopped} could not be checked" if stopped else "")
