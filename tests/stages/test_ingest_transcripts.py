from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mempabench.errors import InputError
from mempabench.stages.ingest_transcripts import resolve
from mempabench.testing import a_source

if TYPE_CHECKING:
    from tests.conftest import Tiny


@pytest.mark.parametrize(
    ("label", "persons"),
    [
        ("Mara", ("mara",)),
        ("MARA", ("mara",)),
        ("Mara Field", ("mara",)),
        ("Mara and Otto", ("mara", "otto")),
        ("Mara & Otto", ("mara", "otto")),
        ("Otto, Mara, and 1st Driver", ("otto", "mara", "driver")),
        ("Mara/Otto", ("mara", "otto")),
        ("Mara and Mara Field", ("mara",)),
        ("Everyone", ("everyone",)),
    ],
)
def test_a_label_means_persons_of_the_cast(label: str, persons: tuple[str, ...]) -> None:
    assert resolve(label, a_source(), "marsh.txt:6") == persons


@pytest.mark.parametrize(
    ("label", "hint"),
    [
        ("Marra", "did you mean 'mara'?"),
        ("Mara and Nobody", "add it to the cast"),
        ("Mara and", "did you mean"),
    ],
)
def test_an_unknown_speaker_is_refused_with_its_place_and_a_way_on(label: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        resolve(label, a_source(), "marsh.txt:6")

    assert str(refused.value).startswith(f"marsh.txt:6: unknown speaker '{label}'; {hint}")


def test_the_specimen_shows_every_kind_of_line(built_once: Tiny) -> None:
    scenes = built_once.rows("scenes")

    lines = {line["id"].removeprefix("slack_water/"): line for scene in scenes for line in scene["lines"]}

    assert [scene["id"] for scene in scenes] == [
        f"slack_water/s01e0{episode}/sc0{scene}" for episode in (1, 2, 3) for scene in (1, 2)
    ]
    assert lines["s01e03/sc02/l007"]["speakers"] == ["sal", "bronagh"]
    assert lines["s01e01/sc01/l001"]["speakers"] == []
    assert lines["s01e01/sc01/l007"]["directions"] == [{"at": 35, "text": "Sal holds up a hand."}]
    assert lines["s01e01/sc01/l005"]["text"].startswith("“She runs” is all")
    assert lines["s01e01/sc01/l005"]["source_line"] == 10
