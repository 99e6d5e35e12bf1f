"""The batches of the test service: taken, kept for a while and answered, as both providers document it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

Sent = tuple[int, Any]
"""Status and body of a reply; a string is sent as lines of JSON."""


@dataclass
class Kept:
    """A batch."""

    id: str
    requests: list[tuple[str, dict[str, Any]]]
    polls_left: int
    intent: str = ""
    broken: str = ""
    lines: list[str] | None = None
    errors: list[str] = field(default_factory=list)


@dataclass
class BatchDesk:
    """Takes batches of both protocols."""

    complete: Callable[[str, dict[str, Any], str], Sent]
    """Answers a body of a protocol, with a fault: what a single call would get."""
    line_faults: list[str] = field(default_factory=list)
    """Served first, one a line: those of single calls, or ``missing``, ``doubled``, ``stranger``, ``error``,
    ``expired``, ``garbled``."""
    polls: int = 0
    """How often a batch is said to be under way before it has ended."""
    drop_replies: int = 0
    """How many submissions are taken while the connection breaks before the id is told."""
    answered: int = 0
    """Lines with a completion: what is paid for."""
    batches: dict[str, Kept] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def post(self, path: str, headers: Any, content: bytes) -> Sent | None:
        """Take a file or a batch; None where the connection breaks."""
        if path.endswith("/v1/files"):
            return self._file(headers, content)
        body = json.loads(content)
        if path.endswith("/v1/batches"):
            text = self.files.get(body["input_file_id"], "")
            lines = [json.loads(line) for line in text.splitlines()]
            kept = self._keep("batch", [(line["custom_id"], line["body"]) for line in lines])
            kept.intent = body.get("metadata", {}).get("mempabench", "")
            kept.broken = _wrong_ids(kept.requests) or _wrong_lines(lines)
            return self._unless_dropped(200, self.openai(kept))
        kept = self._keep("msgbatch", [(one["custom_id"], one["params"]) for one in body["requests"]])
        if problem := _wrong_ids(kept.requests):
            del self.batches[kept.id]
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": problem}}
        return self._unless_dropped(200, self.anthropic(kept))

    def get(self, path: str) -> Sent:
        """Show a batch, all of them, or what one brought."""
        path = path.split("?")[0]
        if match := re.search(r"/v1/files/([^/]+)/content$", path):
            return 200, self.files[match[1]]
        if match := re.search(r"/batches/([^/]+)/results$", path):
            return 200, "".join(f"{line}\n" for line in self._ended(self.batches[match[1]]))
        show = self.anthropic if "/messages/" in path else self.openai
        if path.endswith("/batches"):
            prefix = "msgbatch" if "/messages/" in path else "batch"
            found = [
                show(kept) for kept in reversed(self.batches.values()) if kept.id.startswith(f"{prefix}_")
            ]
            return 200, {
                "object": "list",
                "data": found,
                "has_more": False,
                "first_id": None,
                "last_id": None,
            }
        kept = self.batches[path.rsplit("/", 1)[1]]
        kept.polls_left -= 1
        return 200, show(kept)

    def openai(self, kept: Kept) -> dict[str, Any]:
        """Return a batch as OpenAI shows it."""
        ended = kept.polls_left < 0
        shown: dict[str, Any] = {
            "id": kept.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file",
            "completion_window": "24h",
            "created_at": 1,
            "status": "failed" if kept.broken else "completed" if ended else "in_progress",
            "metadata": {"mempabench": kept.intent},
            "request_counts": {"total": len(kept.requests), "completed": 0, "failed": 0},
        }
        if kept.broken:
            shown["errors"] = {"object": "list", "data": [{"code": "invalid", "message": kept.broken}]}
        elif ended:
            lines = self._ended(kept)
            self.files[f"out_{kept.id}"] = "".join(f"{line}\n" for line in lines)
            self.files[f"err_{kept.id}"] = "".join(f"{line}\n" for line in kept.errors)
            shown.update(output_file_id=f"out_{kept.id}", error_file_id=f"err_{kept.id}")
            shown["request_counts"].update(completed=len(lines), failed=len(kept.errors))
        return shown

    def anthropic(self, kept: Kept) -> dict[str, Any]:
        """Return a batch as Anthropic shows it."""
        ended = kept.polls_left < 0
        count = len(kept.requests)
        return {
            "id": kept.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else count,
                "succeeded": count if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": "2026-12-01T00:00:00Z",
            "expires_at": "2026-12-02T00:00:00Z",
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"/v1/messages/batches/{kept.id}/results" if ended else None,
        }

    def _file(self, headers: Any, content: bytes) -> Sent:
        head = f"content-type: {headers['content-type']}\n\n".encode()
        parts = message_from_bytes(head + content).get_payload()
        assert isinstance(parts, list)
        named = {part.get_param("name", header="content-disposition"): part for part in parts}  # type: ignore[union-attr]
        payload = named["file"].get_payload(decode=True)  # type: ignore[union-attr]
        assert isinstance(payload, bytes)
        name = f"file_{len(self.files)}"
        self.files[name] = payload.decode("utf-8")
        return 200, {
            "id": name,
            "object": "file",
            "bytes": len(payload),
            "created_at": 1,
            "filename": "requests.jsonl",
            "purpose": "batch",
            "status": "processed",
        }

    def _keep(self, prefix: str, requests: list[tuple[str, dict[str, Any]]]) -> Kept:
        kept = Kept(f"{prefix}_{len(self.batches) + 1}", requests, self.polls)
        self.batches[kept.id] = kept
        return kept

    def _unless_dropped(self, status: int, body: Any) -> Sent | None:
        if self.drop_replies:
            self.drop_replies -= 1
            return None
        return status, body

    def _ended(self, kept: Kept) -> list[str]:
        """Answer a batch once, line by line."""
        if kept.lines is None:
            kept.lines = []
            for custom_id, body in kept.requests:
                fault = self.line_faults.pop(0) if self.line_faults else ""
                self._answer(kept, kept.lines, custom_id, body, fault)
        return kept.lines

    def _answer(self, kept: Kept, lines: list[str], custom_id: str, body: dict[str, Any], fault: str) -> None:
        openai = kept.id.startswith("batch_")
        if fault in ("error", "expired"):
            if openai:
                error = {"code": f"batch_{fault}", "message": "no answer"}
                kept.errors.append(
                    json.dumps({"id": "r", "custom_id": custom_id, "response": None, "error": error})
                )
            else:
                failed = {"type": "error", "error": {"type": "api_error", "message": "no answer"}}
                errored: dict[str, Any] = {"type": "errored", "error": failed}
                result = {"type": "expired"} if fault == "expired" else errored
                lines.append(json.dumps({"custom_id": custom_id, "result": result}))
            return
        if fault == "missing":
            return
        status, answer = self.complete("openai" if openai else "anthropic", body, fault)
        assert status == 200, answer
        self.answered += 1
        wanted = "0" * 64 if fault == "stranger" else custom_id
        if openai:
            response = {"status_code": 200, "request_id": "q", "body": answer}
            line = json.dumps({"id": "r", "custom_id": wanted, "response": response, "error": None})
        else:
            line = json.dumps({"custom_id": wanted, "result": {"type": "succeeded", "message": answer}})
        lines.extend(["{" if fault == "garbled" else line] + [line] * (fault == "doubled"))


def _wrong_ids(requests: list[tuple[str, dict[str, Any]]]) -> str:
    ids = [custom_id for custom_id, _ in requests]
    if len(set(ids)) < len(ids):
        return "custom_id is not unique"
    if not all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", custom_id) for custom_id in ids):
        return "custom_id is too long"
    return "" if ids else "no requests"


def _wrong_lines(lines: list[dict[str, Any]]) -> str:
    models = {line["body"].get("model") for line in lines}
    if len(models) > 1:
        return "a batch is for one model"
    good = all(line["method"] == "POST" and line["url"] == "/v1/chat/completions" for line in lines)
    return "" if good else "wrong method or url"
