"""Pack prompts, schemas and the newest release into what is built."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShippedData(BuildHookInterface):  # type: ignore[type-arg]
    """Add the data that ``mempabench.assets`` finds, as far as it exists yet."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each folder and its place in the wheel; the sdist keeps the places of the checkout."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "construction"))
        from mempabench.assets import newest_release

        places = {root / "prompts": "prompts", root / "schemas": "schemas"}
        release = newest_release(root / "releases")
        if release is not None:
            places[release] = "release/mempabench"
        for folder, place in places.items():
            if folder.is_dir():
                in_sdist = folder.relative_to(root).as_posix()
                in_wheel = f"mempabench/_shipped/{place}"
                build_data["force_include"][str(folder)] = (
                    in_wheel if self.target_name == "wheel" else in_sdist
                )
