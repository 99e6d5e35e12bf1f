"""``mempabench schemas``: the JSON Schemas of all records, generated from the domain."""

from __future__ import annotations

from pathlib import Path

import click

from mempabench.commands.project import workspace
from mempabench.errors import InputError


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 when a file differs.")
@click.pass_context
def schemas(ctx: click.Context, only_check: bool) -> None:
    """Write JSON Schema 2020-12 files for every record, and the list of tables and columns, into schemas/."""
    from mempabench.artifacts import write_bytes
    from mempabench.record_schemas import schema_files
    from mempabench.release.tables import TABLES, tables_json

    project = workspace(ctx)
    folder: Path = project.root / "schemas"
    differ = []
    tables = {"tables.json": tables_json(TABLES, project.config.release.canary)}
    for name, text in {**schema_files(), **tables}.items():
        path = folder / name
        if path.exists() and path.read_bytes() == text.encode("utf-8"):
            continue
        differ.append(name)
        if not only_check:
            write_bytes(path, text.encode("utf-8"))
            click.echo(f"schemas/{name}")
    if only_check and differ:
        raise InputError(
            f"schemas/{differ[0]}: differs from the records ({len(differ)} do); run mempabench schemas"
        )
    if not differ:
        click.echo("schemas are current", err=True)
