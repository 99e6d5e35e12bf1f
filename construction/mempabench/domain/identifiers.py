"""Find what gives a person or a place of the source away, in whatever dress it comes.

A name survives anonymisation as a possessive, as initials, as a pet form, in lower case, cut up by
punctuation, inside an address or a file name. :class:`Identifiers` looks for all of these at once. What it
finds is certain (nothing but the name reads so) or possible (an ordinary word or an abbreviation may read so
too, which a reader decides).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mempabench.domain.personas import EntityKind, ProposedSubstitute
from mempabench.domain.registry import words

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\S+")
_SPACED_LETTERS = re.compile(r"(?<!\w)(?:[^\W\d_][ .·*_-]{1,2}){3,}[^\W\d_](?!\w)")
_DOTTED = re.compile(r"(?<!\w)(?:[A-Z]\.\s?){1,3}[A-Z](?:\.|(?!\w))")
_CAPITALS = re.compile(r"(?<!\w)[A-Z]{2,4}(?!\w)")
_ADDRESS = re.compile(r"[@/\\#_\d]")
TITLES = frozenset(words("mr mrs ms miss dr prof sir dame madam lady lord uncle aunt auntie captain the"))
"""Words before a name that aren't part of it."""

_PET_ENDINGS = ("", "y", "ie", "i", "o", "a", "s", "ey")
_PLAINLY_INSIDE, _PERHAPS_INSIDE = 6, 5
"""Letters from which on a name within a longer word is no accident, and may be one."""


@dataclass(frozen=True)
class Finding:
    """Something of the source that stands in a text."""

    words: str
    """What stands there, without accents."""
    form: str
    """The name of the source that it gives away."""
    kind: str
    """``name``, ``cut up``, ``inside``, ``initials`` or ``pet form``."""
    certain: bool


class Identifiers:
    """Every form under which the names of a source can come back."""

    def __init__(self, entries: Iterable[ProposedSubstitute]) -> None:
        """Prepare the search.

        Args:
            entries: The registry: names of the source with their substitutes, which are never reported.
        """
        kept = list(entries)
        people = [entry for entry in kept if entry.kind is EntityKind.PERSON]
        forms = [form for entry in kept for form in (entry.original, *entry.aliases)]
        given = [form for entry in kept for form in (entry.substitute, *entry.substitute_aliases)]
        self._joined = {_joined(form): form for form in reversed(forms) if _joined(form)}
        self._names = _whole(forms)
        self._within = _within(self._joined)
        self._given = {word for form in given for word in _words(form)}
        self._given_initials = {_initials(entry.substitute) for entry in people}
        self._initials = {_initials(entry.original): entry.original for entry in reversed(people)}
        self._first_names = {_name_words(entry.original)[0]: entry.original for entry in reversed(people)}

    def find(self, text: str) -> Iterator[Finding]:
        """Yield what stands in a text, each thing once.

        >>> from mempabench.domain.personas import EntityKind, ProposedSubstitute
        >>> entry = ProposedSubstitute(source="tiny", kind=EntityKind.PERSON, original="Bettina Okafor",
        ...     aliases=("Bettina", "Okafor"), substitute="Marla Quist", substitute_aliases=("Marla", "Quist"))
        >>> text = "Bet-tina told B.O. to write to bokafor4@post.example; OKAFOR'S reply went to Betty."
        >>> for found in Identifiers([entry]).find(text):
        ...     print(found.words, "|", found.kind, "|", found.certain)
        OKAFOR'S | name | True
        Bet-tina | cut up | True
        bokafor4@post.example | inside | True
        B.O. | initials | True
        Betty | pet form | False
        """
        plain = _plain(text)
        seen: set[str] = set()
        for search in (self._by_name, self._by_letters, self._by_initials, self._by_pet_form):
            for found in search(plain):
                if not any(found.words in known for known in seen):
                    seen.add(found.words)
                    yield found

    def _by_name(self, text: str) -> Iterator[Finding]:
        for found in self._names.finditer(text):
            yield Finding(found[0], self._joined[_joined(found["form"])], "name", certain=True)

    def _by_letters(self, text: str) -> Iterator[Finding]:
        """Look at words with their punctuation taken out, and at letters with spaces between."""
        for found in (*_TOKEN.finditer(text), *_SPACED_LETTERS.finditer(text)):
            token = found[0].strip(".,;:!?()[]{}\"'")
            letters = _joined(token)
            if self._names.search(token) or not letters:
                continue
            whole = next(
                (form for form in (letters, letters.removesuffix("s")) if form in self._joined), None
            )
            if whole:
                yield Finding(token, self._joined[whole], "cut up", certain=True)
            elif inside := self._within.search(letters):
                certain = len(inside[0]) >= _PLAINLY_INSIDE
                yield Finding(token, self._joined[inside[0]], "inside", certain=certain)

    def _by_initials(self, text: str) -> Iterator[Finding]:
        for pattern, certain in ((_DOTTED, True), (_CAPITALS, False)):
            for found in pattern.finditer(text):
                letters = _joined(found[0])
                if letters in self._initials and letters not in self._given_initials:
                    yield Finding(found[0].strip(), self._initials[letters], "initials", certain=certain)

    def _by_pet_form(self, text: str) -> Iterator[Finding]:
        for token in _TOKEN.finditer(text):
            address = _ADDRESS.search(token[0]) is not None
            for found in _WORD.finditer(token[0]):
                word = found[0].casefold()
                if not (found[0][0].isupper() or address) or word in self._given:
                    continue
                for name, original in self._first_names.items():
                    if _is_pet_form(word, name):
                        yield Finding(found[0], original, "pet form", certain=False)
                        break


