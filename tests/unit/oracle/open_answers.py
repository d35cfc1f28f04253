"""Answers for the tests of the Open Protocol oracle: the reference's own with one thing changed, and who is blamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.cases.model import Case, Role
from conformance.cases.normalise import dumps
from conformance.catalogue.register import load_register
from conformance.oracle.judge import Judge, Judgement
from conformance.oracle.open_protocol import ORACLE
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.open_protocol import Options
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS
from reference_impl.wire import (
    claim_to_json,
    event_to_json,
    events_from_json,
    record_to_json,
    table_from_json,
)

Change = Callable[[Any], None]

TABLE: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "columns": [
        {"name": "id", "type": "int", "nullable": False},
        {"name": "n", "type": "bigint unsigned", "nullable": True},
        {"name": "m", "type": "decimal(10,2)", "nullable": True},
        {"name": "f", "type": "float", "nullable": True},
        {"name": "g", "type": "double", "nullable": True},
        {"name": "c", "type": "varchar(20)", "nullable": True},
        {"name": "q", "type": "varbinary(20)", "nullable": True},
        {"name": "b", "type": "blob", "nullable": True},
        {"name": "x", "type": "text", "nullable": True},
        {"name": "e", "type": "enum('a','b')", "nullable": True},
        {"name": "s", "type": "set('a','b')", "nullable": True},
        {"name": "j", "type": "json", "nullable": True},
        {"name": "w", "type": "timestamp(3)", "nullable": True},
        {"name": "y", "type": "year", "nullable": True},
        {"name": "k", "type": "int", "nullable": True},
        {"name": "gen", "type": "int", "nullable": True, "generated": "virtual"},
        {"name": "o", "type": "int", "nullable": True},
    ],
    "primary_key": ["id"],
    "unique_keys": [{"name": "u", "columns": ["k"]}],
    "indexes": [{"name": "i", "columns": ["m", "f"]}, {"name": "h", "columns": ["o"]}],
}
ROW: dict[str, Any] = {
    "id": "1",
    "n": "9007199254740993",
    "m": "1.50",
    "f": "0.1",
    "g": "0.5",
    "c": 'a<b "\u2028',
    "q": "iScKIlzCoPOggIF4",
    "b": "eA==",
    "x": "y",
    "e": "b",
    "s": "a,b",
    "j": '{"a": 1}',
    "w": "2024-01-02 03:04:05.600",
    "y": "2024",
    "k": "5",
    "gen": "1",
    "o": None,
}
SMALL: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "primary_key": ["id"],
    "columns": [{"name": "id", "type": "int", "nullable": False}, {"name": "a", "type": "int"}],
}


def row(op: str, ts: int = 7, table: str = "t", base: Mapping[str, Any] = ROW, **changed: Any) -> dict[str, Any]:
    """A row event; `changed` are the columns whose value an update changes, or another has."""
    after = {**base, **changed}
    images = {"insert": (None, after), "delete": (after, None)}
    before, after_image = images.get(op, (dict(base), after))
    return {
        "kind": "row",
        "op": op,
        "schema": "test",
        "table": table,
        "commit_ts": str(ts),
        "before": before,
        "after": after_image,
    }


def ddl(code: int = 5, table: str = "t", ts: int = 7) -> dict[str, Any]:
    """A DDL event."""
    return {
        "kind": "ddl",
        "schema": "test",
        "table": table,
        "commit_ts": str(ts),
        "query": "ALTER TABLE `t` …",
        "action": "add column",
        "action_code": code,
    }


def mark(ts: int = 7) -> dict[str, Any]:
    """A watermark."""
    return {"kind": "watermark", "commit_ts": str(ts)}


def case_of(role: Role, *events: Mapping[str, Any], table: Mapping[str, Any] = TABLE, **more: Any) -> Case:
    """A case on one table; `more` are members of the case."""
    tables = (table_from_json(table),)
    case = Case("open-protocol/test", "open-protocol", role, tables, tuple(events_from_json(events, tables)), **more)
    if role == "encode" or case.records:
        return case
    encoder = CODECS["open-protocol"].encoder(options_of(case), NEWARCH, settings=case.settings)
    made = encoder.encode(case.events, case.tables)
    return replace(case, records=made.records, claims=made.claims)


def options_of(case: Case) -> Any:
    """The parsed options of a case."""
    return parse(Options, case.options)


def answer_of(case: Case, profile: Profile = NEWARCH) -> dict[str, Any]:
    """What the reference answers."""
    codec, options = CODECS["open-protocol"], options_of(case)
    try:
        if case.role == "encode":
            encoded = codec.encoder(options, profile, settings=case.settings).encode(case.events, case.tables)
            claims = [claim_to_json(claim) for claim in encoded.claims]
            return {"ok": {"records": [record_to_json(r) for r in encoded.records], "claims": claims}}
        tables = case.tables if case.send_tables else ()
        decoded = codec.decoder(options, settings=case.settings).decode(case.records, tables, case.claims)
        return {"ok": {"events": [event_to_json(event) for event in decoded]}}
    except Rejected as e:
        return {"rejected": {"class": str(e.reason), "message": e.message}}


@cache
def _judge(profile: Profile) -> Judge:
    return Judge(ORACLE, load_register("open-protocol"), profile)


def judged(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> Judgement:
    """What the judge makes of an answer."""
    return _judge(profile).judge(case, answer)


def blamed(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> list[str]:
    """The requirements of the findings, each once, in order of their ids."""
    return sorted({finding.requirement for finding in judged(case, answer, profile).findings})


def with_message(case: Case, change: Change, profile: Profile = NEWARCH, at: int = 0) -> dict[str, Any]:
    """The reference's records with one message changed as a tree `{"key": …, "value": …}`; a part may become bytes."""
    options = options_of(case)
    encoded = CODECS["open-protocol"].encoder(options, profile, settings=case.settings)
    made = encoded.encode(case.events, case.tables)
    key, value = unframe(made.records[0].key, made.records[0].value)[at]
    kind = options.large_message_handle_compression
    tree = {"key": exact_json.loads(key)}
    if value:
        tree["value"] = exact_json.loads(decompress(kind, value))
    before = {part: dumps(tree[part]) for part in tree}
    change(tree)
    if _changed(before, tree, "key"):
        key = _text(tree["key"])
    if _changed(before, tree, "value"):
        value = compress(kind, _text(tree["value"])) if "value" in tree else b""
    pairs = unframe(made.records[0].key, made.records[0].value)
    pairs[at] = key, value
    record = replace(made.records[0], **dict(zip(("key", "value"), frame(pairs), strict=True)))
    claims = [claim_to_json(claim) for claim in made.claims]
    return {"ok": {"records": [record_to_json(r) for r in (record, *made.records[1:])], "claims": claims}}


