"""A service that answers every completion after half a second, in a process of its own, and knows when it was busy."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import time
import urllib.request
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

LATENCY = 0.5
"""Seconds from a request to its answer."""
ANSWER = json.dumps({"reactions": []})
BODY = {
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


@dataclass(frozen=True)
class Busy:
    """What the service saw since it was last asked."""

    answered: int
    seconds: float
    """From the first request to the last answer."""


class Stub:
    """The service itself."""

    def __init__(self) -> None:
        self.answered = 0
        self.first = 0.0
        self.last = 0.0

    def seen(self) -> bytes:
        """Return what was seen, and begin anew."""
        seen = {"answered": self.answered, "seconds": self.last - self.first}
        self.answered, self.first, self.last = 0, 0.0, 0.0
        return json.dumps(seen).encode()

    async def answer(self) -> bytes:
        """Return the answer to a completion when its time has come."""
        self.first = self.first or time.perf_counter()
        await asyncio.sleep(LATENCY)
        self.answered += 1
        self.last = time.perf_counter()
        return json.dumps(BODY).encode()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until its other end is closed."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                lengths = [int(line.split(b":")[1]) for line in head if line.startswith(b"content-length")]
                await reader.readexactly(sum(lengths))
                body = self.seen() if head[0].startswith(b"get") else await self.answer()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%b" % (len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def run(port: Connection) -> None:
    """Serve on a free port, and say which one it is."""

    async def main() -> None:
        server = await asyncio.start_server(Stub().serve, "127.0.0.1", 0, backlog=512)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def serving() -> tuple[BaseProcess, int]:
    """Start the service; return its process and its port."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=run, args=(there,), daemon=True)
    process.start()
    return process, here.recv()


def busy(port: int) -> Busy:
    """Return what the service saw since it was last asked."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/seen") as answer:
        return Busy(**json.load(answer))
