from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mempabench.errors import ReleaseError
from mempabench.release.assemble import assemble
from mempabench.release.cut import cut
from mempabench.release.load import install
from mempabench.release.tables import TABLES

if TYPE_CHECKING:
    from tests.release.conftest import Away, Project

READ_FOLDER = """
import json
from datasets import load_dataset
names = {names!r}
found = {{}}
for name in names:
    whole = load_dataset({folder!r}, name, split="test")
    streamed = list(load_dataset({folder!r}, name, split="test", streaming=True))
    found[name] = {{
        "rows": list(whole), "streamed": streamed == list(whole),
        "splits": list(load_dataset({folder!r}, name)), "version": str(whole.info.version),
    }}
found["default"] = load_dataset({folder!r}).num_rows
print(json.dumps(found))
"""

INSTALL = """
from pathlib import Path
from mempabench.release.load import install
install(Path({folder!r}))
"""

USE = """
import json
from datasets import load_dataset, logging
logging.set_verbosity_error()
default = load_dataset("mempabench")["test"]
named = load_dataset("mempabench", "preferences", split="test")
evidence = load_dataset("mempabench", "evidence", split="test")
streamed = load_dataset("mempabench", "evidence", split="test", streaming=True)
assert list(default) == list(named) and list(streamed) == list(evidence)
settings = {row["id"]: row["setting"] for row in default}
print(json.dumps([settings["user_a/work/verbosity"], str(default.info.version), len(evidence)]))
"""

LOAD = """
from pathlib import Path
from mempabench.release import load as module
from mempabench.errors import ReleaseError
module.shipped_release = lambda: Path({folder!r})
for arguments in ({{}}, {{"table": "evidence", "version": "0.1.0"}}, {{"table": "cells"}}, {{"version": "9.0.0"}}):
    try:
        rows = module.load(**arguments)
        print(rows.num_rows, rows.split, rows.info.version, rows.features["id"].dtype, rows.info.config_name)
    except ReleaseError as error:
        print(error)
"""


def test_every_table_loads_from_the_folder_whole_and_streamed(project: Project, away: Away) -> None:
    manifest = assemble(project.workspace, project.built)
    names = [table.name for table in TABLES]

    found = json.loads(away.run(READ_FOLDER.format(names=names, folder=str(project.built))))

    assert found.pop("default") == {"test": 29}
    for entry in manifest.tables:
        table = found[entry.name]
        assert len(table["rows"]) == entry.rows
        assert table["streamed"]
        assert table["splits"] == ["test"]
        assert table["version"] == "0.1.0"


def test_an_installed_release_loads_by_name_from_anywhere_and_the_next_one_takes_its_place(
    project: Project, away: Away
) -> None:
    older, newer = project.root / "older/mempabench", project.root / "newer/any_name"
    assemble(project.workspace, older)
    said = away.run(INSTALL.format(folder=str(older)))
    assert json.loads(away.run(USE)) == ["terse", "0.1.0", 3]
    assert f"installed mempabench 0.1.0 from {older} into {away.root / 'home/datasets/mempabench'}" in said
    assert "set HF_HUB_OFFLINE=1" in said

    project.configure("0.2.0")
    assemble(project.workspace, newer)
    away.run(INSTALL.format(folder=str(newer)))
    assert json.loads(away.run(USE)) == ["terse", "0.2.0", 3]

    project.rewrite_cells(
        lambda cell: cell.changed(setting="detailed") if cell.key == "user_a/work/verbosity" else cell
    )
    assemble(project.workspace, newer)
    away.run(INSTALL.format(folder=str(newer)))
    assert json.loads(away.run(USE)) == ["detailed", "0.2.0", 3]


def test_load_gives_a_table_of_the_release_and_names_what_there_is(project: Project, away: Away) -> None:
    assemble(project.workspace, project.built)
    folder = cut(project.workspace, "0.1.0")
    project.configure("0.2.0")
    assemble(project.workspace, project.built)
    folder = cut(project.workspace, "0.2.0")

    said = away.run(LOAD.format(folder=str(folder))).splitlines()

    known = ", ".join(table.name for table in TABLES)
    assert said == [
        "29 test 0.2.0 string preferences",
        "3 test 0.1.0 string evidence",
        f"there is no table 'cells'; 0.2.0 has {known}",
        "there is no release 9.0.0 here; there is 0.1.0, 0.2.0",
    ]


def damaged(folder: Path) -> Path:
    (folder / "data/evidence.parquet").write_bytes(b"half of it")
    return folder


def test_a_damaged_or_other_folder_is_not_installed(project: Project) -> None:
    assemble(project.workspace, project.built)

    with pytest.raises(ReleaseError, match=r"data/evidence\.parquet is not what was published; restore"):
        install(damaged(project.built))
    with pytest.raises(ReleaseError, match=r"give the folder that holds release\.json"):
        install(project.root)
    (project.built / "release.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"release\.json: damaged"):
        install(project.built)
