"""Figures are counted as found; an alarm asks somebody to look and fails nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from mempabench.domain.evidence import Confidence, Mode, ProposedCell, Reading
from mempabench.domain.personas import User
from mempabench.domain.review import Basis, Cell, Outcome
from mempabench.domain.taxonomy import Attribute, Context, settings_of
from mempabench.testing import a_prompt, a_proposal, an_observation
from mempabench.validators.data import Absent, Data
from mempabench.validators.hints import HINTS, Hint, run_hints


def hint(code: str, data: Data) -> Hint:
    (found,) = run_hints([rule for rule in HINTS if rule.code == code], data)
    return found


def granted(data: Data, *counts: tuple[Confidence, int], claimed: Confidence | None = None) -> Data:
    """Return the data with so many proposals of each confidence."""
    proposals = [
        a_proposal(confidence=confidence, claimed=claimed or confidence)
        for confidence, count in counts
        for _ in range(count)
    ]
    return replace(data, proposed_cells=tuple(proposals))


def settled(data: Data, settings: Iterable[tuple[str, Context, Attribute, str]]) -> Data:
    """Return the data with these cells only: user, context, attribute, setting."""
    cells = [
        Cell(
            user=user,
            context=context,
            attribute=attribute,
            setting=setting,
            outcome=Outcome.SPECIFIED,
            basis=Basis.DESIGNED,
            confidence=Confidence.NONE,
            proposal=None,
            rationale="The test has it so.",
            observations=(),
            decision="0" * 32,
        )
        for user, context, attribute, setting in settings
    ]
    return replace(data, cells=tuple(cells))


def of_attribute(data: Data, attribute: Attribute, *settings: str) -> Data:
    """Return the data with one cell of this attribute for each setting."""
    users = [f"user_{letter}" for letter in "abcdefghijkl"]
    places = [(user, context) for user in users for context in Context]
    return settled(data, [(*place, attribute, name) for place, name in zip(places, settings, strict=False)])


def read(*rationales: str) -> tuple[ProposedCell, ...]:
    """Return proposals that were read twice, with the same rationale each time."""
    return tuple(
        a_proposal(
            rationale=text,
            second=Reading(setting=None, rationale=f"{text} Again.", claimed=Confidence.NONE),
        )
        for text in rationales
    )


def test_codes_are_given_once() -> None:
    given = [rule.code for rule in HINTS]

    assert given == sorted(set(given))


@pytest.mark.parametrize("code", [rule.code for rule in HINTS])
def test_every_figure_can_be_counted(code: str, clean: Data) -> None:
    assert hint(code, clean).lines


def test_what_is_absent_is_said_and_not_counted(clean: Data) -> None:
    without = replace(clean, cells=Absent("not built yet"))

    assert hint("H04", without).lines == ("not counted: not built yet",)


@pytest.mark.parametrize(
    ("high", "low", "alarms"),
    [
        (65, 35, ()),
        (66, 34, ("66.0% are granted high, over 65%",)),
        (3, 4, ("4 are low or none, fewer than 5",)),
        (3, 5, ()),
    ],
)
def test_granting_too_easily_is_an_alarm(high: int, low: int, alarms: tuple[str, ...], clean: Data) -> None:
    found = hint("H01", granted(clean, (Confidence.HIGH, high), (Confidence.LOW, low)))

    assert found.alarms == alarms


def test_claims_stand_against_what_was_granted(clean: Data) -> None:
    found = hint("H02", granted(clean, (Confidence.LOW, 7), claimed=Confidence.HIGH))

    assert found.lines[0] == "claimed high       0 high    0 medium    7 low    0 none"


@pytest.mark.parametrize(
    ("attribute", "settings", "alarm"),
    [
        (Attribute.VERBOSITY, ("terse",) * 4 + ("detailed",), "verbosity: detailed has 20.0%, under 25%"),
        (Attribute.TONE_FORMALITY, ("casual", "formal") * 2, "tone_formality: consultative never occurs"),
        (
            Attribute.TONE_FORMALITY,
            ("casual",) * 5 + ("formal", "consultative"),
            "tone_formality: casual has 71.4%, over 60%",
        ),
    ],
)
def test_settings_out_of_balance_are_an_alarm(
    attribute: Attribute, settings: tuple[str, ...], alarm: str, clean: Data
) -> None:
    found = hint("H03", of_attribute(clean, attribute, *settings))

    assert [one for one in found.alarms if one.startswith(attribute)] == [alarm]


@pytest.mark.parametrize("settings", [("terse", "terse", "terse", "detailed"), ("terse", "detailed")])
def test_settings_in_balance_are_none(settings: tuple[str, ...], clean: Data) -> None:
    found = hint("H03", of_attribute(clean, Attribute.VERBOSITY, *settings))

    assert not [one for one in found.alarms if one.startswith("verbosity")]


def test_settings_that_nobody_has_are_named(clean: Data) -> None:
    found = hint("H04", of_attribute(clean, Attribute.VERBOSITY, "terse"))

    assert found.lines[0] == "1 of 32"
    assert "verbosity/detailed" in found.lines[1]
    assert "verbosity/terse" not in found.lines[1]


@pytest.mark.parametrize(("differing", "alarm"), [(0, True), (4, True), (5, False), (8, False), (9, True)])
def test_contexts_that_hardly_or_always_differ_are_an_alarm(differing: int, alarm: bool, clean: Data) -> None:
    cells = [
        ("user_a", context, attribute, settings_of(attribute)[number < differing and context == "work"])
        for number, attribute in enumerate(Attribute)
        for context in Context
    ]

    found = hint("H05", settled(clean, cells))

    assert found.lines == (f"{differing} of 14",)
    assert bool(found.alarms) is alarm


@pytest.mark.parametrize(("terse", "detailed", "alarm"), [(13, 7, False), (14, 6, True)])
def test_a_good_constant_guess_is_an_alarm(terse: int, detailed: int, alarm: bool, clean: Data) -> None:
    data = of_attribute(clean, Attribute.VERBOSITY, *["terse"] * terse, *["detailed"] * detailed)

    assert bool(hint("H06", data).alarms) is alarm


def test_observations_are_counted_by_cell_and_mode(clean: Data) -> None:
    evidence = [an_observation(f"s01e0{n}") for n in range(1, 4)] + [an_observation(mode=Mode.PRODUCTION)]

    found = hint("H07", replace(clean, evidence=tuple(evidence)))

    assert found.lines == (
        "production  mean 0.0, most 1, cells without 55 of 56",
        "reception   mean 0.1, most 3, cells without 55 of 56",
    )


def test_observations_that_rest_on_one_quote_are_counted(clean: Data) -> None:
    assert hint("H08", clean).lines == ("5 of 6, 83.3%",)


def test_rationales_that_begin_alike_are_an_alarm(clean: Data) -> None:
    alike = read("She stops him as always.", "She stops him as ever.")
    varied = read(*(f"In episode {number} he waited." for number in range(48)))

    found = hint("H09", replace(clean, proposed_cells=(*alike, *varied)))
    more = hint("H09", replace(clean, proposed_cells=(*alike, *alike, *varied)))

    assert found.alarms == ()
    assert more.alarms == ("'she stops him as' opens 8 of 104, over 4%",)
    assert more.lines == ("104 rationales, 4 the same as another; most alike openings 8",)


def test_superseded_recordings_are_counted(clean: Data) -> None:
    newer = replace(clean, prompts=(a_prompt(version="2"),))

    assert hint("H10", newer).lines == ("2 recordings, 2 superseded, 0 refused when imported",)


def test_units_that_nobody_could_answer_are_named(clean: Data) -> None:
    assert hint("H11", clean).alarms == ("find_reactions: 1 of 6 units",)


def test_what_may_be_a_name_is_shown(clean: Data) -> None:
    persona = clean.personas[0].changed(summary="Ott hung the MF sign by the sluice, for Sven.")

    assert hint("H12", clean).alarms == ()
    assert hint("H12", replace(clean, personas=(persona,))).alarms == (
        "user_a summary: 'MF' (initials: Mara Field)",
        "user_a summary: 'Ott' (pet form: Otto Lind)",
    )


def test_hints_look_at_all_users_alike(clean: Data) -> None:
    more = replace(
        clean, users=(*clean.users, User(user="user_b", source="saltmarsh", character="otto", coverage=0))
    )

    assert list(run_hints(HINTS, more)) == list(run_hints(HINTS, clean))
