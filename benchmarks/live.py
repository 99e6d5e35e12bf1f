"""Measure asking a live model: what checking, journal and ledger cost beside the bare official client.

A stub in a process of its own answers every call after half a second. The same requests are asked at the same
concurrency by the bare client (a pool of threads that throws the answers away) and by the toolkit (which checks each
answer, appends it to the recordings and enters it into the ledger, one flush to disk each). Run with
``python benchmarks/live.py``; it prints ratios, and asserts nothing.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from multiprocessing.connection import Connection
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

ROOT = Path(__file__).resolve().parent.parent
REQUESTS, AT_A_TIME, LATENCY, ROUNDS = 1000, 64, 0.5, 5
ANSWER = json.dumps({"reactions": []})


@dataclass(frozen=True)
class Cost:
    """What a run took."""

    seconds: float
    cpu_seconds: float


def stub(port: Connection) -> None:
    """Serve completions on a free port, each after the latency, and say which port it is."""
    body = json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "stub",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": ANSWER, "refusal": None},
                }
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909},
        }
    ).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    )

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in request.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                )
                await reader.readexactly(length)
                await asyncio.sleep(LATENCY)
                writer.write(head + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


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


def main() -> None:
    """Print how the toolkit compares with the bare client, one round after the other."""
    os.environ["OPENAI_API_KEY"] = "none"
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=stub, args=(there,), daemon=True)
    server.start()
    address = Address("openai-compatible", "stub", f"http://127.0.0.1:{here.recv()}/v1")
    todo = waiting()
    print(
        f"{REQUESTS} requests, {AT_A_TIME} at a time, {LATENCY * 1000:.0f} ms each, medians of {ROUNDS} rounds"
    )
    rates, costs = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            alone, whole = bare(address, todo), ours(address, todo, Path(folder))
        rates.append(alone.seconds / whole.seconds)
        costs.append((whole.cpu_seconds - alone.cpu_seconds) / REQUESTS * 1000)
        print(f"  client {REQUESTS / alone.seconds:6.1f}/s, toolkit {REQUESTS / whole.seconds:6.1f}/s")
    print(f"rate against the bare client {median(rates):8.1%}   (aim 95%)")
    spread = f"from {min(costs):.2f} to {max(costs):.2f}"
    print(f"own cost of a request        {median(costs):8.2f} ms of CPU, {spread}   (aim under 1)")
    server.terminate()


if __name__ == "__main__":
    main()
