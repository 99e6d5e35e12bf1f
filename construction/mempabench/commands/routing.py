"""Which live model is asked what: by the command line, or by the routes of ``mempabench.toml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import click

from mempabench.commands.pending import calls, pending_requests, refuse_private
from mempabench.domain.manifests import Engine, Request
from mempabench.engines.asking import Pending
from mempabench.errors import InputError
from mempabench.workspace import RouteConfig, Workspace

if TYPE_CHECKING:
    from mempabench.engines.answering import Lane, Price

CONFIGURED = "configured"
ENGINES = ("recorded", CONFIGURED, "openai", "openai-compatible", "anthropic")

F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True)
class Choice:
    """What the command line says of live models."""

    engine: str = "recorded"
    model: str | None = None
    base_url: str | None = None
    stages: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    concurrency: int = 8
    max_tokens: int = 8192
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_cost: float | None = None
    dry_run: bool = False
    consent: bool = False
    switch: bool = False
    bounds: bool = False


def routing_options(engines: Sequence[str], default: str | None) -> Callable[[F], F]:
    """Return a decorator that adds the options of :class:`Choice`.

    Args:
        engines: Values of ``--engine``.
        default: The default; None to require one.
    """
    options = (
        click.option(
            "--engine",
            type=click.Choice(engines),
            default=default,
            required=default is None,
            show_default=True,
            help="Who answers what has no recording; 'configured' follows [[engine.route]] in mempabench.toml.",
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
            "--user", "users", multiple=True, help="Ask for this user only; may be given several times."
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(1, 256),
            default=8,
            show_default=True,
            help="Calls at a time; fewer while the service says that it is asked too much.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(1),
            default=8192,
            show_default=True,
            help="Most tokens of an answer.",
        ),
        click.option(
            "--bounds",
            is_flag=True,
            help="Send lengths of strings to a server of one's own (llama.cpp, vLLM); OpenAI refuses them.",
        ),
        click.option(
            "--requests-per-minute",
            type=click.FloatRange(min=0, min_open=True),
            help="Most HTTP requests a minute.",
        ),
        click.option(
            "--tokens-per-minute",
            type=click.FloatRange(min=0, min_open=True),
            help="Most tokens a minute, in and out.",
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
        click.option(
            "--switch",
            is_flag=True,
            help="Yes, go on with another model than the one that has answered a part of a stage.",
        ),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def waiting_for(project: Workspace, choice: Choice) -> Sequence[Pending]:
    """Return what waits and is to be asked now; private text never passes without consent.

    Raises:
        InputError: for private text without consent.
    """
    from mempabench.engines.batch_journal import in_open_batches

    chosen = _chosen_groups(project, choice)
    batched = in_open_batches(project.recordings)
    found = [
        one
        for one in pending_requests(project)
        if (not choice.stages or one.request.stage in choice.stages)
        and (chosen is None or one.request.group in chosen)
        and one.request.digest() not in batched
    ]
    if not (choice.consent or choice.dry_run):
        refuse_private(project, [one.request for one in found])
    return found


def _chosen_groups(project: Workspace, choice: Choice) -> set[str] | None:
    """Return the users and their sources that are to be asked for; None for all."""
    if not choice.users:
        return None
    plans = {plan.user: plan.source for plan in project.plans()}
    for user in choice.users:
        if user not in plans:
            raise InputError(f"--user {user}: no such user; mempabench.toml has {', '.join(sorted(plans))}")
    return {*choice.users, *(plans[user] for user in choice.users)}


@dataclass
class Routes:
    """Finds the lane of a request, and makes each lane once."""

    project: Workspace
    rules: tuple[RouteConfig, ...]
    _lanes: dict[str, Lane] = field(default_factory=dict)

    def __enter__(self) -> Self:
        """Close the connections at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        for lane in self._lanes.values():
            lane.service.client.close()

    @classmethod
    def of(cls, project: Workspace, choice: Choice) -> Routes:
        """Return the routes that command line and configuration ask for.

        Raises:
            InputError: for options that don't go together, or a stage that asks nobody.
        """
        _check_stages("--stage", choice.stages)
        if choice.engine == CONFIGURED:
            return cls(project, _configured(project, choice))
        if choice.model is None:
            raise InputError(f"--engine {choice.engine} needs --model")
        if choice.engine == "openai-compatible" and choice.base_url is None:
            raise InputError("--engine openai-compatible needs --base-url")
        rule = RouteConfig(
            engine=cast("Engine", choice.engine),
            model=choice.model,
            base_url=choice.base_url,
            max_tokens=choice.max_tokens,
            concurrency=choice.concurrency,
            requests_per_minute=choice.requests_per_minute,
            tokens_per_minute=choice.tokens_per_minute,
            bounds=choice.bounds and choice.engine == "openai-compatible",
        )
        return cls(project, (rule,))

    def rule(self, request: Request) -> RouteConfig:
        """Return the route that names a request most closely: by stage and seat, by stage, by seat, by neither.

        Raises:
            InputError: when none does.
        """
        fitting = [
            rule
            for rule in self.rules
            if rule.stage in (None, request.stage) and rule.seat in (None, request.seat)
        ]
        if not fitting:
            raise InputError(
                f"mempabench.toml: no [[engine.route]] for {request.stage} ({request.seat}); "
                "add one, or one without stage and seat for all the rest"
            )
        return max(fitting, key=lambda rule: (rule.stage is not None, rule.seat is not None))

    def __call__(self, request: Request) -> Lane:
        """Return the lane of a request."""
        return self.lane(self.rule(request))

    def lane(self, rule: RouteConfig) -> Lane:
        """Return the lane of a route."""
        from mempabench.engines.answering import Lane
        from mempabench.engines.pacing import Pace
        from mempabench.engines.services import service_at

        key = rule.changed(stage=None, seat=None).model_dump_json()
        if key not in self._lanes:
            pace = Pace(rule.concurrency, rule.requests_per_minute, rule.tokens_per_minute)
            self._lanes[key] = Lane(service_at(address_of(rule), pace), pace, self.price(rule))
        return self._lanes[key]

    def price(self, rule: RouteConfig) -> Price | None:
        """Return the price of a route's model."""
        from mempabench.engines.answering import Price

        found = self.project.config.engine.prices.get(rule.model)
        return Price(found.tokens_in, found.tokens_out, found.batch) if found else None

    def check_prices(self, waiting: Iterable[Pending], max_cost: float | None) -> None:
        """Refuse a limit of cost that can't be kept.

        Raises:
            InputError: naming the model without a price.
        """
        if max_cost is None:
            return
        for rule in [self.rule(one.request) for one in waiting] or self.rules:
            if self.price(rule) is None:
                raise InputError(
                    f"mempabench.toml: no price for '{rule.model}', so --max-cost can't be kept; "
                    f'add [engine.prices."{rule.model}"] with tokens_in and tokens_out'
                )

    def refuse_switch(self, waiting: Iterable[Pending]) -> None:
        """Refuse to answer the rest of a stage with another model than what it was begun with.

        Raises:
            InputError: naming stage and models.
        """
        begun: dict[tuple[str, str, str], Counter[tuple[str, str]]] = {}
        for call in calls(self.project):
            if call.outcome == "accepted":
                key = (call.stage, call.seat, call.prompt_version)
                begun.setdefault(key, Counter())[call.configuration, call.asked] += 1
        for one in waiting:
            address = address_of(self.rule(one.request))
            key = (one.request.stage, one.request.seat, one.request.prompt_version)
            for (configuration, asked), count in begun.get(key, Counter()).items():
                if configuration != address.digest():
                    raise InputError(
                        f"{one.request.stage} ({one.request.seat}): {count} answers come from {asked}, "
                        f"the rest would come from {address.shown()}; say --switch if that is meant"
                    )


def address_of(rule: RouteConfig) -> Any:
    """Return where a route leads."""
    from mempabench.engines.services import Address

    return Address(rule.engine, rule.model, rule.base_url, rule.max_tokens, rule.timeout_s, rule.bounds)


def _configured(project: Workspace, choice: Choice) -> tuple[RouteConfig, ...]:
    routes = project.config.engine.route
    if not routes:
        raise InputError("mempabench.toml: no [[engine.route]], so --engine configured asks nobody; add one")
    if choice.model or choice.base_url:
        raise InputError("--engine configured takes model and server from mempabench.toml; leave --model out")
    _check_stages("mempabench.toml: route for stage", [rule.stage for rule in routes if rule.stage])
    return routes


def _check_stages(where: str, names: Iterable[str]) -> None:
    from mempabench.stages import PIPELINE

    asking = [stage.name for stage in PIPELINE if stage.prompts]
    for name in names:
        if name not in asking:
            raise InputError(
                f"{where} {name}: no stage of that name asks anybody; those are {', '.join(asking)}"
            )
