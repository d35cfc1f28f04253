"""Runs services as containers, if a docker daemon answers and testcontainers is installed.

A container shares the network of its host and listens on 127.0.0.1, as a process would, so a service has the same
settings in both ways. testcontainers removes the container at the end; its reaper does so if this process is killed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from harnesses.providers.service import SECONDS, Unavailable, ready_when

__all__ = ["contained", "use_containers"]

_CHOICE = "TICDC_CONFORMANCE_SERVICES"
_ANSWER_SECONDS = 10


@cache
def use_containers() -> bool:
    """Whether services run as containers.

    Raises `Unavailable` if containers are requested but impossible.
    """
    choice = os.environ.get(_CHOICE, "")
    if choice not in ("", "containers", "processes"):
        raise Unavailable(f"{_CHOICE}={choice}: say containers or processes")
    if choice == "processes":
        return False
    missing = _missing()
    if missing and choice:
        raise Unavailable(f"{_CHOICE}={choice}: {missing}")
    return not missing


def _missing() -> str:
    """What is missing to run containers; empty if nothing is."""
    try:
        import testcontainers.core.container  # noqa: F401
    except ImportError:
        return "testcontainers is not installed"
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=_ANSWER_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as e:
        return f"no docker daemon answers ({e})"
    return "no docker daemon answers" if done.returncode else ""


@contextmanager
def contained(
    image: str,
    command: Sequence[str],
    log: Path,
    ready: Callable[[], bool],
    *,
    name: str,
    environment: Mapping[str, str] | None = None,
    entry_point: Sequence[str] | None = None,
    folder: Path | None = None,
) -> Iterator[Sequence[str]]:
    """A ready container with `folder` mounted at the same path; its output goes to `log`.

    Yields the beginning of a command that runs a program inside, with our stdin. `ready` says whether the service
    accepts requests. Raises `Unavailable`.
    """
    from testcontainers.core.container import DockerContainer

    container = DockerContainer(image).with_command(list(command))
    own: dict[str, Any] = {"network_mode": "host"}
    if entry_point is not None:
        own["entrypoint"] = list(entry_point)
    if folder is not None:
        own["user"] = f"{os.getuid()}:{os.getgid()}"
        container.with_volume_mapping(str(folder), str(folder), "rw")
    container.with_kwargs(**own)
    for key, value in (environment or {}).items():
        container.with_env(key, value)
    try:
        container.start()
    except Exception as e:  # noqa: BLE001 - the library and the daemon raise many types
        raise Unavailable(f"{name}: the container of {image} does not start: {e}") from None
    try:
        save_log = lambda: log.write_bytes(b"".join(container.get_logs()))  # noqa: E731
        wrapped = container.get_wrapped_container()

        def ended() -> bool:
            wrapped.reload()
            save_log()
            return str(wrapped.status) not in ("created", "running")

        ready_when(name, log, ready, ended, SECONDS)
        yield ("docker", "exec", "-i", str(wrapped.id))
    finally:
        save_log()
        container.stop()
