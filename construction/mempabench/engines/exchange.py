"""Requests as files: out to whoever answers them, and their answers back in.

An export is a JSON Lines file of OpenAI batch requests a stage and seat; ``custom_id`` is the request
digest. Beside it, on demand, the same as a packet that can be read and answered by hand. Answers come back
as batch output or as plain ``{"custom_id", "answer"}`` lines; they pass the checks of replay, and what is
refused is kept with the reason and asked again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from mempabench.artifacts import parse_json, read_json_lines, read_records, write_bytes, write_records
from mempabench.domain.manifests import Recording, Request
from mempabench.domain.record import canonical_json
from mempabench.engines.asking import Pending, judge
from mempabench.engines.recorded import recording_path
from mempabench.errors import InputError

MODEL_PLACEHOLDER = "your-model"
"""Stands in exported bodies until whoever sends them names a model."""


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    accepted: int
    refused: tuple[str, ...]
    """A line for each refused answer: request, unit and findings."""
    unknown: int
    """Answers to requests that are not waiting (already answered, or of another version)."""


def batch_line(request: Request) -> str:
    """Return a request as one line of an OpenAI batch file."""
    return canonical_json(
        {
            "custom_id": request.digest(),
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": MODEL_PLACEHOLDER,
                "messages": [
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.message},
                ],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": request.stage, "strict": True, "schema": request.answer_schema},
                },
            },
        }
    )


def export_requests(
    requests: Sequence[Request], folder: Path, *, packet: bool = False, size: int = 0
) -> Iterator[tuple[Path, int]]:
    """Write requests and yield each file with the number of requests in it.

    Args:
        requests: Requests of one or more stages.
        folder: Where to write.
        packet: Write readable Markdown packets instead of batch lines.
        size: Most requests in one file; 0 for no limit.
    """
    for name, group in _grouped(requests):
        step = size or len(group)
        parts = [group[start : start + step] for start in range(0, len(group), step)]
        for number, part in enumerate(parts, start=1):
            stem = name if len(parts) == 1 else f"{name}.{number:02d}"
            path = folder / (f"{stem}.md" if packet else f"{stem}.jsonl")
            text = _packet(part) if packet else "".join(batch_line(request) + "\n" for request in part)
            write_bytes(path, text.encode("utf-8"))
            yield path, len(part)


def _grouped(requests: Sequence[Request]) -> Iterator[tuple[str, list[Request]]]:
    names = dict.fromkeys(f"{request.stage}.{request.seat}" for request in requests)
    for name in names:
        yield name, [request for request in requests if f"{request.stage}.{request.seat}" == name]


def _packet(requests: Sequence[Request]) -> str:
    """Return requests as a page: shared instructions first, then one section a request."""
    first = requests[0]
    parts = [
        f"# {len(requests)} requests\n",
        "Answer each request by itself. Give one JSON object a line:",
        '`{"custom_id": "<id of the request>", "answer": {…}}`\n',
    ]
    for system in dict.fromkeys(request.system for request in requests):
        parts += ["## Instructions\n", system]
    parts += [
        "## Schema of every answer\n",
        "```json",
        json.dumps(first.answer_schema, ensure_ascii=False),
        "```\n",
    ]
    for request in requests:
        parts += [f"## Request {request.digest()}\n", request.message]
    return "\n".join(parts) + "\n"


def import_answers(
    path: Path,
    pending: Iterable[Pending],
    recordings: Path,
    *,
    writer: str,
    model: str,
    recorded_on: date,
) -> Imported:
    """Read answers, check them, and keep all of them as recordings.

    Args:
        path: The answers.
        pending: The requests that wait, with the questions that judge answers.
        recordings: The recordings folder.
        writer: What wrote the answers, such as ``language model``.
        model: Its name, or ``undisclosed``.
        recorded_on: The day of recording.

    Raises:
        InputError: naming file and line; nothing is kept then.
    """
    waiting = {one.request.digest(): one for one in pending}
    new: dict[Path, list[Recording]] = {}
    refused: list[str] = []
    seen: dict[str, int] = {}
    unknown = 0
    for number, value in read_json_lines(path):
        custom_id, answer = _answer(value, f"{path.name}:{number}")
        if custom_id in seen:
            raise InputError(
                f"{path.name}:{number}: request {custom_id[:12]} is answered in line {seen[custom_id]} too; keep one"
            )
        seen[custom_id] = number
        one = waiting.get(custom_id)
        if one is None:
            unknown += 1
            continue
        findings = judge(one.question, answer)[1]
        if findings:
            refused.append(
                f"{path.name}:{number}: {one.request.unit} ({one.request.seat}): {'; '.join(findings)}"
            )
        place = recording_path(recordings, one.request)
        new.setdefault(place, []).append(
            recording_of(one.request, answer, findings, writer, model, recorded_on)
        )
    for place, added in new.items():
        _append(place, added)
    return Imported(len(seen) - unknown - len(refused), tuple(refused), unknown)


def _answer(value: Any, where: str) -> tuple[str, Any]:
    """Return request digest and answer of one line, whichever of the known shapes it has."""
    if not isinstance(value, dict) or not isinstance(value.get("custom_id"), str):
        raise InputError(f"{where}: no custom_id; each line is an answer with the custom_id of its request")
    if "answer" in value:
        return value["custom_id"], value["answer"]
    try:
        content = value["response"]["body"]["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise InputError(
            f"{where}: neither an answer nor the output of a batch; leave the line out"
        ) from error
    try:
        return value["custom_id"], parse_json(content)
    except (TypeError, ValueError):
        return value["custom_id"], str(content)


def recording_of(
    request: Request, answer: Any, findings: tuple[str, ...], writer: str, model: str, recorded_on: date
) -> Recording:
    """Return an answer as it is kept, with what is wrong with it."""
    return Recording(
        digest=request.digest(),
        unit=request.unit,
        seat=request.seat,
        attempt=request.attempt,
        prompt=request.prompt,
        prompt_version=request.prompt_version,
        prompt_sha256=hashlib.sha256(f"{request.system}\n=====\n{request.message}".encode()).hexdigest(),
        writer=writer,
        model=model,
        recorded_on=recorded_on,
        answer=answer,
        refused=findings,
        ingredients=request.ingredients(),
    )


def _append(place: Path, added: list[Recording]) -> None:
    known = read_records(place, Recording, f"recordings/{place.parent.name}/{place.name}")
    write_records(place, (*known, *added))
