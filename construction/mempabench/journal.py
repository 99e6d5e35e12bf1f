"""The journal of a stage's finished units: what a crash leaves, the next run takes up.

Finished units are appended one by one to ``<stage>.part``, each flushed to disk; when the stage is done they
are written whole to ``<stage>.jsonl``. A line that a crash tore is cut off before anything is appended.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mempabench.artifacts import append_line, write_bytes
from mempabench.domain.record import canonical_json


@dataclass(frozen=True)
class Journal:
    """The two files of one stage."""

    path: Path
    """The finished file; the growing one lies beside it."""

    @property
    def growing(self) -> Path:
        """The file to which finished units are appended."""
        return self.path.with_suffix(".part")

    def units(self) -> dict[str, dict[str, Any]]:
        """Return the latest entry of every unit, by unit id."""
        entries = [*_entries(_whole_lines(self.path)), *_entries(_whole_lines(self.growing))]
        return {entry["unit"]: entry for entry in entries}

    def mend(self) -> None:
        """Cut off a line that a crash tore, so that the next one starts on its own."""
        whole = _whole_lines(self.growing)
        if self.growing.exists() and self.growing.stat().st_size != len(whole):
            write_bytes(self.growing, whole)

    def append(self, entry: dict[str, Any]) -> None:
        """Keep a finished unit."""
        append_line(self.growing, canonical_json(entry))

    def finish(self, entries: Sequence[dict[str, Any]]) -> None:
        """Write the units of a finished stage and end the growing file."""
        if entries:
            write_bytes(self.path, "".join(canonical_json(entry) + "\n" for entry in entries).encode("utf-8"))
        self.growing.unlink(missing_ok=True)


def _whole_lines(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return content[: content.rfind(b"\n") + 1]


def _entries(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the entries that can be read; one that can't only means that its unit is done again."""
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and {"unit", "key", "rows", "refused", "refusals"} <= entry.keys():
                yield entry
