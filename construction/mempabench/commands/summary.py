"""What the build says at its end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mempabench.artifacts import parse_record
from mempabench.catalog import CELLS, load
from mempabench.domain.evidence import Confidence
from mempabench.domain.manifests import ReleaseManifest
from mempabench.domain.review import Cell, Outcome
from mempabench.workspace import Workspace


def summarise(project: Workspace, out: Path) -> list[str]:
    """Return the summary: cells by confidence and outcome, rows per table, where it lies, how to load it."""
    cells: tuple[Cell, ...] = load(project, CELLS)
    manifest = read_manifest(out)
    users = dict.fromkeys(cell.user for cell in cells)
    place = project.shown(out)
    return [
        "",
        f"{len(cells)} cells of {len(users)} users",
        f"  by confidence  {_counted(Confidence, (cell.confidence for cell in cells))}",
        f"  by outcome     {_counted(Outcome, (cell.outcome for cell in cells))}",
        f"{len(manifest.tables)} tables",
        *(f"  {table.name:<14} {table.rows:>6} rows" for table in manifest.tables),
        f"in {place}",
        f'  load it with   load_dataset("{out}")',
        f'  or from anywhere, after mempabench install --from {place}:  load_dataset("mempabench")',
        "",
    ]


def read_manifest(folder: Path) -> ReleaseManifest:
    """Return a release folder's manifest."""
    return parse_record(
        json.loads((folder / "release.json").read_bytes()), ReleaseManifest, f"{folder}/release.json"
    )


def _counted(order: Iterable[str], values: Iterable[str]) -> str:
    counts = Counter(values)
    return ", ".join(f"{counts[name]} {name}" for name in order)


def compared(project: Workspace, out: Path) -> str:
    """Return "identical to release X", or what differs from it."""
    version = project.config.release.version
    published = project.releases / version / "mempabench"
    if not published.is_dir():
        return f"release {version} isn't cut yet; mempabench release cut {version} publishes this build"
    if read_manifest(published) == read_manifest(out):
        return f"identical to release {version}"
    from mempabench.release.diff import compare

    differences = compare(out, published)
    listed = "\n".join(f"  {line}" for line in differences)
    return f"differs from release {version}:\n{listed}"
