"""``mempabench transcripts``: what a file holds, and scenes as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from mempabench.artifacts import write_bytes
from mempabench.commands.project import workspace
from mempabench.commands.telling import told
from mempabench.errors import InputError
from mempabench.workspace import Workspace, check_manifest

if TYPE_CHECKING:
    from mempabench.domain.transcripts import Reading
    from mempabench.importers.manifest import Terms

_SHOWN = 10
"""Oddities of a file that are shown when it is added."""
DateOrder = Literal["dmy", "mdy", "ymd", "ydm"]
F = TypeVar("F", bound=Callable[..., None])


@click.group()
def transcripts() -> None:
    """Look at transcript files before and after they are ingested."""


def _guiding(command: F) -> F:
    """Add the options that say what files don't say themselves."""
    column = click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="OURS=THEIRS",
        help="What a season table calls a column, such as speaker=character; may be given several times.",
    )
    gap = click.option(
        "--scene-gap",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="In files with times: a silence that parts two scenes.",
    )
    order = click.option(
        "--date-order",
        type=click.Choice(["dmy", "mdy", "ymd", "ydm"]),
        help="In chats whose dates can be read in several ways: what comes first.",
    )
    return column(gap(order(command)))


def _reading(columns: tuple[str, ...], scene_gap: float | None, date_order: DateOrder | None) -> Reading:
    from mempabench.domain.transcripts import Reading

    pairs = [column.partition("=") for column in columns]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise click.BadParameter(f"'{ours}{sign}{theirs}' is not OURS=THEIRS", param_hint="--column")
    return Reading(
        columns={ours: theirs for ours, _, theirs in pairs}, scene_gap=scene_gap, date_order=date_order
    )


def _file_of(path: Path) -> Path:
    """Return a file, or the one that a corpus's folder is about."""
    if not path.is_dir():
        return path
    inside = path / "utterances.jsonl"
    if not inside.is_file():
        raise InputError(
            f"{path}: a folder is read where it holds ConvoKit's utterances.jsonl; give files else"
        )
    return inside


def _names_beside(files: Iterable[Path]) -> dict[str, str]:
    """Return the names that lie beside a corpus's utterances."""
    from mempabench.importers.corpora import convokit_names

    names: dict[str, str] = {}
    for file in files:
        for beside in ("users.json", "speakers.json") if file.name == "utterances.jsonl" else ():
            if (file.parent / beside).is_file():
                names |= convokit_names((file.parent / beside).read_bytes(), str(file.parent / beside))
    return names


@transcripts.command("inspect")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format_name", help="Read it as this format instead of guessing.")
@_guiding
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def inspect_file(
    file: Path,
    format_name: str | None,
    columns: tuple[str, ...],
    scene_gap: float | None,
    date_order: DateOrder | None,
    as_json: bool,
) -> None:
    """Say which format FILE has and why, what it holds, and what is odd in it, with line numbers."""
    from mempabench.domain.record import canonical_json
    from mempabench.importers.inspecting import inspect

    file = _file_of(file)
    found = inspect(file.read_bytes(), file.name, format_name, _reading(columns, scene_gap, date_order))
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
    scenes = "unknown; one scene an episode" if found.scenes is None else found.scenes
    click.echo(f"format    {found.format} ({found.why})")
    click.echo(f"scenes    {scenes}")
    click.echo(f"lines     {found.lines}")
    click.echo("labels    " + told(f"{len(found.labels)}: {', '.join(found.labels)}"))
    click.echo("speakers  " + told(f"{len(found.speakers)}: {', '.join(found.speakers)}"))
    for warning in warnings:
        place = f"{file.name}:{warning['line']}: " if warning["line"] else ""
        click.echo(told(f"  {place}{warning['what']}"))


@transcripts.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
@click.option("--format", "format_name", help="Read it as this format instead of guessing.")
@_guiding
def convert(
    file: Path,
    out: Path,
    format_name: str | None,
    columns: tuple[str, ...],
    scene_gap: float | None,
    date_order: DateOrder | None,
) -> None:
    """Write FILE in the project's own text form, which can be read, mended and added again."""
    from mempabench.importers import read_transcript
    from mempabench.importers.fan_transcript import as_text
    from mempabench.importers.inspecting import detect

    if out.exists():
        raise InputError(f"{out}: is there already; give another name")
    content = file.read_bytes()
    chosen = format_name or detect(content, file.name)[0]
    transcript = read_transcript(chosen, content, file.name, _reading(columns, scene_gap, date_order))
    write_bytes(out, as_text(transcript).encode("utf-8"))
    click.echo(told(f"{out}: {len(transcript.scenes)} scenes, {len(transcript.spoken())} lines"))


