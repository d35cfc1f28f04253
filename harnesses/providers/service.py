"""Runs a service: starts it, waits for it, and ends it with all of its processes, even if this process dies."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from conformance.transport.guard import guard
from conformance.transport.leftovers import MARK, end_group, kill_marked

__all__ = [
    "ServiceError",
    "Unavailable",
    "cached",
    "close_stdin",
    "free_ports",
    "guarded",
    "listens",
    "ready_when",
    "running",
    "tail",
]

SECONDS = 60
"""The seconds that a service may take to be ready."""
_TO_END = 20  # seconds that it may take to end
_PAUSE = 0.05  # seconds between two checks
_SHOWN = 1000  # characters of a log in an error


class Unavailable(Exception):
    """Raised if a service cannot run on this machine, with the reason."""


class ServiceError(Exception):
    """Raised if a running service refuses a request or fails."""


def cached(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of the user's cache for downloads and builds; if it is missing, `make` fills it, atomically."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticdc-conformance" / name
    if folder.is_dir():
        return folder
    draft = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        make(draft)
        try:
            draft.replace(folder)
        except OSError:  # another process was faster
            if not folder.is_dir():
                raise
        return folder
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def free_ports(*ports: int) -> list[int]:
    """Free ports: the given ones, or any for 0. Raises `Unavailable` if one is taken."""
    with ExitStack() as held:
        try:
            sockets = [held.enter_context(socket.create_server(("127.0.0.1", port))) for port in ports]
        except OSError as e:
            raise Unavailable(f"one of the ports {ports} is taken: {e}") from None
        return [one.getsockname()[1] for one in sockets]


def listens(port: int) -> Callable[[], bool]:
    """A function that says whether a port accepts connections."""

    def is_open() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    return is_open


def tail(log: Path) -> str:
    """The end of a log."""
    with suppress(OSError):
        return log.read_text(encoding="utf-8", errors="replace")[-_SHOWN:].strip()
    return ""


def ready_when(name: str, log: Path, ready: Callable[[], bool], ended: Callable[[], bool], seconds: float) -> None:
    """Wait until a service is ready.

    Raises `Unavailable`, with the end of its log, if it ends or takes too long.
    """
    until = time.monotonic() + seconds
    while not ended():
        if ready():
            return
        if time.monotonic() > until:
            raise Unavailable(f"{name} is not ready after {seconds:g} s ({log}): {tail(log)}")
        time.sleep(_PAUSE)
    raise Unavailable(f"{name} does not start ({log}): {tail(log)}")


@contextmanager
def running(
    command: Sequence[str],
    log: Path,
    ready: Callable[[], bool],
    *,
    name: str,
    seconds: float = SECONDS,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A ready process with its output in `log`. Raises `Unavailable`.

    At the end it is terminated, and killed with all of its processes. The guard does so if this process is killed.
    """
    with ExitStack() as stack:
        with log.open("ab") as out:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out}
            mark = guard().next_mark()
            try:
                process = _started(command, mark, environment, cwd=cwd, **pipes)
            except OSError as e:
                raise Unavailable(f"{name} cannot be started: {e}") from None
            stack.enter_context(_watched(process, mark, subprocess.Popen.terminate, _TO_END))
        ready_when(name, log, ready, lambda: process.poll() is not None, seconds)
        yield process


def close_stdin(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end that reads its stdin up to the end."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


@contextmanager
def guarded(
    command: Sequence[str],
    end: Callable[[subprocess.Popen[bytes]], object],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block, or with this process; `options` are those of `Popen`.

    `end` asks it to end. After `seconds` it is killed, and with it all processes that it started.
    """
    mark = guard().next_mark()
    process = _started(command, mark, environment, **options)
    with _watched(process, mark, end, seconds):
        yield process


def _started(
    command: Sequence[str], mark: str, environment: Mapping[str, str] | None, **options: Any
) -> subprocess.Popen[bytes]:
    """A new process of its own group, which passes the mark on to all that it starts."""
    environment = {**os.environ, **(environment or {}), MARK: mark}
    return subprocess.Popen(list(command), env=environment, start_new_session=True, **options)


@contextmanager
def _watched(
    process: subprocess.Popen[bytes], mark: str, end: Callable[[subprocess.Popen[bytes]], object], seconds: float
) -> Iterator[None]:
    watch = guard()
    try:
        watch.watch(process.pid)
        yield
    finally:
        end(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        end_group(process.pid)
        process.wait()
        kill_marked(mark)
        watch.forget(process.pid)
