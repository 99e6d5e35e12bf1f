"""Measure asking a live model: what checking, journal and ledger cost beside the bare official client.

A stub in a process of its own answers every call after half a second. The same requests are asked at the same
concurrency by the bare client (a pool of threads that throws the answers away) and by the toolkit (which checks each
answer, appends it to the recordings and enters it into the ledger, one flush to disk each). Run with
``python benchmarks/live.py``; it prints ratios, and asserts nothing.

Beside it the same requests go through two neighbours, when the interpreters of environments that hold them are named:
``python benchmarks/live.py --distilabel PYTHON --curator PYTHON``. They are timed as the service sees them, from the
first request to the last answer, so that their start counts for nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from mempabench.engines.answering import Asking, Budget, Lane, answer_all
from mempabench.engines.asking import Asker, Pending, Question
from mempabench.engines.pacing import Pace
from mempabench.engines.recorded import RecordedEngine
from mempabench.engines.services import Address, OpenAIService
from mempabench.prompts import load_prompt
from mempabench.stages.find_reactions import ReactionsAnswer
from stub import LATENCY, Busy, busy, serving

ROOT = Path(__file__).resolve().parent.parent
REQUESTS, AT_A_TIME, ROUNDS = 1000, 64, 5
NEIGHBOURS = ("distilabel", "curator")


@dataclass(frozen=True)
class Cost:
    """What a run took."""

    seconds: float
    cpu_seconds: float


def waiting() -> list[Pending]:
    """Return requests of the size that pass one really asks."""
    prompt = load_prompt(ROOT / "prompts", "find_reactions")
    taxonomy = "attribute: what its settings mean, in a sentence or two. " * 60
    found = []
    for number in range(REQUESTS):
        asker = Asker(
            "find_reactions", "series", f"series/{number}", RecordedEngine(), {prompt.name: prompt}, 3
        )
        scene = "\n".join(f"{line}. Somebody: Words of line {line} in scene {number}." for line in range(30))
        inputs = {"taxonomy": taxonomy, "name": "Somebody", "scene": scene}
        question = Question(prompt=prompt.name, inputs=inputs, answer=ReactionsAnswer)
        found.append(Pending(asker.request(question), question))
    return found


def measured(work: Callable[[], object]) -> Cost:
    """Return what some work took, wall and processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def neighbour(name: str, python: str, port: int, todo: list[Pending]) -> Busy:
    """Ask with a neighbour in its own environment and an empty home folder; return what the service saw."""
    service = OpenAIService(
        Address("openai-compatible", "stub", f"http://127.0.0.1:{port}/v1"), Pace(AT_A_TIME)
    )
    bodies = [service.body(one.request) for one in todo]
    service.client.close()
    script = Path(__file__).parent / "neighbours" / f"{name}_run.py"
    with tempfile.TemporaryDirectory() as home:
        requests = Path(home) / "requests.jsonl"
        requests.write_text("".join(json.dumps({"messages": body["messages"]}) + "\n" for body in bodies))
        command = [python, str(script), str(requests), f"http://127.0.0.1:{port}/v1", str(AT_A_TIME)]
        done = subprocess.run(command, env={**os.environ, "HOME": home}, capture_output=True, text=True)
    if done.returncode or f"answers {len(todo)}" not in done.stdout:
        sys.exit(f"{name} gave no {len(todo)} answers\n{done.stderr[-2000:]}")
    return busy(port)


def bare(address: Address, todo: list[Pending]) -> Cost:
    """Ask with the official client alone."""
    service = OpenAIService(address, Pace(AT_A_TIME))
    bodies = [service.body(one.request) for one in todo]

    def ask(body: dict[str, Any]) -> object:
        return service.client.chat.completions.create(**body)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        cost = measured(lambda: list(pool.map(ask, bodies)))
    service.client.close()
    return cost


def ours(address: Address, todo: list[Pending], folder: Path) -> Cost:
    """Ask with the toolkit, journal and ledger included."""
    pace = Pace(AT_A_TIME)
    lane = Lane(OpenAIService(address, pace), pace)
    asking = Asking(lambda _: lane, folder / "recordings", folder / "ledger.jsonl", date(2026, 1, 1))
    left = [todo]
    cost = measured(lambda: answer_all(lambda: left.pop() if left else [], asking, Budget()))
    lane.service.client.close()
    kept = sum(len(path.read_bytes().splitlines()) for path in folder.glob("recordings/*/*.jsonl"))
    if kept != REQUESTS:
        sys.exit(f"{kept} of {REQUESTS} answers were kept")
    return cost


def neighbours(argv: list[str]) -> dict[str, str]:
    """Return the interpreter of each neighbour that is named."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in NEIGHBOURS:
        parser.add_argument(f"--{name}", metavar="PYTHON", help=f"an interpreter that has {name}")
    named = vars(parser.parse_args(argv))
    return {name: python for name, python in named.items() if python}


def main() -> None:
    """Print how the toolkit compares with the bare client and the neighbours, one round after the other."""
    beside = neighbours(sys.argv[1:])
    os.environ["OPENAI_API_KEY"] = "none"
    server, port = serving()
    address = Address("openai-compatible", "stub", f"http://127.0.0.1:{port}/v1")
    todo = waiting()
    print(
        f"{REQUESTS} requests, {AT_A_TIME} at a time, {LATENCY * 1000:.0f} ms each, medians of {ROUNDS} rounds"
    )
    rates, costs = [], []
    others: dict[str, list[float]] = {name: [] for name in beside}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            alone = bare(address, todo)
            busy(port)
            whole = ours(address, todo, Path(folder))
        span = busy(port).seconds
        for name, python in beside.items():
            others[name].append(neighbour(name, python, port, todo).seconds / span)
        rates.append(alone.seconds / whole.seconds)
        costs.append((whole.cpu_seconds - alone.cpu_seconds) / REQUESTS * 1000)
        print(f"  client {REQUESTS / alone.seconds:6.1f}/s, toolkit {REQUESTS / whole.seconds:6.1f}/s")
    print(f"rate against the bare client {median(rates):8.1%}   (aim 95%)")
    spread = f"from {min(costs):.2f} to {max(costs):.2f}"
    print(f"own cost of a request        {median(costs):8.2f} ms of CPU, {spread}   (aim under 1)")
    for name, slower in others.items():
        print(f"{name:10} takes          {median(slower):8.2f} times as long as the toolkit")
    server.terminate()


if __name__ == "__main__":
    main()
