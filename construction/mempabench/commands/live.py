"""Asking a live model for what waits, with a bar, a tally and a limit of cost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mempabench.commands.pending import LEDGER
from mempabench.commands.routing import Choice, Routes, waiting_for
from mempabench.engines.asking import Pending
from mempabench.errors import EngineError
from mempabench.workspace import Workspace

if TYPE_CHECKING:
    from mempabench.engines.answering import Budget, Tally

Talk = Callable[[str], object]


def ask_live(project: Workspace, choice: Choice, talk: Talk) -> bool:
    """Ask for what waits, and tell what came of it; return whether the build may go on.

    Raises:
        InputError: for options that don't go together, private text without consent, or another model than before.
        EngineError: when there is no point in asking on, or not everything could be asked.
    """
    with Routes.of(project, choice) as routes:
        return _ask(project, choice, routes, talk)


def _ask(project: Workspace, choice: Choice, routes: Routes, talk: Talk) -> bool:
    """Ask along the routes; return whether the build may go on."""
    from mempabench.engines.answering import Asking, Budget, answer_all, mend

    for path in mend(project.recordings, project.artifacts / LEDGER):
        talk(f"{project.shown(path)}: its last line was torn; it is asked again")
    waiting = waiting_for(project, choice)
    routes.check_prices(waiting, choice.max_cost)
    if choice.dry_run:
        talk(estimated(waiting, routes))
        return False
    if not waiting:
        return True
    if not choice.switch:
        routes.refuse_switch(waiting)
    asking = Asking(
        route=routes,
        recordings=project.recordings,
        ledger=project.artifacts / LEDGER,
        recorded_on=datetime.now(UTC).date(),
    )
    budget = Budget(choice.max_cost)
    shower = _Shower(len(waiting), budget)
    try:
        tally = answer_all(lambda: waiting_for(project, choice), asking, budget, shower)
    finally:
        shower.close()
    talk(_told(tally, budget.spent))
    _raise_what_failed(tally, choice)
    return True


def estimated(waiting: Sequence[Pending], routes: Routes, *, batched: bool = False) -> str:
    """Return the line that says what asking would take: requests, tokens, and the most that it may cost."""
    from mempabench.engines.answering import tokens_of

    tokens = sum(tokens_of(one.request) for one in waiting)
    cost = 0.0
    for one in waiting:
        rule = routes.rule(one.request)
        price = routes.price(rule)
        if price is None:
            return (
                f"{len(waiting)} requests wait, about {tokens:,} tokens; "
                f"no price for '{rule.model}' is configured"
            )
        cost += price.of(tokens_of(one.request), rule.max_tokens, batched=batched)
    return f"{len(waiting)} requests wait, about {tokens:,} tokens, at most {cost:.2f} for one round"


def _told(tally: Tally, spent: float) -> str:
    cost = f", cost {spent:.4f}" if spent else ""
    return (
        f"{tally.answered} answers kept ({tally.accepted} accepted, {tally.refused} refused), "
        f"{tally.failed} calls without a reply, {tally.tokens:,} tokens{cost}"
    )


def _raise_what_failed(tally: Tally, choice: Choice) -> None:
    if tally.out_of_budget:
        raise EngineError(
            f"--max-cost {choice.max_cost:g} is reached; what was answered is kept, run again to go on"
        )
    if tally.failed:
        raise EngineError(
            f"{tally.failed} calls got no reply (last: {tally.failures[-1]}); what was answered is kept, "
            "run again to go on"
        )


class _Shower:
    """Shows how the asking goes: a bar on a terminal, nothing elsewhere."""

    def __init__(self, total: int, budget: Budget) -> None:
        self._bar = None
        self._budget = budget
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="request", leave=False)

    def __call__(self, tally: Tally, left: int) -> None:
        if self._bar is not None:
            done = tally.answered + tally.failed
            self._bar.total = max(self._bar.total or 0, done + left)
            cost = f", cost {self._budget.spent:.2f}" if self._budget.spent else ""
            self._bar.set_postfix_str(
                f"{tally.refused} refused, {tally.failed} failed, {tally.tokens:,} tokens{cost}",
                refresh=False,
            )
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
