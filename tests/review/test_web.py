"""The desk's pages: who gets in, what each may see, what a form enters, and what hostile text can do (nothing)."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from mempabench.artifacts import write_records
from mempabench.catalog import DECISIONS, EVIDENCE, REVIEW_ITEMS, SCENES, load
from mempabench.domain.evidence import Confidence, Observation
from mempabench.domain.review import Action, Decision, Mode, Reason, ReviewItem
from mempabench.domain.transcripts import Scene
from mempabench.workspace import Workspace
from mempabench_review.store import Store, database
from mempabench_review.web.app import Office, application
from mempabench_review.web.guard import HEADERS
from mempabench_review.web.keys import KEYS
from mempabench_review.web.sessions import Seat, Sessions

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"
CELL = "user_a/work/verbosity"
BARE = "user_a/personal/verbosity"
CITED = "quay/s01e01/sc01/mara/o1"
CONTRARY = "quay/s01e01/sc01/mara/o2"
REASON = "She takes the short answer and leaves."
ASSISTED = Seat("ada", "human", Mode.ASSISTED)
BLIND = Seat("bea", "human", Mode.BLIND)
JUDGE = Seat("cyd", "human", Mode.ASSISTED, adjudicates=True)


@dataclass
class Browser:
    """A browser that has come in by a link."""

    client: TestClient

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> Any:
        return self.client.post(
            path, data=form, headers={"origin": ORIGIN, **headers}, follow_redirects=False
        )

    def form(self, cell: str = CELL, page: str = "cell") -> dict[str, str]:
        """Return the hidden fields of a cell's form as the page gives them."""
        text = self.get(f"/{page}/{cell}").text
        form = text[text.index('id="decide"') :]
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form.split("</form>")[0]))

    def save(self, cell: str = CELL, setting: str = "terse", **more: str) -> Any:
        judged = {f"ev:{CITED}": "supports", "context_verdict": "warranted"} if cell == CELL else {}
        filled = {**self.form(cell), "setting": setting, "reason": REASON, "action": "save", **judged}
        return self.post(f"/save/{cell}", {**filled, **more})


@dataclass
class Desk:
    """A desk that is open."""

    project: Workspace
    office: Office

    def browser(self, seat: Seat = ASSISTED) -> Browser:
        client = TestClient(application(self.office, frozenset({HOST})), base_url=ORIGIN)
        assert client.get(f"/enter/{self.office.sessions.invite(seat)}").status_code == 200
        return Browser(client)

    def stranger(self) -> TestClient:
        return TestClient(application(self.office, frozenset({HOST})), base_url=ORIGIN)

    def log(self) -> tuple[Decision, ...]:
        found: tuple[Decision, ...] = load(self.project, DECISIONS)
        return found


@pytest.fixture
def web(project: Workspace) -> Iterator[Desk]:
    with Store.open(project) as store:
        yield Desk(project, Office(project, store, Sessions.at(8000, database(project))))


