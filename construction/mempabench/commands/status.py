"""``mempabench status``: what is built, what is stale, what waits."""

from __future__ import annotations

import click

from mempabench.commands.project import workspace


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a stage.")
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show each stage: current, stale, waiting or blocked. Writes nothing."""
    from mempabench.commands.build import told
    from mempabench.domain.record import canonical_json
    from mempabench.pipeline import Run
    from mempabench.stages import PIPELINE

    project = workspace(ctx)
    for report in Run(project, write=False).stages(PIPELINE):
        state = "stale" if report.state == "built" else report.state
        if as_json:
            account = report.account.plain() if report.account else None
            row = {
                "stage": report.stage.name,
                "state": state,
                "missing": len(report.pending),
                "account": account,
            }
            click.echo(canonical_json(row))
            continue
        line = told(report)
        click.echo(line.replace("built  ", "stale  ") if state == "stale" else line)
        for refusal in report.account.refusals if report.account and report.account.refused else ():
            click.echo(f"    refused: {refusal.unit} ({refusal.seat}, attempt {refusal.attempt})")
