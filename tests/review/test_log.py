from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.review.conftest import AN_HOUR

from mempabench.domain.record import canonical_json
from mempabench.domain.review import Action, Basis, ContextVerdict, Decision, Mode, Outcome, ReviewItem
from mempabench.errors import InputError
from mempabench_review.log import BatchRow, basis_of, outcome_of, read_batch, verify, withdrawal
from mempabench_review.queue import disputed, open_items, standing

Item = Callable[..., ReviewItem]
Row = Callable[..., BatchRow]
Entered = Callable[..., tuple[Decision, ...]]
HOUR = timedelta(hours=1)
CITED = "quay/s01e01/sc01/mara/o1"
CONTRARY = "quay/s01e01/sc01/mara/o2"


@pytest.mark.parametrize(
    ("proposal", "setting", "usable", "outcome", "basis"),
    [
        ("terse", "terse", True, Outcome.KEPT, Basis.EXTRACTED),
        ("terse", "detailed", True, Outcome.CHANGED, Basis.REVIEWER),
        (None, "detailed", True, Outcome.SPECIFIED, Basis.DESIGNED),
        ("terse", "detailed", False, Outcome.SPECIFIED, Basis.DESIGNED),
        ("terse", "terse", False, Outcome.SPECIFIED, Basis.DESIGNED),
    ],
)
def test_the_action_follows_from_setting_and_proposal(
    an_item: Item,
    a_row: Row,
    entered: Entered,
    proposal: str | None,
    setting: str,
    usable: bool,
    outcome: Outcome,
    basis: Basis,
) -> None:
    item = an_item(proposal=proposal)

    (decision,) = entered([a_row(item, setting, evidence_usable=usable)], [item])

    assert (outcome_of(decision), basis_of(decision)) == (outcome, basis)


def test_a_deferral_has_no_setting_and_no_outcome(an_item: Item, a_row: Row, entered: Entered) -> None:
    (decision,) = entered([deferral(a_row(an_item()))], [an_item()])

    assert (decision.action, decision.setting) == (Action.DEFER, None)
    assert decision.context_verdict is ContextVerdict.UNDECIDED
    with pytest.raises(ValueError, match=r"was left open \(defer\)"):
        outcome_of(decision)


