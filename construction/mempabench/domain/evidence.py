"""What scenes show: reactions to being helped, identity, and the setting proposed for each cell."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from mempabench.domain.record import Record, digest
from mempabench.domain.taxonomy import Attribute, Context
from mempabench.domain.transcripts import Slug


class Mode(StrEnum):
    """Whether a person shows how they talk or how they take being talked to (paper §B.2)."""

    PRODUCTION = "production"
    RECEPTION = "reception"


class Confidence(StrEnum):
    """How well a proposed setting is supported."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"
    """No usable evidence: nothing is proposed."""


class Quote(Record):
    """Words of one line, bound to their place."""

    line: str
    """Id of the line."""
    start: int = Field(ge=0)
    """Offset of the first character in the line's text, in code points."""
    end: int
    """Offset after the last character."""
    text: str
    """The words, exactly as the line has them."""


class Observation(Record):
    """A character's reaction to an assistance-like act, or their own manner, in one scene (pass one)."""

    id: str
    """Id such as ``gross_and_tare/s01e03/sc04/zdenka/o2``."""
    source: Slug
    scene: str
    character: Slug
    context: Context
    """Judged by circumstance: what role the character is in, not the place alone."""
    mode: Mode
    act: str
    """What was done to or for the character (reception), or what they did for another (production)."""
    reading: str
    """What the reaction says about how the character wants to be assisted, and why."""
    attribute: Attribute
    setting: str
    quotes: tuple[Quote, ...]

    @property
    def episode(self) -> str:
        """Episode part of the scene id."""
        return self.scene.split("/")[1]


class IdentityObservation(Record):
    """Something a scene shows about who a character is."""

    id: str
    """Id such as ``gross_and_tare/s01e03/sc04/zdenka/i1``."""
    source: Slug
    scene: str
    character: Slug
    topic: str
    """One of relationship, activity, circumstance, history, temperament, speech."""
    statement: str
    quotes: tuple[Quote, ...]


class IdentityItem(Record):
    """A stable fact about a character, merged from observations."""

    kind: str
    """One of relationship, activity, circumstance, history."""
    statement: str
    observations: tuple[str, ...]
    """Ids of the observations that support it."""


class Facet(Record):
    """A personality facet rated from identity observations alone; null when they say nothing (paper §I.2)."""

    name: str
    level: str | None
    """``low``, ``medium``, ``high`` or null."""
    note: str
    observations: tuple[str, ...] = ()


class Identity(Record):
    """Who a candidate is, merged over all scenes."""

    source: Slug
    character: Slug
    roles: tuple[str, ...]
    """Roles in work and private life, as noun phrases."""
    items: tuple[IdentityItem, ...]
    facets: tuple[Facet, ...]
    language_style: tuple[str, ...]
    """How they talk: production, never reception."""
    act_repertoire: tuple[str, ...]
    """Dialogue acts that they use, such as "answers a question with a task"."""
    interaction_dynamics: tuple[str, ...]
    """How talk with them tends to go, by whom it is with and what has happened before."""


class Resolution(Record):
    """A contrary observation and the circumstances that explain it."""

    observation: str
    circumstances: str


class Reading(Record):
    """One reader's proposal for one cell: what pass two answers."""

    setting: str | None
    """The proposed setting; null where nothing is usable."""
    rationale: str
    supporting: tuple[str, ...] = ()
    """Ids of the observations that speak for it."""
    resolved: tuple[Resolution, ...] = ()
    """Contrary observations, each explained by circumstances."""
    claimed: Confidence
    """The reader's own confidence; granted confidence is code's."""


class ProposedCell(Record):
    """The setting that pass two proposes for one candidate's cell, and how well it stands."""

    source: Slug
    character: Slug
    context: Context
    attribute: Attribute
    setting: str | None
    confidence: Confidence
    """Granted by code from the evidence."""
    grounds: str
    """Why the confidence was granted, in a sentence made by code."""
    claimed: Confidence
    rationale: str
    supporting: tuple[str, ...]
    resolved: tuple[Resolution, ...] = ()
    quotes: tuple[Quote, ...] = ()
    """All quotes of the supporting observations."""
    contrary_quotes: tuple[Quote, ...] = ()
    """All quotes of the contrary observations that were explained by circumstances."""
    second: Reading | None = None
    """The independent second reader's answer."""

    @property
    def key(self) -> str:
        """Key within the source, such as ``gross_and_tare/zdenka/work/verbosity``."""
        return f"{self.source}/{self.character}/{self.context}/{self.attribute}"

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of all cited observations: the supporting ones, then the contrary ones that were explained."""
        return (*self.supporting, *(resolution.observation for resolution in self.resolved))

    @property
    def cited_quotes(self) -> tuple[Quote, ...]:
        """Quotes of all cited observations, in the same order."""
        return (*self.quotes, *self.contrary_quotes)

    def evidence_hash(self) -> str:
        """Return the hash of (setting, confidence, cited lines and quotes) to which a decision is bound."""
        cited = [
            [[quote.line, quote.start, quote.text] for quote in quotes]
            for quotes in (self.quotes, self.contrary_quotes)
        ]
        return digest([self.setting, self.confidence, cited])
