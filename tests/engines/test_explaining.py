"""Why a request has its answer or none, and refused units that are asked again on order."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from tests.conftest import Tiny, answer_to

from mempabench.commands.pending import pending_requests
from mempabench.domain.manifests import Request
from mempabench.engines.exchange import recording_of
from mempabench.engines.explaining import changes
from mempabench.engines.language import is_english
from mempabench.testing import a_request

DAY = date(2026, 12, 1)


def request(**changed: Any) -> Request:
    return a_request(**{"inputs": {"scene": "1 MARA: No.", "name": "Mara"}, **changed})


@pytest.mark.parametrize(
    ("changed", "hit"),
    [
        ({"prompt": "other"}, False),
        ({"prompt_version": "2"}, False),
        ({"inputs": {"scene": "1 MARA: Yes.", "name": "Mara"}}, False),
        ({"inputs": {"scene": "1 MARA: No.", "name": "Mary"}}, False),
        ({"inputs": {"scene": "1 MARA: No.", "name": "Mara", "more": ""}}, False),
        ({"answer_schema": {"type": "array"}}, False),
        ({"seat": "reader_b"}, False),
        ({"repeat": 2}, False),
        ({"attempt": 2}, False),
        ({"stage": "find_other"}, True),
        ({"group": "other"}, True),
        ({"unit": "saltmarsh/s01e01/sc01/otto"}, True),
        ({"system": "You read closely."}, True),
        ({"message": "Scene: 1 MARA: No."}, True),
        ({"inputs": {"name": "Mara", "scene": "1 MARA: No."}}, True),
    ],
)
def test_a_key_changes_with_what_shapes_the_answer_and_with_nothing_else(
    changed: dict[str, Any], hit: bool
) -> None:
    assert (request(**changed).digest() == request().digest()) is hit


def test_every_field_of_a_request_stands_in_the_table_above() -> None:
    marks = test_a_key_changes_with_what_shapes_the_answer_and_with_nothing_else.pytestmark
    named = {name for case in marks[0].args[1] for name in case[0]}

    assert named == set(Request.model_fields)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"prompt_version": "2"}, ["prompt find_reactions 1 -> 2"]),
        ({"inputs": {"scene": "1 MARA: Yes.", "name": "Mara"}}, ["input scene changed"]),
        ({"inputs": {"scene": "1 MARA: No."}}, ["input name is no longer there"]),
        ({"inputs": {"scene": "1 MARA: No.", "name": "Mara", "more": ""}}, ["input more is new"]),
        ({"answer_schema": {"type": "array"}}, ["answer schema changed"]),
        ({"attempt": 2}, ["findings of the attempt before"]),
    ],
)
def test_what_changed_since_an_answer_is_named(changed: dict[str, Any], told: list[str]) -> None:
    recording = recording_of(request(), {}, (), "language model", "m", DAY)

    assert changes(request(**changed), recording) == told


def test_an_edited_scene_makes_its_answers_stale_and_says_so(built_tiny: Tiny) -> None:
    unit = next(iter(json.loads(line)["unit"] for line in _lines(built_tiny)))
    hit = built_tiny.run("requests", "explain", unit)
    prompt = built_tiny.root / "prompts/find_reactions.md"
    prompt.write_text(prompt.read_text("utf-8").replace('version = "', 'version = "9'), encoding="utf-8")
    stale = built_tiny.run("requests", "explain", unit)
    digest = hit.out.splitlines()[0].rsplit(" ", 1)[1]

    assert ", language model (" in hit.out
    assert hit.out.splitlines()[1].endswith(", accepted")
    assert "stale" in stale.out
    assert "is to another request: prompt find_reactions" in stale.out
    assert built_tiny.run("requests", "explain", digest[:5]).code == 1
    assert built_tiny.run("requests", "explain", digest).told[-1].startswith(f"error: {digest}: no request")


def test_a_request_without_any_answer_is_a_miss(tiny: Tiny) -> None:
    explained = tiny.run("requests", "explain", _first_unit(tiny))

    assert explained.out.splitlines()[1] == "  miss no answer to it was ever recorded"


def _first_unit(tiny: Tiny) -> str:
    return pending_requests(tiny.workspace)[0].request.unit


def _lines(tiny: Tiny) -> list[str]:
    path = next((tiny.root / "recordings/find_reactions").glob("*.writer.jsonl"))
    return path.read_text("utf-8").splitlines()


def test_a_refused_unit_is_asked_again_on_order_and_its_answer_replayed(
    tiny: Tiny, answer_everything: Callable[[Tiny, str, Any], None]
) -> None:
    unit = _first_unit(tiny)
    for _ in range(tiny.workspace.config.engine.attempts):
        answer_everything(tiny, unit, {"reactions": "none"})
    listed = tiny.run("status")
    other = tiny.run("requests", "again", "saltmarsh/nowhere")
    ordered = tiny.run("requests", "again", unit)
    twice = tiny.run("requests", "again", unit)
    answer_everything(tiny, unit, {"reactions": []})
    after = tiny.run("requests", "explain", unit)

    assert "1 refused" in next(line for line in listed.out.splitlines() if line.startswith("find_reactions"))
    assert other.told[-1] == f"error: saltmarsh/nowhere: not a refused unit; refused are {unit}"
    assert ordered.out == f"{unit}\tfind_reactions\t1 attempt more\n"
    assert twice.code == 1
    assert "attempt 4" in after.out
    assert after.out.rstrip().endswith("accepted")


@pytest.fixture
def answer_everything() -> Callable[[Tiny, str, Any], None]:
    """Answer one unit's request with what is given, and every other one well."""

    def answer(tiny: Tiny, unit: str, given: Any) -> None:
        lines = [
            {
                "custom_id": one.request.digest(),
                "answer": given if one.request.unit == unit else answer_to(one.request),
            }
            for one in pending_requests(tiny.workspace)
            if one.request.stage == "find_reactions"
        ]
        path = tiny.root / "answers.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        tiny.run("requests", "import", path, "--writer", "language model", "--on", "2026-12-01")

    return answer


@pytest.mark.parametrize(
    "text",
    [
        "Er fragt sie, ob er den Bericht gleich schicken soll, und sie sagt, dass sie erst eine Nacht darüber "
        "schlafen will, so wie immer, die Tasse in der Hand, was an dem Tag auch sonst zu tun war.",
        "Hij vraagt of hij het rapport in de ochtend kan sturen en zij is het er niet mee eens, want ze had het "
        "al in de tas gedaan en wil er nog een nacht over slapen.",
        "Elle lui demande si le rapport est prêt et il a répondu que non, on a encore des choses à faire avant "
        "de partir vers midi à la gare avec les autres.",
        "Lei gli chiede se il rapporto è pronto e lui dice di no, ci sono ancora tante cose da fare prima di "
        "partire verso mezzogiorno per la stazione, a un'ora che non conosce.",
        "彼は彼女に報告書をすぐに送るべきか尋ねた。" * 9,
    ],
)
def test_an_answer_in_another_language_is_known(text: str) -> None:
    assert not is_english({"reactions": [{"act": text, "reading": text}]})
    assert is_english({"reactions": [{"act": "Short.", "quotes": [{"words": text}]}]})
