"""How far two readers agree on settings, beyond what chance would give them.

Attributes have disjoint settings. Readers who draw lots within each attribute therefore seem to agree when
all attributes are thrown together (kappa near 0.43), so the headline is stratified by attribute: observed and
expected agreement are taken within each attribute and only then summed.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Attribute

RESAMPLES = 2000

_ORDER = {attribute.value: place for place, attribute in enumerate(Attribute)}


@dataclass(frozen=True)
class Pair:
    """Two readers' settings of one item; None where a reader names none, which is a category of its own."""

    attribute: str
    first: str | None
    second: str | None
    item: str
    """What was judged, such as a cell; pairs of one item are resampled together."""
    labels: dict[str, str] = field(default_factory=dict)
    """What to slice by, such as ``{"context": "work", "band": "low", "user": "user_a"}``."""


class Kappa(Record):
    """Agreement over some pairs."""

    n: int
    """Pairs."""
    observed: float | None
    """Share of pairs in which both chose the same."""
    expected: float | None
    """Share that readers with the same habits would reach by chance."""
    kappa: float | None
    """Cohen's kappa: the share of what chance leaves open that was reached."""
    undefined: str = ""
    """Why kappa is undefined; empty where it is defined."""


class Interval(Record):
    """A percentile bootstrap interval for the headline, resampling items within attributes."""

    low: float | None
    high: float | None
    level: float
    resamples: int
    """Resamples in which kappa is defined, of all that were drawn."""
    undefined: str = ""
    """Why there is no interval; empty where there is one."""


class Agreement(Record):
    """What two readers' settings say of their agreement."""

    headline: Kappa
    """Stratified by attribute."""
    interval: Interval
    by_attribute: dict[str, Kappa]
    slices: dict[str, dict[str, Kappa]]
    """By label and its value; each stratified by attribute within the slice."""


def agreement(pairs: Iterable[Pair], *, seed: int = 0, resamples: int = RESAMPLES) -> Agreement:
    """Return how far two readers agree.

    Args:
        pairs: What was judged twice.
        seed: Seed of the bootstrap; the same seed gives the same interval.
        resamples: How many times the items are drawn anew.
    """
    given = tuple(pairs)
    return Agreement(
        headline=stratified(given),
        interval=bootstrap(given, seed=seed, resamples=resamples),
        by_attribute={attribute: plain_kappa(own) for attribute, own in _strata(given).items()},
        slices=_slices(given),
    )


def plain_kappa(pairs: Sequence[Pair]) -> Kappa:
    """Return Cohen's kappa of the pairs of one attribute."""
    return _kappa([_tally(pairs)])


def stratified(pairs: Sequence[Pair]) -> Kappa:
    """Return kappa stratified by attribute: what was reached beyond chance, summed over the attributes."""
    return _kappa([_tally(own) for own in _strata(pairs).values()])


@dataclass(frozen=True)
class _Tally:
    """One stratum: pairs, pairs that agree, and pairs that would agree by chance."""

    n: int
    agreeing: float
    by_chance: float


def _tally(pairs: Sequence[Pair]) -> _Tally:
    first = Counter(pair.first for pair in pairs)
    second = Counter(pair.second for pair in pairs)
    n = len(pairs)
    agreeing = sum(pair.first == pair.second for pair in pairs)
    by_chance = sum(first[setting] * second[setting] for setting in first) / n if n else 0.0
    return _Tally(n, agreeing, by_chance)


def _kappa(strata: Sequence[_Tally]) -> Kappa:
    n = sum(stratum.n for stratum in strata)
    if n == 0:
        return Kappa(n=0, observed=None, expected=None, kappa=None, undefined="nothing was judged twice")
    agreeing = sum(stratum.agreeing for stratum in strata)
    by_chance = sum(stratum.by_chance for stratum in strata)
    value = _beyond_chance(strata)
    return Kappa(
        n=n,
        observed=agreeing / n,
        expected=by_chance / n,
        kappa=value,
        undefined=""
        if value is not None
        else "both readers used one and the same setting throughout, "
        "so that chance alone explains full agreement",
    )


def _beyond_chance(strata: Iterable[_Tally]) -> float | None:
    reached = left_open = 0.0
    for stratum in strata:
        if stratum.by_chance < stratum.n:
            reached += stratum.agreeing - stratum.by_chance
            left_open += stratum.n - stratum.by_chance
    return reached / left_open if left_open else None


def bootstrap(
    pairs: Sequence[Pair], *, seed: int, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Return the interval of the headline; items are drawn within their attribute, with all their pairs."""
    if stratified(pairs).kappa is None:
        return _no_interval(level, 0, "kappa is undefined")
    clusters = [_clusters(own) for own in _strata(pairs).values()]
    if all(len(items) < 2 for items in clusters):
        return _no_interval(level, 0, "no attribute has two items, so that drawing anew changes nothing")
    rng = random.Random(seed)
    drawn = (_beyond_chance([_drawn(items, rng) for items in clusters]) for _ in range(resamples))
    values = sorted(value for value in drawn if value is not None)
    if 2 * len(values) < resamples:
        return _no_interval(
            level, len(values), f"kappa is defined in {len(values)} of {resamples} resamples only"
        )
    tail = (1 - level) / 2
    return Interval(
        low=_percentile(values, tail),
        high=_percentile(values, 1 - tail),
        level=level,
        resamples=len(values),
    )


def _no_interval(level: float, resamples: int, why: str) -> Interval:
    return Interval(low=None, high=None, level=level, resamples=resamples, undefined=why)


def _clusters(pairs: Iterable[Pair]) -> list[list[Pair]]:
    items: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        items[pair.item].append(pair)
    return [items[item] for item in sorted(items)]


def _drawn(items: Sequence[list[Pair]], rng: random.Random) -> _Tally:
    return _tally([pair for chosen in rng.choices(items, k=len(items)) for pair in chosen])


def _percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile of sorted values, between neighbours in proportion."""
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def _strata(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[pair.attribute].append(pair)
    return {name: found[name] for name in sorted(found, key=lambda name: (_ORDER.get(name, 99), name))}


def _slices(pairs: Sequence[Pair]) -> dict[str, dict[str, Kappa]]:
    found: defaultdict[str, defaultdict[str, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        for label, value in pair.labels.items():
            found[label][value].append(pair)
    return {
        label: {value: stratified(own) for value, own in sorted(values.items())}
        for label, values in sorted(found.items())
    }
