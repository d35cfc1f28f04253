"""What real consumers do with a message holds for messages that nobody recorded: in another member order or layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from conformance.consumers import MODELS
from conformance.consumers.model import Message

Json = dict[str, Any]
TABLE = {
    "schema": "shop",
    "name": "orders",
    "columns": [{"name": "id", "type": "int"}, {"name": "name", "type": "varchar(20)"}],
    "primary_key": ["id"],
}
ROW, OTHER = {"id": "7", "name": "ü"}, {"id": "7", "name": "v"}
TYPES = {"id": "int(11)", "name": "varchar(20)"}


def canal(kind: str, data: list[Json] | None, old: list[Json] | None = None, **more: Any) -> Json:
    names = {"database": "shop", "table": "orders", "pkNames": ["id"]}
    return {**names, "type": kind, "isDdl": False, "mysqlType": TYPES, "data": data, "old": old, **more}


CANAL: Mapping[str, tuple[Json | bytes | None, str]] = {
    # The message, and what becomes of it in Flink, SeaTunnel and Paimon: rows, skipped or an error.
    "insert": (canal("INSERT", [ROW]), "rrr"),
    "delete": (canal("DELETE", [ROW]), "rrr"),
    "with an extension": (canal("INSERT", [ROW], _tidb={"commitTs": 1}), "rrr"),
    "update, old whole": (canal("UPDATE", [ROW], [OTHER]), "rrr"),
    "update, old changed": (canal("UPDATE", [ROW], [{"name": "v"}]), "rrr"),
    "update, old without its rows": (canal("UPDATE", [ROW], None), "eee"),
    "twins": (canal("UPDATE", [ROW, ROW], [OTHER, OTHER]), "rre"),
    "half a row": (canal("UPDATE", [{"id": "7"}], [{"id": "7"}], _tidb={"onlyHandleKey": True}), "rrr"),
    "create": (canal("CREATE", None, isDdl=True), "sss"),
    "alter": (canal("ALTER", None, isDdl=True), "ess"),
    "query": (canal("QUERY", None, isDdl=True), "ess"),
    "erase": (canal("ERASE", None, isDdl=True), "ees"),
    "watermark": (canal("TIDB_WATERMARK", None, database="", table=""), "eee"),
    "null value": (None, "sss"),
    "empty value": (b"", "sse"),
    "two documents": (json.dumps(canal("INSERT", [ROW])).encode() * 2, "rrr"),
}


def field(name: str, *fields: Json) -> Json:
    return {"type": "struct", "field": name, "optional": True, "name": "x.Value", "fields": list(fields)}


COLUMNS = ({"type": "int32", "optional": False, "field": "id"}, {"type": "string", "optional": True, "field": "name"})
SCHEMA = {
    "type": "struct",
    "name": "x.Envelope",
    "optional": False,
    "fields": [field("before", *COLUMNS), field("after", *COLUMNS), {"type": "string", "field": "op"}],
}
STATEMENTS = {"type": "struct", "name": "x.SchemaChangeValue", "fields": [{"type": "string", "field": "ddl"}]}
NUMBERED, RENAMED = {"id": 7, "name": "ü"}, {"id": 7, "name": "v"}


def event(op: str, before: Json | None, after: Json | None) -> Json:
    return {"op": op, "before": before, "after": after}


def with_schema(payload: Json, schema: Json = SCHEMA) -> Json:
    return {"schema": schema, "payload": payload}


DEBEZIUM: Mapping[str, tuple[Json | None, str, str]] = {
    # The message, `schema-include` of Flink and SeaTunnel, and what becomes of it in Flink, SeaTunnel, Paimon, the SMT
    # and the sink, of which the converter of the last two has schemas.
    "c with schema": (with_schema(event("c", None, NUMBERED)), "true", "rrrrr"),
    "u with schema": (with_schema(event("u", RENAMED, NUMBERED)), "true", "rrrrr"),
    "d with schema": (with_schema(event("d", NUMBERED, None)), "true", "rrrrr"),
    "below payload, without schema": ({"payload": event("c", None, NUMBERED)}, "true", "rreee"),
    "bare": (event("c", None, NUMBERED), "false", "rrree"),
    "statement": (with_schema({"ddl": "DROP TABLE orders"}, STATEMENTS), "true", "eeere"),
    "u without before": (with_schema(event("u", None, NUMBERED)), "true", "ererr"),
    "d without before": (with_schema(event("d", None, None)), "true", "eress"),
    "tombstone": (None, "true", "sssss"),
}
WORDS = {"r": "rows", "s": "skipped", "e": "error"}


def as_it_is(tree: Json) -> bytes:
    return json.dumps(tree).encode()


def turned_round(tree: Json) -> bytes:
    return json.dumps(_turned(tree), ensure_ascii=False).encode()


def _turned(tree: Any) -> Any:
    return {n: _turned(tree[n]) for n in reversed(tree)} if isinstance(tree, dict) else tree


def in_lines(tree: Json) -> bytes:
    return b"\r\n\t" + json.dumps(tree, indent=2).encode() + b"\r\n"


FORMS: Mapping[str, Callable[[Json], bytes]] = {"as it is": as_it_is, "turned": turned_round, "in lines": in_lines}


def outcome(consumer: str, protocol: str, value: bytes | None, **options: str) -> str:
    name, _, mode = consumer.partition("+")
    given = {"schema-include": options.get("include", "false"), "mode": mode}
    return MODELS[name]("2.3.0").predict(Message(protocol, None, value, TABLE, given)).outcome


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CANAL)
def test_a_message_of_canal_becomes_what_was_seen(name: str, form: str) -> None:
    given, seen = CANAL[name]
    value = FORMS[form](given) if isinstance(given, dict) else given
    for protocol in ("canal-json", "canal"):
        found = [outcome(consumer, protocol, value) for consumer in ("flink", "seatunnel", "paimon")]
        assert found == [WORDS[letter] for letter in seen]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DEBEZIUM)
def test_a_message_of_debezium_becomes_what_was_seen(name: str, form: str) -> None:
    given, include, seen = DEBEZIUM[name]
    value = FORMS[form](given) if given is not None else None
    found = [outcome(one, "debezium", value, include=include) for one in ("flink", "seatunnel", "paimon")]
    found += [outcome(one, "debezium", value, include="true") for one in ("connect+unwrap", "connect+jdbc")]
    assert found == [WORDS[letter] for letter in seen]


def test_an_update_without_rows_stops_a_flink_job_not_even_without_its_old_rows() -> None:
    for old in (None, []):
        assert outcome("flink", "canal-json", as_it_is(canal("UPDATE", [], old))) == "skipped"
    assert outcome("seatunnel", "canal-json", as_it_is(canal("UPDATE", [], []))) == "skipped"
    assert outcome("seatunnel", "canal-json", as_it_is(canal("UPDATE", [], None))) == "error"


def test_a_watermark_of_debezium_stops_every_consumer() -> None:
    fields = [{"type": "string", "field": "op"}, {"type": "int64", "field": "ts_ms"}]
    value = as_it_is(with_schema({"op": "m", "ts_ms": 1}, {"type": "struct", "name": "x.Envelope", "fields": fields}))
    for consumer in ("flink", "seatunnel", "paimon", "connect+unwrap", "connect+jdbc"):
        assert outcome(consumer, "debezium", value, include="true") == "error"


def test_filters_hide_what_has_another_name_before_anything_else_is_read() -> None:
    table = {**TABLE, "name": "orders"}
    value = as_it_is(canal("TIDB_WATERMARK", None, database="", table=""))
    message = Message("canal-json", None, value, table, {"filters": "true"})
    assert [MODELS[one]("2.3.0").predict(message).outcome for one in ("flink", "seatunnel")] == ["skipped", "skipped"]
