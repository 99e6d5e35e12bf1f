"""A release folder on disk: written whole or not at all, and held to its own manifest."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from mempabench.artifacts import file_digest, first_problem
from mempabench.domain.manifests import ReleaseManifest
from mempabench.errors import ReleaseError

MANIFEST = "release.json"


def read_manifest(folder: Path) -> ReleaseManifest:
    """Return the manifest of a release folder.

    Raises:
        ReleaseError: when the folder is none.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ReleaseError(f"{folder}: no such folder; give the folder of a release, or run mempabench build")
    try:
        return ReleaseManifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ReleaseError(
            f"{folder}: no release ({MANIFEST}: {error.strerror}); give the folder that holds {MANIFEST}"
        ) from error
    except ValidationError as error:
        raise ReleaseError(
            f"{path}: damaged ({first_problem(error)}); restore it, or build it again"
        ) from error


def files_below(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, with forward slashes, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def damage(folder: Path, expected: Mapping[str, str]) -> Iterator[str]:
    """Yield each file of a folder that is missing, changed or not expected.

    Args:
        folder: The folder.
        expected: The SHA-256 of every file by its path.
    """
    present = files_below(folder)
    for path, sha256 in sorted(expected.items()):
        if path not in present:
            yield f"{path} is missing"
        elif file_digest(folder / path) != sha256:
            yield f"{path} is not what was published"
    for path in present:
        if path not in expected:
            yield f"{path} doesn't belong there"


def checked_manifest(folder: Path) -> ReleaseManifest:
    """Return the manifest of a release folder whose files are all what it says.

    Raises:
        ReleaseError: naming the first file that isn't.
    """
    manifest = read_manifest(folder)
    expected = {file.path: file.sha256 for file in manifest.files}
    expected[MANIFEST] = file_digest(folder / MANIFEST)
    found = list(damage(folder, expected))
    if found:
        more = f"; {len(found) - 1} more" if len(found) > 1 else ""
        raise ReleaseError(f"{folder}: {found[0]}{more}; restore the folder, or build it again")
    return manifest


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Put a folder with these files in place of ``out``; nobody ever sees half of it.

    Raises:
        ReleaseError: when ``out`` holds something else than a release, or can't be written.
    """
    if out.exists() and not (out / MANIFEST).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise ReleaseError(f"{out}: is there and is no release; name another folder, or move it away")
    fresh, former = _beside(out, "part"), _beside(out, "old")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if former.exists() and not out.exists():  # a crash between the two renames
            former.rename(out)
        for leftover in (fresh, former):
            shutil.rmtree(leftover, ignore_errors=True)
        for name, content in files.items():
            _write(fresh / name, content)
        for folder in (fresh, *(path for path in fresh.rglob("*") if path.is_dir())):
            _sync(folder)
        _swap(fresh, out, former)
        _sync(out.parent)
    except OSError as error:
        raise ReleaseError(
            f"{out}: can't be written ({error.strerror or error}); it stays as it was"
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    shutil.rmtree(former, ignore_errors=True)


def _beside(out: Path, ending: str) -> Path:
    return out.with_name(f".{out.name}.{ending}")


def _swap(fresh: Path, out: Path, former: Path) -> None:
    """Rename ``fresh`` to ``out``; the former folder comes back when that fails."""
    if out.exists():
        out.rename(former)
    try:
        fresh.rename(out)
    except BaseException:
        with contextlib.suppress(OSError):
            former.rename(out)
        raise


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
