"""The page of formats: every format has its section, and every example reads as it says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from mempabench.importers import IMPORTERS
from mempabench.importers.inspecting import inspect

PAGE = (Path(__file__).parents[2] / "transcripts_raw/FORMATS.md").read_text("utf-8")
SECTION = re.compile(
    r"^### `(?P<format>\w+)`, such as `(?P<file>[\w.]+)`\n\n(?P<example>(?:(?:    .*)?\n)+)", re.MULTILINE
)
EXAMPLES = {
    found["format"]: (found["file"], textwrap.dedent(found["example"])) for found in SECTION.finditer(PAGE)
}


def test_every_format_has_its_section() -> None:
    assert sorted(EXAMPLES) == sorted(IMPORTERS)


@pytest.mark.parametrize("name", IMPORTERS)
def test_an_example_reads_as_the_page_says(name: str) -> None:
    file, example = EXAMPLES[name]

    found = inspect(example.encode(), file)

    assert found.format == name
    assert found.lines > 0
    assert found.speakers
    unread = [oddity.what for oddity in found.oddities if oddity.line is not None]
    assert unread == []
