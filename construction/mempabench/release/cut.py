"""Cut: publish the built release under its version, once; and hold what was published to its hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from mempabench.artifacts import file_digest, first_problem, write_bytes
from mempabench.assets import newest_release, version_key
from mempabench.domain.manifests import ReleaseManifest
from mempabench.domain.record import Record
from mempabench.domain.transcripts import Sha256
from mempabench.errors import ReleaseError
from mempabench.release.diff import TableChange, changelog, table_changes
from mempabench.release.folder import checked_manifest, damage, files_below, write_folder
from mempabench.workspace import Workspace

INDEX = "INDEX.json"
CHANGELOG = "CHANGELOG.md"

_PREAMBLE = (
    "# Changes of the data\n\n"
    "What became of the rows of each release, and whether results stay comparable. Written by "
    "`mempabench release cut`.\n"
)

_SCORED = ("preferences", "personas")
"""Tables on which results depend: the targets and who is played."""


class IndexEntry(Record):
    """A published version: what its folder must hold for ever."""

    content_sha256: Sha256
    files: dict[str, Sha256]
    """SHA-256 of every file by its path in the folder."""
    released_on: date


class Index(Record):
    """``INDEX.json``: every published version."""

    releases: dict[str, IndexEntry]


def built_folder(workspace: Workspace) -> Path:
    """Return where the build puts the release."""
    return workspace.artifacts / "release" / "mempabench"


def release_folder(workspace: Workspace, version: str) -> Path:
    """Return where a version is published."""
    return workspace.releases / version / "mempabench"


def cut(workspace: Workspace, version: str) -> Path:
    """Publish the built release as ``version`` and return its folder.

    The index names the version last, so that an interrupted cut is never taken for a release. The caller holds
    the project's lock.

    Raises:
        ReleaseError: when the version exists, is not the configured one or not newer than all, or when the built
            release is missing, damaged or of another version.
    """
    index = read_index(workspace)
    _refuse_version(workspace, version, index)
    built = built_folder(workspace)
    manifest = _built_manifest(workspace, version)
    previous = newest_release(workspace.releases)
    entry = _changelog_entry(workspace, manifest, previous)
    folder = release_folder(workspace, version)
    write_folder(folder, {path: (built / path).read_bytes() for path in files_below(built)})
    write_bytes(workspace.releases / CHANGELOG, _prepended(workspace, version, entry).encode("utf-8"))
    _write_index(workspace, version, manifest, index)
    return folder


def read_index(workspace: Workspace) -> Index:
    """Return the published versions; none before the first.

    Raises:
        ReleaseError: when the index is damaged.
    """
    path = workspace.releases / INDEX
    if not path.exists():
        return Index(releases={})
    try:
        return Index.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ReleaseError(
            f"{workspace.shown(path)}: damaged ({first_problem(error)}); restore it from version control"
        ) from error


def _refuse_version(workspace: Workspace, version: str, index: Index) -> None:
    version_key(version)
    configured = workspace.config.release.version
    if version in index.releases:
        raise ReleaseError(
            f"{version} is published and stays as it is; raise release.version in mempabench.toml"
        )
    if version != configured:
        raise ReleaseError(
            f"mempabench.toml: release.version is {configured}, not {version}; cut that, or change it"
        )
    newest = max(index.releases, key=version_key, default=None)
    if newest is not None and version_key(version) <= version_key(newest):
        raise ReleaseError(f"{version} isn't newer than {newest}; raise release.version in mempabench.toml")
    folder = release_folder(workspace, version)
    if folder.exists():
        raise ReleaseError(
            f"{workspace.shown(folder)}: is there, but {INDEX} doesn't name it: a cut was interrupted; "
            "remove the folder and cut again"
        )


def _built_manifest(workspace: Workspace, version: str) -> ReleaseManifest:
    built = built_folder(workspace)
    if not built.is_dir():
        raise ReleaseError(f"{workspace.shown(built)}: nothing is built; run mempabench build")
    manifest = checked_manifest(built)
    if manifest.version != version:
        raise ReleaseError(
            f"{workspace.shown(built)}: was built as {manifest.version}, not {version}; run mempabench build"
        )
    return manifest


def _write_index(workspace: Workspace, version: str, manifest: ReleaseManifest, index: Index) -> None:
    folder = release_folder(workspace, version)
    entry = IndexEntry(
        content_sha256=manifest.content_sha256,
        files={path: file_digest(folder / path) for path in files_below(folder)},
        released_on=workspace.config.release.released_on,
    )
    entries = {**index.releases, version: entry}
    versions = sorted(entries, key=version_key, reverse=True)
    listed = {"releases": {version: entries[version].plain() for version in versions}}
    text = json.dumps(listed, ensure_ascii=False, indent=2) + "\n"
    write_bytes(workspace.releases / INDEX, text.encode("utf-8"))


def _changelog_entry(workspace: Workspace, manifest: ReleaseManifest, previous: Path | None) -> str:
    built = built_folder(workspace)
    changes = table_changes(built, previous)
    rows = "\n".join(f"| {change.table} | {_counted(change)} |" for change in changes)
    summary = f"| table | added | changed | removed |\n|---|---:|---:|---:|\n{rows}\n" if rows else ""
    return (
        f"## {manifest.version} ({workspace.config.release.released_on})\n\n"
        f"{comparable(changes, previous)}\n\n{summary}\n{changelog(built, previous)}\n"
    )


def _counted(change: TableChange) -> str:
    return f"{len(change.added)} | {len(change.changed or {})} | {len(change.removed)}"


def comparable(changes: list[TableChange], previous: Path | None) -> str:
    """Return whether results of the release before stay comparable, and for which part they don't."""
    if previous is None:
        return "The first release: there are no earlier results to compare with."
    older = previous.parent.name
    scored = [change for change in changes if change.table in _SCORED]
    touched = [id_ for change in scored for id_ in (*(change.changed or {}), *change.removed)]
    added = [id_ for change in scored for id_ in change.added]
    if touched:
        return (
            f"Results don't compare with {older} where they rest on: {', '.join(dict.fromkeys(touched))}. "
            "The rest stays comparable."
        )
    if added:
        return (
            f"Results on what {older} has stay comparable; {len(added)} rows that are scored or played are new, "
            "so totals don't compare."
        )
    return f"Results stay comparable with {older}: no target and no persona has changed."


