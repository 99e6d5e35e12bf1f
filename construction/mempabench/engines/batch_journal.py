"""The journal of batches: what was meant to be sent, what is out, what came back.

It lies in ``recordings/batches.jsonl``, beside the answers and not among what a build can make anew: a batch
that is forgotten is paid for and lost. The intent is written before a batch is submitted and the provider's id
after; what a crash leaves between the two is looked up at the provider.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mempabench.artifacts import append_line, read_records
from mempabench.domain.manifests import Batch
from mempabench.domain.record import canonical_json

JOURNAL = "batches.jsonl"
OUT = ("meant", "open")
"""States of a batch whose answers may still come."""


def journal_path(recordings: Path) -> Path:
    """Return the file that holds the journal."""
    return recordings / JOURNAL


def batches(recordings: Path) -> dict[str, Batch]:
    """Return every batch by its intent, as its last line has it."""
    read = read_records(journal_path(recordings), Batch, f"recordings/{JOURNAL}")
    return {batch.intent: batch for batch in read}


def keep_batch(recordings: Path, batch: Batch) -> Batch:
    """Append a batch as it stands now, and return it."""
    append_line(journal_path(recordings), canonical_json(batch))
    return batch


def out(recordings: Path) -> Iterator[Batch]:
    """Yield the batches whose answers may still come."""
    yield from (batch for batch in batches(recordings).values() if batch.state in OUT)


def in_open_batches(recordings: Path) -> frozenset[str]:
    """Return the digests of requests that are out in a batch, and so not to be asked another way."""
    return frozenset(digest for batch in out(recordings) for digest in batch.digests)
