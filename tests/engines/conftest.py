"""A live service for the specimen, and what was kept of it."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.conftest import ANSWERS, Outcome, Tiny, answer_to
from tests.engines.fault_server import KEY, Service, serving

from mempabench.commands.pending import pending_requests
from mempabench.domain.manifests import Request

PATHS = {"openai": "/v1", "openai-compatible": "/v1", "anthropic": ""}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def first_asked(message: str) -> str:
    """Return a message without the findings of an earlier attempt."""
    return message.split("\nAn earlier answer was refused:")[0]


def scripted(request: Request) -> int:
    """Return how many attempts the specimen has an answer for."""
    return len(ANSWERS[request.stage][request.unit][request.seat])


@pytest.fixture
def service(tiny: Tiny, keys: None) -> Iterator[Service]:
    """A service that knows the hand-worked answers of the specimen, attempt by attempt."""
    known: dict[tuple[str, str], dict[str, Request]] = {}
    served: Counter[tuple[str, str, str]] = Counter()
    lock = threading.Lock()

    def answer(system: str, user: str) -> str:
        key = (system, first_asked(user))
        with lock:
            if key not in known:
                for one in pending_requests(tiny.workspace):
                    same = known.setdefault((one.request.system, first_asked(one.request.message)), {})
                    same.setdefault(one.request.seat, one.request)
            seat = min(
                known[key],
                key=lambda seat: (served[(*key, seat)] >= scripted(known[key][seat]), served[(*key, seat)]),
            )
            served[(*key, seat)] += 1
            request = known[key][seat]
            attempt = min(served[(*key, seat)], scripted(request))
            return json.dumps(answer_to(request.changed(attempt=attempt)))

    with serving(Service(answer)) as running:
        yield running


def live(tiny: Tiny, service: Service, *more: object, engine: str = "openai-compatible") -> Outcome:
    url = service.url + PATHS[engine]
    return tiny.run("build", "--engine", engine, "--model", "stub", "--base-url", url, *more)


def recordings(tiny: Tiny) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted((tiny.root / "recordings").glob("*/*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def ledger(tiny: Tiny) -> list[dict[str, object]]:
    text = (tiny.root / "artifacts/ledger.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
