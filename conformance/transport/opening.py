"""Opens a session with the implementation at an address."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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
from conformance.transport.connection import Launch, Trace
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
    limits = limits or Limits()
    session = OneShotSession if isinstance(address, ExecAddress) else PersistentSession
    return session(_launch(address, limits), limits, trace)


def _launch(address: Address, limits: Limits) -> Launch:
    """The function that starts the implementation at an address, or connects to it."""
    match address:
        case CommandAddress(argv) | ExecAddress(argv):
            return lambda: ProcessConnection(argv, max_line=limits.line)
        case DockerAddress(options, image, command):
            from conformance.transport.containers import ContainerConnection

            return lambda: ContainerConnection(options, image, command, max_line=limits.line)
        case PythonAddress(module, attribute):
            # -P: the working folder must not shadow modules of the suite; `hosting` adds it to the path afterwards.
            command = (sys.executable, "-P", "-m", "conformance.transport.hosting", f"{module}:{attribute}")
            path = os.pathsep.join(filter(None, (_OUR_ROOT, os.environ.get("PYTHONPATH"))))
            environment = {**os.environ, "PYTHONPATH": path}
            return lambda: ProcessConnection(command, max_line=limits.line, environment=environment)
        case TcpAddress(host, port):
            return lambda: TcpConnection(host, port, timeout=limits.start, max_line=limits.line)
        case RecordedAddress(folder):
            raise UsageError(f"recorded:{folder} is a folder of recordings: there is no program to talk to")


def absence_of(address: Address) -> str:
    """Why the program or image of an address cannot be started; "" if nothing is known to prevent it."""
    if isinstance(address, DockerAddress):
        from conformance.transport.containers import image_absence

        return image_absence(address.image)
    return absence(address.argv) if isinstance(address, CommandAddress | ExecAddress) else ""
