"""TEI drama and Final Draft: speeches, directions, scenes, and untrusted XML."""

from __future__ import annotations

import pytest

from mempabench.errors import InputError
from mempabench.importers.markup import read_fdx, read_tei

TEI = """\
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
<div type="act"><head>Act 1</head>
<div type="scene"><head>Scene 1</head>
<stage>Enter both.</stage>
<sp who="#ines"><speaker>Ines.</speaker><l>Is it</l><l>up<stage>She looks.</stage>, then?</l></sp>
<sp who="#ines #mac"><speaker>Both</speaker><p>It<lb/>is.</p></sp>
<sp><p>Who is this?</p></sp>
</div>
<div type="scene"><head>Scene 2</head><sp who="#mac"><speaker>Mac</speaker><p>Go.<note>A note.</note></p></sp></div>
</div></body></text></TEI>
"""


def test_tei_speeches_keep_words_people_and_directions_in_their_places() -> None:
    found = read_tei(TEI.encode(), "x.xml")

    assert [(line.label, line.text) for line in found.spoken()] == [
        ("Ines", "Is it up, then?"),
        ("ines and mac", "It is."),
        ("", "Who is this?"),
        ("Mac", "Go."),
    ]
    first = found.spoken()[0]
    assert [(direction.at, direction.text) for direction in first.directions] == [(8, "She looks.")]
    assert [(scene.heading, len(scene.lines)) for scene in found.scenes] == [
        ("Act 1, Scene 1", 4),
        ("Act 1, Scene 2", 1),
    ]
    assert found.headings == 2
    assert "neither who nor speaker" in found.oddities[0].what


FDX = """\
<FinalDraft><Content>
<Paragraph Type="Scene Heading"><Text>INT. QUAY - DAY</Text></Paragraph>
<Paragraph Type="Action"><Text>Rain.</Text></Paragraph>
<Paragraph Type="Character"><Text>MARA (V.O.)(CONT'D)</Text></Paragraph>
<Paragraph Type="Dialogue"><Text>Go </Text><Text Style="Bold">on.</Text></Paragraph>
<Paragraph Type="Parenthetical"><Text>(waves)</Text></Paragraph>
<Paragraph Type="Dialogue"><Text>Now.</Text></Paragraph>
<Paragraph><DualDialogue><Paragraph Type="Character"><Text>OTTO</Text></Paragraph>
<Paragraph Type="Dialogue"><Text>No.</Text></Paragraph></DualDialogue></Paragraph>
</Content><TitlePage><Content><Paragraph Type="Character"><Text>NOBODY</Text></Paragraph></Content></TitlePage>
</FinalDraft>
"""


def test_final_draft_is_read_from_its_content_alone() -> None:
    found = read_fdx(FDX.encode(), "x.fdx")

    assert [(line.label, line.text) for line in found.spoken()] == [("MARA", "Go on. Now."), ("OTTO", "No.")]
    assert [(direction.at, direction.text) for direction in found.spoken()[0].directions] == [
        (0, "V.O."),
        (0, "CONT'D"),
        (6, "waves"),
    ]
    assert found.headings == 1


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><TEI>&b;</TEI>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><TEI>&a;</TEI>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "declares entities, which are never expanded"),
        (OUTSIDE, "declares entities, which are never expanded"),
        ("<TEI><body>", r"x\.xml:1: not well-formed XML"),
        ("<TEI><body/></TEI>", "no <sp> in a <body>"),
        ("", "not well-formed XML"),
    ],
)
def test_hostile_or_broken_xml_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_tei(text.encode(), "x.xml")


def test_what_is_no_final_draft_is_refused() -> None:
    with pytest.raises(InputError, match="no FinalDraft/Content in it"):
        read_fdx(TEI.encode(), "x.fdx")
