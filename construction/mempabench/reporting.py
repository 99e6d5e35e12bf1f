"""Figures of the build as Markdown, computed from the data: what README and DATASHEET show.

A page holds a figure between ``<!-- figure: name -->`` and ``<!-- end -->``; nothing in between is typed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mempabench.artifacts import read_records
from mempabench.catalog import (
    CELLS,
    DECISIONS,
    EVIDENCE,
    IDENTITY_OBSERVATIONS,
    PROPOSED_CELLS,
    SCENES,
    SUBSTITUTES,
    USERS,
    load,
)
from mempabench.domain.evidence import Confidence, IdentityObservation, Mode, Observation, ProposedCell
from mempabench.domain.manifests import Recording
from mempabench.domain.personas import Substitute, User
from mempabench.domain.review import Basis, Cell, Decision, Outcome
from mempabench.domain.taxonomy import TAXONOMY, Context, settings_of, uniform_chance
from mempabench.domain.transcripts import Scene
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.agreement import Agreement, Kappa, Pair, agreement

_BLOCK = re.compile(r"(<!-- figure: (?P<name>[a-z_]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Figures:
    """Everything that is counted, over one build."""

    project: Workspace

    @cached_property
    def scenes(self) -> tuple[Scene, ...]:
        """All scenes."""
        return load(self.project, SCENES)

    @cached_property
    def evidence(self) -> tuple[Observation, ...]:
        """All observations of pass one."""
        return load(self.project, EVIDENCE)

    @cached_property
    def identity(self) -> tuple[IdentityObservation, ...]:
        """All identity observations."""
        return load(self.project, IDENTITY_OBSERVATIONS)

    @cached_property
    def proposals(self) -> tuple[ProposedCell, ...]:
        """All proposals of pass two."""
        return load(self.project, PROPOSED_CELLS)

    @cached_property
    def users(self) -> tuple[User, ...]:
        """The cast."""
        return load(self.project, USERS)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All settled cells."""
        return load(self.project, CELLS)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The review log."""
        return load(self.project, DECISIONS)

    @cached_property
    def substitutes(self) -> tuple[Substitute, ...]:
        """The registry."""
        return load(self.project, SUBSTITUTES)

    @cached_property
    def recordings(self) -> dict[str, tuple[Recording, ...]]:
        """All recordings by stage and seat."""
        return {
            path.relative_to(self.project.recordings).as_posix(): read_records(
                path, Recording, self.project.shown(path)
            )
            for path in sorted(self.project.recordings.rglob("*.jsonl"))
        }

    @cached_property
    def second_reader(self) -> Agreement:
        """Agreement of the two readers of pass two, over every candidate's cells that both were asked for."""
        return agreement(second_reader_pairs(self.proposals), seed=self.project.config.seed)

    def user_of(self, proposal: ProposedCell) -> str | None:
        """Return the user whom a proposal's candidate became, or None."""
        for user in self.users:
            if (user.source, user.character) == (proposal.source, proposal.character):
                return user.user
        return None


def second_reader_pairs(proposals: Iterable[ProposedCell]) -> list[Pair]:
    """Return the pairs of first and second reader's settings, with context, band and candidate to slice by."""
    return [
        Pair(
            attribute=proposal.attribute,
            first=proposal.setting,
            second=proposal.second.setting,
            item=proposal.key,
            labels={
                "context": proposal.context,
                "band": proposal.confidence,
                "candidate": proposal.character,
            },
        )
        for proposal in proposals
        if proposal.second is not None
    ]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; all columns but the first are set right."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    lines = [head, ruler, *([str(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def sources_figure(figures: Figures) -> str:
    """Return what each source holds."""
    rows = []
    for source in figures.project.sources:
        own = [scene for scene in figures.scenes if scene.source == source.id]
        spoken = [line for scene in own for line in scene.lines if line.speakers]
        rows.append(
            (
                source.title,
                len({scene.episode for scene in own}),
                len(own),
                len(spoken),
                len({person for line in spoken for person in line.speakers}),
                source.license,
            )
        )
    return table(("source", "episodes", "scenes", "spoken lines", "speakers", "licence"), rows)


def evidence_figure(figures: Figures) -> str:
    """Return what pass one found, by candidate."""
    rows = []
    for candidate in dict.fromkeys(o.character for o in figures.evidence):
        own = [o for o in figures.evidence if o.character == candidate]
        counts = Counter((o.context, o.mode) for o in own)
        rows.append(
            (
                candidate,
                *(counts[context, mode] for context in Context for mode in (Mode.RECEPTION, Mode.PRODUCTION)),
                sum(len(o.quotes) for o in own),
                sum(o.character == candidate for o in figures.identity),
            )
        )
    head = (
        "candidate",
        *(f"{context} {mode}" for context in Context for mode in ("reception", "production")),
    )
    return table((*head, "quotes", "identity observations"), rows)


def confidence_figure(figures: Figures) -> str:
    """Return granted confidence by candidate, and who was cast."""
    rows = []
    for candidate in dict.fromkeys((p.source, p.character) for p in figures.proposals):
        own = [p for p in figures.proposals if (p.source, p.character) == candidate]
        counts = Counter(p.confidence for p in own)
        user = figures.user_of(own[0]) or "not cast"
        rows.append((candidate[1], *(counts[band] for band in Confidence), user))
    return table(("candidate", *Confidence, "became"), rows)


def claimed_figure(figures: Figures) -> str:
    """Return claimed against granted confidence, over all candidates."""
    counts = Counter((p.claimed, p.confidence) for p in figures.proposals)
    rows = [(claimed, *(counts[claimed, granted] for granted in Confidence)) for claimed in Confidence]
    return table(("claimed \\ granted", *Confidence), rows)


