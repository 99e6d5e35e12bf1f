"""The casting rule: coverage first, then balance of settings, then place in the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.personas import User, UserPlan
from mempabench.domain.taxonomy import Attribute, Context
from mempabench.domain.transcripts import CastMember
from mempabench.errors import InputError
from mempabench.stages.cast_users import balance, cast_users, chosen, coverage
from mempabench.testing import a_proposal, a_source


class NoWork:
    """Work for a stage that maps no units."""

    def each(self, units: Iterable[Any], step: Callable[..., Any]) -> Iterator[Any]:
        raise AssertionError("casting maps no units")

    def tally(self, *, done: int = 0, in_review: int = 0) -> None:
        assert (done, in_review) == (2, 0)


def cells(character: str, *settings: str, confidence: Confidence = Confidence.MEDIUM) -> list[ProposedCell]:
    """Return proposals for the first contexts and attributes of the table, with these settings."""
    places = [(attribute, context) for attribute in Attribute for context in Context]
    return [
        a_proposal(character, attribute, setting, confidence, context=context)
        for (attribute, context), setting in zip(places, settings, strict=False)
    ]


def test_coverage_counts_high_and_medium_only() -> None:
    proposals = [
        *cells("a", "casual", "casual", confidence=Confidence.HIGH),
        *cells("b", "casual", confidence=Confidence.LOW),
        *cells("c", "casual"),
    ]

    assert [coverage(proposals, person) for person in ("a", "b", "c", "abc")] == [2, 0, 1, 3]


def test_balance_is_the_mean_entropy_over_all_attributes() -> None:
    even = [*cells("a", "casual", "formal"), *cells("b", "casual", "formal")]
    skewed = [*cells("a", "casual", "casual"), *cells("b", "casual", "formal")]

    assert balance(even, "ab") == pytest.approx(1 / 14)
    assert balance(skewed, "ab") == pytest.approx(0.811278 / 14, abs=1e-6)
    assert balance(even, "") == 0


@pytest.mark.parametrize(
    ("settings", "count", "cast"),
    [
        pytest.param({"a": ["casual"], "b": ["casual", "casual"], "c": []}, 1, ("b",), id="coverage decides"),
        pytest.param(
            {"a": ["casual", "casual"], "b": ["casual", "casual"], "c": ["formal", "casual"]},
            1,
            ("c",),
            id="then balance",
        ),
        pytest.param(
            {"a": ["casual", "casual"], "b": ["casual", "casual"], "c": ["formal", "formal"]},
            2,
            ("a", "c"),
            id="balance of the whole cast, then the earliest",
        ),
        pytest.param({"a": ["casual"], "b": ["formal"], "c": ["casual"]}, 1, ("a",), id="then the earliest"),
        pytest.param({"a": [], "b": [], "c": []}, 2, ("a", "b"), id="nothing at all"),
        pytest.param({"a": [], "b": ["casual"], "c": ["casual"]}, 2, ("b", "c"), id="in manifest order"),
    ],
)
def test_the_cast_is_the_one_that_the_rule_picks(
    settings: dict[str, list[str]], count: int, cast: tuple[str, ...]
) -> None:
    proposals = [cell for person, own in settings.items() for cell in cells(person, *own)]

    assert chosen(proposals, ("a", "b", "c"), count) == cast
    assert chosen(proposals[::-1], ("a", "b", "c"), count) == cast


def plans(*users: str, source: str = "saltmarsh") -> tuple[UserPlan, ...]:
    return tuple(UserPlan(user=user, source=source, through="anonymize_personas") for user in users)


def test_users_are_named_in_manifest_order() -> None:
    proposals = (*cells("otto", "casual", "formal"), *cells("mara", "casual"))

    cast = list(cast_users(proposals, plans("user_c", "user_d"), (a_source(),), NoWork()))

    assert cast == [
        User(user="user_c", source="saltmarsh", character="mara", coverage=1),
        User(user="user_d", source="saltmarsh", character="otto", coverage=2),
    ]


def test_a_source_that_nobody_comes_from_casts_nobody() -> None:
    cast = (CastMember(person="kit", name="Kit"), CastMember(person="lou", name="Lou"))
    other = a_source(id="other", cast=cast, candidates=("kit", "lou"))

    users = list(cast_users((), plans("user_a"), (other, a_source()), NoWork()))

    assert [user.source for user in users] == ["saltmarsh"]


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        (plans("user_a", source="sea"), "user_a comes from source 'sea'; there are saltmarsh"),
        (plans("user_a", "user_b", "user_c"), "3 users are planned from 'saltmarsh', which has 2 candidates"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(planned: tuple[UserPlan, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(cast_users((), planned, (a_source(),), NoWork()))
