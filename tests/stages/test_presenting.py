"""Binding quotes: every planted fault is refused, whoever produced it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempabench.commands.pending import pending_requests
from mempabench.domain.evidence import Quote
from mempabench.domain.transcripts import Direction
from mempabench.stages.find_reactions import ReactionsAnswer, findings
from mempabench.stages.presenting import QuotedWords, bind, scene_text
from mempabench.testing import a_scene, a_source

if TYPE_CHECKING:
    from tests.conftest import Tiny

SCENE = "slack_water/s01e02/sc01"

FAULTS = {
    "an altered word": (3, "Go on, and leave nothing in this time.", "does not stand in line 3"),
    "a missing comma": (3, "Go on and leave nothing out", "does not stand in line 3"),
    "other capitals": (3, "go on, and leave", "does not stand in line 3"),
    "words of another line": (3, "Show me later.", "does not stand in line 3"),
    "words of another scene": (3, "One word, Piet.", "does not stand in line 3"),
    "two stretches as one": (3, "Go on, this time.", "does not stand in line 3"),
    "two stretches with dots": (3, "Go on … this time.", "does not stand in line 3"),
    "somebody else's words": (2, "The inspector wants to know", "spoken by piet, not by bronagh"),
    "a line beyond the end": (8, "Show me later.", "line 8 is not in"),
    "a direction that stands alone": (5, "A wave comes over the ramp.", "is a direction"),
    "a direction within a cue": (1, "to the passengers", "does not stand in line 1"),
    "a straight apostrophe": (1, "I'm easing the chain now.", "does not stand in line 1"),
    "a confusable letter": (7, "Show m\u0435 later.", "does not stand in line 7"),
    "an invisible character": (7, "Show\u200b me later.", "does not stand in line 7"),
    "white space": (7, " ", "does not stand in line 7"),
    "no words": (7, "", "words: "),
    "line nought": (0, "Show me later.", "line: "),
}


def an_answer(line: int, words: str) -> dict[str, Any]:
    reaction = {
        "context": "work",
        "mode": "reception",
        "act": "Piet begins a report.",
        "quotes": [{"line": line, "words": words}],
        "reading": "She asks for the whole report.",
        "attribute": "verbosity",
        "setting": "detailed",
    }
    return {"reactions": [reaction]}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_quote_with_a_fault_is_refused_in_a_build(built_tiny: Tiny, fault: str) -> None:
    line, words, message = FAULTS[fault]
    path = built_tiny.root / "recordings/find_reactions/slack_water.writer.jsonl"
    recordings = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    for recording in recordings:
        if recording["unit"] == f"{SCENE}/bronagh":
            recording["answer"] = an_answer(line, words)
            recording["refused"] = []
    path.write_text("".join(json.dumps(recording) + "\n" for recording in recordings), "utf-8")

    waiting = pending_requests(built_tiny.workspace)

    assert [one.request.unit for one in waiting] == [f"{SCENE}/bronagh"]
    assert waiting[0].request.attempt > 1
    assert message in waiting[0].request.message


@pytest.mark.parametrize("fault", FAULTS)
def test_a_quote_with_a_fault_is_refused_on_import_and_kept(tiny: Tiny, fault: str) -> None:
    line, words, message = FAULTS[fault]
    tiny.run("build")
    digest = next(
        one.request.digest()
        for one in pending_requests(tiny.workspace)
        if one.request.unit == f"{SCENE}/bronagh"
    )
    answers = tiny.root / "answers.jsonl"
    answers.write_text(json.dumps({"custom_id": digest, "answer": an_answer(line, words)}), "utf-8")

    done = tiny.run("requests", "import", answers, "--writer", "somebody at a desk", "--on", "2026-01-30")

    kept = tiny.root / "recordings/find_reactions/slack_water.writer.jsonl"
    (recording,) = [json.loads(text) for text in kept.read_text("utf-8").splitlines()]
    assert done.code == 1
    assert "0 accepted\t1 refused" in done.out
    assert message in recording["refused"][0]


def test_a_joint_cue_may_be_quoted_for_each_speaker() -> None:
    scene = a_scene(("mara", "Leave it."))
    both = scene.changed(lines=(scene.lines[0].changed(speakers=("mara", "otto")),))

    bound = {person: bind(QuotedWords(line=1, words="Leave"), both, person) for person in ("mara", "otto")}

    assert all(isinstance(quote, Quote) for quote in bound.values())


def test_a_decomposed_quote_of_a_composed_line_binds() -> None:
    scene = a_scene(("mara", "Good day, Brónagh."))

    quote = bind(QuotedWords(line=1, words=unicodedata.normalize("NFD", "Brónagh")), scene, "mara")

    assert quote == Quote(line="saltmarsh/s01e01/sc01/l001", start=10, end=17, text="Brónagh")


@given(st.text(min_size=1, max_size=80), st.data())
def test_any_stretch_of_a_line_binds_and_reads_back(text: str, data: st.DataObject) -> None:
    said = " ".join(unicodedata.normalize("NFC", text).split()) or "Yes."
    start = data.draw(st.integers(0, len(said) - 1))
    end = data.draw(st.integers(start + 1, len(said)))
    words = said[start:end]
    scene = a_scene("Rain.", ("otto", "Well."), ("mara", said))

    quote = bind(QuotedWords(line=3, words=words), scene, "mara")

    if not words.strip():
        assert isinstance(quote, str)
        return
    assert isinstance(quote, Quote)
    assert said[quote.start : quote.end] == quote.text == words


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_no_words_bind_that_the_line_does_not_hold(text: str, words: str) -> None:
    said = " ".join(unicodedata.normalize("NFC", text).split()) or "Yes."

    quote = bind(QuotedWords(line=1, words=words), a_scene(("mara", said)), "mara")

    assert isinstance(quote, Quote) == (bool(words.strip()) and unicodedata.normalize("NFC", words) in said)


def test_a_setting_of_another_attribute_is_refused_with_the_known_ones() -> None:
    scene = a_scene(("mara", "Shut it."))
    answer = an_answer(1, "Shut it.")
    answer["reactions"][0]["setting"] = "loud"

    found = list(findings(scene, "mara", ReactionsAnswer.model_validate(answer)))

    assert found == ["reaction 1: 'loud' is no setting of verbosity; it has terse, detailed"]


def test_the_same_words_twice_for_one_attribute_are_refused() -> None:
    scene = a_scene(("mara", "Shut it."))
    answer = an_answer(1, "Shut it.")

    found = list(
        findings(scene, "mara", ReactionsAnswer.model_validate({"reactions": answer["reactions"] * 2}))
    )

    assert found == ["reaction 2: the same words are given twice for verbosity"]


def test_a_scene_is_shown_with_its_own_line_numbers_and_directions_in_their_places() -> None:
    scene = a_scene("Rain.", ("mara", "One. Two."), ("otto", "Three."))
    waits = Direction(at=4, text="She waits.")
    scene = scene.changed(lines=(scene.lines[0], scene.lines[1].changed(directions=(waits,)), scene.lines[2]))

    shown = scene_text(scene, a_source())

    assert shown.splitlines() == [
        "[The sluice, morning]",
        "1. (Rain.)",
        "2. Mara Field: One. (She waits.) Two.",
        "3. Otto Lind: Three.",
    ]


def test_the_faults_are_faults_of_the_specimen_as_it_is(built_once: Tiny) -> None:
    text = (Path(built_once.root) / "transcripts_raw/slack_water/s01e02.txt").read_text("utf-8")

    assert "Go on, and leave nothing out this time." in text
    assert "Show me later." in text
