"""Where the shipped data lies: prompts, schemas and the newest release.

A wheel carries them in ``mempabench/_shipped``; an editable install finds them in the checkout.
"""

import json
import re
from pathlib import Path

from mempabench.errors import ReleaseError

_SHIPPED = Path(__file__).with_name("_shipped")
_CHECKOUT = Path(__file__).parents[2]

_VERSION = re.compile(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
)

VersionKey = tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]
"""Numbers, whether it is final, and the pre-release parts (a word after every number)."""


def prompts_dir() -> Path:
    """Return the folder that holds one file a prompt."""
    return _data_dir() / "prompts"


def schemas_dir() -> Path:
    """Return the folder that holds one JSON Schema a record."""
    return _data_dir() / "schemas"


def specimen_world() -> Path:
    """Return the file of the specimen world: one user, three weeks, records of every kind."""
    return Path(__file__).with_name("world") / "specimen.jsonl"


def shipped_release() -> Path | None:
    """Return the folder of the newest release, named ``mempabench``, or None where there is none yet."""
    if _SHIPPED.is_dir():
        folder = _SHIPPED / "release" / "mempabench"
        return folder if folder.is_dir() else None
    return newest_release(_CHECKOUT / "releases")


def newest_release(releases: Path) -> Path | None:
    """Return the folder of the newest version that ``INDEX.json`` in ``releases`` names."""
    index = releases / "INDEX.json"
    if not index.is_file():
        return None
    try:
        versions: list[str] = list(json.loads(index.read_text(encoding="utf-8"))["releases"].keys())
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ReleaseError(f'{index}: expected {{"releases": {{VERSION: …}}}}') from error
    if not versions:
        return None
    newest = max(versions, key=version_key)
    folder = releases / newest / "mempabench"
    if not folder.is_dir():
        raise ReleaseError(f"{index}: names {newest}, but there is no folder {folder}")
    return folder


def version_key(version: str) -> VersionKey:
    """Return the key that sorts versions as SemVer does; build metadata doesn't count.

    >>> sorted(["1.0.0", "0.10.0", "1.0.0-rc.2", "0.9.1", "1.0.0-rc.10"], key=version_key)
    ['0.9.1', '0.10.0', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0']
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ReleaseError(f"{version!r} is no version; write MAJOR.MINOR.PATCH, such as 0.2.0")
    *numbers, suffix = match.groups()
    parts = suffix.split(".") if suffix else []
    return (
        tuple(int(number) for number in numbers),
        not parts,
        tuple((False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts),
    )


def _data_dir() -> Path:
    return _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT
