"""The confidence rule: what is granted is code's, whatever the reader claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mempabench.domain.evidence import Confidence, Mode, Observation, Reading
from mempabench.domain.taxonomy import Attribute, attribute_spec
from mempabench.stages.propose_cells import CellsAnswer, findings, granted, proposed_cell
from mempabench.testing import a_reading, an_observation

if TYPE_CHECKING:
    from tests.conftest import Tiny

FIRST = an_observation("s01e01")
SAME_EPISODE = an_observation("s01e01", id="saltmarsh/s01e01/sc01/mara/o2")
SECOND = an_observation("s01e02")
OWN = an_observation("s01e03", mode=Mode.PRODUCTION)
OWN_AGAIN = an_observation("s01e04", mode=Mode.PRODUCTION)
CONTRARY = an_observation("s01e05", setting="detailed")
OWN_CONTRARY = an_observation("s01e06", setting="detailed", mode=Mode.PRODUCTION)


@pytest.mark.parametrize(
    ("supporting", "seen", "resolved", "confidence"),
    [
        pytest.param([FIRST, SECOND], [FIRST, SECOND], [], "high", id="two episodes agree"),
        pytest.param([FIRST, SAME_EPISODE], [FIRST, SAME_EPISODE], [], "medium", id="the same episode twice"),
        pytest.param([FIRST], [FIRST], [], "medium", id="one reception"),
        pytest.param([FIRST], [FIRST, SECOND], [], "medium", id="a second one isn't cited"),
        pytest.param([FIRST, OWN], [FIRST, OWN], [], "medium", id="production adds no episode"),
        pytest.param([OWN, OWN_AGAIN], [OWN, OWN_AGAIN], [], "medium", id="production in two episodes"),
        pytest.param([OWN], [OWN], [], "low", id="production in one episode"),
        pytest.param([FIRST, SECOND], [FIRST, SECOND, CONTRARY], [], "medium", id="contrary, unresolved"),
        pytest.param([FIRST, SECOND], [FIRST, SECOND, CONTRARY], [CONTRARY], "high", id="contrary, resolved"),
        pytest.param([FIRST, SECOND], [FIRST, SECOND, OWN_CONTRARY], [], "high", id="contrary production"),
        pytest.param(
            [FIRST, CONTRARY], [FIRST, CONTRARY], [], "medium", id="cites a contrary one as support"
        ),
        pytest.param([CONTRARY], [CONTRARY], [], "low", id="cites contrary ones only"),
    ],
)
def test_confidence_is_granted_by_the_rule(
    supporting: list[Observation], seen: list[Observation], resolved: list[Observation], confidence: str
) -> None:
    reading = a_reading(supporting, resolved=[o.id for o in resolved])

    found, grounds = granted(reading, seen)

    assert found == confidence
    assert "episodes agree" in grounds


def test_nothing_is_granted_where_nothing_is_proposed() -> None:
    assert granted(a_reading([], setting=None), [FIRST]) == (Confidence.NONE, "no setting is proposed")


def test_the_proposal_is_the_first_readers_and_the_second_stands_beside_it() -> None:
    first, second = a_reading([FIRST]), a_reading([FIRST], setting="detailed")
    spec = attribute_spec("verbosity")

    cell = proposed_cell("saltmarsh", "mara", FIRST.context, spec, (FIRST,), first, second)

    assert (cell.setting, cell.confidence, cell.claimed) == ("terse", "medium", "high")
    assert cell.second == second
    assert cell.quotes == FIRST.quotes


def test_a_decision_is_bound_to_setting_confidence_and_quotes_and_to_nothing_else() -> None:
    spec = attribute_spec("verbosity")

    def bound(reading: Reading, *seen: Observation) -> str:
        context = FIRST.context
        return proposed_cell("saltmarsh", "mara", context, spec, seen, reading, reading).evidence_hash()

    before = bound(a_reading([FIRST]), FIRST)

    reworded = a_reading([FIRST]).changed(rationale="Other words for the same thing.")
    assert bound(reworded, FIRST) == before
    assert bound(a_reading([FIRST]), FIRST, SAME_EPISODE) == before
    assert bound(a_reading([FIRST], resolved=[CONTRARY.id]), FIRST, CONTRARY) != before
    assert bound(a_reading([FIRST, SECOND]), FIRST, SECOND) != before
    assert (
        bound(a_reading([FIRST]), FIRST.changed(quotes=(FIRST.quotes[0].changed(start=7, end=12),))) != before
    )
    assert bound(a_reading([FIRST], setting="detailed"), FIRST) != before


def a_cell_answer(**given: Any) -> dict[str, Any]:
    fields = {
        "setting": "terse",
        "rationale": "She takes the bare answer.",
        "supporting": [FIRST.id],
        "resolved": [],
        "claimed": "medium",
    }
    return {**fields, **given}


NOTHING = a_cell_answer(setting=None, supporting=[], claimed="none")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (a_cell_answer(setting="loud"), "work: 'loud' is no setting of verbosity; it has terse, detailed"),
        (a_cell_answer(claimed="none"), "work: claimed must be none exactly when setting is null"),
        (
            a_cell_answer(setting=None, supporting=[]),
            "work: claimed must be none exactly when setting is null",
        ),
        (a_cell_answer(supporting=[]), "work: a setting needs supporting observations, and null has none"),
        (a_cell_answer(supporting=[FIRST.id, FIRST.id]), f"work: '{FIRST.id}' is cited twice"),
        (
            a_cell_answer(supporting=[SECOND.id]),
            f"work: '{SECOND.id}' is no observation of this context; there are {FIRST.id}, {CONTRARY.id}",
        ),
        (
            a_cell_answer(resolved=[{"observation": FIRST.id, "circumstances": "it was raining"}]),
            f"work: '{FIRST.id}' is cited twice",
        ),
        (
            a_cell_answer(supporting=[CONTRARY.id]),
            f"work: '{CONTRARY.id}' speaks for detailed, so it can't support terse; leave it out",
        ),
        (
            a_cell_answer(resolved=[{"observation": FIRST.id, "circumstances": "it was raining"}]),
            f"work: '{FIRST.id}' speaks for terse and is not contrary; cite it as supporting",
        ),
    ],
)
def test_an_answer_that_cites_wrongly_is_refused(cell: dict[str, Any], message: str) -> None:
    answer = CellsAnswer.model_validate({"work": cell, "personal": NOTHING})

    found = list(findings(attribute_spec(Attribute.VERBOSITY), (FIRST, CONTRARY), answer))

    assert message in found


def test_the_specimens_cells_are_granted_as_worked_out(built_once: Tiny) -> None:
    rows = built_once.rows("proposed_cells")

    found = {
        f"{row['character']}/{row['context']}/{row['attribute']}": (row["setting"], row["confidence"])
        for row in rows
        if row["setting"] is not None
    }

    assert len(rows) == 3 * 28
    assert found == {
        "bronagh/work/verbosity": ("terse", "high"),
        "bronagh/personal/verbosity": ("detailed", "medium"),
        "bronagh/work/process_visibility": ("full", "low"),
        "bronagh/work/autonomy_level": ("reactive", "medium"),
        "piet/work/guidance_level": ("scaffolded", "medium"),
        "sal/work/information_elicitation": ("structured", "high"),
        "sal/personal/emotional_engagement": ("relationship_focused", "medium"),
        "sal/work/tone_formality": ("consultative", "low"),
    }
