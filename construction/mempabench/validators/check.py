"""What a check is, and how checks are run: a check that could not run is a finding, never a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from mempabench.validators.data import Data, Unavailable

COULD_NOT_RUN = "could not be checked"


D = TypeVar("D")


@dataclass(frozen=True)
class Rule(Generic[D]):
    """A rule with its code and its words, over some data."""

    code: str
    """Such as ``E206``; never given to another rule."""
    words: str
    """What is wrong at each place that ``find`` yields."""
    find: Callable[[D], Iterable[str]]
    """Yields the places that break the rule."""


Check = Rule[Data]
"""A rule over what was built."""


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule, or a rule that could not be checked."""

    code: str
    words: str
    place: str
    """Id of what is wrong, with the value in brackets; the reason when the check could not run."""
    ran: bool = True
    """False when the check could not run."""


def run_checks(checks: Iterable[Rule[D]], data: D) -> Iterator[Finding]:
    """Yield what breaks the rules, check by check."""
    for check in checks:
        try:
            for place in check.find(data):
                yield Finding(check.code, check.words, place)
        except Unavailable as absent:
            yield Finding(check.code, COULD_NOT_RUN, str(absent), ran=False)
        except Exception as error:  # whatever stops a check must be told, and must not stop the others
            yield Finding(check.code, COULD_NOT_RUN, f"{type(error).__name__}: {error}", ran=False)
