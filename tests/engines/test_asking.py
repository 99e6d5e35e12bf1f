from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from mempabench.domain.manifests import Request
from mempabench.domain.record import Record
from mempabench.engines.asking import Asker, Question, Refused, Unanswered, answer_schema, judge
from mempabench.errors import InputError
from mempabench.testing import Script, ScriptedEngine, a_prompt, a_request


class Answer(Record):
    """An answer of one word."""

    word: str


def no_shouting(answer: Answer) -> Iterator[str]:
    if answer.word.isupper():
        yield f"'{answer.word}' is shouted"


QUESTION = Question("find_reactions", {"scene": "a scene"}, Answer, check=no_shouting)
UNIT = "saltmarsh/s01e01/sc01/mara"


def an_asker(script: Script, attempts: int = 3) -> Asker:
    engine = ScriptedEngine(script)
    return Asker("find_reactions", "saltmarsh", UNIT, engine, {"find_reactions": a_prompt()}, attempts)


def words(*given: str) -> list[dict[str, str]]:
    return [{"word": word} for word in given]


def test_the_answer_to_the_first_attempt_is_taken() -> None:
    asker = an_asker(words("gate"))

    assert asker.ask(QUESTION) == Answer(word="gate")
    assert asker.refusals == []


def test_a_refused_answer_is_kept_and_asked_again_with_the_findings() -> None:
    asker = an_asker([*words("GATE"), {"wrod": "gate"}])

    with pytest.raises(Unanswered) as missing:
        asker.ask(QUESTION)

    (pending,) = missing.value.pending
    assert pending.request.attempt == 3
    assert "An earlier answer was refused:\n- word: field required" in pending.request.message
    assert [(r.unit, r.attempt, r.findings[0]) for r in asker.refusals] == [
        (UNIT, 1, "'GATE' is shouted"),
        (UNIT, 2, asker.refusals[1].findings[0]),
    ]


@pytest.mark.parametrize(
    ("answers", "word", "refused"),
    [
        (("gate", "lock"), "lock", []),
        (("gate", "LOCK"), "gate", [2]),
        (("GATE", "lock"), "lock", [1]),
        (("gate", "LOCK", "bank"), "bank", [2]),
        (("GATE", "LOCK", "bank"), "bank", [1, 2]),
    ],
)
def test_the_highest_attempt_that_passes_counts(
    answers: Sequence[str], word: str, refused: list[int]
) -> None:
    asker = an_asker(words(*answers))

    assert asker.ask(QUESTION).word == word
    assert [refusal.attempt for refusal in asker.refusals] == refused


def test_a_request_whose_every_attempt_is_refused_is_given_up() -> None:
    asker = an_asker(words("GATE", "LOCK"), attempts=2)

    with pytest.raises(Refused):
        asker.ask(QUESTION)

    assert [refusal.attempt for refusal in asker.refusals] == [1, 2]


def test_all_questions_of_a_unit_that_wait_are_told_at_once() -> None:
    reader = Question("find_reactions", QUESTION.inputs, Answer, seat="reader_b")
    writer = {(UNIT, "writer"): words("gate")}

    with pytest.raises(Unanswered) as missing:
        an_asker({}).ask_all([QUESTION, reader])
    with pytest.raises(Unanswered) as second:
        an_asker(writer).ask_all([QUESTION, reader])

    assert [one.request.seat for one in missing.value.pending] == ["writer", "reader_b"]
    assert [one.request.seat for one in second.value.pending] == ["reader_b"]


def test_prompt_and_caller_must_agree_on_the_names() -> None:
    asker = an_asker([])
    question = Question("find_reactions", {"scenes": "…"}, Answer)

    with pytest.raises(
        InputError, match=r"^prompt 'find_reactions' and its caller disagree on: scene, scenes$"
    ):
        asker.ask(question)


def test_values_are_put_in_as_they_are() -> None:
    question = Question("find_reactions", {"scene": "$name costs {5} $$"}, Answer)

    assert an_asker([]).request(question).message == "Read $name costs {5} $$.\n"


@pytest.mark.parametrize(
    "changed",
    [
        {"prompt": "observe_identity"},
        {"prompt_version": "2"},
        {"inputs": {"name": "Otto Lind"}},
        {"answer_schema": {"type": "array"}},
        {"seat": "reader_a"},
        {"repeat": 2},
        {"attempt": 2},
    ],
)
def test_the_digest_changes_with_what_shapes_the_answer(changed: dict[str, Any]) -> None:
    assert a_request(**changed).digest() != a_request().digest()


@pytest.mark.parametrize(
    "changed",
    [
        {"stage": "observe_identity"},
        {"group": "other"},
        {"unit": "saltmarsh/s01e09/sc09/mara"},
        {"system": "Read with care.\n"},
        {"message": "Read it, please.\n"},
    ],
)
def test_the_digest_changes_with_nothing_else(changed: dict[str, Any]) -> None:
    assert a_request(**changed).digest() == a_request().digest()


def test_every_field_of_a_request_is_in_one_of_the_two_lists() -> None:
    shaping = {"prompt", "prompt_version", "inputs", "answer_schema", "seat", "repeat", "attempt"}
    other = {"stage", "group", "unit", "system", "message"}

    assert set(Request.model_fields) == shaping | other


def test_a_prompt_of_another_version_asks_anew() -> None:
    asker = an_asker([])
    newer = Asker(
        "find_reactions", "saltmarsh", UNIT, asker.engine, {"find_reactions": a_prompt(version="2")}, 3
    )

    assert newer.request(QUESTION).digest() != asker.request(QUESTION).digest()


def test_findings_go_into_the_message_and_the_attempt_into_the_digest() -> None:
    asker = an_asker([])

    first, second = asker.request(QUESTION), asker.request(QUESTION, 2, ("too loud",))

    assert second.message == first.message + (
        "\nAn earlier answer was refused:\n- too loud\nAnswer the whole request again.\n"
    )
    assert second.digest() != first.digest()


class Old(Record):
    """A list of words with a default."""

    words: tuple[Answer, ...] = ()
    """The words."""


def test_an_answer_schema_is_closed_and_says_nothing_that_may_be_reworded() -> None:
    schema = answer_schema(Old)

    assert schema["required"] == ["words"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Answer"]["additionalProperties"] is False
    assert not [word for word in ("title", "description", "default") if f"'{word}'" in str(schema)]


@pytest.mark.parametrize("answer", [None, "gate", 5, [], {}, {"word": 1}, {"word": "gate", "more": 1}])
def test_an_answer_of_another_form_is_refused_in_one_line(answer: Any) -> None:
    parsed, findings = judge(QUESTION, answer)

    assert parsed is None
    assert len(findings) == 1
    assert "\n" not in findings[0]
