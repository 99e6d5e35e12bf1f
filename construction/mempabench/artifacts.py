"""Named JSON Lines files with digests: what stages read and write.

Half-written never looks finished: everything is written under a temporary name, flushed to disk and renamed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from mempabench.domain.record import Record, canonical_json
from mempabench.errors import InputError

R = TypeVar("R", bound=Record)

_DEEPEST = 100
"""Levels of lists and objects that a JSON value may have."""


@dataclass(frozen=True)
class Artifact:
    """A named collection of records of one type, kept as a JSON Lines file."""

    name: str
    record: type[Record]
    place: str = ""
    """Path below the project for what people keep; empty for what stages write."""

    def path(self, root: Path) -> Path:
        """Return where the file lies in the project at ``root``."""
        return root / (self.place or f"artifacts/{self.name}.jsonl")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes; of nothing when there is no file."""
    if not path.exists():
        return hashlib.sha256(b"").hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all.

    Raises:
        InputError: when the disk is full or the place can't be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise unwritable(path, error) from error
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def append_line(path: Path, line: str, *, sync: bool = True) -> None:
    """Append one line to a journal and flush it to disk.

    Args:
        path: The journal.
        line: The line, without its end.
        sync: Whether it must outlast a power cut, beside the end of the process.

    Raises:
        InputError: when the disk is full or the place can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(line.encode("utf-8") + b"\n")
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> InputError:
    """Return the one line that says why a file could not be written."""
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return InputError(f"{path}: no room to write it ({error.strerror}); free some space and run again")
    return InputError(f"{path}: can't be written ({error.strerror or error}); nothing was changed")


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def to_lines(records: Iterable[Record]) -> str:
    """Return records as canonical JSON Lines."""
    return "".join(canonical_json(record) + "\n" for record in records)


def write_records(path: Path, records: Iterable[Record]) -> str:
    """Write records as canonical JSON Lines, whole or not at all, and return the file's SHA-256."""
    content = to_lines(records).encode("utf-8")
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def read_json_lines(path: Path, shown: str | None = None) -> Iterator[tuple[int, Any]]:
    """Yield each line's number and value.

    Args:
        path: The file; one that isn't there has no lines.
        shown: How the file is named in messages; its path when not given.

    Raises:
        InputError: naming file and line, when a line is no JSON.
    """
    if not path.exists():
        return
    name = shown or str(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except OSError as error:
        raise InputError(f"{name}: can't be read ({error.strerror or error})") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse_json(line)
        except ValueError as error:
            raise InputError(
                f"{name}:{number}: not a JSON value ({error}); mend or remove the line"
            ) from error


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Python reads more than records can hold: ``NaN``, lone surrogates and what is nested beyond a hundred levels
    are refused.

    Raises:
        ValueError: saying in a few words what is wrong.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from error
    except UnicodeEncodeError as error:
        raise ValueError("half of a character, a lone surrogate") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if text.count("[") + text.count("{") > _DEEPEST and _is_deep(value):
        raise ValueError("nested too deeply")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def read_records(path: Path, record: type[R], shown: str | None = None) -> tuple[R, ...]:
    """Read and validate a JSON Lines file of records.

    Raises:
        InputError: naming file and line, when a line is no such record.
    """
    name = shown or str(path)
    return tuple(
        parse_record(value, record, f"{name}:{number}") for number, value in read_json_lines(path, shown)
    )


def parse_record(value: Any, record: type[R], where: str) -> R:
    """Return a value as a record.

    Raises:
        InputError: beginning with ``where`` and naming the first field that is wrong.
    """
    try:
        return record.model_validate(value)
    except ValidationError as error:
        raise InputError(f"{where}: {first_problem(error)}") from error


def first_problem(error: ValidationError) -> str:
    """Return the first finding of a validation in one line: field, what is wrong, what stood there."""
    problem = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in problem["loc"]) or "the value"
    given = repr(problem.get("input"))
    shown = given if len(given) <= 60 else given[:57] + "..."
    message = problem["msg"].removeprefix("Value error, ")
    more = error.error_count() - 1
    return f"{field}: {message[:1].lower()}{message[1:]} (given {shown})" + (f"; {more} more" if more else "")
