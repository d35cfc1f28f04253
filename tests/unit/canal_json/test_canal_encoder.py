"""What options, settings and profiles change in Canal-JSON, and what an encoder refuses."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.canal_json import Decoder, Encoder, Options, decode, encode
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Event, Key, RowChange, Table, Watermark
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, PROFILES, Profile, profile_of_release
from reference_impl.settings import Settings
from tests.unit.canal_json.messages import COMMIT_TS, EXTENSION, ROW, TP_INT, tree_of, write

_INSERT = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW)
_UPDATE = RowChange("update", "test", "tp_int", COMMIT_TS, before=ROW, after=ROW | {"c_int": "0"})
_DELETE = RowChange("delete", "test", "tp_int", COMMIT_TS, before=ROW)
_DDL = DdlEvent("test", "tp_int", "truncate table tp_int", "truncate table", commit_ts=COMMIT_TS)
_WATERMARK = Watermark(COMMIT_TS)
_EVENTS: tuple[Event, ...] = (_INSERT, _UPDATE, _DELETE, _DDL, _WATERMARK)


def _columns(**kinds: str) -> tuple[Column, ...]:
    return tuple(Column(name, parse_column_type(kind), nullable=False) for name, kind in kinds.items())


# Extension


def test_the_extension_adds_one_last_member_and_watermarks() -> None:
    plain, extended = write(*_EVENTS), write(*_EVENTS, options=EXTENSION)
    assert (len(plain), len(extended)) == (4, 5)
    end = f',"_tidb":{{"commitTs":{COMMIT_TS}}}}}'.encode()
    assert [value[:-1] + end for value in plain] == extended[:4]


# Which rows and columns


def test_changed_columns_alone_are_in_old_and_data_stays_full() -> None:
    [value] = write(_UPDATE, options=Options(only_output_updated_columns=True))
    tree = tree_of(value)
    assert (tree["old"], tree["data"]) == ([{"c_int": "2147483647"}], [ROW | {"c_int": "0"}])


def test_an_update_that_changes_nothing_has_an_empty_object_in_old() -> None:
    [value] = write(replace(_UPDATE, after=ROW), options=Options(only_output_updated_columns=True))
    assert b'"old":[{}],' in value


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("1", None)])
def test_a_change_from_or_to_null_is_a_change(before: str | None, after: str | None) -> None:
    change = replace(_UPDATE, before=ROW | {"c_int": before}, after=ROW | {"c_int": after})
    [value] = write(change, options=Options(only_output_updated_columns=True))
    assert tree_of(value)["old"] == [{"c_int": before}]


_UNIQUE = Table(
    "test",
    "u",
    (*_columns(a="int", b="int", c="int"), Column("n", parse_column_type("int"))),
    unique_keys=(Key("an", ("a", "n")), Key("bc", ("b", "c")), Key("c", ("c",)), Key("b", ("b",))),
)


def test_the_handle_key_of_a_delete_is_the_shortest_unique_key_without_null_and_the_first_of_those() -> None:
    change = RowChange("delete", "test", "u", 1, before={"a": "1", "b": "2", "c": "3", "n": None})
    [value] = write(change, tables=(_UNIQUE,), options=Options(delete_only_output_handle_key_columns=True))
    tree = tree_of(value)
    assert (tree["data"], tree["mysqlType"], tree["sqlType"], tree["pkNames"]) == (
        [{"c": "3"}],
        {"c": "int"},
        {"c": 4},
        [],
    )


@pytest.mark.parametrize(
    ("profile", "types"), [(NEWARCH, b'"mysqlType":null'), (CLASSIC, b'"mysqlType":{}'), (DOC, b'"mysqlType":null')]
)
def test_a_delete_without_a_handle_key_has_one_empty_row(profile: Profile, types: bytes) -> None:
    table = Table("test", "t", _columns(a="int"))
    options = Options(delete_only_output_handle_key_columns=True)
    [value] = write(
        RowChange("delete", "test", "t", 1, before={"a": "1"}), tables=(table,), options=options, profile=profile
    )
    assert b'"sqlType":null,' + types in value
    assert tree_of(value)["data"] == [{}]


@pytest.mark.parametrize(("profile", "names"), [(NEWARCH, ["v"]), (CLASSIC, ["a", "b"])])
def test_the_classic_producer_passes_over_a_unique_key_with_a_virtual_column(
    profile: Profile, names: list[str]
) -> None:
    columns = (*_columns(a="int", b="int"), Column("v", parse_column_type("int"), nullable=False, generated="virtual"))
    keys = (Key("v", ("v",)), Key("ab", ("a", "b")))
    table = Table("test", "t", columns, unique_keys=keys)
    options = Options(delete_only_output_handle_key_columns=True)
    change = RowChange("delete", "test", "t", 1, before={"a": "1", "b": "2", "v": "3"})
    [value] = write(change, tables=(table,), options=options, profile=profile)
    assert list(tree_of(value)["data"][0]) == [name for name in names if name != "v"]


# Large messages

_BIG = Table("test", "big", _columns(id="int", v="longtext"), primary_key=("id",))
_BIG_ROW = {"id": "1", "v": "v" * 1000}
_BIG_EVENTS = (
    RowChange("insert", "test", "big", COMMIT_TS, after=_BIG_ROW),
    RowChange("update", "test", "big", COMMIT_TS, before=_BIG_ROW, after=_BIG_ROW | {"v": "w" * 1000}),
    RowChange("delete", "test", "big", COMMIT_TS, before=_BIG_ROW),
)


def _large(kind: str, limit: int = 500, **more: Any) -> Options:
    return Options(
        enable_tidb_extension=True,
        max_message_bytes=limit,
        large_message_handle_option=kind,
        claim_check_storage_uri="file:///tmp/abc/",
        **more,
    )


def test_a_row_that_is_too_large_is_sent_as_its_handle_key_and_says_so() -> None:
    values = write(*_BIG_EVENTS, tables=(_BIG,), options=_large("handle-key-only"))
    trees = [tree_of(value) for value in values]
    assert [(t["data"], t["old"], t["sqlType"], t["mysqlType"]) for t in trees] == [
        ([{"id": "1"}], None, {"id": 4}, {"id": "int"}),
        ([{"id": "1"}], [{"id": "1"}], {"id": 4}, {"id": "int"}),
        ([{"id": "1"}], None, {"id": 4}, {"id": "int"}),
    ]
    assert all(
        value.endswith(f'"_tidb":{{"commitTs":{COMMIT_TS},"onlyHandleKey":true}}}}'.encode()) for value in values
    )


def test_the_handle_key_with_changed_columns_alone_leaves_nothing_in_old() -> None:
    options = _large("handle-key-only", only_output_updated_columns=True)
    [value] = write(_BIG_EVENTS[1], tables=(_BIG,), options=options)
    assert tree_of(value)["old"] == [{}]


@pytest.mark.parametrize("kind", ["none", "handle-key-only", "claim-check"])
def test_a_message_that_stays_too_large_is_out_of_range(kind: str) -> None:
    with pytest.raises(Rejected) as caught:
        write(_BIG_EVENTS[0], tables=(_BIG,), options=_large(kind, limit=200))
    assert caught.value.reason == "range"


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("kind", ["none", "lz4", "snappy"])
def test_a_claim_check_holds_the_whole_message_and_leads_back_to_it(raw: bool, kind: str) -> None:
    # The compressed rows must still be too large, so their text does not repeat itself.
    noise = "".join(f"{n:x}" for n in range(2000))
    rows = [replace(event, before=event.before and _BIG_ROW | {"v": noise}) for event in _BIG_EVENTS]
    rows = [replace(row, after=row.after and {**row.after, "v": noise + "!"}) for row in rows]
    options = _large("claim-check", 600, claim_check_raw_value=raw, large_message_handle_compression=kind)
    whole = encode(rows, [_BIG], replace(options, max_message_bytes=10**7)).records
    encoded = encode(rows, [_BIG], options)
    contents = [claim.content for claim in encoded.claims]
    if not raw:
        wrapped = [json.loads(content) for content in contents]
        assert [list(file) for file in wrapped] == [["key", "value"]] * 3
        contents = [base64.b64decode(file["value"]) for file in wrapped]
    assert contents == [record.value for record in whole]
    assert decode(encoded.records, [_BIG], encoded.claims, options) == rows


def test_a_message_of_a_claim_check_names_the_location_of_its_file() -> None:
    encoded = encode(_BIG_EVENTS, [_BIG], _large("claim-check"))
    locations = [claim.location for claim in encoded.claims]
    members = [tree_of(record.value or b"")["_tidb"] for record in encoded.records]
    assert members == [{"commitTs": COMMIT_TS, "claimCheckLocation": location} for location in locations]


# Settings


def test_ts_is_the_clock_that_was_given_or_the_time_of_the_event() -> None:
    given, own = (write(*_EVENTS, options=EXTENSION, settings=Settings(now_ms=now)) for now in (77, None))
    assert [tree_of(value)["ts"] for value in given] == [77] * 5
    assert [tree_of(value)["ts"] == tree_of(value)["es"] for value in own] == [True] * 5


# Profiles


def test_the_document_puts_data_before_old_and_sorts_columns_by_name() -> None:
    [value] = write(_UPDATE, profile=DOC)
    tree = tree_of(value)
    assert value.index(b'"data"') < value.index(b'"old"')
    names = sorted(ROW)
    assert [list(m) for m in (tree["sqlType"], tree["mysqlType"], tree["data"][0], tree["old"][0])] == [names] * 4


@pytest.mark.parametrize(
    ("release", "repeats"), [("v5.3.0", True), ("v5.4.0", False), ("v6.5.0", False), ("v8.5.4", False)]
)
def test_before_v5_4_0_old_of_a_delete_repeats_its_row(release: str, repeats: bool) -> None:
    [value] = write(_DELETE, profile=profile_of_release(release))
    assert tree_of(value)["old"] == ([ROW] if repeats else None)


@pytest.mark.parametrize(("release", "first"), [("v5.4.0", b'"data"'), ("v6.4.0", b'"data"'), ("v6.5.0", b'"old"')])
def test_before_v6_5_0_data_stood_before_old(release: str, first: bytes) -> None:
    [value] = write(_UPDATE, profile=profile_of_release(release))
    found = re.search(rb'"data"|"old"', value)
    assert found is not None
    assert found[0] == first


@pytest.mark.parametrize(("profile", "kind"), [(NEWARCH, "CREATE"), (CLASSIC, "QUERY"), (DOC, "CREATE")])
def test_creating_several_tables_at_once_is_a_create_or_a_query(profile: Profile, kind: str) -> None:
    [value] = write(DdlEvent("test", "t", "x", "create tables", 60, 1), profile=profile)
    assert tree_of(value)["type"] == kind


@pytest.mark.parametrize("profile", [*PROFILES.values(), profile_of_release("v5.3.0")])
def test_every_profile_is_read_alike(profile: Profile) -> None:
    records = encode(_EVENTS, [TP_INT], EXTENSION, profile).records
    got = Decoder(EXTENSION).decode(records, [TP_INT])
    assert got == [*_EVENTS[:3], DdlEvent("test", "tp_int", "truncate table tp_int", commit_ts=COMMIT_TS), _WATERMARK]


# Refusals


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("enum('a')", "b", "range"),
        ("set('a')", "a,b", "range"),
        ("float", "one", "type"),
        ("vector", "one", "type"),
        ("vector", '["1"]', "type"),
        ("vector", "[3.40282356779733661e38]", "type"),  # less than what is infinite, until it becomes a double
        ("varbinary(3)", "text", "type"),
        ("geometry", b"", "type"),
    ],
)
def test_a_value_that_does_not_fit_its_column_is_refused(kind: str, value: Any, reason: str) -> None:
    table = Table("test", "t", _columns(c=kind))
    with pytest.raises(Rejected) as caught:
        encode([RowChange("insert", "test", "t", 1, after={"c": value})], [table])
    assert caught.value.reason == reason


@pytest.mark.parametrize("value", ["one", "9" * 5000])
def test_a_value_on_which_its_code_depends_must_be_a_number(value: str) -> None:
    table = Table("test", "t", _columns(c="bigint unsigned"))
    with pytest.raises(Rejected) as caught:
        Encoder().encode([RowChange("insert", "test", "t", 1, after={"c": value})], [table])
    assert caught.value.reason == "type"
