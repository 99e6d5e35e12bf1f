"""A world in use: a state, the calls that led to it, and branches that cost nothing.

A branch never changes the one that it comes from. Every change names its call; the calls, played again on the first
state, give the same states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from mempabench.domain.worlds import WorldHeader
from mempabench.errors import InputError
from mempabench.world.state import Change, State
from mempabench.world.tool import ALWAYS, Outcome, Tool
from mempabench.world.view import View


@dataclass(frozen=True)
class Call:
    """A call that was made, and what came of it."""

    number: int
    """Counted from 1 in its branch."""
    at: datetime
    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome
    changes: tuple[Change, ...] = ()


class _Node(NamedTuple):
    """A call, what it led to, and the calls before it."""

    before: _Node | None
    call: Call
    state: State


class Checkpoint(NamedTuple):
    """Where a branch stands; never changed."""

    state: State
    calls: _Node | None
    created: Mapping[str, int]
    locked: bool


class Branch:
    """A world that calls are made on."""

    def __init__(self, header: WorldHeader, state: State, tools: Mapping[str, Tool]) -> None:
        self.header = header
        self.tools = tools
        self.first = state
        """What it began with."""
        self._stands = Checkpoint(state, None, {}, locked=False)

    @property
    def state(self) -> State:
        """All records as they are now, those included that nobody knows yet."""
        return self._stands.state

    @property
    def locked(self) -> bool:
        """Whether tools that write are refused."""
        return self._stands.locked

    def lock(self, on: bool = True) -> None:
        """Refuse tools that write, or no longer."""
        self._stands = self._stands._replace(locked=on)

    def call(self, name: str, arguments: Mapping[str, Any], at: datetime) -> Outcome:
        """Make a call at an instant; a refusal is an outcome too, and changes nothing.

        Raises:
            InputError: when the instant has no offset, or lies before that of the call before.
        """
        at = self._checked(at)
        stands = self._stands
        outcome, view = self._run(name, arguments, at)
        changes = view.changes() if view is not None and outcome.done else ()
        state = stands.state.changed(changes)
        call = Call(self._count() + 1, at, name, dict(arguments), outcome, changes)
        created = view.created if view is not None and outcome.done else stands.created
        self._stands = stands._replace(state=state, calls=_Node(stands.calls, call, state), created=created)
        return outcome

    def _run(self, name: str, arguments: Mapping[str, Any], at: datetime) -> tuple[Outcome, View | None]:
        tool = self.tools.get(name)
        if tool is None:
            error = {"code": "no_such_tool", "message": f"{name}: {ALWAYS['no_such_tool']}", "limit": False}
            return Outcome({"error": error}, code="no_such_tool"), None
        if self.locked and tool.writes:
            error = {"code": "locked", "message": f"{name}: {ALWAYS['locked']}", "limit": False}
            return Outcome({"error": error}, code="locked"), None
        stands = self._stands
        view = View(stands.state, self.header, at, tool.reads, tool.writes, dict(stands.created))
        return tool.run(view, arguments), view

    def _checked(self, at: datetime) -> datetime:
        if at.tzinfo is None:
            raise InputError(
                f"{at.isoformat()}: a time without an offset says nothing; add one, such as +01:00"
            )
        at = at.astimezone(UTC).replace(microsecond=0)
        last = self._stands.calls
        if last is not None and at < last.call.at:
            before = last.call.at.isoformat()
            raise InputError(f"{at.isoformat()}: lies before the last call of this branch, at {before}")
        return at

    def _count(self) -> int:
        return 0 if self._stands.calls is None else self._stands.calls.call.number

    def journal(self) -> tuple[Call, ...]:
        """Return the calls that were made, in their order."""
        return tuple(node.call for node in reversed(list(self._nodes())))

    def _nodes(self) -> Iterator[_Node]:
        node = self._stands.calls
        while node is not None:
            yield node
            node = node.before

    def as_of(self, now: datetime) -> State:
        """Return what was known at an instant: after the calls up to it, and by the entry dates."""
        now = now.astimezone(UTC)
        before = next((node.state for node in self._nodes() if node.call.at <= now), self.first)
        return before.as_of(now)

    def branch(self) -> Branch:
        """Return a branch that goes on from here; neither sees what is done on the other."""
        other = Branch(self.header, self.first, self.tools)
        other._stands = self._stands
        return other

    def checkpoint(self) -> Checkpoint:
        """Return where it stands, to come back to."""
        return self._stands

    def rollback(self, to: Checkpoint) -> None:
        """Go back to where it stood; the calls since then are forgotten."""
        self._stands = to


def replay(branch: Branch, calls: tuple[Call, ...]) -> None:
    """Make calls again on a branch.

    Raises:
        InputError: when one has another outcome than before, naming it.
    """
    for call in calls:
        outcome = branch.call(call.tool, call.arguments, call.at)
        if outcome.text != call.outcome.text:
            raise InputError(
                f"call {call.number} ({call.tool}): it has another outcome now: {outcome.text[:200]}"
            )
