"""Serving the desk on this machine: one writer to a project, everybody after that reads."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.store import Store, database
from mempabench_review.web.app import Office, application
from mempabench_review.web.sessions import Seat, Sessions

HOST = "127.0.0.1"


def serve(workspace: Workspace, seats: Sequence[Seat], port: int, tell: Callable[[str], object]) -> None:
    """Serve the desk until it is stopped.

    Args:
        workspace: The project.
        seats: Who gets a link.
        port: Port to listen on; 0 for a free one.
        tell: Says a line to whoever started it.

    Raises:
        InputError: when the port is taken, or there is no queue yet.
    """
    with _listening(port) as sock, _alone(workspace) as alone, Store.open(workspace) as store:
        port = sock.getsockname()[1]
        sessions = Sessions.at(port, database(workspace))
        office = Office(workspace, store, sessions, read_only=not alone)
        office.desk()
        if not alone:
            tell("another desk has this project open; this one only reads")
        for seat in seats:
            tell(f"{seat.reviewer}: http://{HOST}:{port}/enter/{sessions.invite(seat)}")
        tell("Each link lets one browser in. Stop the desk with Ctrl+C; nothing is lost.")
        hosts = frozenset({f"{HOST}:{port}", f"localhost:{port}"})
        config = uvicorn.Config(
            application(office, hosts), log_level="warning", server_header=False, lifespan="off", ws="none"
        )
        uvicorn.Server(config).run(sockets=[sock])


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((HOST, port))
        sock.listen(128)  # a link may be opened the moment it is printed
    except OSError as error:
        sock.close()
        raise InputError(
            f"port {port}: can't be used ({error.strerror}); give another one, or 0 for a free one"
        ) from error
    with sock:
        yield sock


@contextmanager
def _alone(workspace: Workspace) -> Iterator[bool]:
    """Hold the place of the writing desk, if it is free; yield whether it was."""
    path = database(workspace).with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)
