"""Null implementations: programs that do no work, which must never pass. Unlike mutants they wrap no implementation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from conformance.mutants.model import Answerer
from conformance.reference_harness import ReferenceHarness
from reference_impl.protocols import CODECS

__all__ = ["NULL_IMPLEMENTATIONS", "always_reject", "dead"]

Json = dict[str, Any]

_ALL: Json = {protocol: {} for protocol in CODECS}


def _answering(answer_to: Callable[[Json], Json], protocols: Json = _ALL) -> Answerer:
    """Declares these protocols, accepts every configuration, and answers inputs by `answer_to(request)`."""

    def answer(request: Json) -> Json:
        op = request["op"]
        if op == "hello":
            identity = {"harness": 1, "name": "null", "version": "0", "language": "python", "clock": "given"}
            return {"id": request["id"], "ok": {**identity, "protocols": protocols}}
        return {"id": request["id"], **({"ok": {}} if op in ("configure", "reset", "bye") else answer_to(request))}

    return answer


def _echo(request: Json) -> Json:
    """An empty record for each event to encode, or the events of a request to decode."""
    if request["op"] == "encode":
        return {"ok": {"records": [{"key": None, "value": None} for _ in request.get("events", ())]}}
    return {"ok": {"events": request.get("events", [])}}


always_reject = _answering(lambda request: {"rejected": {"class": "syntax", "message": "no"}})
"""Refuses every input, which is right for the invalid ones only."""


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


def dead(request: Json) -> Json:
    """Ends before its first answer."""
    sys.exit(3)


_CONSTANT = {"records": [{"key": None, "value": "e30="}], "events": [{"kind": "watermark", "commit_ts": "7"}]}

NULL_IMPLEMENTATIONS: Mapping[str, Answerer] = {
    "echo": _answering(_echo),
    "empty": _answering(lambda request: {"ok": {"records": [], "events": []}}),
    "constant": _answering(lambda request: {"ok": _CONSTANT}),
    "always-reject": always_reject,
    "always-unsupported": _answering(lambda request: {"unsupported": "no"}),
    # The answer to the previous request, and to the first one.
    "one-behind": _EarlierAnswer(is_previous=True),
    "first-answer": _EarlierAnswer(is_previous=False),
    # This is honest.
    "declares-nothing": _answering(lambda request: {"unsupported": "no"}, protocols={}),
    "dead": dead,
}
