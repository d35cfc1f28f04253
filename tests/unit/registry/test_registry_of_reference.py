"""The reference harness and the registry of its `configure` requests."""

from __future__ import annotations

from typing import Any

import pytest
from traffic import web

from conformance.reference_harness import ReferenceHarness
from conformance.registry import ServedRegistry

CONFIGURE: dict[str, Any] = {"id": 1, "op": "configure", "protocol": "canal-json"}


def connections(server: Any) -> int:
    return len(set(server.ports))


def test_a_configure_request_asks_once_whether_there_is_a_registry_and_a_reset_does_not(served: ServedRegistry) -> None:
    harness = ReferenceHarness()
    for request in (CONFIGURE | {"registry_url": served.url}, {"op": "reset"}, {"op": "reset"}, {"op": "bye"}):
        assert "ok" in harness.answer(request)
    assert [(r.method, r.path) for r in served.api.log()] == [("GET", "/")]


def test_every_configure_request_has_a_connection_of_its_own() -> None:
    with web() as server:
        harness = ReferenceHarness()
        for _ in range(3):
            assert "ok" in harness.answer(CONFIGURE | {"registry_url": server.url})
        harness.answer({"op": "bye"})
        assert connections(server) == 3


@pytest.mark.parametrize("url", ["nowhere", "http://127.0.0.1:1"])
def test_a_registry_that_is_none_is_refused_at_configure(url: str) -> None:
    answer = ReferenceHarness().answer(CONFIGURE | {"registry_url": url})
    assert answer["rejected"]["class"] == "semantics"


def test_after_a_refused_configure_nothing_is_configured(served: ServedRegistry) -> None:
    harness = ReferenceHarness()
    assert "ok" in harness.answer(CONFIGURE | {"registry_url": served.url})
    assert "rejected" in harness.answer(CONFIGURE | {"registry_url": "nowhere"})
    assert "rejected" in harness.answer({"op": "reset"})
    assert "ok" in harness.answer({"op": "bye"})


def test_whoever_runs_it_in_process_may_hand_in_a_registry() -> None:
    asked: list[str | None] = []

    def registry(url: str | None) -> None:
        asked.append(url)

    harness = ReferenceHarness(registry=registry)
    harness.answer(CONFIGURE | {"registry_url": "http://registry.example"})
    harness.answer(CONFIGURE)
    assert asked == ["http://registry.example", None]


def test_after_a_refused_time_zone_nothing_is_configured() -> None:
    harness = ReferenceHarness()
    request = CONFIGURE | {"protocol": "debezium"}
    assert "ok" in harness.answer(request)
    assert "rejected" in harness.answer(request | {"timezone": "Nowhere"})
    assert "rejected" in harness.answer({"op": "encode"})
    assert "rejected" in harness.answer({"op": "decode"})
