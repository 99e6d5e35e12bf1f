"""What lies on the desk: the queue, the log, and the scenes and observations that the queue cites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mempabench.catalog import DECISIONS, EVIDENCE, IDENTITY, REVIEW_ITEMS, SCENES, USERS, load
from mempabench.domain.evidence import Identity, Observation
from mempabench.domain.personas import User
from mempabench.domain.review import Decision, Reason, ReviewItem
from mempabench.domain.transcripts import Scene, Source
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.log import verify
from mempabench_review.queue import OpenItem, by_cell, current, in_order, waiting


def load_queue(workspace: Workspace) -> tuple[ReviewItem, ...]:
    """Return all items, settled ones too.

    Raises:
        InputError: when the queue was not built yet.
    """
    path = REVIEW_ITEMS.path(workspace.root)
    if not path.is_file():
        raise InputError(f"{workspace.shown(path)}: there is no queue yet; run mempabench build")
    return load(workspace, REVIEW_ITEMS)


def load_log(workspace: Workspace) -> tuple[Decision, ...]:
    """Return the decisions of the log.

    Raises:
        InputError: when the log isn't whole.
    """
    decisions: tuple[Decision, ...] = load(workspace, DECISIONS)
    for finding in verify(decisions):
        raise InputError(finding)
    return decisions


@dataclass(frozen=True)
class CellState:
    """How a cell stands by the events on it."""

    waiting: OpenItem | None
    """The cell as one that waits, or None where it is settled."""
    current: Mapping[str, Decision]
    """Each reviewer's decision on what the cell shows now."""


@dataclass(frozen=True)
class Desk:
    """Everything that somebody needs to decide, read once."""

    items: tuple[ReviewItem, ...]
    decisions: tuple[Decision, ...]
    scenes: dict[str, Scene]
    observations: dict[str, Observation]
    sources: dict[str, Source]
    users: dict[str, User]
    identities: tuple[Identity, ...] = ()
    """Who the candidates are, as far as it is built; what a cell without evidence is specified from."""
    sorted_log: Mapping[str, Sequence[Decision]] | None = None
    """The decisions by cell, where somebody keeps them so; else they are sorted when they are needed."""
    states: dict[str, tuple[tuple[str, int], CellState]] = field(default_factory=dict, compare=False)
    """States worked out before, each with the evidence and the number of events that it holds for."""

    @classmethod
    def load(cls, workspace: Workspace) -> Desk:
        """Read the desk of a project."""
        return cls(
            items=load_queue(workspace),
            decisions=load_log(workspace),
            scenes={scene.id: scene for scene in load(workspace, SCENES)},
            observations={observation.id: observation for observation in load(workspace, EVIDENCE)},
            sources={source.id: source for source in workspace.sources},
            users={user.user: user for user in load(workspace, USERS)},
            identities=load(workspace, IDENTITY),
        )

    def identity(self, user: str) -> Identity | None:
        """Return who a user is, or None where that isn't built yet."""
        cast = self.users.get(user)
        return next(
            (
                who
                for who in self.identities
                if cast and (who.source, who.character) == (cast.source, cast.character)
            ),
            None,
        )

    @cached_property
    def open(self) -> tuple[OpenItem, ...]:
        """The cells that wait, in order."""
        states = (self.state(item) for item in in_order(self.items))
        return tuple(state.waiting for state in states if state.waiting is not None)

    @cached_property
    def audit(self) -> tuple[OpenItem, ...]:
        """The cells of high confidence that were drawn for the audit and that nobody has judged yet."""
        drawn = (item for item in in_order(self.items) if item.reason is Reason.AUDIT)
        return tuple(OpenItem(item, item.reason.value) for item in drawn if not self.state(item).current)

    def state(self, item: ReviewItem) -> CellState:
        """Return how a cell stands; it is worked out anew only when an event was added or the evidence changed."""
        events = self.of_cell(item.cell)
        key = (item.evidence_hash, len(events))
        known = self.states.get(item.cell)
        if known is not None and known[0] == key:
            return known[1]
        state = CellState(waiting(item, events), current(item, events))
        self.states[item.cell] = (key, state)
        return state

    @cached_property
    def log(self) -> Mapping[str, Sequence[Decision]]:
        """The decisions by cell, in their order."""
        return by_cell(self.decisions) if self.sorted_log is None else self.sorted_log

    def of_cell(self, cell: str) -> Sequence[Decision]:
        """Return the events of one cell, in order."""
        return self.log.get(cell, ())

    def item(self, cell: str) -> ReviewItem:
        """Return the item of a cell.

        Raises:
            InputError: when it isn't in the queue.
        """
        found = next((item for item in self.items if item.cell == cell), None)
        if found is None:
            first = in_order(self.items)[0].cell if self.items else "no cell"
            raise InputError(
                f"there is no cell '{cell}' in the queue; it has {len(self.items)} (first: {first})"
            )
        return found

    def chosen(self, cells: Iterable[str]) -> tuple[OpenItem, ...]:
        """Return the named cells, open or settled, in order."""
        open_now = {entry.item.cell: entry for entry in self.open}
        named = in_order({cell: self.item(cell) for cell in cells}.values())
        return tuple(open_now.get(item.cell) or OpenItem(item, item.reason.value) for item in named)

    def cited(self, item: ReviewItem) -> tuple[Observation, ...]:
        """Return the observations that a proposal cites.

        Raises:
            InputError: when one is not in the evidence, so that the queue is older than it.
        """
        for name in item.observations:
            if name not in self.observations:
                raise InputError(f"{item.cell}: cites '{name}', which is no evidence; run mempabench build")
        return tuple(self.observations[name] for name in item.observations)

    def uncited(self, item: ReviewItem) -> tuple[Observation, ...]:
        """Return what else was observed of this person for the cell; a contrary reaction stands here."""
        user = self.users.get(item.user)
        if user is None:
            return ()
        sought = (user.source, user.character, item.context, item.attribute)
        return tuple(
            seen
            for seen in self.observations.values()
            if (seen.source, seen.character, seen.context, seen.attribute) == sought
            and seen.id not in item.observations
        )
