"""``mempabench world``: look at a world, act in it on a scratch branch, open it to agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from mempabench.commands.telling import told
from mempabench.domain.record import canonical_json
from mempabench.domain.worlds import KINDS, WorldHeader, WorldRecord
from mempabench.errors import InputError
from mempabench.keeping import Kept, find_world
from mempabench.workspace import Workspace
from mempabench.world.searching import snippet
from mempabench.world.state import Change, diff
from mempabench.world.tool import Tool
from mempabench.world.toolbox import all_tools, open_world, world_tools

TITLES = (
    "title",
    "subject",
    "name",
    "path",
    "what",
    "text",
    "payee",
    "issuer",
    "operator",
    "shop",
    "relation",
)
TIMES = (
    "starts",
    "sent_at",
    "at",
    "departs",
    "due",
    "on",
    "placed_at",
    "day",
    "submitted_at",
    "requested_at",
)


@click.group()
def world() -> None:
    """Look at a user's world, act in it, open it to agents.

    WORLD is a user of the project, `specimen` (a world that comes along), or a file that ends in .jsonl.
    """


def project_of(ctx: click.Context) -> Workspace | None:
    """Return the project given with ``-C`` or around the current folder, or None."""
    try:
        return ctx.find_object(Workspace) or Workspace.find(Path.cwd())
    except InputError:
        return None


def kept(ctx: click.Context, name: str) -> Kept:
    """Return the scratch branch of a world."""
    project = project_of(ctx)
    return Kept.of(project, find_world(project, name))


class Moment(click.ParamType[datetime]):
    """A time with its offset, or a day, which means its end in the user's zone."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the time; a day has no offset yet."""
        try:
            return datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no time; write 2027-03-03T10:00+01:00", param, ctx)


def zoned(at: datetime, header: WorldHeader) -> datetime:
    """Return a time in its zone: the user's where it has none, the end of the day where it is a day."""
    if at.tzinfo is not None:
        return at
    whole_day = at.time() == time()
    return datetime.combine(at, time(23, 59, 59) if whole_day else at.time(), ZoneInfo(header.zone))


@world.command()
@click.argument("name", required=False)
@click.option("--domain", help="Only the tools of this domain.")
@click.option(
    "--interaction/--no-interaction", default=True, help="With or without the 14 interaction tools."
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line, with the schema of the arguments."
)
def tools(name: str | None, domain: str | None, interaction: bool, as_json: bool) -> None:
    """List the tools: what each does, its arguments, refusals and limits. With NAME, that one in full."""
    found = all_tools() if interaction else world_tools()
    if name is not None and name not in found:
        raise InputError(f"{name}: no such tool; mempabench world tools lists them")
    chosen = [one for one in found.values() if name in (None, one.name) and domain in (None, one.domain)]
    if not chosen:
        known = ", ".join(dict.fromkeys(one.domain for one in found.values()))
        raise InputError(f"{domain}: no such domain; there are {known}")
    for one in chosen:
        if as_json:
            click.echo(canonical_json(tool_row(one)))
        else:
            click.echo("\n".join(in_full(one) if name else [in_short(one)]))


def tool_row(tool: Tool) -> dict[str, Any]:
    """Return a tool as plain values."""
    return {
        "name": tool.name,
        "domain": tool.domain,
        "effect": tool.effect,
        "description": tool.description,
        "arguments": tool.schema,
        "errors": dict(tool.refusals),
        "limits": dict(tool.limits),
        "reads": sorted(tool.reads),
        "writes": sorted(tool.writes),
    }


def in_short(tool: Tool) -> str:
    """Return a tool on one line."""
    mark = {"reads": " ", "writes": "w", "external": "x"}[tool.effect]
    first = tool.description.split(". ")[0].split("; ")[0].rstrip(".")
    return f"{mark} {tool.name:<26} {first}"


