"""The README's walk, run as it stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
SEASON = """\
season,episode,scene,character,line
1,1,1,Mara Field,"We can't go, the rope is gone. (sits)"
1,1,1,Otto Lind,Shall I look?
1,1,1,Mara Field,No. Ask me first.
1,1,2,Otto Lind,I found it.
1,1,2,Mara Field,You looked!
"""


def walk() -> list[str]:
    """Return the commands from an empty folder to the first requests."""
    block = re.search(r"in four commands:\n\n((?:    .*\n)+)", README.read_text("utf-8"))
    assert block, "README.md has no walk"
    return [line.strip() for line in block[1].splitlines()]


def test_the_walk_leads_from_a_season_to_its_first_requests(tmp_path: Path) -> None:
    (tmp_path / "season.csv").write_text(SEASON, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    for line in walk():
        done = subprocess.run(
            ["bash", "-ec", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"

    (batch,) = (tmp_path / "requests").glob("find_reactions.*")
    requests = [json.loads(line) for line in batch.read_text("utf-8").splitlines()]
    assert len(requests) == 4
    assert all("custom_id" in request for request in requests)
    assert "the rope is gone" in json.dumps(requests[0])


RECORDINGS = README.parent / "recordings/README.md"


def test_the_configuration_on_the_page_about_models_is_taken() -> None:
    import tomllib

    from mempabench.workspace import EngineConfig

    blocks = re.findall(r"```toml\n(.*?)```", RECORDINGS.read_text("utf-8"), re.DOTALL)
    config = tomllib.loads("".join(blocks))

    engine = EngineConfig.model_validate(config["engine"])

    assert engine.prices["NAME"].batch == 0.5
    assert [(route.stage, route.seat, route.engine) for route in engine.route] == [
        (None, None, "openai"),
        ("propose_cells", "reader_b", "anthropic"),
    ]


def test_the_commands_on_the_page_about_models_exist() -> None:
    from tests.conftest import command

    text = RECORDINGS.read_text("utf-8")
    named = {match[1] for match in re.finditer(r"requests (\w+)", text)} & {
        "export",
        "import",
        "submit",
        "poll",
        "collect",
        "explain",
        "again",
        "ledger",
    }
    listed = command("requests", "--help").out

    assert len(named) == 8
    assert all(re.search(rf"^  {name} ", listed, re.MULTILINE) for name in named)
    options = {match[0] for match in re.finditer(r"--[a-z][a-z-]+", text)}
    helped = "".join(
        command(*words, "--help").out
        for words in (("build",), ("requests", "submit"), ("requests", "export"))
    )
    assert sorted(option for option in options if option not in helped) == []
