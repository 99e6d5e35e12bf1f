"""All tools by name, loaded from the modules of ``tools``."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache

from mempabench.domain.worlds import WorldHeader, WorldRecord
from mempabench.world.binding import bound
from mempabench.world.branch import Branch
from mempabench.world.interaction import INTERACTION_TOOLS
from mempabench.world.state import State
from mempabench.world.tool import Tool

DOMAINS = (
    "calendar",
    "rooms",
    "mail",
    "messages",
    "contacts",
    "tasks",
    "reminders",
    "notes",
    "files",
    "documents",
    "meetings",
    "projects",
    "travel",
    "reservations",
    "shopping",
    "payments",
    "expenses",
    "health",
    "home",
    "transport",
    "search",
)
"""The modules that hold tools, in the order in which they are listed."""


@cache
def world_tools() -> Mapping[str, Tool]:
    """Return the 83 tools of the world by name (paper §C.2)."""
    found: dict[str, Tool] = {}
    for domain in DOMAINS:
        module = importlib.import_module(f"mempabench.world.tools.{domain}")
        found |= {name: one for name, one in vars(module).items() if isinstance(one, Tool)}
    return found


@cache
def all_tools() -> Mapping[str, Tool]:
    """Return the tools of the world and the 14 interaction tools by name."""
    return {**world_tools(), **INTERACTION_TOOLS}


def open_world(header: WorldHeader, records: Iterable[WorldRecord], *, interaction: bool = True) -> Branch:
    """Return a branch at the beginning of a world, its prose filled in.

    Raises:
        InputError: when an id is given twice, or a slot in prose names nothing.
    """
    return Branch(header, State.of(bound(header, records)), all_tools() if interaction else world_tools())