def in_full(tool: Tool) -> Iterator[str]:
    """Yield a tool line by line."""
    yield f"{tool.name}  ({tool.domain}; {tool.effect})"
    yield f"  {tool.description}"
    required = tool.schema.get("required", ())
    yield "arguments"
    for name, one in tool.schema["properties"].items():
        sort = (
            one.get("format") or one.get("type") or "/".join(str(x.get("type")) for x in one.get("anyOf", ()))
        )
        yield f"  {name:<18} {'needed  ' if name in required else 'optional'}  {sort}: {one['description']}"
    for title, words in (("refusals", tool.refusals), ("limits", tool.limits)):
        if words:
            yield title
            yield from (f"  {code:<18} {text}" for code, text in words.items())
    yield f"looks at: {', '.join(sorted(tool.reads)) or 'nothing'}"
    yield f"changes:  {', '.join(sorted(tool.writes)) or 'nothing'}"


@world.command()
@click.argument("name", metavar="WORLD")
@click.option("--at", type=Moment(), help="As it is known then; without it, all that the world holds.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="Only records of this kind.")
@click.option("--id", "key", help="This record in full.")
@click.option(
    "--branch/--beginning", default=True, help="With what was done on the scratch branch, or without."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def show(
    ctx: click.Context,
    name: str,
    at: datetime | None,
    kind: str | None,
    key: str | None,
    branch: bool,
    as_json: bool,
) -> None:
    """Show the records of WORLD, a line each, in the order of their kinds and ids."""
    scratch = kept(ctx, name)
    header = scratch.world.header
    opened = scratch.open() if branch else open_world(header, scratch.world.records)
    state = opened.state if at is None else opened.as_of(zoned(at, header))
    found = [one for one in state.records() if kind in (None, one.kind) and key in (None, one.id)]
    if key is not None and not found:
        raise InputError(f"{key}: no such record is known; mempabench world show {name} lists them")
    zone = ZoneInfo(header.zone)
    for one in found:
        if as_json:
            click.echo(canonical_json({"kind": one.kind, **one.plain()}))
        elif key is not None:
            for field, value in shown(one, zone).items():
                text = value if isinstance(value, str) else canonical_json(value)
                click.echo(f"{field:<16} {told(text)}")
        else:
            click.echo(listed(one, zone))


def shown(record: WorldRecord, zone: ZoneInfo) -> dict[str, Any]:
    """Return a record's fields with times in a zone."""
    return record.model_dump(mode="json", context={"zone": zone}, exclude_none=True)


def listed(record: WorldRecord, zone: ZoneInfo) -> str:
    """Return a record on one line: id, time, title."""
    fields = shown(record, zone)
    when = next((str(fields[name]) for name in TIMES if fields.get(name)), str(fields["entered"]))
    title = next((str(fields[name]) for name in TITLES if fields.get(name)), "")
    return f"{record.id:<11} {when[:16].replace('T', ' '):<16}  {record.kind:<12}  {told(snippet(title))}"


@world.command()
@click.argument("name", metavar="WORLD")
@click.argument("tool")
@click.argument("arguments", default="{}")
@click.option(
    "--at", type=Moment(), help="When the call is made; the time of the one before where not given."
)
@click.pass_context
def call(ctx: click.Context, name: str, tool: str, arguments: str, at: datetime | None) -> None:
    """Make a call on the scratch branch of WORLD: TOOL with ARGUMENTS, a JSON object. Exit 1 when it is refused."""
    scratch = kept(ctx, name)
    try:
        given = json.loads(arguments)
    except ValueError as error:
        raise InputError(f"the arguments are no JSON: {error}") from error
    if not isinstance(given, dict):
        raise InputError('the arguments have to be a JSON object, such as \'{"text": "lamps"}\'')
    outcome = scratch.call(tool, given, zoned(at, scratch.world.header) if at else None)
    click.echo(outcome.text)
    if not outcome.done:
        ctx.exit(1)


@world.command(name="diff")
@click.argument("name", metavar="WORLD")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line, with the record before and after."
)
@click.pass_context
def show_diff(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show what the scratch branch of WORLD changed."""
    scratch = kept(ctx, name)
    branch, zone = scratch.open(), ZoneInfo(scratch.world.header.zone)
    for change in diff(branch.first, branch.state):
        for line in [as_line(change)] if as_json else differing(change, zone):
            click.echo(line)


def as_line(change: Change) -> str:
    """Return a change as JSON."""
    before, after = (one.plain() if one else None for one in (change.before, change.after))
    return canonical_json({"kind": change.kind, "id": change.id, "before": before, "after": after})


def differing(change: Change, zone: ZoneInfo) -> Iterator[str]:
    """Yield a change line by line: + new, - removed, ~ changed with the fields that differ."""
    if change.before is None or change.after is None:
        record = change.after or change.before
        if record is not None:
            yield f"{'+' if change.after else '-'} {listed(record, zone)}"
        return
    yield f"~ {listed(change.after, zone)}"
    before, after = shown(change.before, zone), shown(change.after, zone)
    for field in sorted(before.keys() | after.keys()):
        old, new = before.get(field), after.get(field)
        if old != new:
            yield f"    {field}: {told(canonical_json(old))} -> {told(canonical_json(new))}"


@world.command()
@click.argument("name", metavar="WORLD")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, results included.")
@click.pass_context
def journal(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show the calls made on the scratch branch of WORLD, and what each changed."""
    scratch = kept(ctx, name)
    zone = ZoneInfo(scratch.world.header.zone)
    for one in scratch.open().journal():
        touched = [change.id for change in one.changes]
        if as_json:
            row = {"number": one.number, "at": one.at.isoformat(), "tool": one.tool,
                   "arguments": dict(one.arguments), "result": one.outcome.result, "changed": touched}  # fmt: skip
            click.echo(canonical_json(row))
            continue
        came = "done" if one.outcome.done else str(one.outcome.code)
        when = f"{one.at.astimezone(zone):%Y-%m-%d %H:%M}"
        click.echo(f"{one.number:>3}  {when}  {told(one.tool)}  {told(canonical_json(dict(one.arguments)))}")
        click.echo(f"     {came}{': ' if touched else ''}{', '.join(touched)}")


@world.command()
@click.argument("name", metavar="WORLD")
@click.pass_context
def check(ctx: click.Context, name: str) -> None:
    """Check the records of WORLD against the rules of plausibility: one finding a line. Exit 1 when there is one."""
    from mempabench.validators.check import run_checks
    from mempabench.validators.worlds import WORLD_CHECKS, WorldData

    found = find_world(project_of(ctx), name)
    findings = list(run_checks(WORLD_CHECKS, WorldData(found.header, found.records)))
    for finding in findings:
        click.echo(told(f"{finding.code} {finding.words}: {finding.place}"))
    click.echo(f"{len(found.records)} records, {len(WORLD_CHECKS)} rules, {len(findings)} findings", err=True)
    if findings:
        ctx.exit(1)


@world.command()
@click.argument("name", metavar="WORLD")
@click.pass_context
def reset(ctx: click.Context, name: str) -> None:
    """Forget what was done on the scratch branch of WORLD."""
    project = project_of(ctx)
    there = Kept.of(project, find_world(project, name)).reset()
    click.echo("the scratch branch is empty again" if there else "the scratch branch was empty", err=True)


@world.command()
@click.argument("name", metavar="WORLD")
@click.option("--at", type=Moment(), required=True, help="The instant at which all calls are made.")
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), help="Serve HTTP on this port (0: a free one)."
)
@click.option(
    "--interaction/--no-interaction", default=True, help="With or without the 14 interaction tools."
)
@click.option("--keep", is_flag=True, help="Go on from the scratch branch and keep the calls on it.")
@click.pass_context
def serve(
    ctx: click.Context, name: str, at: datetime, port: int | None, interaction: bool, keep: bool
) -> None:
    """Open WORLD to agents as an MCP server, on standard input and output, or over HTTP on the loopback.

    What agents do is thrown away at the end, unless it is kept.
    """
    try:
        from mempabench import server
    except ImportError as error:
        raise InputError("world serve needs the extra: pip install 'mempabench[world]'") from error
    scratch = kept(ctx, name)
    with scratch.writing() if keep else nullcontext():
        found = scratch.world
        fresh = open_world(found.header, found.records, interaction=interaction)
        branch = scratch.open(interaction=interaction) if keep else fresh
        moment = zoned(at, scratch.world.header)
        opened = server.world_server(branch, moment, scratch.add if keep else None)
        click.echo(f"the world of {branch.header.name}, {len(branch.tools)} tools", err=True)
        if port is None:
            server.serve_stdio(opened)
        else:
            server.serve_http(opened, port)
