"""Services that answer requests: OpenAI and whatever speaks its protocol, and Anthropic.

Both are asked through their official clients, by their own means of structured output. The clients wait and
try again on 429, 5xx and broken connections, as long as the service asks to; what then still fails is
:class:`Unreachable`, and the request stays unanswered. Keys come from the environment only.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from mempabench.domain.manifests import Engine, Request
from mempabench.domain.record import digest
from mempabench.engines.pacing import Pace
from mempabench.errors import EngineError, InputError

RETRIES = 6
"""How often a client tries again before it gives up on a call."""


_BOUNDS = frozenset({"minLength", "maxLength"})
"""Keywords that OpenAI's and Anthropic's schemas don't know; answers are checked for them all the same."""


@dataclass(frozen=True)
class Reply:
    """What a service said."""

    text: str
    """What it said; empty where it said nothing."""
    problem: str
    """Why it is no answer (``cut off``, ``declined``, ``filtered``, ``empty``), or nothing."""
    model: str
    """Model that says it answered."""
    tokens_in: int
    tokens_out: int
    tries: int = 1
    """HTTP requests that it took."""


class Unreachable(Exception):
    """A call that got no reply, however often it was tried; says why."""

    def __init__(self, why: str, tries: int = 1) -> None:
        super().__init__(why)
        self.tries = tries


@dataclass(frozen=True)
class Address:
    """Where a model is, and how it is asked."""

    engine: Engine
    model: str
    base_url: str | None = None
    """Address of the server; None for the provider's own."""
    max_tokens: int = 8192
    """Most tokens of an answer."""
    timeout_s: float = 600.0
    """Seconds that a call may take before it is tried again."""
    bounds: bool = False
    """Whether the server's schemas know how long a string may be; OpenAI's and Anthropic's don't."""

    def __post_init__(self) -> None:
        """Refuse an address with a key in it.

        Raises:
            InputError: saying where keys belong.
        """
        parts = urlsplit(self.base_url or "")
        if parts.username or parts.password or parts.query:
            raise InputError(
                f"--base-url: {parts.scheme}://…@{parts.hostname} holds a user, key or query; "
                "keys belong into the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY)"
            )

    def shown(self) -> str:
        """Return engine, model and server in a few words."""
        return f"{self.engine} {self.model}" + (f" at {self.base_url}" if self.base_url else "")

    def digest(self) -> str:
        """Return what tells answers of one model from those of another: engine, model and server."""
        return digest([self.engine, self.model, self.base_url])


class Service(Protocol):
    """Answers one request at a time; may be called from several threads."""

    address: Address
    client: Any
    """The provider's client."""
    errors: Any
    """The client's library, which holds its errors."""

    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent to ask a request."""

    def reply(self, answered: Any, tries: int = 1) -> Reply:
        """Return what the provider's answer says."""

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request.

        Raises:
            Unreachable: when there is none.
            EngineError: when there is no point in asking on: a wrong key, an unknown model, a refused request.
        """


class _ByClient(ABC):
    """What both providers' services share: the official client, its retries, and what its errors mean."""

    library: ClassVar[str]
    """Client library."""
    maker: ClassVar[str]
    """Its class of clients."""

    def __init__(self, address: Address, pace: Pace) -> None:
        """Make the client, with the key of the environment."""
        self.errors: Any = client_library(self.library)
        self.address, self._pace = address, pace
        self.client: Any = getattr(self.errors, self.maker)(
            base_url=address.base_url,
            api_key=self._key(),
            max_retries=RETRIES,
            timeout=address.timeout_s,
            http_client=self.errors.DefaultHttpxClient(event_hooks=pace.hooks()),
        )

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request."""
        try:
            answered = self._ask(self.body(request))
        except self.errors.APIError as error:
            raise failure(error, self.errors, self.address.model, self._pace.tries()) from error
        return self.reply(answered, self._pace.tries())

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent to ask a request."""

    @abstractmethod
    def reply(self, answered: Any, tries: int = 1) -> Reply:
        """Return what the provider's answer says."""

    @abstractmethod
    def _key(self) -> str:
        """Return the key of the environment."""

    @abstractmethod
    def _ask(self, body: dict[str, Any]) -> Any:
        """Send a body and return the provider's answer."""


