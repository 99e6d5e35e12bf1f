import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import mempabench
from mempabench.assets import newest_release, shipped_release, version_key
from mempabench.errors import ReleaseError

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def build(target: str, source: Path, into: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


def run_isolated(code: str, site: Path) -> str:
    """Run code where nothing but ``site`` and the standard library can be imported."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {code}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(build("wheel", ROOT, tmp_path_factory.mktemp("wheel")))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what is packed, with a prompt, a schema and two releases of its own."""
    copy = tmp_path / "checkout"
    skip = shutil.ignore_patterns("__pycache__")
    for package in ("construction/mempabench", "review/mempabench_review"):
        shutil.copytree(ROOT / package, copy / package, ignore=skip)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    specimens = {
        "prompts/specimen.md": "a prompt",
        "schemas/specimen.json": "{}",
        "releases/INDEX.json": json.dumps({"releases": {"0.10.0": {}, "0.9.0": {}}}),
        "releases/0.9.0/mempabench/README.md": "older",
        "releases/0.10.0/mempabench/README.md": "newest",
        "tests/test_specimen.py": "",
    }
    for name, text in specimens.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    return copy


def test_the_wheel_carries_code_types_licences_and_the_command(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    info = f"mempabench-{PROJECT['project']['version']}.dist-info"

    entry_points = wheel.read(f"{info}/entry_points.txt").decode()

    assert "mempabench = mempabench.cli:main" in entry_points.splitlines()
    assert {"mempabench/py.typed", "mempabench_review/py.typed"} <= names
    pages = {
        f"mempabench_review/web/{name}"
        for name in ("templates/cell.html", "static/desk.css", "static/desk.js")
    }
    assert pages <= names
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/LICENSE-DATA"} <= names
    assert {name.split("/")[0] for name in names} == {"mempabench", "mempabench_review", info}
    assert not [name for name in names if "test_" in name or "__pycache__" in name]


@pytest.mark.parametrize("place", ["prompts", "schemas", "release/mempabench"])
def test_the_wheel_carries_the_data_of_this_checkout(wheel: zipfile.ZipFile, place: str) -> None:
    source = shipped_release() if place == "release/mempabench" else ROOT / place
    expected = files_below(source) if source is not None else set()

    prefix = f"mempabench/_shipped/{place}/"
    carried = {name.removeprefix(prefix) for name in wheel.namelist() if name.startswith(prefix)}

    assert carried == expected


def test_a_wheel_built_from_the_sdist_finds_its_data(checkout: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", checkout, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert not (unpacked / "releases/0.9.0").exists()

    with zipfile.ZipFile(build("wheel", unpacked, tmp_path / "wheel")) as built:
        built.extractall(tmp_path / "site")

    shipped = tmp_path / "site/mempabench/_shipped"
    code = "from mempabench import assets as a; print(a.prompts_dir(), a.schemas_dir(), a.shipped_release())"
    found = run_isolated(code, site=tmp_path / "site")
    assert found == f"{shipped / 'prompts'} {shipped / 'schemas'} {shipped / 'release/mempabench'}"
    assert (shipped / "prompts/specimen.md").read_text(encoding="utf-8") == "a prompt"
    assert (shipped / "release/mempabench/README.md").read_text(encoding="utf-8") == "newest"


def test_a_checkout_finds_its_data_without_being_built(checkout: Path) -> None:
    code = "from mempabench import assets as a; print(a.prompts_dir(), a.schemas_dir(), a.shipped_release())"

    found = run_isolated(code, site=checkout / "construction")

    newest = checkout / "releases/0.10.0/mempabench"
    assert found == f"{checkout / 'prompts'} {checkout / 'schemas'} {newest}"


def test_importing_the_package_imports_no_dependency() -> None:
    code = "import mempabench; print(sorted(name for name in sys.modules if 'mempabench' in name))"

    assert run_isolated(code, site=ROOT / "construction") == "['mempabench']"


def test_the_installed_version_is_the_declared_one() -> None:
    assert mempabench.__version__ == PROJECT["project"]["version"]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match="'laod'; it has __version__, load"):
        mempabench.laod  # type: ignore[attr-defined]  # noqa: B018


def test_there_is_no_newest_release_before_the_first(tmp_path: Path) -> None:
    assert newest_release(tmp_path) is None

    (tmp_path / "INDEX.json").write_text('{"releases": {}}', encoding="utf-8")
    assert newest_release(tmp_path) is None


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("[]", "expected"),
        ("{", "expected"),
        ('{"releases": ["0.1.0"]}', "expected"),
        ('{"releases": {"0.1.0": {}}}', r"names 0\.1\.0, but there is no folder"),
        ('{"releases": {"0.1.0": {}, "newest": {}}}', "'newest' is no version"),
    ],
)
def test_a_broken_index_of_releases_is_told(tmp_path: Path, index: str, message: str) -> None:
    (tmp_path / "INDEX.json").write_text(index, encoding="utf-8")

    with pytest.raises(ReleaseError, match=message):
        newest_release(tmp_path)


def test_versions_sort_as_the_example_of_semver_does() -> None:
    ordered = (
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0"
    )

    assert sorted(sorted(ordered.split()), key=version_key) == ordered.split()


def test_the_lock_pins_and_hashes_every_requirement_and_names_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    uncommented = re.sub(r"^\s*#.*\n", "", lock, flags=re.MULTILINE)

    requirements = re.split(r"(?<!\\)\n", uncommented.strip())

    assert "://" not in lock
    for requirement in requirements:
        assert re.match(r"[a-z0-9-]+==\S+ (; [^\\]+)?\\\n", requirement), requirement
        assert re.search(r" --hash=sha256:[0-9a-f]{64}", requirement), requirement


def test_the_lock_covers_every_declared_dependency() -> None:
    pinned = set(
        re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    )
    declared = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]

    names = {re.split(r"[^a-z0-9-]", dependency)[0] for dependency in declared}

    assert names <= pinned
