"""How things were made: requests, recordings, accounts, and a release's manifest."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from mempabench.domain.record import Record, digest
from mempabench.domain.transcripts import Sha256

Seat = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,29}$")]


Engine = Literal["openai", "openai-compatible", "anthropic"]
"""Kinds of live service: two providers, and servers of any kind that speak the first one's protocol."""


class Request(Record):
    """A question to a model, complete: what replay looks up and what an export sends."""

    stage: str
    group: str
    """Source or user that the unit belongs to; names the recordings file."""
    unit: str
    """Unit of work that asks, such as ``saltmarsh/s01e03/sc04/mara``."""
    prompt: str
    """Name of the prompt."""
    prompt_version: str
    seat: Seat
    """Who is asked: ``writer``, ``reader_a``, ``reader_b`` or one that the stage declares."""
    repeat: int = Field(default=1, ge=1)
    attempt: int = Field(default=1, ge=1)
    inputs: dict[str, Any]
    """Values that fill the prompt: the only facts that shape the question."""
    answer_schema: dict[str, Any]
    """JSON Schema of the answer."""
    system: str
    """Rendered system message."""
    message: str
    """Rendered user message, with the findings of an earlier attempt at its end."""

    def digest(self) -> str:
        """Return the request digest: prompt version, inputs, answer schema, seat, repeat and attempt."""
        return digest(
            [
                self.prompt,
                self.prompt_version,
                self.inputs,
                self.answer_schema,
                self.seat,
                self.repeat,
                self.attempt,
            ]
        )

    def ingredients(self) -> dict[str, str]:
        """Return a short digest of each input and of the answer schema: what can change beside the prompt."""
        named = {f"input {name}": value for name, value in sorted(self.inputs.items())}
        return {
            name: digest(value)[:12] for name, value in {**named, "answer schema": self.answer_schema}.items()
        }


class Recording(Record):
    """An answer that was given to a request, kept for replay."""

    digest: Sha256
    """Digest of the request that it answers."""
    unit: str
    """Unit that asked; for people, not for look-up."""
    seat: Seat
    attempt: int = Field(ge=1)
    prompt: str
    prompt_version: str
    prompt_sha256: Sha256
    """SHA-256 of the system and user messages that were really sent."""
    writer: str
    """What wrote the answer: ``language model``, never a person's name."""
    model: str
    """Name of the model as the importer was told; ``undisclosed`` when it was not."""
    recorded_on: date
    answer: Any
    """The answer, as JSON; a string when it wasn't JSON."""
    refused: tuple[str, ...] = ()
    """Findings when it was imported; information only, checks are rerun at every build."""
    ingredients: dict[str, str] = Field(default_factory=dict)
    """Short digests of the request's inputs and answer schema, by which a stale answer's cause is found."""


class Again(Record):
    """An order to ask a refused unit again; lines of a unit add up."""

    unit: str
    attempts: int = Field(ge=1, le=9)
    """How many attempts it is given beside those of the configuration."""


class Call(Record):
    """One call of a live service, as the ledger has it; it says nothing of what was asked or answered."""

    digest: Sha256
    """Digest of the request."""
    stage: str
    unit: str
    seat: Seat
    attempt: int = Field(ge=1)
    prompt_version: str
    asked: str
    """Kind of service, model and server that was asked."""
    configuration: Sha256
    """Digest of the same."""
    model: str
    """Model that says it answered."""
    tokens_in: int = Field(ge=0)
    tokens_out: int = Field(ge=0)
    cost: float = Field(ge=0)
    """In the currency of the configured prices; 0 without a price."""
    outcome: str
    """``accepted``, the findings, or why there was no reply."""
    tries: int = Field(default=1, ge=0)
    """HTTP requests that it took."""
    batch: str = ""
    """Id of the batch in which it was made, if it was."""


class Batch(Record):
    """A batch of requests at a provider, as its journal has it; the last line of an intent holds."""

    intent: Sha256
    """Digest of what was meant to be sent; goes with the batch where a provider lets it."""
    state: Literal["meant", "open", "collected", "failed"]
    """``meant``: about to be submitted; ``failed``: the provider took none of it."""
    engine: Engine
    model: str
    base_url: str | None = None
    max_tokens: int = Field(ge=1)
    digests: tuple[Sha256, ...]
    """Requests that it holds."""
    id: str = ""
    """The provider's id; empty while it is meant only."""
    known: tuple[str, ...] = ()
    """Ids of the provider's batches just before it was submitted, where an intent can't go with it."""


class Refusal(Record):
    """An answer that was refused, and why; it stays beside what was accepted."""

    unit: str
    seat: Seat
    attempt: int
    findings: tuple[str, ...]


class Account(Record):
    """What a stage took in and what became of it: in = out + refused + in review."""

    stage: str
    units: int
    """Units of work."""
    done: int
    refused: int
    in_review: int
    rows: int
    """Rows written."""
    refusals: tuple[Refusal, ...] = ()
    """Answers that were refused on the way, though their unit may have been answered later."""


class FileEntry(Record):
    """One file of a release."""

    path: str
    bytes: int
    sha256: Sha256


class TableEntry(Record):
    """One table of a release."""

    name: str
    rows: int
    content_sha256: Sha256
    """SHA-256 of the rows as canonical JSON Lines; the same under any Parquet writer."""


class ReleaseManifest(Record):
    """What a release holds; ``release.json``."""

    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    license: str
    canary: str
    tables: tuple[TableEntry, ...]
    files: tuple[FileEntry, ...]
    content_sha256: Sha256
    """SHA-256 over names and content hashes of all tables."""
    schema_version: Literal["1"] = "1"
