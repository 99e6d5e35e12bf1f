"""Measure the review desk: from sending a decision to the next cell, many writers at once, and how soon it opens.

The log holds 100,000 events beforehand. Run with ``python benchmarks/desk.py``; it prints figures with their aims and
asserts nothing.
"""

from __future__ import annotations

import multiprocessing
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from starlette.testclient import TestClient

from mempabench.domain.review import Decision, Mode
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.desk import load_queue
from mempabench_review.guide import guide_version
from mempabench_review.log import BatchRow, enter, event_id
from mempabench_review.store import Store, database
from mempabench_review.web.app import Office, application
from mempabench_review.web.sessions import Seat, Sessions

ROOT = Path(__file__).resolve().parent.parent
EVENTS, SAVES, WRITERS = 100_000, 200, 32
HOST = "127.0.0.1:8000"
REASON = "Chosen for this measurement, with nothing more to say."


def project(folder: Path) -> Workspace:
    """Return the specimen of the tests, built as far as its queue."""
    sys.path.insert(0, str(ROOT))
    from tests.conftest import a_copy_of_the_specimen

    tiny = a_copy_of_the_specimen(folder / "specimen")
    while "wait for review" not in tiny.run("build").err:
        if not tiny.answer():
            raise InputError("the specimen doesn't reach its queue")
    return Workspace(tiny.root)


def row(cell: str, evidence_hash: str, setting: str) -> BatchRow:
    """Return a decision on a cell without evidence."""
    return BatchRow(
        "benchmark",
        {
            "cell": cell,
            "evidence_hash": evidence_hash,
            "setting": setting,
            "reason": REASON,
            "context_verdict": "no_scenes",
        },
    )


def fill(workspace: Workspace, store: Store) -> None:
    """Enter events until the log is long: one cell after the other decided anew, again and again."""
    items = [item for item in load_queue(workspace) if not item.scenes]
    batch = [row(item.cell, item.evidence_hash, setting_of(item.attribute)) for item in items]
    last = store.last()
    before = last.chained() if last else None
    pattern = enter(
        batch,
        items,
        [last] if last else [],
        reviewer="pattern",
        reviewer_kind="human",
        decided_at=datetime(2026, 1, 1, tzinfo=UTC),
        guide_version=guide_version(workspace),
    )
    new: list[Decision] = []
    for number in range(EVENTS):
        made = pattern[number % len(pattern)].model_dump()
        made["decided_at"] = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
        made["previous"] = new[-1].chained() if new else before
        parts = (made["cell"], made["reviewer"], made["decided_at"], made["setting"], made["reason"])
        made["event_id"] = event_id(*parts, made["evidence_hash"])
        new.append(Decision.model_construct(**made))
    store.append_all_of(new)


def setting_of(attribute: str) -> str:
    """Return an attribute's first setting."""
    from mempabench.domain.taxonomy import settings_of

    return settings_of(attribute)[0]


def saves(workspace: Workspace, store: Store) -> list[float]:
    """Return the seconds from sending a decision to the whole next page, save by save."""
    sessions = Sessions.at(8000, database(workspace))
    office = Office(workspace, store, sessions)
    client = TestClient(application(office, frozenset({HOST})), base_url=f"http://{HOST}")
    client.get(f"/enter/{sessions.invite(Seat('bench', 'human', Mode.ASSISTED))}")
    items = [item for item in office.desk().items if not item.scenes]
    found = []
    for number in range(SAVES):
        item = items[number % len(items)]
        page = client.get(f"/cell/{item.cell}").text
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.split("</form>")[0]))
        form |= {"setting": setting_of(item.attribute), "reason": f"{REASON} {number}", "action": "save"}
        start = time.perf_counter()
        answer = client.post(f"/save/{item.cell}", data=form, headers={"origin": f"http://{HOST}"})
        found.append(time.perf_counter() - start)
        if answer.status_code != 200:
            sys.exit(f"a save was refused: {answer.status_code}")
    return found


def write(root: str, number: int, done: multiprocessing.queues.Queue[float]) -> None:
    """Enter a decision on every cell without evidence; runs in a process of its own."""
    workspace = Workspace(Path(root))
    items = [item for item in load_queue(workspace) if not item.scenes]
    version = guide_version(workspace)
    with Store.open(workspace) as store:
        for item in items:
            start = time.perf_counter()
            store.append(
                item.cell,
                lambda log, item=item: enter(  # type: ignore[misc]
                    [row(item.cell, item.evidence_hash, setting_of(item.attribute))],
                    items,
                    log,
                    reviewer=f"writer_{number}",
                    reviewer_kind="human",
                    decided_at=datetime.now(UTC),
                    guide_version=version,
                ),
            )
            done.put(time.perf_counter() - start)


def writers(workspace: Workspace) -> list[float]:
    """Return the seconds of every decision of many writers at once."""
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    processes = [context.Process(target=write, args=(str(workspace.root), n, done)) for n in range(WRITERS)]
    for process in processes:
        process.start()
    cells = len([item for item in load_queue(workspace) if not item.scenes])
    found = [done.get(timeout=300) for _ in range(cells * WRITERS)]
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("a writer failed")
    return found


def percentile(values: list[float], share: float) -> float:
    """Return a percentile, in milliseconds."""
    return statistics.quantiles(values, n=100)[int(share * 100) - 1] * 1000


def main() -> None:
    """Print every figure with its aim."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = project(Path(folder))
        crowd = writers(workspace)
        print(
            f"{WRITERS} writers at once: {len(crowd)} decisions, none refused; "
            f"median {statistics.median(crowd) * 1000:.0f} ms, 95th percentile {percentile(crowd, 0.95):.0f} ms"
        )
        shutil.rmtree(workspace.root / "review" / "records", ignore_errors=True)
        for path in (workspace.root / "review").glob("desk.sqlite3*"):
            path.unlink()
        with Store.open(workspace) as store:
            short = saves(workspace, store)
            fill(workspace, store)
            start = time.perf_counter()
            store.events()
            first = time.perf_counter() - start
            long = saves(workspace, store)
        print(f"save to next, short log: 95th percentile {percentile(short, 0.95):6.1f} ms   (aim 100 ms)")
        print(
            f"save to next, {EVENTS:,} events: 95th percentile {percentile(long, 0.95):6.1f} ms   (aim 150 ms), "
            f"{percentile(long, 0.95) / percentile(short, 0.95):.1f} x the short log's; first reading {first:.1f} s"
        )
        command = [sys.executable, "-m", "mempabench.cli", "-C", str(workspace.root), "review", "status"]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        print(f"review status, {EVENTS:,} events: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
