"""What every importer returns: scenes as the file has them, before names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mempabench.domain.transcripts import Direction


@dataclass(frozen=True)
class RawLine:
    """A turn as the file has it."""

    label: str | None
    """Speaker label; None for a direction that stands alone."""
    text: str
    directions: tuple[Direction, ...]
    number: int
    """Line number in the file, from 1."""


@dataclass(frozen=True)
class RawScene:
    """A scene as the file has it."""

    episode: str
    """Such as ``s01e03``."""
    title: str
    heading: str
    lines: tuple[RawLine, ...]


Importer = Callable[[bytes, str], Iterable[RawScene]]
"""Reads a file's bytes; the second argument names the file in messages."""
