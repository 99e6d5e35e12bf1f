from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from mempabench.commands.pending import pending_requests
from mempabench.domain.manifests import Request
from mempabench.engines.exchange import export_requests

if TYPE_CHECKING:
    from tests.conftest import Outcome, Tiny

EMPTY: dict[str, Any] = {"reactions": []}


def waiting(tiny: Tiny) -> list[Request]:
    """Return the waiting requests of pass one."""
    if not (tiny.root / "artifacts/scenes.jsonl").exists():
        tiny.run("build")
    return [one.request for one in pending_requests(tiny.workspace) if one.request.stage == "find_reactions"]


def bring_in(tiny: Tiny, *lines: str | dict[str, Any]) -> Outcome:
    path = tiny.root / "answers.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return tiny.run("requests", "import", path, "--writer", "language model", "--on", "2026-01-30")


def kept(tiny: Tiny) -> list[dict[str, Any]]:
    path = tiny.root / "recordings/find_reactions/slack_water.writer.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def test_an_export_is_one_batch_file_for_each_stage_and_seat(tiny: Tiny) -> None:
    request = waiting(tiny)[0]

    out = tiny.run("requests", "export", "--out", tiny.root / "exports").out

    names = [Path(row.split("\t")[0]).name for row in out.splitlines()]
    line = json.loads((tiny.root / "exports" / names[0]).read_text("utf-8").splitlines()[0])
    form = line["body"]["response_format"]
    assert names == ["find_reactions.writer.jsonl", "observe_identity.writer.jsonl"]
    assert (line["custom_id"], line["method"], line["url"]) == (
        request.digest(),
        "POST",
        "/v1/chat/completions",
    )
    assert [message["role"] for message in line["body"]["messages"]] == ["system", "user"]
    assert line["body"]["messages"][1]["content"] == request.message
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    jsonschema.Draft202012Validator.check_schema(form["json_schema"]["schema"])


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--stage", "find_reactions"), 12),
        (("--stage", "observe_identity"), 6),
        (("--unit", "slack_water/s01e03"), 6),
        (("--unit", "slack_water/s01e03", "--unit", "slack_water/s01e01/sc02"), 8),
        (("--limit", "3"), 3),
        (("--seat", "reader_a"), 0),
    ],
)
def test_an_export_can_be_narrowed(tiny: Tiny, options: tuple[str, ...], count: int) -> None:
    waiting(tiny)

    done = tiny.run("requests", "export", "--out", tiny.root / "exports", *options)

    assert sum(int(row.split("\t")[1]) for row in done.out.splitlines()) == count


def test_a_packet_can_be_read_and_answered_by_hand(tiny: Tiny, tmp_path: Path) -> None:
    requests = waiting(tiny)

    files = list(export_requests(requests, tmp_path / "out", packet=True, size=8))

    text = files[0][0].read_text("utf-8")
    assert [(path.name, count) for path, count in files] == [
        ("find_reactions.writer.01.md", 8),
        ("find_reactions.writer.02.md", 4),
    ]
    assert text.count(requests[0].system) == 1
    assert [f"## Request {request.digest()}" in text for request in requests] == [True] * 8 + [False] * 4


def test_batch_output_and_plain_answers_are_both_taken(tiny: Tiny) -> None:
    first, second, *_ = waiting(tiny)
    message = {"role": "assistant", "content": json.dumps(EMPTY)}
    output = {
        "id": "batch_req_1",
        "custom_id": first.digest(),
        "response": {"status_code": 200, "body": {"choices": [{"message": message}]}},
        "error": None,
    }

    done = bring_in(tiny, output, {"custom_id": second.digest(), "answer": EMPTY})

    assert done.code == 0
    assert "2 accepted\t0 refused\t0 not waiting" in done.out
    assert [(row["digest"], row["answer"], row["recorded_on"]) for row in kept(tiny)] == [
        (first.digest(), EMPTY, "2026-01-30"),
        (second.digest(), EMPTY, "2026-01-30"),
    ]


def test_answers_to_what_does_not_wait_are_counted_and_left_out(tiny: Tiny) -> None:
    first, *_ = waiting(tiny)
    bring_in(tiny, {"custom_id": first.digest(), "answer": EMPTY})

    done = bring_in(
        tiny,
        {"custom_id": "0" * 64, "answer": EMPTY},
        {"custom_id": first.digest(), "answer": EMPTY},
    )

    assert "0 accepted\t0 refused\t2 not waiting" in done.out
    assert len(kept(tiny)) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "answers.jsonl:2: not a JSON value"),
        ({"answer": EMPTY}, "answers.jsonl:2: no custom_id"),
        ({"custom_id": 5, "answer": EMPTY}, "answers.jsonl:2: no custom_id"),
        ("[]", "answers.jsonl:2: no custom_id"),
        ({"custom_id": "x", "error": {"code": "expired"}}, "answers.jsonl:2: neither an answer nor"),
        ('{"custom_id": "x", "answer": NaN}', "answers.jsonl:2: not a JSON value"),
        ('{"custom_id": "x", "answer": "\\ud83d"}', "answers.jsonl:2: not a JSON value"),
    ],
)
def test_a_line_that_is_no_answer_stops_the_import_and_nothing_is_kept(
    tiny: Tiny, line: Any, message: str
) -> None:
    first, *_ = waiting(tiny)

    done = bring_in(tiny, {"custom_id": first.digest(), "answer": EMPTY}, line)

    assert done.code == 1
    assert message in done.err
    assert kept(tiny) == []


def test_two_answers_to_one_request_stop_the_import_and_nothing_is_kept(tiny: Tiny) -> None:
    first, second, *_ = waiting(tiny)
    answers = [{"custom_id": one.digest(), "answer": EMPTY} for one in (second, first, first)]

    done = bring_in(tiny, *answers)

    assert done.code == 1
    assert f"answers.jsonl:3: request {first.digest()[:12]} is answered in line 2 too" in done.err
    assert kept(tiny) == []


@pytest.mark.parametrize(
    "content",
    [
        'Sure! {"reactions": []}',
        '{"reactions": [',
        "",
        '{"reactions": NaN}',
        '{"reactions": "\\ud83d"}',
        None,
    ],
)
def test_an_answer_that_is_no_json_is_kept_as_refused_and_asked_again(tiny: Tiny, content: Any) -> None:
    first, *_ = waiting(tiny)
    body = {"choices": [{"message": {"content": content}}]}

    done = bring_in(tiny, {"custom_id": first.digest(), "response": {"body": body}})

    (row,) = kept(tiny)
    again = waiting(tiny)[0]
    assert done.code == 1
    assert "1 refused" in done.out
    assert row["answer"] == str(content)
    assert row["refused"]
    assert (again.unit, again.attempt) == (first.unit, 2)


@pytest.mark.parametrize("depth", [200, 300, 900, 2000, 20000])
def test_an_answer_nested_too_deeply_is_refused_in_one_line(tiny: Tiny, depth: int) -> None:
    first, *_ = waiting(tiny)
    deep = "[" * depth + "]" * depth

    done = bring_in(tiny, f'{{"custom_id": "{first.digest()}", "answer": {deep}}}')

    (line,) = done.told
    assert line.endswith("answers.jsonl:1: not a JSON value (nested too deeply); mend or remove the line")


def test_a_day_that_is_none_is_refused(tiny: Tiny) -> None:
    (tiny.root / "answers.jsonl").write_text("", "utf-8")

    done = tiny.run(
        "requests", "import", tiny.root / "answers.jsonl", "--writer", "language model", "--on", "today"
    )

    assert done.told == ["error: --on: 'today' is no day; give it as YYYY-MM-DD"]
