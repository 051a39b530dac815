"""The installed wheel works as well as the checkout: commands, pages, assets, bundled data."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import clean_environment, serving

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment that holds the wheel and borrows its dependencies."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(wheel)], check=True)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run(
        [str(python), "-c", ask], check=True, capture_output=True, text=True
    ).stdout.strip()
    # A path added by a .pth file has its own .pth files ignored: the project's editable install stays out.
    (Path(packages) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program, *rest = arguments
    command = [str(installed / program), *rest]
    return subprocess.run(
        command, cwd=folder, env=clean_environment(), capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def server(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of `agentx-dashboard serve`, started in an empty folder without a store of its own."""
    command = [str(installed / "agentx-dashboard"), "serve"]
    with serving(command, tmp_path_factory.mktemp("elsewhere")) as served:
        yield served.address


def body(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=20) as answer:
        content: bytes = answer.read()
    return content


def test_the_wheel_holds_every_asset_and_all_data_and_no_test(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("assets", "data"):
        files = [
            path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
        ]
        assert files
        missing = {str(path) for path in files if f"dashboard/_bundled/{path.relative_to(ROOT)}" not in names}
        assert not missing
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/")) or "__pycache__" in name]
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in names if ".dist-info/licenses/" in name}


def test_the_code_that_runs_is_the_wheels_not_the_checkouts(installed: Path, tmp_path: Path) -> None:
    found = run(
        installed, tmp_path, "python", "-c", "import dashboard, components; print(dashboard.__path__[0])"
    )
    assert found.stdout.startswith(str(installed.parent)), found.stderr


def test_help_names_the_commands(installed: Path, tmp_path: Path) -> None:
    answer = run(installed, tmp_path, "agentx-dashboard", "--help")
    assert answer.returncode == 0, answer.stderr
    assert all(command in answer.stdout for command in ("ingest", "serve", "check"))


def test_the_bundled_sample_passes_the_stores_own_check(installed: Path, tmp_path: Path) -> None:
    ask = "from dashboard.resources import sample_store_dir; print(sample_store_dir())"
    sample = run(installed, tmp_path, "python", "-c", ask).stdout.strip()
    assert sample.startswith(str(installed.parent))
    answer = run(installed, tmp_path, "agentx-dashboard", "check", "--store", sample)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_pages_and_assets_are_served_outside_the_checkout(server: str) -> None:
    page = body(f"{server}/").decode()
    assert "<html" in page and "lang=" in page
    for path in (ROOT / "assets").glob("*.js"):
        assert f"/assets/{path.name}" in page
        assert body(f"{server}/assets/{path.name}") == path.read_bytes()


def test_the_bundled_sample_is_what_the_installed_server_shows(server: str) -> None:
    assert b'"point_id"' in body(f"{server}/api/v1/points")
