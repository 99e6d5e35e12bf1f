"""The pipeline, top to bottom: one stage a file, one verb a stage.

ingest_transcripts    raw text            -> scenes
find_reactions        scenes              -> evidence            (pass one)
observe_identity      scenes              -> identity observations
merge_identity        those               -> identity
propose_cells         evidence            -> proposed cells      (pass two, every candidate, two readers)
cast_users            proposed cells      -> users               (no model; the rule in its docstring)
queue_review          proposed cells      -> review items
settle_cells          + decisions         -> cells
propose_substitutes   identity            -> a proposal for the reviewed registry
anonymize_personas    cells, identity, registry -> personas
"""

from __future__ import annotations

from mempabench.stages.anonymize_personas import ANONYMIZE_PERSONAS
from mempabench.stages.cast_users import CAST_USERS
from mempabench.stages.find_reactions import FIND_REACTIONS
from mempabench.stages.ingest_transcripts import INGEST_TRANSCRIPTS
from mempabench.stages.merge_identity import MERGE_IDENTITY
from mempabench.stages.observe_identity import OBSERVE_IDENTITY
from mempabench.stages.propose_cells import PROPOSE_CELLS
from mempabench.stages.propose_substitutes import PROPOSE_SUBSTITUTES
from mempabench.stages.queue_review import QUEUE_REVIEW
from mempabench.stages.settle_cells import SETTLE_CELLS
from mempabench.stages.stage import Stage

PIPELINE: tuple[Stage, ...] = (
    INGEST_TRANSCRIPTS,
    FIND_REACTIONS,
    OBSERVE_IDENTITY,
    MERGE_IDENTITY,
    PROPOSE_CELLS,
    CAST_USERS,
    QUEUE_REVIEW,
    SETTLE_CELLS,
    PROPOSE_SUBSTITUTES,
    ANONYMIZE_PERSONAS,
)
"""All stages in order."""
