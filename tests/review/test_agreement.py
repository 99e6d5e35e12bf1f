import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempabench.domain.taxonomy import TAXONOMY, settings_of
from mempabench_review.agreement import Pair, agreement, plain_kappa, stratified


def pairs_of(attribute: str, *settings: tuple[str | None, str | None], **labels: str) -> list[Pair]:
    return [
        Pair(attribute, first, second, item=f"user_a/work/{attribute}/{number}", labels=labels)
        for number, (first, second) in enumerate(settings, start=1)
    ]


VERBOSITY = pairs_of(
    "verbosity",
    *[("terse", "terse")] * 4,
    *[("terse", "detailed")] * 1,
    *[("detailed", "terse")] * 2,
    *[("detailed", "detailed")] * 3,
)
OUTREACH = pairs_of("proactive_outreach", *[("low", "low")] * 3, *[("high", "low")] * 1)


def test_kappa_of_one_attribute_is_cohens() -> None:
    # Of 10 pairs, 4 + 3 agree: po = 0.7.
    # First reader: 5 terse, 5 detailed. Second: 6 terse, 4 detailed.
    # pe = 0.5 x 0.6 + 0.5 x 0.4 = 0.5; kappa = (0.7 - 0.5) / (1 - 0.5) = 0.4.
    result = plain_kappa(VERBOSITY)

    assert (result.n, result.observed, result.expected) == (10, 0.7, 0.5)
    assert result.kappa == pytest.approx(0.4)


def test_the_headline_sums_what_was_reached_beyond_chance_over_attributes() -> None:
    # verbosity: n = 10, po = 0.7, pe = 0.5 (see above).
    # proactive_outreach: n = 4, po = 3/4; first 3 low, 1 high; second 4 low: pe = 0.75 x 1 = 0.75; kappa 0.
    # numerator   10 x (0.7 - 0.5) + 4 x (0.75 - 0.75) = 2
    # denominator 10 x (1 - 0.5)   + 4 x (1 - 0.75)    = 6; kappa = 1/3.
    # observed (7 + 3) / 14, expected (5 + 3) / 14.
    result = agreement([*VERBOSITY, *OUTREACH], resamples=50)

    assert result.headline.kappa == pytest.approx(1 / 3)
    assert result.headline.observed == pytest.approx(10 / 14)
    assert result.headline.expected == pytest.approx(8 / 14)
    assert list(result.by_attribute) == ["verbosity", "proactive_outreach"]
    assert result.by_attribute["proactive_outreach"].kappa == pytest.approx(0)


def test_naming_no_setting_is_a_category_of_its_own() -> None:
    # po = 3/4; first: 2 None, 2 terse; second: 3 None, 1 terse.
    # pe = 2/4 x 3/4 + 2/4 x 1/4 = 0.5; kappa = 0.25 / 0.5 = 0.5.
    result = plain_kappa(
        pairs_of("verbosity", (None, None), (None, None), ("terse", None), ("terse", "terse"))
    )

    assert (result.observed, result.expected, result.kappa) == (0.75, 0.5, 0.5)


def test_full_agreement_is_one() -> None:
    pairs = [
        pair for a in TAXONOMY for pair in pairs_of(a.attribute, *((s.name, s.name) for s in a.settings))
    ]

    result = agreement(pairs, resamples=200)

    assert result.headline.kappa == 1.0
    assert result.interval.high == 1.0


def test_readers_who_draw_lots_agree_by_chance_only_though_pooling_would_flatter_them() -> None:
    rng = random.Random(7)
    pairs = [
        Pair(a.attribute, rng.choice(names), rng.choice(names), item=f"{a.attribute}/{number}")
        for a in TAXONOMY
        for number in range(1000)
        for names in [settings_of(a.attribute)]
    ]

    headline = stratified(pairs).kappa

    assert headline == pytest.approx(0.0, abs=0.02)
    assert pooled(pairs) == pytest.approx(0.43, abs=0.02)


def pooled(pairs: list[Pair]) -> float:
    """Return the kappa that isn't offered: all attributes thrown together."""
    n = len(pairs)
    first = Counter((pair.attribute, pair.first) for pair in pairs)
    second = Counter((pair.attribute, pair.second) for pair in pairs)
    observed = sum(pair.first == pair.second for pair in pairs) / n
    expected = sum(first[name] * second[name] for name in first) / n**2
    return (observed - expected) / (1 - expected)


