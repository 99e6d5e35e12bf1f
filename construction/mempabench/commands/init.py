"""``mempabench init``: an empty project that can be filled."""

from __future__ import annotations

from pathlib import Path

import click

from mempabench.errors import InputError

_CONFIG = """# The one configuration of this project; nothing else holds parameters.
seed = 0

[release]
version = "0.1.0"            # the version that the build aims at
license = "CC-BY-4.0"        # SPDX identifier of the data's licence
canary = "mempabench canary {canary}"
released_on = 2026-01-01     # a parameter, so that a build on another day gives the same bytes

[engine]
attempts = 3                 # how often a request may be refused before its unit counts as refused

# One table a user: the source they come from. Which candidate becomes which user is decided by the casting
# rule. A user may stop early: through = "propose_cells".
[users.user_a]
source = "my_series"
"""

_SOURCES = """# One [[source]] table a series. Text of a source that may not be redistributed is never published: only
# ids and hashes are.
#
# [[source]]
# id = "my_series"
# title = "My Series"
# origin = "my own transcript"
# license = "LicenseRef-private"
# redistributable = false
# format = "fan_transcript"
# candidates = ["mara", "otto"]
# files = [{ path = "my_series/s01e01.txt", sha256 = "…" }]
# cast = [
#     { person = "mara", name = "Mara Field", aliases = ["Mara"] },
#     { person = "otto", name = "Otto Lind", aliases = ["Otto"] },
#     { person = "everyone", name = "Everyone", named = false },
# ]
"""


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def init(folder: Path) -> None:
    """Start a project in FOLDER: configuration, manifest, prompts and folders, ready to be filled."""
    import hashlib

    from mempabench.artifacts import write_bytes
    from mempabench.assets import prompts_dir

    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: not empty; give a new folder")
    canary = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    texts = {
        "mempabench.toml": _CONFIG.format(canary=canary),
        "transcripts_raw/sources.toml": _SOURCES,
        "review/records/README.md": "Decisions and substitutes, one JSON object a line; never regenerated.\n",
        "recordings/README.md": "Model answers that builds replay, by stage; see mempabench requests --help.\n",
        ".gitignore": "artifacts/\nexports/\nreview/backups/\nreview/desk.*\n",
    }
    for prompt in sorted(prompts_dir().glob("*")):
        if prompt.is_file():
            texts[f"prompts/{prompt.name}"] = prompt.read_text(encoding="utf-8")
    for name, text in texts.items():
        write_bytes(folder / name, text.encode("utf-8"))
        click.echo(str(folder / name))
    click.echo(
        f"next: put transcripts into {folder}/transcripts_raw, list them in sources.toml, "
        f"then run mempabench -C {folder} build",
        err=True,
    )
