"""Measure the world: reads, writes, checkpoints, branches and hashes on worlds of 300, 1,500 and 10,000 records.

Run with ``python benchmarks/world.py``; it prints microseconds and asserts nothing. Beside it the retail environment of
tau2-bench is timed in the same run, when an interpreter that has it is named:
``python benchmarks/world.py --tau2 PYTHON`` (with its ``src`` in ``PYTHONPATH`` and its data in ``TAU2_DATA_DIR``).
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from mempabench.assets import specimen_world
from mempabench.domain.worlds import WorldHeader, WorldRecord
from mempabench.world.branch import Branch
from mempabench.world.loading import read_world
from mempabench.world.state import State
from mempabench.world.toolbox import open_world

NOW = datetime.fromisoformat("2027-03-03T10:00:00+01:00")
SIZES = (300, 1500, 10_000)
ROUNDS, TIMES = 5, 200
BY_ID: tuple[tuple[str, dict[str, Any]], ...] = (
    ("notes_read", {"note_id": "note_0001"}),
    ("documents_read", {"document_id": "doc_0001"}),
    ("calendar_get", {"event_id": "cal_0004"}),
)
"""Reads of one record by its id, with what belongs to it."""
LISTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("calendar_search", {"since": "2027-03-03T00:00:00+01:00", "until": "2027-03-10T00:00:00+01:00"}),
    ("mail_search", {"text": "dimmers"}),
    ("search_everything", {"text": "playhouse"}),
)
GROWING = ("mail", "message", "note", "event", "payment", "task", "document", "product")
"""Kinds of record of which a large world has more."""


def sized(header: WorldHeader, records: tuple[WorldRecord, ...], size: int) -> Branch:
    """Return a world of a size: the specimen, and more records of the kinds that grow."""
    more = cycle(record for record in records if record.kind in GROWING and record.entered <= NOW)
    copies = [
        record.changed(id=f"{record.prefix}_{10_000 + number}")
        for number, record in enumerate(islice(more, size - len(records)))
    ]
    return open_world(header, (*records, *copies))


def timed(work: Callable[[], object], times: int = TIMES) -> float:
    """Return the microseconds of some work: the median of rounds."""
    found = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        for _ in range(times):
            work()
        found.append((time.perf_counter() - start) / times * 1e6)
    return median(found)


def measured(world: Branch) -> dict[str, float]:
    """Return the microseconds of what one does with a world, each call as an agent makes it."""
    turn = cycle(("dim", "bright", "off"))
    line = iter(range(10**9))
    branch = world.branch()

    def calls(which: tuple[tuple[str, dict[str, Any]], ...]) -> None:
        for name, arguments in which:
            assert branch.call(name, arguments, NOW).text

    def write() -> None:
        assert branch.call("home_set", {"device_id": "dev_0001", "setting": next(turn)}, NOW).done

    def write_large() -> None:
        text = f"Line {next(line)}"
        assert branch.call("tasks_update", {"task_id": "task_0003", "notes": text}, NOW).done

    def write_and_hash() -> None:
        write_large()
        branch.state.digest()

    branch.state.digest()
    written = timed(write_large, 50)
    return {
        "read by id": timed(lambda: calls(BY_ID)) / len(BY_ID),
        "list and search": timed(lambda: calls(LISTS), 20) / len(LISTS),
        "write": timed(write, 50),
        "write, large kind": written,
        "hash after a write": max(timed(write_and_hash, 50) - written, 0.0),
        "hash reckoned anew": timed(lambda: State.of(branch.state.records()).digest(), 1),
        "checkpoint": timed(branch.checkpoint),
        "branch": timed(branch.branch),
        "rollback": timed(lambda: branch.rollback(branch.checkpoint())),
    }


def beside(python: str, figures: dict[str, float]) -> None:
    """Print the neighbour's figures and the ratios to ours on a world of the same size."""
    script = Path(__file__).parent / "neighbours" / "tau2_run.py"
    done = subprocess.run([python, str(script)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the neighbour could not be timed\n{done.stderr[-2000:]}")
    theirs = json.loads(done.stdout.splitlines()[-1])
    print(f"\ntau2-bench retail, {theirs['records']} records      us   times ours (1,500 records)")
    pairs = (
        ("read", "read by id"),
        ("write", "write, large kind"),
        ("hash", "hash after a write"),
        ("copy", "branch"),
    )
    for their, our in pairs:
        print(f"  {their:<24} {theirs[their]:10.1f}   {theirs[their] / figures[our]:12.1f} x {our}")


def door(world: Branch) -> float:
    """Return the microseconds of a call through the MCP server, with the SDK's client in the same process."""
    import anyio
    from mcp.client.client import Client

    from mempabench.server import world_server

    async def run() -> float:
        async with Client(world_server(world.branch(), NOW)) as client:
            start = time.perf_counter()
            for _ in range(TIMES):
                await client.call_tool(*BY_ID[0])
            return (time.perf_counter() - start) / TIMES * 1e6

    return anyio.run(run)


def main() -> None:
    """Print the figures of each world, side by side."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tau2", metavar="PYTHON", help="an interpreter that has tau2-bench")
    python = parser.parse_args().tau2
    header, records = read_world(specimen_world().read_text("utf-8"), "specimen")
    worlds = {size: sized(header, records, size) for size in SIZES}
    columns = {size: measured(world) for size, world in worlds.items()}
    print(f"{'us':<22}" + "".join(f"{size:>12,}" for size in SIZES) + " records")
    for name in columns[SIZES[0]]:
        print(f"{name:<22}" + "".join(f"{columns[size][name]:12.1f}" for size in SIZES))
    print(f"{'MCP round trip':<22}" + "".join(f"{door(world):12.1f}" for world in worlds.values()))
    if python:
        beside(python, columns[1500])


if __name__ == "__main__":
    main()