def test_the_interval_is_the_same_for_the_same_seed_and_holds_the_headline() -> None:
    pairs = [*VERBOSITY, *OUTREACH]

    first, again, other = (agreement(pairs, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.interval != other.interval
    assert first.interval.low is not None
    assert first.interval.high is not None
    assert first.headline.kappa is not None
    assert first.interval.low < first.headline.kappa < first.interval.high
    assert first.interval.resamples <= 2000


def test_pairs_of_one_item_are_drawn_together() -> None:
    # One reading each of ten items against the same readings counted tenfold: the estimate is the same,
    # and so must be the interval, since nothing new was looked at.
    tenfold = [pair for pair in VERBOSITY for _ in range(10)]

    once, often = agreement(VERBOSITY, seed=3), agreement(tenfold, seed=3)

    assert often.interval.low == pytest.approx(once.interval.low)
    assert often.interval.high == pytest.approx(once.interval.high)


def test_one_setting_throughout_leaves_kappa_undefined_and_says_why() -> None:
    result = agreement(pairs_of("verbosity", *[("terse", "terse")] * 3))

    assert (result.headline.observed, result.headline.kappa) == (1.0, None)
    assert "one and the same setting" in result.headline.undefined
    assert (result.interval.low, result.interval.undefined) == (None, "kappa is undefined")


def test_nothing_judged_twice_is_undefined_and_says_so() -> None:
    result = agreement([])

    assert (result.headline.n, result.headline.kappa) == (0, None)
    assert result.headline.undefined == "nothing was judged twice"


def test_a_single_item_an_attribute_gives_no_interval() -> None:
    result = agreement([*pairs_of("verbosity", ("terse", "detailed"))])

    assert result.headline.kappa == 0.0
    assert result.interval.undefined.startswith("no attribute has two items")


def test_an_interval_that_rests_on_few_resamples_is_withheld() -> None:
    # Drawn from two items, a resample holds one of them twice half of the time: kappa is undefined there.
    pairs = pairs_of("verbosity", ("terse", "terse"), ("detailed", "detailed"))
    results = [agreement(pairs, seed=seed, resamples=9) for seed in range(20)]

    for interval in (result.interval for result in results):
        assert (interval.low is None) == (interval.resamples < 4.5)
        assert interval.undefined == (
            f"kappa is defined in {interval.resamples} of 9 resamples only" if interval.low is None else ""
        )
    assert {result.interval.low for result in results} == {None, 1.0}


def test_slices_are_stratified_within_each_value() -> None:
    work = pairs_of("verbosity", ("terse", "terse"), ("detailed", "detailed"), context="work", band="low")
    personal = pairs_of(
        "verbosity", ("terse", "detailed"), ("detailed", "terse"), context="personal", band="low"
    )

    slices = agreement([*work, *personal], resamples=10).slices

    assert {value: kappa.kappa for value, kappa in slices["context"].items()} == {
        "work": 1.0,
        "personal": -1.0,
    }
    assert slices["band"]["low"].n == 4


SETTING = st.sampled_from(["terse", "detailed", None])


@given(st.lists(st.tuples(SETTING, SETTING), min_size=1, max_size=20))
def test_kappa_doesnt_depend_on_who_reads_first_and_never_exceeds_one(
    settings: list[tuple[str | None, str | None]],
) -> None:
    forth = stratified(pairs_of("verbosity", *settings)).kappa
    back = stratified(pairs_of("verbosity", *[(second, first) for first, second in settings])).kappa

    assert forth == back if forth is None else forth == pytest.approx(back)
    assert forth is None or -1 <= forth <= 1


@pytest.mark.parametrize("seed", range(20))
def test_kappa_of_an_attribute_is_that_of_an_independent_library(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    rng = random.Random(seed)
    settings = ["silent", "bookend", "full"][: rng.randint(2, 3)]
    first = [rng.choice(settings) for _ in range(rng.randint(8, 60))]
    second = [one if rng.random() < 0.6 else rng.choice(settings) for one in first]
    found = [
        Pair("process_visibility", a, b, str(n)) for n, (a, b) in enumerate(zip(first, second, strict=True))
    ]

    assert plain_kappa(found).kappa == pytest.approx(cohen_kappa_score(first, second))


@pytest.mark.parametrize("seed", range(5))
def test_stratified_kappa_is_put_together_from_an_independent_librarys_counts(seed: int) -> None:
    from sklearn.metrics import confusion_matrix

    rng = random.Random(seed)
    found = [
        Pair(attribute, rng.choice(settings), rng.choice(settings), f"{attribute} {number}")
        for attribute, settings in (
            ("verbosity", ["terse", "detailed"]),
            ("process_visibility", ["silent", "full"]),
        )
        for number in range(40)
    ]
    reached = left_open = 0.0
    for attribute in ("verbosity", "process_visibility"):
        own = [pair for pair in found if pair.attribute == attribute]
        counts = confusion_matrix([str(pair.first) for pair in own], [str(pair.second) for pair in own])
        by_chance = (counts.sum(axis=0) * counts.sum(axis=1)).sum() / counts.sum()
        reached += counts.trace() - by_chance
        left_open += counts.sum() - by_chance

    assert stratified(found).kappa == pytest.approx(reached / left_open)
