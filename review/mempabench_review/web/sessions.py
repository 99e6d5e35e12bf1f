"""Who is at the desk: a link that works once becomes a session; sessions live as long as the server."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from mempabench.domain.review import Mode, ReviewerKind


@dataclass(frozen=True)
class Seat:
    """A reviewer as the server was told of them."""

    reviewer: str
    kind: ReviewerKind
    mode: Mode
    """``assisted`` or ``blind``."""
    adjudicates: bool = False
    """Whether they may see the decisions of others side by side, and settle disputes."""


@dataclass(frozen=True)
class Session:
    """A seat that somebody has taken, with the token that every form of theirs carries."""

    seat: Seat
    form_token: str


@dataclass
class Sessions:
    """Links that wait, and sessions that run."""

    cookie: str
    links: dict[str, Seat] = field(default_factory=dict)
    running: dict[str, Session] = field(default_factory=dict)

    @classmethod
    def at(cls, port: int, database: Path) -> Sessions:
        """Return an empty book whose cookie is named by port and database, so that two desks don't mix."""
        mark = hashlib.sha256(str(database.resolve()).encode()).hexdigest()[:8]
        return cls(f"desk-{port}-{mark}")

    def invite(self, seat: Seat) -> str:
        """Return the secret of a link that lets one browser take a seat once."""
        token = secrets.token_urlsafe(24)
        self.links[token] = seat
        return token

    def take(self, token: str) -> str | None:
        """Use a link up; return the cookie's value, or None when the link is unknown or used."""
        seat = self.links.pop(token, None)
        if seat is None:
            return None
        value = secrets.token_urlsafe(32)
        self.running[value] = Session(seat, secrets.token_urlsafe(24))
        return value
