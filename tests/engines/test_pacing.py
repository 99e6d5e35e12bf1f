"""The pace of calls: halved by a storm once, let in one by one again, and never above so much a minute."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mempabench.engines.pacing import Allowance, Pace, Stopped


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def received(pace: Pace, status: int, times: int = 1) -> None:
    for hook in pace.hooks()["response"]:
        for _ in range(times):
            hook(SimpleNamespace(status_code=status))


def test_a_storm_halves_the_calls_in_flight_once() -> None:
    pace = Pace(16)

    received(pace, 429, times=5)

    assert pace.allowed == 8


def test_storm_after_storm_leaves_one_call_and_never_none() -> None:
    pace = Pace(16)

    received(pace, 529, times=100)

    assert pace.allowed == 1


def test_each_full_round_of_good_replies_lets_one_more_in() -> None:
    pace = Pace(4)
    received(pace, 503)

    allowed = []
    for _ in range(6):
        received(pace, 200)
        allowed.append(pace.allowed)

    assert allowed == [2, 3, 3, 3, 4, 4]


def test_a_wrong_request_is_no_storm() -> None:
    pace = Pace(4)

    received(pace, 400, times=9)

    assert pace.allowed == 4


@pytest.mark.parametrize("per_minute", [60.0, 600.0, 7.0])
def test_no_minute_holds_more_than_its_allowance_and_five_seconds(per_minute: float) -> None:
    clock = Clock()
    allowance = Allowance(per_minute, clock)

    times = []
    for _ in range(int(per_minute * 3)):
        clock.now += allowance.take(1)
        times.append(clock.now)

    fullest = max(sum(start <= at < start + 60 for at in times) for start in times)
    assert fullest <= per_minute + max(1, per_minute / 12) + 1
    assert times[-1] == pytest.approx((len(times) - max(1, per_minute / 12)) * 60 / per_minute)


def test_what_a_call_did_not_need_is_given_back() -> None:
    clock = Clock()
    allowance = Allowance(6000, clock)
    allowance.take(500)

    allowance.give_back(400)

    assert allowance.take(400) == 0
    assert allowance.take(100) == pytest.approx(1.0)


def test_a_call_larger_than_the_allowance_goes_and_the_next_pays() -> None:
    clock = Clock()
    allowance = Allowance(60, clock)

    assert allowance.take(65) == 0
    assert allowance.take(5) == pytest.approx(65)


def test_a_call_that_waits_when_the_run_ends_is_never_made() -> None:
    pace = Pace(2, tokens_per_minute=60)
    pace.admit(60)
    pace.stop()

    with pytest.raises(Stopped):
        pace.admit(60)


def test_tries_are_counted_call_by_call() -> None:
    pace = Pace(2)
    pace.admit(1)
    for _ in range(3):
        pace.hooks()["request"][0](None)
    first = pace.tries()
    pace.admit(1)

    assert (first, pace.tries()) == (3, 0)
