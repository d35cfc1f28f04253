"""The wheel, built from the sdist, installed into a folder of its own and used from another, without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from conformance import __version__
from conformance.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("reference_impl", "conformance", "differential", "reports", "ticdc_conformance", "ticdc_conformance_pytest")


def quietly(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the sdist of this checkout: what is missing in the sdist is missing in the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    quietly(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel installs and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--no-deps", "--no-compile", "--target", str(folder))
    quietly(sys.executable, "-m", "pip", "install", *options, str(wheel))
    return folder


def at(folder: Path, installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder. What PYTHONPATH names wins over the environment, an editable install of ours included."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TICDC_"))}
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


def command(folder: Path, installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as the wheel installs it."""
    return at(folder, installed, str(installed / "bin" / "ticdc-conformance"), *arguments)


def test_the_sdist_can_be_tested_by_those_who_package_it(wheel: Path) -> None:
    [sdist] = wheel.parent.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "tox.ini",
        "requirements/lock.txt",
        "tests/conftest.py",
        "fixtures/MANIFEST.json",
        "LICENSE",
    } - there == set()
    assert {name for name in there if name.startswith((".github", ".ci", "out", ".tox"))} == set()


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_our_packages_and_nothing_that_only_the_checkout_needs(wheel: Path) -> None:
    parts = {name.partition("/")[0] for name in names(wheel)}
    assert parts == {
        *("conformance", "differential", "reference_impl", "reports", "ticdc_conformance.py", "ticdc_conformance_door"),
        *("ticdc_conformance_pytest.py", f"ticdc_conformance-{__version__}.dist-info"),
    }


def test_every_package_says_that_it_is_typed(wheel: Path) -> None:
    typed = {f"{package}/py.typed" for package in ("conformance", "differential", "reference_impl", "reports")}
    assert typed - set(names(wheel)) == set()


def test_the_licence_and_the_notice_are_in_the_wheel(wheel: Path) -> None:
    folder = f"ticdc_conformance-{__version__}.dist-info/licenses"
    assert {f"{folder}/LICENSE", f"{folder}/NOTICE"} - set(names(wheel)) == set()


def test_every_fixture_is_in_the_wheel(wheel: Path) -> None:
    listed = json.loads((ROOT / "fixtures" / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    shipped = {name.removeprefix("conformance/_fixtures/") for name in names(wheel) if "/_fixtures/" in name}
    assert shipped == {*listed, "MANIFEST.json"}


def test_every_template_of_a_skeleton_is_in_the_wheel(wheel: Path) -> None:
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "conformance/skeletons/templates").rglob("*.*")}
    assert there
    assert there - set(names(wheel)) == set()


def test_what_is_imported_is_what_was_installed(installed: Path, tmp_path: Path) -> None:
    code = (
        "import json, sys, ticdc_conformance;"
        f"print(json.dumps([__import__(name).__file__ for name in {MODULES!r}] + [ticdc_conformance.shadowed()]))"
    )
    done = at(tmp_path, installed, "-c", code)
    assert done.returncode == 0, done.stderr
    *places, shadowed = json.loads(done.stdout)
    assert [place for place in places if installed not in Path(place).parents] == []
    assert shadowed is None


def test_the_installed_command_copies_the_fixtures_as_they_are_in_the_checkout(installed: Path, tmp_path: Path) -> None:
    done = command(tmp_path, installed, "copy", "fixtures")
    assert done.returncode == 0, done.stdout + done.stderr
    assert main(["copy", str(tmp_path / "checkout")]) == 0
    copied = (tmp_path / "fixtures" / "MANIFEST.json").read_bytes()
    assert copied == (tmp_path / "checkout" / "MANIFEST.json").read_bytes()


def test_the_installed_command_judges(installed: Path, tmp_path: Path) -> None:
    selected = "canal-json/golden/01* or watermark"
    selection = ("--protocol", "canal-json", "--role", "encode", "-n", "1", "-k", selected)
    done = command(tmp_path, installed, "run", *selection, "--report", "jsonl=run.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    events = [json.loads(line) for line in (tmp_path / "run.jsonl").read_bytes().splitlines()]
    passed = {e["iut"] for e in events if e["event"] == "verdict" and e["verdict"] == "pass"}
    assert passed == {e["iut"] for e in events if e["event"] == "iut"}
