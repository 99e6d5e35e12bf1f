"""``mempabench report``: the figures of the build, and the pages that show them."""

from __future__ import annotations

import click

from mempabench.commands.project import workspace
from mempabench.errors import InputError


@click.command()
@click.option("--write", is_flag=True, help="Fill the figures of README.md and DATASHEET.md anew.")
@click.option("--check", "only_check", is_flag=True, help="Exit 1 when a page shows other figures.")
@click.pass_context
def report(ctx: click.Context, write: bool, only_check: bool) -> None:
    """Print every figure, computed from what was built."""
    from mempabench.artifacts import write_bytes
    from mempabench.reporting import FIGURES, Figures, filled, pages

    project = workspace(ctx)
    figures = Figures(project)
    if not (write or only_check):
        for name, figure in FIGURES.items():
            click.echo(f"## {name}\n\n{figure(figures)}")
        return
    for page in pages(project):
        text = page.read_text(encoding="utf-8")
        new = filled(text, figures, page.name)
        if new != text and only_check:
            raise InputError(f"{page.name}: shows other figures than the data; run mempabench report --write")
        if new != text:
            write_bytes(page, new.encode("utf-8"))
            click.echo(page.name)
