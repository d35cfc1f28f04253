"""`docker:IMAGE`: how a container is run and removed, and the one sentence where it cannot be; docker is a fake."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.transport import open_session
from conformance.transport.addresses import parse_address
from conformance.transport.containers import run_arguments
from conformance.transport.errors import HarnessLost
from conformance.transport.opening import absence_of

ROOT = Path(__file__).resolve().parents[3]

# It notes its arguments and has one image, `here`, which is the example of a harness.
_DOCKER = f"""#!{sys.executable}
import json, os, sys
with open({{log!r}}, "a") as log:
    print(json.dumps(sys.argv[1:]), file=log)
command, given = sys.argv[1], sys.argv[2:]
if command == "image":
    sys.exit(0 if given[-1] == "here" else {{missing!r}})
if command == "run":
    os.execv({sys.executable!r}, [{sys.executable!r}, {str(ROOT / "examples" / "minimal_harness.py")!r}])
"""
_NO_IMAGE = "Error response from daemon: No such image: x:1"
_NO_DAEMON = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is to find programs in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, missing: str = _NO_IMAGE) -> None:
    program = folder / name
    program.write_text(_DOCKER.format(log=str(folder.parent / "log"), missing=missing), encoding="utf-8")
    program.chmod(0o755)


def calls(folder: Path) -> list[list[str]]:
    return [json.loads(line) for line in (folder.parent / "log").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("program", ["docker", "podman"])
def test_a_container_answers_like_any_harness_and_is_removed(path: Path, program: str) -> None:
    put(path, program)
    with open_session("docker:--memory=1g here --flag") as session:
        assert session.start()["name"] == "minimal-harness"
    (verb, *run), removed = calls(path)
    name = run[run.index("--name") + 1]
    assert verb == "run"
    assert run[-3:] == ["--memory=1g", "here", "--flag"]
    assert removed == ["rm", "--force", name]


def test_docker_is_preferred_to_podman(path: Path) -> None:
    put(path, "podman", "podman was asked")
    put(path, "docker")
    assert "podman" not in absence_of(parse_address("docker:x:1"))


def test_a_container_has_no_network_and_is_never_fetched() -> None:
    assert run_arguments([], "image", ["--flag"]) == (
        *("run", "-i", "--rm", "--pull", "never", "--network", "none"),
        *("image", "--flag"),
    )


@pytest.mark.parametrize("option", ["--network=host", "--net=bridge"])
def test_an_address_that_names_a_network_gets_that_one(option: str) -> None:
    assert run_arguments([option], "image", []) == ("run", "-i", "--rm", "--pull", "never", option, "image")


@pytest.mark.parametrize(
    ("programs", "stderr", "sentence"),
    [
        ((), "", "neither docker nor podman is on the path: install one of them, or judge a program by cmd:"),
        (("docker",), _NO_IMAGE, "docker has no image 'x:1': build it, or fetch it with 'docker pull x:1'"),
        (("podman",), "Error: x:1: image not known", "podman has no image 'x:1': build it, or fetch it with"),
        (("docker",), _NO_DAEMON, f"docker cannot be used: {_NO_DAEMON}"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(path: Path, programs: tuple[str, ...], stderr: str, sentence: str) -> None:
    for program in programs:
        put(path, program, stderr)
    said = absence_of(parse_address("docker:x:1"))
    assert said.startswith(sentence)
    assert "\n" not in said


def test_an_image_that_is_there_has_nothing_against_it(path: Path) -> None:
    put(path, "docker")
    assert absence_of(parse_address("docker:here")) == ""


def test_a_session_without_docker_is_lost_with_that_sentence(path: Path) -> None:
    with pytest.raises(HarnessLost, match="neither docker nor podman"):
        open_session("docker:x").start()