class OpenAIService(_ByClient):
    """OpenAI, or a server that speaks its protocol; one of one's own may need no key."""

    library = "openai"
    maker = "OpenAI"

    def _key(self) -> str:
        own = "none" if self.address.engine == "openai-compatible" else None
        key = os.environ.get("OPENAI_API_KEY") or own
        if key is None:
            raise EngineError("no key for OpenAI; set OPENAI_API_KEY in the environment")
        return key

    def _ask(self, body: dict[str, Any]) -> Any:
        return self.client.chat.completions.create(**body)

    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent to ask a request."""
        return {
            "model": self.address.model,
            "max_completion_tokens": self.address.max_tokens,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.message},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": request.stage,
                    "strict": True,
                    "schema": request.answer_schema
                    if self.address.bounds
                    else without_bounds(request.answer_schema),
                },
            },
        }

    def reply(self, answered: Any, tries: int = 1) -> Reply:
        """Return what a completion says."""
        choice = answered.choices[0] if answered.choices else None
        text = (choice.message.content if choice else None) or ""
        declined = choice.message.refusal if choice else None
        problem = {"length": "cut off", "content_filter": "filtered"}.get(
            choice.finish_reason if choice else "", ""
        )
        usage = answered.usage
        return Reply(
            declined or text,
            "declined" if declined else problem or ("" if text.strip() else "empty"),
            answered.model or self.address.model,
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
            tries,
        )


class AnthropicService(_ByClient):
    """Anthropic's messages."""

    library = "anthropic"
    maker = "Anthropic"

    def _key(self) -> str:
        key = os.environ.get("ANTHROPIC_API_KEY")
        if not key:
            raise EngineError("no key for Anthropic; set ANTHROPIC_API_KEY in the environment")
        return key

    def _ask(self, body: dict[str, Any]) -> Any:
        return self.client.messages.create(**body)

    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent to ask a request."""
        return {
            "model": self.address.model,
            "max_tokens": self.address.max_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.message}],
            "output_config": {
                "format": {"type": "json_schema", "schema": without_bounds(request.answer_schema)}
            },
        }

    def reply(self, answered: Any, tries: int = 1) -> Reply:
        """Return what a message says."""
        text = "".join(block.text for block in answered.content if block.type == "text")
        problem = {"max_tokens": "cut off", "refusal": "declined"}.get(answered.stop_reason or "", "")
        return Reply(
            text,
            problem or ("" if text.strip() else "empty"),
            answered.model or self.address.model,
            answered.usage.input_tokens,
            answered.usage.output_tokens,
            tries,
        )


def service_at(address: Address, pace: Pace) -> Service:
    """Return the service at an address.

    Raises:
        EngineError: without the client library or the key.
    """
    return (AnthropicService if address.engine == "anthropic" else OpenAIService)(address, pace)


def client_library(name: str) -> Any:
    """Return a client library, which comes with the extra ``live``."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EngineError(f"asking a live model needs {name}; install mempabench[live]") from error


def failure(error: Any, errors: Any, model: str, tries: int = 1) -> Exception:
    """Return what a client's error means: no point in going on, or no reply this time."""
    status = getattr(error, "status_code", None)
    said = " ".join(str(error).split())[:200]
    if isinstance(error, errors.AuthenticationError | errors.PermissionDeniedError):
        return EngineError(
            f"{model}: the service refuses the key ({status}); set another one in the environment"
        )
    if isinstance(error, errors.NotFoundError):
        return EngineError(f"{model}: the service knows no such model or address ({status}): {said}")
    if isinstance(error, errors.BadRequestError | errors.UnprocessableEntityError):
        return EngineError(f"{model}: the service takes no such request ({status}): {said}")
    return Unreachable(f"{type(error).__name__}{f' {status}' if status else ''}: {said}", tries)


def without_bounds(schema: Any) -> Any:
    """Return a schema without the keywords that the services don't take.

    >>> without_bounds({"type": "string", "maxLength": 9, "properties": {"maxLength": {"type": "integer"}}})
    {'type': 'string', 'properties': {'maxLength': {'type': 'integer'}}}
    """
    if isinstance(schema, list):
        return [without_bounds(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: without_bounds(part) for name, part in value.items()}
        elif key not in _BOUNDS:
            kept[key] = without_bounds(value)
    return kept
