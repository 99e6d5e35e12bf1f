"""E6xx: how things were made: rows that are conserved, outputs as they were written, recordings as they were kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from mempabench.artifacts import first_problem
from mempabench.domain.manifests import Account, Recording
from mempabench.validators.check import Check
from mempabench.validators.data import Data, RecordedFile
from mempabench.validators.places import listed

_FILE_NAME = re.compile(r"(?P<group>[a-z][a-z0-9_]*)\.(?P<seat>[a-z][a-z_]*)\.jsonl")


@dataclass(frozen=True)
class RecordedLine:
    """A line of a recordings file."""

    place: str
    """File and line number."""
    file: RecordedFile
    recording: Recording | None
    problem: str = ""
    """Why it is no recording."""


def recorded_lines(data: Data) -> Iterator[RecordedLine]:
    """Yield the lines of every recordings file that aren't blank, read as far as they can be."""
    for file in data.recordings:
        for number, text in enumerate(file.text.split("\n"), start=1):
            if text.strip():
                yield _read(text, file, f"{file.shown}:{number}")


def _read(text: str, file: RecordedFile, place: str) -> RecordedLine:
    try:
        return RecordedLine(place, file, Recording.model_validate(json.loads(text)))
    except ValidationError as error:
        return RecordedLine(place, file, None, first_problem(error))
    except (ValueError, RecursionError) as error:
        return RecordedLine(place, file, None, f"no JSON value: {error}")


def without_account(data: Data) -> Iterator[str]:
    """Yield stages whose output lies there without an account."""
    return (built.stage for built in data.built if built.account is None)


def leaking_accounts(data: Data) -> Iterator[str]:
    """Yield accounts in which units got lost: in isn't out + refused + in review."""
    for account in _accounts(data):
        if account.units != account.done + account.refused + account.in_review:
            yield (
                f"{account.stage} ({account.units} in, {account.done} done, {account.refused} refused, "
                f"{account.in_review} in review)"
            )


def unexplained_refusals(data: Data) -> Iterator[str]:
    """Yield accounts with more refused units than units that a refusal with findings explains."""
    for account in _accounts(data):
        explained = {refusal.unit for refusal in account.refusals if refusal.findings}
        if account.refused > len(explained) or any(not refusal.findings for refusal in account.refusals):
            yield f"{account.stage} ({account.refused} refused, {len(explained)} explained)"


def miscounted_rows(data: Data) -> Iterator[str]:
    """Yield stages whose account counts other rows than lie there."""
    for built in data.built:
        if built.account is not None and built.account.rows != built.rows:
            yield f"{built.stage} (account {built.account.rows}, found {built.rows})"


def altered_outputs(data: Data) -> Iterator[str]:
    """Yield stages whose output isn't what they wrote."""
    return (built.stage for built in data.built if not built.as_written)


def malformed_recordings(data: Data) -> Iterator[str]:
    """Yield lines of recordings files that are no recording."""
    for line in recorded_lines(data):
        if line.recording is None:
            yield f"{line.place} ({line.problem})"


def misplaced_recordings(data: Data) -> Iterator[str]:
    """Yield recordings in a file that isn't named after a source or user and their seat."""
    for file in data.recordings:
        if not _FILE_NAME.fullmatch(file.name):
            yield file.shown
    for line in recorded_lines(data):
        found = _FILE_NAME.fullmatch(line.file.name)
        if found and line.recording and line.recording.seat != found["seat"]:
            yield f"{line.place} (seat {line.recording.seat})"
        if found and line.recording and line.recording.unit.split("/")[0] != found["group"]:
            yield f"{line.place} (unit {line.recording.unit})"


def answered_twice(data: Data) -> Iterator[str]:
    """Yield recordings of a request that has another one in the same stage."""
    first: dict[tuple[str, str], str] = {}
    for line in recorded_lines(data):
        if line.recording:
            known = first.setdefault((line.file.stage, line.recording.digest), line.place)
            if known != line.place:
                yield f"{line.place} ({known} too)"


def lost_attempts(data: Data) -> Iterator[str]:
    """Yield recordings of a later attempt without one of the attempt before it."""
    kept = {_attempt(line.file.stage, line.recording) for line in recorded_lines(data) if line.recording}
    for line in recorded_lines(data):
        if line.recording and line.recording.attempt > 1:
            *place, attempt = _attempt(line.file.stage, line.recording)
            if (*place, int(attempt) - 1) not in kept:
                yield f"{line.place} ({line.recording.unit}, attempt {attempt})"


def unknown_prompts(data: Data) -> Iterator[str]:
    """Yield recordings of a prompt that doesn't exist."""
    known = [prompt.name for prompt in data.prompts]
    for line in recorded_lines(data):
        if line.recording and line.recording.prompt not in known:
            yield f"{line.place} ('{line.recording.prompt}'; there are {listed(known)})"


def _attempt(stage: str, recording: Recording) -> tuple[str | int, ...]:
    return (
        stage,
        recording.unit,
        recording.seat,
        recording.prompt,
        recording.prompt_version,
        recording.attempt,
    )


def _accounts(data: Data) -> Iterator[Account]:
    return (built.account for built in data.built if built.account is not None)


CHECKS = (
    Check("E601", "a stage's output has no account", without_account),
    Check("E602", "units got lost: in is not done + refused + in review", leaking_accounts),
    Check("E603", "a refused unit has no refusal that says why", unexplained_refusals),
    Check("E604", "an account counts other rows than lie there", miscounted_rows),
    Check(
        "E605",
        "an output is not what its stage wrote; it was edited, or half is from another run",
        altered_outputs,
    ),
    Check("E611", "a line of a recordings file is no recording", malformed_recordings),
    Check("E612", "a recording lies in a file of another source, user or seat", misplaced_recordings),
    Check("E613", "a request is answered by two recordings", answered_twice),
    Check("E614", "a later attempt is recorded without the one before it", lost_attempts),
    Check("E615", "a recording answers a prompt that doesn't exist", unknown_prompts),
)
"""Checks of accounts, outputs and recordings."""
