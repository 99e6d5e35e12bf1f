"""What the desk's commands share: the project, the reviewer, the moment, and entering rows."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mempabench.domain.review import Decision, ReviewerKind
    from mempabench.workspace import Workspace
    from mempabench_review.desk import Desk
    from mempabench_review.log import BatchRow

FILE = click.Path(path_type=Path, dir_okay=False)
AS = click.option("--as", "who", required=True, metavar="NAME:human|model", help="Pseudonym and kind.")
AT = click.option("--at", metavar="TIME", help="When it was decided, such as 2026-01-31T09:30:00Z; now.")
SEEN = click.option("--seen", metavar="HASH", help="First digits of the evidence hash that was shown.")
BLIND = click.option("--blind", is_flag=True, help="Leave the proposal and its readings out.")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


def project_here() -> Workspace:
    """Return the project that the calling command was given, or the one around the current folder."""
    from mempabench.workspace import Workspace

    return click.get_current_context().find_object(Workspace) or Workspace.find(Path.cwd())


def open_desk() -> Desk:
    """Return what lies on the desk."""
    from mempabench_review.desk import Desk

    return Desk.load(project_here())


def tell(message: str) -> None:
    """Say a line to whoever watches."""
    click.echo(message, err=True)


def as_row(value: dict[str, Any]) -> BatchRow:
    """Return values of the command line as a row of a batch."""
    from mempabench_review.log import BatchRow

    return BatchRow("command line", value)


def verdict_of(given: str) -> dict[str, str]:
    """Return a verdict on one observation."""
    from mempabench.errors import InputError

    observation, equals, stance = given.rpartition("=")
    if not equals:
        raise InputError(f"--evidence '{given}': write it as OBSERVATION=STANCE, such as .../o1=supports")
    return {"observation": observation, "stance": stance}


def hash_seen(cell: str, seen: str | None) -> str:
    """Return the hash that a decision names: the item's, when it begins with what was seen."""
    from mempabench.errors import InputError
    from mempabench_review.desk import load_queue

    now = next((item.evidence_hash for item in load_queue(project_here()) if item.cell == cell), "0" * 64)
    if seen is not None and not re.fullmatch(r"[0-9a-f]{8,64}", seen):
        raise InputError(f"--seen '{seen}': give 8 or more digits of the evidence hash")
    if seen is None or now.startswith(seen):
        return now
    return seen.ljust(64, "0")


def reviewer_of(who: str) -> tuple[str, ReviewerKind]:
    """Return pseudonym and kind of a reviewer."""
    from mempabench.errors import InputError

    found = re.fullmatch(r"([a-z][a-z0-9_-]{1,39}):(human|model)", who)
    if found is None:
        raise InputError(
            f"--as '{who}': give a pseudonym and its kind, such as reader_one:human or reader_two:model"
        )
    return found[1], "human" if found[2] == "human" else "model"


def moment_of(at: str | None) -> datetime:
    """Return a given moment, or now."""
    from datetime import UTC

    from mempabench.errors import InputError

    if at is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise InputError(f"--at '{at}': no time; write it like 2026-01-31T09:30:00Z") from error
    if moment.tzinfo is None:
        raise InputError(f"--at '{at}': has no time zone; write it like 2026-01-31T09:30:00Z")
    return moment


def enter_rows(rows: tuple[BatchRow, ...], who: str, at: str | None, mode: str) -> None:
    """Enter rows and tell which decisions were made of them."""
    from mempabench.domain.review import Mode
    from mempabench_review.export import save_decisions

    reviewer, kind = reviewer_of(who)
    entered = save_decisions(
        project_here(),
        rows,
        reviewer=reviewer,
        reviewer_kind=kind,
        decided_at=moment_of(at),
        mode=Mode(mode),
    )
    for decision in entered:
        click.echo(_told(decision))
    repeated = len(rows) - len(entered)
    tell(f"entered {len(entered)} decisions" + (f"; {repeated} stood in the log already" if repeated else ""))


def _told(decision: Decision) -> str:
    return f"{decision.cell}\t{decision.action}\t{decision.setting or '-'}"
