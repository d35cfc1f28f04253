"""Implementations in containers: the command line that runs an image, and the removal of a container that hangs.

The program is docker if that is on the path, else podman, which takes the same arguments. The container gets no
network unless the address names one, and is removed when it ends.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Sequence
from itertools import count

from conformance.transport.channel import MAX_LINE
from conformance.transport.errors import HarnessLost
from conformance.transport.process import ProcessConnection

__all__ = ["ContainerConnection", "image_absence", "run_arguments"]

PROGRAMS = ("docker", "podman")
_NO_PROGRAM = "neither docker nor podman is on the path: install one of them, or judge a program by cmd:"
_NETWORK = ("--network", "--net")
_PATIENCE = 30.0
"""Seconds for docker to report an image, or to remove a container."""
_LONGEST = 300

_numbers = count(1)


class ContainerConnection(ProcessConnection):
    """A container on stdio, under a name that the suite chooses: it can be removed even if it outlives its client."""

    def __init__(self, options: Sequence[str], image: str, command: Sequence[str], *, max_line: int = MAX_LINE) -> None:
        program = _program()
        if program is None:
            raise HarnessLost(_NO_PROGRAM)
        # Process numbers repeat between CI jobs that share a docker.
        self._program, self._name = program, f"ticdc-conformance-{secrets.token_hex(6)}-{next(_numbers)}"
        self._is_removed = False
        super().__init__((program, *run_arguments(["--name", self._name, *options], image, command)), max_line=max_line)

    def kill(self) -> None:
        """End the client, then the container if it still exists."""
        super().kill()
        if not self._is_removed:
            self._is_removed = True
            _run_docker(self._program, "rm", "--force", self._name)


def run_arguments(options: Sequence[str], image: str, command: Sequence[str]) -> tuple[str, ...]:
    """The arguments of docker that run an image on stdio.

    A missing image is not fetched: that may take longer than a harness may take to start.
    """
    network = () if any(option.partition("=")[0] in _NETWORK for option in options) else ("--network", "none")
    return "run", "-i", "--rm", "--pull", "never", *network, *options, image, *command


def image_absence(image: str) -> str:
    """Why an image cannot be run, in one sentence, or ""; starts nothing."""
    program = _program()
    if program is None:
        return _NO_PROGRAM
    done = _run_docker(program, "image", "inspect", "--format", "{{.Id}}", image)
    if done is None:
        return f"{program} did not say within {_PATIENCE:g} s whether it has the image {image!r}"
    if done.returncode == 0:
        return ""
    errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
    last = errors[-1].strip() if errors else f"exit status {done.returncode}"
    if "no such image" in last.lower() or "image not known" in last.lower():
        return f"{program} has no image {image!r}: build it, or fetch it with '{program} pull {image}'"
    return f"{program} cannot be used: {''.join(c if c.isprintable() else '?' for c in last[:_LONGEST])}"


def _program() -> str | None:
    return next((name for name in PROGRAMS if shutil.which(name)), None)


def _run_docker(program: str, *arguments: str) -> subprocess.CompletedProcess[bytes] | None:
    """The result of a docker command; None if it takes too long."""
    try:
        return subprocess.run(
            (program, *arguments), stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    except OSError as e:
        return subprocess.CompletedProcess((program,), 127, b"", str(e.strerror or e).encode())
