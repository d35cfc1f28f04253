"""Every workflow, of the skeletons and of this repository, checked by actionlint, which Go fetches and builds."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from conformance.skeletons import load_skeletons
from tests.integration.ci_files import ROOT, workflows
from tests.live.skeletons.built import written

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"


def linted(files: Iterable[Path], folder: Path) -> tuple[int, str]:
    """The status of actionlint, and what it printed; if it printed nothing, why it could not run.

    Go tells on standard error what it downloads.
    """
    if shutil.which("go") is None:
        pytest.skip("the workflows were not checked: go not found on PATH")
    command = ["go", "run", ACTIONLINT, *map(str, files)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout or (done.stderr if done.returncode else "")


def test_actionlint_finds_nothing_in_the_workflow_of_any_skeleton(tmp_path: Path) -> None:
    folders = [written(name, tmp_path / name) for name in load_skeletons()]
    files = [path for folder in folders for path in folder.glob(".github/workflows/*.yml")]
    assert len(files) == len(folders)
    assert linted(files, tmp_path) == (0, "")


def test_actionlint_finds_nothing_in_the_workflows_of_this_repository() -> None:
    assert workflows()
    assert linted(workflows(), ROOT) == (0, "")


def test_actionlint_finds_an_output_that_no_step_sets(tmp_path: Path) -> None:
    text = workflows()[0].read_text(encoding="utf-8")
    step = "      - run: echo ${{ steps.nobody.outputs.x }}\n"
    (tmp_path / "wrong.yml").write_text(text.replace("    steps:\n", f"    steps:\n{step}", 1), encoding="utf-8")
    status, said = linted([tmp_path / "wrong.yml"], tmp_path)
    assert (status, '"nobody" is not defined' in said) == (1, True)
