"""A small project with two sources, of which one may not be redistributed, and two users."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mempabench.artifacts import write_records
from mempabench.catalog import (
    CELLS,
    DECISIONS,
    EVIDENCE,
    PERSONAS,
    PROPOSED_CELLS,
    SCENES,
    SUBSTITUTES,
    USERS,
)
from mempabench.domain.evidence import (
    Confidence,
    Facet,
    Mode,
    Observation,
    ProposedCell,
    Quote,
    Reading,
    Resolution,
)
from mempabench.domain.manifests import Recording
from mempabench.domain.personas import EntityKind, Guidance, Persona, PersonaItem, Substitute, User
from mempabench.domain.record import digest
from mempabench.domain.review import (
    Action,
    Basis,
    Cell,
    ContextVerdict,
    Decision,
    EvidenceVerdict,
    Outcome,
    Stance,
    cell_key,
)
from mempabench.domain.review import Mode as ReviewMode
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.domain.transcripts import Direction, Line, Scene
from mempabench.workspace import Workspace

CANARY = "MEMPABENCH-CANARY-0000-TEST"

CONFIG = """\
[release]
version = "{version}"
license = "CC-BY-4.0"
canary = "{canary}"
released_on = 2026-11-30

[users.user_a]
source = "mill"

[users.user_b]
source = "closed"
"""

SOURCES = """\
[[source]]
id = "mill"
title = "The Mill"
origin = "Written for this test."
license = "CC-BY-4.0"
redistributable = true
format = "fan_transcript"
files = []
candidates = ["bert", "ada"]
cast = [{ person = "ada", name = "Ada Höhn" }, { person = "bert", name = "Bert Ode" }]

[[source]]
id = "closed"
title = "Closed"
origin = "Belongs to somebody."
license = "LicenseRef-Closed"
redistributable = false
format = "fan_transcript"
files = []
candidates = ["cleo"]
cast = [{ person = "cleo", name = "Cleo Rask" }]
"""

SECRET = "nobody outside this house shall ever hear what was said at breakfast"


class Project:
    """The project on disk, and short ways to change it."""

    def __init__(self, root: Path) -> None:
        """Write the project below ``root``."""
        self.root = root
        self.write("transcripts_raw/sources.toml", SOURCES)
        self.configure("0.1.0")
        for artifact, records in (
            (USERS, users()),
            (SCENES, scenes()),
            (EVIDENCE, evidence()),
            (PROPOSED_CELLS, proposals()),
            (CELLS, cells()),
            (DECISIONS, decisions()),
            (PERSONAS, personas()),
            (SUBSTITUTES, substitutes()),
        ):
            write_records(artifact.path(root), records)
        for recording in recordings():
            stage, unit = recording.prompt, recording.unit
            path = root / "recordings" / stage / f"{unit.split('/')[0]}.{recording.seat}.jsonl"
            earlier = path.read_text(encoding="utf-8") if path.exists() else ""
            self.write(path, earlier + recording.model_dump_json() + "\n")

    @property
    def workspace(self) -> Workspace:
        """The project as it now is."""
        return Workspace(self.root)

    @property
    def built(self) -> Path:
        """Where the build puts the release."""
        return self.root / "artifacts/release/mempabench"

    def write(self, path: str | Path, text: str) -> None:
        """Write a file of the project."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def configure(self, version: str) -> None:
        """Aim at a version."""
        self.write("mempabench.toml", CONFIG.format(version=version, canary=CANARY))

    def rewrite_cells(self, change: Callable[[Cell], Cell | None]) -> None:
        """Replace each settled cell by what ``change`` makes of it, or drop it."""
        changed = [new for cell in cells() if (new := change(cell)) is not None]
        write_records(CELLS.path(self.root), changed)


def users() -> list[User]:
    return [
        User(user="user_a", source="mill", character="ada", coverage=20),
        User(user="user_b", source="closed", character="cleo", coverage=1),
    ]


def scenes() -> list[Scene]:
    return [
        a_scene(
            "mill",
            a_line("mill", 1, "bert", "Shall I tell you café by café how the sluice works?"),
            a_line("mill", 2, "ada", "No. Open it.", Direction(at=3, text="she points")),
        ),
        a_scene("closed", a_line("closed", 1, "cleo", SECRET)),
    ]


