"""The tiny specimen: a copy of it, and a copy of it after the whole loop from export to release."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mempabench.assets import prompts_dir
from mempabench.cli import main
from mempabench.commands.pending import pending_requests
from mempabench.domain.review import Reason
from mempabench.domain.taxonomy import FACETS, settings_of
from mempabench.workspace import Workspace
from mempabench_review.desk import load_queue

TINY = Path(__file__).parent / "data" / "tiny"


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> list[str]:
        """The lines on stderr that say something."""
        return [line for line in self.err.splitlines() if line.strip()]


Command = Callable[..., Outcome]


def command(*arguments: object) -> Outcome:
    """Run the command line here."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return Outcome(code, out.getvalue(), err.getvalue())


@pytest.fixture
def mempabench() -> Command:
    """The command line, run in this process."""
    return command


@dataclass(frozen=True)
class Tiny:
    """A copy of the specimen."""

    root: Path

    @property
    def workspace(self) -> Workspace:
        """The project, with its configuration read anew."""
        return Workspace(self.root)

    def run(self, *arguments: object) -> Outcome:
        """Run a command on the project."""
        return command("-C", self.root, *arguments)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace words in a file of the project; those of a transcript with its hash in the manifest."""
        path = self.root / name
        before = path.read_bytes()
        assert before.count(old.encode()) == 1, f"{name} has '{old}' {before.count(old.encode())} times"
        path.write_bytes(before.replace(old.encode(), new.encode()))
        if name.startswith("transcripts_raw/") and name.endswith(".txt"):
            self._relist(before, path.read_bytes())

    def _relist(self, before: bytes, after: bytes) -> None:
        import hashlib

        manifest = self.root / "transcripts_raw/sources.toml"
        text = manifest.read_text(encoding="utf-8")
        old, new = (hashlib.sha256(content).hexdigest() for content in (before, after))
        manifest.write_text(text.replace(old, new), encoding="utf-8")

    def artifacts(self) -> dict[str, bytes]:
        """Return what the stages wrote, by file name."""
        return {path.name: path.read_bytes() for path in sorted((self.root / "artifacts").glob("*.jsonl"))}

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return an artifact's rows."""
        text = (self.root / "artifacts" / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def answer(self) -> int:
        """Export what waits, answer it by the hand-worked answers, import that; return how many waited."""
        exported = self.run("requests", "export", "--out", self.root / "exports")
        assert exported.code == 0, exported.err
        requests = {one.request.digest(): one.request for one in pending_requests(self.workspace)}
        lines = []
        for row in exported.out.splitlines():
            path = Path(row.split("\t")[0])
            ids = [json.loads(line)["custom_id"] for line in path.read_text("utf-8").splitlines()]
            lines += [batch_output(custom_id, answer_to(requests[custom_id])) for custom_id in ids]
            path.unlink()
        if lines:
            answers = self.root / "exports" / "answers.jsonl"
            answers.write_text("".join(lines), encoding="utf-8")
            self.run("requests", "import", answers, "--writer", "language model", "--on", "2026-01-30")
        return len(lines)

    def decide(self) -> Outcome:
        """Enter a decision on every cell of the queue."""
        batch = self.root / "exports" / "decisions.jsonl"
        batch.parent.mkdir(exist_ok=True)
        batch.write_text("".join(decision_rows(self.workspace)), encoding="utf-8")
        moment = "2026-01-30T10:00:00Z"
        return self.run("review", "decide", "--batch", batch, "--as", "tester:human", "--at", moment)

    def substitute(self) -> Outcome:
        """Enter the reviewed substitutes."""
        batch = TINY / "substitutes.jsonl"
        return self.run(
            "review", "substitutes", "--batch", batch, "--source", "slack_water", "--as", "tester:human"
        )

    def go_through(self) -> Outcome:
        """Build, answer, decide and build again until the release stands; return the last build."""
        while True:
            built = self.run("build")
            if built.code == 0:
                return built
            if "requests export" in built.err and self.answer():
                continue
            done = self.decide() if "wait for review" in built.err else self.substitute()
            assert done.code == 0, built.err + done.err


def answer_to(request: Any) -> Any:
    """Return the hand-worked answer to a request, filled up where it may say nothing."""
    attempts = ANSWERS[request.stage][request.unit][request.seat]
    answer = json.loads(json.dumps(attempts[request.attempt - 1]))
    if request.stage == "merge_identity":
        rated = {facet["facet"] for facet in answer["facets"]}
        answer["facets"] += [
            {"facet": name, "level": None, "note": "Nothing shows it.", "observations": []}
            for name in FACETS
            if name not in rated
        ]
    if request.stage == "anonymize_personas":
        given = {note["point"] for note in answer["reception_guidance"]}
        answer["reception_guidance"] += [
            {"point": point, "note": "Takes it as it comes; on the water nothing showed it either way."}
            for point in range(1, 29)
            if point not in given
        ]
    return answer


ANSWERS = {path.stem: json.loads(path.read_text("utf-8")) for path in (TINY / "answers").glob("*.json")}


def batch_output(custom_id: str, answer: Any) -> str:
    """Return an answer as a line of a batch's output."""
    message = {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)}
    body = {"choices": [{"index": 0, "message": message}]}
    return json.dumps({"custom_id": custom_id, "response": {"status_code": 200, "body": body}}) + "\n"


def decision_rows(workspace: Workspace) -> Iterator[str]:
    """Yield a decision for every cell that waits: the worked-out one, or the attribute's first setting."""
    text = (TINY / "decisions.jsonl").read_text("utf-8")
    worked_out = {row["cell"]: row for row in map(json.loads, text.splitlines())}
    for item in load_queue(workspace):
        if item.reason is Reason.AUDIT:
            continue
        row = worked_out.get(item.cell) or {
            "cell": item.cell,
            "setting": settings_of(item.attribute)[0],
            "reason": "No scene shows it; the first setting stands in.",
            "context_verdict": "no_scenes",
        }
        yield json.dumps({**row, "evidence_hash": item.evidence_hash}, ensure_ascii=False) + "\n"


def a_copy_of_the_specimen(root: Path) -> Tiny:
    """Copy what belongs to the project, and the prompts."""
    shutil.copytree(TINY, root, ignore=shutil.ignore_patterns("answers", "*.jsonl", "README.md"))
    shutil.copytree(prompts_dir(), root / "prompts")
    return Tiny(root)


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    """A copy of the specimen on which nothing was done yet."""
    return a_copy_of_the_specimen(tmp_path / "tiny")


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """The built specimen: read it, never change it."""
    tiny = a_copy_of_the_specimen(tmp_path_factory.mktemp("built") / "tiny")
    done = tiny.go_through()
    assert done.code == 0, done.err
    return tiny


@pytest.fixture
def built_tiny(built_once: Tiny, tmp_path: Path) -> Tiny:
    """A copy of the built specimen."""
    shutil.copytree(built_once.root, tmp_path / "tiny")
    return Tiny(tmp_path / "tiny")
