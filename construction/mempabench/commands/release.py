"""``mempabench release``: cut, verify, compare."""

from __future__ import annotations

from pathlib import Path

import click

from mempabench.commands.project import workspace
from mempabench.errors import ReleaseError
from mempabench.workspace import Workspace


@click.group()
def release() -> None:
    """Publish what was built as a version that never changes again."""


@release.command()
@click.argument("version")
@click.pass_context
def cut(ctx: click.Context, version: str) -> None:
    """Copy the built dataset to releases/VERSION, once, and enter it in the index and the changelog."""
    from mempabench.release.cut import cut as cut_release

    project = workspace(ctx)
    with project.writing("mempabench release cut"):
        refuse_stale_pages(project)
        place = cut_release(project, version)
    click.echo(project.shown(place))


def refuse_stale_pages(project: Workspace) -> None:
    """Refuse to cut while README or datasheet show other figures than the data.

    Raises:
        ReleaseError: naming the page.
    """
    from mempabench.reporting import Figures, filled, pages

    figures = Figures(project)
    for page in pages(project):
        text = page.read_text(encoding="utf-8")
        if filled(text, figures, page.name) != text:
            raise ReleaseError(
                f"{page.name}: shows other figures than the data; run mempabench report --write, build, then cut"
            )


@release.command()
@click.pass_context
def verify(ctx: click.Context) -> None:
    """Compare every published folder with the index of content hashes."""
    from mempabench.release.cut import verify as verify_releases

    findings = list(verify_releases(workspace(ctx)))
    for finding in findings:
        click.echo(finding)
    if findings:
        raise ReleaseError(f"{len(findings)} findings in releases/; restore the published files")
    click.echo("published releases are as they were cut", err=True)


@release.command()
@click.argument("built", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("published", type=click.Path(exists=True, file_okay=False, path_type=Path))
def diff(built: Path, published: Path) -> None:
    """List what differs between two release folders, row by row."""
    from mempabench.release.diff import compare

    for line in compare(built, published):
        click.echo(line)
