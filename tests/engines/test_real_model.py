"""A real model at the other end, opt-in: MEMPABENCH_MODEL_URL names a server that speaks OpenAI's protocol.

``MEMPABENCH_MODEL_URL=http://127.0.0.1:8080/v1 python -m pytest -s tests/engines/test_real_model.py`` asks it pass one
of the specimen and prints how many answers stood and how many agree with the hand-worked ones. Whatever the model
says, every answer is kept, every call stands in the ledger, and nothing that the checks refuse becomes evidence.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from tests.conftest import Tiny
from tests.engines.conftest import ledger, recordings

URL = os.environ.get("MEMPABENCH_MODEL_URL", "")
MODEL = os.environ.get("MEMPABENCH_MODEL", "local")


def marks(tiny: Tiny) -> set[tuple[str, ...]]:
    """Return what pass one found: scene, character, context, attribute and setting of every observation."""
    names = ("scene", "character", "context", "attribute", "setting")
    path = tiny.root / "artifacts/evidence.jsonl"
    return {tuple(row[name] for name in names) for row in tiny.rows("evidence")} if path.exists() else set()


@pytest.mark.skipif(not URL, reason="MEMPABENCH_MODEL_URL names no server")
def test_a_real_model_is_asked_checked_and_accounted_for(tiny: Tiny, built_once: Tiny) -> None:
    options = (
        "--engine",
        "openai-compatible",
        "--model",
        MODEL,
        "--base-url",
        URL,
        "--bounds",
        "--max-tokens",
        "900",
    )

    tiny.run("build", *options, "--stage", "find_reactions", "--concurrency", "1")

    kept = recordings(tiny)
    accepted = [one for one in kept if not one["refused"]]
    found, wanted = marks(tiny), marks(built_once)
    print(
        f"\n{len(kept)} answers, {len(accepted)} accepted; {len(found & wanted)} of {len(wanted)} observations found, "
        f"{len(found - wanted)} others"
    )
    assert kept
    assert len(ledger(tiny)) == len(kept)
    outcomes = Counter(str(one["outcome"]) == "accepted" for one in ledger(tiny))
    assert outcomes[True] == len(accepted)
    if not accepted:
        assert found == set()
