"""Asking: from a question to an accepted answer, through attempts, checks and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from mempabench.artifacts import first_problem
from mempabench.domain.manifests import Refusal, Request
from mempabench.domain.record import Record
from mempabench.engines.engine import Engine
from mempabench.engines.language import is_english
from mempabench.prompts import Prompt, render

A = TypeVar("A", bound=Record)

FOREIGN = "the answer is in another language; write it in English, and quote in the language of the scene"


def no_findings(answer: Any) -> Iterable[str]:
    """Accept everything that fits the schema."""
    return ()


@dataclass(frozen=True)
class Question(Generic[A]):
    """What a stage wants to know from one seat."""

    prompt: str
    inputs: Mapping[str, str]
    answer: type[A]
    """Minimal answer model, apart from the record that is stored."""
    seat: str = "writer"
    repeat: int = 1
    check: Callable[[A], Iterable[str]] = no_findings
    """Yields what is wrong with an answer; nothing when it is accepted."""


@dataclass(frozen=True)
class Pending:
    """A request without an answer, and the question that will judge one."""

    request: Request
    question: Question[Any]


class Unanswered(Exception):
    """Requests of a unit have no answer yet; carries them."""

    def __init__(self, pending: tuple[Pending, ...]) -> None:
        super().__init__(f"{len(pending)} requests have no answer")
        self.pending = pending


class Refused(Exception):
    """All attempts of a request were refused."""


@dataclass
class Asker:
    """Asks the questions of one unit of work and keeps what was refused on the way."""

    stage: str
    group: str
    unit: str
    engine: Engine
    prompts: Mapping[str, Prompt]
    attempts: int
    refusals: list[Refusal] = field(default_factory=list)

    def ask(self, question: Question[A]) -> A:
        """Return the accepted answer to one question.

        Raises:
            Unanswered: when there is none yet.
            Refused: when every attempt was refused.
        """
        return self.ask_all([question])[0]

    def ask_all(self, questions: Iterable[Question[A]]) -> list[A]:
        """Return the accepted answers to several questions, so that all of them can be exported at once."""
        answers: list[A] = []
        missing: list[Pending] = []
        for question in questions:
            found = self._answered(question)
            if isinstance(found, Pending):
                missing.append(found)
            else:
                answers.append(found)
        if missing:
            raise Unanswered(tuple(missing))
        return answers

    def _answered(self, question: Question[A]) -> A | Pending:
        accepted: A | None = None
        findings: tuple[str, ...] = ()
        for attempt in range(1, self.attempts + 1):
            request = self.request(question, attempt, findings)
            recording = self.engine.answer(request)
            if recording is None:
                return accepted if accepted is not None else Pending(request, question)
            answer, findings = judge(question, recording.answer)
            if isinstance(recording.answer, str) and recording.refused:
                findings = recording.refused
            if answer is not None:
                accepted = answer
            else:
                self.refusals.append(
                    Refusal(unit=self.unit, seat=question.seat, attempt=attempt, findings=findings)
                )
        if accepted is None:
            raise Refused
        return accepted

    def request(self, question: Question[A], attempt: int = 1, findings: tuple[str, ...] = ()) -> Request:
        """Return the request that puts a question, with the findings of the attempt before."""
        prompt = self.prompts[question.prompt]
        system, message = render(prompt, question.inputs)
        if findings:
            listed = "\n".join(f"- {finding}" for finding in findings)
            message += f"\nAn earlier answer was refused:\n{listed}\nAnswer the whole request again.\n"
        return Request(
            stage=self.stage,
            group=self.group,
            unit=self.unit,
            prompt=prompt.name,
            prompt_version=prompt.version,
            seat=question.seat,
            repeat=question.repeat,
            attempt=attempt,
            inputs=dict(question.inputs),
            answer_schema=answer_schema(question.answer),
            system=system,
            message=message,
        )


def judge(question: Question[A], answer: Any) -> tuple[A | None, tuple[str, ...]]:
    """Return the answer as its model, or None and what is wrong with it."""
    try:
        parsed = question.answer.model_validate(answer)
    except ValidationError as error:
        return None, (first_problem(error),)
    except RecursionError:
        return None, ("nested too deeply",)
    if not is_english(answer):
        return None, (FOREIGN,)
    findings = tuple(question.check(parsed))
    return (None, findings) if findings else (parsed, ())


@cache
def answer_schema(model: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of an answer: closed, every field required, no defaults, no docstrings.

    A reworded docstring must not make answers stale.
    """
    schema = model.model_json_schema()
    _tighten(schema)
    return schema


def _tighten(node: Any) -> None:
    if isinstance(node, dict):
        node.pop("default", None)
        for word in ("title", "description"):
            if not isinstance(node.get(word), dict):
                node.pop(word, None)
        if isinstance(node.get("properties"), dict):
            node["required"] = list(node["properties"])
            node["additionalProperties"] = False
        for value in node.values():
            _tighten(value)
    elif isinstance(node, list):
        for value in node:
            _tighten(value)
