"""A service for tests that speaks both protocols, as strict as their documents, and fails as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.engines.batch_desk import BatchDesk

Answering = Callable[[dict[str, Any], str], tuple[int, dict[str, Any]]]
KEY = "sk-very-secret"
UNKNOWN_KEYWORDS = {"minLength", "maxLength"}


@dataclass
class Service:
    """What is asked, what is answered, and what goes wrong on the way."""

    answer: Callable[[str, str], str]
    """Text of the answer to a system and a user message."""
    faults: list[str] = field(default_factory=list)
    """Served first, one a call: an HTTP status, or one of ``cut``, ``half``, ``length``, ``refusal``, ``filter``,
    ``empty``, ``prose``, ``fenced``."""
    always: str = ""
    """A fault for every call."""
    calls: int = 0
    replies: int = 0
    """Calls that were answered with a completion, usable or not."""
    tokens: int = 0
    url: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)
    desk: BatchDesk = field(init=False)
    """Takes batches."""

    def __post_init__(self) -> None:
        """Answer batches as single calls are answered."""
        self.desk = BatchDesk(lambda protocol, body, fault: getattr(self, protocol)(body, fault))

    def fault(self) -> str:
        """Count a call and return what goes wrong with it."""
        with self.lock:
            self.calls += 1
            return self.always or (self.faults.pop(0) if self.faults else "")

    def replied(self) -> None:
        """Count a completion."""
        with self.lock:
            self.replies += 1
            self.tokens += 30

    def openai(self, body: dict[str, Any], fault: str) -> tuple[int, dict[str, Any]]:
        """Return status and completion for a body."""
        wanted = body.get("response_format", {})
        if wanted.get("type") != "json_schema" or bad_schema(wanted["json_schema"]["schema"]):
            return 400, {"error": {"message": "invalid schema"}}
        system, user = (message["content"] for message in body["messages"])
        message: dict[str, Any] = {
            "role": "assistant",
            "content": self._text(system, user, fault),
            "refusal": None,
        }
        if fault == "refusal":
            message.update(content=None, refusal="I'd rather not.")
        finish = {"length": "length", "filter": "content_filter"}.get(fault, "stop")
        if fault != "half":
            self.replied()
        return 200, {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "stub-1",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
        }

    def anthropic(self, body: dict[str, Any], fault: str) -> tuple[int, dict[str, Any]]:
        """Return status and message for a body."""
        wanted = body.get("output_config", {}).get("format", {})
        if wanted.get("type") != "json_schema" or bad_schema(wanted["schema"]) or "max_tokens" not in body:
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "invalid"}}
        text = self._text(body["system"], body["messages"][0]["content"], fault)
        stop = {"length": "max_tokens", "refusal": "refusal", "filter": "refusal"}.get(fault, "end_turn")
        if fault != "half":
            self.replied()
        return 200, {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "model": "stub-1",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 20, "output_tokens": 10},
        }

    def _text(self, system: str, user: str, fault: str) -> str:
        if fault in ("empty", "half"):
            return ""
        if fault == "prose":
            return "Here is what I think."
        text = self.answer(system, user)
        return {"length": text[: len(text) // 2], "fenced": f"```json\n{text}\n```"}.get(fault, text)


def bad_schema(schema: Any) -> bool:
    """Return whether a schema has what the services don't take: keywords, open objects, optional fields."""
    if isinstance(schema, list):
        return any(map(bad_schema, schema))
    if not isinstance(schema, dict):
        return False
    if schema.get("type") == "object" and "properties" in schema:
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(
            schema["properties"]
        ):
            return True
        return any(map(bad_schema, schema["properties"].values())) or bad_schema(schema.get("$defs", {}))
    return bool(UNKNOWN_KEYWORDS & set(schema)) or any(map(bad_schema, schema.values()))


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            fault = service.fault()
            if fault == "cut":
                self._break()
            elif fault.isdigit():
                self._send(int(fault), {"error": {"type": "x", "message": f"told to say {fault}"}})
            elif not self._key_is_right():
                error = {"type": "authentication_error", "message": "bad key"}
                self._send(401, {"type": "error", "error": error})
            elif self.path.endswith(("/files", "/batches")):
                with service.lock:
                    sent = service.desk.post(self.path, self.headers, content)
                if sent is None:
                    self._break()
                else:
                    self._send(*sent)
            elif self.path.endswith("/chat/completions"):
                self._send(*self._answered(service.openai, content, fault), half=fault == "half")
            elif self.path.endswith("/v1/messages"):
                self._send(*self._answered(service.anthropic, content, fault), half=fault == "half")
            else:
                self._send(404, {"error": {"message": "no such path"}})

        def do_GET(self) -> None:
            if not self._key_is_right():
                self._send(401, {"error": {"message": "bad key"}})
                return
            with service.lock:
                sent = service.desk.get(self.path)
            self._send(*sent)

        def _answered(self, answer: Answering, content: bytes, fault: str) -> tuple[int, dict[str, Any]]:
            """Answer a body; what goes wrong in a test's own answers is said and not tried again."""
            try:
                return answer(json.loads(content), fault)
            except Exception as error:
                return 400, {"error": {"message": f"the test's service failed: {error!r}"}}

        def _break(self) -> None:
            self.close_connection = True
            self.connection.shutdown(2)

        def _key_is_right(self) -> bool:
            given = (self.headers["authorization"] or "").removeprefix("Bearer ")
            return KEY in (given, self.headers["x-api-key"])

        def _send(self, status: int, value: Any, *, half: bool = False) -> None:
            content = (value if isinstance(value, str) else json.dumps(value)).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            if status >= 429:
                self.send_header("retry-after-ms", "1")
                self.send_header("retry-after", "0")
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if half else content)
            if half:
                self._break()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Say nothing of connections that a killed client left."""


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """Serve on a free port until the end of the block."""
    server = _Server(("127.0.0.1", 0), _handler(service))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
