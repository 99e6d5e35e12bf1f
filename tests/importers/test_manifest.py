"""Adding files of one's own: the entry that is written, and that nothing is changed when anything is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import Command

from mempabench.workspace import Workspace

TABLE = """\
season,episode,scene,speaker,line
1,1,1,Mara Field,We can't go.
1,1,1,Otto,Why not?
1,1,1,Mara Field,The rope is gone.
1,1,1,1st Sailor,Which rope?
1,1,2,Otto and Mara Field,That one!
1,1,2,Everyone,Oh.
"""
SAID = [
    "--source",
    "quay",
    "--title",
    "Quay",
    "--origin",
    "mine",
    "--license",
    "LicenseRef-mine",
    "--private",
]


@pytest.fixture
def project(tmp_path: Path, mempabench: Command) -> Path:
    mempabench("init", tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "season one.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_table_becomes_a_source_whose_requests_can_be_asked(
    project: Path, table: Path, mempabench: Command
) -> None:
    added = mempabench("-C", project, "transcripts", "add", table, *SAID)
    config = project / "mempabench.toml"
    config.write_text(config.read_text("utf-8").replace('"my_series"', '"quay"'), encoding="utf-8")
    export = ("-C", project, "requests", "export", "--out", project / "out", "--stage", "find_reactions")
    refused = mempabench(*export)
    exported = mempabench(*export, "--consent")

    assert added.code == 0
    assert "season_table, 6 lines, 4 speakers" in added.out
    (source,) = Workspace(project).sources
    assert (source.format, source.redistributable) == ("season_table", False)
    assert source.candidates == ("mara_field", "otto")
    assert {member.name: member.named for member in source.cast} == {
        "Mara Field": True,
        "Otto": True,
        "1st Sailor": False,
        "Everyone": False,
    }
    assert refused.code == 1
    assert "quay: 4 requests hold text that isn't marked redistributable" in refused.err
    assert exported.out.split() == [str(project / "out/find_reactions.writer.jsonl"), "4"]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["--candidate", "Nobody"], "candidate 'Nobody' speaks in none of the files; there are"),
        (["--format", "docx"], "no format 'docx'"),
        (["--source", "Quay!"], "source 1: id: string should match pattern"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_changed(
    project: Path, table: Path, mempabench: Command, said: list[str], message: str
) -> None:
    before = sorted(project.rglob("*"))

    done = mempabench("-C", project, "transcripts", "add", table, *SAID, *said)

    assert done.code == 1
    assert message in done.err
    assert [path for path in sorted(project.rglob("*")) if "artifacts" not in path.parts] == before


def test_a_source_is_added_once(project: Path, table: Path, mempabench: Command) -> None:
    mempabench("-C", project, "transcripts", "add", table, *SAID)

    again = mempabench("-C", project, "transcripts", "add", table, *SAID)

    assert again.code == 1
    assert "source 'quay' is given twice" in again.err


def test_what_is_said_of_columns_and_oddities_stands_in_the_manifest(
    project: Path, tmp_path: Path, mempabench: Command
) -> None:
    table = tmp_path / "odd.csv"
    table.write_text("wer,was\nMara,Go.\nOtto,No.\nMara,So.\nOtto,Oh.\n", encoding="utf-8")
    columns = ("--column", "speaker=wer", "--column", "text=was")

    refused = mempabench("transcripts", "inspect", table)
    inspected = mempabench("transcripts", "inspect", table, *columns)
    added = mempabench("-C", project, "transcripts", "add", table, *SAID, *columns)

    assert refused.code == 1
    assert "no column for the speaker; there are 'wer', 'was'; say which one with --column" in refused.told[0]
    assert "lines     4" in inspected.out
    assert added.code == 0
    assert "no scene column" in added.out
    (source,) = Workspace(project).sources
    assert source.reading.columns == {"speaker": "wer", "text": "was"}
    assert source.files[0].oddities == 1
    config = project / "mempabench.toml"
    config.write_text(config.read_text("utf-8").replace('"my_series"', '"quay"'), encoding="utf-8")
    export = ("requests", "export", "--out", project / "out", "--stage", "find_reactions", "--consent")
    assert mempabench("-C", project, *export).code == 0
    assert "Mara" in mempabench("-C", project, "transcripts", "show", "quay", "s01e01").out


def test_a_column_without_its_name_is_a_usage_error(tmp_path: Path, table: Path, mempabench: Command) -> None:
    refused = mempabench("transcripts", "inspect", table, "--column", "speaker")

    assert refused.code == 2
    assert "'speaker' is not OURS=THEIRS" in refused.told[-1]


def test_the_cast_suggests_who_may_be_one_person(project: Path, tmp_path: Path, mempabench: Command) -> None:
    names = ["Mara", "Mara Field", "Gwendolen", "Gwendolin", "Will", "William", "1st Sailor", "Sailor"]
    table = tmp_path / "names.csv"
    table.write_text(
        "speaker,line\n" + "".join(f"{name},Go.\n{name},No.\n" for name in names), encoding="utf-8"
    )

    assert mempabench("-C", project, "transcripts", "add", table, *SAID).code == 0

    text = (project / "transcripts_raw/sources.toml").read_text("utf-8")
    suggested = [
        line.split('name = "')[1].split('"')[0] for line in text.splitlines() if "the same as" in line
    ]
    assert suggested == ["Mara", "Gwendolen"]
    (source,) = Workspace(project).sources
    assert len(source.cast) == len(names)


def test_a_corpus_in_a_folder_gets_its_names(project: Path, tmp_path: Path, mempabench: Command) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "utterances.jsonl").write_text(
        '{"id": "1", "conversation_id": "1", "text": "Go.", "speaker": "u0"}\n'
        '{"id": "2", "conversation_id": "1", "text": "No.", "speaker": "u1"}\n',
        encoding="utf-8",
    )
    (corpus / "speakers.json").write_text('{"u0": {"meta": {"character_name": "Mara Field"}}, "u1": {}}')

    inspected = mempabench("transcripts", "inspect", corpus)
    added = mempabench("-C", project, "transcripts", "add", corpus, *SAID, "--candidate", "Mara Field")
    empty = mempabench("transcripts", "inspect", tmp_path)

    assert "format    convokit" in inspected.out
    assert added.code == 0
    (source,) = Workspace(project).sources
    assert [(member.person, member.name, member.aliases) for member in source.cast] == [
        ("mara_field", "Mara Field", ("u0",)),
        ("u1", "u1", ()),
    ]
    assert source.candidates == ("mara_field",)
    assert empty.code == 1
    assert "a folder is read where it holds ConvoKit's utterances.jsonl" in empty.told[0]


def test_case_makes_nobody_another_person(project: Path, tmp_path: Path, mempabench: Command) -> None:
    for name, label in (("s01e01.txt", "Ines"), ("s01e02.txt", "INES")):
        (tmp_path / name).write_text(f"Scene: A.\n{label}: Go.\n{label}: So.\nMac: No.\n", encoding="utf-8")
    (tmp_path / "s01e02.txt").write_text("Scene: A.\nINES: Go.\nMac: No.\n", encoding="utf-8")

    added = mempabench("-C", project, "transcripts", "add", *sorted(tmp_path.glob("s*.txt")), *SAID)

    assert added.code == 0, added.err
    (source,) = Workspace(project).sources
    assert [(member.person, member.name) for member in source.cast] == [("ines", "Ines"), ("mac", "Mac")]
    assert [file.episode for file in source.files] == ["s01e01", "s01e02"]
    assert "INES" not in mempabench("-C", project, "transcripts", "show", "quay", "s01e02").out


def test_people_of_a_play_are_those_of_its_list(project: Path, tmp_path: Path, mempabench: Command) -> None:
    play = tmp_path / "play.xml"
    play.write_text(
        "<TEI><teiHeader><listPerson><person xml:id='a_x'><persName>Ada Ley</persName></person>"
        "<person xml:id='b_x'><persName>Bo</persName></person></listPerson></teiHeader><text><body>"
        "<div type='scene'><sp who='#a_x'><speaker>THE KEEPER.</speaker><p>Go.</p></sp>"
        "<sp who='#b_x'><speaker>BO</speaker><p>No.</p></sp>"
        "<sp who='#a_x #b_x'><speaker>BOTH</speaker><p>Oh.</p></sp></div></body></text></TEI>",
        encoding="utf-8",
    )

    added = mempabench("-C", project, "transcripts", "add", play, *SAID)

    assert added.code == 0, added.err
    (source,) = Workspace(project).sources
    assert [(member.name, member.aliases) for member in source.cast] == [
        ("Ada Ley", ("THE KEEPER",)),
        ("Bo", ()),
    ]
    shown = mempabench("-C", project, "transcripts", "show", "quay", "s01e01").out
    assert "Ada Ley and Bo: Oh." in shown
