"""Every artifact of the build by name: what stages hand to each other, and what people keep."""

from __future__ import annotations

from typing import Any

from mempabench.artifacts import Artifact, file_digest, read_records
from mempabench.domain.evidence import Identity, IdentityObservation, Observation, ProposedCell
from mempabench.domain.personas import Persona, ProposedSubstitute, Substitute, User, UserPlan
from mempabench.domain.record import digest
from mempabench.domain.review import Cell, Decision, ReviewItem
from mempabench.domain.transcripts import RawFile, Scene, Source
from mempabench.workspace import Workspace

# What people give and keep.
RAW_FILES = Artifact("raw_files", RawFile, "transcripts_raw")
SOURCES = Artifact("sources", Source, "transcripts_raw/sources.toml")
PLANS = Artifact("plans", UserPlan, "mempabench.toml")
DECISIONS = Artifact("decisions", Decision, "review/records/decisions.jsonl")
SUBSTITUTES = Artifact("substitutes", Substitute, "review/records/substitutes.jsonl")

# What stages write.
SCENES = Artifact("scenes", Scene)
EVIDENCE = Artifact("evidence", Observation)
IDENTITY_OBSERVATIONS = Artifact("identity_observations", IdentityObservation)
IDENTITY = Artifact("identity", Identity)
PROPOSED_CELLS = Artifact("proposed_cells", ProposedCell)
USERS = Artifact("users", User)
REVIEW_ITEMS = Artifact("review_items", ReviewItem)
CELLS = Artifact("cells", Cell)
PROPOSED_SUBSTITUTES = Artifact("proposed_substitutes", ProposedSubstitute)
PERSONAS = Artifact("personas", Persona)


def load(workspace: Workspace, artifact: Artifact) -> tuple[Any, ...]:
    """Return an artifact's records from disk."""
    if artifact is RAW_FILES:
        return tuple(workspace.raw_files())
    if artifact is SOURCES:
        return workspace.sources
    if artifact is PLANS:
        return workspace.plans()
    path = artifact.path(workspace.root)
    return read_records(path, artifact.record, workspace.shown(path))


def input_digest(workspace: Workspace, artifact: Artifact) -> str:
    """Return the digest of what an artifact holds on disk."""
    if artifact in (RAW_FILES, SOURCES):
        return workspace.transcripts_digest()
    if artifact is PLANS:
        return digest([plan.plain() for plan in workspace.plans()])
    return file_digest(artifact.path(workspace.root))