def a_scene(source: str, *lines: Line) -> Scene:
    return Scene(
        id=f"{source}/s01e01/sc01",
        source=source,
        episode="s01e01",
        episode_title="The Sluice",
        heading="The yard, noon.",
        file=f"{source}/s01e01.txt",
        lines=lines,
    )


def a_line(source: str, number: int, speaker: str, text: str, *directions: Direction) -> Line:
    return Line(
        id=f"{source}/s01e01/sc01/l{number:03}",
        number=number,
        label=speaker.title(),
        speakers=(speaker,),
        text=text,
        directions=directions,
        source_line=number,
    )


def an_observation(source: str, character: str, quote: Quote, **changed: object) -> Observation:
    values = {
        "id": f"{source}/s01e01/sc01/{character}/o1",
        "source": source,
        "scene": f"{source}/s01e01/sc01",
        "character": character,
        "context": Context.WORK,
        "mode": Mode.RECEPTION,
        "act": "is offered an explanation",
        "reading": "Cuts it short and wants the thing done.",
        "attribute": Attribute.VERBOSITY,
        "setting": "terse",
        "quotes": (quote,),
    }
    return Observation.model_validate(values | changed)


def evidence() -> list[Observation]:
    return [
        an_observation(
            "mill", "ada", Quote(line="mill/s01e01/sc01/l002", start=0, end=12, text="No. Open it.")
        ),
        an_observation(
            "mill",
            "bert",
            Quote(line="mill/s01e01/sc01/l001", start=0, end=5, text="Shall"),
            mode=Mode.PRODUCTION,
            setting="detailed",
        ),
        an_observation(
            "closed", "cleo", Quote(line="closed/s01e01/sc01/l001", start=0, end=6, text="nobody")
        ),
    ]


def proposals() -> list[ProposedCell]:
    return [
        a_proposal(source, person, context, attribute)
        for source, person in (("mill", "ada"), ("mill", "bert"), ("closed", "cleo"))
        for attribute in Attribute
        for context in Context
    ]


def a_proposal(source: str, person: str, context: Context, attribute: Attribute) -> ProposedCell:
    if attribute is not Attribute.VERBOSITY:
        return ProposedCell(
            source=source,
            character=person,
            context=context,
            attribute=attribute,
            setting=None,
            confidence=Confidence.NONE,
            grounds="no observation speaks for this attribute",
            claimed=Confidence.NONE,
            rationale="No scene shows anything.",
            supporting=(),
        )
    supporting = (f"{source}/s01e01/sc01/{person}/o1",)
    resolved = (Resolution(observation=supporting[0], circumstances="in a hurry"),)
    return ProposedCell(
        source=source,
        character=person,
        context=context,
        attribute=attribute,
        setting="terse",
        confidence=Confidence.HIGH if context is Context.WORK else Confidence.MEDIUM,
        grounds="reception in 2 episodes agrees",
        claimed=Confidence.HIGH,
        rationale="She cuts explanations short.",
        supporting=supporting,
        second=Reading(
            setting="terse" if context is Context.WORK else "detailed",
            rationale="The same.",
            supporting=supporting,
            resolved=resolved,
            claimed=Confidence.MEDIUM,
        ),
    )


def cells() -> list[Cell]:
    mine = [a_cell("user_a", context, attribute) for attribute in Attribute for context in Context]
    return [a_cell("user_b", Context.WORK, Attribute.VERBOSITY), *mine]


def a_cell(user: str, context: Context, attribute: Attribute) -> Cell:
    known = attribute is Attribute.VERBOSITY
    confirmed = known and context is Context.WORK
    return Cell(
        user=user,
        context=context,
        attribute=attribute,
        setting="terse" if known else settings_of(attribute)[context is Context.PERSONAL],
        outcome=Outcome.CONFIRMED if confirmed else Outcome.KEPT if known else Outcome.SPECIFIED,
        basis=Basis.EXTRACTED if known else Basis.DESIGNED,
        confidence=Confidence.HIGH if confirmed else Confidence.MEDIUM if known else Confidence.NONE,
        proposal="terse" if known else None,
        rationale="She cuts explanations short.",
        observations=(),
        decision=None if confirmed else "2" * 32,
    )