def _is_pet_form(word: str, name: str) -> bool:
    """Return whether a word is a shortening of a first name.

    >>> [_is_pet_form(word, "josephine") for word in ("jos", "josie", "phine", "jo", "josephine", "joke")]
    [True, True, True, False, False, False]
    """
    if word == name or len(word) < 3:
        return False
    if len(word) > 3 and name.endswith(word):
        return True
    for ending in _PET_ENDINGS:
        stem = word.removesuffix(ending) if ending else word
        stems = (stem, stem[:-1]) if stem[-2:-1] == stem[-1:] else (stem,)
        if (not ending or word.endswith(ending)) and any(len(s) > 2 and name.startswith(s) for s in stems):
            return True
    return False


def _whole(forms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for the forms as words of their own; digits and underscores end a word."""
    spelled = {r"[\W_]+".join(re.escape(word) for word in _words(form)) for form in forms} - {""}
    any_form = "|".join(sorted(spelled, key=lambda pattern: (-len(pattern), pattern))) or r"(?!)"
    return re.compile(rf"(?<![^\W\d_])(?P<form>{any_form})(?:'?s)?(?![^\W\d_])", re.IGNORECASE)


def _within(joined: Iterable[str]) -> re.Pattern[str]:
    long = sorted(
        (form for form in joined if len(form) >= _PERHAPS_INSIDE), key=lambda form: (-len(form), form)
    )
    return re.compile("|".join(map(re.escape, long)) or r"(?!)")


def _plain(text: str) -> str:
    """Return a text with straight apostrophes, without accents and invisible characters."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(
        char for char in apart if not unicodedata.combining(char) and unicodedata.category(char) != "Cf"
    )


def _words(name: str) -> list[str]:
    return [found.casefold() for found in _WORD.findall(_plain(name).replace("'s", ""))]


def _name_words(name: str) -> list[str]:
    """Return the words of a person's name, titles left out unless there is nothing else."""
    given = _words(name)
    return [word for word in given if word not in TITLES] or given or [""]


def _joined(text: str) -> str:
    return "".join(found.casefold() for found in _WORD.findall(_plain(text)))


def _initials(name: str) -> str:
    """Return a person's initials; none for a name of one word.

    >>> _initials("Mrs Bettina Okafor-Lind"), _initials("Bettina")
    ('bol', '')
    """
    letters = "".join(word[:1] for word in _name_words(name))
    return letters if len(letters) > 1 else ""
