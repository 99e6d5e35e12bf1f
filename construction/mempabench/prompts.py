"""Prompts are data: one file each, with a version, filled strictly."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from mempabench.artifacts import parse_record
from mempabench.domain.record import Record
from mempabench.errors import InputError

_FRONT = re.compile(r"\A\+\+\+\n(?P<front>.*?)\n\+\+\+\n(?P<body>.*)\Z", re.DOTALL)
_DIVIDER = "\n=====\n"


class Equivalent(Record):
    """An older text that asked the same, so that its answers still count."""

    sha256: str
    reason: str


class Prompt(Record):
    """A prompt: a system message, a user message with ``$names``, and a version."""

    name: str
    version: str
    """Raised whenever the text asks something else."""
    equivalent: tuple[Equivalent, ...] = ()
    system: str
    message: str

    def text_sha256(self) -> str:
        """Return the SHA-256 of both texts as they stand in the file."""
        return hashlib.sha256(f"{self.system}{_DIVIDER}{self.message}".encode()).hexdigest()

    def names(self) -> frozenset[str]:
        """Return the names that must be filled."""
        return frozenset(Template(self.system).get_identifiers()) | frozenset(
            Template(self.message).get_identifiers()
        )


def load_prompt(folder: Path, name: str) -> Prompt:
    """Read a prompt file.

    Raises:
        InputError: when the file is missing or not in the form of ``prompts/README.md``.
    """
    path = folder / f"{name}.md"
    shown = f"prompts/{name}.md"
    try:
        found = _FRONT.match(path.read_text(encoding="utf-8"))
    except OSError as error:
        known = ", ".join(sorted(file.stem for file in folder.glob("*.md") if file.stem != "README"))
        raise InputError(f"{shown}: can't be read ({error.strerror}); there are {known or 'none'}") from error
    if found is None or _DIVIDER not in found["body"]:
        raise InputError(
            f"{shown}: needs a +++ head with a version, and ===== between system and user message"
        )
    try:
        front: dict[str, Any] = tomllib.loads(found["front"])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{shown}: its head is not valid TOML ({error})") from error
    system, message = found["body"].split(_DIVIDER, 1)
    return parse_record(
        {"name": name, **front, "system": system.strip() + "\n", "message": message.strip() + "\n"},
        Prompt,
        shown,
    )


def render(prompt: Prompt, inputs: Mapping[str, str]) -> tuple[str, str]:
    """Return system and user message with every ``$name`` filled and no input left over.

    Values are put in as they are: a ``$`` inside them means nothing.

    Raises:
        InputError: naming what prompt and caller disagree on.
    """
    differ = sorted(prompt.names() ^ inputs.keys())
    if differ:
        raise InputError(f"prompt '{prompt.name}' and its caller disagree on: {', '.join(differ)}")
    return Template(prompt.system).substitute(inputs), Template(prompt.message).substitute(inputs)
