"""A connection to an implementation that already runs; a restart is a new connection."""

from __future__ import annotations

import os
import socket

from conformance.transport.channel import MAX_LINE, Channel
from conformance.transport.connection import Exit
from conformance.transport.errors import HarnessLost

__all__ = ["TcpConnection"]


class TcpConnection(Channel):
    """A TCP connection. Raises `HarnessLost` if it cannot be made within `timeout` seconds."""

    def __init__(self, host: str, port: int, *, timeout: float, max_line: int = MAX_LINE) -> None:
        try:
            connection = socket.create_connection((host, port), timeout)
        except (OSError, ValueError) as e:  # ValueError: the text cannot be the name of a host
            reason = getattr(e, "strerror", None) or e
            raise HarnessLost(f"no connection to {host} port {port}: {reason}") from None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        write_fd = os.dup(connection.fileno())
        super().__init__(connection.detach(), write_fd, max_line=max_line)

    def exit_within(self, patience: float) -> Exit | None:
        """How the connection ended; None while it is open."""
        return Exit("closed the connection") if self._ended else None

    def kill(self) -> None:
        """Close the connection; the program keeps running."""
        self.close()

    def leave(self, patience: float, grace: float) -> str | None:
        """Close the connection."""
        self.close()
        return None
