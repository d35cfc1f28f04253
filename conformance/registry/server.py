"""The registry's HTTP endpoint on loopback: connections stay open, and every answer is one write.

Sockets and threads are here; `api` has the answers. Nagle's algorithm is off and head and body go out together, so that
no answer waits 40 ms for an acknowledgement of its own beginning.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

import orjson

from conformance.registry.api import CONTENT_TYPE, Api

__all__ = ["LARGEST_BODY", "RegistryServer"]

LARGEST_BODY = 8 << 20
"""Bytes; a request with a larger body is refused."""

_LARGEST_DRAINED = 8 * LARGEST_BODY
"""Bytes that are still read after a refusal, so that the client receives it."""
_PIECE = 1 << 16


class RegistryServer:
    """An `Api` behind a port of 127.0.0.1 that the system chooses.

    `slow` is the delay of late answers in seconds. Every connection has a thread, which ends with it; `close` ends them
    all, and no thread outlives it.
    """

    def __init__(self, api: Api | None = None, slow: float = 0.5) -> None:
        self.api = api or Api()
        self._server = _Server(self.api, slow)
        # The port listens already: early clients wait in the queue.
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="schema registry", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL, without a slash at its end."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def close(self) -> None:
        """Stop listening, end every connection, and wait for the threads."""
        self._server.shutdown()
        self._thread.join()
        self._server.end_connections()
        self._server.server_close()


class _Server(ThreadingMixIn, TCPServer):
    request_queue_size = 64

    def __init__(self, api: Api, slow: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api
        self.slow = slow
        self.ending = threading.Event()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for the connection.

        It is a daemon: a server that is never closed does not keep the process alive.
        """
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self._lock:
            self._open[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        """The end of a connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End every connection, and wait for the threads. Call it when no more are accepted."""
        with self._lock:
            threads = list(self._open.values())
            for connection in self._open:
                with contextlib.suppress(OSError):  # the other side may have ended it already
                    connection.shutdown(socket.SHUT_RDWR)
        self.ending.set()
        for thread in threads:
            thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a client may leave at any time."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        body = self._body()
        if isinstance(body, HTTPStatus):
            self.send_error(body)
            self._drain()
            return
        reply = self.server.api.answer(self.command, self.path, body)
        if reply.late:
            self.server.ending.wait(self.server.slow)
        if reply.closes:
            self.close_connection = True
        else:
            self._write(reply.status, reply.body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815 - the names that http.server calls

    def _body(self) -> bytes | HTTPStatus | None:
        """The body, None if there is none, or the status of a refusal to read it."""
        length = self.headers.get("Content-Length")
        if "Transfer-Encoding" in self.headers:
            return HTTPStatus.LENGTH_REQUIRED
        if length is None:
            return None
        if not (length.isascii() and length.isdigit()):
            return HTTPStatus.BAD_REQUEST
        if len(length) > len(str(LARGEST_BODY)) or int(length) > LARGEST_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return self.rfile.read(int(length))

    def _drain(self) -> None:
        """Read what the client still sends, so that it receives the refusal before the connection ends."""
        left = _LARGEST_DRAINED
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            while left > 0 and (read := len(self.rfile.read1(_PIECE))):
                left -= read

    def _write(self, status: int, body: bytes) -> None:
        """Write the whole answer at once."""
        head = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"Content-Type: {CONTENT_TYPE}",
            f"Content-Length: {len(body)}",
            *(["Connection: close"] if self.close_connection else []),
            "\r\n",
        ]
        self.connection.sendall("\r\n".join(head).encode("ascii") + body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the error as JSON, and end the connection: the next request's first byte is unknown."""
        self.close_connection = True
        # To http.server a method without a handler is not implemented; to HTTP, it is not allowed here.
        status = HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code)
        text = f"HTTP {status.value} {message or status.phrase}"
        body = b"" if self.command == "HEAD" else orjson.dumps({"error_code": status.value, "message": text})
        self._write(status, body)

    def log_message(self, *args: Any) -> None:
        """Write nothing to stderr: the API has the log of requests."""
