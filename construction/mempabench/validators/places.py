"""Small things that several subjects find: repeated and broken rows of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence


def repeated(keys: Iterable[str]) -> Iterator[str]:
    """Yield each key that is given more than once.

    >>> list(repeated(["a", "b", "a", "a"]))
    ['a']
    """
    return (key for key, count in Counter(keys).items() if count > 1)


def in_steps(numbers: Sequence[int]) -> bool:
    """Return whether numbers count up from 1 without holes.

    >>> in_steps([1, 2, 3]), in_steps([1, 3]), in_steps([2, 1])
    (True, False, False)
    """
    return list(numbers) == list(range(1, len(numbers) + 1))


def listed(values: Iterable[object]) -> str:
    """Return values for a message; ``nothing`` when there are none."""
    return ", ".join(str(value) for value in values) or "nothing"
