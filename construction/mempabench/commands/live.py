"""``mempabench build --engine …``: asking a live model for what the recordings lack."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import click

from mempabench.commands.requests import pending_requests, refuse_private
from mempabench.engines.asking import Pending
from mempabench.errors import EngineError, InputError
from mempabench.workspace import Workspace

if TYPE_CHECKING:
    from mempabench.engines.answering import Price, Tally
    from mempabench.engines.services import Service

ENGINES = ("recorded", "openai", "openai-compatible", "anthropic")
LEDGER = "ledger.jsonl"
"""File below ``artifacts/`` in which every call stands."""

F = TypeVar("F", bound=Callable[..., None])
Talk = Callable[[str], object]


@dataclass(frozen=True)
class Live:
    """How a live model is asked."""

    engine: str = "recorded"
    model: str | None = None
    base_url: str | None = None
    stages: tuple[str, ...] = ()
    concurrency: int = 8
    max_tokens: int = 8192
    max_cost: float | None = None
    dry_run: bool = False
    consent: bool = False


def live_options(command: F) -> F:
    """Add the options that say how a live model is asked."""
    options = (
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="recorded",
            show_default=True,
            help="Who answers what has no recording.",
        ),
        click.option("--model", help="Model to ask."),
        click.option(
            "--base-url",
            metavar="URL",
            help="Server that speaks OpenAI's protocol, or another address of the service.",
        ),
        click.option(
            "--stage", "stages", multiple=True, help="Ask for this stage only; may be given several times."
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(1, 256),
            default=8,
            show_default=True,
            help="Calls at a time.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(1),
            default=8192,
            show_default=True,
            help="Most tokens of an answer.",
        ),
        click.option(
            "--max-cost",
            type=click.FloatRange(min=0, min_open=True),
            help="Stop before more than this is spent; needs a price in mempabench.toml.",
        ),
        click.option("--dry-run", is_flag=True, help="Say how much would be asked, and ask nothing."),
        click.option(
            "--consent",
            is_flag=True,
            help="Yes, text of sources that may not be published goes to the service.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def ask_live(project: Workspace, live: Live, talk: Talk) -> bool:
    """Ask for what waits, and tell what came of it; return whether the build may go on.

    Raises:
        InputError: for options that don't go together, or private text without consent.
        EngineError: when there is no point in asking on, or not everything could be asked.
    """
    from mempabench.engines.answering import Asking, Budget, answer_all, estimate, mend

    _check_stages(live)
    price = _price(project, live)
    for path in mend(project.recordings):
        talk(f"{project.shown(path)}: its last line was torn; it is asked again")
    waiting = _waiting(project, live)
    if live.dry_run:
        tokens, cost = estimate(waiting, price, live.max_tokens)
        shown = f", at most {cost:.2f} for one round" if price else "; no price is configured"
        talk(f"{len(waiting)} requests wait, about {tokens:,} tokens{shown}")
        return False
    if not waiting:
        return True
    asking = Asking(
        service=_service(live),
        recordings=project.recordings,
        ledger=project.artifacts / LEDGER,
        recorded_on=datetime.now(UTC).date(),
        concurrency=live.concurrency,
    )
    budget = Budget(price, live.max_cost)
    shower = _Shower(len(waiting))
    try:
        tally = answer_all(lambda: _waiting(project, live), asking, budget, shower)
    finally:
        shower.close()
    talk(_told(tally, budget.spent, price))
    _raise_what_failed(tally, live)
    return True


def _check_stages(live: Live) -> None:
    from mempabench.stages import PIPELINE

    asking = [stage.name for stage in PIPELINE if stage.prompts]
    for name in live.stages:
        if name not in asking:
            raise InputError(
                f"--stage {name}: no stage of that name asks anybody; those are {', '.join(asking)}"
            )


def _waiting(project: Workspace, live: Live) -> Sequence[Pending]:
    """Return what waits now; private text never passes without consent, whatever stage comes to ask for it."""
    found = [one for one in pending_requests(project) if not live.stages or one.request.stage in live.stages]
    if not (live.consent or live.dry_run):
        refuse_private(project, [one.request for one in found])
    return found


def _price(project: Workspace, live: Live) -> Price | None:
    from mempabench.engines.answering import Price

    if live.model is None:
        raise InputError(f"--engine {live.engine} needs --model")
    if live.engine == "openai-compatible" and live.base_url is None:
        raise InputError("--engine openai-compatible needs --base-url")
    found = project.config.engine.prices.get(live.model)
    if found is None and live.max_cost is not None:
        raise InputError(
            f"mempabench.toml: no price for '{live.model}', so --max-cost can't be kept; "
            f'add [engine.prices."{live.model}"] with tokens_in and tokens_out'
        )
    return Price(found.tokens_in, found.tokens_out) if found else None


def _service(live: Live) -> Service:
    from mempabench.engines.services import AnthropicService, OpenAIService

    assert live.model is not None
    if live.engine == "anthropic":
        return AnthropicService(live.model, live.max_tokens, live.base_url)
    key = None if live.engine == "openai" else _key_or_none()
    return OpenAIService(live.model, live.max_tokens, live.base_url, key)


def _key_or_none() -> str:
    """Return the key of a server of one's own, which may need none."""
    import os

    return os.environ.get("OPENAI_API_KEY") or "none"


def _told(tally: Tally, spent: float, price: Price | None) -> str:
    cost = f", cost {spent:.4f}" if price else ""
    return (
        f"{tally.answered} answers kept ({tally.accepted} accepted, {tally.refused} refused), "
        f"{tally.failed} calls without a reply, {tally.tokens:,} tokens{cost}"
    )


def _raise_what_failed(tally: Tally, live: Live) -> None:
    if tally.out_of_budget:
        raise EngineError(
            f"--max-cost {live.max_cost:g} is reached; what was answered is kept, run again to go on"
        )
    if tally.failed:
        raise EngineError(
            f"{tally.failed} calls got no reply (last: {tally.failures[-1]}); what was answered is kept, "
            "run again to go on"
        )


class _Shower:
    """Shows how the asking goes: a bar on a terminal, nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="request", leave=False)

    def __call__(self, tally: Tally, left: int) -> None:
        if self._bar is not None:
            done = tally.answered + tally.failed
            self._bar.total = max(self._bar.total or 0, done + left)
            self._bar.n = done
            self._bar.set_postfix_str(
                f"{tally.refused} refused, {tally.failed} failed, {tally.tokens:,} tokens"
            )
            self._bar.refresh()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
