"""Figures are computed from the data, and pages that show others are found."""

from __future__ import annotations

import pytest
from tests.conftest import Tiny

from mempabench.errors import InputError
from mempabench.reporting import FIGURES, Figures, filled, second_reader_pairs

PAGE = "# Page\n\n<!-- figure: outcomes -->\n<!-- end -->\n\nThe end.\n"


def test_outcomes_are_those_of_the_cells(built_tiny: Tiny) -> None:
    text = filled(PAGE, Figures(built_tiny.workspace), "README.md")

    cells = built_tiny.rows("cells")
    for user in ("user_a", "user_b"):
        own = [cell for cell in cells if cell["user"] == user]
        counts = [
            sum(cell["outcome"] == name for cell in own)
            for name in ("confirmed", "kept", "changed", "specified")
        ]
        assert f"| {user} | 28 | {' | '.join(map(str, counts))} |" in text
    assert text.startswith("# Page\n")
    assert text.endswith("<!-- end -->\n\nThe end.\n")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_a_table_or_a_list_of_the_specimen(built_tiny: Tiny, name: str) -> None:
    assert FIGURES[name](Figures(built_tiny.workspace)).startswith(("| ", "- "))


def test_the_second_reader_is_compared_where_both_were_asked(built_tiny: Tiny) -> None:
    figures = Figures(built_tiny.workspace)

    pairs = second_reader_pairs(figures.proposals)

    asked = [proposal for proposal in figures.proposals if proposal.second is not None]
    same = sum(
        proposal.second is not None and proposal.second.setting == proposal.setting for proposal in asked
    )
    assert 0 < same < len(asked) == len(pairs) == figures.second_reader.headline.n
    assert figures.second_reader.headline.observed == pytest.approx(same / len(asked))


def test_an_unknown_figure_is_named_with_the_known_ones(built_tiny: Tiny) -> None:
    with pytest.raises(InputError, match=r"README\.md: no figure 'mood'; there are sources, evidence"):
        filled(PAGE.replace("outcomes", "mood"), Figures(built_tiny.workspace), "README.md")


def test_a_page_with_other_figures_fails_the_check_and_stops_a_cut_until_it_is_written(
    built_tiny: Tiny,
) -> None:
    (built_tiny.root / "README.md").write_text(PAGE, encoding="utf-8")

    checked = built_tiny.run("report", "--check")
    refused = built_tiny.run("release", "cut", "0.0.1")
    built_tiny.run("report", "--write")
    again = built_tiny.run("report", "--check")
    cut = built_tiny.run("release", "cut", "0.0.1")

    assert checked.code == 1
    assert checked.told == [
        "error: README.md: shows other figures than the data; run mempabench report --write"
    ]
    assert refused.code == 1
    assert "README.md: shows other figures than the data" in refused.err
    assert again.code == 0
    assert cut.code == 0, cut.err