def test_a_rows_own_mode_wins_over_the_batchs(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()

    (assisted,) = entered([a_row(item)], [item])
    (blind,) = entered([a_row(item, mode="blind")], [item])

    assert (assisted.mode, blind.mode) == (Mode.ASSISTED, Mode.BLIND)


def test_events_are_chained_to_the_end_of_the_log(an_item: Item, a_row: Row, entered: Entered) -> None:
    items = [an_item(), an_item("user_b/work/verbosity")]

    first = entered([a_row(items[0])], items)
    second = entered([a_row(items[1])], items, first)

    assert first[0].previous is None
    assert second[0].previous == first[0].chained()
    assert list(verify(first + second)) == []


def test_the_same_row_at_the_same_time_is_one_event(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    log = entered([a_row(item)], [item])

    again = entered([a_row(item)], [item], log)

    assert again == ()


def test_a_deferral_entered_again_after_the_decision_adds_nothing(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    log = entered([deferral(a_row(item))], [item])
    log += entered([a_row(item)], [item], log)

    assert entered([deferral(a_row(item))], [item], log) == ()


def test_an_uncited_observation_may_be_judged_when_it_was_shown(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    evidence = [
        {"observation": CITED, "stance": "supports"},
        {"observation": CONTRARY, "stance": "contradicts"},
    ]
    row = a_row(item, evidence=evidence, circumstances="Only with a boat about to leave.")

    (decision,) = entered([row], [item], also_shown={item.cell: [CONTRARY]})

    assert len(decision.evidence) == 2


CONFLICT = [
    {"observation": CITED, "stance": "supports"},
    {"observation": CONTRARY, "stance": "contradicts"},
]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown cell": ({"cell": "user_a/work/verbosty"}, "did you mean user_a/work/verbosity"),
    "nothing like a cell": ({"cell": "§§§"}, "there are 1 cells in the queue"),
    "high confidence": (
        {"cell": "user_a/work/tone_formality"},
        "is not in the queue; its evidence confirms it",
    ),
    "other evidence": ({"evidence_hash": "e" * 64}, "the evidence changed (seen eeeeeeeeeeee…, now "),
    "no evidence hash": ({"evidence_hash": None}, "evidence_hash: field required"),
    "unknown setting": ({"setting": "loud"}, "'loud' is no setting of verbosity; it has terse, detailed"),
    "no setting": ({"setting": ""}, "'' is no setting of verbosity"),
    "empty reason": ({"reason": "   "}, "the reason '' is too short"),
    "short reason": ({"reason": "obvious"}, "the reason 'obvious' is too short"),
    "conflict": ({"evidence": CONFLICT}, "the evidence conflicts (supports and contradicts)"),
    "unknown observation": (
        {"evidence": [{"observation": "o9", "stance": "supports"}]},
        f"'o9' is no observation of this cell; it has {CITED}",
    ),
    "observation judged twice": ({"evidence": [CONFLICT[0], CONFLICT[0]]}, f"'{CITED}' is judged twice"),
    "cited but not judged": ({"evidence": []}, f"no verdict on {CITED}"),
    "underived action": (
        {"action": "change"},
        "the action is keep, not change (proposed: terse, chosen: terse)",
    ),
    "deferred with a setting": ({"action": "defer"}, "a deferral names no setting, this one names 'terse'"),
    "no context verdict": ({"context_verdict": None}, "the context is not judged"),
    "undecided context": ({"context_verdict": "undecided"}, "the context is not judged"),
    "scenes denied": (
        {"context_verdict": "no_scenes"},
        "context_verdict is no_scenes, but the cell cites 1 scene",
    ),
    "unwarranted but kept": ({"context_verdict": "not_warranted"}, "scenes that don't warrant the context"),
    "kept on nothing": (
        {"evidence": [{"observation": CITED, "stance": "own_style"}]},
        "nothing supports terse; choose what the evidence supports",
    ),
    "unknown field": ({"mood": "good"}, "mood: extra inputs are not permitted"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_row_is_refused_in_one_line_that_says_where(
    an_item: Item, a_row: Row, entered: Entered, case: str
) -> None:
    item = an_item(observations=(CITED, CONTRARY)) if case == "conflict" else an_item()
    given, message = REFUSED[case]

    with pytest.raises(InputError) as refusal:
        entered([a_row(item, line=7, **given)], [item])

    assert str(refusal.value).startswith("batch.jsonl:7: ")
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_row_without_any_setting_is_refused(an_item: Item, a_row: Row, entered: Entered) -> None:
    row = a_row(an_item(proposal=None))

    with pytest.raises(InputError, match="no setting is chosen; verbosity has terse, detailed"):
        entered([row], [an_item(proposal=None)])


def test_scenes_claimed_where_none_are_cited_are_refused(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item(proposal=None)

    with pytest.raises(InputError, match="context_verdict is warranted, but the cell cites no scene"):
        entered([a_row(item, "terse", context_verdict="warranted")], [item])


def test_a_cell_given_twice_is_refused(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()

    with pytest.raises(InputError, match=r"batch\.jsonl:2: .* stands at batch\.jsonl:1 already"):
        entered([a_row(item), a_row(item, "detailed", line=2)], [item])


def test_a_settled_cell_cant_be_deferred(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    log = entered([a_row(item)], [item])

    with pytest.raises(InputError, match=r"it stands at terse \(decided by reader_one\)"):
        entered([deferral(a_row(item))], [item], log, reviewer="reader_two")


def test_one_bad_row_keeps_out_the_whole_batch(an_item: Item, a_row: Row, entered: Entered) -> None:
    items = [an_item(), an_item("user_b/work/verbosity")]
    rows = [a_row(items[0]), a_row(items[1], line=2, reason="no"), a_row(items[1], line=3, setting="loud")]

    with pytest.raises(InputError, match=r"batch\.jsonl:2: .*\(1 more row refused; nothing was entered\)"):
        entered(rows, items)


def test_a_time_without_a_zone_is_refused(an_item: Item, a_row: Row, entered: Entered) -> None:
    with pytest.raises(InputError, match="has no time zone"):
        entered([a_row(an_item())], [an_item()], decided_at=datetime(2026, 3, 1, 9))


def test_a_line_that_is_no_json_is_refused_with_its_place(tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"cell": "user_a/work/verbosity"}\n{"cell": \n', encoding="utf-8")

    with pytest.raises(InputError, match=r"batch\.jsonl:2: not a JSON value"):
        read_batch(batch)


@pytest.mark.parametrize(("content", "message"), [(None, "no such file"), ("\n", "holds no row")])
def test_a_batch_of_nothing_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    batch = tmp_path / "batch.jsonl"
    if content is not None:
        batch.write_text(content, encoding="utf-8")

    with pytest.raises(InputError, match=message):
        read_batch(batch)


@pytest.fixture
def log(an_item: Item, a_row: Row, entered: Entered) -> tuple[Decision, ...]:
    items = [an_item(f"user_{user}/work/verbosity") for user in "abc"]
    return entered([a_row(item) for item in items], items)


@pytest.mark.parametrize(
    ("field", "value", "places"),
    [
        ("setting", "detailed", [2, 3]),
        ("reason", "Something else was written here.", [2, 3]),
        ("circumstances", "Added afterwards.", [3]),
    ],
)
def test_an_edited_line_is_found(
    log: tuple[Decision, ...], field: str, value: str, places: list[int]
) -> None:
    edited = (log[0], log[1].changed(**{field: value}), log[2])

    assert lines_of(verify(edited)) == places


def test_a_removed_line_is_found(log: tuple[Decision, ...]) -> None:
    assert lines_of(verify((log[0], log[2]))) == [2]
    assert lines_of(verify(log[1:])) == [1]


def test_a_doubled_line_is_found(log: tuple[Decision, ...]) -> None:
    findings = list(verify((log[0], log[0], log[1])))

    assert any("stands in line 1 already" in finding for finding in findings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"setting": "loud"}, "'loud' is no setting of verbosity; it has terse, detailed"),
        ({"setting": None}, "action keep with setting None"),
        ({"cell": "user_a/work/volume"}, "'volume' is no attribute"),
    ],
)
def test_a_line_that_cant_have_been_entered_is_found(
    log: tuple[Decision, ...], given: dict[str, Any], message: str
) -> None:
    assert any(message in finding for finding in verify([log[0].changed(**given)]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(4)), cut=st.integers(0, 4))
def test_however_a_log_was_entered_it_verifies_and_reads_back(
    an_item: Item, a_row: Row, entered: Entered, order: list[int], cut: int
) -> None:
    items = [an_item(f"user_{'abcd'[place]}/work/verbosity") for place in order]
    rows = [a_row(item) for item in items]

    log = entered(rows[:cut], items) if cut else ()
    log += entered(rows[cut:], items, log) if cut < 4 else ()

    assert list(verify(log)) == []
    assert tuple(Decision.model_validate_json(canonical_json(event)) for event in log) == log
    if len(log) == 4 and order != sorted(order):
        assert list(verify(sorted(log, key=lambda event: event.cell)))


def test_the_time_is_kept_in_utc_to_the_second(an_item: Item, a_row: Row, entered: Entered) -> None:
    local = datetime.fromisoformat("2026-03-01T10:00:00.25+01:00")

    (decision,) = entered([a_row(an_item())], [an_item()], decided_at=local)

    assert decision.decided_at.utcoffset() == timedelta(0)
    assert decision.plain()["decided_at"] == "2026-03-01T09:00:00Z"


def deferral(row: BatchRow) -> BatchRow:
    kept = {name: row.value[name] for name in ("cell", "evidence_hash", "reason")}
    return BatchRow(row.where, {**kept, "action": "defer"})


def lines_of(findings: Any) -> list[int]:
    return sorted({int(finding.split(":")[1]) for finding in findings})


def test_a_decision_taken_back_leaves_what_stood_before(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    first = entered([a_row(item)], [item])
    log = first + entered([a_row(item, "detailed")], [item], first, decided_at=AN_HOUR + HOUR)

    once = taken_back(item, log)
    twice = taken_back(item, (*log, once), decided_at=AN_HOUR + 3 * HOUR)

    assert standing(item, log) == log[1]
    assert (once.withdraws, once.setting, once.previous) == (log[1].event_id, None, log[1].chained())
    assert standing(item, (*log, once)) == log[0]
    assert standing(item, (*log, once, twice)) is None
    assert list(verify((*log, once, twice))) == []
    with pytest.raises(InputError, match="reader_one has no decision on it that could be taken back"):
        taken_back(item, (*log, once, twice))


def test_nobody_takes_back_what_somebody_else_decided(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    log = entered([a_row(item)], [item])

    with pytest.raises(InputError, match="reader_two has no decision"):
        taken_back(item, log, reviewer="reader_two")


def taken_back(item: ReviewItem, log: tuple[Decision, ...], **given: Any) -> Decision:
    fields = {
        "reviewer": "reader_one",
        "reviewer_kind": "human",
        "decided_at": AN_HOUR + 2 * HOUR,
        "guide_version": "1-0123456789ab",
        **given,
    }
    return withdrawal(item.cell, log, **fields)


def test_a_revision_follows_a_blind_choice_and_both_are_kept(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    blind = entered([a_row(item, "detailed", mode="blind")], [item])

    log = blind + entered([a_row(item, mode="revised")], [item], blind)

    assert [event.mode for event in log] == [Mode.BLIND, Mode.REVISED]
    assert standing(item, log) == log[1]
    with pytest.raises(InputError, match="nothing was chosen blind before"):
        entered([a_row(item, mode="revised")], [item], blind, reviewer="reader_two")


def test_a_revision_of_the_same_moment_and_words_is_an_event_of_its_own(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    blind = entered([a_row(item, mode="blind")], [item])

    (revised,) = entered([a_row(item, mode="revised")], [item], blind)

    assert revised.event_id != blind[0].event_id
    assert list(verify((*blind, revised))) == []


def differing(item: ReviewItem, a_row: Row, entered: Entered) -> tuple[Decision, ...]:
    log = entered([a_row(item)], [item])
    return log + entered([a_row(item, "detailed")], [item], log, reviewer="reader_two")


def test_reviewers_who_differ_leave_the_cell_open_until_somebody_else_adjudicates(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    log = differing(item, a_row, entered)
    seen = [event.event_id for event in log]
    cause = "One took the pause for relief, the other for offence."
    row = a_row(item, mode="adjudicated", adjudicates=seen, cause=cause)

    (settled,) = entered([row], [item], log, reviewer="reader_three")

    assert standing(item, log) is None
    assert [event.event_id for event in disputed(item, log)] == seen
    (waiting,) = open_items([item], log)
    assert waiting.why == "disputed"
    assert standing(item, (*log, settled)) == settled
    assert disputed(item, (*log, settled)) == ()
    assert open_items([item], (*log, settled)) == ()
    assert list(verify((*log, settled))) == []


@pytest.mark.parametrize(
    ("change", "reviewer", "message"),
    [
        ({"adjudicates": []}, "reader_three", "other decisions came in meanwhile"),
        ({"cause": "Unclear."}, "reader_three", "the cause of the difference is missing"),
        ({}, "reader_one", "reader_one is one of those who differ; somebody else has to adjudicate"),
        (
            {"mode": "assisted"},
            "reader_three",
            "it names decisions to adjudicate, but its mode is another one",
        ),
    ],
)
def test_an_adjudication_sees_the_whole_dispute_and_says_its_cause(
    an_item: Item, a_row: Row, entered: Entered, change: dict[str, Any], reviewer: str, message: str
) -> None:
    item = an_item()
    log = differing(item, a_row, entered)
    given = {
        "mode": "adjudicated",
        "adjudicates": [event.event_id for event in log],
        "cause": "One took the pause for relief, the other for offence.",
        **change,
    }

    with pytest.raises(InputError, match=message):
        entered([a_row(item, **given)], [item], log, reviewer=reviewer)


def test_what_nobody_disputes_is_not_adjudicated(an_item: Item, a_row: Row, entered: Entered) -> None:
    item = an_item()
    log = entered([a_row(item)], [item])

    with pytest.raises(InputError, match="there is no dispute about it"):
        entered([a_row(item, mode="adjudicated", adjudicates=[])], [item], log, reviewer="reader_two")


def test_a_decision_after_the_adjudication_opens_the_dispute_again(
    an_item: Item, a_row: Row, entered: Entered
) -> None:
    item = an_item()
    log = differing(item, a_row, entered)
    cause = "One took the pause for relief, the other for offence."
    row = a_row(item, mode="adjudicated", adjudicates=[event.event_id for event in log], cause=cause)
    log += entered([row], [item], log, reviewer="reader_three")

    later = entered([a_row(item, "detailed")], [item], log, reviewer="reader_four")
    agreed = entered(
        [a_row(item, "terse")], [item], (*log, *later), reviewer="reader_two", decided_at=AN_HOUR + HOUR
    )

    assert standing(item, (*log, *later)) is None
    assert len(disputed(item, (*log, *later))) == 3
    assert len(disputed(item, (*log, *later, *agreed))) == 3
