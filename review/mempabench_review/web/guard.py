"""What every request has to pass, and the headers that every answer carries.

The desk listens on this machine only, but other pages in the same browser and other users' programs can reach it:
a name that isn't ours (421), another page's request (403), no session (401), a wrong form token (403), a body that
is no form (415) or too large (413) go no further.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mempabench_review.web.sessions import Session, Sessions

MOST_BYTES = 200_000
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Next = Callable[[Request], Awaitable[Response]]


class Guard:
    """Lets through what comes from the desk's own pages, with a session."""

    def __init__(self, app: ASGIApp, sessions: Sessions, hosts: frozenset[str]) -> None:
        """Stand before an application.

        Args:
            app: The application.
            sessions: Who is at the desk.
            hosts: Names and ports under which the desk may be called.
        """
        self._app, self._sessions, self._hosts = app, sessions, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on with its session in ``request.state.session``."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is None:
            await self._app(scope, _limited(receive), _with_headers(send))
        else:
            status, why = refusal
            await PlainTextResponse(why + "\n", status)(scope, receive, _with_headers(send))

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        if request.headers.get("host", "") not in self._hosts:
            return 421, "This desk is called by another name."
        if request.method not in ("GET", "HEAD", "POST"):
            return 405, "The desk knows GET and POST."
        if request.method == "POST":
            refused = _foreign(request) or _no_form(request)
            if refused:
                return refused
        if request.url.path.startswith(("/static/", "/enter/", "/favicon.ico")):
            return None
        session = self._sessions.running.get(request.cookies.get(self._sessions.cookie, ""))
        if session is None:
            return 401, (
                "You are not signed in here, or the desk was started anew. Open the link that 'mempabench review "
                "serve' has printed; what you have written is kept as a draft."
            )
        request.state.session = session
        return None


def _foreign(request: Request) -> tuple[int, str] | None:
    """Return why a request comes from another page, if it does."""
    own = f"http://{request.headers['host']}"
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    if (
        (origin is not None and origin != own)
        or site not in (None, "same-origin")
        or (origin is None and site is None)
    ):
        return 403, "This came from another page than the desk's own."
    return None


def _no_form(request: Request) -> tuple[int, str] | None:
    kind = request.headers.get("content-type", "").split(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        return 415, "The desk takes forms only."
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MOST_BYTES:
        return 413, "That is more than the desk takes at once."
    return None


def token_is_right(session: Session, given: str) -> bool:
    """Return whether a form carries its session's token."""
    return hmac.compare_digest(session.form_token.encode(), given.encode())


def _limited(receive: Receive) -> Receive:
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BYTES:
            return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending
