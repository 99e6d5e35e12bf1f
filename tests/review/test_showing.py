import json
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempabench.domain.evidence import Facet, Identity, IdentityItem, Observation, Quote
from mempabench.domain.review import Decision
from mempabench.domain.transcripts import Scene
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.desk import Desk
from mempabench_review.log import BatchRow
from mempabench_review.queue import OpenItem
from mempabench_review.showing import as_data, as_text, escaped, json_line, marked, packet, plain_text

CELL = "user_a/work/verbosity"
SCENE = "quay/s01e01/sc01"


@pytest.fixture
def desk(project: Workspace) -> Desk:
    return Desk.load(project)


def cell(desk: Desk) -> OpenItem:
    (entry,) = desk.chosen([CELL])
    return entry


def test_a_cell_is_shown_with_its_question_settings_proposal_and_hash(desk: Desk) -> None:
    shown = as_text(cell(desk), desk)

    for part in (
        "How much do they want around the answer itself?",
        "terse: Wants the answer and to get on;",
        "proposed: terse, low confidence",
        "rationale: She cuts the explanation short.",
        f"evidence hash: {cell(desk).item.evidence_hash}",
        f"mempabench review decide {CELL} --seen {cell(desk).item.evidence_hash[:12]}",
        f"--evidence {SCENE}/mara/o1=STANCE",
    ):
        assert part in shown


def test_the_quoted_line_is_marked_among_three_lines_of_context(desk: Desk) -> None:
    lines = [line.strip() for line in as_text(cell(desk), desk).splitlines()]

    assert "> 5. Mara Vidal: «Short, Jon.» (looks up) The boat won't wait." in lines
    assert "2. Jon Åkesson: Line 2 of the talk." in lines
    assert "8. Jon Åkesson: Line 8 of the talk." in lines
    assert not any(line.startswith(("1. ", "9. ")) for line in lines)


def test_an_observation_that_the_proposal_doesnt_cite_is_shown_apart(desk: Desk) -> None:
    shown = as_text(cell(desk), desk)

    assert f"cited: {SCENE}/mara/o1" in shown
    assert f"also seen: {SCENE}/mara/o2" in shown


def test_lines_far_apart_are_shown_with_a_gap(desk: Desk, an_observation: Callable[..., Observation]) -> None:
    words = "Line 11 of"
    far = an_observation(quotes=(quote("l001", "Line 1"), quote("l011", words)))

    shown = as_text(cell(desk), replace(desk, observations={far.id: far}))

    assert "\n    …\n" in shown


def quote(line: str, text: str) -> Quote:
    return Quote(line=f"{SCENE}/{line}", start=0, end=len(text), text=text)


@pytest.mark.parametrize(
    ("line", "problem"),
    [("l005", "line 5 differs from the quote «Never»"), ("l099", f"line {SCENE}/l099 not found")],
)
def test_a_quote_that_doesnt_stand_there_is_told(
    desk: Desk, an_observation: Callable[..., Observation], line: str, problem: str
) -> None:
    wrong = an_observation(quotes=(quote(line, "Never"),))

    shown = as_text(cell(desk), replace(desk, observations={wrong.id: wrong}))

    assert f"(quote check: {problem})" in shown
    assert "«Short" not in shown


def test_blind_nothing_gives_the_proposal_away(desk: Desk) -> None:
    (entry,) = desk.chosen([CELL])
    settings = ("terse", "detailed")

    for shown in (
        as_text(entry, desk, blind=True),
        packet([entry], desk, "", blind=True),
        json.dumps(as_data(entry, desk, blind=True)),
    ):
        assert f"{SCENE}/mara/o1" in shown
        for hint in (
            "proposed",
            "rationale",
            "reading",
            "low confidence",
            "speaks for",
            "also seen",
            "cited:",
        ):
            assert hint not in shown
        assert {shown.count(name) for name in settings} == {1}


def test_the_data_of_a_cell_are_one_line_of_plain_ascii(desk: Desk) -> None:
    line = json_line(as_data(cell(desk), desk))

    value = json.loads(line)
    assert line.isascii()
    assert "\n" not in line
    assert (value["cell"], value["why"]) == (CELL, "low_confidence")
    assert [seen["shown_as"] for seen in value["evidence"]] == ["cited", "also seen"]
    assert [entry["number"] for entry in value["evidence"][0]["lines"]] == [2, 3, 4, 5, 6, 7, 8]