PAGES = (
    "/queue",
    f"/cell/{CELL}",
    f"/cell/{BARE}",
    "/agreement",
    "/log",
    "/freeze",
    "/guide",
    "/keys",
    "/settings",
)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers_with_the_headers_that_keep_it_in(web: Desk, path: str) -> None:
    page = web.browser().get(path)

    assert page.status_code == 200
    assert {name: page.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=|javascript:|https?://", page.text)
    assert page.text.count("<h1>") == 1


def test_pages_only_read(web: Desk) -> None:
    browser = web.browser()
    before = [path.read_bytes() for path in sorted((web.project.root / "review").rglob("*.jsonl"))]

    for path in PAGES:
        browser.get(path)

    assert web.office.store.events() == ()
    assert [path.read_bytes() for path in sorted((web.project.root / "review").rglob("*.jsonl"))] == before


def test_a_link_works_once(web: Desk) -> None:
    token = web.office.sessions.invite(ASSISTED)
    first, second = web.stranger(), web.stranger()

    came_in = first.get(f"/enter/{token}", follow_redirects=False)
    late = second.get(f"/enter/{token}")

    cookie = came_in.headers["set-cookie"]
    assert came_in.status_code == 303
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert cookie.startswith("desk-8000-")
    assert late.status_code == 401
    assert "This link was used already" in late.text


@pytest.mark.parametrize("path", PAGES)
def test_nobody_without_a_session_sees_anything(web: Desk, path: str) -> None:
    page = web.stranger().get(path)

    assert page.status_code == 401
    assert "Mara" not in page.text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1:9999", "127.0.0.1", "localhost.evil.example:8000"]
)
def test_another_name_is_misdirected(web: Desk, host: str) -> None:
    assert web.browser().get("/queue", host=host).status_code == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{HOST}", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": f"http://{HOST}", "sec-fetch-site": "same-site"}, 403),
        ({"content-type": "application/json"}, 415),
        ({"content-type": "text/plain"}, 415),
        ({"content-length": "999999999"}, 413),
    ],
)
def test_a_form_from_elsewhere_or_of_another_kind_is_refused(
    web: Desk, headers: dict[str, str], status: int
) -> None:
    browser = web.browser()
    form = {**browser.form(), "setting": "terse"}

    assert browser.post(f"/save/{CELL}", form, **headers).status_code == status
    assert web.office.store.events() == ()


def test_a_form_that_hides_where_it_comes_from_is_refused(web: Desk) -> None:
    browser = web.browser()

    answer = browser.client.post(f"/save/{CELL}", data=browser.form())

    assert answer.status_code == 403


def test_a_form_with_another_sessions_token_is_refused(web: Desk) -> None:
    browser, other = web.browser(), web.browser(JUDGE)

    answer = browser.save(form_token=other.form()["form_token"])

    assert answer.status_code == 403
    assert web.office.store.events() == ()


def test_a_decision_is_entered_and_leads_to_the_next_open_cell(web: Desk) -> None:
    browser = web.browser()

    answer = browser.save()

    (event,) = web.log()
    assert (event.cell, event.action, event.setting) == (CELL, Action.KEEP, "terse")
    assert (event.reviewer, event.reviewer_kind, event.mode) == ("ada", "human", Mode.ASSISTED)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/cell/{BARE}"
    assert "Your decision stands: <b>terse</b> (keep)" in browser.get(f"/cell/{CELL}").text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"setting": ""}, "no setting is chosen; verbosity has terse, detailed"),
        ({"reason": "Short."}, "is too short; say in 20 characters or more what decided"),
        ({"context_verdict": ""}, "the context is not judged"),
        ({f"ev:{CITED}": ""}, f"no verdict on {CITED}"),
        ({"setting": "show"}, "is no setting of verbosity"),
        (
            {f"ev:{CONTRARY}": "contradicts"},
            "the evidence conflicts (supports and contradicts) without circumstances",
        ),
    ],
)
def test_what_is_missing_is_said_and_the_words_are_kept(
    web: Desk, change: dict[str, str], message: str
) -> None:
    answer = web.browser().save(**{"circumstances": "Half a note", **change})

    assert answer.status_code == 422
    assert message in answer.text.replace("&#39;", "'")
    assert "Half a note" in answer.text
    assert web.office.store.events() == ()


def test_a_cell_may_be_left_open_with_a_reason(web: Desk) -> None:
    web.browser().save(action="defer", setting="", reason="The scene before this one is missing here.")

    (event,) = web.log()
    assert (event.action, event.setting) == (Action.DEFER, None)


def test_sending_a_form_twice_enters_it_once(web: Desk) -> None:
    browser = web.browser()
    form = {
        **browser.form(BARE),
        "setting": "terse",
        "reason": REASON,
        "action": "save",
    }

    answers = [browser.post(f"/save/{BARE}", form).status_code for _ in range(2)]

    assert answers == [303, 303]
    assert len(web.log()) == 1


