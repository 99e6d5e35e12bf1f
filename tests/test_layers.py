"""Imports follow the layers: a line imports only the lines above it, never its neighbours."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import mempabench
import mempabench_review

LAYERS: tuple[tuple[str, ...], ...] = (
    ("mempabench.errors",),
    ("mempabench.domain",),
    ("mempabench.artifacts", "mempabench.assets"),
    ("mempabench.workspace",),
    ("mempabench.catalog", "mempabench.prompts", "mempabench.importers", "mempabench.world"),
    ("mempabench.engines", "mempabench.validators"),
    ("mempabench_review",),
    ("mempabench.testing",),
    ("mempabench.stages",),
    ("mempabench.journal",),
    (
        "mempabench.pipeline",
        "mempabench.release",
        "mempabench.record_schemas",
        "mempabench.keeping",
        "mempabench.server",
    ),
    ("mempabench.reporting",),
    ("mempabench.commands",),
    ("mempabench.cli",),
)
"""Bottom to top; a package stands for all its modules, which may import each other."""

HEAVY = ("spacy", "pandas", "datasets", "openai", "anthropic", "pyarrow")


def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its name."""
    found = {}
    for package in (mempabench, mempabench_review):
        place = Path(package.__path__[0])
        for path in sorted(place.rglob("*.py")):
            parts = path.relative_to(place.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield our modules that a module imports, wherever in it; not what only the type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imported(other, known)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        else:
            yield from imported(node, known)


def layer_of(module: str) -> tuple[int, str]:
    """Return the number of a module's layer and its member that the module belongs to."""
    for number, line in enumerate(LAYERS):
        for member in line:
            if module == member or module.startswith(f"{member}."):
                return number, member
    raise AssertionError(f"{module} stands in no layer; give it one in LAYERS and in architecture.md")


TREES = modules()
EDGES = {name: set(imported(tree, set(TREES))) - {name} for name, tree in TREES.items()}
LAZY_FRONT = "mempabench"
"""The package itself imports its door to releases only when that is asked for."""


def test_every_module_imports_only_the_layers_below_it() -> None:
    wrong = []

    for module, targets in EDGES.items():
        if module == LAZY_FRONT:
            continue
        own_layer, own_member = layer_of(module)
        for target in sorted(targets - {LAZY_FRONT}):
            layer, member = layer_of(target)
            if member != own_member and layer >= own_layer:
                wrong.append(f"{module} imports {target}")

    assert wrong == []


def test_no_modules_import_each_other_in_a_ring() -> None:
    graph = {
        module: {target for target in targets if not module.startswith(f"{target}.")}
        for module, targets in EDGES.items()
        if module != LAZY_FRONT
    }

    order = list(TopologicalSorter(graph).static_order())

    assert set(order) >= set(graph)


def test_every_layer_exists() -> None:
    members = {layer_of(module)[1] for module in EDGES if module != LAZY_FRONT}

    assert members == {member for line in LAYERS for member in line}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import mempabench.errors", ["mempabench.errors"]),
        ("from mempabench import catalog", ["mempabench.catalog"]),
        ("def f():\n    from mempabench.errors import InputError", ["mempabench.errors"]),
        ("if TYPE_CHECKING:\n    from mempabench.errors import InputError", []),
    ],
)
def test_a_planted_import_is_found(code: str, found: list[str]) -> None:
    assert list(imported(ast.parse(code), set(TREES))) == found


def test_domain_opens_no_file_and_asks_no_clock() -> None:
    forbidden = {"os", "pathlib", "io", "time", "random", "click", "subprocess", "shutil"}
    outside = {}

    for module, tree in TREES.items():
        if module.startswith("mempabench.domain"):
            names = {
                (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.Import | ast.ImportFrom)
                for alias in node.names
            }
            outside[module] = names & forbidden

    assert {module for module, names in outside.items() if names} == set()


@pytest.mark.parametrize(
    "code",
    [
        "import mempabench.cli",
        "import contextlib, mempabench.cli\nwith contextlib.suppress(SystemExit): mempabench.cli.main(['--help'])",
        "import mempabench.stages, mempabench.pipeline, mempabench.commands.build, mempabench_review.cli",
    ],
    ids=["the command's module", "its help", "the build"],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    talk = f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"

    done = subprocess.run([sys.executable, "-c", code + talk], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"
