"""Prompts are data: what each version asked is written down, and prompts and stages agree on what is filled in.

``python tests/test_prompts.py`` writes the versions that ``prompts/versions.jsonl`` doesn't have yet.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mempabench.artifacts import append_line, read_records
from mempabench.catalog import load
from mempabench.domain.manifests import Recording, Request
from mempabench.domain.record import Record, canonical_json
from mempabench.domain.transcripts import Sha256
from mempabench.engines.asking import Asker, Unanswered
from mempabench.errors import InputError
from mempabench.prompts import Equivalent, Prompt, load_prompt
from mempabench.stages import PIPELINE
from mempabench.stages.stage import Stage, Step, Unit
from mempabench.testing import a_prompt

if TYPE_CHECKING:
    from tests.conftest import Tiny

PROMPTS = Path(__file__).parents[1] / "prompts"
NAMES = sorted(path.stem for path in PROMPTS.glob("*.md") if path.stem != "README")
ASKING = [stage for stage in PIPELINE if stage.prompts]


class Version(Record):
    """A line of ``versions.jsonl``: what a version of a prompt said."""

    name: str
    version: str
    sha256: Sha256


def version_of(prompt: Prompt) -> Version:
    return Version(name=prompt.name, version=prompt.version, sha256=prompt.text_sha256())


def written_down(folder: Path) -> tuple[Version, ...]:
    return read_records(folder / "versions.jsonl", Version, "prompts/versions.jsonl")


def problems(prompt: Prompt, versions: Iterable[Version]) -> Iterator[str]:
    """Yield why a prompt isn't the one that was written down."""
    same_version = [v.sha256 for v in versions if (v.name, v.version) == (prompt.name, prompt.version)]
    equivalent = {older.sha256 for older in prompt.equivalent}
    for sha256 in same_version:
        if sha256 not in equivalent | {prompt.text_sha256()}:
            yield (
                f"prompts/{prompt.name}.md: the text of version {prompt.version} changed; raise the version, "
                f"or list {sha256} under [[equivalent]] with the reason"
            )
    if prompt.text_sha256() not in same_version:
        yield (
            f"prompts/versions.jsonl: doesn't have this text of {prompt.name}, version {prompt.version}; "
            "run python tests/test_prompts.py"
        )
    for older in prompt.equivalent:
        if not older.reason.strip():
            yield f"prompts/{prompt.name}.md: {older.sha256} is equivalent without a reason; give it"


def write_missing(folder: Path, names: Iterable[str]) -> list[str]:
    """Append the versions that aren't written down; refuse a text that changed without saying so."""
    said = []
    for name in names:
        prompt = load_prompt(folder, name)
        found = list(problems(prompt, written_down(folder)))
        if any("changed" in problem or "reason" in problem for problem in found):
            raise InputError(found[0])
        if found:
            append_line(folder / "versions.jsonl", canonical_json(version_of(prompt)))
            said.append(f"{name} {prompt.version}")
    return said


class Silent:
    """An engine that never answers."""

    def answer(self, request: Request) -> Recording | None:
        return None


@dataclass
class Asking:
    """A stage's work in which every unit asks and nothing is answered."""

    stage: Stage
    prompts: dict[str, Prompt]
    requests: list[Request] = field(default_factory=list)

    def each(self, units: Iterable[Unit], step: Step) -> Iterator[Any]:
        for unit in units:
            asker = Asker(self.stage.name, unit.group, unit.id, Silent(), self.prompts, attempts=1)
            try:
                yield from step(unit, asker)
            except Unanswered as missing:
                self.requests += [one.request for one in missing.pending]


def asked(stage: Stage, tiny: Tiny) -> Sequence[Request]:
    """Return every request that a stage puts on the built specimen."""
    work = Asking(stage, {name: load_prompt(PROMPTS, name) for name in stage.prompts})
    inputs = [load(tiny.workspace, artifact) for artifact in stage.reads]
    list(stage.run(*inputs, work))
    return work.requests


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_is_the_one_that_was_written_down(name: str) -> None:
    assert list(problems(load_prompt(PROMPTS, name), written_down(PROMPTS))) == []


def test_every_prompt_has_its_stage() -> None:
    assert sorted(name for stage in ASKING for name in stage.prompts) == NAMES


@pytest.mark.parametrize("stage", ASKING, ids=lambda stage: stage.name)
def test_prompt_and_stage_agree_on_what_is_filled_in(stage: Stage, built_once: Tiny) -> None:
    requests = asked(stage, built_once)

    assert {request.prompt for request in requests} == set(stage.prompts)
    for request in requests:
        assert request.inputs.keys() == load_prompt(PROMPTS, request.prompt).names()


@pytest.mark.parametrize("stage", ASKING, ids=lambda stage: stage.name)
def test_nothing_is_filled_in_empty_or_left_over(stage: Stage, built_once: Tiny) -> None:
    for request in asked(stage, built_once):
        assert all(value.strip() for value in request.inputs.values()), request.unit
        assert not re.search(r"\$[a-z{]", request.system + request.message), request.unit


def test_a_text_changed_in_silence_is_told() -> None:
    before, after = a_prompt(), a_prompt(system="You skim.\n")

    told = list(problems(after, [version_of(before)]))

    assert len(told) == 2
    assert f"version 1 changed; raise the version, or list {before.text_sha256()}" in told[0]


@pytest.mark.parametrize(
    "after",
    [
        a_prompt(system="You skim.\n", version="2"),
        a_prompt(
            system="You reed.\n",
            equivalent=(Equivalent(sha256=a_prompt().text_sha256(), reason="a typing error"),),
        ),
    ],
    ids=["a new version", "an equivalent text"],
)
def test_a_change_that_says_so_is_fine_once_written_down(after: Prompt) -> None:
    versions = [version_of(a_prompt())]

    assert ["run python" in told for told in problems(after, versions)] == [True]
    assert list(problems(after, [*versions, version_of(after)])) == []


def test_an_equivalent_text_needs_a_reason() -> None:
    older = Equivalent(sha256="0" * 64, reason=" ")

    told = list(problems(a_prompt(equivalent=(older,)), [version_of(a_prompt())]))

    assert told == [f"prompts/find_reactions.md: {'0' * 64} is equivalent without a reason; give it"]


def test_missing_versions_are_appended_and_silent_changes_refused(tmp_path: Path) -> None:
    path = tmp_path / "greet.md"
    path.write_text('+++\nversion = "1"\n+++\nBe kind.\n=====\nGreet $name.\n', "utf-8")

    assert write_missing(tmp_path, ["greet"]) == ["greet 1"]
    assert write_missing(tmp_path, ["greet"]) == []
    (line,) = (tmp_path / "versions.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line) == version_of(load_prompt(tmp_path, "greet")).plain()

    path.write_text(path.read_text("utf-8").replace("kind", "curt"), "utf-8")
    with pytest.raises(InputError, match="text of version 1 changed"):
        write_missing(tmp_path, ["greet"])


if __name__ == "__main__":
    try:
        for line in write_missing(PROMPTS, NAMES):
            print(line)
    except InputError as error:
        sys.exit(f"error: {error}")
