"""Formats that hold several episodes in a file, or none by name, become scenes with ids of their own."""

from __future__ import annotations

import hashlib

import pytest

from mempabench.domain.transcripts import CastMember, RawFile, Scene, Source, SourceFile
from mempabench.engines.asking import Asker
from mempabench.engines.recorded import RecordedEngine
from mempabench.errors import InputError
from mempabench.stages.ingest_transcripts import read_file
from mempabench.stages.stage import Unit


def ingested(format_name: str, text: str, episode: str | None = None) -> list[Scene]:
    content = text.encode()
    listed = SourceFile(path="quay/all", sha256=hashlib.sha256(content).hexdigest(), episode=episode)
    source = Source(
        id="quay",
        title="Quay",
        origin="written for a test",
        license="CC-BY-4.0",
        redistributable=True,
        format=format_name,
        files=(listed,),
        cast=(
            CastMember(person="mara", name="Mara"),
            CastMember(person="otto", name="Otto", aliases=("OTTO",)),
        ),
        candidates=("mara",),
    )
    file = RawFile(source=source, path="quay/all", content=content.decode("latin-1"))
    asker = Asker("ingest_transcripts", "quay", "quay/all", RecordedEngine(), {}, 1)
    return list(read_file(Unit("quay/all", "quay", (file,)), asker))


def test_scenes_of_a_table_with_several_episodes_are_numbered_within_each() -> None:
    table = "season,episode,scene,speaker,line\n1,1,1,Mara,a\n1,1,2,Otto,b\n1,2,1,Mara,c\n"

    scenes = ingested("season_table", table)

    assert [scene.id for scene in scenes] == ["quay/s01e01/sc01", "quay/s01e01/sc02", "quay/s01e02/sc01"]
    assert [line.speakers for scene in scenes for line in scene.lines] == [("mara",), ("otto",), ("mara",)]


def test_a_file_that_names_no_episode_takes_the_one_of_the_manifest() -> None:
    play = "INT. QUAY - DAY\n\nOTTO & MARA\nGo!\n"

    (scene,) = ingested("fountain", play, episode="s02e03")

    assert scene.id == "quay/s02e03/sc01"
    assert scene.lines[0].speakers == ("otto", "mara")


def test_a_file_without_an_episode_anywhere_is_refused_with_the_way_on() -> None:
    with pytest.raises(
        InputError, match=r"doesn't say which episode it is; give its file an episode in sources"
    ):
        ingested("fountain", "INT. QUAY - DAY\n\nOTTO\nGo!\n")
