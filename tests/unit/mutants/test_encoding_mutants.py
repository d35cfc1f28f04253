"""Encoders with a fault do what their descriptions say, whatever the options."""

from __future__ import annotations

import pytest

from conformance.cases.inputs import column, insert, table
from conformance.mutants import mutant_named
from conformance.reference_harness import ReferenceHarness
from reference_impl.wire import event_to_json, record_from_json, table_to_json

TABLE = table("t", (column("id", "int", nullable=False),))
ROW = event_to_json(insert(TABLE, {"id": "1"}, 1 << 40))
EXTENSION = "enable-tidb-extension"


@pytest.mark.parametrize("options", [{}, {EXTENSION: "false"}, {EXTENSION: "true"}], ids=str)
def test_an_encoder_that_writes_tidb_type_without_the_extension_always_writes_it(options: dict[str, str]) -> None:
    encoder = mutant_named("debezium/tidb-type-always").wrap(ReferenceHarness().answer)
    encoder({"op": "configure", "protocol": "debezium", "options": options})
    answer = encoder({"op": "encode", "tables": [table_to_json(TABLE)], "events": [ROW]})
    [record] = answer["ok"]["records"]
    assert b'"tidb_type"' in (record_from_json(record).value or b"")
