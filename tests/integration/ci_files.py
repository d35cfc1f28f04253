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
_COMPARED = re.compile(r"([\w.-]+) *(==|!=) *'([^']*)'")
_PREPARED = frozenset({"actions/checkout", "actions/setup-python", "actions/setup-go", "actions/setup-java"})
"""Actions of which the machine that runs the tests has done already what they do."""
_SHELLS = {"": ["bash", "-ec"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]}
"""`shell` of a step → how a runner starts it."""


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
        return self._run(_steps()[number], _inputs(inputs) | dict(known))

    def action(self, inputs: Mapping[str, str], event: str = "push") -> tuple[int, str]:
        """Run all steps of the action as a runner does; the first status that is not 0, and what they printed.

        The Python that `setup-python` would install is the program `suite-python` of the job.
        """
        known = _inputs(inputs) | {
            "github.event_name": event,
            "github.event.number": "7",
            "github.action_path": str(ROOT),
            "steps.python.outputs.python-path": str(self.folder / "bin" / "suite-python"),
        }
        status, said = 0, ""
        for name, step in _steps().items():
            if "run" not in step or not _is_run(step.get("if"), status, known):
                continue
            done = self._run(step, known)
            status, said = status or done.returncode, said + done.stdout + done.stderr
            known |= {f"steps.{name}.outputs.{key}": text for key, text in self.outputs().items()}
        return status, said

    def workflow(self, path: Path) -> tuple[int, str, list[str]]:
        """Run the job of a workflow that is written for this checkout; of actions only those that are known here.

        The first status that is not 0, what the steps printed, and the files of the artifact.
        """
        [job] = loaded(path)["jobs"].values()
        status, said, artifact = 0, "", list[str]()
        for step in job["steps"]:
            if not _is_run(step.get("if"), status, {}):
                continue
            if "run" in step:
                done = self._run(step, {})
                status, said = status or done.returncode, said + done.stdout + done.stderr
            elif step["uses"].partition("@")[0] == "actions/upload-artifact":
                artifact = [name for name in step["with"]["path"].split() if (self.folder / name).is_file()]
            else:
                assert step["uses"].partition("@")[0] in _PREPARED
        return status, said, artifact

    def _run(self, step: Mapping[str, Any], values: Mapping[str, str]) -> Done:
        env = {
            name: _EXPRESSION.sub(lambda m: values.get(m[1], ""), str(text))
            for name, text in step.get("env", {}).items()
        }
        return subprocess.run(
            [*_SHELLS[step.get("shell", "")], step["run"]],
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


def _steps() -> dict[str, Mapping[str, Any]]:
    """The steps of the action by id, or by place."""
    return {str(step.get("id", at)): step for at, step in enumerate(loaded(ROOT / "action.yml")["runs"]["steps"])}


def _inputs(given: Mapping[str, str]) -> dict[str, str]:
    """Every input of the action as an expression names it, with its default where it is not given."""
    inputs = loaded(ROOT / "action.yml")["inputs"]
    texts = {name: str(one.get("default", "")) for name, one in inputs.items()} | dict(given)
    return {f"inputs.{name}": text for name, text in texts.items()}


def _is_run(condition: str | None, status: int, values: Mapping[str, str]) -> bool:
    """Whether a step is run: conditions are comparisons with texts, `always()` and `!cancelled()`, joined by `&&`."""
    if condition is None:
        return status == 0
    parts = [part.strip() for part in condition.removeprefix("${{").removesuffix("}}").split("&&")]
    for part in parts:
        if part in ("always()", "!cancelled()"):
            continue
        found = _COMPARED.fullmatch(part)
        assert found, f"this runner does not know the condition {part!r}"
        if (values.get(found[1], "") == found[3]) is not (found[2] == "=="):
            return False
    return status == 0 or "always()" in parts or "!cancelled()" in parts


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "TICDC_", "PYTHON"))}
