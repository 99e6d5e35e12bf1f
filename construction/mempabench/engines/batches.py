"""Batches at OpenAI and Anthropic: submitted, polled and collected, each answer kept as if it had come live.

A provider's batch is asked with the same bodies as single calls. What comes back is untrusted like every
answer: unknown and doubled ids are told and dropped, a request without a line waits again, a line that says
"expired" or "error" stands in the ledger with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from mempabench.artifacts import parse_json
from mempabench.domain.manifests import Batch, Request
from mempabench.domain.record import canonical_json, digest
from mempabench.engines import answering
from mempabench.engines.answering import Asking, Lane, Tally, enter, recorded
from mempabench.engines.asking import Pending
from mempabench.engines.batch_journal import keep_batch
from mempabench.engines.services import Reply, Service, failure
from mempabench.errors import EngineError

MOST_REQUESTS = 50_000
"""Requests in a batch, by OpenAI's documents; Anthropic takes twice as many."""
MOST_BYTES = 150_000_000
"""Bytes of a batch; OpenAI takes 200 MB, Anthropic 256 MB."""
_LISTED = 100
"""Latest batches of a provider among which a lost one is sought."""


@dataclass(frozen=True)
class Failed:
    """A line of a batch without an answer."""

    why: str


@dataclass(frozen=True)
class State:
    """How a batch stands at the provider."""

    ended: bool
    done: int
    failed: int
    total: int
    said: str
    """The provider's own word for it."""
    broken: str = ""
    """Why none of it was taken, if none was."""


class BatchService(Protocol):
    """A service that takes batches."""

    def submit(self, requests: Sequence[Request], intent: str) -> str:
        """Submit a batch and return its id."""

    def latest(self) -> dict[str, str]:
        """Return the latest batches' ids, each with the intent that went with it, or nothing."""

    def state(self, batch: str) -> State:
        """Return how a batch stands."""

    def results(self, batch: str) -> Iterator[tuple[str, Reply | Failed]]:
        """Yield the lines of a batch that has ended."""


class OpenAIBatches:
    """OpenAI's Batch API, or that of a server which speaks its protocol."""

    def __init__(self, service: Service) -> None:
        """Use a service's client and bodies."""
        self._service, self._client = service, service.client

    def submit(self, requests: Sequence[Request], intent: str) -> str:
        """Submit a batch and return its id."""
        lines = (
            {
                "custom_id": request.digest(),
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": self._service.body(request),
            }
            for request in requests
        )
        content = "".join(json.dumps(line) + "\n" for line in lines).encode("utf-8")
        file = self._client.files.create(file=("requests.jsonl", content), purpose="batch")
        # Tried once only: a reply that is lost doesn't mean that the batch is.
        batch = self._client.with_options(max_retries=0).batches.create(
            input_file_id=file.id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={"mempabench": intent},
        )
        return str(batch.id)

    def latest(self) -> dict[str, str]:
        """Return the latest batches' ids, each with the intent that went with it."""
        found = islice(self._client.batches.list(limit=_LISTED), _LISTED)
        return {batch.id: (batch.metadata or {}).get("mempabench", "") for batch in found}

    def state(self, batch: str) -> State:
        """Return how a batch stands."""
        found = self._client.batches.retrieve(batch)
        counts = found.request_counts
        errors = [error.message or "" for error in (found.errors.data if found.errors else None) or []]
        return State(
            ended=found.status in ("completed", "expired", "cancelled", "failed"),
            done=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            total=counts.total if counts else 0,
            said=found.status,
            broken="; ".join(errors) or "no reason given" if found.status == "failed" else "",
        )

    def results(self, batch: str) -> Iterator[tuple[str, Reply | Failed]]:
        """Yield the lines of a batch that has ended; expired requests stand in the file of errors."""
        found = self._client.batches.retrieve(batch)
        for file in (found.output_file_id, found.error_file_id):
            if file:
                for line in self._client.files.content(file).text.splitlines():
                    yield from self._line(line)

    def _line(self, text: str) -> Iterator[tuple[str, Reply | Failed]]:
        from openai.types.chat import ChatCompletion

        try:
            line = parse_json(text)
            custom_id = str(line["custom_id"])
            response, error = line.get("response"), line.get("error")
        except (ValueError, TypeError, KeyError, AttributeError):
            yield "", Failed("a line that can't be read")
            return
        if not isinstance(response, dict) or response.get("status_code") != 200:
            yield custom_id, Failed(_why(error, response))
            return
        try:
            completion = ChatCompletion.model_validate(response.get("body"))
        except ValueError:
            yield custom_id, Failed("no completion in it")
            return
        yield custom_id, self._service.reply(completion)


