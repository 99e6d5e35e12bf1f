"""Rules that the built data must keep, one module a subject, each with its own range of codes.

transcripts  E1xx   scenes and lines
evidence     E2xx   reactions, identity, and that their quotes bind
proposals    E3xx   proposed cells and the confidence that they earn
cells        E4xx   users, queue, decisions, settled cells
personas     E5xx   the substitution registry and the personas
views        E6xx   accounts, outputs, recordings
worlds       E7xx   the records of a world: what is known when, sums, hours, capacity, prose (``WORLD_CHECKS``)
hints        Hxx    figures for readers, with alarms; they never fail anything
"""

from __future__ import annotations

from mempabench.validators import cells, evidence, personas, proposals, transcripts, views
from mempabench.validators.check import Check

CHECKS: tuple[Check, ...] = (
    *transcripts.CHECKS,
    *evidence.CHECKS,
    *proposals.CHECKS,
    *cells.CHECKS,
    *personas.CHECKS,
    *views.CHECKS,
)
"""All checks, in the order of their codes."""
