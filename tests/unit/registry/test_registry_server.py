"""The endpoint over real loopback connections."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from avro_texts import ONE
from traffic import Sent

from conformance.registry import FAULTS, HttpRegistry, ServedRegistry
from conformance.registry.api import Api, Reply
from conformance.registry.server import LARGEST_BODY, RegistryServer
from reference_impl.errors import Rejected

TYPE = "application/vnd.schemaregistry.v1+json"


@pytest.fixture
def connection(served: ServedRegistry) -> Iterator[http.client.HTTPConnection]:
    with closing(http.client.HTTPConnection("127.0.0.1", port_of(served), timeout=10)) as opened:
        yield opened


def port_of(served: ServedRegistry) -> int:
    port = urlsplit(served.url).port
    assert port is not None
    return port


def answer_to(served: ServedRegistry, raw: bytes) -> tuple[int, dict[str, object] | None, bytes]:
    """(status, body as JSON, everything) of an answer to bytes that need not be HTTP, once the connection has ended."""
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=10) as raw_connection:
        raw_connection.sendall(raw)
        received = b""
        while piece := raw_connection.recv(65536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body) if body else None, received


def test_it_listens_on_loopback_alone(served: ServedRegistry) -> None:
    assert urlsplit(served.url).hostname == "127.0.0.1"
    assert port_of(served) > 0


def test_an_answer_has_the_registry_s_content_type(connection: http.client.HTTPConnection) -> None:
    for target, status in (("/", 200), ("/nothing", 404)):
        connection.request("GET", target)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Content-Type"]) == (status, TYPE)
        json.loads(answer.read())


def test_a_connection_is_kept_through_answers_errors_and_cases(served, sent, connection) -> None:
    body = json.dumps({"schema": ONE})
    for method, target, content in (
        ("GET", "/", None),
        ("POST", "/subjects/a/versions", body),
        ("POST", "/subjects/a/versions", "{"),
        ("PATCH", "/subjects", None),
        ("DELETE", "/subjects/a", None),
        ("GET", "/nothing", None),
    ):
        connection.request(method, target, content)
        assert connection.getresponse().read()
        served.begin()
    assert len({call.target for call in sent if call.source == port_of(served)}) == 1


def test_an_answer_is_one_write_without_nagle(served, sent, connection) -> None:
    for target in ("/", "/subjects", "/nothing"):
        connection.request("GET", target)
        connection.getresponse().read()
    answers = [call for call in sent if call.source == port_of(served)]
    assert len(answers) == 3
    assert all(call.nodelay for call in answers)
    for call in answers:
        head, _, body = call.data.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 ")
        assert f"Content-Length: {len(body)}".encode() in head


# What is wrong with a request before anything is looked up: (bytes, status)
MALFORMED = {
    "no HTTP": (b"what?\r\n\r\n", 400),
    "an unknown version": (b"GET / HTTP/9.9\r\n\r\n", 505),
    "an unknown method": (b"BREW / HTTP/1.1\r\n\r\n", 405),
    "a length that is none": (b"POST /subjects/a HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
    "a negative length": (b"POST /subjects/a HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
    "a body in chunks": (b"POST /subjects/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
    "a path without end": (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
    "a header without end": (b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000 + b"\r\n\r\n", 431),
}


@pytest.mark.parametrize(("raw", "status"), MALFORMED.values(), ids=MALFORMED)
def test_a_request_that_is_none_is_refused_in_json_and_the_connection_ended(served, raw, status) -> None:
    got, body, _ = answer_to(served, raw)
    assert got == status
    assert body is not None
    assert body["error_code"] == status


def test_a_head_request_is_answered_without_a_body(served: ServedRegistry) -> None:
    status, body, received = answer_to(served, b"HEAD / HTTP/1.1\r\n\r\n")
    assert (status, body) == (405, None)
    assert received.endswith(b"\r\n\r\n")


def test_a_huge_body_is_read_away_and_refused(served: ServedRegistry, connection: http.client.HTTPConnection) -> None:
    connection.request("POST", "/subjects/a/versions", b" " * (LARGEST_BODY + 1))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error_code"]) == (413, 413)
    assert served.api.log() == ()


@pytest.mark.parametrize("length", ["9" * 20, "9" * 5000, str(LARGEST_BODY + 1)], ids=["20 digits", "5000", "1 more"])
def test_a_length_that_nobody_means_is_answered_though_no_body_comes(served: ServedRegistry, length: str) -> None:
    status, told, _ = answer_to(
        served, f"POST /subjects/a/versions HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode()
    )
    assert (status, told and told["error_code"]) == (413, 413)


def test_a_body_of_the_largest_size_is_read(connection: http.client.HTTPConnection) -> None:
    body = json.dumps({"schema": ONE}).encode()
    connection.request("POST", "/subjects/a/versions", body + b" " * (LARGEST_BODY - len(body)))
    assert json.loads(connection.getresponse().read()) == {"id": 1}


def test_a_request_that_never_becomes_whole_disturbs_nobody(served, connection) -> None:
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=10) as half:
        half.sendall(b"POST /subjects/a/versions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"{}"


@pytest.mark.parametrize("fault", [name for name, fault in FAULTS.items() if fault.closes])
def test_a_connection_is_closed_without_a_byte(served: ServedRegistry, sent: list[Sent], fault: str) -> None:
    served.begin((), fault)
    with closing(HttpRegistry(served.url)) as registry, pytest.raises(Rejected, match="without an answer"):
        registry.register("a", ONE)
    assert not [call for call in sent if call.source == port_of(served)]


def test_closing_ends_every_thread_also_of_connections_that_are_open() -> None:
    before = threading.active_count()
    server = RegistryServer()
    host, port = urlsplit(server.url).hostname, urlsplit(server.url).port
    assert host is not None
    connections = [http.client.HTTPConnection(host, port, timeout=10) for _ in range(3)]
    for connection in connections:
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"{}"
    server.close()
    assert threading.active_count() == before
    for connection in connections:
        connection.close()


def test_closing_does_not_wait_for_what_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = threading.Event()
    outcomes: list[str] = []
    original = Api.answer

    def answer(self: Api, method: str, target: str, body: bytes | None = None) -> Reply:
        arrived.set()
        return original(self, method, target, body)

    monkeypatch.setattr(Api, "answer", answer)
    with closing(RegistryServer(slow=3600)) as server, closing(HttpRegistry(server.url, timeout=60)) as registry:
        server.api.begin((), "slow")

        def register() -> None:
            try:
                registry.register("a", ONE)
            except Rejected as e:
                outcomes.append(e.message)

        asking = threading.Thread(target=register)
        asking.start()
        assert arrived.wait(30)
        server.close()
        asking.join(30)
    assert outcomes == ["the schema registry cannot be reached: it closed the connection without an answer"]


def test_many_clients_at_once_get_one_id_for_one_text(served: ServedRegistry) -> None:
    ids: list[int] = []

    def register(n: int) -> None:
        with closing(HttpRegistry(served.url)) as registry:
            ids.extend(registry.register(f"s{n}", ONE) for _ in range(20))

    threads = [threading.Thread(target=register, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids == [1] * 160
    assert len(served.api.log()) == 160
