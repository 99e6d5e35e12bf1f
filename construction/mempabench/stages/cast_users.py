"""Casting: which candidates become users, by a rule written down before anything was extracted.

Evidence coverage first, then balance of settings. Of every way to choose the users asked for from a
source's candidates, the one wins with, in this order: the most cells granted high or medium; the most even
use of settings (mean over attributes of the entropy of the proposed settings, in bits); the earliest place
in the manifest. Users get their names in manifest order. No model, no wish.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from mempabench.catalog import PLANS, PROPOSED_CELLS, SOURCES, USERS
from mempabench.domain.evidence import Confidence, ProposedCell
from mempabench.domain.personas import User, UserPlan
from mempabench.domain.taxonomy import Attribute
from mempabench.domain.transcripts import Source
from mempabench.errors import InputError
from mempabench.stages.stage import Stage, Work


def cast_users(
    proposals: tuple[ProposedCell, ...], plans: tuple[UserPlan, ...], sources: tuple[Source, ...], work: Work
) -> Iterator[User]:
    """Yield the users of every source that has some planned.

    Raises:
        InputError: when a plan names an unknown source, or wants more users than it has candidates.
    """
    by_id = {source.id: source for source in sources}
    for plan in plans:
        if plan.source not in by_id:
            raise InputError(
                f"mempabench.toml: {plan.user} comes from source '{plan.source}'; there are {', '.join(by_id)}"
            )
    for source in sources:
        wanted = [plan.user for plan in plans if plan.source == source.id]
        if len(wanted) > len(source.candidates):
            raise InputError(
                f"mempabench.toml: {len(wanted)} users are planned from '{source.id}', "
                f"which has {len(source.candidates)} candidates; add candidates or drop users"
            )
        work.tally(done=len(source.candidates))
        own = [proposal for proposal in proposals if proposal.source == source.id]
        for user, person in zip(wanted, chosen(own, source.candidates, len(wanted)), strict=True):
            yield User(user=user, source=source.id, character=person, coverage=coverage(own, [person]))


def chosen(proposals: list[ProposedCell], candidates: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return the cast that the rule picks, in manifest order."""
    ways = list(combinations(candidates, count))
    return max(
        ways, key=lambda way: (coverage(proposals, way), round(balance(proposals, way), 9), -ways.index(way))
    )


def coverage(proposals: Iterable[ProposedCell], persons: Iterable[str]) -> int:
    """Return how many cells of these persons were granted high or medium confidence."""
    chosen_ones = set(persons)
    strong = (Confidence.HIGH, Confidence.MEDIUM)
    return sum(p.character in chosen_ones and p.confidence in strong for p in proposals)


def balance(proposals: Iterable[ProposedCell], persons: Iterable[str]) -> float:
    """Return the mean over attributes of the entropy of the proposed settings, in bits."""
    chosen_ones = set(persons)
    used: dict[Attribute, Counter[str]] = {attribute: Counter() for attribute in Attribute}
    for proposal in proposals:
        if proposal.character in chosen_ones and proposal.setting is not None:
            used[proposal.attribute][proposal.setting] += 1
    return sum(map(_entropy, used.values())) / len(used)


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values())


CAST_USERS = Stage(
    "cast_users", version="1", reads=(PROPOSED_CELLS, PLANS, SOURCES), writes=USERS, run=cast_users
)
