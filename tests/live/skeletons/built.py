"""Skeletons as a person uses them: written by `init`, built and judged by the command that `init` prints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.skeletons import Skeleton, load_skeletons

ROOT = Path(__file__).resolve().parents[3]


def skeleton_or_skip(name: str) -> Skeleton:
    """A skeleton; a skip that names what is missing to build it."""
    skeleton = load_skeletons()[name]
    missing = [program for program in skeleton.needs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"the skeleton {name} was not built: {', '.join(missing)} not found on PATH")
    return skeleton


def written(name: str, folder: Path) -> Path:
    """The folder of a new skeleton."""
    language, _, wraps = name.partition("-")
    assert main(["init", "--lang", language, *(["--wrap-encoder"] if wraps else []), str(folder)]) == 0
    return folder


def judged(skeleton: Skeleton, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """The command that builds and judges, in the folder of the skeleton; `settings` as in the environment."""
    commands = folder.parent / "commands"
    commands.mkdir(exist_ok=True)
    ours = commands / "ticdc-conformance"
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "ticdc_conformance.py"}" "$@"\n', encoding="utf-8")
    ours.chmod(0o755)
    given = {f"TICDC_CONFORMANCE_{key.upper()}": value for key, value in settings.items()}
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", skeleton.start],
        cwd=folder,
        env={**os.environ, "PATH": path, "TICDC_CONFORMANCE_REPORT": "jsonl=run.jsonl", **given},
        capture_output=True,
        text=True,
        check=False,
    )


def verdicts(folder: Path) -> Mapping[tuple[str, str], int]:
    """How many cases of the run in a folder ended in each verdict, by role and verdict."""
    events = [json.loads(line) for line in (folder / "run.jsonl").read_bytes().splitlines()]
    return Counter((e["role"], e["verdict"]) for e in events if e["event"] == "verdict")
