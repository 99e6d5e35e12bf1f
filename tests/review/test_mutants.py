"""Protections taken out of a copy of the source, one at a time: the test named beside each must notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
MUTANTS = {
    "autoescape off": (
        "web/app.py",
        "autoescape=True",
        "autoescape=False",
        "test_web.py::test_hostile_text_is_shown_literally_and_inert",
    ),
    "no policy for the page's content": (
        "web/guard.py",
        '    "content-security-policy": POLICY,\n',
        "",
        "test_web.py::test_every_page_answers_with_the_headers_that_keep_it_in",
    ),
    "any host": (
        "web/guard.py",
        'if request.headers.get("host", "") not in self._hosts:',
        "if False:",
        "test_web.py::test_another_name_is_misdirected",
    ),
    "any origin": (
        "web/guard.py",
        "refused = _foreign(request) or _no_form(request)",
        "refused = _no_form(request)",
        "test_web.py::test_a_form_from_elsewhere_or_of_another_kind_is_refused",
    ),
    "no session needed": (
        "web/guard.py",
        "        if session is None:\n",
        "        if session is None and False:\n",
        "test_web.py::test_nobody_without_a_session_sees_anything",
    ),
    "any form token": (
        "web/guard.py",
        "return hmac.compare_digest(session.form_token.encode(), given.encode())",
        "return bool(hmac)",
        "test_web.py::test_a_form_with_another_sessions_token_is_refused",
    ),
    "links work again and again": (
        "web/sessions.py",
        "self.links.pop(token, None)",
        "self.links.get(token)",
        "test_web.py::test_a_link_works_once",
    ),
    "nothing compared before writing": (
        "store.py",
        "if seen is not None and sum(",
        "if False and sum(",
        "test_web.py::test_two_windows_do_not_overwrite_each_other",
    ),
    "submissions not remembered": (
        "store.py",
        "if nonce and done:",
        "if False:",
        "test_store.py::test_a_submission_sent_twice_is_entered_once",
    ),
    "everybody adjudicates": (
        "web/app.py",
        "if not _seat(request).adjudicates:",
        "if False:",
        "test_web.py::test_disputes_are_for_adjudicators_and_hide_the_names",
    ),
    "the blind see what is proposed": (
        "web/app.py",
        "shown = seat.mode is not Mode.BLIND or own is not None",
        "shown = True",
        "test_web.py::test_whoever_chooses_blind_sees_no_proposal_no_reading_and_nobody_else",
    ),
    "the blind see the others' decisions": (
        "web/views.py",
        "if seat.mode is not Mode.BLIND or event.reviewer == seat.reviewer",
        "if True",
        "test_web.py::test_whoever_chooses_blind_sees_no_proposal_no_reading_and_nobody_else",
    ),
    "a disputed cell settled by the last": (
        "queue.py",
        "    if len({event.setting for event in own.values()}) > 1:\n        return None\n",
        "",
        "test_log.py::test_reviewers_who_differ_leave_the_cell_open_until_somebody_else_adjudicates",
    ),
    "the file written after the log": (
        "store.py",
        "        self._write_lines([canonical_json(event) for event in new])\n        first",
        "        first",
        "test_store.py::test_the_file_is_the_log_line_by_line",
    ),
    "kappa pooled": (
        "agreement.py",
        "return _kappa([_tally(own) for own in _strata(pairs).values()])",
        "return _kappa([_tally(pairs)])",
        "test_agreement.py",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_protection_that_is_taken_out_is_missed(name: str, tmp_path: Path) -> None:
    module, old, new, test = MUTANTS[name]
    for part in ("review", "tests"):
        shutil.copytree(
            ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.sqlite3*")
        )
    for part in ("construction", "prompts", "schemas", "pyproject.toml"):
        (tmp_path / part).symlink_to(ROOT / part)
    source = tmp_path / "review/mempabench_review" / module
    text = source.read_text("utf-8")
    assert text.count(old) == 1, f"{module} has the protection {text.count(old)} times"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/review/{test}"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "review"), "PYTHONDONTWRITEBYTECODE": "1"}

    whole = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    source.write_text(text.replace(old, new), encoding="utf-8")
    broken = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert whole.returncode == 0, whole.stdout
    assert broken.returncode == 1, broken.stdout
    assert " failed" in broken.stdout
