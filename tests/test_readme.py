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
