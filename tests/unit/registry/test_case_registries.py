"""What the engine sees of a registry: its own, and somebody else's with other people's subjects in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import orjson
import pytest
from avro_texts import DEMANDING, ONE, TWO
from traffic import web

from conformance.errors import Inapplicable, SuiteError, UsageError
from conformance.registry import HttpRegistry, LocalRegistry, RealRegistry, ServedRegistry, with_ids
from conformance.registry.client import HttpConnection
from conformance.registry.faults import Operation
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.registry import RegisteredSchema

GIVEN = (RegisteredSchema(5, "t-key", ONE), RegisteredSchema(3, "t-value", TWO))
THEIRS = RegisteredSchema(41, "t-value", ONE)


@pytest.fixture
def real(served: ServedRegistry) -> Iterator[RealRegistry]:
    """Somebody's registry, in which one subject is theirs."""
    served.begin([THEIRS])
    registry = RealRegistry(served.url, "ticdc-conformance-1-")
    yield registry
    registry.close()


def subjects(served: ServedRegistry) -> list[str]:
    """All there are, those deleted softly among them."""
    listed: list[str] = orjson.loads(served.api.answer("GET", "/subjects?deleted=true").body)
    return listed


# -- our own ---------------------------------------------------------------------------------------------------------


def test_registrations_are_seen_in_order_with_repetitions_and_without_refusals() -> None:
    local = LocalRegistry()
    local.begin(GIVEN)
    local.client.register("b", ONE)
    local.client.register("a", DEMANDING)
    local.client.register("b", ONE)
    with pytest.raises(Rejected):
        local.client.register("c", "{}")
    local.client.schema(3)
    assert local.registered() == [
        {"id": 5, "subject": "b", "schema": ONE},
        {"id": 6, "subject": "a", "schema": DEMANDING},
        {"id": 5, "subject": "b", "schema": ONE},
    ]
    assert [request.operation for request in local.api.log()] == [*[Operation.REGISTER] * 4, Operation.LOOK_UP]


def test_an_illegal_id_is_not_seen_as_a_registration() -> None:
    local = LocalRegistry()
    local.begin((), "illegal id")
    with pytest.raises(Rejected):
        local.client.register("a", ONE)
    assert (local.registered(), len(local.api.log())) == ([], 1)


def test_our_own_registry_gives_a_case_s_schemas_the_ids_of_the_case() -> None:
    local = LocalRegistry()
    assert local.begin(GIVEN) == {5: 5, 3: 3}
    assert (local.topic_to_configure("{schema}_{table}"), local.topic_of_case("a_b"), local.url) == (
        "{schema}_{table}",
        "a_b",
        None,
    )


def test_a_case_knows_nothing_of_the_one_before(served: ServedRegistry) -> None:
    served.begin(GIVEN)
    with closing(HttpRegistry(served.url)) as registry:
        registry.register("x", ONE)
        served.begin()
        assert (served.registered(), served.api.log()) == ([], ())
        assert registry.register("x", TWO) == 1


# -- somebody else's -------------------------------------------------------------------------------------------------


def test_schemas_get_the_ids_of_a_real_registry_under_subjects_of_our_own(served, real) -> None:
    assert real.begin(GIVEN) == {3: 42, 5: 41}
    assert subjects(served) == ["t-value", "ticdc-conformance-1-t-key", "ticdc-conformance-1-t-value"]
    assert real.topic_to_configure("{schema}_{table}") == "ticdc-conformance-1-{schema}_{table}"
    assert real.topic_of_case("ticdc-conformance-1-a_b") == "a_b"


def test_what_was_registered_in_a_real_registry_is_seen_in_the_order_of_ids(real: RealRegistry) -> None:
    real.begin(GIVEN)
    with closing(HttpRegistry(real.url)) as registry:
        registry.register("ticdc-conformance-1-u-value", DEMANDING)
        registry.register("ticdc-conformance-1-a-key", '"int"')
        registry.register("ticdc-conformance-1-u-key", ONE)
        registry.register("somebody-else", '"long"')
    assert real.registered() == [
        {"id": 41, "subject": "u-key", "schema": ONE},
        {"id": 43, "subject": "u-value", "schema": DEMANDING},
        {"id": 44, "subject": "a-key", "schema": '"int"'},
    ]


