"""All that is checked, in one value: the records of every artifact, read by the command, never by a check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, SupportsIndex

from mempabench.domain.evidence import Identity, IdentityObservation, Observation, ProposedCell
from mempabench.domain.manifests import Account
from mempabench.domain.personas import Persona, Substitute, User
from mempabench.domain.review import Cell, Decision, ReviewItem, cell_key
from mempabench.domain.transcripts import Line, Scene, Source
from mempabench.prompts import Prompt


class Unavailable(Exception):
    """A check looked at records that aren't there; carries why."""


class Absent(tuple[Any, ...]):
    """Records that aren't there: whoever looks at them can't check, which is not the same as none.

    >>> list(Absent("scenes aren't built yet"))
    Traceback (most recent call last):
        ...
    mempabench.validators.data.Unavailable: scenes aren't built yet
    """

    reason: str

    def __new__(cls, reason: str) -> Absent:
        """Return records that are absent for a reason."""
        absent = super().__new__(cls)
        absent.reason = reason
        return absent

    def __iter__(self) -> Iterator[Any]:
        raise Unavailable(self.reason)

    def __len__(self) -> int:
        raise Unavailable(self.reason)

    def __contains__(self, value: object) -> bool:
        raise Unavailable(self.reason)

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        raise Unavailable(self.reason)


@dataclass(frozen=True)
class RecordedFile:
    """A file of recordings as it lies on disk."""

    stage: str
    """Folder that holds it."""
    name: str
    """Such as ``gross_and_tare.writer.jsonl``."""
    text: str

    @property
    def shown(self) -> str:
        """Path as messages name it."""
        return f"recordings/{self.stage}/{self.name}"


@dataclass(frozen=True)
class BuiltStage:
    """What a stage said that it wrote, and what lies there."""

    stage: str
    account: Account | None
    """None when the stage left no account."""
    rows: int
    """Records in its output as it lies on disk."""
    as_written: bool
    """Whether the output is what the stage wrote, byte for byte."""


@dataclass(frozen=True)
class Data:
    """The records of every artifact, under the artifact's name; ``Absent`` where they can't be read."""

    sources: tuple[Source, ...]
    scenes: tuple[Scene, ...]
    evidence: tuple[Observation, ...]
    identity_observations: tuple[IdentityObservation, ...]
    identity: tuple[Identity, ...]
    proposed_cells: tuple[ProposedCell, ...]
    users: tuple[User, ...]
    review_items: tuple[ReviewItem, ...]
    decisions: tuple[Decision, ...]
    cells: tuple[Cell, ...]
    substitutes: tuple[Substitute, ...]
    personas: tuple[Persona, ...]
    built: tuple[BuiltStage, ...]
    recordings: tuple[RecordedFile, ...]
    prompts: tuple[Prompt, ...]
    users_with_queue: tuple[str, ...]
    """Users whom the configuration takes as far as the review queue."""
    users_with_cells: tuple[str, ...]
    """Users whom the configuration takes as far as settled cells."""
    users_with_personas: tuple[str, ...]
    """Users whom the configuration takes as far as a persona."""

    @cached_property
    def source_by_id(self) -> dict[str, Source]:
        """Sources by id."""
        return {source.id: source for source in self.sources}

    @cached_property
    def scene_by_id(self) -> dict[str, Scene]:
        """Scenes by id; the first where an id is given twice."""
        return {scene.id: scene for scene in reversed(tuple(self.scenes))}

    @cached_property
    def line_by_id(self) -> dict[str, Line]:
        """Lines by id."""
        return {line.id: line for scene in self.scenes for line in scene.lines}

    @cached_property
    def candidates(self) -> frozenset[tuple[str, str]]:
        """Source and person of everybody who may become a user."""
        return frozenset((source.id, person) for source in self.sources for person in source.candidates)

    @cached_property
    def observation_by_id(self) -> dict[str, Observation]:
        """Reactions by id."""
        return {observation.id: observation for observation in self.evidence}

    @cached_property
    def proposal_by_cell(self) -> dict[str, ProposedCell]:
        """Proposals of those who were cast, by the key of the user's cell."""
        return {
            cell_key(user.user, proposal.context, proposal.attribute): proposal
            for user in self.users
            for proposal in self.proposed_cells
            if (proposal.source, proposal.character) == (user.source, user.character)
        }

    @cached_property
    def decision_by_id(self) -> dict[str, Decision]:
        """Events of the review log by id."""
        return {decision.event_id: decision for decision in self.decisions}
