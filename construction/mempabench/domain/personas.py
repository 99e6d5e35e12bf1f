"""Users: which candidate became whom, and the anonymised persona."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from mempabench.domain.evidence import Facet
from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Attribute, Context
from mempabench.domain.transcripts import Slug

UserId = Annotated[str, StringConstraints(pattern=r"^user_[a-z]$")]


class UserPlan(Record):
    """A user that is to be built: from which source, and how far."""

    user: UserId
    source: Slug
    through: str
    """Last stage that is to be reached for this user."""


class User(Record):
    """A candidate who was cast, and the figures that decided."""

    user: UserId
    source: Slug
    character: Slug
    coverage: int = Field(ge=0)
    """Cells proposed with high or medium confidence, of 28."""


class EntityKind(StrEnum):
    """What a registered name names."""

    PERSON = "person"
    WORKPLACE = "workplace"
    PLACE = "place"
    PRODUCT = "product"
    CATCHPHRASE = "catchphrase"


class ProposedSubstitute(Record):
    """A name of the source and a fictional one that may stand for it."""

    source: Slug
    kind: EntityKind
    original: str
    """Name as the source has it."""
    aliases: tuple[str, ...] = ()
    """Other forms in the source: first name, surname, nickname, with a title."""
    substitute: str
    substitute_aliases: tuple[str, ...] = ()
    """What stands for each alias, in the same order."""
    note: str = ""

    @model_validator(mode="after")
    def _forms_match(self) -> ProposedSubstitute:
        if len(self.aliases) != len(self.substitute_aliases):
            raise ValueError(
                f"'{self.original}' has {len(self.aliases)} aliases and {len(self.substitute_aliases)} substitutes"
            )
        return self

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return every form with what stands for it, the full name first."""
        return ((self.original, self.substitute), *zip(self.aliases, self.substitute_aliases, strict=True))


class Substitute(ProposedSubstitute):
    """An accepted substitute: stands for the name everywhere and in every rebuild."""

    proposed_by: str
    """What proposed it, such as ``language model``."""
    reviewer: str
    """Pseudonym of the reviewer who accepted it."""
    reviewer_kind: str
    """``human`` or ``model``."""


class PersonaItem(Record):
    """A stable fact about a user."""

    kind: str
    statement: str


class Guidance(Record):
    """How the person takes help, for one attribute in one context; simulator view."""

    context: Context
    attribute: Attribute
    note: str
    """A sentence or two on what they notice and how they take it; no attribute or setting is named."""


class Persona(Record):
    """An anonymised user: who they are, how they talk, and how they take being helped."""

    user: UserId
    name: str
    """The fictional name."""
    summary: str
    """A short portrait in the third person."""
    roles: tuple[str, ...]
    items: tuple[PersonaItem, ...]
    facets: tuple[Facet, ...]
    language_style: tuple[str, ...]
    act_repertoire: tuple[str, ...]
    interaction_dynamics: tuple[str, ...]
    production_guidance: tuple[str, ...]
    """How they talk: for whoever plays the user."""
    reception_guidance: tuple[Guidance, ...]
    """How they take help, apart from how they talk; one note a cell."""