def test_two_windows_do_not_overwrite_each_other(web: Desk) -> None:
    browser = web.browser()
    first, second = browser.form(BARE), browser.form(BARE)
    filled = {"setting": "terse", "reason": REASON, "action": "save"}

    browser.post(f"/save/{BARE}", {**first, **filled})
    late = browser.post(
        f"/save/{BARE}", {**second, **filled, "setting": "detailed", "circumstances": "Typed here"}
    )

    assert late.status_code == 409
    assert "You have decided this cell in another window meanwhile" in late.text
    assert "Typed here" in late.text
    assert [event.setting for event in web.log()] == ["terse"]


def test_evidence_that_changed_meanwhile_is_shown_before_anything_is_entered(
    web: Desk, queue: list[ReviewItem]
) -> None:
    browser = web.browser()
    form = {**browser.form(BARE), "setting": "terse", "reason": REASON, "action": "save"}
    write_records(
        REVIEW_ITEMS.path(web.project.root),
        [item.changed(evidence_hash="a" * 64) if item.cell == BARE else item for item in queue],
    )

    late = browser.post(f"/save/{BARE}", form)

    assert late.status_code == 409
    assert "The evidence changed while you looked" in late.text
    assert REASON in late.text
    assert web.office.store.events() == ()


def test_a_decision_is_taken_back_and_the_log_keeps_both(web: Desk) -> None:
    browser = web.browser()
    browser.save()
    form = browser.form()

    browser.post(f"/undo/{CELL}", {"form_token": form["form_token"], "nonce": "n", "seen": form["seen"]})

    assert [event.action for event in web.log()] == [Action.KEEP, Action.WITHDRAW]
    assert "Your decision stands" not in browser.get(f"/cell/{CELL}").text


def test_drafts_outlive_the_server_and_go_when_the_decision_is_entered(web: Desk) -> None:
    browser = web.browser()
    draft = {**browser.form(), "reason": "Half a thought", "setting": "terse", "nonce": "x"}
    kept = browser.post(f"/draft/{CELL}", draft)
    web.office.sessions.running.clear()
    out = browser.get(f"/cell/{CELL}")

    again = web.browser()
    shown = again.get(f"/cell/{CELL}").text
    again.save()

    assert kept.status_code == 204
    assert out.status_code == 401
    assert "Half a thought" in shown
    assert "This is your draft; nothing of it is entered yet." in shown
    assert "Half a thought" not in again.get(f"/cell/{CELL}").text
    assert "Half a thought" not in web.browser(JUDGE).get(f"/cell/{CELL}").text


def test_whoever_chooses_blind_sees_no_proposal_no_reading_and_nobody_else(web: Desk) -> None:
    web.browser().save(setting="detailed", **{f"ev:{CITED}": "supports"})
    blind = web.browser(BLIND)

    pages = {path: blind.get(path).text for path in ("/queue", f"/cell/{CELL}", "/log")}

    for text in pages.values():
        for hidden in (
            "ada",
            "She wants the time",
            "cuts the explanation short",
            "proposed:",
            "Proposed:",
            "low confidence",
        ):
            assert hidden not in text
    assert "You choose first." in pages[f"/cell/{CELL}"]
    assert blind.get("/agreement").status_code == 403


def test_a_blind_choice_is_kept_then_the_proposal_shown_and_the_choice_kept_or_revised(web: Desk) -> None:
    blind = web.browser(BLIND)
    other = {f"ev:{CITED}": "irrelevant", f"ev:{CONTRARY}": "supports"}

    chosen = blind.save(setting="detailed", **other)
    shown = blind.get(chosen.headers["location"]).text
    blind.save(setting="terse")

    assert chosen.headers["location"] == f"/cell/{CELL}"
    assert "Proposed: <b>terse</b>" in shown
    assert "You chose <b>detailed</b> before you saw this" in shown
    assert [(event.mode, event.setting) for event in web.log()] == [
        (Mode.BLIND, "detailed"),
        (Mode.REVISED, "terse"),
    ]


