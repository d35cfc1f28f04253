"""Opens a session with the implementation at an address: one table, by kind of address."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.transport.addresses import (
    Address,
    CommandAddress,
    DockerAddress,
    ExecAddress,
    PythonAddress,
    RecordedAddress,
    TcpAddress,
    parse_address,
)
from conformance.transport.connection import Trace
from conformance.transport.limits import Limits
from conformance.transport.oneshot import OneShotSession
from conformance.transport.persistent import PersistentSession
from conformance.transport.process import ProcessConnection, absence
from conformance.transport.session import Session
from conformance.transport.tcp import TcpConnection

__all__ = ["absence_of", "open_session"]

_OUR_ROOT = str(Path(__file__).resolve().parents[2])


def open_session(address: Address | str, *, limits: Limits | None = None, trace: Trace | None = None) -> Session:
    """A session, not started yet, with the implementation at `address`.

    Raises `UsageError` for a malformed address, and for one without sessions (`recorded:`).
    """
    if isinstance(address, str):
        address = parse_address(address)
    return _OPENERS[type(address)](address, limits or Limits(), trace)


def absence_of(address: Address) -> str:
    """Why the program or image of an address cannot be started; "" if nothing is known to prevent it."""
    if isinstance(address, DockerAddress):
        from conformance.transport.containers import image_absence

        return image_absence(address.image)
    return absence(address.argv) if isinstance(address, CommandAddress | ExecAddress) else ""


def _command(address: CommandAddress, limits: Limits, trace: Trace | None) -> Session:
    return PersistentSession(lambda: ProcessConnection(address.argv, max_line=limits.line), limits, trace)


def _docker(address: DockerAddress, limits: Limits, trace: Trace | None) -> Session:
    from conformance.transport.containers import ContainerConnection

    def launch() -> ContainerConnection:
        return ContainerConnection(address.options, address.image, address.command, max_line=limits.line)

    return PersistentSession(launch, limits, trace)


def _exec(address: ExecAddress, limits: Limits, trace: Trace | None) -> Session:
    return OneShotSession(lambda: ProcessConnection(address.argv, max_line=limits.line), limits, trace)


def _python(address: PythonAddress, limits: Limits, trace: Trace | None) -> Session:
    # -P: the working folder must not shadow modules of the suite; `hosting` adds it to the path once those are loaded
    host = f"{address.module}:{address.attribute}"
    argv = (sys.executable, "-P", "-m", "conformance.transport.hosting", host)
    path = os.pathsep.join(filter(None, (_OUR_ROOT, os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path}
    return PersistentSession(
        lambda: ProcessConnection(argv, max_line=limits.line, environment=environment), limits, trace
    )


def _tcp(address: TcpAddress, limits: Limits, trace: Trace | None) -> Session:
    return PersistentSession(
        lambda: TcpConnection(address.host, address.port, timeout=limits.start, max_line=limits.line), limits, trace
    )


def _recorded(address: RecordedAddress, limits: Limits, trace: Trace | None) -> Session:
    raise UsageError(f"recorded:{address.folder} is a folder of recordings: there is no program to talk to")


_OPENERS: Mapping[type[Any], Callable[[Any, Limits, Trace | None], Session]] = {
    CommandAddress: _command,
    DockerAddress: _docker,
    ExecAddress: _exec,
    PythonAddress: _python,
    TcpAddress: _tcp,
    RecordedAddress: _recorded,
}
