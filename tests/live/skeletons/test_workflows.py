"""The workflows of the skeletons, checked by actionlint, which Go fetches and builds."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.skeletons import load_skeletons
from tests.live.skeletons.built import written

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"


def test_actionlint_finds_nothing_in_any_workflow(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("the workflows were not checked: go not found on PATH")
    folders = [written(name, tmp_path / name) for name in load_skeletons()]
    workflows = [str(path) for folder in folders for path in folder.glob(".github/workflows/*.yml")]
    assert len(workflows) == len(folders)
    done = subprocess.run(["go", "run", ACTIONLINT, *workflows], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
