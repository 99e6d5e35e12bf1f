"""The substitution registry: every name of a source and the one fictional name that stands for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mempabench.domain.personas import ProposedSubstitute

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Registry:
    """Applies substitutes to text; the same text always gives the same text.

    Longer forms win over shorter ones, case is ignored when searching, and what hangs on a name (a plural s,
    a possessive, a hyphen) stays.
    """

    def __init__(self, substitutes: Iterable[ProposedSubstitute]) -> None:
        """Build the registry.

        Args:
            substitutes: All entries; a form given twice keeps its first meaning (see ``ambiguous``).
        """
        self._forms: dict[str, str] = {}
        self.ambiguous: list[str] = []
        for entry in substitutes:
            for original, substitute in entry.pairs():
                known = self._forms.setdefault(_folded(original), substitute)
                if known != substitute:
                    self.ambiguous.append(original)
        longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
        self._pattern = _any_of(longest_first)

    def knows(self, name: str) -> bool:
        """Return whether a form is registered."""
        return _folded(name) in self._forms

    def apply(self, text: str) -> str:
        """Return the text with every registered form replaced.

        A form in capitals is replaced in capitals.
        """
        if self._pattern is None:
            return text

        def swap(found: re.Match[str]) -> str:
            substitute = self._forms[_folded(found["form"])] + (found["plural"] or "")
            return substitute.upper() if found[0].isupper() and len(found[0]) > 1 else substitute

        return self._pattern.sub(swap, text)


def _folded(form: str) -> str:
    return " ".join(form.casefold().replace("’", "'").split())


def _any_of(forms: list[str]) -> re.Pattern[str] | None:
    if not forms:
        return None
    parts = (r"\s+".join(re.escape(word).replace("'", "['’]") for word in form.split()) for form in forms)
    return re.compile(rf"(?<!\w)(?P<form>{'|'.join(parts)})(?P<plural>(?<=\w)s)?(?!\w)", re.IGNORECASE)


def words(text: str) -> list[str]:
    """Return a text's words in lower case, without punctuation.

    >>> words("Well, nobody's weighed it.")
    ['well', "nobody's", 'weighed', 'it']
    """
    return [found.casefold().replace("’", "'") for found in _WORD.findall(text)]


def runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    """Return every run of ``length`` consecutive words of a text."""
    found = words(text)
    return {tuple(found[start : start + length]) for start in range(len(found) - length + 1)}
