"""Null implementations: programs that do no work, which must never pass. Unlike mutants they wrap no implementation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from conformance.mutants.model import Answerer
from conformance.reference_harness import ReferenceHarness
from reference_impl.protocols import CODECS

__all__ = ["NULL_IMPLEMENTATIONS"]

Json = dict[str, Any]

_CLAIMS_ALL: Json = {protocol: {} for protocol in CODECS}


def _hello(request: Json, protocols: Json) -> Json:
    ok = {"harness": 1, "name": "null", "version": "0", "language": "python", "protocols": protocols, "clock": "given"}
    return {"id": request["id"], "ok": ok}


def _administrative(request: Json) -> Json | None:
    if request["op"] == "hello":
        return _hello(request, _CLAIMS_ALL)
    return {"id": request["id"], "ok": {}} if request["op"] in ("configure", "reset", "bye") else None


def echo(request: Json) -> Json:
    """Answers `encode` with an empty record for each event, and `decode` with the events of the request."""
    records = [{"key": None, "value": None} for _ in request.get("events", ())]
    ok = {"records": records} if request["op"] == "encode" else {"events": request.get("events", [])}
    return _administrative(request) or {"id": request["id"], "ok": ok}


def empty(request: Json) -> Json:
    """Answers every request with an empty result."""
    return _administrative(request) or {"id": request["id"], "ok": {"records": [], "events": []}}


def constant(request: Json) -> Json:
    """Answers every request with the same record or event."""
    ok = {"records": [{"key": None, "value": "e30="}], "events": [{"kind": "watermark", "commit_ts": "7"}]}
    return _administrative(request) or {"id": request["id"], "ok": ok}


def always_reject(request: Json) -> Json:
    """Refuses every input, which is right for the invalid ones only."""
    refusal = {"class": "syntax", "message": "no"}
    return _administrative(request) or {"id": request["id"], "rejected": refusal}


def always_unsupported(request: Json) -> Json:
    """Declares support for every protocol, and answers `unsupported` to every input."""
    return _administrative(request) or {"id": request["id"], "unsupported": "no"}


def declares_nothing(request: Json) -> Json:
    """Declares no protocol, which is honest."""
    if request["op"] == "hello":
        return _hello(request, {})
    return _administrative(request) or {"id": request["id"], "unsupported": "no"}


class _EarlierAnswer:
    """Answers a request with the reference's answer to an earlier request."""

    def __init__(self, *, is_previous: bool) -> None:
        self._is_previous = is_previous
        self._harness = ReferenceHarness()
        self._known: dict[str, Json] = {}

    def __call__(self, request: Json) -> Json:
        original = self._harness.answer(request)
        op = request["op"]
        if op not in ("encode", "decode"):
            return original
        known = self._known.setdefault(op, original)
        if self._is_previous:
            self._known[op] = original
        return {**known, "id": request["id"]}


one_behind = _EarlierAnswer(is_previous=True)
"""Answers every request with the answer to the previous one."""

first_answer = _EarlierAnswer(is_previous=False)
"""Answers every request with the answer to the first one."""


def dead(request: Json) -> Json:
    """Ends before its first answer."""
    sys.exit(3)


NULL_IMPLEMENTATIONS: Mapping[str, Answerer] = {
    "echo": echo,
    "empty": empty,
    "constant": constant,
    "always-reject": always_reject,
    "always-unsupported": always_unsupported,
    "one-behind": one_behind,
    "first-answer": first_answer,
    "declares-nothing": declares_nothing,
    "dead": dead,
}
