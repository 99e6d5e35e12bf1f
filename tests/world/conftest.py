"""The specimen world at ten on Wednesday 3 March 2027."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

import pytest

from mempabench.assets import specimen_world
from mempabench.domain.worlds import WorldHeader, WorldRecord
from mempabench.world.branch import Branch
from mempabench.world.loading import read_world
from mempabench.world.tool import Outcome
from mempabench.world.toolbox import open_world

NOW = datetime.fromisoformat("2027-03-03T10:00:00+01:00")


@cache
def specimen() -> tuple[WorldHeader, tuple[WorldRecord, ...]]:
    """Return the specimen world."""
    return read_world(specimen_world().read_text("utf-8"), "specimen.jsonl")


@cache
def opened() -> Branch:
    """Return a branch on which nothing was done."""
    return open_world(*specimen())


@pytest.fixture
def world() -> Branch:
    """The specimen world, to do anything with."""
    return opened().branch()


def done(world: Branch, name: str, at: datetime = NOW, /, **arguments: Any) -> dict[str, Any]:
    """Make a call that has to be carried out; return its result."""
    outcome = world.call(name, arguments, at)
    assert outcome.done, outcome.text
    return outcome.result


def refused(world: Branch, name: str, at: datetime = NOW, /, **arguments: Any) -> Outcome:
    """Make a call that has to be refused; return its outcome."""
    before = world.state.digest()
    outcome = world.call(name, arguments, at)
    assert not outcome.done, outcome.text
    assert world.state.digest() == before
    return outcome
