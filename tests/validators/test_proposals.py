"""The rule of granting is stated twice, by the stage and by the check; here they are held together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mempabench.domain.evidence import Confidence, Mode, Observation
from mempabench.stages.propose_cells import granted
from mempabench.testing import a_proposal, a_reading, an_observation
from mempabench.validators.proposals import earned_confidence


@st.composite
def cells(draw: st.DrawFn) -> tuple[Observation, ...]:
    """Draw the observations of one cell, over three episodes."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["s01e01", "s01e02", "s01e03"]),
                st.sampled_from(["terse", "detailed"]),
                st.sampled_from(Mode),
            ),
            max_size=6,
        )
    )
    return tuple(
        an_observation(episode, setting, mode, id=f"saltmarsh/{episode}/sc01/mara/o{number}")
        for number, (episode, setting, mode) in enumerate(drawn, start=1)
    )


@given(cells(), st.data())
def test_stage_and_check_grant_the_same(cell: tuple[Observation, ...], data: st.DataObject) -> None:
    uses = [data.draw(st.sampled_from(["cited", "resolved", "left"])) for _ in cell]
    cited = [o for o, use in zip(cell, uses, strict=True) if use == "cited"]
    resolved = [o.id for o, use in zip(cell, uses, strict=True) if use == "resolved"]
    reading = a_reading(cited, data.draw(st.sampled_from(["terse", None])), resolved)

    earned = earned_confidence(
        a_proposal(setting=reading.setting, supporting=reading.supporting, resolved=reading.resolved), cell
    )

    assert earned is granted(reading, cell)[0]


def test_two_receptions_in_one_episode_are_not_high() -> None:
    cell = (an_observation(), an_observation(id="saltmarsh/s01e01/sc01/mara/o2"))

    earned = earned_confidence(a_proposal(supporting=tuple(o.id for o in cell)), cell)

    assert earned is Confidence.MEDIUM


def test_one_contrary_reception_left_open_takes_high_away() -> None:
    agreeing = (an_observation("s01e01"), an_observation("s01e02"))
    contrary = an_observation("s01e03", "detailed")
    supporting = tuple(o.id for o in agreeing)

    assert earned_confidence(a_proposal(supporting=supporting), agreeing) is Confidence.HIGH
    assert earned_confidence(a_proposal(supporting=supporting), (*agreeing, contrary)) is Confidence.MEDIUM
