"""The wrappers of mutants know the configuration that the wrapped implementation has accepted."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from conformance.mutants.open_protocol.edits import refuses
from conformance.mutants.wrappers import Context, edit_answer
from conformance.reference_harness import ReferenceHarness
from reference_impl.compression import compress
from reference_impl.open_protocol.framing import frame

Json = dict[str, Any]

GOOD: Json = {"op": "configure", "protocol": "canal-json", "options": {"enable-tidb-extension": "true"}}
BAD: Json = {"op": "configure", "protocol": "canal-json", "options": {"enable-tidb-extension": "perhaps"}}


def _options_seen(*requests: Json) -> list[Json]:
    """The options that an edit of each answer to `encode` sees."""
    seen: list[Json] = []

    def edit(ok: Json, context: Context) -> None:
        seen.append(dict(context.options))

    harness = ReferenceHarness()

    def inner(request: Json) -> Json:
        return {"ok": {}} if request["op"] == "encode" else harness.answer(request)

    answerer = edit_answer("encode", edit)(inner)
    for request in requests:
        answerer(request)
    return seen


def test_an_edit_sees_the_options_of_the_last_configuration() -> None:
    other = {**GOOD, "options": {}}
    encode = {"op": "encode"}
    assert _options_seen(GOOD, encode, other, encode) == [GOOD["options"], {}]


@pytest.mark.parametrize("before", [[], [GOOD]])
def test_a_configuration_that_is_refused_is_not_in_force(before: list[Json]) -> None:
    assert ReferenceHarness().answer(BAD).keys() == {"id", "rejected"}
    assert _options_seen(*before, BAD, {"op": "encode"}) == [{}]


def test_two_implementations_with_one_defect_have_configurations_of_their_own() -> None:
    wrap = refuses("schema", lambda key, value: True)
    first, second = wrap(lambda request: {"ok": {}}), wrap(lambda request: {"ok": {}})
    first({"op": "configure", "options": {"large-message-handle-compression": "snappy"}})
    second({"op": "configure", "options": {}})
    key, value = (b64encode(side).decode() for side in frame([(b'{"t":1}', compress("snappy", b"{}"))]))
    request = {"id": 1, "op": "decode", "records": [{"key": key, "value": value}]}
    assert "rejected" in first(request)
    assert "ok" in second(request)