class AnthropicBatches:
    """Anthropic's Message Batches."""

    def __init__(self, service: Service) -> None:
        """Use a service's client and bodies."""
        self._service, self._client = service, service.client

    def submit(self, requests: Sequence[Request], intent: str) -> str:
        """Submit a batch and return its id; no intent can go with it."""
        batch = self._client.with_options(max_retries=0).messages.batches.create(
            requests=[{"custom_id": one.digest(), "params": self._service.body(one)} for one in requests]
        )
        return str(batch.id)

    def latest(self) -> dict[str, str]:
        """Return the latest batches' ids."""
        return {batch.id: "" for batch in islice(self._client.messages.batches.list(limit=_LISTED), _LISTED)}

    def state(self, batch: str) -> State:
        """Return how a batch stands."""
        found = self._client.messages.batches.retrieve(batch)
        counts = found.request_counts
        failed = counts.errored + counts.canceled + counts.expired
        return State(
            ended=found.processing_status == "ended",
            done=counts.succeeded,
            failed=failed,
            total=counts.processing + counts.succeeded + failed,
            said=found.processing_status,
        )

    def results(self, batch: str) -> Iterator[tuple[str, Reply | Failed]]:
        """Yield the lines of a batch that has ended."""
        for line in self._client.messages.batches.results(batch):
            result = line.result
            if result.type == "succeeded":
                yield line.custom_id, self._service.reply(result.message)
            else:
                yield line.custom_id, Failed(_why(getattr(result, "error", None), None) or result.type)


def _why(error: Any, response: Any) -> str:
    """Return in a few words why a line holds no answer."""
    if hasattr(error, "model_dump"):
        error = error.model_dump()
    found = error or (response.get("body") if isinstance(response, dict) else None) or {}
    while isinstance(found, dict) and isinstance(found.get("error"), dict):
        found = found["error"]
    said = str(found.get("code") or found.get("type") or "") if isinstance(found, dict) else ""
    message = str(found.get("message") or "") if isinstance(found, dict) else str(found)
    return " ".join(f"{said}: {message}".strip(": ").split())[:200]


def batches_of(service: Service) -> BatchService:
    """Return a service's batches."""
    return AnthropicBatches(service) if service.address.engine == "anthropic" else OpenAIBatches(service)


def portions(requests: Sequence[Request], size: int = MOST_REQUESTS) -> Iterator[tuple[Request, ...]]:
    """Split requests so that each part is taken as one batch."""
    part: list[Request] = []
    weight = 0
    for request in requests:
        own = len(canonical_json(request).encode("utf-8")) * 2
        if part and (len(part) >= size or weight + own > MOST_BYTES):
            yield tuple(part)
            part, weight = [], 0
        part.append(request)
        weight += own
    if part:
        yield tuple(part)


