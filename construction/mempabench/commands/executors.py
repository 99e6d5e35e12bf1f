"""Where the work of a build is done: here, in processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mempabench.errors import InputError
from mempabench.pipeline import InOrder

if TYPE_CHECKING:
    from concurrent.futures import Executor


@contextmanager
def executor(jobs: int, scheduler: str | None) -> Iterator[Executor]:
    """Open the executor that ``--jobs`` or ``--scheduler`` ask for; results come in order from each.

    Args:
        jobs: Processes on this machine; one means this process.
        scheduler: Address of a ``dask.distributed`` scheduler, such as ``tcp://10.0.0.1:8786``, or None.

    Raises:
        InputError: when the scheduler can't be reached, or the extra isn't installed.
    """
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
    else:
        from concurrent.futures import ProcessPoolExecutor

        with InOrder() if jobs == 1 else ProcessPoolExecutor(jobs) as here:
            yield here


@contextmanager
def _cluster(scheduler: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError("--scheduler needs dask.distributed; install mempabench[distributed]") from error
    try:
        client: Any = Client(scheduler, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler {scheduler}: can't be reached; start one with 'dask scheduler' and workers with "
            "'dask worker ADDRESS'"
        ) from error
    with client:
        yield client.get_executor()