def decisions() -> list[Decision]:
    proposal = a_proposal("mill", "ada", Context.PERSONAL, Attribute.VERBOSITY)
    current = proposal.evidence_hash()
    return [
        a_decision("0" * 32, "detailed", digest("what was there before")),
        a_decision("1" * 32, None, current),
        a_decision("2" * 32, "terse", current),
    ]


def a_decision(event_id: str, setting: str | None, evidence_hash: str) -> Decision:
    return Decision(
        event_id=event_id,
        previous=None,
        cell=cell_key("user_a", "personal", "verbosity"),
        action=Action.DEFER if setting is None else Action.KEEP,
        setting=setting,
        reason="Reads so to me.",
        context_verdict=ContextVerdict.WARRANTED,
        evidence=(EvidenceVerdict(observation="mill/s01e01/sc01/ada/o1", stance=Stance.SUPPORTS),),
        mode=ReviewMode.ASSISTED,
        reviewer="reader_one",
        reviewer_kind="model",
        decided_at=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
        evidence_hash=evidence_hash,
        taxonomy_version="1",
        guide_version="1",
    )


def personas() -> list[Persona]:
    return [
        Persona(
            user=user,
            name=name,
            summary="Minds the water.",
            roles=("keeper of a sluice", "sister"),
            items=(PersonaItem(kind="activity", statement="Gets up before the river."),),
            facets=(Facet(name="patience", level=None, note="nothing shows it", observations=("mill/x",)),),
            language_style=("short",),
            act_repertoire=("answers with a task",),
            interaction_dynamics=("warms up late",),
            production_guidance=("Say little.",),
            reception_guidance=(
                Guidance(context=Context.WORK, attribute=Attribute.VERBOSITY, note="Her eyes wander."),
            ),
        )
        for user, name in (("user_a", "Ilse Brandt"), ("user_b", "Nora Vance"))
    ]


def substitutes() -> list[Substitute]:
    return [
        a_substitute("mill", EntityKind.PERSON, "Ada Höhn", "Ilse Brandt", {"Ada": "Ilse"}),
        a_substitute("mill", EntityKind.PLACE, "The Mill", "The Lock", {}),
        a_substitute("closed", EntityKind.PERSON, "Cleo Rask", "Nora Vance", {}),
    ]


def a_substitute(
    source: str, kind: EntityKind, original: str, substitute: str, aliases: dict[str, str]
) -> Substitute:
    return Substitute(
        source=source,
        kind=kind,
        original=original,
        substitute=substitute,
        aliases=tuple(aliases),
        substitute_aliases=tuple(aliases.values()),
        proposed_by="language model",
        reviewer="reader_one",
        reviewer_kind="model",
    )


def recordings() -> Iterable[Recording]:
    for source, person in (("mill", "ada"), ("mill", "bert"), ("closed", "cleo")):
        yield a_recording("find_reactions", f"{source}/s01e01/sc01/{person}", "writer", "1")
        for seat in ("reader_a", "reader_b"):
            yield a_recording("propose_cells", f"{source}/{person}/verbosity", seat, "1")
    yield a_recording("find_reactions", "mill/s01e01/sc01/ada", "writer", "2")
    yield a_recording("find_reactions", "mill/s01e01/sc01/ada", "writer", "3", "it was refused")
    yield a_recording("propose_substitutes", "mill", "writer", "1")
    for user in ("user_a", "user_b"):
        yield a_recording("anonymize_personas", user, "writer", "1")


def a_recording(stage: str, unit: str, seat: str, version: str, *refused: str) -> Recording:
    return Recording(
        digest=digest([stage, unit, seat, version]),
        unit=unit,
        seat=seat,
        attempt=1,
        prompt=stage,
        prompt_version=version,
        prompt_sha256=hashlib.sha256(b"").hexdigest(),
        writer="language model",
        model="undisclosed",
        recorded_on=date(2026, 11, 1),
        answer={},
        refused=refused,
    )


class Away:
    """Another folder and another home for ``datasets``, from which a new process uses what was installed."""

    def __init__(self, root: Path) -> None:
        """Work in ``root``."""
        self.root = root
        (root / "cwd").mkdir(parents=True)

    def run(self, code: str, **environment: str) -> str:
        """Run code in a new process, offline, and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.root / "cwd",
            env={**os.environ, "HF_HOME": str(self.root / "home"), "HF_HUB_OFFLINE": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def away(tmp_path: Path) -> Away:
    return Away(tmp_path / "away")
