"""A served registry, and what goes over its sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from traffic import Sent

from conformance.registry import ServedRegistry


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """Every `sendall` from now on, in order."""
    calls: list[Sent] = []
    original = socket.socket.sendall

    def sendall(self: socket.socket, data: bytes, *flags: int) -> None:
        nodelay = bool(self.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        calls.append(Sent(self.getsockname()[1], self.getpeername()[1], bytes(data), nodelay))
        original(self, data, *flags)

    monkeypatch.setattr(socket.socket, "sendall", sendall)
    return calls


@pytest.fixture
def served() -> Iterator[ServedRegistry]:
    """The suite's registry on loopback; what is slow there takes no time to speak of."""
    registry = ServedRegistry(slow=0.001)
    yield registry
    registry.close()
