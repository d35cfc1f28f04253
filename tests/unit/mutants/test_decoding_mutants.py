"""Decoders with a fault do what their descriptions say, also of records that no case has."""

from __future__ import annotations

import base64
import json
from typing import Any

from conformance.mutants import mutant_named

PASSED_ON = {"id": 1, "ok": {"events": []}}


def answer(name: str, message: Any) -> Any:
    decoder = mutant_named(name).wrap(lambda request: PASSED_ON)
    value = base64.b64encode(json.dumps(message, separators=(",", ":")).encode()).decode()
    return decoder({"id": 1, "op": "decode", "records": [{"key": None, "value": value}]})


def test_a_decoder_that_refuses_unknown_members_refuses_them_without_an_extension() -> None:
    assert "rejected" in answer("canal-json/read-unknown-members-refused", {"id": 0, "gtid": ""})
    assert answer("canal-json/read-unknown-members-refused", {"id": 0, "_tidb": 1}) == PASSED_ON


def test_a_decoder_that_needs_types_refuses_rows_without_them_but_reads_watermarks() -> None:
    row = {"isDdl": False, "type": "DELETE", "mysqlType": None}
    assert "rejected" in answer("canal-json/empty-types-read-alone", row)
    assert answer("canal-json/empty-types-read-alone", row | {"type": "TIDB_WATERMARK"}) == PASSED_ON
    assert answer("canal-json/empty-types-read-alone", row | {"mysqlType": {"id": "int"}}) == PASSED_ON
