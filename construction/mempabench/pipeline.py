"""The runner: skips what is current, resumes what was interrupted, records how each thing was made.

It knows no stage by name. A stage is current when its key is: name and version, digests of what it reads,
of its prompts and of its recorded answers. Within a stage each unit of work has such a key too, so that an
edited scene re-runs that scene.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mempabench.artifacts import (
    Artifact,
    file_digest,
    write_bytes,
    write_records,
)
from mempabench.catalog import PLANS, input_digest, load
from mempabench.domain.manifests import Account, Refusal
from mempabench.domain.record import Record, canonical_json, digest
from mempabench.engines.asking import Asker, Pending, Refused, Unanswered
from mempabench.engines.engine import Engine
from mempabench.engines.recorded import Recordings, recordings_digest
from mempabench.errors import EngineError, InputError, MemPABenchError, ReviewPending
from mempabench.journal import Journal
from mempabench.prompts import Prompt, load_prompt
from mempabench.stages.stage import Stage, Step, Unit
from mempabench.workspace import Workspace

EngineFor = Callable[[str], Engine]
"""Gives the engine that one unit may ask."""


@dataclass(frozen=True)
class UnitResult:
    """What became of a unit."""

    rows: tuple[dict[str, Any], ...] = ()
    refusals: tuple[Refusal, ...] = ()
    pending: tuple[Pending, ...] = ()
    refused: bool = False


@dataclass(frozen=True)
class StageReport:
    """What became of a stage in one run."""

    stage: Stage
    state: str
    """``current``, ``built``, ``waiting`` (answers or decisions are missing) or ``blocked`` (what it reads is)."""
    account: Account | None = None
    worked: int = 0
    """Units that were really worked on; the others were current."""
    pending: tuple[Pending, ...] = ()
    problem: MemPABenchError | None = None
    key: str = ""


@dataclass(frozen=True)
class Doing:
    """One unit with all it needs to be done anywhere."""

    stage: str
    unit: Unit
    step: Step
    engine: Engine
    prompts: dict[str, Prompt]
    attempts: int


def do_unit(doing: Doing) -> UnitResult:
    """Do one unit of work; a module-level function, so that it can travel."""
    unit = doing.unit
    asker = Asker(doing.stage, unit.group, unit.id, doing.engine, doing.prompts, doing.attempts)
    try:
        rows = tuple(record.plain() for record in doing.step(unit, asker))
    except Unanswered as missing:
        return UnitResult(pending=missing.pending, refusals=tuple(asker.refusals))
    except Refused:
        return UnitResult(refused=True, refusals=tuple(asker.refusals))
    return UnitResult(rows=rows, refusals=tuple(asker.refusals))


class InOrder(Executor):
    """The plain executor: does the work here and now, one unit after the other."""

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], **options: Any) -> Iterator[Any]:
        """Yield ``fn`` of each item, lazily and in order."""
        return map(fn, *iterables)


@dataclass
class UnitWork:
    """The runner's side of a stage's ``work``: cache, journal, account."""

    stage: Stage
    workspace: Workspace
    prompts: dict[str, Prompt]
    recordings: Recordings
    executor: Executor
    journal: Journal | None
    """Where finished units are kept; None when nothing may be written."""
    cached: dict[str, tuple[str, UnitResult]]
    progress: Callable[[int, int], None]
    engine_for: EngineFor | None = None
    pending: list[Pending] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)
    units: int = 0
    done: int = 0
    worked: int = 0
    refused: int = 0
    in_review: int = 0

    def each(self, units: Iterable[Unit], step: Step) -> Iterator[Any]:
        """Yield the rows of every unit that is done, in the order of the units."""
        todo = list(units)
        _refuse_twin_units(self.stage, todo)
        keys = [self._key(unit) for unit in todo]
        stale = [
            unit
            for unit, key in zip(todo, keys, strict=True)
            if self.cached.get(unit.id, ("", None))[0] != key
        ]
        results = self.executor.map(do_unit, [self._doing(unit, step) for unit in stale])
        for number, (unit, key) in enumerate(zip(todo, keys, strict=True), start=1):
            current = self.cached.get(unit.id)
            if current is not None and current[0] == key:
                result = current[1]
            else:
                result = next(results)
                self.worked += 1
                self._keep(unit, key, result)
            self._count(result)
            if not result.pending:
                self.kept.append(_entry(unit, key, result))
            self.progress(number, len(todo))
            yield from (self.stage.writes.record.model_validate(row) for row in result.rows)

    def tally(self, *, done: int = 0, in_review: int = 0) -> None:
        """Account for work that isn't mapped over units."""
        self.units += done + in_review
        self.done += done
        self.in_review += in_review

    def _key(self, unit: Unit) -> str:
        return digest(
            [
                self.stage.name,
                self.stage.version,
                [record.plain() for record in unit.payload],
                [[prompt.version, prompt.text_sha256()] for prompt in self.prompts.values()],
                self.recordings.unit_digest(unit.id),
                self.workspace.config.engine.attempts,
            ]
        )

    def _doing(self, unit: Unit, step: Step) -> Doing:
        engine = self.engine_for(unit.id) if self.engine_for else self.recordings.engine(unit.id)
        attempts = self.workspace.config.engine.attempts + self.recordings.again.get(unit.id, 0)
        return Doing(self.stage.name, unit, step, engine, self.prompts, attempts)

    def _keep(self, unit: Unit, key: str, result: UnitResult) -> None:
        if self.journal is not None and not result.pending:
            self.journal.append(_entry(unit, key, result))

    def _count(self, result: UnitResult) -> None:
        self.units += 1
        self.pending.extend(result.pending)
        self.refusals.extend(result.refusals)
        if result.refused:
            self.refused += 1
        elif not result.pending:
            self.done += 1


