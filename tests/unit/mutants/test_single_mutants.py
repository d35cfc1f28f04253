"""Mutants do what their descriptions say, also for records and options that no case has."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from conformance.cases.inputs import insert, numbered
from conformance.mutants import mutant_named
from conformance.reference_harness import ReferenceHarness
from reference_impl.wire import event_to_json, record_from_json, table_to_json

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


TABLE = numbered()
ROW = event_to_json(insert(TABLE, {"id": "1"}, 1 << 40))
EXTENSION = "enable-tidb-extension"


@pytest.mark.parametrize("options", [{}, {EXTENSION: "false"}, {EXTENSION: "true"}], ids=str)
def test_an_encoder_that_writes_tidb_type_without_the_extension_always_writes_it(options: dict[str, str]) -> None:
    encoder = mutant_named("debezium/tidb-type-always").wrap(ReferenceHarness().answer)
    encoder({"op": "configure", "protocol": "debezium", "options": options})
    answer = encoder({"op": "encode", "tables": [table_to_json(TABLE)], "events": [ROW]})
    [record] = answer["ok"]["records"]
    assert b'"tidb_type"' in (record_from_json(record).value or b"")
