"""A case as the members of its two requests, `configure` and `encode` or `decode`, without the expectation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeAlias

import orjson

from conformance.cases.model import Case
from reference_impl.wire import claim_to_json, event_to_json, record_to_json, table_to_json

__all__ = ["Answerer", "case_request", "configure_request", "input_digest"]

Answerer: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""A function from a request of the harness protocol to its answer."""


def configure_request(case: Case) -> dict[str, Any]:
    """The members of the `configure` request of a case, without `id` and `op`."""
    settings = case.settings
    request: dict[str, Any] = {
        "protocol": case.protocol,
        "options": dict(case.options),
        "timezone": settings.timezone,
        "cluster_id": settings.cluster_id,
        "topic": settings.topic,
        "partitions": settings.partitions,
    }
    if settings.registry_url is not None:
        request["registry_url"] = settings.registry_url
    if settings.now_ms is not None:
        request["now_ms"] = str(settings.now_ms)
    return request


def case_request(case: Case) -> dict[str, Any]:
    """The members of the `encode` or `decode` request of a case, without `id` and `op`."""
    tables = [table_to_json(t) for t in case.tables]
    if case.role == "encode":
        return {
            "case": case.opaque_id,
            "tables": tables,
            "events": [event_to_json(e) for e in case.events],
            "sql": list(case.sql),
        }
    request: dict[str, Any] = {"case": case.opaque_id, "records": [record_to_json(r) for r in case.records]}
    if case.send_tables:
        request["tables"] = tables
    if case.claims:
        request["claims"] = [claim_to_json(c) for c in case.claims]
    return request


def input_digest(case: Case) -> str:
    """The digest of the input: two cases with one digest are one input."""
    request = {name: value for name, value in case_request(case).items() if name != "case"}
    registry = [[s.id, s.subject, s.schema] for s in case.schemas], case.registry_fault
    shown = [case.role, configure_request(case), request, registry]
    return hashlib.sha256(orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)).hexdigest()