def _refuse_twin_units(stage: Stage, units: Sequence[Unit]) -> None:
    seen: set[str] = set()
    for unit in units:
        if unit.id in seen:
            raise InputError(f"{stage.name}: unit '{unit.id}' is given twice; ids must be unique")
        seen.add(unit.id)


def _entry(unit: Unit, key: str, result: UnitResult) -> dict[str, Any]:
    return {
        "unit": unit.id,
        "key": key,
        "rows": list(result.rows),
        "refused": result.refused,
        "refusals": [refusal.plain() for refusal in result.refusals],
    }


@dataclass
class Run:
    """One run over a pipeline."""

    workspace: Workspace
    executor: Executor = field(default_factory=InOrder)
    engine_for: EngineFor | None = None
    progress: Callable[[Stage, int, int], None] = lambda stage, number, total: None
    write: bool = True
    """Whether results are written; a dry run only finds out what is missing."""
    anew: bool = False
    """Whether what is current is worked again, so that every request is asked."""
    held: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    """Records of artifacts that this run has made or read."""

    def stages(self, pipeline: Sequence[Stage]) -> Iterator[StageReport]:
        """Run stages in order and yield a report for each.

        A stage that waits doesn't stop the ones that don't need it.
        """
        absent: set[str] = set()
        order = [stage.name for stage in pipeline]
        for stage in pipeline:
            lacking = [artifact.name for artifact in stage.reads if artifact.name in absent]
            if lacking:
                report = StageReport(stage, "blocked")
            else:
                report = self._stage(stage, left_out(self.workspace, stage.name, order))
            if report.state in ("waiting", "blocked"):
                absent.add(stage.writes.name)
            yield report

    def _stage(self, stage: Stage, without: frozenset[str]) -> StageReport:
        prompts = {name: load_prompt(self.workspace.prompts, name) for name in stage.prompts}
        key = self._stage_key(stage, prompts, without)
        state = self._state(stage)
        output = stage.writes.path(self.workspace.root)
        if (
            not self.anew
            and state.get("key") == key
            and state.get("output") == file_digest(output)
            and output.exists()
        ):
            return StageReport(stage, "current", Account.model_validate(state["account"]), key=key)
        return self._rebuild(stage, prompts, key, without)

    def _rebuild(
        self, stage: Stage, prompts: dict[str, Prompt], key: str, without: frozenset[str]
    ) -> StageReport:
        work = self._work(stage, prompts)
        if self.write:
            self._journal(stage).mend()
        inputs = [self._reaching(artifact, without) for artifact in stage.reads]
        try:
            rows = tuple(stage.run(*inputs, work))
        except ReviewPending as problem:
            return StageReport(stage, "waiting", problem=problem)
        if work.pending:
            return StageReport(stage, "waiting", pending=tuple(work.pending), worked=work.worked)
        account = Account(
            stage=stage.name,
            units=work.units,
            done=work.done,
            refused=work.refused,
            in_review=work.in_review,
            rows=len(rows),
            refusals=tuple(work.refusals),
        )
        if not rows:
            raise nothing_came_out(stage, work)
        self.held[stage.writes.name] = rows
        if self.write:
            self._store(stage, key, rows, account, work)
        return StageReport(stage, "built", account, worked=work.worked, key=key)

    def _work(self, stage: Stage, prompts: dict[str, Prompt]) -> UnitWork:
        journal = self._journal(stage)
        return UnitWork(
            stage=stage,
            workspace=self.workspace,
            prompts=prompts,
            recordings=Recordings.load(self.workspace.recordings, stage.name),
            executor=self.executor,
            journal=journal if self.write else None,
            cached={} if self.anew else _results(journal),
            progress=lambda number, total: self.progress(stage, number, total),
            engine_for=self.engine_for,
        )

    def _store(
        self, stage: Stage, key: str, rows: tuple[Record, ...], account: Account, work: UnitWork
    ) -> None:
        """Write output, units and state, the state last, so that a crash leaves a stage that is not current."""
        output = write_records(stage.writes.path(self.workspace.root), rows)
        self._journal(stage).finish(work.kept)
        state = {"key": key, "output": output, "account": account.plain()}
        write_bytes(self._state_path(stage), (canonical_json(state) + "\n").encode("utf-8"))

    def _stage_key(self, stage: Stage, prompts: dict[str, Prompt], without: frozenset[str]) -> str:
        return digest(
            [
                stage.name,
                stage.version,
                [self._input_digest(artifact) for artifact in stage.reads],
                sorted(without),
                [[prompt.version, prompt.text_sha256()] for prompt in prompts.values()],
                recordings_digest(self.workspace.recordings, stage.name),
                self.workspace.config.engine.attempts,
            ]
        )

    def _reaching(self, artifact: Artifact, without: frozenset[str]) -> tuple[Any, ...]:
        """Return an artifact's records but those of users who stop earlier; plans stay, so that casting does."""
        records = self.records(artifact)
        if artifact is PLANS:
            return records
        return tuple(record for record in records if getattr(record, "user", None) not in without)

    def records(self, artifact: Artifact) -> tuple[Any, ...]:
        """Return an artifact's records, reading them once."""
        if artifact.name not in self.held:
            self.held[artifact.name] = load(self.workspace, artifact)
        return self.held[artifact.name]

    def _input_digest(self, artifact: Artifact) -> str:
        if artifact.name in self.held and not self.write:
            return digest([record.plain() for record in self.held[artifact.name]])
        return input_digest(self.workspace, artifact)

    def _state_path(self, stage: Stage) -> Path:
        return self.workspace.artifacts / "state" / f"{stage.name}.json"

    def _journal(self, stage: Stage) -> Journal:
        return Journal(self.workspace.artifacts / "units" / f"{stage.name}.jsonl")

    def _state(self, stage: Stage) -> dict[str, Any]:
        try:
            found = json.loads(self._state_path(stage).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def nothing_came_out(stage: Stage, work: UnitWork) -> EngineError:
    """Return the error that says why a stage has no rows, and the way on."""
    if work.units and work.refused == work.units:
        return EngineError(
            f"{stage.name}: the answers to all {work.units} units were refused; recordings/{stage.name}/ says why; "
            "give them more attempts with mempabench requests again, or ask another model"
        )
    return EngineError(f"{stage.name}: no rows came out of {work.units} units; look at its inputs")


def left_out(workspace: Workspace, stage: str, order: Sequence[str]) -> frozenset[str]:
    """Return the users who aren't built as far as a stage, by the ``through`` of the configuration.

    Raises:
        InputError: when a ``through`` names no stage.
    """
    for plan in workspace.plans():
        if plan.through not in order:
            raise InputError(
                f"mempabench.toml: {plan.user} goes through '{plan.through}'; stages are {', '.join(order)}"
            )
    return frozenset(
        plan.user for plan in workspace.plans() if order.index(plan.through) < order.index(stage)
    )


def _results(journal: Journal) -> dict[str, tuple[str, UnitResult]]:
    """Return key and result of every unit that a journal holds."""
    found: dict[str, tuple[str, UnitResult]] = {}
    for unit, entry in journal.units().items():
        try:
            refusals = tuple(Refusal.model_validate(refusal) for refusal in entry["refusals"])
        except ValidationError:
            continue
        result = UnitResult(rows=tuple(entry["rows"]), refusals=refusals, refused=entry["refused"])
        found[unit] = (entry["key"], result)
    return found
