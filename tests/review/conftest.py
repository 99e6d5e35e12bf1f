"""A small desk: two users, a scene with a reaction, and a queue of four cells."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mempabench.artifacts import write_records
from mempabench.catalog import EVIDENCE, REVIEW_ITEMS, SCENES, USERS
from mempabench.domain.evidence import Confidence, Mode, Observation, Quote
from mempabench.domain.personas import User
from mempabench.domain.record import Record, digest
from mempabench.domain.review import Decision, Reason, ReviewItem
from mempabench.domain.taxonomy import Attribute, Context
from mempabench.domain.transcripts import CastMember, Direction, Line, Scene, Source
from mempabench.workspace import Workspace
from mempabench_review.cli import review
from mempabench_review.log import BatchRow, enter

AN_HOUR = datetime(2026, 3, 1, 9, tzinfo=UTC)
SCENE = "quay/s01e01/sc01"
CITED = f"{SCENE}/mara/o1"
CONTRARY = f"{SCENE}/mara/o2"
GUIDE = "# How to settle a cell\n"


@pytest.fixture
def an_item() -> Callable[..., ReviewItem]:
    def build(
        cell: str = "user_a/work/verbosity", proposal: str | None = "terse", **given: Any
    ) -> ReviewItem:
        user, context, attribute = cell.split("/")
        fields = {
            "reason": Reason.LOW_CONFIDENCE if proposal else Reason.NO_EVIDENCE,
            "confidence": Confidence.LOW if proposal else Confidence.NONE,
            "rationale": "She cuts the explanation short.",
            "observations": (CITED,) if proposal else (),
            "quotes": (a_quote(),) if proposal else (),
            "scenes": (SCENE,) if proposal else (),
            "evidence_hash": digest([cell, proposal]),
            **given,
        }
        return ReviewItem(
            cell=cell,
            user=user,
            context=Context(context),
            attribute=Attribute(attribute),
            proposal=proposal,
            **fields,
        )

    return build


@pytest.fixture
def a_row() -> Callable[..., BatchRow]:
    def build(item: ReviewItem, setting: str | None = None, line: int = 1, **given: Any) -> BatchRow:
        value = {
            "cell": item.cell,
            "evidence_hash": item.evidence_hash,
            "setting": item.proposal if setting is None else setting,
            "reason": "She takes the short answer and leaves.",
            "context_verdict": "warranted" if item.scenes else "no_scenes",
            "evidence": [{"observation": name, "stance": "supports"} for name in item.observations],
            **given,
        }
        left = {name: entry for name, entry in value.items() if entry is not None}
        return BatchRow(f"batch.jsonl:{line}", left)

    return build


@pytest.fixture
def entered() -> Callable[..., tuple[Decision, ...]]:
    def enter_rows(
        rows: list[BatchRow], items: list[ReviewItem], log: tuple[Decision, ...] = (), **given: Any
    ) -> tuple[Decision, ...]:
        fields = {
            "reviewer": "reader_one",
            "reviewer_kind": "human",
            "decided_at": AN_HOUR,
            "guide_version": "1-0123456789ab",
            **given,
        }
        return enter(rows, items, log, **fields)

    return enter_rows


def a_quote() -> Quote:
    return Quote(line=f"{SCENE}/l005", start=0, end=11, text="Short, Jon.")


@pytest.fixture
def an_observation() -> Callable[..., Observation]:
    def build(name: str = CITED, **given: Any) -> Observation:
        fields = {
            "source": "quay",
            "scene": SCENE,
            "character": "mara",
            "context": Context.WORK,
            "mode": Mode.RECEPTION,
            "act": "Jon explains the tide table at length.",
            "reading": "She wants the time and nothing around it.",
            "attribute": Attribute.VERBOSITY,
            "setting": "terse",
            "quotes": (a_quote(),),
            **given,
        }
        return Observation(id=name, **fields)

    return build


@pytest.fixture
def a_scene() -> Callable[..., Scene]:
    def build(**words: str) -> Scene:
        """Build the scene; ``l005="..."`` gives a line other words."""
        said = {f"l{number:03}": f"Line {number} of the talk." for number in range(1, 12)}
        said |= {"l005": "Short, Jon. The boat won't wait.", **words}
        lines = tuple(
            Line(
                id=f"{SCENE}/{name}",
                number=number,
                label="MARA" if number % 2 else "JON",
                speakers=("mara",) if number % 2 else ("jon",),
                text=text,
                directions=(Direction(at=11, text="looks up"),)
                if name == "l005" and name not in words
                else (),
                source_line=number,
            )
            for number, (name, text) in enumerate(said.items(), start=1)
        )
        return Scene(
            id=SCENE,
            source="quay",
            episode="s01e01",
            episode_title="Ebb",
            heading="INT. FERRY OFFICE - DAY",
            file="quay/s01e01.txt",
            lines=lines,
        )

    return build


@pytest.fixture
def a_source() -> Source:
    return Source(
        id="quay",
        title="The Quay",
        origin="Written for this test.",
        license="CC0-1.0",
        redistributable=True,
        format="fan_transcript",
        files=(),
        cast=(
            CastMember(person="mara", name="Mara Vidal", aliases=("Mara",)),
            CastMember(person="jon", name="Jon Åkesson"),
            CastMember(person="driver", name="Old Driver", named=False),
        ),
        candidates=("mara", "jon"),
    )


SOURCES = """
[[source]]
id = "quay"
title = "The Quay"
origin = "Written for this test."
license = "CC0-1.0"
redistributable = true
format = "fan_transcript"
files = []
candidates = ["mara", "jon"]
cast = [
    { person = "mara", name = "Mara Vidal", aliases = ["Mara"] },
    { person = "jon", name = "Jon Åkesson" },
    { person = "driver", name = "Old Driver", named = false },
]
"""


@pytest.fixture
def queue(an_item: Callable[..., ReviewItem]) -> list[ReviewItem]:
    return [
        an_item("user_b/work/verbosity", observations=(), quotes=(), scenes=()),
        an_item("user_a/personal/verbosity", None),
        an_item("user_a/work/topic_management", "organize", observations=(), quotes=(), scenes=()),
        an_item("user_a/work/verbosity"),
    ]


@pytest.fixture
def project(
    tmp_path: Path,
    queue: list[ReviewItem],
    a_scene: Callable[..., Scene],
    an_observation: Callable[..., Observation],
) -> Workspace:
    """Return a project whose queue was built and where nothing was decided."""
    files = {
        "mempabench.toml": "",
        "transcripts_raw/sources.toml": SOURCES,
        "review/GUIDE.md": GUIDE,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    contrary = an_observation(CONTRARY, setting="detailed", reading="Here she asks for more.")
    built: dict[Any, list[Record]] = {
        REVIEW_ITEMS: [*queue],
        SCENES: [a_scene()],
        EVIDENCE: [an_observation(), contrary],
        USERS: [User(user="user_a", source="quay", character="mara", coverage=3)],
    }
    for artifact, records in built.items():
        write_records(artifact.path(tmp_path), records)
    return Workspace(tmp_path)


@pytest.fixture
def run(project: Workspace) -> Callable[..., Result]:
    """Runs a command of the desk."""

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(review, arguments, obj=project)

    return invoke
