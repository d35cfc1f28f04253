"""The registry as a codec asks it: over HTTP and in the same process alike."""

from __future__ import annotations

import base64
import socket
from collections.abc import Callable
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from avro_texts import DEMANDING, ONE, TWO
from traffic import Sent, web

from conformance.registry import FAULTS, HttpRegistry, LocalRegistry, RegistryClient, ServedRegistry, open_registry
from conformance.registry.client import HttpConnection
from reference_impl.errors import Rejected
from reference_impl.registry import RegisteredSchema

GIVEN = (RegisteredSchema(7, "t-value", ONE),)


def outcome(action: Callable[[], object]) -> object:
    """What an action answers, or the class of its rejection."""
    try:
        return action()
    except Rejected as e:
        return str(e.reason)


def test_a_schema_is_registered_and_read_back(served: ServedRegistry) -> None:
    with closing(HttpRegistry(served.url)) as registry:
        served.begin(GIVEN)
        assert (registry.register("t-value", ONE), registry.register("t-value", TWO)) == (7, 8)
        assert (registry.schema(7), registry.schema(8)) == (ONE, TWO)


@pytest.mark.parametrize("subject", ["a b", "a/b", "a%b", "数据-key", "a+b", "a?b#c", "."])
def test_a_subject_arrives_as_it_is(served: ServedRegistry, subject: str) -> None:
    with closing(HttpRegistry(served.url)) as registry:
        registry.register(subject, ONE)
    assert served.registered() == [{"id": 1, "subject": subject, "schema": ONE}]


# fault → (what registering comes to, what looking up id 7 comes to)
OUTCOMES: dict[str, tuple[object, object]] = {
    "": (8, ONE),
    "backward": ("semantics", ONE),
    "incompatible": ("semantics", ONE),
    "error": ("semantics", "semantics"),
    "slow": (8, ONE),
    "unreachable": ("semantics", "semantics"),
    "illegal id": ("semantics", ONE),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_one_outcome_over_http_and_in_process(served: ServedRegistry, fault: str) -> None:
    with closing(HttpRegistry(served.url)) as over_http:
        local = LocalRegistry()
        for registry, client in ((served, over_http), (local, local.client)):
            registry.begin(GIVEN, fault)
            client.check()
            outcomes = outcome(lambda c=client: c.register("t-value", DEMANDING)), outcome(lambda c=client: c.schema(7))  # type: ignore[misc]
            assert outcomes == OUTCOMES[fault]


def test_a_refusal_tells_the_status_and_what_the_registry_said() -> None:
    local = LocalRegistry()
    local.begin(GIVEN, "backward")
    with pytest.raises(Rejected, match=r"'t-value' is refused: status 409, incompatible .* a: was not written"):
        local.client.register("t-value", DEMANDING)
    with pytest.raises(Rejected, match="status 422, Invalid schema: the schema: there is no type 'integer'"):
        local.client.register("t-value", '"integer"')


def test_an_unknown_id_is_class_schema() -> None:
    with pytest.raises(Rejected) as rejected:
        LocalRegistry().client.schema(3)
    assert rejected.value.reason == "schema"


def test_requests_share_one_connection_without_nagle(served: ServedRegistry, sent: list[Sent]) -> None:
    with closing(HttpRegistry(served.url)) as registry:
        for n in range(5):
            registry.register(f"s{n}", ONE)
            registry.schema(1)
    requests = [call for call in sent if call.target == urlsplit(served.url).port]
    assert len({call.source for call in requests}) == 1
    assert all(call.nodelay for call in requests)


def test_a_connection_that_was_dropped_while_idle_is_opened_again() -> None:
    with web(body=b'{"id": 5}', hasty=True) as server, closing(HttpRegistry(server.url)) as registry:
        assert [registry.register("a", ONE) for _ in range(3)] == [5, 5, 5]
        assert len(set(server.ports)) == 3


def test_a_fresh_connection_that_is_closed_is_not_tried_again(served: ServedRegistry) -> None:
    served.begin((), "unreachable")
    with closing(HttpRegistry(served.url)) as registry, pytest.raises(Rejected, match="cannot be reached"):
        registry.register("a", ONE)
    assert len(served.api.log()) == 1


def test_nobody_at_the_port_is_class_semantics() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    with closing(HttpRegistry(f"http://127.0.0.1:{port}")) as registry, pytest.raises(Rejected) as rejected:
        registry.check()
    assert rejected.value.reason == "semantics"
    assert rejected.value.message == f"the schema registry cannot be reached: nothing listens at 127.0.0.1 port {port}"


@pytest.mark.parametrize("url", ["http://a..b", f"http://{'a' * 70}.org", "http://127.0.0.1:1/ä"])
def test_a_url_that_cannot_be_asked_is_class_semantics(url: str) -> None:
    with pytest.raises(Rejected, match="cannot be reached") as rejected:
        open_registry(url)
    assert rejected.value.reason == "semantics"


def test_silence_ends_with_the_timeout() -> None:
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as silent,
        closing(HttpRegistry(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.01)) as registry,
        pytest.raises(Rejected, match="does not answer in time"),
    ):
        registry.check()


