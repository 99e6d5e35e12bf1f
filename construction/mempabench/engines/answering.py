"""Ask a live service for the answers that wait, and keep every one of them the moment it comes.

An answer is judged by the checks of replay and appended to the recordings, one flushed line each: a crash
loses what was in flight and nothing else. A refused answer is kept with the reason, and asked again with the
findings in the next round, until the configured attempts are used up. Every call stands in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from mempabench.artifacts import append_line, parse_json, write_bytes
from mempabench.domain.manifests import Call, Recording, Request
from mempabench.domain.record import canonical_json
from mempabench.engines.asking import Pending, judge
from mempabench.engines.exchange import recording_of
from mempabench.engines.recorded import recording_path
from mempabench.engines.services import Reply, Service, Unreachable
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

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return the cost of a call."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


def mend(recordings: Path) -> Iterator[Path]:
    """Cut off the last line of recordings that a crash tore, and yield the files where one was."""
    for path in sorted(recordings.glob("*/*.jsonl")):
        content = path.read_bytes()
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


def estimate(waiting: Sequence[Pending], price: Price | None, max_tokens: int) -> tuple[int, float]:
    """Return the tokens that the waiting requests hold, about, and what asking them once may cost at most."""
    tokens = [(len(one.request.system) + len(one.request.message)) // _CHARACTERS + 1 for one in waiting]
    return sum(tokens), sum(price.of(count, max_tokens) for count in tokens) if price else 0.0


@dataclass
class Budget:
    """How much may be spent; what is in flight is reserved at its worst."""

    price: Price | None = None
    limit: float | None = None
    spent: float = 0.0
    reserved: float = 0.0

    def reserve(self, request: Request, max_tokens: int) -> float | None:
        """Set aside what a call may cost at most; None when that is more than is left."""
        if self.price is None:
            return 0.0
        worst = self.price.of((len(request.system) + len(request.message)) // _CHARACTERS + 1, max_tokens)
        if self.limit is not None and self.spent + self.reserved + worst > self.limit:
            return None
        self.reserved += worst
        return worst

    def settle(self, reserved: float, reply: Reply | None) -> float:
        """Account for what a call has cost, and return that."""
        self.reserved -= reserved
        cost = self.price.of(reply.tokens_in, reply.tokens_out) if self.price and reply else 0.0
        self.spent += cost
        return cost


@dataclass
class Tally:
    """What became of the calls of a run."""

    accepted: int = 0
    refused: int = 0
    failed: int = 0
    tokens: int = 0
    failures: list[str] = field(default_factory=list)
    out_of_budget: bool = False

    @property
    def answered(self) -> int:
        """Replies that were kept, accepted or not."""
        return self.accepted + self.refused


@dataclass(frozen=True)
class Asking:
    """How a service is asked."""

    service: Service
    recordings: Path
    ledger: Path
    recorded_on: date
    concurrency: int = 8
    writer: str = "language model"


def answer_all(
    waiting: Callable[[], Sequence[Pending]],
    asking: Asking,
    budget: Budget,
    progress: Callable[[Tally, int], None] = lambda tally, left: None,
) -> Tally:
    """Ask for everything that waits, round by round, until nothing does or nothing comes back.

    Args:
        waiting: Returns the requests that wait now; after a round these are those that came to wait because of it.
        asking: The service and where answers are kept.
        budget: What may be spent.
        progress: Called with the tally and how many requests of the round are left.

    Raises:
        EngineError: when there is no point in asking on; what came before is kept.
    """
    tally = Tally()
    given_up: set[str] = set()
    while not tally.out_of_budget:
        todo = [one for one in waiting() if one.request.digest() not in given_up]
        if not todo:
            break
        for one, reply in _round(todo, asking, budget, tally, progress):
            if reply is None:
                given_up.add(one.request.digest())
    return tally


def _round(
    todo: Sequence[Pending],
    asking: Asking,
    budget: Budget,
    tally: Tally,
    progress: Callable[[Tally, int], None],
) -> Iterator[tuple[Pending, Reply | None]]:
    """Ask each request once and yield it with the reply that was kept, or None where there was none."""
    queue = list(reversed(todo))
    flying: dict[Future[Reply], tuple[Pending, float]] = {}
    with ThreadPoolExecutor(asking.concurrency) as pool:
        try:
            while queue or flying:
                while queue and len(flying) < asking.concurrency and not tally.out_of_budget:
                    reserved = budget.reserve(queue[-1].request, asking.service.max_tokens)
                    if reserved is None:
                        tally.out_of_budget = True
                        break
                    one = queue.pop()
                    flying[pool.submit(asking.service.complete, one.request)] = (one, reserved)
                if not flying:
                    return
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
                for future in done:
                    one, reserved = flying.pop(future)
                    yield one, _land(future, one, reserved, asking, budget, tally)
                    progress(tally, len(queue) + len(flying))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for future, (one, reserved) in flying.items():
                if not future.cancelled():
                    _land_quietly(future, one, reserved, asking, budget, tally)


def _land(
    future: Future[Reply], one: Pending, reserved: float, asking: Asking, budget: Budget, tally: Tally
) -> Reply | None:
    """Keep what a call brought."""
    try:
        reply = future.result()
    except Unreachable as failure:
        budget.settle(reserved, None)
        tally.failed += 1
        tally.failures.append(str(failure))
        _enter(asking, one.request, None, 0.0, f"no reply: {failure}")
        return None
    except BaseException:
        budget.settle(reserved, None)
        raise
    cost = budget.settle(reserved, reply)
    recording = recorded(one, reply, asking)
    append_line(recording_path(asking.recordings, one.request), canonical_json(recording))
    _enter(asking, one.request, reply, cost, "; ".join(recording.refused) or "accepted")
    tally.tokens += reply.tokens_in + reply.tokens_out
    if recording.refused:
        tally.refused += 1
    else:
        tally.accepted += 1
    return reply


def _land_quietly(
    future: Future[Reply], one: Pending, reserved: float, asking: Asking, budget: Budget, tally: Tally
) -> None:
    """Keep what was still in flight when something else stopped the run: it is paid for."""
    try:
        _land(future, one, reserved, asking, budget, tally)
    except (EngineError, OSError):
        tally.failed += 1


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


def _enter(asking: Asking, request: Request, reply: Reply | None, cost: float, outcome: str) -> None:
    """Enter a call into the ledger."""
    call = Call(
        digest=request.digest(),
        stage=request.stage,
        unit=request.unit,
        seat=request.seat,
        attempt=request.attempt,
        model=reply.model if reply else asking.service.model,
        tokens_in=reply.tokens_in if reply else 0,
        tokens_out=reply.tokens_out if reply else 0,
        cost=round(cost, 6),
        outcome=outcome,
    )
    append_line(asking.ledger, canonical_json(call))
