"""What an engine is: something that is asked a request and may have an answer."""

from __future__ import annotations

from typing import Protocol

from mempabench.domain.manifests import Recording, Request


class Engine(Protocol):
    """Answers requests. The default replays recordings; live engines come beside it."""

    def answer(self, request: Request) -> Recording | None:
        """Return the answer to a request, or None where there is none."""