def test_the_audit_is_for_the_blind_until_it_reopens_a_cell(web: Desk, queue: list[ReviewItem]) -> None:
    drawn = [item.changed(reason=Reason.AUDIT) if item.cell == BARE else item for item in queue]
    named = [
        item.changed(proposal="terse", confidence=Confidence.HIGH) if item.cell == BARE else item
        for item in drawn
    ]
    write_records(REVIEW_ITEMS.path(web.project.root), named)
    before = web.browser().get("/queue").text
    blind = web.browser(BLIND)

    refused = web.browser().save(BARE)
    for_the_blind = blind.get("/queue").text
    blind.save(BARE, setting="detailed")
    after = web.browser().get("/queue").text

    assert f"/cell/{BARE}" not in before
    assert "3 of 3 cells wait" in before
    assert refused.status_code == 422
    assert f"/cell/{BARE}" in for_the_blind
    assert "reopened" in after
    assert "4 of 4 cells wait" in after


def differing(web: Desk) -> None:
    web.browser().save()
    web.browser(Seat("dan", "human", Mode.ASSISTED)).save(setting="detailed")


def test_disputes_are_for_adjudicators_and_hide_the_names(web: Desk) -> None:
    differing(web)

    listed = web.browser(JUDGE).get("/disputes").text
    shown = web.browser(JUDGE).get(f"/dispute/{CELL}").text
    side = shown[shown.index('class="sides"') : shown.index('class="split"')]

    assert "1 cell is disputed" in listed
    assert "Reader A: " in side
    assert "Reader B: " in side
    assert "ada" not in side
    assert "dan" not in side
    for path in ("/disputes", f"/dispute/{CELL}"):
        assert web.browser().get(path).status_code == 403
    form = web.browser().form()
    assert web.browser().post(f"/adjudicate/{CELL}", form).status_code == 403


def test_an_adjudication_settles_what_it_has_seen_and_nothing_newer(web: Desk) -> None:
    differing(web)
    judge = web.browser(JUDGE)
    form = {
        **judge.form(page="dispute"),
        "setting": "terse",
        "reason": REASON,
        "cause": "One took the pause for relief, the other for offence.",
        "context_verdict": "warranted",
        f"ev:{CITED}": "supports",
    }
    web.browser(Seat("eve", "human", Mode.ASSISTED)).save()

    late = judge.post(f"/adjudicate/{CELL}", form)
    fresh = {**form, **judge.form(page="dispute")}
    settled = judge.post(f"/adjudicate/{CELL}", fresh)

    assert late.status_code == 422
    assert "other decisions came in meanwhile" in late.text
    assert settled.headers["location"] == "/disputes"
    assert web.log()[-1].mode is Mode.ADJUDICATED
    assert len(web.log()[-1].adjudicates) == 3


