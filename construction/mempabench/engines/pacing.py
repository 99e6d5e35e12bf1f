"""The pace at which a service is asked: how many calls at a time, how many requests and tokens a minute.

The clients of the providers wait and try again by themselves, as long as the service asks them to. What they
can't know is what the other calls meet; a :class:`Pace` is shared by all of them. It sees every HTTP request
and response through the client's hooks: a service that says "too many" halves the number of calls in flight,
and each full round of good replies lets one more in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

OVERLOADED = frozenset({429, 503, 529})
"""Statuses by which a service says that it is asked too much."""


class Stopped(Exception):
    """The run ended while a call waited for its turn; it was never made."""


@dataclass
class Allowance:
    """So much a minute: fills evenly, holds five seconds' worth at most, and may be overdrawn by one call."""

    per_minute: float
    clock: Callable[[], float] = monotonic
    _holds: float = field(init=False)
    _level: float = field(init=False)
    _seen: float = field(init=False)

    def __post_init__(self) -> None:
        """Start full."""
        self._holds = self._level = max(1.0, self.per_minute / 12)
        self._seen = self.clock()

    def take(self, amount: float) -> float:
        """Take an amount, and return the seconds to wait before it is there.

        A call that needs more than the allowance holds waits until it is full; the next one pays the debt.
        """
        now = self.clock()
        self._level = min(self._holds, self._level + (now - self._seen) * self.per_minute / 60)
        self._seen = now
        lacking = min(amount, self._holds) - self._level
        self._level -= amount
        return max(0.0, lacking * 60 / self.per_minute)

    def give_back(self, amount: float) -> None:
        """Return what a call turned out not to need (or, negative, what it needed beside)."""
        self._level = min(self._holds, self._level + amount)


class Pace:
    """How a service is asked; shared by every call to it, from any thread."""

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        """Start at full speed.

        Args:
            concurrency: Most calls at a time.
            requests_per_minute: Most HTTP requests a minute, those that are tried again included.
            tokens_per_minute: Most tokens a minute, in and out together.
        """
        self.concurrency = self.allowed = concurrency
        self._requests = Allowance(requests_per_minute) if requests_per_minute else None
        self._tokens = Allowance(tokens_per_minute) if tokens_per_minute else None
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._good = 0
        self._since_cut = concurrency
        self._tries = threading.local()

    def hooks(self) -> dict[str, list[Callable[[Any], None]]]:
        """Return the hooks by which a client tells of every HTTP request and response."""
        return {"request": [self._sending], "response": [self._received]}

    def admit(self, tokens: int) -> None:
        """Wait until a call of so many tokens may be made; called in the thread that makes it.

        Raises:
            Stopped: when the run ends meanwhile.
        """
        self._tries.count = 0
        self._wait(self._tokens, tokens)
        if self._stopped.is_set():
            raise Stopped

    def correct(self, reckoned: int, used: int) -> None:
        """Say what a call really used."""
        if self._tokens is not None:
            with self._lock:
                self._tokens.give_back(reckoned - used)

    def tries(self) -> int:
        """Return how many HTTP requests the last call of this thread took."""
        return getattr(self._tries, "count", 0)

    def stop(self) -> None:
        """Let nobody wait any longer."""
        self._stopped.set()

    def go_on(self) -> None:
        """Let waiting calls wait again."""
        self._stopped.clear()

    def _sending(self, _request: Any) -> None:
        self._tries.count = self.tries() + 1
        self._wait(self._requests, 1)

    def _wait(self, allowance: Allowance | None, amount: float) -> None:
        if allowance is None:
            return
        with self._lock:
            seconds = allowance.take(amount)
        self._stopped.wait(seconds)

    def _received(self, response: Any) -> None:
        with self._lock:
            self._since_cut += 1
            if response.status_code in OVERLOADED:
                self._good = 0
                if self._since_cut >= self.allowed:
                    # One storm is one message: what was in flight at the cut doesn't cut again.
                    self._since_cut = 0
                    self.allowed = max(1, self.allowed // 2)
            elif response.status_code < 400:
                self._good += 1
                if self._good >= self.allowed:
                    self._good = 0
                    self.allowed = min(self.concurrency, self.allowed + 1)
