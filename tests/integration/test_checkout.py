"""The checkout in use: installed as editable, and started by `python -m` with nothing of ours installed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("reference_impl", "conformance", "differential", "reports", "ticdc_conformance", "ticdc_conformance_pytest")
MODULE = ["-m", "ticdc_conformance"]
SELECTED = "canal-json/golden/01* or watermark"
FEW = ("run", "--protocol", "canal-json", "--role", "encode", "-n", "1", "-k", SELECTED)


def environment(folder: Path) -> Path:
    """A virtual environment that sees what this one has installed, without being able to change it."""
    venv.create(folder, with_pip=False, symlinks=True)
    [packages] = folder.glob("lib/*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    return folder


def done(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TICDC_", "PYTEST_"))}
    return subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment without us."""
    return environment(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment after `pip install -e .`."""
    folder = environment(tmp_path_factory.mktemp("editable"))
    offline = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    installed = done([str(folder / "bin" / "python"), "-m", "pip", "install", *offline, "-e", str(ROOT)], ROOT)
    assert installed.returncode == 0, installed.stderr
    return folder


def test_an_editable_install_copies_nothing_of_the_checkout(editable: Path) -> None:
    [packages] = editable.glob("lib/*/site-packages")
    copied = {path.name for path in packages.iterdir() if path.name.partition(".")[0] in OURS}
    assert copied == set()
    assert any(path.read_text(encoding="utf-8").strip() == str(ROOT) for path in packages.glob("*.pth"))


STARTS = {
    "the command of an editable install": ("editable", "bin/ticdc-conformance", [], None),
    "an editable install as a module, in a folder of the checkout": ("editable", "bin/python", MODULE, ROOT / "docs"),
    "the checkout as a module, with its dependencies alone": ("bare", "bin/python", MODULE, ROOT),
}


@pytest.mark.parametrize(("installed", "program", "arguments", "cwd"), STARTS.values(), ids=STARTS)
def test_the_checkout_judges(installed: str, program: str, arguments, cwd, request, tmp_path: Path) -> None:
    folder: Path = request.getfixturevalue(installed)
    ran = done([str(folder / program), *arguments, *FEW], cwd or tmp_path)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout


def test_pytest_finds_the_plug_in_of_an_editable_install(editable: Path, tmp_path: Path) -> None:
    selection = ["--ticdc-protocol", "canal-json", "--ticdc-role", "encode", "--ticdc-select", SELECTED]
    reference = f"cmd:{editable / 'bin' / 'ticdc-conformance'} serve-reference"
    ran = done([str(editable / "bin" / "python"), "-m", "pytest", "--ticdc-iut", reference, *selection], tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_checkout_runs_as_a_file_from_any_folder(bare: Path, tmp_path: Path) -> None:
    ran = done([str(bare / "bin" / "python"), str(ROOT / "ticdc_conformance.py"), "--version"], tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_quick_start_needs_python_and_no_tool_that_was_installed_before() -> None:
    block = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Quick start")[2].split("```")[1]
    commands = block.strip().splitlines()
    steps = [step.split() for command in commands for step in command.split(" && ")]
    assert [line.rsplit(" ", 1)[1] for line in commands] == ["conform", "test"]
    assert [step[0] for step in steps] == ["python3", ".tox/start/bin/pip", ".tox/start/bin/tox"] * 2
    assert {" ".join(step[1:4]) for step in steps if step[0] == "python3"} == {"-m venv .tox/start"}