def test_the_subjects_of_others_are_never_touched(served: ServedRegistry, real: RealRegistry) -> None:
    with closing(HttpRegistry(real.url)) as registry:
        registry.register("ticdc-conformance-2-t-value", TWO)
    for _ in range(2):
        real.begin(GIVEN)
    real.begin()
    assert real.registered() == []
    assert subjects(served) == ["t-value", "ticdc-conformance-2-t-value"]
    written = [r for r in served.api.log() if r.method in ("PUT", "DELETE") or r.operation is Operation.REGISTER]
    ours = [r for r in written if "/ticdc-conformance-1-" in r.path]
    assert [r.path for r in written if r not in ours] == ["/subjects/ticdc-conformance-2-t-value/versions"]


def test_closing_leaves_nothing_behind(served: ServedRegistry) -> None:
    served.begin([THEIRS])
    registry = RealRegistry(served.url)
    registry.begin(GIVEN)
    registry.close()
    assert subjects(served) == ["t-value"]


def test_every_run_has_subjects_of_its_own(served: ServedRegistry) -> None:
    with closing(RealRegistry(served.url)) as one, closing(RealRegistry(served.url)) as other:
        assert one.prefix != other.prefix
        assert one.prefix.startswith("ticdc-conformance-")


@pytest.mark.parametrize(("fault", "status"), [("", 2), ("backward", None)])
def test_a_level_is_demanded_of_the_subjects_of_the_case_alone(served, real, fault, status) -> None:
    served.begin()
    served.api.answer("PUT", "/config", b'{"compatibility": "FULL"}')
    real.begin([RegisteredSchema(1, "t-value", ONE)], fault)
    with closing(HttpRegistry(real.url)) as registry:
        if status is None:
            with pytest.raises(Rejected, match="409"):
                registry.register(real.topic_to_configure("t-value"), DEMANDING)
        else:
            assert registry.register(real.topic_to_configure("t-value"), DEMANDING) == status
    assert served.api.answer("GET", "/config").body == b'{"compatibilityLevel":"FULL"}'


@pytest.mark.parametrize("fault", ["incompatible", "error", "slow", "unreachable", "illegal id"])
def test_a_real_registry_cannot_be_made_to_misbehave(real: RealRegistry, fault: str) -> None:
    with pytest.raises(Inapplicable, match=f"'{fault}'"):
        real.begin(GIVEN, fault)


def test_an_unknown_fault_is_not_inapplicable_but_ours(real: RealRegistry) -> None:
    with pytest.raises(SuiteError) as error:
        real.begin((), "sulking")
    assert not isinstance(error.value, Inapplicable)


def test_a_schema_that_a_real_registry_refuses_makes_the_case_inapplicable(real: RealRegistry) -> None:
    with pytest.raises(Inapplicable, match="schema 1 cannot be put"):
        real.begin([RegisteredSchema(1, "t-value", '{"type":"record"}')])


@pytest.mark.parametrize("url", ["nowhere", "http://127.0.0.1:1"])
def test_a_url_without_a_registry_is_a_matter_of_usage(url: str) -> None:
    with pytest.raises(UsageError, match="--registry-url"):
        RealRegistry(url)


def test_a_server_that_is_no_registry_is_left_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[HttpConnection] = []
    monkeypatch.setattr(HttpConnection, "close", lambda connection: closed.append(connection))
    with web() as server:
        server.status, server.body = 200, b"[]"
        with pytest.raises(UsageError, match="is no schema registry"):
            RealRegistry(server.url)
    assert len(closed) == 1


def test_a_registry_that_fails_later_is_not_the_implementation_s_fault() -> None:
    with web() as server:
        registry = RealRegistry(server.url)
        server.status, server.body = 500, b"{}"
        with pytest.raises(SuiteError, match=r"GET /subjects.* status 500"):
            registry.begin()
        server.status, server.body = 200, b"<html>"
        with pytest.raises(SuiteError, match="not answered with JSON"):
            registry.registered()
        server.status, server.body = 200, b"[]"
        registry.close()


# -- ids in records --------------------------------------------------------------------------------------------------


def test_the_ids_of_a_record_become_those_of_the_registry() -> None:
    record = Record(b"\0\0\0\0\5\2", b"\0\0\0\0\3\2\6")
    assert with_ids(record, {5: 41, 3: 0x01020304}) == Record(b"\0\0\0\0\x29\2", b"\0\1\2\3\4\2\6")


@pytest.mark.parametrize("data", [None, b"", b"\0\0\0\0", b"\1\0\0\0\5", b"\0\0\0\0\6", b"\2" + b"\0" * 8])
def test_what_carries_no_known_id_stays_as_it_is(data: bytes | None) -> None:
    assert with_ids(Record(data, data), {5: 41}) == Record(data, data)
