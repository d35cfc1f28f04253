"""The files by which a CI runs the suite: valid by their schemas, free of injections, and pinned."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from conformance import __version__
from conformance.cli.main import COMMANDS
from tests.integration.ci_files import ROOT, loaded, workflows

pytest.importorskip("yaml")

OURS = "ticdc-conformance/ticdc-conformance"
WORKFLOWS = workflows()
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.github-issue-forms": FORMS,
    "vendor.github-actions": [ROOT / "action.yml"],
}


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_files_of_github_are_valid_by_their_schemas(schema: str) -> None:
    assert SCHEMAS[schema]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, SCHEMAS[schema])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def steps() -> Iterator[dict[str, Any]]:
    """Every step of the action and of the workflows."""
    yield from loaded(ROOT / "action.yml")["runs"]["steps"]
    for path in WORKFLOWS:
        for job in loaded(path)["jobs"].values():
            yield from job.get("steps", ())


def test_no_expression_is_pasted_into_a_script() -> None:
    assert [step["run"] for step in steps() if "${{" in step.get("run", "")] == []


def test_every_action_has_a_version_and_ours_has_that_of_the_suite() -> None:
    used = {step["uses"] for step in steps() if "uses" in step}
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@(v\d+|release/v1|[0-9a-f]{40})", name)] == []
    assert {name for name in used if name.startswith(f"{OURS}@")} == {f"{OURS}@v{__version__.partition('.')[0]}"}


def test_a_workflow_may_only_read_unless_a_job_says_so() -> None:
    assert {path.name: loaded(path).get("permissions") for path in WORKFLOWS} == {
        path.name: {"contents": "read"} for path in WORKFLOWS
    }


def test_the_workflow_hands_every_input_of_its_own_to_the_action() -> None:
    workflow = loaded(ROOT / ".github" / "workflows" / "conformance.yml")
    given = next(s["with"] for s in workflow["jobs"]["judge"]["steps"] if s.get("uses", "").startswith(OURS))
    assert set(given) == set(workflow["on"]["workflow_call"]["inputs"]) - {"build", "runs-on"}
    assert set(given) <= set(loaded(ROOT / "action.yml")["inputs"])


def test_the_template_for_gitlab_uses_every_input_and_options_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8")
    import yaml

    head, body = yaml.safe_load_all(text)
    used = set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", text))
    assert used == set(head["spec"]["inputs"])
    [line] = [line for line in body["conformance"]["script"] if "ticdc-conformance run" in line]
    known = options_of("run", capsys)
    assert set(re.findall(r"--[\w-]+", line)) <= known


def options_of(command: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The long options that the help of a command shows."""
    from conformance.cli.main import main

    with pytest.raises(SystemExit):
        main([command, "--help"])
    return set(re.findall(r"--[\w-]+", capsys.readouterr().out))


def test_the_hooks_for_pre_commit_run_commands_that_exist() -> None:
    hooks = loaded(ROOT / ".pre-commit-hooks.yaml")
    assert {hook["id"] for hook in hooks} == {"ticdc-conformance", "ticdc-conformance-doctor"}
    for hook in hooks:
        program, command, *_ = hook["entry"].split()
        assert (program, command in COMMANDS) == ("ticdc-conformance", True)
        assert (hook["language"], hook["pass_filenames"]) == ("python", "false")


# -- the image -------------------------------------------------------------------------------------------------------

INSTRUCTIONS = [
    re.sub(r"\s+", " ", one.replace("\\\n", " "))
    for one in re.findall(r"^(?!#)(?:.*\\\n)*.+", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
]


def of(word: str) -> list[str]:
    return [one.removeprefix(f"{word} ") for one in INSTRUCTIONS if one.startswith(f"{word} ")]


def test_the_image_is_built_on_an_image_of_a_version() -> None:
    for image in of("FROM"):
        assert re.fullmatch(r"python:3\.\d+-slim-\w+( AS \w+)?", image)


def test_the_image_runs_as_a_user_without_rights() -> None:
    assert of("USER") == ["10001:10001"]
    assert INSTRUCTIONS.index("USER 10001:10001") > INSTRUCTIONS.index(f"RUN {of('RUN')[-1]}")


def test_the_command_of_the_image_is_no_shell() -> None:
    assert of("ENTRYPOINT") == ['["ticdc-conformance"]']
    assert of("CMD") == ['["run"]']


def test_nothing_of_the_build_stays_in_the_image() -> None:
    installs = [line for line in of("RUN") if "pip" in line]
    assert len(installs) == 2
    assert all("--no-cache-dir" in line for line in installs)
    assert of("ADD") == []


def test_what_the_image_copies_is_there_and_let_through() -> None:
    through = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] == "!"]
    assert [name for name in through if not list(ROOT.glob(name))] == []
    assert [line for line in of("COPY") if not line.startswith(("--from=build /wheels", ". .", "requirements/"))] == []
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    for name in (*wheel["wheel"]["only-include"], "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        assert any(Path(name).match(pattern) for pattern in through), name


# -- other versions --------------------------------------------------------------------------------------------------


def project() -> dict[str, Any]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def test_the_lowest_versions_are_those_that_the_project_allows() -> None:
    asked = [*project()["dependencies"], *chain(*project()["optional-dependencies"].values())]
    allowed = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", "\n".join(asked), re.MULTILINE))
    lines = (ROOT / "requirements" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: _numbers(allowed[name]) for name in pinned} == {name: _numbers(pinned[name]) for name in pinned}
    needed = set(re.findall(r"^[\w-]+", "\n".join(project()["dependencies"]), re.MULTILINE))
    assert needed <= set(pinned)


def _numbers(version: str) -> list[int]:
    """8 and 8.0.0 are one version."""
    return [*map(int, version.split(".")), 0, 0, 0][:3]


def test_every_python_that_the_project_names_is_tried() -> None:
    named = {re.sub(r".*:: ", "", line) for line in project()["classifiers"] if re.search(r":: 3\.\d+$", line)}
    jobs = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    tried = {row["python"] for row in jobs["python"]["strategy"]["matrix"]["include"]}
    assert named == tried


def test_every_environment_that_the_workflow_runs_is_one_of_tox() -> None:
    text = (ROOT / "tox.ini").read_text(encoding="utf-8")
    rows = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["python"]["strategy"]["matrix"]["include"]
    names = {row["environment"] for row in rows if not re.fullmatch(r"py3\d+", row["environment"])}
    assert names == {name for name in names if f"[testenv:{name}]" in text}
