"""The specimen, built, against what was checked by eye: see ``data/tiny/README.md`` for what it means to show.

``python -m tests.test_golden`` writes the golden files anew; read what changed before you keep it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mempabench.domain.record import canonical_json

if TYPE_CHECKING:
    from tests.conftest import Tiny

GOLDEN = Path(__file__).parent / "data" / "golden"
CHECKED = ("cells", "evidence", "personas", "proposed_cells")
OF_THE_PROMPT = ("prompt_version", "input_hash")
"""Columns that follow the repository's own prompts, which may change without the specimen."""


def release_hashes(tiny: Tiny) -> dict[str, str]:
    """Return the SHA-256 of every released table's rows, leaving out what follows the prompts."""
    import pyarrow.parquet as pq

    found = {}
    for path in sorted((tiny.root / "artifacts/release/mempabench/data").glob("*.parquet")):
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        kept = [{name: row[name] for name in row if name not in OF_THE_PROMPT} for row in rows]
        lines = "".join(canonical_json(row) + "\n" for row in kept)
        found[path.stem] = hashlib.sha256(lines.encode("utf-8")).hexdigest()
    return found


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_built_specimen_is_the_golden_one_byte_for_byte(built_once: Tiny, path: Path) -> None:
    built = built_once.artifacts()[path.name].decode("utf-8")

    assert built.splitlines() == path.read_text("utf-8").splitlines()
    assert built.encode("utf-8") == path.read_bytes()


def test_the_golden_files_are_there() -> None:
    assert {path.stem for path in GOLDEN.glob("*.jsonl")} == set(CHECKED)


def test_the_released_tables_hold_the_golden_rows(built_once: Tiny) -> None:
    golden = json.loads((GOLDEN / "release.json").read_text("utf-8"))

    assert release_hashes(built_once) == golden


def test_the_specimen_shows_every_outcome_and_every_confidence(built_once: Tiny) -> None:
    cells = built_once.rows("cells")

    assert Counter(cell["outcome"] for cell in cells) == {
        "confirmed": 2,
        "kept": 3,
        "changed": 1,
        "specified": 50,
    }
    assert Counter(cell["confidence"] for cell in cells) == {"high": 2, "medium": 3, "low": 2, "none": 49}
    assert Counter(cell["basis"] for cell in cells) == {"extracted": 5, "reviewer": 1, "designed": 50}


def test_the_users_are_the_two_with_the_most_evidence(built_once: Tiny) -> None:
    users = built_once.rows("users")

    assert [(user["user"], user["character"], user["coverage"]) for user in users] == [
        ("user_a", "bronagh", 3),
        ("user_b", "sal", 2),
    ]


def test_no_name_of_the_source_is_left_in_a_persona(built_once: Tiny) -> None:
    personas = (built_once.root / "artifacts/personas.jsonl").read_text("utf-8")

    names = ("Brónagh", "Tierney", "Piet", "Okafor", "Sal ", "Marchetti", "Dilys", "Cawder", "Gannet")
    assert [name for name in names if name in personas] == []
    assert "Gráinne Molloy keeps Morvey Steps and steers the Petrel" in personas


def write_golden() -> None:
    """Build the specimen and keep what it makes as golden."""
    from tests.conftest import a_copy_of_the_specimen

    with tempfile.TemporaryDirectory() as folder:
        tiny = a_copy_of_the_specimen(Path(folder) / "tiny")
        done = tiny.go_through()
        assert done.code == 0, done.err
        for name in CHECKED:
            (GOLDEN / f"{name}.jsonl").write_bytes(tiny.artifacts()[f"{name}.jsonl"])
        hashes = json.dumps(release_hashes(tiny), indent=2)
        (GOLDEN / "release.json").write_text(f"{hashes}\n", "utf-8")


if __name__ == "__main__":
    write_golden()