@transcripts.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--source", required=True, help="Id of the new source: lower case, such as my_series.")
@click.option("--title", prompt=True, help="Title as people know it.")
@click.option("--origin", prompt="Where it comes from", help="Who made it and how it came here.")
@click.option(
    "--license", "license_name", prompt="SPDX licence, or LicenseRef-…", help="Licence of the text."
)
@click.option(
    "--redistributable/--private",
    prompt="May its text be published",
    default=False,
    help="Whether text and quotes may be published; else only ids and hashes are.",
)
@click.option("--candidate", "candidates", multiple=True, help="Label of somebody who may become a user.")
@click.option("--format", "format_name", help="The format, where it can't be told.")
@_guiding
@click.pass_context
def add(
    ctx: click.Context,
    files: tuple[Path, ...],
    source: str,
    title: str,
    origin: str,
    license_name: str,
    redistributable: bool,
    candidates: tuple[str, ...],
    format_name: str | None,
    columns: tuple[str, ...],
    scene_gap: float | None,
    date_order: DateOrder | None,
) -> None:
    """Copy FILES into the project and write their entry in the manifest: hashes, format, cast.

    Read the entry afterwards: merge misspelt names by aliases, and say who are extras (named = false).
    """
    from mempabench.importers.manifest import Terms

    project = workspace(ctx)
    files = tuple(_file_of(path) for path in files)
    reading = _reading(columns, scene_gap, date_order)
    names = _names_beside(files)
    terms = Terms(title, origin, license_name, redistributable, candidates, reading, names)
    with project.writing("mempabench transcripts add"):
        for line in added(project, files, source, terms, format_name):
            click.echo(told(line))


def added(
    project: Workspace, files: tuple[Path, ...], source: str, terms: Terms, format_name: str | None
) -> Iterator[str]:
    """Add a source to the project and yield what was done; nothing is changed when anything is wrong."""
    from mempabench.importers.manifest import entry

    manifest = project.transcripts / "sources.toml"
    before = manifest.read_text(encoding="utf-8") if manifest.exists() else ""
    contents = {f"{source}/{path.name}": path.read_bytes() for path in sorted(files)}
    if len(contents) < len(files):
        raise InputError(f"{source}: two of the files have the same name; rename one")
    for name, content in contents.items():
        there = project.transcripts / name
        if there.exists() and there.read_bytes() != content:
            raise InputError(f"transcripts_raw/{name}: there is another file of that name; move it away")
    text, found = entry(source, contents, terms, format_name)
    check_manifest(before + text)
    for name, content in contents.items():
        write_bytes(project.transcripts / name, content)
    write_bytes(manifest, (before + text).encode("utf-8"))
    for name, one in zip(contents, found, strict=True):
        yield f"transcripts_raw/{name}: {one.format}, {one.lines} lines, {len(one.speakers)} speakers"
        for oddity in one.oddities[:_SHOWN]:
            yield f"  {f'{oddity.line}: ' if oddity.line else ''}{oddity.what}"
        if len(one.oddities) > _SHOWN:
            yield f"  and {len(one.oddities) - _SHOWN} more; mempabench transcripts inspect shows all of them"
    yield f"transcripts_raw/sources.toml: source '{source}' added; read its cast, then run mempabench build"


@transcripts.command()
@click.argument("source")
@click.argument("episode")
@click.pass_context
def show(ctx: click.Context, source: str, episode: str) -> None:
    """Print the scenes of an EPISODE (such as s01e02) of a SOURCE as a person reads them."""
    from mempabench.stages.ingest_transcripts import scenes_of
    from mempabench.stages.presenting import scene_text

    project = workspace(ctx)
    sources = {one.id: one for one in project.sources}
    if source not in sources:
        raise InputError(f"no source '{source}'; there are {', '.join(sources)}")
    files = [file for file in project.raw_files() if file.source.id == source]
    scenes = [scene for file in files for scene in scenes_of(file)]
    chosen = [scene for scene in scenes if scene.episode == episode]
    if not chosen:
        known = ", ".join(dict.fromkeys(scene.episode for scene in scenes))
        raise InputError(f"no episode '{episode}' of {source}; there are {known}")
    click.echo(told(f"{sources[source].title}, {episode}: {chosen[0].episode_title}"))
    for scene in chosen:
        click.echo(f"\n{scene.id}")
        for line in scene_text(scene, sources[source]).split("\n"):
            click.echo(told(line))


@transcripts.command()
@click.argument("source")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.pass_context
def remove(ctx: click.Context, source: str, yes: bool) -> None:
    """Take a SOURCE out of the project: its files, recordings, users, decisions, substitutes and artifacts.

    What was released stays as it is; what a version control system keeps, it keeps.
    """
    from mempabench.commands.removing import removal
    from mempabench.commands.removing import remove as carry_out

    project = workspace(ctx)
    with project.writing("mempabench transcripts remove"):
        found = removal(project, source)
        for line in found.told(project):
            click.echo(told(line))
        if not (yes or click.confirm("Remove all of this?")):
            click.echo("nothing was removed", err=True)
            return
        carry_out(project, found)
    click.echo(told(f"{source} is removed; files that git or a backup holds are still there"), err=True)
