"""``mempabench install``: make the dataset loadable by name."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--from",
    "place",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A release folder; the newest release that came with the package when not given.",
)
def install(place: Path | None) -> None:
    """Make load_dataset("mempabench") work from any folder of this machine.

    Puts every table of a release into the local cache of the datasets library. Nothing is downloaded.
    """
    from mempabench.release.load import install as install_release

    install_release(place, click.echo)
