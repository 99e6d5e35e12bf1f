"""The desk's pages: GET shows and never writes, POST enters exactly one thing and leads on."""

from __future__ import annotations

import json
import secrets
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from mempabench.catalog import EVIDENCE, REVIEW_ITEMS, SCENES, USERS
from mempabench.domain.review import Decision, Mode, ReviewItem, utc
from mempabench.domain.taxonomy import attribute_spec
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.agreement import agreement
from mempabench_review.desk import Desk
from mempabench_review.guide import guide_text, guide_version
from mempabench_review.log import BatchRow, enter, verify, withdrawal
from mempabench_review.pairs import COMPARED, calibration, confusion, pairs
from mempabench_review.showing import plain_text
from mempabench_review.store import Conflict, Store
from mempabench_review.web import views
from mempabench_review.web.guard import Guard, token_is_right
from mempabench_review.web.keys import BY_NAME, KEYS
from mempabench_review.web.sessions import Seat, Session, Sessions

HERE = Path(__file__).parent
BACKUP_EVERY = 25
"""Decisions after which a copy of the log is kept."""
LISTED = 500
"""Events that the page of the log shows, the latest ones."""
CHECKED = 5000
"""Events up to which that page checks the chain."""


@dataclass
class Office:
    """What the pages work on: the project's desk, read again when a build has changed it, and the open log."""

    workspace: Workspace
    store: Store
    sessions: Sessions
    read_only: bool = False
    pages: Environment = field(init=False)
    _desk: Desk | None = None
    _stamp: tuple[float, ...] = ()
    _log: defaultdict[str, list[Decision]] = field(default_factory=lambda: defaultdict(list))
    _sorted: int = 0

    def __post_init__(self) -> None:
        """Make the templates ready."""
        self.pages = Environment(
            loader=PackageLoader("mempabench_review.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.pages.filters["words"] = views.words
        self.pages.filters["moment"] = views.moment
        self.pages.globals["key"] = BY_NAME

    def desk(self) -> Desk:
        """Return the desk as it lies now."""
        files = [artifact.path(self.workspace.root) for artifact in (REVIEW_ITEMS, EVIDENCE, SCENES, USERS)]
        stamp = tuple(path.stat().st_mtime if path.is_file() else 0.0 for path in files)
        if self._desk is None or stamp != self._stamp:
            self._desk, self._stamp = Desk.load(self.workspace), stamp
        events = self.store.events()
        for event in events[self._sorted :]:
            self._log[event.cell].append(event)
        self._sorted = len(events)
        return replace(self._desk, decisions=events, sorted_log=self._log)

    def page(self, request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page."""
        session: Session = request.state.session
        html = self.pages.get_template(name).render(
            seat=session.seat,
            form_token=session.form_token,
            theme=request.cookies.get("theme", "auto"),
            size=request.cookies.get("size", "normal"),
            single_keys=request.cookies.get("keys", "on"),
            zone=request.cookies.get("zone", "utc"),
            read_only=self.read_only,
            **values,
        )
        return HTMLResponse(html, status)

    def not_taken(self, request: Request, why: str, status: int = 403) -> HTMLResponse:
        """Return the page that says why nothing was entered."""
        return self.page(request, "problem.html", status, title="Nothing was entered", why=why)


def application(office: Office, hosts: frozenset[str]) -> Guard:
    """Return the desk as an ASGI application.

    Args:
        office: What it works on.
        hosts: Names and ports under which it may be called.
    """
    desk = Desks(office)
    routes = [
        Route("/", desk.start),
        Route("/enter/{token}", desk.come_in),
        Route("/favicon.ico", desk.no_icon),
        Route("/queue", desk.queue),
        Route("/cell/{cell:path}", desk.cell),
        Route("/save/{cell:path}", desk.save, methods=["POST"]),
        Route("/undo/{cell:path}", desk.undo, methods=["POST"]),
        Route("/draft/{cell:path}", desk.draft, methods=["POST"]),
        Route("/disputes", desk.disputes),
        Route("/dispute/{cell:path}", desk.dispute),
        Route("/adjudicate/{cell:path}", desk.adjudicate, methods=["POST"]),
        Route("/agreement", desk.agreement),
        Route("/log", desk.log),
        Route("/freeze", desk.freeze),
        Route("/guide", desk.guide),
        Route("/keys", desk.keys),
        Route("/settings", desk.settings, methods=["GET", "POST"]),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    app = Starlette(routes=routes, exception_handlers={InputError: desk.refused, HTTPException: desk.missing})
    return Guard(app, office.sessions, hosts)


class Desks:
    """The handlers, one a page or form."""

    def __init__(self, office: Office) -> None:
        """Work on an office."""
        self.office = office

    async def start(self, request: Request) -> Response:
        """Lead to the queue."""
        return RedirectResponse("/queue", 303)

    async def come_in(self, request: Request) -> Response:
        """Use a link up and lead to the queue."""
        value = self.office.sessions.take(request.path_params["token"])
        if value is None:
            return HTMLResponse(self.office.pages.get_template("used.html").render(), 401)
        response = RedirectResponse("/queue", 303)
        response.set_cookie(self.office.sessions.cookie, value, httponly=True, samesite="strict", path="/")
        return response

    async def no_icon(self, request: Request) -> Response:
        """Answer the browser's question for an icon with none."""
        return Response(status_code=204)

    async def queue(self, request: Request) -> Response:
        """Show what waits, twins side by side."""
        desk, seat = self.office.desk(), _seat(request)
        everything = views.places(desk, seat)
        asked = {
            name: plain_text(request.query_params.get(name, "")) for name in ("user", "why", "state", "q")
        }
        shown = [one for one in everything if _fits(one, asked)]
        if asked["q"]:
            found = views.found_lines(desk, asked["q"], [one.cell for one in shown])
            shown = [one for one in shown if one.cell in found]
        rows: dict[tuple[str, str], dict[str, views.Place]] = {}
        for one in shown:
            rows.setdefault((one.user, one.attribute), {})[one.context] = one
        waiting = [one for one in everything if one.why]
        first = next((one.cell for one in shown if one.why), "")
        return self.office.page(
            request,
            "queue.html",
            title="Queue",
            rows=rows,
            asked=asked,
            users=sorted({one.user for one in everything}),
            reasons=Counter(one.why for one in waiting),
            total=len(everything),
            waiting=len(waiting),
            first=first,
        )

    async def cell(self, request: Request) -> Response:
        """Show a cell and the form that decides it."""
        return self._cell_page(request, self._item(request))

    def _cell_page(
        self,
        request: Request,
        item: ReviewItem,
        *,
        problem: str = "",
        form: dict[str, str] | None = None,
        status: int = 200,
    ) -> Response:
        desk, seat = self.office.desk(), _seat(request)
        own = views.own_decision(item, desk, seat)
        shown = seat.mode is not Mode.BLIND or own is not None
        draft = self.office.store.draft(seat.reviewer, item.cell)
        if form is None:
            form = json.loads(draft) if draft else views.form_values(own)
        before, after = views.neighbours(desk, seat, item.cell)
        twin_cell = views.twin(item)
        return self.office.page(
            request,
            "cell.html",
            status,
            title=f"{views.words(item.attribute)} {'at work' if item.context == 'work' else 'in private life'}",
            **_form_parts(item, desk, shown),
            rationale=plain_text(item.rationale),
            known=views.known(item, desk),
            shown=shown,
            own=own,
            mode=_mode_of(seat, own),
            form=form,
            has_draft=bool(draft),
            problem=problem,
            seen=sum(event.reviewer == seat.reviewer for event in desk.of_cell(item.cell)),
            before=before,
            after=after,
            twin=twin_cell if any(one.cell == twin_cell for one in desk.items) else "",
            history=views.history(item, desk, seat),
            guideline=views.guideline(guide_text(self.office.workspace), item.attribute),
            disputed=bool(_dispute(desk, item)) and seat.adjudicates,
        )

    async def save(self, request: Request) -> Response:
        """Enter a decision and lead to the next open cell."""
        item, seat = self._item(request), _seat(request)
        form = await self._form(request)
        if form.get("evidence_hash") != item.evidence_hash:
            why = "The evidence changed while you looked; this is what it shows now. Your words are kept."
            return self._cell_page(request, item, problem=why, form=form, status=409)
        own = views.own_decision(item, self.office.desk(), seat)
        row = views.row_of(item, form, _mode_of(seat, own), form.get("action", "save"))
        try:
            self._enter(request, item, form, row)
        except InputError as problem:
            return self._cell_page(request, item, problem=_short(str(problem), item), form=form, status=422)
        except Conflict:
            why = "You have decided this cell in another window meanwhile. Your words here are kept."
            return self._cell_page(request, item, problem=why, form=form, status=409)
        self.office.store.save_draft(seat.reviewer, item.cell, "")
        if seat.mode is Mode.BLIND and own is None and form.get("action") != "defer":
            return RedirectResponse(f"/cell/{item.cell}", 303, background=self._copying())
        after = views.neighbours(self.office.desk(), seat, item.cell)[1]
        return RedirectResponse(f"/cell/{after}" if after else "/queue", 303, background=self._copying())

    def _copying(self) -> BackgroundTask | None:
        """Return the work of keeping a copy after the answer, when it is time for one."""
        if len(self.office.store.events()) % BACKUP_EVERY:
            return None
        place = self.office.workspace.root / "review" / "backups" / "latest.sqlite3"
        return BackgroundTask(self.office.store.backup, place)

    async def undo(self, request: Request) -> Response:
        """Take the reviewer's latest decision back."""
        item, seat = self._item(request), _seat(request)
        form = await self._form(request)
        version = guide_version(self.office.workspace)

        def make(log: Any) -> list[Decision]:
            return [
                withdrawal(
                    item.cell,
                    log,
                    reviewer=seat.reviewer,
                    reviewer_kind=seat.kind,
                    decided_at=datetime.now(UTC),
                    guide_version=version,
                )
            ]

        try:
            self.office.store.append(
                item.cell,
                make,
                nonce=form.get("nonce", ""),
                reviewer=seat.reviewer,
                seen=_number(form.get("seen")),
            )
        except Conflict:
            return self._cell_page(
                request, item, problem="You have changed this cell in another window meanwhile.", status=409
            )
        return RedirectResponse(f"/cell/{item.cell}", 303)

    async def draft(self, request: Request) -> Response:
        """Keep what is written so far."""
        item, seat = self._item(request), _seat(request)
        form = await self._form(request)
        kept = {
            name: value
            for name, value in form.items()
            if name in ("setting", "reason", "circumstances", "context_verdict", "unusable")
            or name.startswith("ev:")
        }
        self.office.store.save_draft(seat.reviewer, item.cell, json.dumps(kept) if any(kept.values()) else "")
        return Response(status_code=204)

    async def disputes(self, request: Request) -> Response:
        """List the cells on which reviewers differ."""
        _adjudicators_only(request)
        found = [entry.item for entry in self.office.desk().open if entry.disputed]
        return self.office.page(request, "disputes.html", title="Disputes", items=found)

    async def dispute(self, request: Request) -> Response:
        """Show the decisions that differ, names hidden."""
        _adjudicators_only(request)
        return self._dispute_page(request, self._item(request))

    def _dispute_page(
        self,
        request: Request,
        item: ReviewItem,
        *,
        problem: str = "",
        form: dict[str, str] | None = None,
        status: int = 200,
    ) -> Response:
        desk = self.office.desk()
        views_of = sorted(_dispute(desk, item), key=lambda event: event.event_id)
        return self.office.page(
            request,
            "dispute.html",
            status,
            title=f"Dispute: {views.words(item.attribute)}, {item.context}",
            **_form_parts(item, desk, True),
            differing=[
                {
                    **views.told(event),
                    "name": f"Reader {chr(65 + number)}",
                    "stances": views.form_values(event),
                }
                for number, event in enumerate(views_of)
            ],
            events=[event.event_id for event in views_of],
            form=form or {},
            problem=problem,
        )

    async def adjudicate(self, request: Request) -> Response:
        """Settle a dispute."""
        _adjudicators_only(request)
        item = self._item(request)
        form = await self._form(request)
        row = {
            **views.row_of(item, form, Mode.ADJUDICATED, "save"),
            "adjudicates": form.get("adjudicates", "").split(),
            "cause": form.get("cause", ""),
        }
        try:
            self._enter(request, item, {**form, "seen": ""}, row)
        except InputError as problem:
            return self._dispute_page(
                request, item, problem=_short(str(problem), item), form=form, status=422
            )
        return RedirectResponse("/disputes", 303)

    async def agreement(self, request: Request) -> Response:
        """Show how far reviewers agree, mode by mode."""
        if _seat(request).mode is Mode.BLIND:
            raise HTTPException(
                403, "Figures on the others' judgements are not for somebody who still chooses blind."
            )
        desk = self.office.desk()
        measured = []
        for mode in COMPARED:
            found = tuple(pairs(desk.items, desk.decisions, mode))
            measured.append(
                {
                    "mode": mode.value,
                    "found": agreement(found),
                    "confusion": confusion(found),
                    "calibration": calibration(desk.items, desk.decisions, mode),
                }
            )
        return self.office.page(request, "agreement.html", title="Agreement", measured=measured)

    async def log(self, request: Request) -> Response:
        """List what was decided, latest first; whoever chooses blind sees their own events."""
        seat = _seat(request)
        until = request.query_params.get("as_of", "")
        zone = request.cookies.get("zone", "utc")
        latest = until.replace("T", " ")
        shown = [
            event
            for event in self.office.store.events()
            if (seat.mode is not Mode.BLIND or event.reviewer == seat.reviewer)
            and (not until or views.moment(utc(event.decided_at), zone) <= latest)
        ]
        told = [views.told(event) for event in reversed(shown[-LISTED:])]
        return self.office.page(
            request,
            "log.html",
            title="Log",
            events=told,
            count=len(shown),
            as_of=until,
            chain=_chain(self.office.store.events()),
        )

    async def freeze(self, request: Request) -> Response:
        """List what stands in the way of a release."""
        seat = _seat(request)
        waiting = [one for one in views.places(self.office.desk(), seat) if one.why]
        return self.office.page(request, "freeze.html", title="Freeze", waiting=waiting)

    async def guide(self, request: Request) -> Response:
        """Show the guideline."""
        text = guide_text(self.office.workspace)
        return self.office.page(request, "guide.html", title="Guide", blocks=views.guide_blocks(text))

    async def keys(self, request: Request) -> Response:
        """Show the keys."""
        return self.office.page(request, "keys.html", title="Keys", keys=KEYS)

    async def settings(self, request: Request) -> Response:
        """Show or keep how the desk looks in this browser."""
        if request.method == "GET":
            return self.office.page(request, "settings.html", title="Settings")
        form = await self._form(request)
        response = RedirectResponse("/settings", 303)
        allowed = {
            "theme": ("auto", "light", "dark"),
            "size": ("normal", "large", "larger"),
            "keys": ("on", "off"),
            "zone": ("utc", "local"),
        }
        for name, values in allowed.items():
            if form.get(name) in values:
                response.set_cookie(
                    name, form[name], httponly=True, samesite="strict", path="/", max_age=31_536_000
                )
        return response

    async def refused(self, request: Request, error: Exception) -> Response:
        """Say in one line what went wrong."""
        return self.office.not_taken(request, str(error), 422)

    async def missing(self, request: Request, error: Exception) -> Response:
        """Say what isn't there, or not for this reviewer."""
        assert isinstance(error, HTTPException)
        if not hasattr(request.state, "session"):
            return Response(error.detail + "\n", error.status_code, media_type="text/plain")
        return self.office.page(
            request, "problem.html", error.status_code, title="Not here", why=error.detail
        )

    def _item(self, request: Request) -> ReviewItem:
        cell = request.path_params["cell"]
        found = next((item for item in self.office.desk().items if item.cell == cell), None)
        if found is None:
            raise HTTPException(404, f"There is no cell '{plain_text(cell)}' in the queue.")
        return found

    async def _form(self, request: Request) -> dict[str, str]:
        """Return a form's fields, once its token is right.

        Raises:
            HTTPException: with a wrong token, or where this desk only reads.
        """
        form = {
            name: views.typed(value)
            for name, value in (await request.form()).items()
            if isinstance(value, str)
        }
        if not token_is_right(request.state.session, form.get("form_token", "")):
            raise HTTPException(
                403, "The form isn't from your session. Go back, load the page again, and send it then."
            )
        if self.office.read_only:
            raise HTTPException(409, "Another desk has this project open; this one only reads.")
        return form

    def _enter(self, request: Request, item: ReviewItem, form: dict[str, str], row: dict[str, Any]) -> None:
        seat, desk = _seat(request), self.office.desk()
        version = guide_version(self.office.workspace)
        also = {item.cell: [seen.id for seen in desk.uncited(item)]}

        def make(log: Any) -> tuple[Decision, ...]:
            return enter(
                [BatchRow("form", row)],
                [item],
                log,
                reviewer=seat.reviewer,
                reviewer_kind=seat.kind,
                decided_at=datetime.now(UTC),
                guide_version=version,
                also_shown=also,
            )

        self.office.store.append(
            item.cell,
            make,
            nonce=form.get("nonce", ""),
            reviewer=seat.reviewer,
            seen=_number(form.get("seen")),
        )


def _chain(events: tuple[Decision, ...]) -> str:
    """Return whether the log's chain of hashes holds, in a sentence."""
    if len(events) > CHECKED:
        return f"The log has more than {CHECKED:,} events; 'mempabench review verify' checks its chain."
    broken = next(iter(verify(events)), "")
    return (
        broken or f"Each of {len(events)} events names the hash of the one before it, and all of them hold."
    )


def _form_parts(item: ReviewItem, desk: Desk, shown: bool) -> dict[str, Any]:
    """Return what a form on a cell needs, whether it decides or adjudicates."""
    return {
        "item": item,
        "question": attribute_spec(item.attribute).question,
        "options": views.settings(item),
        "evidence": views.evidence(item, desk, shown),
        "stances": views.STANCES,
        "verdicts": views.VERDICTS,
        "nonce": secrets.token_hex(16),
    }


def _dispute(desk: Desk, item: ReviewItem) -> tuple[Decision, ...]:
    """Return the decisions on a cell that differ, if they do."""
    waiting = desk.state(item).waiting
    return waiting.disputed if waiting else ()


def _seat(request: Request) -> Seat:
    session: Session = request.state.session
    return session.seat


def _mode_of(seat: Seat, own: Decision | None) -> Mode:
    """Return the mode of the reviewer's next decision on a cell."""
    if seat.mode is not Mode.BLIND:
        return Mode.ASSISTED
    return Mode.BLIND if own is None else Mode.REVISED


def _adjudicators_only(request: Request) -> None:
    if not _seat(request).adjudicates:
        raise HTTPException(403, "Only somebody who adjudicates sees the others' decisions side by side.")


def _fits(one: views.Place, asked: dict[str, str]) -> bool:
    state = asked["state"]
    return (
        asked["user"] in ("", one.user)
        and asked["why"] in ("", one.why)
        and (state in ("", "all") or (state == "open") == bool(one.why))
    )


def _number(given: str | None) -> int | None:
    return int(given) if given and given.isdigit() else None


def _short(problem: str, item: ReviewItem) -> str:
    """Return a finding without the place that the page shows anyway."""
    return (
        problem.removeprefix("form: ").removeprefix(f"{item.cell}: ").removesuffix(" (nothing was entered)")
    )
