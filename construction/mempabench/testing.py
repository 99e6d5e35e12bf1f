"""What tests build things with: an engine that follows a script, and records with sensible defaults.

Each builder makes a whole record of a small invented series, *Saltmarsh*; a test passes only what it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from mempabench.domain.evidence import Confidence, Mode, Observation, ProposedCell, Quote, Reading
from mempabench.domain.manifests import Recording, Request
from mempabench.domain.personas import EntityKind, Substitute
from mempabench.domain.taxonomy import Attribute, Context
from mempabench.domain.transcripts import CastMember, Direction, Line, Scene, Source, SourceFile
from mempabench.prompts import Prompt

Script = Sequence[Any] | Mapping[tuple[str, str], Sequence[Any]]
"""Answers by attempt; or these by unit and seat."""


class ScriptedEngine:
    """An engine that answers attempt by attempt as its script says, and nothing beyond it."""

    def __init__(self, script: Script) -> None:
        """Take the script: answers for every unit alike, or a sequence of them for each (unit, seat)."""
        self.script = script
        self.asked: list[Request] = []
        """Every request that was put, answered or not."""

    def answer(self, request: Request) -> Recording | None:
        """Return the scripted answer to this attempt, or None where the script ends."""
        self.asked.append(request)
        script = self.script
        attempts = script.get((request.unit, request.seat), ()) if isinstance(script, Mapping) else script
        if request.attempt > len(attempts):
            return None
        return a_recording(request, attempts[request.attempt - 1])


def a_recording(request: Request, answer: Any, **given: Any) -> Recording:
    """Return an answer to a request as it is kept."""
    fields: dict[str, Any] = {
        "digest": request.digest(),
        "unit": request.unit,
        "seat": request.seat,
        "attempt": request.attempt,
        "prompt": request.prompt,
        "prompt_version": request.prompt_version,
        "prompt_sha256": "0" * 64,
        "writer": "language model",
        "model": "undisclosed",
        "recorded_on": date(2026, 1, 30),
        "answer": answer,
    }
    return Recording.model_validate({**fields, **given})


def a_request(**given: Any) -> Request:
    """Return a request of one stage."""
    fields: dict[str, Any] = {
        "stage": "find_reactions",
        "group": "saltmarsh",
        "unit": "saltmarsh/s01e01/sc01/mara",
        "prompt": "find_reactions",
        "prompt_version": "1",
        "seat": "writer",
        "inputs": {"name": "Mara Field"},
        "answer_schema": {"type": "object"},
        "system": "You read.\n",
        "message": "Read this.\n",
    }
    return Request.model_validate({**fields, **given})


def a_prompt(system: str = "You read.\n", message: str = "Read $scene.\n", **given: Any) -> Prompt:
    """Return a prompt with one name to fill."""
    fields: dict[str, Any] = {"name": "find_reactions", "version": "1", "system": system, "message": message}
    return Prompt.model_validate({**fields, **given})


def a_source(**given: Any) -> Source:
    """Return a source with two candidates, an extra and a collective."""
    fields: dict[str, Any] = {
        "id": "saltmarsh",
        "title": "Saltmarsh",
        "origin": "Written for a test.",
        "license": "CC-BY-4.0",
        "redistributable": True,
        "format": "fan_transcript",
        "files": (SourceFile(path="saltmarsh/s01e01.txt", sha256="0" * 64),),
        "cast": (
            CastMember(person="mara", name="Mara Field", aliases=("Mara",)),
            CastMember(person="otto", name="Otto Lind", aliases=("Otto",)),
            CastMember(person="driver", name="1st Driver", named=False),
            CastMember(person="everyone", name="Everyone", named=False),
        ),
        "candidates": ("mara", "otto"),
    }
    return Source.model_validate({**fields, **given})


def a_scene(*lines: tuple[str, str] | str, id: str = "saltmarsh/s01e01/sc01") -> Scene:
    """Return a scene.

    Args:
        lines: (person, words) for what is said; a bare text for a direction that stands alone.
        id: Id of the scene, which names source and episode too.
    """
    source, episode, _ = id.split("/")
    return Scene(
        id=id,
        source=source,
        episode=episode,
        episode_title="The Gate",
        heading="The sluice, morning",
        file=f"{source}/{episode}.txt",
        lines=tuple(_line(line, number, id) for number, line in enumerate(lines, start=1)),
    )


def _line(line: tuple[str, str] | str, number: int, scene: str) -> Line:
    person, words = line if isinstance(line, tuple) else (None, "")
    return Line(
        id=f"{scene}/l{number:03d}",
        number=number,
        label=person and person.title(),
        speakers=(person,) if person else (),
        text=words,
        directions=() if isinstance(line, tuple) else (Direction(at=0, text=line),),
        source_line=number + 3,
    )


def an_observation(
    episode: str = "s01e01",
    setting: str = "terse",
    mode: Mode = Mode.RECEPTION,
    **given: Any,
) -> Observation:
    """Return an observation of Mara; its id follows from the episode, so give one where two share it."""
    scene = f"saltmarsh/{episode}/sc01"
    fields: dict[str, Any] = {
        "id": f"{scene}/mara/o1",
        "source": "saltmarsh",
        "scene": scene,
        "character": "mara",
        "context": Context.WORK,
        "mode": mode,
        "act": "Otto explains the sluice.",
        "reading": "She cuts the explanation short.",
        "attribute": Attribute.VERBOSITY,
        "setting": setting,
        "quotes": (Quote(line=f"{scene}/l001", start=0, end=5, text="Words"),),
    }
    return Observation.model_validate({**fields, **given})


def a_reading(
    supporting: Iterable[Observation], setting: str | None = "terse", resolved: Sequence[str] = ()
) -> Reading:
    """Return a reader's proposal that rests on observations, with contrary ones resolved by their ids."""
    return Reading.model_validate(
        {
            "setting": setting,
            "rationale": "She stops explanations and takes the bare answer.",
            "supporting": tuple(o.id for o in supporting),
            "resolved": [{"observation": o, "circumstances": "it was for the inspector"} for o in resolved],
            "claimed": Confidence.HIGH if setting else Confidence.NONE,
        }
    )


def a_proposal(
    character: str = "mara",
    attribute: Attribute = Attribute.VERBOSITY,
    setting: str | None = "terse",
    confidence: Confidence = Confidence.MEDIUM,
    **given: Any,
) -> ProposedCell:
    """Return a proposed cell."""
    fields: dict[str, Any] = {
        "source": "saltmarsh",
        "character": character,
        "context": Context.WORK,
        "attribute": attribute,
        "setting": setting,
        "confidence": confidence,
        "grounds": "as the test has it",
        "claimed": confidence,
        "rationale": "She stops explanations and takes the bare answer.",
        "supporting": (),
    }
    return ProposedCell.model_validate({**fields, **given})


def a_substitute(
    original: str, substitute: str, aliases: Mapping[str, str] | None = None, **given: Any
) -> Substitute:
    """Return a reviewed substitute of a person's name; aliases come with what stands for each."""
    forms = aliases or {}
    fields: dict[str, Any] = {
        "source": "saltmarsh",
        "kind": EntityKind.PERSON,
        "original": original,
        "aliases": tuple(forms),
        "substitute": substitute,
        "substitute_aliases": tuple(forms.values()),
        "proposed_by": "language model",
        "reviewer": "tester",
        "reviewer_kind": "human",
    }
    return Substitute.model_validate({**fields, **given})
