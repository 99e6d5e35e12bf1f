"""The same build on a real cluster gives the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from tests.conftest import Tiny


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A scheduler with two workers, each a process of its own."""
    from distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        yield cluster.scheduler_address


def test_a_build_on_a_cluster_gives_the_same_bytes(tiny: Tiny, built_once: Tiny, scheduler: str) -> None:
    tiny.go_through()
    shutil.rmtree(tiny.root / "artifacts")

    built = tiny.run("build", "--scheduler", scheduler)

    assert built.code == 0, built.err
    assert tiny.artifacts() == built_once.artifacts()


def test_a_scheduler_that_is_not_there_is_told(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def unreachable(*_: object, **__: object) -> None:
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", unreachable)

    refused = tiny.run("build", "--scheduler", "tcp://127.0.0.1:1")

    assert refused.code == 1
    assert refused.told[-1].startswith(
        "error: --scheduler tcp://127.0.0.1:1: can't be reached; start one with"
    )
