from typing import Any

import pytest

from mempabench.domain.personas import EntityKind, ProposedSubstitute, Substitute
from mempabench.domain.transcripts import Source
from mempabench.errors import InputError
from mempabench_review.log import BatchRow
from mempabench_review.substitutes import enter_substitutes, name_words


def a_row(line: int = 1, **given: Any) -> BatchRow:
    value = {
        "kind": "person",
        "original": "Mara Vidal",
        "aliases": ["Mara", "Vidal"],
        "substitute": "Tess Corran",
        "substitute_aliases": ["Tess", "Corran"],
        "action": "edit",
        **given,
    }
    return BatchRow(f"names.jsonl:{line}", value)


JON: dict[str, Any] = {
    "original": "Jon Åkesson",
    "aliases": ["Jon"],
    "substitute": "Pim Brandt",
    "substitute_aliases": ["Pim"],
}


def entered(rows: list[BatchRow], source: Source, registry: tuple[Substitute, ...] = (), **given: Any) -> Any:
    return enter_substitutes(rows, source, registry, reviewer="reader_one", reviewer_kind="human", **given)


def test_a_reviewed_row_becomes_a_substitute_with_its_reviewer(a_source: Source) -> None:
    (entry,) = entered([a_row(note="closeness kept")], a_source)

    assert entry.pairs() == (("Mara Vidal", "Tess Corran"), ("Mara", "Tess"), ("Vidal", "Corran"))
    assert (entry.source, entry.reviewer, entry.reviewer_kind) == ("quay", "reader_one", "human")
    assert (entry.proposed_by, entry.note) == ("reviewer", "closeness kept")


def test_an_accepted_row_names_the_model_that_proposed_it(a_source: Source) -> None:
    proposal = ProposedSubstitute(
        source="quay", kind=EntityKind.PERSON, original="Jon Åkesson", aliases=("Jon",),
        substitute="Pim Brandt", substitute_aliases=("Pim",),
    )  # fmt: skip

    (entry,) = entered([a_row(**JON, action="accept")], a_source, proposed=[proposal])

    assert entry.proposed_by == "language model"


def test_the_same_row_again_adds_nothing(a_source: Source) -> None:
    registry = entered([a_row()], a_source)

    assert entered([a_row(), a_row(2, **JON)], a_source, registry) == entered([a_row(2, **JON)], a_source)


def test_relatives_share_the_substitute_of_their_surname(a_source: Source) -> None:
    sister = a_row(
        2,
        original="Ines Vidal",
        aliases=["Ines", "Vidal"],
        substitute="Olga Corran",
        substitute_aliases=["Olga", "Corran"],
    )

    assert len(entered([a_row(), sister], a_source)) == 2


def test_a_place_may_keep_the_word_that_says_what_it_is(a_source: Source) -> None:
    place: dict[str, Any] = {"kind": "place", "aliases": [], "substitute_aliases": []}

    (entry,) = entered([a_row(original="Ebb Street", substitute="Copper Street", **place)], a_source)

    assert entry.substitute == "Copper Street"


def test_accents_and_titles_dont_hide_a_name(a_source: Source) -> None:
    found = name_words(
        a_source, entered([a_row(aliases=["Mrs. Vidal's"], substitute_aliases=["Mrs. C"])], a_source)
    )

    assert {"mara", "vidal", "jon", "akesson"} <= found
    assert not found & {"mrs", "old", "driver"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "substitute used twice": (
        {**JON, "substitute": "TESS  corran", "aliases": [], "substitute_aliases": []},
        "'TESS corran' stands for 'Mara Vidal' of quay already",
    ),
    "alias used twice": ({**JON, "substitute_aliases": ["tess"]}, "'tess' stands for 'Mara' of quay already"),
    "one substitute for two aliases": (
        {**JON, "aliases": ["Jonny", "Jonas"], "substitute_aliases": ["Pim", "Pim"]},
        "'Pim' stands for 'Jonny' of quay already",
    ),
    "original given twice": (
        {"original": "mara vidal", "substitute": "Eva Olsen", "aliases": [], "substitute_aliases": []},
        "it has a substitute already ('Tess Corran'); keep one",
    ),
    "alias meaning two things": (
        {**JON, "aliases": ["Vidal"], "substitute_aliases": ["Pim"]},
        "'Vidal' stands as 'Corran' elsewhere, not 'Pim'",
    ),
    "aliases of different number": (
        {**JON, "substitute_aliases": []},
        "1 aliases and 0 substitutes for them; give one for each",
    ),
    "first initial kept": (
        {**JON, "substitute": "Joris Brandt"},
        "keeps the initial of the first name ('J')",
    ),
    "last initial kept": ({**JON, "substitute": "Pim Ahlgren"}, "keeps the initial of the last name ('A')"),
    "initial kept behind a title": (
        {**JON, "original": "Dr. Jon Åkesson", "substitute": "Mr. Joris Brandt"},
        "keeps the initial of the first name ('J')",
    ),
    "no name at all": ({**JON, "substitute": "…!"}, "is no name; give both as words"),
    "a name of the source": (
        {**JON, "substitute": "Pim Vidal"},
        "'Pim Vidal' contains 'vidal', a name of the source",
    ),
    "a name of the source in an alias": (
        {**JON, "substitute_aliases": ["Mara's Pim"]},
        "contains 'mara', a name of the source",
    ),
    "unknown kind": ({**JON, "kind": "boat"}, "kind: input should be 'person', 'workplace'"),
    "unknown action": ({**JON, "action": "guess"}, "action: input should be 'accept' or 'edit'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_row_is_refused_in_one_line_that_says_where(a_source: Source, case: str) -> None:
    given, message = REFUSED[case]

    with pytest.raises(InputError) as refusal:
        entered([a_row(), a_row(2, **given)], a_source)

    assert str(refusal.value).startswith("names.jsonl:2: ")
    assert " ".join(message.split()) in " ".join(str(refusal.value).split())
    assert "\n" not in str(refusal.value)


def test_a_substitute_of_another_source_is_taken_too(a_source: Source) -> None:
    other = a_source.changed(id="mill", cast=())
    registry = entered([a_row(original="Ruth Lang", aliases=[], substitute_aliases=[])], other)

    with pytest.raises(InputError, match="'Tess Corran' stands for 'Ruth Lang' of mill already"):
        entered([a_row()], a_source, registry)


@pytest.mark.parametrize(
    ("proposed", "message"),
    [
        ("Jon Åkesson", "'Pim Brandt' was proposed, with other forms or kind; give the action 'edit'"),
        ("Somebody Else", "nothing was proposed for it, so it can't be accepted"),
    ],
)
def test_only_what_was_proposed_can_be_accepted(a_source: Source, proposed: str, message: str) -> None:
    proposal = ProposedSubstitute(
        source="quay", kind=EntityKind.PERSON, original=proposed, substitute="Pim Brandt"
    )

    with pytest.raises(InputError, match=message):
        entered([a_row(**JON, action="accept")], a_source, proposed=[proposal])
