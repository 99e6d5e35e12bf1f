import hashlib
from pathlib import Path

import pytest

from mempabench.domain.taxonomy import TAXONOMY
from mempabench.errors import InputError
from mempabench.workspace import Workspace
from mempabench_review.guide import guide_version

GUIDE = Path(__file__).parents[2] / "review" / "GUIDE.md"


def test_the_version_is_that_of_the_guidelines_words(project: Workspace) -> None:
    path = project.root / "review" / "GUIDE.md"

    before = guide_version(project)
    path.write_text("# Otherwise\n", encoding="utf-8")

    assert guide_version(project) == "1-" + hashlib.sha256(b"# Otherwise\n").hexdigest()[:12]
    assert guide_version(project) != before


def test_a_project_without_a_guideline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"review/GUIDE\.md: can't be read"):
        guide_version(Workspace(tmp_path))


def test_the_guideline_tells_all_settings_of_every_attribute_apart() -> None:
    text = GUIDE.read_text(encoding="utf-8").casefold().replace("-", " ")
    paragraphs = text.split("## the fourteen")[1].strip().split("\n\n")

    assert len(paragraphs) == len(TAXONOMY)
    for spec, paragraph in zip(TAXONOMY, paragraphs, strict=True):
        names = [setting.name.replace("_", " ") for setting in spec.settings]
        assert [name for name in names if name not in paragraph] == []
        assert "trap:" in paragraph or spec.attribute == "guidance_level"


def test_the_guideline_is_short() -> None:
    assert 900 <= len(GUIDE.read_text(encoding="utf-8").split()) <= 1200
