"""What tests of the Avro oracle share: a row, tables beside the small one, and what an encoder is asked for."""

from __future__ import annotations

from avro_answers import AS_STRINGS, BEFORE, EXTENDED, RAW, WATCHED, case_of, row

from tests.unit.oracle.judging import OLD, SMALL, ddl_event, mark

UNIQUE = {**SMALL, "primary_key": [], "unique_keys": [{"name": "u", "columns": ["id"]}]}
WIDER = {**SMALL, "columns": [*SMALL["columns"], {"name": "c", "type": "int"}]}

INSERT = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
DELETE = case_of("encode", row("delete"))
EXTENSION = case_of("encode", row("insert"), options=EXTENDED)
TEXTS = case_of("encode", row("insert"), options=AS_STRINGS)
KEPT = case_of("encode", row("update", base=OLD, a="3"), table=SMALL, options=BEFORE)
MOVED_RAW = case_of("encode", row("update", base=OLD, id="5"), table=SMALL, options=RAW)
STATEMENT = case_of("encode", ddl_event(), table=SMALL, options=WATCHED)
MARK = case_of("encode", mark(), table=SMALL, options=WATCHED)
MARKED_DELETE = case_of("encode", row("delete", base=OLD), table=SMALL, options=WATCHED)