def test_a_stale_decision_is_shown_with_the_cell(
    desk: Desk, a_row: Callable[..., BatchRow], entered: Callable[..., tuple[Decision, ...]]
) -> None:
    item = desk.item(CELL)
    log = entered([a_row(item, "detailed")], [item])
    changed = tuple(
        other.changed(evidence_hash="f" * 64) if other.cell == CELL else other for other in desk.items
    )

    later = replace(desk, items=changed, decisions=log)
    shown = as_text(cell(later), later)

    assert "in the queue because: stale" in shown
    assert "decided on other evidence: change detailed (She takes the short answer and leaves.)" in shown


def test_hostile_words_reach_the_terminal_as_words(desk: Desk, a_scene: Callable[..., Scene]) -> None:
    hostile = a_scene(l005="Short, Jon. \x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\x00 end")

    shown = as_text(cell(desk), replace(desk, scenes={hostile.id: hostile}))

    assert "«Short, Jon.» evil end" in shown
    assert not set(shown) & set("\x1b\x07\x9b\r\x00\u202e")


def test_hostile_words_stay_words_in_a_packet(
    desk: Desk, a_scene: Callable[..., Scene], an_observation: Callable[..., Observation]
) -> None:
    scene = a_scene(l005="Short, Jon. ```` <script>alert(1)</script>")
    seen = an_observation(reading="![x](http://elsewhere) <img src=x>")

    shown = packet(
        [cell(desk)], replace(desk, scenes={scene.id: scene}, observations={seen.id: seen}), "# Guide"
    )

    assert "`````text" in shown
    assert r"!\[x\](http://elsewhere) \<img src=x\>" in shown


def test_a_packet_holds_guideline_cells_and_a_row_for_each_answer(desk: Desk) -> None:
    shown = packet(desk.open, desk, "# How to settle a cell")

    assert shown.startswith("# How to settle a cell\n")
    rows = [json.loads(line) for line in shown.splitlines() if line.startswith('{"cell"')]
    assert [row["cell"] for row in rows] == [entry.item.cell for entry in desk.open]
    assert rows[0]["evidence"] == [{"observation": f"{SCENE}/mara/o1", "stance": ""}]
    assert rows[1]["context_verdict"] == "no_scenes"


def test_a_packet_says_what_is_known_of_its_users_for_cells_without_evidence(desk: Desk) -> None:
    user = desk.open[0].item.user
    cast = desk.users[user]
    identity = Identity(
        source=cast.source,
        character=cast.character,
        roles=("keeper of the *sluice*",),
        items=(IdentityItem(kind="activity", statement="Rows out at dawn.", observations=()),),
        facets=(
            Facet(name="warmth", level="high", note="Feeds everybody."),
            Facet(name="x", level=None, note="-"),
        ),
        language_style=("terse",),
        act_repertoire=(),
        interaction_dynamics=(),
    )

    shown = packet(desk.open, replace(desk, identities=(identity,)), "# Guide")

    known = shown.split(f"# What is known of {user}")[1].split("# The cells")[0].strip()
    assert known.splitlines() == [
        r"- keeper of the \*sluice\*",
        "- Rows out at dawn.",
        "- warmth: high. Feeds everybody.",
    ]
    assert "What is known" not in packet(desk.open, desk, "# Guide")


def test_a_queue_older_than_its_evidence_says_so(desk: Desk) -> None:
    with pytest.raises(InputError, match="which is no evidence; run mempabench build"):
        as_text(cell(desk), replace(desk, observations={}))


def test_a_missing_scene_is_told_where_it_would_stand(desk: Desk) -> None:
    shown = as_text(cell(desk), replace(desk, scenes={}))

    assert f"(scene {SCENE} is not there; run mempabench build)" in shown


@pytest.mark.parametrize("cells", [["user_a/work/volume"], [CELL, "nobody"]])
def test_an_unknown_cell_is_refused(desk: Desk, cells: list[str]) -> None:
    with pytest.raises(
        InputError, match=r"there is no cell '.*' in the queue; it has 4 \(first: user_a/work/"
    ):
        desk.chosen(cells)


def test_marks_and_directions_keep_their_places(a_scene: Callable[..., Scene]) -> None:
    line = a_scene().lines[4]

    assert (
        plain_text(marked(line, [quote("l005", "Short,")])) == "«Short,» Jon. (looks up) The boat won't wait."
    )


@given(st.text())
def test_no_control_character_survives_in_plain_text(text: str) -> None:
    shown = plain_text(text)

    assert not any(unicodedata.category(char).startswith("C") for char in shown)
    assert plain_text(shown) == shown


@given(st.text(alphabet="`*_[]<>#|~\\ab", max_size=20))
def test_every_mark_of_markdown_is_escaped(text: str) -> None:
    bare = escaped(text)

    for mark in "`*[]<>#|~\\":
        assert bare.count("\\" + mark) >= plain_text(text).count(mark)
