"""Ask a live service for the answers that wait, and keep every one of them the moment it comes.

An answer is judged by the checks of replay and appended to the recordings, one flushed line each: a crash
loses what was in flight and nothing else. A refused answer is kept with the reason, and asked again with the
findings in the next round, until the configured attempts are used up. Every call stands in the ledger.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from mempabench.artifacts import append_line, parse_json, write_bytes
from mempabench.domain.manifests import Call, Recording, Request
from mempabench.domain.record import canonical_json
from mempabench.engines.asking import Pending, judge
from mempabench.engines.exchange import recording_of
from mempabench.engines.pacing import Pace, Stopped
from mempabench.engines.recorded import recording_path
from mempabench.engines.services import Address, Reply, Service, Unreachable
from mempabench.errors import EngineError

PROBLEMS = {
    "cut off": "the answer was cut off at the limit of tokens; be briefer",
    "declined": "the request was declined; it asks about a written scene",
    "filtered": "the answer was filtered by the service",
    "empty": "the answer was empty",
    "not JSON": "the answer was no JSON object; answer with it and nothing else",
}
"""Why a reply was no answer, and what the next attempt is told."""

_CHARACTERS = 3
"""Characters of a request that are reckoned as a token, on the safe side."""


@dataclass(frozen=True)
class Price:
    """What a model costs, in the currency of the limit, a million tokens."""

    tokens_in: float
    tokens_out: float
    batch: float = 0.5
    """What a call in a batch costs, as a part of that."""

    def of(self, tokens_in: int, tokens_out: int, *, batched: bool = False) -> float:
        """Return the cost of a call."""
        cost = (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000
        return cost * self.batch if batched else cost


@dataclass
class Lane:
    """A service with the pace and the price at which it is asked; several stages and seats may share one."""

    service: Service
    pace: Pace
    price: Price | None = None

    def worst(self, request: Request) -> float:
        """Return what a call may cost at most."""
        return self.price.of(tokens_of(request), self.service.address.max_tokens) if self.price else 0.0


Route = Callable[[Request], Lane]
"""Says where a request is asked."""


def tokens_of(request: Request) -> int:
    """Return how many tokens a request holds, about, on the safe side."""
    return (len(request.system) + len(request.message)) // _CHARACTERS + 1


def mend(recordings: Path, *journals: Path) -> Iterator[Path]:
    """Cut off the last line of recordings and journals that a crash tore, and yield the files where one was."""
    for path in (*sorted(recordings.glob("*/*.jsonl")), *journals):
        content = path.read_bytes() if path.exists() else b""
        if not content or content.endswith(b"\n"):
            continue
        whole, last = content[: content.rfind(b"\n") + 1], content[content.rfind(b"\n") + 1 :]
        try:
            json.loads(last)
        except ValueError:
            write_bytes(path, whole)
            yield path
        else:
            write_bytes(path, content + b"\n")


@dataclass
class Budget:
    """How much may be spent; what is in flight is reserved at its worst."""

    limit: float | None = None
    spent: float = 0.0
    reserved: float = 0.0

    def reserve(self, worst: float) -> bool:
        """Set aside what a call may cost at most; False when that is more than is left."""
        if self.limit is not None and self.spent + self.reserved + worst > self.limit:
            return False
        self.reserved += worst
        return True

    def settle(self, worst: float, cost: float) -> None:
        """Account for what a call has cost."""
        self.reserved -= worst
        self.spent += cost


@dataclass
class Tally:
    """What became of the calls of a run."""

    accepted: int = 0
    refused: int = 0
    failed: int = 0
    tokens: int = 0
    failures: list[str] = field(default_factory=list)
    out_of_budget: bool = False

    def count(self, reply: Reply, recording: Recording) -> None:
        """Count a reply that was kept."""
        self.tokens += reply.tokens_in + reply.tokens_out
        if recording.refused:
            self.refused += 1
        else:
            self.accepted += 1

    @property
    def answered(self) -> int:
        """Replies that were kept, accepted or not."""
        return self.accepted + self.refused


@dataclass(frozen=True)
class Asking:
    """Where requests are asked and where what comes back is kept."""

    route: Route
    recordings: Path
    ledger: Path
    recorded_on: date
    writer: str = "language model"


@dataclass(frozen=True)
class _Flight:
    """A call under way."""

    one: Pending
    lane: Lane
    worst: float


def answer_all(
    waiting: Callable[[], Sequence[Pending]],
    asking: Asking,
    budget: Budget,
    progress: Callable[[Tally, int], None] = lambda tally, left: None,
) -> Tally:
    """Ask for everything that waits, round by round, until nothing does or nothing comes back.

    Args:
        waiting: Returns the requests that wait now; after a round these are those that came to wait because of it.
        asking: Where requests are asked and answers are kept.
        budget: What may be spent.
        progress: Called with the tally and how many requests of the round are left.

    Raises:
        EngineError: when there is no point in asking on; what came before is kept.
    """
    tally = Tally()
    given_up: set[str] = set()
    while not tally.out_of_budget:
        todo = [one for one in waiting() if not given_up or one.request.digest() not in given_up]
        if not todo:
            break
        for one, reply in _Round(asking, budget, tally, progress).ask(todo):
            if reply is None:
                given_up.add(one.request.digest())
    return tally


@dataclass
class _Round:
    """Asks each request once."""

    asking: Asking
    budget: Budget
    tally: Tally
    progress: Callable[[Tally, int], None]
    flying: dict[Future[Reply], _Flight] = field(default_factory=dict)
    queues: dict[int, tuple[Lane, deque[Pending]]] = field(default_factory=dict)

    def ask(self, todo: Sequence[Pending]) -> Iterator[tuple[Pending, Reply | None]]:
        """Yield each request with the reply that was kept, or None where there was none."""
        for one in todo:
            lane = self.asking.route(one.request)
            self.queues.setdefault(id(lane), (lane, deque()))[1].append(one)
        lanes = [lane for lane, _ in self.queues.values()]
        landed: SimpleQueue[Future[Reply]] = SimpleQueue()
        with ThreadPoolExecutor(sum(lane.pace.concurrency for lane in lanes)) as pool:
            try:
                while self._launch(pool, landed):
                    future = landed.get()
                    flight = self.flying.pop(future)
                    yield flight.one, self._land(future, flight)
                    self.progress(self.tally, len(self.flying) + sum(len(q) for _, q in self.queues.values()))
            finally:
                for lane in lanes:
                    lane.pace.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                self._land_the_rest()
                for lane in lanes:
                    lane.pace.go_on()

    def _launch(self, pool: ThreadPoolExecutor, landed: SimpleQueue[Future[Reply]]) -> bool:
        """Start what pace and budget allow, and return whether anything is under way."""
        for lane, queue in self.queues.values():
            under_way = sum(flight.lane is lane for flight in self.flying.values())
            while queue and under_way < lane.pace.allowed and not self.tally.out_of_budget:
                worst = lane.worst(queue[0].request)
                if not self.budget.reserve(worst):
                    self.tally.out_of_budget = True
                    break
                one = queue.popleft()
                future = pool.submit(_call, lane, one.request)
                self.flying[future] = _Flight(one, lane, worst)
                future.add_done_callback(landed.put)
                under_way += 1
        return bool(self.flying)

    def _land(self, future: Future[Reply], flight: _Flight) -> Reply | None:
        """Keep what a call brought."""
        try:
            reply = future.result()
        except Unreachable as failure:
            self.budget.settle(flight.worst, 0.0)
            self.tally.failed += 1
            self.tally.failures.append(str(failure))
            if failure.tries:
                outcome = f"no reply: {failure}"
                self._enter(flight, None, 0.0, outcome, failure.tries, flight.one.request.digest())
            return None
        except BaseException:
            self.budget.settle(flight.worst, 0.0)
            raise
        price = flight.lane.price
        cost = price.of(reply.tokens_in, reply.tokens_out) if price else 0.0
        self.budget.settle(flight.worst, cost)
        flight.lane.pace.correct(
            _reckoned(flight.lane, flight.one.request), reply.tokens_in + reply.tokens_out
        )
        recording = recorded(flight.one, reply, self.asking)
        keep(flight.one, recording, self.asking)
        outcome = "; ".join(recording.refused) or "accepted"
        self._enter(flight, reply, cost, outcome, reply.tries, recording.digest)
        self.tally.count(reply, recording)
        return reply

    def _land_the_rest(self) -> None:
        """Keep what was still in flight when something stopped the run: it is paid for."""
        for future, flight in self.flying.items():
            if not future.cancelled():
                try:
                    self._land(future, flight)
                except (EngineError, OSError):
                    self.tally.failed += 1

    def _enter(
        self, flight: _Flight, reply: Reply | None, cost: float, outcome: str, tries: int, digest: str
    ) -> None:
        enter(
            self.asking.ledger,
            flight.one.request,
            flight.lane.service.address,
            reply,
            cost,
            outcome,
            tries=tries,
            digest=digest,
        )


def _call(lane: Lane, request: Request) -> Reply:
    """Make a call when its pace lets it; runs in a thread of the pool."""
    try:
        lane.pace.admit(_reckoned(lane, request))
    except Stopped as stopped:
        raise Unreachable("the run ended before it was asked", 0) from stopped
    return lane.service.complete(request)


def _reckoned(lane: Lane, request: Request) -> int:
    """Return how many tokens a call is reckoned to use before it is made."""
    return tokens_of(request) + lane.service.address.max_tokens // 4


def keep(one: Pending, recording: Recording, asking: Asking) -> None:
    """Append a reply to the recordings."""
    append_line(recording_path(asking.recordings, one.request), canonical_json(recording))


def recorded(one: Pending, reply: Reply, asking: Asking) -> Recording:
    """Return a reply as it is kept, with what is wrong with it."""
    answer: Any = reply.text
    problem = reply.problem
    if not problem:
        try:
            answer = parse_json(reply.text)
        except ValueError:
            problem = "not JSON"
    findings = (PROBLEMS[problem],) if problem else judge(one.question, answer)[1]
    return recording_of(one.request, answer, findings, asking.writer, reply.model, asking.recorded_on)


def enter(
    ledger: Path,
    request: Request,
    address: Address,
    reply: Reply | None,
    cost: float,
    outcome: str,
    *,
    tries: int = 1,
    batch: str = "",
    digest: str,
) -> None:
    """Enter a call into the ledger."""
    call = Call(
        digest=digest,
        stage=request.stage,
        unit=request.unit,
        seat=request.seat,
        attempt=request.attempt,
        prompt_version=request.prompt_version,
        asked=address.shown(),
        configuration=address.digest(),
        model=reply.model if reply else address.model,
        tokens_in=reply.tokens_in if reply else 0,
        tokens_out=reply.tokens_out if reply else 0,
        cost=round(cost, 6),
        outcome=outcome,
        tries=tries,
        batch=batch,
    )
    append_line(ledger, canonical_json(call), sync=False)