@pytest.mark.parametrize(
    "url", ["", "registry", "ftp://host", "http://", "http://host:port", "http://[1", "http://h:99999", "http://h\x00"]
)
def test_what_is_no_url_is_rejected(url: str) -> None:
    with pytest.raises(Rejected, match="registry_url") as rejected:
        HttpRegistry(url)
    assert rejected.value.reason == "semantics"


def test_a_password_is_not_shown() -> None:
    with pytest.raises(Rejected) as rejected:
        HttpRegistry("ftp://user:secret@host")
    assert "secret" not in rejected.value.message


def test_a_login_and_a_base_path_in_the_url_are_used_and_the_media_types_named() -> None:
    with web(body=b'{"id": 5}') as server:
        url = server.url.replace("http://", "http://me:s%40cret@") + "/registry/"
        with closing(HttpRegistry(url)) as registry:
            registry.register("a b", ONE)
    ((path, headers),) = server.seen
    assert path == "/registry/subjects/a%20b/versions"
    assert headers["Authorization"] == "Basic " + base64.b64encode(b"me:s@cret").decode()
    assert headers["Content-Type"] == "application/vnd.schemaregistry.v1+json"
    assert headers["Accept"].split(", ") == [
        "application/vnd.schemaregistry.v1+json",
        "application/vnd.schemaregistry+json",
        "application/json",
    ]


def test_https_is_spoken_where_the_url_says_so() -> None:
    with web() as server, closing(HttpRegistry(server.url.replace("http://", "https://"))) as registry:
        with pytest.raises(Rejected, match="cannot be reached"):
            registry.check()
        assert server.seen == []


NO_REGISTRY = {
    "a page": (200, b"<html>"),
    "an object that is not empty": (200, b'{"a": 1}'),
    "a list": (200, b"[]"),
    "an error": (503, b"{}"),
    "a redirection": (301, b"{}"),
    "nothing": (200, b""),
}


@pytest.mark.parametrize(("status", "body"), NO_REGISTRY.values(), ids=NO_REGISTRY)
def test_what_does_not_answer_an_empty_object_is_no_registry(status: int, body: bytes) -> None:
    with web(status=status, body=body) as server, pytest.raises(Rejected, match="no schema registry") as rejected:
        open_registry(server.url)
    assert rejected.value.reason == "semantics"


def test_a_registry_that_shows_people_a_page_is_one_because_it_lists_its_subjects() -> None:
    told = {"/": b"<html>", "/subjects": b"[]"}
    RegistryClient(lambda method, path, body: (200, told[path])).check()


@pytest.mark.parametrize("answer", [b"{}", b"[]", b'{"id": 0}', b'{"id": -1}', b'{"id": "1"}', b'{"id": true}', b"x"])
def test_a_registration_without_a_legal_id_is_class_semantics(answer: bytes) -> None:
    client = RegistryClient(lambda method, path, body: (200, answer))
    assert outcome(lambda: client.register("a", ONE)) == "semantics"


@pytest.mark.parametrize("answer", [b"{}", b"[]", b'{"schema": 1}', b"x"])
def test_a_schema_that_is_no_text_is_class_semantics(answer: bytes) -> None:
    client = RegistryClient(lambda method, path, body: (200, answer))
    assert outcome(lambda: client.schema(1)) == "semantics"


def test_without_a_url_there_is_no_registry() -> None:
    assert open_registry(None) is None


def test_a_closed_connection_opens_again_on_demand(served: ServedRegistry) -> None:
    with closing(HttpConnection(served.url)) as connection:
        assert connection("GET", "/") == (200, b"{}")
        connection.close()
        assert connection("GET", "/") == (200, b"{}")