def _prepended(workspace: Workspace, version: str, entry: str) -> str:
    """Return the changelog with an entry on top, in place of one that an interrupted cut left."""
    path = workspace.releases / CHANGELOG
    text = path.read_text(encoding="utf-8") if path.exists() else _PREAMBLE
    preamble, *older = text.split("\n## ")
    kept = [f"\n## {part.rstrip()}\n" for part in older if not part.startswith(f"{version} ")]
    return "".join([preamble.rstrip() + "\n", f"\n{entry.rstrip()}\n", *kept])


def verify(workspace: Workspace) -> Iterator[str]:
    """Yield where what was published isn't what the index says.

    Raises:
        ReleaseError: when the index itself is damaged.
    """
    index = read_index(workspace)
    for version, entry in index.releases.items():
        folder = release_folder(workspace, version)
        if not folder.is_dir():
            yield f"{workspace.shown(folder)}: is missing; restore it from version control"
            continue
        for problem in damage(folder, entry.files):
            yield f"{workspace.shown(folder)}: {problem}; restore it from version control"
    for folder in sorted(workspace.releases.glob("*/")):
        if folder.name not in index.releases:
            yield f"{workspace.shown(folder)}: {INDEX} doesn't name it; cut it, or remove it"
    path = workspace.releases / CHANGELOG
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for version in index.releases:
        if f"\n## {version} " not in text:
            yield f"{workspace.shown(path)}: has no entry for {version}; restore it from version control"
