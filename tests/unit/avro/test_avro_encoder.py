"""What the encoder sends, registers and refuses; what profiles, options and the named defect change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.avro import Encoder
from reference_impl.avro.style import DEFECTS
from reference_impl.avro.subjects import topic_of
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, RowChange, Table, Value, Watermark
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile, profile_of_release
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from tests.unit.avro.samples import PERSON, TS, WATERMARKS, body_of, column, insert, options, table_of, write

DELETE = RowChange("delete", "test", "person", TS, before={"id": "1", "age": "18"})
DDL = DdlEvent("test", "t", "alter table t add index (a)", "add index", 7, TS)


def _refused(*events: Event, table: Table = PERSON, **more: Any) -> str:
    with pytest.raises(Rejected) as refused:
        write(table, *events, **more)
    return str(refused.value.reason)


# Profiles


@pytest.mark.parametrize(
    ("profile", "avro", "body"),
    [
        (NEWARCH, "float", "c3f54840"),
        (CLASSIC, "float", "c3f54840"),
        (DOC, "double", "00000060b81e0940"),  # the 32-bit number, widened
        (profile_of_release("v6.5.0"), "double", "00000060b81e0940"),
        (profile_of_release("v7.0.0"), "float", "c3f54840"),
    ],
)
def test_a_float_is_as_wide_as_the_profile_has_it(profile: Profile, avro: str, body: str) -> None:
    table = table_of(column("c", "float", nullable=False))
    written = write(table, insert(table, c="3.14"), profile=profile)
    assert f'"type":"{avro}"' in written.text()
    assert body_of(written.records[0].value) == "02" + body  # AV-082


UNIQUE = table_of(column("u", "varchar(5)", nullable=False), key=(), unique=("u",))


@pytest.mark.parametrize(("profile", "key"), [(NEWARCH, None), (CLASSIC, "00000000010278"), (DOC, "00000000010278")])
def test_a_table_with_a_unique_key_alone_has_a_key_in_some_profiles(profile: Profile, key: str | None) -> None:
    written = write(UNIQUE, insert(UNIQUE, u="x"), profile=profile)
    assert written.records[0].key == (None if key is None else bytes.fromhex(key))  # AV-112
    assert ("test_t-key" in written.subjects) == (key is not None)


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_a_table_without_any_key_has_no_key(profile: Profile) -> None:
    table = table_of(key=())
    gone = RowChange("delete", "test", "t", TS, before={"id": "1"})
    written = write(table, insert(table), gone, profile=profile)
    assert [record.key for record in written.records] == [None, None]  # AV-113
    assert written.records[1].value is None
    assert written.subjects == ["test_t-value"]


def test_the_key_has_its_columns_in_the_order_of_the_table() -> None:
    table = table_of(column("b", "int", nullable=False), column("c", "int", nullable=False), key=("c", "id"))
    written = write(table, insert(table, b="2", c="3"))
    assert [field["name"] for field in written.schema("key")["fields"]] == ["id", "c"]
    assert body_of(written.records[0].key) == "0206"


GENERATED = table_of(column("v", "int", generated="virtual"), column("s", "int", generated="stored"))
GENERATED_NOT_NULL = table_of(column("v", "int", nullable=False, generated="virtual"))


@pytest.mark.parametrize(
    ("profile", "names", "body"),
    [(NEWARCH, ["id", "v", "s"], "0200020a"), (DOC, ["id", "v", "s"], "0200020a"), (CLASSIC, ["id", "s"], "02020a")],
)
@pytest.mark.parametrize("more", [{}, {"v": "4"}])
def test_a_virtual_column_is_null_or_absent_whether_the_row_has_it_or_not(
    profile: Profile, names: list[str], body: str, more: dict[str, Value]
) -> None:
    written = write(GENERATED, insert(GENERATED, s="5", **more), profile=profile)
    assert [field["name"] for field in written.schema()["fields"]] == names  # AV-110
    assert body_of(written.records[0].value) == body


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_a_virtual_column_that_cannot_be_null_is_left_out(profile: Profile) -> None:
    written = write(GENERATED_NOT_NULL, insert(GENERATED_NOT_NULL, v="3"), profile=profile)
    assert [field["name"] for field in written.schema()["fields"]] == ["id"]


def test_the_named_defect_refuses_such_a_column() -> None:
    assert _refused(insert(GENERATED_NOT_NULL), table=GENERATED_NOT_NULL, defects=frozenset(DEFECTS)) == "schema"


@pytest.mark.parametrize(
    ("profile", "value"),
    [
        (NEWARCH, b"\3" + TS.to_bytes(8, "big")),
        (CLASSIC, None),
        (DOC, None),
        (profile_of_release("v8.5.5"), None),
        (profile_of_release("v8.5.7"), b"\3" + TS.to_bytes(8, "big")),
    ],
)
def test_a_delete_in_the_mode_for_tests_has_what_the_profile_gives_it(profile: Profile, value: bytes | None) -> None:
    assert write(PERSON, DELETE, profile=profile, given=WATERMARKS).records[0].value == value  # AV-131


@pytest.mark.parametrize(
    ("profile", "has"), [(NEWARCH, True), (CLASSIC, False), (DOC, False), (profile_of_release("v8.5.7"), False)]
)
def test_before_values_are_for_the_newest_alone(profile: Profile, has: bool) -> None:
    written = write(
        PERSON, insert(PERSON, age="1"), DELETE, profile=profile, given=options(avro_include_before_value="true")
    )
    assert ("_ticdc_before" in written.text()) == has  # AV-120
    assert (written.records[1].value is not None) == has  # AV-121


# Control events


@pytest.mark.parametrize(
    "given",
    [{}, {"enable_tidb_extension": "true"}, {"avro_enable_watermark": "true"}],
    ids=["neither", "extension", "watermark"],
)
def test_statements_and_watermarks_are_sent_in_the_mode_for_tests_alone(given: dict[str, str]) -> None:
    assert write(None, DDL, Watermark(5), given=options(**given)).records == ()  # AV-006


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_a_statement_is_escaped_as_go_escapes_it(profile: Profile) -> None:
    event = DdlEvent("test", "", "select '<&>\u2028'", action_code=1, commit_ts=2**64 - 1)
    [sent] = write(None, event, profile=profile, given=WATERMARKS).records
    assert sent.value == (
        rb'%c{"query":"select ' % 1 + rb"'\u003c\u0026\u003e\u2028'" + rb'","type":1,"schema":"test","table":"",'
        rb'"commitTs":18446744073709551615}'
    )


# Rows


@pytest.mark.parametrize(
    ("commit_ts", "body"),
    [
        (0, "00" + "00"),
        (2**18, "808020" + "02"),
        (2**63 - 1, "feffffffffffffffff01" + "feffffffffff0f"),
        (2**63, "ffffffffffffffffff01" + "80808080808010"),
        (2**64 - 1, "01" + "feffffffffff1f"),
    ],
)
def test_a_time_stamp_beyond_63_bits_is_a_negative_long(commit_ts: int, body: str) -> None:
    """The time stamp, and its 46 bits of milliseconds."""
    change = insert(PERSON, commit_ts=commit_ts, age=None)
    written = write(PERSON, change, given=options(enable_tidb_extension="true"))
    assert body_of(written.records[0].value) == "0200" + "0263" + body  # AV-117, AV-118


def test_without_the_extension_no_time_is_needed() -> None:
    change = RowChange("insert", "test", "person", None, after={"id": "1", "age": "1"})
    assert body_of(write(PERSON, change).records[0].value) == "020202"


# Schemas, subjects, the registry


def test_a_schema_is_registered_before_its_first_record_and_once_an_encoder() -> None:
    registry = MemoryRegistry()
    encoder = Encoder(settings=Settings(registry=registry))
    encoder.encode([DELETE], [PERSON])
    assert [one.subject for one in registry.requests] == ["test_person-key"]
    for _ in range(3):
        encoder.encode([insert(PERSON, age="1")], [PERSON])
    assert [one.subject for one in registry.requests] == ["test_person-key", "test_person-value"]
    Encoder(settings=Settings(registry=registry)).encode([insert(PERSON, age="1")], [PERSON])
    assert [one.id for one in registry.requests] == [1, 2, 1, 2]


def test_a_new_version_of_a_table_is_registered_at_its_next_row() -> None:
    wider = table_of(column("age", "int"), column("more", "int"), name="person")
    statement = DdlEvent("test", "person", "alter table person add column more int", "add column", 5, TS, PERSON, wider)
    written = write(PERSON, insert(PERSON, age="1"), statement, insert(wider, age="1", more="2"))
    assert written.subjects == ["test_person-key", "test_person-value", "test_person-value"]  # AV-007, AV-156
    assert [record.value and record.value[4] for record in written.records] == [2, 3]


def test_a_version_with_the_same_schema_is_not_registered_again() -> None:
    commented = Table("test", "person", PERSON.columns, ("id",), comment="c")
    statement = DdlEvent("test", "person", "alter table person comment 'c'", action_code=17, table_after=commented)
    written = write(PERSON, insert(PERSON, age="1"), statement, insert(PERSON, age="1"))
    assert written.subjects == ["test_person-key", "test_person-value"]


@pytest.mark.parametrize("expression", ["{schema}_{table}", "prefix{schema}.{table}-x", "hard-coded"])
def test_a_topic_rule_with_both_names_or_neither_is_accepted(expression: str) -> None:
    written = write(PERSON, insert(PERSON, age="1"), settings={"topic": expression})
    assert written.subjects[1] == topic_of(expression, "test", "person") + "-value"  # AV-155


@pytest.mark.parametrize(
    "expression", ["{table}_{schema}", "{schema}", "prefix_{table}", "%invalid{schema}", "{schema}/{table}", ""]
)
def test_any_other_topic_rule_is_refused(expression: str) -> None:
    with pytest.raises(Rejected) as refused:
        Encoder(settings=Settings(topic=expression))
    assert refused.value.reason == "semantics"  # TV-AV-055, TV-AV-055a
    assert "Avro" in refused.value.message
    assert expression in refused.value.message


@pytest.mark.parametrize("schema_id", [0, -1, 2**31])
def test_an_id_that_no_registry_gives_is_refused(schema_id: int) -> None:
    class Wrong(MemoryRegistry):
        def register(self, subject: str, schema: str) -> int:
            return schema_id

    with pytest.raises(Rejected) as refused:
        Encoder(settings=Settings(registry=Wrong())).encode([insert(PERSON, age="1")], [PERSON])
    assert refused.value.reason == "semantics"  # AV-172


def test_what_the_registry_refuses_is_refused() -> None:
    class Incompatible(MemoryRegistry):
        def register(self, subject: str, schema: str) -> int:
            raise Rejected("semantics", f"{subject}: incompatible")

    with pytest.raises(Rejected, match="test_person-key: incompatible"):
        Encoder(settings=Settings(registry=Incompatible())).encode([insert(PERSON, age="1")], [PERSON])  # AV-190


def test_every_schema_is_json_without_blanks() -> None:
    table = table_of(column("e", "enum('a b','c')"), column("j", "json"))
    written = write(table, insert(table, e=None, j=None))
    assert json.dumps(written.schema(), separators=(",", ":")) == written.text()