def _changed(before: Mapping[str, str], tree: Mapping[str, Any], part: str) -> bool:
    now = tree.get(part)
    return isinstance(now, bytes) or before.get(part) != (dumps(now) if part in tree else None)


def _text(tree: Any) -> bytes:
    return tree if isinstance(tree, bytes) else dumps(tree).encode()


def with_records(case: Case, change: Callable[[list[Record]], list[Record]]) -> dict[str, Any]:
    """The reference's records, changed as a list."""
    made = CODECS["open-protocol"].encoder(options_of(case), NEWARCH, settings=case.settings)
    encoded = made.encode(case.events, case.tables)
    claims = [claim_to_json(claim) for claim in encoded.claims]
    return {"ok": {"records": [record_to_json(r) for r in change(list(encoded.records))], "claims": claims}}


def put(path: str, value: Any) -> Callable[[Any], None]:
    """Set the member at a path of dots."""

    def change(tree: Any) -> None:
        *parents, name = path.split(".")
        for parent in parents:
            tree = tree[parent]
        tree[name] = value

    return change


def drop(path: str) -> Callable[[Any], None]:
    """Remove the member at a path of dots."""

    def change(tree: Any) -> None:
        *parents, name = path.split(".")
        for parent in parents:
            tree = tree[parent]
        del tree[name]

    return change


def case_records(case: Case) -> list[Record]:
    """The records of the reference for a case."""
    kept: list[Record] = []
    with_records(case, lambda records: kept.extend(records) or records)  # type: ignore[func-returns-value]
    return kept
