"""What goes over a socket, as the tests of the registry look at it; and a web server that is no registry."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Sent:
    """One call of `sendall`: the port it came from and the one it went to, the bytes, and whether Nagle is off."""

    source: int
    target: int
    data: bytes
    nodelay: bool


@dataclass(slots=True)
class Web:
    """A web server that answers everything alike. `hasty`: it ends a connection after an answer, without a word.

    `seen` are the path and the headers of each request, `ports` where each came from.
    """

    url: str = ""
    status: int = 200
    body: bytes = b"{}"
    hasty: bool = False
    seen: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)


@contextmanager
def web(**members: object) -> Iterator[Web]:
    """A `Web` with these members, for as long as it is needed."""
    state = Web(**members)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            state.seen.append((self.path, dict(self.headers)))
            state.ports.append(self.client_address[1])
            self.send_response(state.status)
            self.send_header("Content-Length", str(len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)
            self.close_connection = state.hasty

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