@dataclass(frozen=True)
class Post:
    """Where batches of one service go, and where their journal is."""

    asking: Asking
    lane: Lane

    @property
    def service(self) -> BatchService:
        """The service's batches."""
        return batches_of(self.lane.service)

    def submit(self, requests: Sequence[Request], past: int) -> Batch:
        """Submit a batch: the intent is written before, the provider's id after.

        Args:
            requests: What it holds.
            past: How many batches the journal holds already; makes intents differ.

        Raises:
            EngineError: when the provider doesn't take it; the intent then stays and is looked up later.
        """
        address = self.lane.service.address
        digests = tuple(request.digest() for request in requests)
        meant = Batch(
            intent=digest([past, digests]),
            state="meant",
            engine=address.engine,
            model=address.model,
            base_url=address.base_url,
            max_tokens=address.max_tokens,
            digests=digests,
            known=tuple(self._told(self.service.latest)),
        )
        keep_batch(self.asking.recordings, meant)
        try:
            found = self._told(self.service.submit, requests, meant.intent)
        except Declined as refused:
            keep_batch(self.asking.recordings, meant.changed(state="failed"))
            raise EngineError(str(refused)) from refused
        return keep_batch(self.asking.recordings, meant.changed(state="open", id=found))

    def found(self, batch: Batch, others: Iterable[str]) -> Batch:
        """Return a batch that was meant only as it is: open, or failed when the provider never got it.

        Args:
            batch: The batch, ``meant``.
            others: Ids that other batches of the journal have.

        Raises:
            EngineError: when several batches of the provider may be it.
        """
        latest = self._told(self.service.latest)
        marked = [one for one, intent in latest.items() if intent == batch.intent]
        new = [one for one, intent in latest.items() if not intent and one not in {*batch.known, *others}]
        alike = marked or [one for one in new if self.state(one).total == len(batch.digests)]
        if len(alike) > 1:
            raise EngineError(
                f"batch {batch.intent[:12]}: {', '.join(alike)} may each be it; cancel those that are not"
            )
        if alike:
            return keep_batch(self.asking.recordings, batch.changed(state="open", id=alike[0]))
        return keep_batch(self.asking.recordings, batch.changed(state="failed"))

    def state(self, batch: str) -> State:
        """Return how a batch stands at the provider."""
        found: State = self._told(self.service.state, batch)
        return found

    def collect(self, batch: Batch, waiting: dict[str, Pending], entered: frozenset[str]) -> Collected:
        """Keep what a batch that has ended brought.

        Args:
            batch: The batch, ``open``.
            waiting: Requests that wait, by digest.
            entered: Digests of the batch's requests that stand in the ledger already: a crash came between.
        """
        collected = Collected()
        seen: set[str] = set()
        for custom_id, line in self._told(lambda: list(self.service.results(batch.id))):
            if custom_id not in batch.digests:
                collected.unknown += 1
            elif custom_id in seen:
                collected.doubled += 1
            else:
                seen.add(custom_id)
                self._keep(custom_id, line, batch, waiting, entered, collected)
        collected.missing = len(set(batch.digests) - seen)
        keep_batch(self.asking.recordings, batch.changed(state="collected"))
        return collected

    def _keep(
        self,
        custom_id: str,
        line: Reply | Failed,
        batch: Batch,
        waiting: dict[str, Pending],
        entered: frozenset[str],
        collected: Collected,
    ) -> None:
        one = waiting.get(custom_id)
        if one is None:
            # Recorded before a crash, answered another way, or of a version that no longer asks.
            collected.settled += 1
            return
        address, price = self.lane.service.address, self.lane.price
        if isinstance(line, Failed):
            collected.tally.failed += 1
            collected.tally.failures.append(line.why)
            if custom_id not in entered:
                enter(
                    self.asking.ledger,
                    one.request,
                    address,
                    None,
                    0.0,
                    f"no reply: {line.why}",
                    batch=batch.id,
                    digest=custom_id,
                )
            return
        recording = recorded(one, line, self.asking)
        cost = price.of(line.tokens_in, line.tokens_out, batched=True) if price else 0.0
        collected.spent += cost
        collected.tally.count(line, recording)
        if custom_id not in entered:
            # The ledger first: a batch can be read again, so that a crash in between loses neither.
            outcome = "; ".join(recording.refused) or "accepted"
            enter(
                self.asking.ledger,
                one.request,
                address,
                line,
                cost,
                outcome,
                batch=batch.id,
                digest=custom_id,
            )
        answering.keep(one, recording, self.asking)

    def _told(self, do: Any, *arguments: Any) -> Any:
        """Do something at the provider; what fails there becomes one line."""
        service = self.lane.service
        try:
            return do(*arguments)
        except service.errors.APIError as error:
            found = failure(error, service.errors, service.address.model)
            status = getattr(error, "status_code", None)
            if status is not None and 400 <= status < 500:
                raise Declined(str(found)) from error
            raise EngineError(str(found)) from error


class Declined(EngineError):
    """The provider doesn't take what was sent, and has kept nothing of it."""


@dataclass
class Collected:
    """What a batch brought."""

    tally: Tally = field(default_factory=Tally)
    spent: float = 0.0
    unknown: int = 0
    """Lines whose id isn't of the batch."""
    doubled: int = 0
    """Lines that came a second time; the first was kept."""
    settled: int = 0
    """Lines for requests that no longer wait."""
    missing: int = 0
    """Requests without a line; they wait again."""