def agreement_figure(figures: Figures) -> str:
    """Return the agreement of the two readers of pass two."""
    found = figures.second_reader
    bands = found.slices.get("band", {})
    rows = [
        ("all, stratified by attribute", *_kappa(found.headline)),
        *(
            (f"granted {band.value}", *_kappa(bands[band.value]))
            for band in Confidence
            if band.value in bands
        ),
        *((name, *_kappa(kappa)) for name, kappa in found.slices.get("context", {}).items()),
        *((name, *_kappa(kappa)) for name, kappa in found.by_attribute.items()),
    ]
    low, high = found.interval.low, found.interval.high
    interval = f"95 % interval of the headline: {low:.2f} to {high:.2f}" if low is not None else "no interval"
    return table(("cells", "n", "agree", "by chance", "kappa"), rows) + f"\n{interval}.\n"


def _kappa(kappa: Kappa) -> tuple[str, ...]:
    shown = (
        f"{value:.2f}" if value is not None else "undefined" for value in (kappa.observed, kappa.expected)
    )
    return (str(kappa.n), *shown, f"{kappa.kappa:.2f}" if kappa.kappa is not None else "undefined")


def outcomes_figure(figures: Figures) -> str:
    """Return cells by user, outcome and basis."""
    rows = []
    for user in dict.fromkeys(cell.user for cell in figures.cells):
        own = [cell for cell in figures.cells if cell.user == user]
        outcomes, bases = Counter(cell.outcome for cell in own), Counter(cell.basis for cell in own)
        rows.append((user, len(own), *(outcomes[o] for o in Outcome), *(bases[b] for b in Basis)))
    return table(("user", "cells", *Outcome, *Basis), rows)


def matrix_figure(figures: Figures) -> str:
    """Return the preference matrix: setting by attribute, user and context."""
    at = {(cell.user, cell.context, cell.attribute): cell.setting for cell in figures.cells}
    users = list(dict.fromkeys(cell.user for cell in figures.cells))
    columns = [(user, context) for user in users for context in Context]
    rows = [
        (spec.attribute, *(at[user, context, spec.attribute] for user, context in columns))
        for spec in TAXONOMY
    ]
    return table(("attribute", *(f"{user} {context}" for user, context in columns)), rows)


def matrix_facts_figure(figures: Figures) -> str:
    """Return what the matrix looks like as a whole."""
    used = {(cell.attribute, cell.setting) for cell in figures.cells}
    known = [(spec.attribute, setting.name) for spec in TAXONOMY for setting in spec.settings]
    pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in figures.cells:
        pairs[cell.user, cell.attribute].add(cell.setting)
    differing = sum(len(settings) > 1 for settings in pairs.values())
    absent = ", ".join(
        f"{attribute} {setting}" for attribute, setting in known if (attribute, setting) not in used
    )
    constant = _constant(figures.cells)
    return (
        f"- settings in use: {len(used)} of {len(known)}" + (f" (absent: {absent})" if absent else "") + "\n"
        f"- user-attribute pairs whose contexts differ: {differing} of {len(pairs)}\n"
        f"- best constant answer: {100 * constant:.1f} % of the cells (uniform chance "
        f"{100 * uniform_chance():.1f} %)\n"
    )


def _constant(cells: Sequence[Cell]) -> float:
    right = 0
    for spec in TAXONOMY:
        counts = Counter(cell.setting for cell in cells if cell.attribute is spec.attribute)
        right += max((counts[name] for name in settings_of(spec.attribute)), default=0)
    return right / len(cells)


def recordings_figure(figures: Figures) -> str:
    """Return the recorded answers by stage and seat, the refused ones among them, and what wrote them."""
    rows = []
    for name, recordings in figures.recordings.items():
        writers = ", ".join(sorted({recording.writer for recording in recordings}))
        refused = sum(bool(recording.refused) for recording in recordings)
        versions = ", ".join(sorted({recording.prompt_version for recording in recordings}))
        rows.append((name, len(recordings), refused, versions, writers))
    return table(("recordings", "answers", "refused", "prompt versions", "writer"), rows)


def review_figure(figures: Figures) -> str:
    """Return the decisions by what kind of reviewer made them, in which mode."""
    counts = Counter((d.reviewer, d.reviewer_kind, d.mode, d.action) for d in figures.decisions)
    return table(
        ("reviewer", "kind", "mode", "action", "decisions"), ((*key, n) for key, n in sorted(counts.items()))
    )


FIGURES: dict[str, Callable[[Figures], str]] = {
    "sources": sources_figure,
    "evidence": evidence_figure,
    "confidence": confidence_figure,
    "claimed": claimed_figure,
    "agreement": agreement_figure,
    "outcomes": outcomes_figure,
    "matrix": matrix_figure,
    "matrix_facts": matrix_facts_figure,
    "recordings": recordings_figure,
    "review": review_figure,
}
"""All figures by name."""


def filled(text: str, figures: Figures, name: str) -> str:
    """Return a page with every figure computed anew.

    Raises:
        InputError: when the page asks for a figure that doesn't exist.
    """

    def fill(found: re.Match[str]) -> str:
        if found["name"] not in FIGURES:
            raise InputError(f"{name}: no figure '{found['name']}'; there are {', '.join(FIGURES)}")
        return f"{found[1]}{FIGURES[found['name']](figures)}{found[3]}"

    return _BLOCK.sub(fill, text)


def pages(project: Workspace) -> list[Path]:
    """Return the pages that show figures."""
    return [path for name in ("README.md", "DATASHEET.md") if (path := project.root / name).is_file()]
