"""The command line: parse, call one function, print. stdout is data, stderr is talk."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import NoReturn

import click

from mempabench.errors import MemPABenchError

_COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("mempabench.commands.init:init", "Start a project of your own in a folder."),
    "transcripts": (
        "mempabench.commands.transcripts:transcripts",
        "Look at transcript files: format, people, oddities, scenes.",
    ),
    "status": ("mempabench.commands.status:status", "Show what is built, what is stale and what waits."),
    "build": ("mempabench.commands.build:build", "Rebuild the dataset from transcripts to release."),
    "check": ("mempabench.commands.check:check", "Check everything that was built against the rules."),
    "explain": ("mempabench.commands.explain:explain", "Show why a cell has its setting, down to the lines."),
    "report": ("mempabench.commands.report:report", "Print the figures of the build; fill them into pages."),
    "schemas": ("mempabench.commands.schemas:schemas", "Write or compare the JSON Schemas."),
    "requests": ("mempabench.commands.requests:requests", "Export waiting model requests, import answers."),
    "review": ("mempabench_review.cli:review", "Settle the cells that wait for a decision."),
    "world": ("mempabench.commands.world:world", "Look at a user's world, act in it, open it to agents."),
    "release": ("mempabench.commands.release:release", "Cut, verify and compare releases."),
    "install": ("mempabench.commands.install:install", 'Make load_dataset("mempabench") work anywhere.'),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is used, so that help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer needs them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in _COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mempabench", prog_name="mempabench")
@click.option(
    "-C",
    "--project",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of the project; the current one or the nearest above it when not given.",
)
@click.pass_context
def group(ctx: click.Context, project: str | None) -> None:
    """Build, review and publish MemPABench: how users want to be assisted.

    A dataset is rebuilt offline from transcripts, prompts, recorded model answers and review decisions.
    Start with `mempabench status`; `mempabench build` does the work.
    """
    if project is not None:
        from mempabench.workspace import Workspace

        ctx.obj = Workspace.find(Path(project))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; trouble becomes one line on stderr and exit code 1."""
    try:
        code = group.main(args=arguments, prog_name="mempabench", standalone_mode=False)
    except MemPABenchError as error:
        from mempabench_review.showing import plain_text

        _stop(f"error: {plain_text(str(error))}", 1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        _stop("stopped; nothing half-written is left, run the same command again to go on", 130)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(line: str, code: int) -> NoReturn:
    click.echo(line, err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
