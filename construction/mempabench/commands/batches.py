"""``mempabench requests submit | poll | collect``: batches at a provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mempabench.commands.live import estimated
from mempabench.commands.pending import LEDGER, calls, pending_requests
from mempabench.commands.project import workspace
from mempabench.commands.routing import CONFIGURED, Choice, Routes, routing_options, waiting_for
from mempabench.errors import EngineError, InputError
from mempabench.workspace import RouteConfig, Workspace

if TYPE_CHECKING:
    from mempabench.domain.manifests import Batch, Request
    from mempabench.engines.answering import Lane
    from mempabench.engines.batches import Collected, Post

say = partial(click.echo, err=True)


@click.command()
@routing_options((CONFIGURED, "openai", "openai-compatible", "anthropic"), default=None)
@click.option(
    "--size", type=click.IntRange(1), default=10_000, show_default=True, help="Most requests in a batch."
)
@click.pass_context
def submit(ctx: click.Context, /, size: int, **options: Any) -> None:
    """Send what waits as batches, which a provider answers within a day at a lower price.

    What is out in a batch isn't asked another way. `poll` shows how batches stand, `collect` fetches answers.
    """
    project, choice = workspace(ctx), Choice(**options)
    with project.writing("mempabench requests submit"), Routes.of(project, choice) as routes:
        _find_lost(project)
        waiting = waiting_for(project, choice)
        routes.check_prices(waiting, choice.max_cost)
        if not waiting:
            say("no request waits (those in open batches don't count)")
            return
        if choice.dry_run:
            say(estimated(waiting, routes, batched=True))
            return
        if not choice.switch:
            routes.refuse_switch(waiting)
        requests = [one.request for one in waiting]
        sent = _submit(project, routes, _affordable(requests, routes, choice.max_cost), size)
    if sent < len(requests):
        raise EngineError(
            f"--max-cost {choice.max_cost:g} allows {sent} of {len(requests)} requests; "
            "collect them, then submit the rest"
        )


def _submit(project: Workspace, routes: Routes, requests: list[Request], size: int) -> int:
    """Submit requests, lane by lane, and return how many there were."""
    from mempabench.engines.batch_journal import batches
    from mempabench.engines.batches import portions

    lanes: dict[int, tuple[Lane, list[Request]]] = {}
    for request in requests:
        lane = routes(request)
        lanes.setdefault(id(lane), (lane, []))[1].append(request)
    for lane, own in lanes.values():
        for part in portions(own, size):
            batch = _post(project, lane).submit(part, len(batches(project.recordings)))
            click.echo(f"{batch.id}\t{len(part)} requests\t{lane.service.address.shown()}")
    return len(requests)


def _affordable(requests: list[Request], routes: Routes, limit: float | None) -> list[Request]:
    """Return the first requests that together stay below a limit at their worst."""
    if limit is None:
        return requests
    from mempabench.engines.answering import tokens_of

    spent = 0.0
    for number, request in enumerate(requests):
        rule = routes.rule(request)
        price = routes.price(rule)
        spent += price.of(tokens_of(request), rule.max_tokens, batched=True) if price else 0.0
        if spent > limit:
            return requests[:number]
    return requests


@click.command()
@click.pass_context
def poll(ctx: click.Context) -> None:
    """Show how the open batches stand at their providers."""
    from mempabench.engines.batch_journal import out

    project = workspace(ctx)
    with project.writing("mempabench requests poll"):
        _find_lost(project)
        found = list(out(project.recordings))
        for batch in found:
            with _post_of(project, batch) as post:
                state = post.state(batch.id)
            ready = "; ready to collect" if state.ended and not state.broken else ""
            failed = f", {state.failed} failed" if state.failed else ""
            click.echo(f"{batch.id}\t{state.done} of {len(batch.digests)} done{failed}\t{state.said}{ready}")
    if not found:
        say("no batch is open")


@click.command()
@click.pass_context
def collect(ctx: click.Context) -> None:
    """Fetch the answers of batches that have ended; refused ones are kept with the reason and asked again."""
    from mempabench.engines.answering import mend
    from mempabench.engines.batch_journal import journal_path, out

    project = workspace(ctx)
    open_still = 0
    with project.writing("mempabench requests collect"):
        for path in mend(project.recordings, project.artifacts / LEDGER, journal_path(project.recordings)):
            say(f"{project.shown(path)}: its last line was torn; it is read again")
        _find_lost(project)
        found = list(out(project.recordings))
        for batch in found:
            with _post_of(project, batch) as post:
                open_still += not _collected(project, post, batch)
    if not found:
        say("no batch is open")
    if open_still:
        say(f"{open_still} {'batch is' if open_still == 1 else 'batches are'} not ready yet")


def _collected(project: Workspace, post: Post, batch: Batch) -> bool:
    """Collect a batch that has ended and tell what it brought; return whether it had ended."""
    from mempabench.engines.batch_journal import keep_batch

    state = post.state(batch.id)
    if not state.ended:
        return False
    if state.broken:
        keep_batch(project.recordings, batch.changed(state="failed"))
        say(f"{batch.id}: the provider took none of it ({state.broken}); its requests wait again")
        return True
    waiting = {one.request.digest(): one for one in pending_requests(project)}
    entered = frozenset(call.digest for call in calls(project) if call.batch == batch.id)
    for line in _told(batch, post.collect(batch, waiting, entered)):
        click.echo(line)
    return True


def _told(batch: Batch, collected: Collected) -> list[str]:
    """Return what came of a batch, a line for the answers and one for each oddity."""
    tally = collected.tally
    cost = f", cost {collected.spent:.4f}" if collected.spent else ""
    lines = [
        f"{batch.id}\t{tally.accepted} accepted\t{tally.refused} refused\t{tally.failed} without an answer\t"
        f"{tally.tokens:,} tokens{cost}"
    ]
    reasons = dict.fromkeys(tally.failures)
    lines += [f"  {tally.failures.count(reason)} without an answer: {reason}" for reason in reasons]
    oddities = (
        (collected.missing, "requests without a line; they wait again"),
        (collected.doubled, "lines came a second time; the first were kept"),
        (collected.unknown, "lines for requests that are not in the batch; left out"),
        (collected.settled, "lines for requests that no longer wait; left out"),
    )
    return lines + [f"  {count} {what}" for count, what in oddities if count]


def _find_lost(project: Workspace) -> None:
    """Look up batches that a crash left between intent and id."""
    from mempabench.engines.batch_journal import batches

    known = batches(project.recordings)
    for batch in known.values():
        if batch.state == "meant":
            others = [one.id for one in known.values() if one.id]
            with _post_of(project, batch) as post:
                found = post.found(batch, others)
            what = f"was found at the provider as {found.id}" if found.id else "never reached the provider"
            say(f"batch {batch.intent[:12]}: a crash cut its submission; it {what}")


@contextmanager
def _post_of(project: Workspace, batch: Batch) -> Iterator[Post]:
    """Open the post of a batch that was submitted before."""
    rule = RouteConfig(
        engine=batch.engine, model=batch.model, base_url=batch.base_url, max_tokens=batch.max_tokens
    )
    with Routes(project, (rule,)) as routes:
        yield _post(project, routes.lane(rule))


def _post(project: Workspace, lane: Lane) -> Post:
    from mempabench.engines.answering import Asking
    from mempabench.engines.batches import Post

    def route(request: Request) -> Lane:
        raise InputError(f"{request.unit}: batches aren't asked one by one")

    asking = Asking(route, project.recordings, project.artifacts / LEDGER, datetime.now(UTC).date())
    return Post(asking, lane)