def test_a_copy_is_kept_every_so_many_decisions(web: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mempabench_review.web.app.BACKUP_EVERY", 2)
    copy = web.project.root / "review/backups/latest.sqlite3"

    web.browser().save()
    early = copy.exists()
    web.browser(JUDGE).save()

    assert not early
    connection = sqlite3.connect(copy)
    assert connection.execute("select count(*) from event").fetchone() == (2,)
    connection.close()


def test_agreement_shows_kappa_confusion_and_how_the_confidence_holds(web: Desk) -> None:
    differing(web)

    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", web.browser().get("/agreement").text))

    assert "Blind Nothing was judged twice." in page
    assert "0.00 kappa within attributes" in page
    assert "1 pair, observed 0.00, expected 0.00" in page
    assert "verbosity detailed or terse 1" in page
    assert "low 2 1 0.50" in page
    assert "ada and dan 1 0.00 0.00 0.00" in page


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> " onfocus=alert(1) {{ 91237*3 }} \x1b[31m'


def test_hostile_text_is_shown_literally_and_inert(
    web: Desk,
    queue: list[ReviewItem],
    a_scene: Callable[..., Scene],
    an_observation: Callable[..., Observation],
) -> None:
    root = web.project.root
    write_records(SCENES.path(root), [a_scene(l005=f"Short, Jon. {HOSTILE}", l006=HOSTILE)])
    write_records(EVIDENCE.path(root), [an_observation(act=HOSTILE, reading=HOSTILE)])
    write_records(REVIEW_ITEMS.path(root), [item.changed(rationale=HOSTILE) for item in queue])
    browser = web.browser()
    browser.save(reason=HOSTILE)

    for path in (
        f"/cell/{CELL}",
        "/log",
        "/queue?" + urlencode({"q": HOSTILE}),
        "/queue?user=%22%3E%3Cscript%3E",
    ):
        text = browser.get(path).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "\x1b" not in text
        bare = re.sub(r'="[^"]*"', "", text)
        assert "273711" not in bare
        assert not re.search(r"<[^>]*\sonfocus", bare)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in browser.get(f"/cell/{CELL}").text


def test_the_queue_is_filtered_by_its_address(web: Desk) -> None:
    browser = web.browser()
    browser.save()

    def cells(query: str) -> set[str]:
        return set(re.findall(r'href="/cell/(user_\w/\w+/\w+)">', browser.get(f"/queue?{query}").text))

    assert len(cells("")) == 4
    assert CELL not in cells("state=open")
    assert cells("state=settled") == {CELL}
    assert cells("user=user_b") == {"user_b/work/verbosity"}
    assert CELL in cells("q=boat+won")
    assert cells("q=nothing+says+this") == set()


def test_the_log_says_whether_its_chain_holds_and_shows_it_as_of_a_moment(
    web: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = web.browser()
    browser.save()
    now = browser.get("/log").text
    early = browser.get("/log?as_of=2020-01-01T00:00").text
    broken = [event.changed(setting="detailed") for event in web.office.store.events()]
    monkeypatch.setattr(web.office.store, "events", lambda: tuple(broken))

    assert "Each of 1 events names the hash of the one before it, and all of them hold." in now
    assert "<h1>1 event</h1>" in now
    assert "<h1>0 events</h1>" in early
    assert "the line was edited" in browser.get("/log").text


def test_a_second_desk_only_reads(web: Desk) -> None:
    browser = web.browser()
    web.office.read_only = True

    answer = browser.save()

    assert answer.status_code == 409
    assert "this one only reads" in answer.text
    assert web.office.store.events() == ()


@pytest.mark.parametrize("path", ["/cell/user_z/work/verbosity", "/cell/..%2f..%2fetc/passwd", "/nowhere"])
def test_what_is_not_there_is_said(web: Desk, path: str) -> None:
    page = web.browser().get(path)

    assert page.status_code == 404
    assert "<h1>Not here</h1>" in page.text


def test_settings_are_kept_in_the_browser_and_only_known_ones(web: Desk) -> None:
    browser = web.browser()
    token = browser.form()["form_token"]

    browser.post("/settings", {"form_token": token, "theme": "dark", "size": "huge", "keys": "off"})

    page = browser.get("/settings").text
    assert 'name="zone" value="utc" checked' in page
    assert 'data-theme="dark" data-size="normal"' in page
    assert 'data-keys="off"' in page


def test_times_are_shown_in_utc_or_as_this_machine_has_them(
    web: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    browser = web.browser()
    browser.save()
    at = web.log()[0].decided_at
    utc = browser.get("/log").text
    browser.post("/settings", {"form_token": browser.form()["form_token"], "zone": "local"})
    local = browser.get("/log").text
    monkeypatch.delenv("TZ")
    time.tzset()

    assert f">{at:%Y-%m-%d %H:%M:%S}<" in utc
    assert f">{at + timedelta(hours=5, minutes=30):%Y-%m-%d %H:%M:%S}<" in local


def test_the_script_knows_every_key_of_the_registry(web: Desk) -> None:
    script = web.stranger().get("/static/desk.js").text
    sheet = web.browser().get("/keys").text

    for key in KEYS:
        assert f"<kbd>{key.key}</kbd>" in sheet
        if len(key.key) == 1 and key.key.isalpha():
            assert re.search(rf"\b{key.key}: ", script), key
        elif len(key.key) == 1:
            assert f'"{key.key}": ' in script
    actions = script[script.index("const actions") : script.index("};", script.index("const actions"))]
    known = {found.strip('"') for found in re.findall(r'(?:^|[{,])\s*(\w|"[/?]"): ', actions, re.MULTILINE)}
    assert known == {key.key for key in KEYS if len(key.key) == 1}
