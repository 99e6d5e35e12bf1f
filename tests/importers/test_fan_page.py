"""Fan transcripts as web pages: what a reader sees, and nothing of the page around it."""

from __future__ import annotations

import pytest

from mempabench.errors import InputError
from mempabench.importers.fan_page import read_fan_page
from mempabench.importers.importer import Transcript
from mempabench.importers.inspecting import detect

PAGE = """\
<!DOCTYPE html>
<html><head><title>Saltmarsh</title><meta charset="utf-8"><style>p { color: red }</style></head>
<body>
<nav><p>Mara: Home</p></nav>
<h1>Season 1, Episode 2: The Gate</h1>
<p>Scene: The sluice,
   morning.</p>
<p><b>Mara</b> <i>(to the gate)</i>: Shut &amp; <em>locked</em>?</p>
<p>Otto:&nbsp;It&#146;s <i>nearly</i> shut.<br>Mara: Nearly.
<p>Scene: The bank.
<p>Otto: Now.
<script>Mara: x</script>
<p>Share this:</p>
<p>Mara: never read</p>
<footer>Otto: nor this</footer>
</body></html>
"""


def read(page: str | bytes) -> Transcript:
    return read_fan_page(page if isinstance(page, bytes) else page.encode(), "page.html")


def said(found: Transcript) -> list[tuple[str | None, str, int]]:
    return [(line.label, line.text, line.number) for line in found.spoken()]


def test_a_page_becomes_scenes_with_the_line_numbers_of_the_file() -> None:
    found = read(PAGE)

    assert [(scene.episode, scene.title, scene.heading) for scene in found.scenes] == [
        ("s01e02", "The Gate", "The sluice, morning."),
        ("s01e02", "The Gate", "The bank."),
    ]
    assert said(found) == [
        ("Mara", "Shut & locked?", 8),
        ("Otto", "It’s nearly shut.", 9),
        ("Mara", "Nearly.", 9),
        ("Otto", "Now.", 11),
    ]
    assert [direction.text for direction in found.spoken()[0].directions] == ["to the gate"]
    assert [oddity.line for oddity in found.oddities] == [13]


def test_a_page_without_paragraphs_has_its_lines() -> None:
    found = read(
        "<html><body>\nSeason 1, Episode 2\n\nScene: The bank.\n\nMara: One.\nOtto: Two.\n</body></html>"
    )

    assert said(found) == [("Mara", "One.", 6), ("Otto", "Two.", 7)]


def test_preformatted_text_has_its_lines() -> None:
    found = read("<div><pre>Scene: The bank.\nMara: One.\nOtto: Two.</pre></div>")

    assert said(found) == [("Mara", "One.", 2), ("Otto", "Two.", 3)]


def test_what_calls_itself_latin_1_is_read_as_windows_1252() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>Mara: It’s a café.</p>'

    found = read(page.encode("cp1252"))
    in_truth_utf8 = read(page)

    assert said(found) == said(in_truth_utf8) == [("Mara", "It’s a café.", 1)]
    assert found.oddities[0].what == "declares ISO-8859-1; read as Windows-1252"


def test_ends_without_beginnings_mean_nothing() -> None:
    found = read("</p></nav><p>Mara: One.</b></p></script><p>Otto: Two.<div>")

    assert said(found) == [("Mara", "One.", 1), ("Otto", "Two.", 1)]


@pytest.mark.parametrize("page", ["", "<p>", "<html><body><p>Nobody speaks.</p></body></html>"])
def test_a_page_in_which_nobody_speaks_is_refused(page: str) -> None:
    with pytest.raises(InputError, match=r"^page\.html: no 'Name: words' in it"):
        read(page)


@pytest.mark.parametrize(("name", "why"), [("x.htm", "by its name"), ("x.php", "it is a web page")])
def test_a_page_is_known_by_name_or_shape(name: str, why: str) -> None:
    chosen, reason = detect(PAGE.encode(), name)

    assert (chosen, reason[: len(why)]) == ("fan_page", why)
