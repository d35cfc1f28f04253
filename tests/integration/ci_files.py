"""The CI files of this repository as data, and the steps of the action as programs with a fake job around them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
Done: TypeAlias = subprocess.CompletedProcess[str]
_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


def workflows() -> list[Path]:
    """Every workflow."""
    return sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def loaded(path: Path) -> Any:
    """A YAML file. `on` is the text here, not the truth value that YAML 1.1 makes of it."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    resolvers = {
        k: [r for r in v if r[0] != "tag:yaml.org,2002:bool"] for k, v in Loader.yaml_implicit_resolvers.items()
    }
    Loader.yaml_implicit_resolvers = resolvers
    return list(yaml.load_all(path.read_text(encoding="utf-8"), Loader))[-1]


@dataclass(frozen=True)
class Job:
    """A fake job of GitHub Actions in a folder of its own."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("bin", "temp"):
            (self.folder / name).mkdir(parents=True)
        self.program("ticdc-conformance", f'exec "{sys.executable}" -P -m ticdc_conformance "$@"')

    def program(self, name: str, text: str) -> Path:
        """A program on the path of the job."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def step(
        self, known: Mapping[str, str], number: str, inputs: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a step of the action: its `env` with the expressions filled in, and its `run`.

        `number` is its id, or its place in the list. `known` are the expressions that are no inputs.
        """
        action = loaded(ROOT / "action.yml")
        steps = {str(step.get("id", at)): step for at, step in enumerate(action["runs"]["steps"])}
        given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()} | dict(inputs)
        values = dict(known) | {f"inputs.{name}": text for name, text in given.items()}
        step = steps[number]
        env = {name: _EXPRESSION.sub(lambda m: values[m[1]], str(text)) for name, text in step.get("env", {}).items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={**_environment(), **self._files(), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def outputs(self) -> dict[str, str]:
        """The outputs that steps have set."""
        path = self.folder / "output"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def summary(self) -> str:
        """The summary of the job."""
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    def _files(self) -> dict[str, str]:
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_REPOSITORY": "team/sink",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "TICDC_", "PYTHON"))}
