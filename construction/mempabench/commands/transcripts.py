"""``mempabench transcripts``: what a file holds, and scenes as a person reads them."""

from __future__ import annotations

from pathlib import Path

import click

from mempabench.commands.project import workspace
from mempabench.commands.telling import told
from mempabench.errors import InputError


@click.group()
def transcripts() -> None:
    """Look at transcript files before and after they are ingested."""


@transcripts.command("inspect")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "format_name", help="Read it as this format instead of guessing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def inspect_file(file: Path, format_name: str | None, as_json: bool) -> None:
    """Say which format FILE has and why, what it holds, and what is odd in it, with line numbers."""
    from mempabench.domain.record import canonical_json
    from mempabench.importers.inspecting import inspect

    found = inspect(file.read_bytes(), file.name, format_name)
    warnings = [{"line": oddity.line, "what": oddity.what} for oddity in found.oddities]
    if as_json:
        counts = {"lines": found.lines, "labels": len(found.labels), "speakers": len(found.speakers)}
        shown = {
            "format": found.format,
            "why": found.why,
            "scenes": found.scenes,
            **counts,
            "warnings": warnings,
        }
        click.echo(canonical_json({**shown, "people": list(found.speakers)}))
        return
    scenes = "unknown" if found.scenes is None else found.scenes
    click.echo(f"format    {found.format} ({found.why})")
    click.echo(f"scenes    {scenes}")
    click.echo(f"lines     {found.lines}")
    click.echo("labels    " + told(f"{len(found.labels)}: {', '.join(found.labels)}"))
    click.echo("speakers  " + told(f"{len(found.speakers)}: {', '.join(found.speakers)}"))
    for warning in warnings:
        place = f"{file.name}:{warning['line']}: " if warning["line"] else ""
        click.echo(told(f"  {place}{warning['what']}"))


@transcripts.command()
@click.argument("source")
@click.argument("episode")
@click.pass_context
def show(ctx: click.Context, source: str, episode: str) -> None:
    """Print the scenes of an EPISODE (such as s01e02) of a SOURCE as a person reads them."""
    from mempabench.catalog import SCENES, load
    from mempabench.stages.presenting import scene_text

    project = workspace(ctx)
    sources = {one.id: one for one in project.sources}
    if source not in sources:
        raise InputError(f"no source '{source}'; there are {', '.join(sources)}")
    if not SCENES.path(project.root).exists():
        raise InputError("artifacts/scenes.jsonl: not built yet; run mempabench build")
    scenes = [scene for scene in load(project, SCENES) if scene.source == source]
    chosen = [scene for scene in scenes if scene.episode == episode]
    if not chosen:
        known = ", ".join(dict.fromkeys(scene.episode for scene in scenes))
        raise InputError(f"no episode '{episode}' of {source}; there are {known}")
    click.echo(told(f"{sources[source].title}, {episode}: {chosen[0].episode_title}"))
    for scene in chosen:
        click.echo(f"\n{scene.id}")
        for line in scene_text(scene, sources[source]).split("\n"):
            click.echo(told(line))
