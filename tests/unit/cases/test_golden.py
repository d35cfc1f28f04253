"""Golden examples: how a text becomes what it stands for, and that the reference writes all of them to the byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import avro.io
import avro.schema
import pytest

from conformance.cases.golden import golden_cases, golden_examples
from conformance.cases.model import Case, ExpectedRecords, ExpectedRejection
from conformance.cases.normalise import fill_placeholders, reorder_schema
from conformance.embedded import Embedded
from reference_impl.profiles import NEWARCH, PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.wire import record_to_json

PLACEHOLDERS = '{"name":"{{A}}","of":["{{B}}","{{B}}"]}'
AVRO = [pytest.param(case, id=f"{case.id}-{case.role}") for case in golden_cases("avro", NEWARCH)]


def test_placeholders_take_their_values_in_turn() -> None:
    filled = fill_placeholders(PLACEHOLDERS, {"A": ["x"], "B": ["y", "z"]})
    assert filled == '{"name":"x","of":["y","z"]}'


@pytest.mark.parametrize(
    ("values", "says"),
    [({"A": ["x"], "B": ["y"]}, "more often"), ({"A": ["x"], "B": ["y", "z", "z"]}, "less often")],
    ids=["too few", "too many"],
)
def test_placeholders_and_values_must_come_out_even(values: dict[str, list[str]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fill_placeholders(PLACEHOLDERS, values)


def test_a_schema_is_put_into_the_order_of_todays_producers() -> None:
    column = {"connect.parameters": {"tidb_type": "DECIMAL"}, "scale": 2, "precision": 10, "type": "bytes"}
    field = {"name": "c", "type": ["null", column], "default": None}
    shown = {"name": "t", "namespace": "default.test", "type": "record", "fields": [field]}
    column = {"type": "bytes", "connect.parameters": {"tidb_type": "DECIMAL"}, "precision": 10, "scale": 2}
    fields = [{"default": None, "name": "c", "type": ["null", column]}]
    assert json.dumps(reorder_schema(shown)) == json.dumps(
        {"type": "record", "name": "t", "namespace": "default.test", "fields": fields}
    )


@pytest.mark.parametrize("case", AVRO)
def test_another_reader_of_avro_reads_every_golden_body_to_its_end(case: Case) -> None:
    expected = case.expected if case.role == "encode" else None
    if isinstance(expected, ExpectedRejection):
        assert not case.records
        return
    given = expected if isinstance(expected, ExpectedRecords) else case
    schemas = {s.id: avro.schema.parse(s.schema) for s in given.schemas}
    for record in given.records:
        for data in filter(None, (record.key, record.value)):
            body = BytesIO(data[5:])
            avro.io.DatumReader(schemas[int.from_bytes(data[1:5], "big")]).read(avro.io.BinaryDecoder(body))
            assert not body.read()


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_group_of_the_test_plan_has_cases_under_every_profile(profile: Profile) -> None:
    headings = {e.heading for e in golden_examples("avro") if e.applies(profile)}
    plan = {"CLI Tests", "Data Mapping Tests", "DML Tests", "Schema Tests", "SubjectNameStrategy Tests"}
    assert plan <= headings


def test_an_incompatible_schema_is_put_to_a_registry_that_knows_the_old_one() -> None:
    [case] = [c for c in golden_cases("avro") if c.id.endswith("/schema-incompatible")]
    assert case.registry_fault == "backward"
    assert [(s.id, s.subject) for s in case.schemas] == [(1, "test_t-value")]
    assert isinstance(case.expected, ExpectedRejection)


# The document shows an empty table name, which the classic producer leaves out.
_ANOTHER_TEXT = {
    ("classic", f"open-protocol/golden/{name}")
    for name in (
        *("01-event-formats/ddl-key", "01-event-formats/ddl-value", "04-ddl-codes/create-schema"),
        *("04-ddl-codes/drop-schema", "04-ddl-codes/modify-schema-charset-and-collate"),
    )
}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("protocol", CODECS)
def test_the_reference_writes_every_record_and_schema_of_a_document_to_the_byte(protocol, profile) -> None:
    """In order within a partition, of which the document shows one after the other."""
    for case in golden_cases(protocol, profile):
        if not isinstance(case.expected, ExpectedRecords) or (profile.name, case.id) in _ANOTHER_TEXT:
            continue
        told = Embedded(profile).ask(case)["ok"]
        expected = [record_to_json(record) for record in case.expected.records]
        assert sorted(told["records"], key=_partition) == sorted(expected, key=_partition), case.id
        assert {(s["subject"], s["schema"]) for s in told["schemas"]} >= {
            (s.subject, s.schema) for s in case.expected.schemas
        }, case.id


def _partition(record: Mapping[str, Any]) -> int:
    return record.get("partition") or 0
