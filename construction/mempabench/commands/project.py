"""Finding the project that a command works on."""

from __future__ import annotations

from pathlib import Path

import click

from mempabench.workspace import Workspace


def workspace(ctx: click.Context) -> Workspace:
    """Return the project given with ``-C``, or the one around the current folder."""
    return ctx.find_object(Workspace) or Workspace.find(Path.cwd())
