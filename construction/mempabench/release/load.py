"""Load: a table of the installed release, and ``load_dataset("mempabench")`` from any folder."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mempabench.artifacts import file_digest
from mempabench.assets import shipped_release
from mempabench.domain.manifests import ReleaseManifest
from mempabench.errors import ReleaseError
from mempabench.release.folder import checked_manifest, read_manifest
from mempabench.release.tables import DEFAULT, SPLIT

if TYPE_CHECKING:
    from datasets import Dataset

NAME = "mempabench"
"""Name under which ``load_dataset`` finds what was installed."""


def load(table: str = DEFAULT.name, version: str | None = None) -> Dataset:
    """Return one table of a release.

    Args:
        table: Name of the table.
        version: Version of the release; the newest when not given.

    Raises:
        ReleaseError: when there is no such table or version, or its file is damaged.
    """
    folder = _release(version)
    manifest = read_manifest(folder)
    names = [entry.name for entry in manifest.tables]
    if table not in names:
        raise ReleaseError(f"there is no table '{table}'; {manifest.version} has {', '.join(names)}")
    return _in_memory(folder, manifest, table)


def _in_memory(folder: Path, manifest: ReleaseManifest, table: str) -> Dataset:
    """Read one checked table.

    Nothing is cached: what ``datasets`` caches under the name mempabench could hide what was installed, and it takes
    a file of the same path and time for the same file.
    """
    path = folder / "data" / f"{table}.parquet"
    expected = {file.path: file.sha256 for file in manifest.files}[f"data/{table}.parquet"]
    if file_digest(path) != expected:
        raise ReleaseError(f"{path}: is not what {manifest.version} published; install mempabench again")
    import pyarrow.parquet as pq
    from datasets import Dataset, DatasetInfo, NamedSplit
    from datasets.table import InMemoryTable

    info = DatasetInfo(
        dataset_name=NAME, config_name=table, version=manifest.version, license=manifest.license
    )
    return Dataset(InMemoryTable(pq.ParquetFile(path).read()), info=info, split=NamedSplit(SPLIT))


def _release(version: str | None) -> Path:
    newest = _shipped()
    found = read_manifest(newest).version
    if version is None or version == found:
        return newest
    releases = newest.parents[1]
    known = (
        sorted(path.parent.name for path in releases.glob(f"*/{NAME}")) if newest.parent.name == found else []
    )
    if version not in known:
        raise ReleaseError(f"there is no release {version} here; there is {', '.join(known or [found])}")
    return releases / version / NAME


def _shipped() -> Path:
    folder = shipped_release()
    if folder is None:
        raise ReleaseError(
            "no release is published yet; run mempabench build, then give the folder artifacts/release/mempabench"
        )
    return folder


def install(path: Path | None = None, echo: Callable[[str], object] = print) -> ReleaseManifest:
    """Put a release into the local cache of ``datasets``, so that its name alone loads it from any folder.

    Every table is read from a copy of the folder, and the default one once more from a copy whose card lists it
    alone: without a configuration ``datasets`` takes what is newest in its cache, and wants it to be unambiguous.

    Args:
        path: Folder of the release; the newest published one when not given.
        echo: Is told, line by line, what was done and where.

    Raises:
        ReleaseError: when the folder is no release or damaged, or the cache can't be written.
    """
    folder = path or _shipped()
    manifest = checked_manifest(folder)
    import datasets

    try:
        with tempfile.TemporaryDirectory() as temporary, _quiet():
            whole, alone = Path(temporary, "whole", NAME), Path(temporary, "alone", NAME)
            shutil.copytree(folder, whole)
            shutil.copytree(folder, alone)
            _list_default_only(alone / "README.md")
            for entry in manifest.tables:
                _prime(whole, entry.name)
                echo(f"{entry.name}: {entry.rows} rows")
            _prime(alone, DEFAULT.name)
    except (OSError, datasets.exceptions.DatasetsError) as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReleaseError(
            f"{datasets.config.HF_DATASETS_CACHE}: can't be filled ({detail}); see HF_HOME, then run it again"
        ) from error
    echo(f"installed {NAME} {manifest.version} from {folder} into {datasets.config.HF_DATASETS_CACHE}/{NAME}")
    echo(f'load_dataset("{NAME}") gives {DEFAULT.name}, load_dataset("{NAME}", TABLE) any of the above')
    echo(
        "set HF_HUB_OFFLINE=1 where you load it, or datasets asks the Hub first (without network: after a wait)"
    )
    echo(f"a folder named {NAME} where you work would be read in its place")
    echo(
        "if datasets finds several configurations after work on another table, name the table, or install again"
    )
    return manifest


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Show no progress bars of ``datasets`` meanwhile."""
    import datasets

    shown = not datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            datasets.enable_progress_bars()


def _list_default_only(readme: Path) -> None:
    """Take every configuration but the default one out of a dataset card."""
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(readme)
    for field in ("configs", "dataset_info"):
        entries: list[dict[str, Any]] = card.data[field]
        card.data[field] = [entry for entry in entries if entry["config_name"] == DEFAULT.name]
    readme.write_text(str(card), encoding="utf-8")


def _prime(folder: Path, config: str) -> None:
    """Read one table into the cache, in place of what is there, so that it is the newest."""
    from datasets import load_dataset_builder

    load_dataset_builder(str(folder), config).download_and_prepare(download_mode="force_redownload")
