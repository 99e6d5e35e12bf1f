"""Where the things of a project lie, its one configuration, and the lock that keeps out a second writer."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import socket
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from mempabench.artifacts import file_digest, parse_record
from mempabench.domain.manifests import Engine
from mempabench.domain.personas import UserId, UserPlan
from mempabench.domain.record import Record
from mempabench.domain.transcripts import RawFile, Slug, Source
from mempabench.errors import InputError

CONFIG_NAME = "mempabench.toml"
_TEMPORARY = re.compile(r"^\..+\.\d+\.part$")


class ReleaseConfig(Record):
    """What the built dataset says of itself."""

    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    """Version that the build aims at and is compared with."""
    license: str
    """SPDX identifier of the data's licence."""
    canary: str
    """String by which training corpora can be searched for the dataset."""
    released_on: date
    """Date of the release; a parameter, so that a build on another day gives the same bytes."""


class UserConfig(Record):
    """Where a user comes from and how far they are built."""

    source: Slug
    through: str = "anonymize_personas"
    """Last stage that is to be reached for this user."""


class PriceConfig(Record):
    """What a model costs a million tokens, in any one currency."""

    tokens_in: float = Field(ge=0)
    tokens_out: float = Field(ge=0)
    batch: float = Field(default=0.5, ge=0, le=1)
    """What a call in a batch costs, as a part of that."""


class RouteConfig(Record):
    """A live model for a stage, a seat, both, or (with neither) for all that no other route names."""

    stage: str | None = None
    seat: str | None = None
    engine: Engine
    model: str
    base_url: str | None = None
    """Address of the server; None for the provider's own. Keys come from the environment only."""
    max_tokens: int = Field(default=8192, ge=1)
    """Most tokens of an answer."""
    concurrency: int = Field(default=8, ge=1, le=256)
    """Most calls at a time; fewer while the service says that it is asked too much."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=600.0, gt=0)
    """Seconds that a call may take before it is tried again."""
    bounds: bool = False
    """Whether a server of one's own is sent the lengths of strings; llama.cpp and vLLM keep to them."""


class EngineConfig(Record):
    """How models are asked."""

    attempts: int = Field(default=3, ge=1, le=9)
    """How often a request may be refused before its unit counts as refused."""
    prices: dict[str, PriceConfig] = Field(default_factory=dict)
    """Prices by model; a limit of cost needs one."""
    route: tuple[RouteConfig, ...] = ()
    """Who is asked what, with ``--engine configured``; the route that names most wins."""


class Config(Record):
    """The whole of ``mempabench.toml``."""

    release: ReleaseConfig
    users: dict[UserId, UserConfig]
    engine: EngineConfig = EngineConfig()
    seed: int = 0


