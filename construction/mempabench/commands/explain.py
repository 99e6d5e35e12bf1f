"""``mempabench explain``: the chain from a cell to the lines that it rests on."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TypeVar

import click

from mempabench.artifacts import Artifact
from mempabench.catalog import CELLS, DECISIONS, EVIDENCE, PROPOSED_CELLS, SCENES, USERS, load
from mempabench.commands.project import workspace
from mempabench.commands.telling import told
from mempabench.domain.evidence import Observation, ProposedCell, Quote, Reading
from mempabench.domain.personas import User
from mempabench.domain.review import Cell, Decision
from mempabench.domain.taxonomy import attribute_spec
from mempabench.domain.transcripts import Scene
from mempabench.errors import InputError
from mempabench.workspace import Workspace

R = TypeVar("R")


@click.command()
@click.argument("cell")
@click.pass_context
def explain(ctx: click.Context, cell: str) -> None:
    """Show why CELL (such as user_a/work/verbosity) has its setting.

    From the cell to the decision, the proposal, the observations, their quotes, lines and scenes.
    """
    for line in explained(workspace(ctx), cell):
        click.echo(told(line))


def explained(project: Workspace, key: str) -> Iterator[str]:
    """Yield the chain of one cell, line by line.

    Raises:
        InputError: when there is no such cell, naming near ones.
    """
    cell = _cell(project, key)
    user = next(user for user in _all(project, USERS, User) if user.user == cell.user)
    proposal = next(
        p
        for p in _all(project, PROPOSED_CELLS, ProposedCell)
        if (p.source, p.character, p.context, p.attribute)
        == (user.source, user.character, cell.context, cell.attribute)
    )
    yield from _the_cell(cell)
    yield from _the_decision(project, cell)
    yield from _the_proposal(proposal)
    yield from _the_evidence(project, proposal)


def _all(project: Workspace, artifact: Artifact, kind: type[R]) -> tuple[R, ...]:
    if not artifact.path(project.root).exists() and not artifact.place:
        raise InputError(f"artifacts/{artifact.name}.jsonl: not built yet; run mempabench build")
    return load(project, artifact)


def _cell(project: Workspace, key: str) -> Cell:
    cells = {cell.key: cell for cell in _all(project, CELLS, Cell)}
    if key not in cells:
        near = difflib.get_close_matches(key, cells, n=3) or list(cells)[:3]
        raise InputError(f"{key}: no such cell; did you mean {', '.join(near)}?")
    return cells[key]


def _the_cell(cell: Cell) -> Iterator[str]:
    spec = attribute_spec(cell.attribute)
    meaning = next(setting.definition for setting in spec.settings if setting.name == cell.setting)
    yield f"{cell.key} = {cell.setting}"
    yield f"  {spec.question} {meaning}"
    yield f"  outcome {cell.outcome}, basis {cell.basis}, confidence {cell.confidence}"
    yield ""


def _the_decision(project: Workspace, cell: Cell) -> Iterator[str]:
    if cell.decision is None:
        yield "Decision: none needed; code granted high confidence"
        yield ""
        return
    decision = next(d for d in _all(project, DECISIONS, Decision) if d.event_id == cell.decision)
    yield f"Decision {decision.event_id[:12]} by {decision.reviewer} ({decision.reviewer_kind}), {decision.mode}"
    yield f"  {decision.action} {decision.setting}; context {decision.context_verdict}"
    yield f"  reason: {decision.reason}"
    if decision.circumstances:
        yield f"  circumstances: {decision.circumstances}"
    for verdict in decision.evidence:
        yield f"  {verdict.observation}: {verdict.stance}"
    yield ""


def _the_proposal(proposal: ProposedCell) -> Iterator[str]:
    yield f"Proposal {proposal.key}: {proposal.setting or 'none'}"
    yield f"  confidence {proposal.confidence} (claimed {proposal.claimed}): {proposal.grounds}"
    yield f"  rationale: {proposal.rationale}"
    for resolution in proposal.resolved:
        yield f"  contrary {resolution.observation}, explained by: {resolution.circumstances}"
    if proposal.second is not None:
        yield from _the_second_reader(proposal.second)
    yield ""


def _the_second_reader(second: Reading) -> Iterator[str]:
    yield f"  second reader: {second.setting or 'none'} (claimed {second.claimed}): {second.rationale}"


def _the_evidence(project: Workspace, proposal: ProposedCell) -> Iterator[str]:
    cited = set(proposal.supporting) | {resolution.observation for resolution in proposal.resolved}
    scenes = {scene.id: scene for scene in _all(project, SCENES, Scene)}
    observations = [o for o in _all(project, EVIDENCE, Observation) if o.id in cited]
    yield f"Evidence: {len(observations)} observations"
    for observation in observations:
        scene = scenes[observation.scene]
        yield ""
        yield f"  {observation.id} ({observation.mode}, speaks for {observation.setting})"
        yield f"    {scene.episode} '{scene.episode_title}': {scene.heading} [{scene.file}]"
        yield f"    {observation.act}"
        for quote in observation.quotes:
            yield from _the_quote(quote, scene)
        yield f"    reading: {observation.reading}"


def _the_quote(quote: Quote, scene: Scene) -> Iterator[str]:
    number = int(quote.line.rsplit("/l", 1)[1])
    for near in (number - 1, number):
        line = scene.line(near)
        if line is not None:
            words = line.text or f"({' '.join(direction.text for direction in line.directions)})"
            mark = ">" if near == number else " "
            speaker = f" {line.label}:" if line.label else ""
            yield f"    {mark} {line.id.rsplit('/', 1)[1]}{speaker} {words}"
    yield f"      quoted: «{quote.text}»"
