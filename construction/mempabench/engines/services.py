"""Services that answer requests: OpenAI and whatever speaks its protocol, and Anthropic.

Both are asked through their official clients, by their own means of structured output. The clients wait and
try again on 429, 5xx and broken connections, as long as the service asks to; what then still fails is
:class:`Unreachable`, and the request stays unanswered. Keys come from the environment only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

from mempabench.domain.manifests import Request
from mempabench.errors import EngineError

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


class Unreachable(Exception):
    """A call that got no reply, however often it was tried; says why."""


class Service(Protocol):
    """Answers one request at a time; may be called from several threads."""

    model: str
    max_tokens: int

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request.

        Raises:
            Unreachable: when there is none.
            EngineError: when there is no point in asking on: a wrong key, an unknown model, a refused request.
        """


class OpenAIService:
    """OpenAI, or a server that speaks its protocol."""

    def __init__(
        self, model: str, max_tokens: int, base_url: str | None = None, key: str | None = None
    ) -> None:
        """Make the client.

        Args:
            model: Name of the model.
            max_tokens: Most tokens of an answer.
            base_url: Address of the server, or None for OpenAI's.
            key: The key, or None to take it from ``OPENAI_API_KEY``; servers of one's own may need none.
        """
        openai = _client("openai")
        self.model, self.max_tokens = model, max_tokens
        self._errors = openai
        try:
            self._client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=RETRIES)
        except openai.OpenAIError as error:
            raise EngineError("no key for OpenAI; set OPENAI_API_KEY in the environment") from error

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request."""
        try:
            completion = self._client.chat.completions.create(
                model=self.model,
                max_completion_tokens=self.max_tokens,
                messages=[
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.message},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {
                        "name": request.stage,
                        "strict": True,
                        "schema": without_bounds(request.answer_schema),
                    },
                },
            )
        except self._errors.APIError as error:
            raise _failure(error, self._errors, self.model) from error
        choice = completion.choices[0] if completion.choices else None
        text = (choice.message.content if choice else None) or ""
        declined = choice.message.refusal if choice else None
        problem = {"length": "cut off", "content_filter": "filtered"}.get(
            choice.finish_reason if choice else "", ""
        )
        usage = completion.usage
        return Reply(
            declined or text,
            "declined" if declined else problem or ("" if text.strip() else "empty"),
            completion.model or self.model,
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
        )


class AnthropicService:
    """Anthropic's messages."""

    def __init__(
        self, model: str, max_tokens: int, base_url: str | None = None, key: str | None = None
    ) -> None:
        """Make the client.

        Args:
            model: Name of the model.
            max_tokens: Most tokens of an answer.
            base_url: Address of the server, or None for Anthropic's.
            key: The key, or None to take it from ``ANTHROPIC_API_KEY``.
        """
        anthropic = _client("anthropic")
        self.model, self.max_tokens = model, max_tokens
        self._errors = anthropic
        key = key or os.environ.get("ANTHROPIC_API_KEY")
        if not key:
            raise EngineError("no key for Anthropic; set ANTHROPIC_API_KEY in the environment")
        self._client = anthropic.Anthropic(base_url=base_url, api_key=key, max_retries=RETRIES)

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request."""
        try:
            message = self._client.messages.create(
                model=self.model,
                max_tokens=self.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.message}],
                output_config={
                    "format": {"type": "json_schema", "schema": without_bounds(request.answer_schema)}
                },
            )
        except self._errors.APIError as error:
            raise _failure(error, self._errors, self.model) from error
        text = "".join(block.text for block in message.content if block.type == "text")
        problem = {"max_tokens": "cut off", "refusal": "declined"}.get(message.stop_reason or "", "")
        return Reply(
            text,
            problem or ("" if text.strip() else "empty"),
            message.model or self.model,
            message.usage.input_tokens,
            message.usage.output_tokens,
        )


def _client(name: str) -> Any:
    """Return a client library, which comes with the extra ``live``."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EngineError(f"asking a live model needs {name}; install mempabench[live]") from error


def _failure(error: Any, errors: Any, model: str) -> Exception:
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
    return Unreachable(f"{type(error).__name__}{f' {status}' if status else ''}: {said}")


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