@dataclass(frozen=True)
class Workspace:
    """A project on disk."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Workspace:
        """Return the project that holds ``start``: the nearest folder upward with a ``mempabench.toml``.

        Raises:
            InputError: when there is none.
        """
        for folder in (start.resolve(), *start.resolve().parents):
            if (folder / CONFIG_NAME).is_file():
                return cls(folder)
        raise InputError(
            f"{start}: no {CONFIG_NAME} here or above; run mempabench init FOLDER to start a project"
        )

    @cached_property
    def config(self) -> Config:
        """The configuration.

        Raises:
            InputError: when the file is missing or wrong.
        """
        return parse_record(_read_toml(self.root / CONFIG_NAME, CONFIG_NAME), Config, CONFIG_NAME)

    @property
    def transcripts(self) -> Path:
        """Folder of sources and their manifest."""
        return self.root / "transcripts_raw"

    @property
    def prompts(self) -> Path:
        """Folder of prompts."""
        return self.root / "prompts"

    @property
    def recordings(self) -> Path:
        """Folder of recorded answers."""
        return self.root / "recordings"

    @property
    def records(self) -> Path:
        """Folder of what people decided."""
        return self.root / "review" / "records"

    @property
    def artifacts(self) -> Path:
        """Folder of what stages wrote on this machine."""
        return self.root / "artifacts"

    @property
    def releases(self) -> Path:
        """Folder of published releases."""
        return self.root / "releases"

    def shown(self, path: Path) -> str:
        """Return a path as messages name it: relative to the project where it lies inside."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def plans(self) -> tuple[UserPlan, ...]:
        """Return the users to build, in order of their ids."""
        return tuple(
            UserPlan(user=user, source=plan.source, through=plan.through)
            for user, plan in sorted(self.config.users.items())
        )

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources of the manifest.

        Raises:
            InputError: when the manifest is missing, wrong, or names a source or file twice.
        """
        path = self.transcripts / "sources.toml"
        shown = self.shown(path)
        return _sources(_read_toml(path, shown), shown)

    def raw_files(self) -> Iterator[RawFile]:
        """Yield every transcript file of the manifest, checked against its hash.

        Raises:
            InputError: for a file that is missing, not in the manifest, or has another hash.
        """
        listed = {file.path for source in self.sources for file in source.files}
        for source in self.sources:
            folder = self.transcripts / source.id
            for found in sorted(folder.rglob("*")) if folder.is_dir() else []:
                name = found.relative_to(self.transcripts).as_posix()
                if found.is_file() and found.suffix != ".md" and name not in listed:
                    raise InputError(
                        f"transcripts_raw/{name}: not in sources.toml; add it with its sha256 or move it away"
                    )
        for source in self.sources:
            for file in source.files:
                yield self._raw_file(source, file.path, file.sha256)

    def _raw_file(self, source: Source, path: str, sha256: str) -> RawFile:
        place = (self.transcripts / path).resolve()
        if not place.is_relative_to(self.transcripts.resolve()):
            raise InputError(
                f"transcripts_raw/sources.toml: {path} leads out of transcripts_raw/; keep it inside"
            )
        try:
            content = place.read_bytes()
        except OSError as error:
            raise InputError(
                f"transcripts_raw/{path}: can't be read ({error.strerror}); sources.toml lists it"
            ) from error
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise InputError(
                f"transcripts_raw/{path}: sha256 is {found}, sources.toml says {sha256[:12]}…; "
                "restore the file, or write the new hash there if the edit is meant"
            )
        return RawFile(source=source, path=path, content=content.decode("latin-1"))

    def transcripts_digest(self) -> str:
        """Return a digest over manifest and files, without checking them."""
        total = hashlib.sha256(file_digest(self.transcripts / "sources.toml").encode())
        for file in sorted(self.transcripts.rglob("*")):
            if file.is_file() and file.suffix != ".md":
                total.update(
                    f"{file.relative_to(self.transcripts).as_posix()} {file_digest(file)}\n".encode()
                )
        return total.hexdigest()

    @contextlib.contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """Hold the project's one writer lock while something is written.

        Args:
            what: The command, shown to whoever comes second.

        Raises:
            InputError: naming the holder, when another process writes.
        """
        path = self.artifacts / ".lock"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(f"{self.shown(path)}: can't be written ({error.strerror})") from error
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
                raise InputError(
                    f"{self.root}: {holder} is writing here; wait for it or end it, then run again"
                ) from error
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
                os.pwrite(handle, f"{what} (process {os.getpid()} on {socket.gethostname()})".encode(), 0)
            self._sweep()
            yield
        finally:
            os.close(handle)

    def _sweep(self) -> None:
        """Remove temporary files that killed writers left; only the holder of the lock may."""
        for folder in (self.artifacts, self.recordings, self.records):
            for path in folder.rglob(".*.part") if folder.is_dir() else []:
                if path.is_file() and _TEMPORARY.match(path.name):
                    with contextlib.suppress(OSError):
                        path.unlink()


def _read_toml(path: Path, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{shown}: not found; run mempabench init to see one") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{shown}: not valid TOML ({error}); mend it") from error
    except OSError as error:
        raise InputError(f"{shown}: can't be read ({error.strerror})") from error


def check_manifest(text: str) -> tuple[Source, ...]:
    """Return the sources of a manifest's text, before it is written.

    Raises:
        InputError: when it wouldn't be taken.
    """
    shown = "transcripts_raw/sources.toml"
    try:
        return _sources(tomllib.loads(text), shown)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{shown}: not valid TOML ({error}); mend it") from error


def _sources(manifest: dict[str, Any], shown: str) -> tuple[Source, ...]:
    tables = manifest.get("source", [])
    if not isinstance(tables, list) or not tables:
        raise InputError(f"{shown}: no [[source]] table; add one for each series")
    sources = tuple(
        parse_record(table, Source, f"{shown}: source {number}")
        for number, table in enumerate(tables, start=1)
    )
    _refuse_twins([source.id for source in sources], shown, "source")
    for source in sources:
        _check_source(source, shown)
    return sources


def _refuse_twins(names: list[str], shown: str, what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{shown}: {what} '{name}' is given twice; keep one")


def _check_source(source: Source, shown: str) -> None:
    where = f"{shown}: source '{source.id}'"
    persons = [member.person for member in source.cast]
    _refuse_twins(persons, where, "person")
    _refuse_twins([file.path for file in source.files], where, "file")
    _refuse_twins(list(source.candidates), where, "candidate")
    for candidate in source.candidates:
        if candidate not in persons:
            raise InputError(f"{where}: candidate '{candidate}' is not in its cast ({', '.join(persons)})")
    labels: dict[str, str] = {}
    for member in source.cast:
        for label in {member.name.casefold(), *(alias.casefold() for alias in member.aliases)}:
            if labels.setdefault(label, member.person) != member.person:
                raise InputError(
                    f"{where}: '{label}' means both {labels[label]} and {member.person}; keep one"
                )
