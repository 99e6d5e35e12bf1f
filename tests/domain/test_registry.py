from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempabench.domain.identifiers import Identifiers
from mempabench.domain.personas import Substitute
from mempabench.domain.registry import Registry, runs
from mempabench.testing import a_substitute

MARA = a_substitute("Mara Field", "Joan Pike", {"Mara": "Joan", "Field": "Pike"})
OTTO = a_substitute("Otto O’Dowd", "Karl Webb", {"Otto": "Karl"})
PLACE = a_substitute("The Long Gate", "Upper Weir", kind="place")


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("Mara Field waits.", "Joan Pike waits."),
        ("Mara’s boat, Mrs Field's boat", "Joan’s boat, Mrs Pike's boat"),
        ("MARA! mara!", "JOAN! Joan!"),
        ("Mara-like", "Joan-like"),
        ("Mara\n  Field", "Joan Pike"),
        ("Otto O'Dowd and Otto O’Dowd", "Karl Webb and Karl Webb"),
        ("at the long gate", "at Upper Weir"),
        ("The Fields are in", "The Pikes are in"),
        ("Maranda in the fieldwork", "Maranda in the fieldwork"),
    ],
)
def test_every_form_of_a_name_is_replaced_and_nothing_else(text: str, renamed: str) -> None:
    registry = Registry([MARA, OTTO, PLACE])

    assert registry.apply(text) == renamed
    found = Identifiers([MARA, OTTO, PLACE]).find(registry.apply(text))
    assert [finding for finding in found if finding.certain] == []


def test_a_registry_without_entries_changes_nothing() -> None:
    registry = Registry([])

    assert registry.apply("Mara Field") == "Mara Field"
    assert not registry.knows("Mara Field")


def test_a_form_with_two_substitutes_is_told() -> None:
    registry = Registry([MARA, a_substitute("Field", "Weir")])

    assert registry.ambiguous == ["Field"]
    assert registry.knows("mara  FIELD")


NAMES = st.lists(
    st.sampled_from(["Brón", "Ada", "Ivo", "Jö", "Kit-Lee", "Édith", "St.Ives", "O’Hara"]),
    min_size=1,
    max_size=3,
)
FILLER = st.lists(st.sampled_from(["saw", "and", "’s", "the", ",", "—", "ADA", "kit-lee", "-"]), max_size=4)


@given(st.lists(NAMES, min_size=1, max_size=5), st.lists(FILLER, min_size=6, max_size=6))
def test_nothing_registered_survives(names: list[list[str]], fillers: list[list[str]]) -> None:
    entries = substitutes(names)
    registry = Registry(entries)
    text = " ".join(
        word for name, filler in zip(names, fillers, strict=False) for word in (*filler, *name, *filler)
    )

    renamed = registry.apply(text)

    assert [found for found in Identifiers(entries).find(renamed) if found.kind == "name"] == []
    assert registry.apply(renamed) == renamed


def substitutes(names: list[list[str]]) -> list[Substitute]:
    stand_ins = ("Quentin Moss", "Uma Vance", "Wilf Yates", "Xenia Zorn", "Quincy Upton")
    return [a_substitute(" ".join(name), stand_in) for name, stand_in in zip(names, stand_ins, strict=False)]


def test_runs_are_of_eight_words_whatever_the_punctuation() -> None:
    text = "One, two: three four; five six “seven” Eight nine."

    assert runs(text) == {
        ("one", "two", "three", "four", "five", "six", "seven", "eight"),
        ("two", "three", "four", "five", "six", "seven", "eight", "nine"),
    }
    assert runs("one two three") == set()
